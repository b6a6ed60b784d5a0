//go:build !js

package sim

import (
	"context"
	"slices"
	"sync"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/litmus"
)

// Alike caches the results of similar tests: tests that differ only in where their threads and
// locations are, as most generated tests do. The program of similar tests is read once. A model
// that does not see the regions of locations is run once per placement of threads. Alike is safe
// for concurrent use; a nil Alike caches nothing.
type Alike struct {
	mu     sync.Mutex
	groups map[likeness]*group
	blind  map[*plan.Plan]bool // by plan: it does not see regions
}

// mostAlike bounds the groups kept. Similar generated tests follow each other closely.
const mostAlike = 1 << 4

// likeness is what the tests of a group have in common.
type likeness struct {
	format        *litmus.Format
	before, after string // litmus.Test.Frame
	unroll        int
	writes        bool // frontend.Options.CASFailWrites
}

// group is a group of similar tests.
type group struct {
	first *Test

	mu sync.Mutex
	// the last test that joined, or the first; the next one often has its threads in the same
	// places
	last    *Test
	answers map[asked]*Result
}

// asked is the key of an answer within a group.
type asked struct {
	model  *cat.Model
	want   Want
	places string // of threads: the scope tree
}

// asked returns the key of the answer for a test of the group.
func (t *Test) asked(m *cat.Model) asked {
	return asked{m, t.config.Want, t.ScopesAt.Text()}
}

// moving is a program that can be adapted to other tests of its group (ptx.Program.Moved).
type moving interface {
	Moves() bool
	Moved(*litmus.Test) frontend.Program
}

// read reads a test. It uses the program of the test's group if there is one; otherwise the test
// may begin a group.
func (a *Alike) read(t *litmus.Test, c Config) (*Test, error) {
	if joined := a.joined(t, c); joined != nil {
		return joined, nil
	}
	first, err := read(t, c)
	if of, ok := a.likeness(t, c); ok && err == nil {
		first.group = a.begin(of, first)
	}
	return first, err
}

// joined returns the test with the program of its group, or nil if it must be read.
func (a *Alike) joined(t *litmus.Test, c Config) *Test {
	if of, ok := a.likeness(t, c); ok {
		if g := a.find(of); g != nil {
			return g.join(t, c)
		}
	}
	return nil
}

// likeness returns the likeness of a test. ok is false if a is nil, or if the text of the test has
// no frame.
func (a *Alike) likeness(t *litmus.Test, c Config) (of likeness, ok bool) {
	if a == nil {
		return of, false
	}
	before, after, ok := t.Frame()
	return likeness{t.Format, before, after, c.Reading.Unroll, c.Reading.CASFailWrites}, ok
}

// find returns a group, or nil.
func (a *Alike) find(l likeness) *group {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.groups[l]
}

// begin begins a group with a test, or returns nil if its program cannot be moved. If there is no
// room, it drops all other groups.
func (a *Alike) begin(l likeness, t *Test) *group {
	if p, moves := t.Program.(moving); !moves || !p.Moves() {
		return nil
	}
	g := &group{first: t, last: t}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.groups == nil || len(a.groups) == mostAlike {
		a.groups = map[likeness]*group{}
	}
	a.groups[l] = g
	return g
}

// join returns a test with the program of the group, or nil if it must be read.
func (g *group) join(t *litmus.Test, c Config) *Test {
	g.mu.Lock()
	last := g.last
	g.mu.Unlock()
	p := last.Program.(moving).Moved(t)
	if p == nil {
		return nil
	}
	joined := *g.first
	joined.Test, joined.Program, joined.config, joined.group = t, p, c, g
	joined.content = &content{of: t, like: g.first.content}
	g.mu.Lock()
	g.last = &joined
	g.mu.Unlock()
	return &joined
}

// answer returns the answer of a model to a similar test, or nil.
func (g *group) answer(t *Test, m *cat.Model) *Result {
	if g == nil || !t.config.usual() {
		return nil
	}
	g.mu.Lock()
	known := g.answers[t.asked(m)]
	g.mu.Unlock()
	if known == nil {
		return nil
	}
	r := &Result{Test: t}
	r.repeat(known, m)
	return r
}

// usual reports whether the fields of asked determine the answer: the engine is the default and
// candidates are not bounded.
func (c *Config) usual() bool {
	return c.Engine == Fast && c.Limits.MaxCandidates == 0 && c.Limits.MaxLooks == 0
}

// keep caches a complete answer, if it holds for all tests of the group.
func (g *group) keep(r *Result, m *cat.Model) {
	const mostStates = 64
	c := &r.Test.config
	if g == nil || r.Limit != nil || r.Meaningless != nil || len(r.States) > mostStates || !c.usual() || !c.Alike.cannotSee(r.Test, m) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.answers == nil {
		g.answers = map[asked]*Result{}
	}
	g.answers[r.Test.asked(m)] = r
}

// cannotSee reports whether a model uses no input that depends on the regions of locations.
func (a *Alike) cannotSee(t *Test, m *cat.Model) bool {
	p := t.question().under(m).plan
	if p == nil || t.big() {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	blind, known := a.blind[p]
	if !known {
		blind = !slices.ContainsFunc(p.Inputs, func(in plan.Input) bool { return t.Vocabulary().Get(in.Name).Regions })
		if a.blind == nil {
			a.blind = map[*plan.Plan]bool{}
		}
		a.blind[p] = blind
	}
	return blind
}

// repeat gives a test the cached answer of another test of its group. Witnesses must be executions
// of this test, so it is run when a caller asks for one.
func (r *Result) repeat(known *Result, m *cat.Model) {
	t := r.Test
	*r = *known
	r.Test = t
	if len(r.States) == 0 && known.hang == nil && known.race == nil {
		return
	}
	again := &again{test: t, model: m}
	r.States = slices.Clone(known.States)
	endings := make([]repeated, len(r.States))
	for i := range r.States {
		endings[i] = repeated{r.States[i].ending, again, i}
		r.States[i].ending = &endings[i]
	}
	if known.hang != nil {
		r.hang = func() *Witness { return again.run().hang() }
	}
	if known.race != nil {
		r.race = func() *Witness { return again.run().race() }
	}
}

// again runs a test without the cache, once, on demand.
type again struct {
	test  *Test
	model *cat.Model
	once  sync.Once
	says  *Result
}

func (a *again) run() *Result {
	a.once.Do(func() { a.says = a.test.alone(a.model) })
	return a.says
}

// alone returns the result of a model for the test without the cache and without limits. A similar
// test was answered, so this run cannot fail.
func (t *Test) alone(m *cat.Model) *Result {
	own := *t
	own.group, own.config.Timeout, own.config.MaxMemory, own.config.progress = nil, 0, 0, nil
	r, err := own.Run(context.Background(), m)
	if err != nil {
		panic(err)
	}
	return r
}

// repeated is an ending that another test of the group has found.
type repeated struct {
	ending
	again *again
	state int // the index of the state
}

func (e *repeated) witness() *Witness { return e.again.run().States[e.state].Witness() }
