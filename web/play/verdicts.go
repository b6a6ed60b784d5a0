package play

import (
	"cmp"
	"fmt"
	"time"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/wire"
)

// verdicts simulates tests under one model, or each under its own.
func (e *Engine) verdicts(r *request) (any, error) {
	all := wire.Verdicts{Verdicts: []wire.TestVerdict{}}
	for i, t := range r.Tests {
		v := wire.TestVerdict{Test: t.Name}
		patience := min(r.share(len(r.Tests)-i), usualTimeout)
		if err := e.verdict(r, t.Text, patience, &v); err != nil {
			v.Error = err.Error()
		}
		all.Verdicts = append(all.Verdicts, v)
	}
	return all, nil
}

func (e *Engine) verdict(r *request, text string, patience time.Duration, v *wire.TestVerdict) error {
	t := e.load(reading{text, usualTimeout, frontend.DefaultUnroll, ""})
	if t.err != nil {
		return t.err
	}
	ref := cmp.Or(r.Model, &wire.ModelRef{Name: t.Format.Model})
	v.Model = ref.Name
	m := e.loadModel(*ref)
	if m.err != nil {
		return fmt.Errorf("%s: %w", ref.Name, m.err)
	}
	result, err := e.ask(within(patience), t, *ref, m)
	if err != nil {
		return err
	}
	v.Outcome, v.Observation = result.Outcome().String(), result.Record().Observation.String()
	v.Incomplete = incomplete(result.Test, result.Limit, &result.Stats)
	return nil
}
