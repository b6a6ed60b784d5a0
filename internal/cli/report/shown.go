package report

import (
	"fmt"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// Shown is what is shown of an explanation.
type Shown struct {
	Execution int    // which of those that it lists, from 1; 0 for all
	Relations string // names, with commas between them; "" for the usual ones
}

// Check validates what somebody has asked for.
func (s *Shown) Check() error {
	if s.Execution < 0 {
		return fmt.Errorf("--execution counts from 1, not %d", s.Execution)
	}
	return nil
}

// Model is a model with the relations to show, and their names; nil if none are asked for.
func (s *Shown) Model(m *cat.Model) (*cat.Model, []string, error) {
	if s.Relations == "" {
		return m, nil, nil
	}
	return m.Showing(src.NewFile("--show", "show "+s.Relations), sim.Vocabulary())
}

// Pick leaves of an explanation what the execution that is asked for shows.
func (s *Shown) Pick(e *sim.Explanation) (*sim.Explanation, error) {
	if s.Execution == 0 {
		return e, nil
	}
	return e.Only(s.Execution)
}
