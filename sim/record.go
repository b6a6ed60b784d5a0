package sim

import (
	"github.com/muster-gpu/muster/litmus"
)

// Record is the result as herd's log shows it. When a limit left the verdict open, it
// is Undef; so it is when the model says that the program's behaviour is undefined, and of a forall over no final state.
func (r *Result) Record() *litmus.Record {
	rec := &litmus.Record{
		Test:        r.Test.Name.Text,
		Kind:        r.Test.Cond.Quant.Kind(),
		Loop:        r.Loop(),
		Positive:    int64(r.Positive),
		Negative:    int64(r.Negative),
		Flags:       r.Flags,
		Condition:   r.Test.content.printed().condition,
		Observation: r.observation(),
		Time:        r.Elapsed,
		Hash:        r.Test.Hash(),
		VerdictOnly: r.Test.config.Want == Verdict,
		Uncounted:   r.Uncounted,
	}
	if !rec.VerdictOnly {
		rec.States = r.outcomes()
	}
	switch {
	case r.Outcome() == Unknown || r.Outcome() == Undefined:
		rec.Verdict = litmus.Undef
	case !r.Holds():
		rec.Verdict = litmus.No
	}
	return rec
}

// outcomes are the final states in the words of a log.
func (r *Result) outcomes() []litmus.Outcome {
	refs, all := r.Test.Observables(), make([]litmus.Outcome, len(r.States))
	names, values := litmus.Names(refs), make([]litmus.Binding, 0, len(refs)*len(r.States))
	state := make(litmus.State, 0, len(refs))
	for i, s := range r.States {
		at := len(values)
		state = s.appendState(state[:0])
		values = state.Bind(values, names)
		all[i] = litmus.Outcome{Values: values[at:len(values):len(values)], Count: int64(s.Count), Satisfies: s.Satisfies}
	}
	return all
}

// observation is how often the proposition of the condition is so. What a limit cut off might
// turn Never or Always into Sometimes, which is certain; and so might what was not looked at once the verdict was known.
func (r *Result) observation() litmus.Observation {
	o := litmus.Observe(int64(r.Positive), int64(r.Negative))
	stopped := r.Test.config.Want == Verdict && (r.Outcome() == Allowed || r.Outcome() == Undefined)
	if (r.Limit != nil || stopped) && o != litmus.Sometimes {
		return litmus.Undecided
	}
	return o
}
