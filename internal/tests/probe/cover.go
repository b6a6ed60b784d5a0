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

// Coverage is which tests tell which mutants from the model. A test tells two models apart
// if they differ in its outcome, its flags, or whether its behaviour is undefined.
type Coverage struct {
	*Mutation
	States  bool // a test also tells models apart that differ in its final states
	Tests   int
	Entries []Entry // by mutant
}

// Entry is what tests say of a mutant.
type Entry struct {
	Killed  int      // tests that tell it from the model
	By      []string // the first of them
	Unknown int      // tests that may or may not: an answer is cut short, or there is none
	Why     string   // the first of these has no answer
}

// Standing is what all tests together say of a mutant.
type Standing uint8

// The standings.
const (
	Killed   Standing = iota // some test tells it from the model
	Survives                 // no test does
	Open                     // no test is known to, some may
	Same                     // no test can
)

func (s Standing) String() string {
	return [...]string{"killed", "survives", "unknown", "same"}[s]
}

// NewCoverage is the coverage by no tests.
func NewCoverage(m *Mutation, states bool) *Coverage {
	return &Coverage{Mutation: m, States: states, Entries: make([]Entry, len(m.Mutants))}
}

// Trial is one test under the model and its mutants.
type Trial struct {
	Test *sim.Test
	// Limit is what cut the answer of the model itself short; nil if nothing did.
	Limit   error
	effects []effect // by mutant; none if a limit was hit: then the test tells nothing
}

// effect is what a mutant does to a test.
type effect struct {
	differs bool
	unknown string // why that is not known; "" if it is
}

// Try runs a test under the model and each mutant, and tells of each when it is done with it. It may be called concurrently.
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
		if ctx.Err() != nil { // to compile the others takes seconds
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

// inShort is an error in a line, without the name of the test.
func inShort(err error) string {
	var d *src.Diagnostic
	if errors.As(err, &d) {
		return d.Header()
	}
	why, _, _ := strings.Cut(err.Error(), "\n")
	return why
}

func sameState(s, t sim.StateCount) bool { return litmus.CompareStates(s.State(), t.State()) == 0 }

// firstTests is how many tests an Entry names.
const firstTests = 3

// Add takes in a trial. The trials come one after the other, in the order of the tests.
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

// Standing is what the tests so far say of mutant i.
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
