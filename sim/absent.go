package sim

import (
	"cmp"
	"context"
	"sync"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/src"
)

// Absence is why no candidate execution ends in a final state that the condition asks for, so that no
// axiom has to reject one.
type Absence uint8

// The absences.
const (
	Present  Absence = iota // a candidate does, or it is not known that none does
	NoValues                // no execution computes these values, whatever a model says
	NoEnd                   // each execution has a thread that never ends
	NoOrder                 // an execution computes these values, but ends in a coherence order that the model does not choose
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

// everything is the model that allows every candidate execution.
var everything = sync.OnceValue(func() *cat.Model {
	m, err := cat.Load(src.NewFile("everything.cat", `"Everything"`), cat.Config{})
	if err != nil {
		panic(err) // a constant of this package
	}
	return m
})

// Ends finds the final states of all candidate executions, whatever a model says of them. Executions in which the program computes
// what has no meaning are left out (Config.Tolerant): consistent ones are errors, so they are not among the states that a model rejects.
func (t *Test) Ends(ctx context.Context) (*Result, error) {
	tolerant := *t
	tolerant.group, tolerant.config.Tolerant = nil, true
	return tolerant.Run(ctx, everything())
}

// absent finds out why no state is explained: no candidate ends as the condition asks for; or one does
// that the searches for candidates did not come to. That one is explained, whatever else ends so.
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

// explainOne explains one candidate, with the choices of the model.
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
