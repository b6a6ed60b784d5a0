package probe

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// Coverage records which tests tell which mutants from the model. A test tells two models apart if
// they differ in its outcome, its flags, or whether its behaviour is undefined.
type Coverage struct {
	*Mutation
	States  bool // a test also tells models apart that differ in its final states
	Tests   int
	Entries []Entry // by mutant
}

// Entry is the result of all tests for one mutant.
type Entry struct {
	Killed  int      // number of tests that tell it from the model
	By      []string // the first few of them
	Unknown int      // number of tests that may: an answer is cut short or missing
	Why     string   // why the first of these has no answer
}

// Standing is the result for a mutant, over all tests.
type Standing uint8

// The standings.
const (
	Killed   Standing = iota // some test tells it from the model
	Survives                 // no test does
	Open                     // no test is known to, some may
	Same                     // no test can: it compiles to the same plan
)

func (s Standing) String() string {
	return [...]string{"killed", "survives", "unknown", "same"}[s]
}

// NewCoverage returns a Coverage without tests.
func NewCoverage(m *Mutation, states bool) *Coverage {
	return &Coverage{Mutation: m, States: states, Entries: make([]Entry, len(m.Mutants))}
}

// Trial is one test under the model and its mutants.
type Trial struct {
	Test *sim.Test
	// Limit is what cut the answer of the model itself short, or nil.
	Limit   error
	effects []effect // by mutant; nil if a limit was hit, so that the test does not count
}

// effect is what a mutant changes in a test's result.
type effect struct {
	differs bool
	unknown string // why that is not known, or ""
}

// Try runs a test under the model and each mutant. It calls done after each mutant. It may be
// called concurrently.
func (c *Coverage) Try(ctx context.Context, t *sim.Test, done func()) (*Trial, error) {
	left := len(c.Mutants)
	defer func() {
		for range left {
			done()
		}
	}()
	original, err := t.Run(ctx, c.Model.Model)
	if err != nil {
		return nil, err
	}
	trial := &Trial{Test: t, Limit: original.Limit}
	if original.Limit != nil && !sim.IsBound(original.Limit) {
		return trial, nil
	}
	trial.effects = make([]effect, len(c.Mutants))
	for i, m := range c.Mutants {
		if ctx.Err() != nil { // compiling the others would take seconds
			trial.effects = nil
			return trial, nil
		}
		if !m.Same {
			trial.effects[i] = c.effect(ctx, original, m)
		}
		left--
		done()
	}
	return trial, nil
}

func (c *Coverage) effect(ctx context.Context, original *sim.Result, m *Mutant) effect {
	r, err := original.Test.Run(ctx, m.Model)
	if err != nil {
		return effect{unknown: inShort(err)}
	}
	for _, answer := range []*sim.Result{r, original} {
		if why := answer.Incomplete(); why != "" {
			return effect{differs: sim.Contradict(r.Outcome(), original.Outcome()), unknown: why}
		}
	}
	return effect{differs: r.Outcome() != original.Outcome() ||
		!slices.Equal(r.Flags, original.Flags) || !slices.Equal(r.Undefined, original.Undefined) ||
		c.States && !slices.EqualFunc(r.States, original.States, sameState)}
}

// inShort returns an error as one line, without the name of the test.
func inShort(err error) string {
	var d *src.Diagnostic
	if errors.As(err, &d) {
		return d.Header()
	}
	why, _, _ := strings.Cut(err.Error(), "\n")
	return why
}

func sameState(s, t sim.StateCount) bool { return litmus.CompareStates(s.State(), t.State()) == 0 }

// firstTests bounds the tests that an Entry names.
const firstTests = 3

// Add adds a trial. Trials must be added one at a time, in the order of the tests.
func (c *Coverage) Add(t *Trial) {
	if t.effects == nil {
		return
	}
	c.Tests++
	for i, e := range t.effects {
		entry := &c.Entries[i]
		switch {
		case e.differs:
			entry.Killed++
			if len(entry.By) < firstTests {
				entry.By = append(entry.By, t.Test.Name.Text)
			}
		case e.unknown != "":
			if entry.Unknown++; entry.Unknown == 1 {
				entry.Why = t.Test.Name.Text + ": " + e.unknown
			}
		}
	}
}

// Standing returns the standing of mutant i after the tests so far.
func (c *Coverage) Standing(i int) Standing {
	switch e := &c.Entries[i]; {
	case c.Mutants[i].Same:
		return Same
	case e.Killed > 0:
		return Killed
	case e.Unknown > 0:
		return Open
	}
	return Survives
}
