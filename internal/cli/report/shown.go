package report

import (
	"fmt"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// Shown selects the executions and relations of an explanation that are shown.
type Shown struct {
	Execution int    // number of the execution in its list, from 1; 0 for all
	Relations string // names separated by commas; "" for the default
}

// Check validates the flags.
func (s *Shown) Check() error {
	if s.Execution < 0 {
		return fmt.Errorf("--execution counts from 1, not %d", s.Execution)
	}
	return nil
}

// Model returns a model that shows the selected relations, and their names; nil if none are
// selected.
func (s *Shown) Model(m *cat.Model) (*cat.Model, []string, error) {
	if s.Relations == "" {
		return m, nil, nil
	}
	return m.Showing(src.NewFile("--show", "show "+s.Relations), sim.Vocabulary())
}

// Pick reduces an explanation to the selected execution.
func (s *Shown) Pick(e *sim.Explanation) (*sim.Explanation, error) {
	if s.Execution == 0 {
		return e, nil
	}
	return e.Only(s.Execution)
}
