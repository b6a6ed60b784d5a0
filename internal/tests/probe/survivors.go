package probe

import (
	"cmp"
	"context"
	"slices"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// Survivor is a mutant that no test is known to kill, with the number of other mutants inside it.
type Survivor struct{ Mutant, Inside int }

// Survivors lists the mutants that no test is known to kill, in the order of the text. A mutant
// inside another one is only counted, unless all is true or some test may kill it.
func (c *Coverage) Survivors(all bool) []Survivor {
	var list []Survivor
	for i, m := range c.Mutants {
		standing := c.Standing(i)
		if standing != Survives && standing != Open {
			continue
		}
		outer := slices.IndexFunc(list, func(s Survivor) bool {
			return c.Mutants[s.Mutant].Contains(m)
		})
		if outer < 0 || all || standing == Open {
			list = append(list, Survivor{Mutant: i})
		} else {
			list[outer].Inside++
		}
	}
	return list
}

// Tally counts the mutants by standing.
func (c *Coverage) Tally() map[Standing]int {
	n := map[Standing]int{}
	for i := range c.Mutants {
		n[c.Standing(i)]++
	}
	return n
}

// NewDistinction returns a search for tests on which two models differ. If the instruction set or
// words are not given, they follow from the names that the models mention.
func NewDistinction(
	isa *gen.ISA, words gen.Words, a, b *models.Model, config sim.Config, workers int,
) (*Distinction, error) {
	mention := func(name string) bool {
		// else tests would differ only because one model does not know these operations
		if name == gen.Asynchronous {
			return a.Mentions(name) && b.Mentions(name)
		}
		return a.Mentions(name) || b.Mentions(name)
	}
	if isa == nil {
		isa = gen.ISAFor(gen.Speaker{Headers: a.Tests, Mentions: a.Mentions},
			gen.Speaker{Headers: b.Tests, Mentions: b.Mentions})
	}
	usual := isa.WordsFor(mention)
	words.Edges = cmp.Or(words.Edges, usual.Edges)
	words.Accesses = cmp.Or(words.Accesses, usual.Accesses)
	words.Levels = cmp.Or(words.Levels, usual.Levels)
	d := &Distinction{
		Models:  [2]*cat.Model{a.Model, b.Model},
		Config:  config,
		Workers: workers,
		Cycles:  gen.Generator{ISA: isa},
	}
	return d, d.Cycles.Add(words)
}

// killerMarks bounds the marks of the cycles of suggested tests.
const killerMarks = 2

// Killer returns the text of the smallest test, from a cycle of up to size edges, whose outcome
// tells a mutant from the model, or "". The error may be a limit that left the answer open.
func Killer(
	ctx context.Context, model *models.Model, mutant *cat.Model, size int, config sim.Config, workers int,
) (string, error) {
	d, err := NewDistinction(nil, gen.Words{}, model, &models.Model{Model: mutant, Info: model.Info}, config, workers)
	if err != nil {
		return "", err
	}
	d.Enough, d.Either, d.Marks = 1, true, killerMarks
	d.Cycles.Size.Max = size
	found, err := d.Run(ctx)
	if err != nil {
		return "", err
	}
	for _, tests := range found.Allowed {
		for _, t := range tests {
			return t.Test.String(), nil
		}
	}
	if found.Unknown > 0 {
		return "", found.Limit
	}
	return "", context.Cause(ctx)
}
