package play

import (
	"cmp"
	"fmt"
	"time"

	"github.com/muster-gpu/muster/frontend"
)

// Named is a test of many.
type Named struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Verdicts is the answer to verdicts.
type Verdicts struct {
	Verdicts []TestVerdict `json:"verdicts"`
}

// TestVerdict is what a model says of one of many tests.
type TestVerdict struct {
	Test        string `json:"test"` // its name
	Model       string `json:"model"`
	Outcome     string `json:"outcome,omitempty"`
	Observation string `json:"observation,omitempty"`
	Incomplete  string `json:"incomplete,omitempty"`
	Error       string `json:"error,omitempty"`
}

// verdicts simulates tests under one model, or each under its own.
func (e *Engine) verdicts(r *Request) (any, error) {
	all := Verdicts{[]TestVerdict{}}
	for i, t := range r.Tests {
		v := TestVerdict{Test: t.Name}
		patience := min(r.share(len(r.Tests)-i), usualTimeout)
		if err := e.verdict(r, t.Text, patience, &v); err != nil {
			v.Error = err.Error()
		}
		all.Verdicts = append(all.Verdicts, v)
	}
	return all, nil
}

func (e *Engine) verdict(r *Request, text string, patience time.Duration, v *TestVerdict) error {
	t := e.load(reading{text, usualTimeout, frontend.DefaultUnroll})
	if t.err != nil {
		return t.err
	}
	ref := cmp.Or(r.Model, &ModelRef{Name: t.Format.Model})
	v.Model = ref.Name
	m := e.loadModel(*ref)
	if m.err != nil {
		return fmt.Errorf("%s: %w", ref.Name, m.err)
	}
	result, err := t.Run(within(patience), m.Model.Model)
	if err != nil {
		return err
	}
	v.Outcome, v.Observation = result.Outcome().String(), result.Record().Observation.String()
	v.Incomplete = incomplete(result.Test, result.Limit, &result.Stats)
	return nil
}
