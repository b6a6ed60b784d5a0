package sim

import (
	"github.com/muster-gpu/muster/litmus"
)

// Record returns the result in the form of herd's log. The verdict is Undef if a limit left it
// open, the behaviour is undefined, or a forall is vacuous.
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

// outcomes returns the final states in the form of a log.
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

// observation returns how often the proposition of the condition holds. Never and Always are
// undecided if a limit cut the search short, or if it stopped at the verdict. Sometimes is certain.
func (r *Result) observation() litmus.Observation {
	o := litmus.Observe(int64(r.Positive), int64(r.Negative))
	stopped := r.Test.config.Want == Verdict && (r.Outcome() == Allowed || r.Outcome() == Undefined)
	if (r.Limit != nil || stopped) && o != litmus.Sometimes {
		return litmus.Undecided
	}
	return o
}
