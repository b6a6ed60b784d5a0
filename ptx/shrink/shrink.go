// Package shrink lists the ways to make a PTX test smaller: threads, instructions, dependencies and
// clauses to leave out, and weaker instructions to substitute. It also recognises tests that differ
// only in names (Likeness). It changes the text of cells and reads them by package ptx. Package
// probe finds out whether a smaller test still shows what it was made for.
package shrink

import (
	"iter"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
)

// Smaller returns the steps that can make a test smaller. The error is the error of a cell that is
// no instruction.
func Smaller(t *litmus.Test) (*frontend.Smaller, error) {
	c, err := read(t)
	if err != nil {
		return nil, err
	}
	return &frontend.Smaller{Instructions: c.count(), Steps: c.all()}, nil
}

// all yields all steps, always in the same order.
func (c *code) all() iter.Seq[frontend.Step] {
	return func(yield func(frontend.Step) bool) {
		for s := range c.steps() {
			if !yield(frontend.Step{Words: s.words, Test: func() *litmus.Test { return c.made(s) }}) {
				return
			}
		}
	}
}

// made returns the test after a step. It returns nil if the step does not give a test, or if the
// condition would mention something that is no longer set.
func (c *code) made(s step) *litmus.Test {
	t := s.test()
	if t == nil {
		return nil
	}
	d, err := read(t)
	if err != nil || c.leavesUnset(d) {
		return nil
	}
	d.tidy()
	return t
}
