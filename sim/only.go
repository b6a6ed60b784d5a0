package sim

import "fmt"

// Only returns an explanation with only the n-th of its executions, counted from 1 in the order of
// Executions.
func (e *Explanation) Only(n int) (*Explanation, error) {
	all := e.Executions()
	if n < 1 || n > len(all) {
		things := "executions"
		if len(all) == 1 {
			things = "execution"
		}
		return nil, fmt.Errorf("%s: there is no execution %d: explain lists %d %s", e.Test.Name.Text, n, len(all), things)
	}
	x, only := all[n-1], *e
	only.Outcomes, only.Hang = nil, nil
	switch {
	case x.State == nil:
		only.Hang = x.Witness
	case x.Reason == nil:
		only.Outcomes = []ExplainedState{*x.State}
	default:
		s := *x.State
		s.Reasons = []*Reason{x.Reason}
		only.Outcomes = []ExplainedState{s}
	}
	return &only, nil
}
