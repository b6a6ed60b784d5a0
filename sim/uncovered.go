package sim

import (
	"context"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/plan"
)

// mostWays bounds the combinations of control paths that are examined.
const mostWays = 256

// Uncovered returns the name of the check by which the model does not cover the test, whatever
// values are read: each combination of control paths raises the flag outside-model, or makes the
// behaviour undefined. It examines no executions. It returns "" if the program alone does not
// decide this.
func (t *Test) Uncovered(ctx context.Context, m *cat.Model) string {
	if c := t.uncoveredBy(ctx, m); c != nil {
		return c.Name
	}
	return ""
}

// uncoveredBy returns the check that Uncovered names, or nil.
func (t *Test) uncoveredBy(ctx context.Context, m *cat.Model) *plan.Check {
	p, _ := t.plan(m)
	if p == nil {
		return nil
	}
	var reports []*plan.Check
	for i := range p.Reports {
		if c := &p.Reports[i]; c.Of == 0 && (c.Undefined || c.Name == OutsideModel) {
			reports = append(reports, c)
		}
	}
	if reports == nil {
		return nil
	}
	var first *plan.Check
	ways := 0
	for s, err := range t.Program.Structures(ctx) {
		if ways++; err != nil || ways > mostWays {
			return nil
		}
		raised := raisedBy(p, s, reports)
		if raised == nil {
			return nil
		}
		if first == nil {
			first = raised
		}
	}
	return first
}

// raisedBy returns the first of some reports that a structure raises, or nil. The reports must
// depend on the program alone.
func raisedBy(p *plan.Plan, s *event.Structure, reports []*plan.Check) *plan.Check {
	v := p.Of(&event.Execution{Structure: s}, nil)
	for _, c := range reports {
		if v.Passes(c) != c.Undefined {
			return c
		}
	}
	return nil
}

// uncovered returns the result for a test that the model does not cover.
func (t *Test) uncovered(by *plan.Check) *Result {
	r := &Result{Test: t, Uncovered: true}
	if by.Undefined {
		r.Undefined = []string{by.Name}
	} else {
		r.Flags = []string{by.Name}
	}
	return r
}
