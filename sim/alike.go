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

// Alike is tests that went before, for those that say the same with threads or locations elsewhere: most generated tests do. Their program
// is read once, and a model that does not see the regions of locations is asked once about threads in the same places. Several goroutines
// may use it; a nil Alike keeps nothing.
type Alike struct {
	mu     sync.Mutex
	groups map[likeness]*group
	blind  map[*plan.Plan]bool // to regions
}

// mostAlike is how many groups are kept. Generated tests that are alike come one soon after the other.
const mostAlike = 1 << 4

// likeness is what tests of a group have in common.
type likeness struct {
	format        *litmus.Format
	before, after string // litmus.Test.Frame
	unroll        int
	writes        bool // frontend.Options.CASFailWrites
}

// group is tests that are alike.
type group struct {
	first *Test

	mu      sync.Mutex
	last    *Test // that has joined, or the first: the next one mostly has its threads in the same places
	answers map[asked]*Result
}

// asked is what decides an answer, besides the group.
type asked struct {
	model  *cat.Model
	want   Want
	places string // of threads: the scope tree
}

// asked returns what is asked of a test of the group.
func (t *Test) asked(m *cat.Model) asked {
	return asked{m, t.config.Want, t.ScopesAt.Text()}
}

// moving is a program that may be that of other tests of its group, too (ptx.Program.Moved).
type moving interface {
	Moves() bool
	Moved(*litmus.Test) frontend.Program
}

// read reads a test. Its program is that of the first of its group, or else it may be the first of one.
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

// joined is a test of a group that has begun; nil if it must be read to be known.
func (a *Alike) joined(t *litmus.Test, c Config) *Test {
	if of, ok := a.likeness(t, c); ok {
		if g := a.find(of); g != nil {
			return g.join(t, c)
		}
	}
	return nil
}

// likeness is that of a test; not ok if nothing is kept, or if its text does not tell.
func (a *Alike) likeness(t *litmus.Test, c Config) (of likeness, ok bool) {
	if a == nil {
		return of, false
	}
	before, after, ok := t.Frame()
	return likeness{t.Format, before, after, c.Reading.Unroll, c.Reading.CASFailWrites}, ok
}

// find finds a group; nil if there is none.
func (a *Alike) find(l likeness) *group {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.groups[l]
}

// begin begins a group with a test; nil if there are no others. Where there is no room, all other groups are forgotten.
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

// join is a test of the group; nil if it must be read to be known.
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

// answer returns the answer that a model has given to a test of the group before, or nil.
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

// usual reports that how a test is run is not decided by more than a question tells.
func (c *Config) usual() bool {
	return c.Engine == Fast && c.Limits.MaxCandidates == 0 && c.Limits.MaxLooks == 0
}

// keep keeps an answer that is complete, if it is that of all tests of the group.
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

// cannotSee reports that a model uses nothing that depends on the regions of locations.
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

// repeat gives a test the answer of another of its group. Witnesses are executions of its own: it is run when somebody asks
// for one.
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

// again is a test that is run on its own, once, when somebody asks.
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

// alone is what a model says of the test, whatever it has said of others. It has said it of one alike, so nothing stops it.
func (t *Test) alone(m *cat.Model) *Result {
	own := *t
	own.group, own.config.Timeout, own.config.MaxMemory, own.config.progress = nil, 0, 0, nil
	r, err := own.Run(context.Background(), m)
	if err != nil {
		panic(err)
	}
	return r
}

// repeated is an ending of another test of the group.
type repeated struct {
	ending
	again *again
	state int // its number
}

func (e *repeated) witness() *Witness { return e.again.run().States[e.state].Witness() }
