package sim

import (
	"cmp"
	"context"
	"sync"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/src"
)

// Absence is the reason why no candidate execution ends in a final state that the condition asks
// for. No axiom rejects anything then.
type Absence uint8

// The absences.
const (
	Present  Absence = iota // some candidate does, or it is unknown
	NoValues                // no candidate execution computes these values
	NoEnd                   // each execution has a thread that never ends
	// a candidate computes these values, but with a coherence order that the model does not choose
	NoOrder
)

// String returns the reason as the end of a sentence, or "" for Present.
func (a Absence) String() string {
	return [...]string{
		Present:  "",
		NoValues: "no execution computes these values",
		NoEnd:    "no execution comes to an end",
		NoOrder:  "no coherence order that the model chooses ends so",
	}[a]
}

// everything returns the model that allows every candidate execution.
var everything = sync.OnceValue(func() *cat.Model {
	m, err := cat.Load(src.NewFile("everything.cat", `"Everything"`), cat.Config{})
	if err != nil {
		panic(err) // the text is a constant
	}
	return m
})

// Ends finds the final states of all candidate executions. It ignores executions with a meaningless
// computation (Config.Tolerant): consistent ones are errors, so they are not among the states that
// a model rejects.
func (t *Test) Ends(ctx context.Context) (*Result, error) {
	tolerant := *t
	tolerant.group, tolerant.config.Tolerant = nil, true
	return tolerant.Run(ctx, everything())
}

// absent finds out why no state is explained: either no candidate ends as the condition asks, or
// the searches for candidates missed one. In the latter case it explains that one.
func (x *explaining) absent(ctx context.Context) error {
	t := x.Test
	if t.big() {
		return nil
	}
	found, known, err := x.ask.anyEnd(ctx)
	switch {
	case err != nil || !known:
		return err
	case found != nil:
		if err = x.explainOne(ctx, found); len(x.states) == 0 {
			x.Absence = NoOrder
		}
		return err
	}
	found, known, err = x.ask.anything().anyEnd(ctx)
	switch {
	case err != nil || !known:
	case found == nil:
		x.Absence = NoEnd
	default:
		x.Absence = NoValues
	}
	return err
}

// explainOne explains one candidate, for each way to make the choices of the model.
func (x *explaining) explainOne(ctx context.Context, w *Witness) error {
	ends := x.Test.ends(w.Execution, x.Refs)
	incomplete := newExplaining(x.ask, x.Explanation, x.own)
	looked := 0
	var failure error
	err := x.model.Judge(ctx, w.Execution, func(v *cat.Verdict) bool {
		to := x
		if v.Incomplete {
			to = incomplete
		}
		one := &Witness{complete(w.Execution, v), v.Choices}
		for _, end := range ends {
			s := to.state(end)
			s.Candidates = 1
			failure = cmp.Or(failure, to.reject(s, one, v))
		}
		looked++
		return failure == nil && looked < enoughWitnesses
	})
	x.add(incomplete, Incomplete)
	return cmp.Or(failure, err)
}
