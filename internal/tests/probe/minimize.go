package probe

import (
	"context"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/language/shrink"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// Property is what a test must preserve while it shrinks.
type Property func(ctx context.Context, t *sim.Test) (bool, error)

// Minimized is a test that was shrunk.
type Minimized struct {
	Test          *sim.Test
	Steps         []string // what was dropped or weakened, in order
	Tried         int      // number of tests for which the property was checked
	Before, After int      // number of instructions
	Limit         error    // why it may shrink further; nil if no step keeps the property
}

// Minimize shrinks a test while it keeps a property that it has. It drops threads, parts of the
// condition and instructions, cuts dependencies, and replaces instructions by weaker ones, one step
// at a time; the result admits no further step. The same test always shrinks to the same result. t
// is not changed.
//
// Smaller tests are loaded with c, whose timeout is for all of them together. When it, or a limit
// that ends ctx, is reached, Minimize returns the result so far.
func Minimize(ctx context.Context, t *litmus.Test, c sim.Config, keep Property) (*Minimized, error) {
	m := &minimizer{config: c, keep: keep}
	if err := m.start(t); err != nil {
		return nil, err
	}
	ctx = c.Limited(ctx)
	// for smaller tests: t has been read before
	m.config.Reading.Stop = func() error { return context.Cause(ctx) }
	for more := true; more; {
		var err error
		if more, err = m.shrink(ctx); err != nil {
			return nil, err
		}
	}
	m.Limit = context.Cause(ctx)
	if m.Limit != nil && !sim.IsLimit(m.Limit) {
		return nil, m.Limit
	}
	m.After = m.smaller.Instructions
	return &m.Minimized, nil
}

// minimizer is a test that is being shrunk.
type minimizer struct {
	Minimized
	config  sim.Config
	keep    Property
	smaller *frontend.Smaller // than Test
}

// start begins with a test as it is.
func (m *minimizer) start(t *litmus.Test) error {
	test, err := m.load(t)
	if err != nil {
		return err
	}
	if m.smaller, err = shrink.Smaller(test.Test); err != nil {
		return err
	}
	m.Test, m.Before = test, m.smaller.Instructions
	return nil
}

// load prints a test and reads it again.
func (m *minimizer) load(t *litmus.Test) (*sim.Test, error) {
	return sim.Load(src.NewFile(t.File.Name, t.String()), m.config)
}

// shrink makes the first step that keeps the property. It reports whether there is one.
func (m *minimizer) shrink(ctx context.Context) (bool, error) {
	for s := range m.smaller.Steps {
		test := m.try(s)
		if ctx.Err() != nil {
			return false, nil
		}
		if test == nil {
			continue
		}
		m.Tried++
		kept, err := m.keep(ctx, test)
		switch {
		case ctx.Err() != nil:
			return false, nil
		case err != nil:
			return false, err
		case !kept:
			continue
		}
		m.Test, m.Steps = test, append(m.Steps, s.Words)
		m.smaller, err = shrink.Smaller(test.Test)
		return true, err
	}
	return false, nil
}

// try makes a step. It returns nil if the result is not a valid test.
func (m *minimizer) try(s frontend.Step) *sim.Test {
	t := s.Test()
	if t == nil {
		return nil
	}
	rename(t)
	test, err := m.load(t)
	if err != nil {
		return nil
	}
	return test
}

// suffix marks the name of a test that was shrunk.
const suffix = "-min"

// saysOf are metadata about how a test was made, or what it shows; they would be false for a
// smaller one. Its origin (Source) stays true.
var saysOf = []string{"Cycle", "Generator", "Clause", "Idiom"}

// rename gives a test that was shrunk a name of its own, and removes what was said about the
// original.
func rename(t *litmus.Test) {
	if !strings.HasSuffix(t.Name.Text, suffix) {
		t.Name.Text += suffix
	}
	t.Doc = ""
	t.Meta = slices.DeleteFunc(t.Meta, func(m litmus.Meta) bool { return slices.Contains(saysOf, m.Key) })
}
