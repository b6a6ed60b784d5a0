package named

import (
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Warps may reach such barriers in loops whose number of iterations is not known: producers in
// one loop, consumers in another, each in iterations of its own. Two things are proved: all threads
// of these loops execute equally many iterations, and a warp reaches the same barriers in each
// iteration but the first few and the last few, or in every second iteration, and so on. Then few
// iterations need to be walked (course.go).

// line is the sequence of barriers to which a warp comes.
type line struct {
	loop          *trace.Pipeline // in which it comes to barriers, or nil
	before, after []arrived
	iterations    [][][]arrived // by how many follow (rhythm.until), then by kind
}

// rhythm is which iterations of a loop are alike. The first iterations, and the last, are each of a
// kind of their own; those between repeat with a period.
type rhythm struct{ first, period, last int }

// kind returns the kind of an iteration: below first, its number; from there on, its place in the
// period.
func (h rhythm) kind(iteration int) int {
	if iteration < h.first {
		return iteration
	}
	return h.first + (iteration-h.first)%h.period
}

// until returns how many iterations follow an iteration, as far as that makes a difference.
func (h rhythm) until(iteration, iterations int) int { return min(iterations-1-iteration, h.last) }

// The bounds of rhythms.
const (
	maxFirst  = 4
	maxPeriod = 4
	maxLast   = 5

	rhythmBudget = 5_000 // conflicts of the solver until one is found
)

// pipelines are the loops in which warps reach such barriers.
type pipelines struct {
	on     *arrivals
	b      *term.Builder
	rhythm rhythm
	limit  int  // of the conflicts of the solver, until a rhythm is found
	none   bool // the loops may have no iteration
}

// find finds the barriers to which warps come in loops. It reports whether it has found them.
func (p *pipelines) find() bool {
	if len(p.all()) == 0 {
		return true
	}
	if !p.enter() || !p.alike() {
		return false
	}
	p.limit = p.on.asker.Conflicts() + rhythmBudget
	for period := 1; period <= maxPeriod && !p.on.asker.Config.Stop(); period++ {
		if p.rhythm = (rhythm{maxFirst, period, maxLast}); p.steadily() && p.inside(period) {
			return true
		}
	}
	p.on.unknown(p.on.trace.Arrivals[p.all()[0].First], "a loop whose rounds take turns in a way that is seen",
		"to which barriers a warp comes in each round of a loop whose rounds are not known is not found")
	return false
}

// steadily reports whether the barriers of a middle iteration, neither among the first nor among
// the last, are known.
func (p *pipelines) steadily() bool {
	p.clear()
	for _, loop := range p.all() {
		if !p.inIterations(loop, p.rhythm.first, p.rhythm.last) {
			return false
		}
	}
	return true
}

// inside finds a rhythm with a period. It reports whether there is one.
func (p *pipelines) inside(period int) bool {
	for first := range maxFirst + 1 {
		for last := 1; last <= maxLast; last++ {
			if p.rhythm = (rhythm{first, period, last}); p.inAll() {
				return true
			}
		}
	}
	return false
}

// outside finds the barriers to which warps come outside of loops, and the loop of each warp.
func (a *arrivals) outside() bool {
	a.lines = make([]line, a.warps())
	for i, at := range a.trace.Arrivals {
		loop := a.around(i)
		for w := range a.warps() {
			l := &a.lines[w]
			switch comes, ok := a.visits(at, loop, w); {
			case !ok:
				return false
			case !comes:
			case loop == nil:
				x, ok := a.arrives(at, w)
				if !ok {
					return false
				}
				if l.loop == nil {
					l.before = append(l.before, x)
				} else {
					l.after = append(l.after, x)
				}
			case l.loop != nil && l.loop != loop:
				a.unknown(at, "", "a warp comes to barriers of some threads of the block in two loops whose rounds are not known")
				return false
			default:
				l.loop = loop
			}
		}
	}
	return true
}

// around returns the loop that contains an arrival, or nil.
func (a *arrivals) around(arrival int) *trace.Pipeline {
	for _, l := range a.trace.Pipelines {
		if l.First <= arrival && arrival < l.End {
			return l
		}
	}
	return nil
}

// visits reports whether a warp reaches a barrier, in some iteration if the barrier is in a loop.
func (a *arrivals) visits(at *trace.Arrival, loop *trace.Pipeline, w int) (comes, ok bool) {
	if loop == nil {
		return a.comes(at, w)
	}
	return slices.ContainsFunc(a.lanes(w), func(lane *term.Renaming) bool { return !lane.Term(at.Guard).False() }), true
}

// enter reports whether all threads that may reach barriers in loops enter these, or none does.
func (p *pipelines) enter() bool {
	for _, l := range p.all() {
		for _, m := range p.all() {
			if !p.impossible(&ask.Question{First: &l.Point, Thread: p.on.other, Other: &m.Point, Missing: true, More: p.theirs(l, m)}) {
				p.on.unknown(p.on.trace.Arrivals[m.First], "", "whether all threads that come to barriers of some of them in loops enter these is not known")
				return false
			}
		}
	}
	first := p.all()[0]
	never := first.Point
	never.Guard = p.b.Not(first.Guard)
	p.none = !p.impossible(&ask.Question{First: &never, More: []*term.Term{p.on.in(p.of(first), p.on.warp())}})
	return true
}

// all returns the loops in which warps reach barriers.
func (p *pipelines) all() (all []*trace.Pipeline) {
	for _, l := range p.on.lines {
		if l.loop != nil && !slices.Contains(all, l.loop) {
			all = append(all, l.loop)
		}
	}
	return all
}

// of returns the set of the warps of a loop.
func (p *pipelines) of(loop *trace.Pipeline) (set uint32) {
	for w, l := range p.on.lines {
		if l.loop == loop {
			set |= 1 << w
		}
	}
	return set
}

// theirs returns the condition that the two threads are in warps of two loops.
func (p *pipelines) theirs(l, m *trace.Pipeline) []*term.Term {
	return []*term.Term{p.on.in(p.of(l), p.on.warp()), p.on.other.Term(p.on.in(p.of(m), p.on.warp()))}
}

// impossible reports whether a question is known to have no model.
func (p *pipelines) impossible(x *ask.Question) bool {
	x.Name, x.Kind = "pipeline", ask.Divergence
	_, result := p.on.asker.Possible(x, ask.GuessBudget)
	return result == sat.Unsat
}

// alike reports whether all threads execute equally many iterations: of any two in the same
// iteration, both begin another one, or neither.
func (p *pipelines) alike() bool {
	for _, l := range p.all() {
		for _, m := range p.all() {
			more := append(p.theirs(l, m), p.b.Eq(l.Round, p.on.other.Term(m.Round)), p.b.Ne(l.Again, p.on.other.Term(m.Again)))
			if !p.impossible(&ask.Question{First: &l.Point, Thread: p.on.other, Other: &m.Point, More: more}) {
				p.on.unknown(p.on.trace.Arrivals[m.First], "loops of one number of rounds, which no thread reads from what others write",
					"whether all threads that come to barriers of some of them in loops go round these equally often is not known")
				return false
			}
		}
	}
	return true
}

// clear forgets the barriers of iterations.
func (p *pipelines) clear() {
	for w := range p.on.lines {
		p.on.lines[w].iterations = make([][][]arrived, p.rhythm.last+1)
	}
}

// inAll finds the barriers of each kind of iteration. It reports whether iterations of a kind are
// alike.
func (p *pipelines) inAll() bool {
	p.clear()
	for _, loop := range p.all() {
		for until := p.rhythm.last; until >= 0; until-- {
			for kind := range p.rhythm.first + p.rhythm.period {
				if !p.inIterations(loop, kind, until) {
					return false
				}
			}
		}
	}
	return !slices.ContainsFunc(p.on.lines, func(l line) bool { // what others see of a warp without barriers would not grow with the iterations
		return l.loop != nil && len(slices.Concat(l.iterations[p.rhythm.last][p.rhythm.first:]...)) == 0
	})
}

// inIterations finds the barriers to which warps of a loop come in an iteration of a kind that
// others follow: for all warps at once, else for each.
func (p *pipelines) inIterations(loop *trace.Pipeline, kind, until int) bool {
	if p.on.asker.Conflicts() > p.limit {
		return false
	}
	sets := []uint32{p.of(loop)}
	if _, ok := p.inIteration(loop, sets[0], kind, until); !ok {
		sets = nil
		for w := range p.on.lines {
			if p.on.lines[w].loop == loop {
				sets = append(sets, 1<<w)
			}
		}
	}
	for _, set := range sets {
		list, ok := p.inIteration(loop, set, kind, until)
		if !ok {
			return false
		}
		for w := range p.on.lines {
			if set>>w&1 == 1 {
				p.on.lines[w].iterations[until] = append(p.on.lines[w].iterations[until], list)
			}
		}
	}
	return true
}

// inIteration returns the barriers to which a set of warps comes in an iteration, if all lanes come
// to the same.
func (p *pipelines) inIteration(loop *trace.Pipeline, set uint32, kind, until int) (list []arrived, ok bool) {
	followed, ok := p.followed(loop, until)
	if !ok {
		return nil, false
	}
	iteration := append(p.isOf(loop, kind), p.on.in(set, p.on.warp()), followed)
	about := func(more ...*term.Term) *ask.Question {
		return &ask.Question{Name: "pipeline", Kind: ask.Divergence, First: &loop.Point, More: append(iteration[:len(iteration):len(iteration)], more...)}
	}
	for _, at := range p.on.trace.Arrivals[loop.First:loop.End] {
		model, result := p.on.asker.Possible(about(at.Guard), ask.GuessBudget)
		if result == sat.Unsat {
			continue
		}
		if result != sat.Sat || term.Mentions(at.Epoch, func(v *term.Term) bool { return p.on.asker.Vars().Private(v) }) || !p.impossible(about(p.b.Not(at.Guard))) {
			return nil, false
		}
		number, count := model.Eval(at.Number), model.Eval(at.Count)
		differ := p.b.Or(p.b.Ne(at.Number, p.b.Const(number, at.Number.Width())), p.b.Ne(at.Count, p.b.Const(count, at.Count.Width())))
		if count == 0 || !differ.False() && !p.impossible(about(at.Guard, differ)) {
			return nil, false
		}
		list = append(list, arrived{at, barrierID{number, at.Epoch}, count})
	}
	return list, true
}

// followed returns the condition that a number of iterations follow, or, if that is the most that
// is told apart, at least as many. It is known if it depends only on the number of the iteration,
// and on what all threads know before the loop.
func (p *pipelines) followed(loop *trace.Pipeline, iterations int) (_ *term.Term, known bool) {
	number := loop.Round.Args()[0]
	all := p.b.Bool(true)
	for i := range min(iterations+1, p.rhythm.last) {
		again := loop.Again
		if i > 0 {
			if term.Mentions(again, func(v *term.Term) bool {
				return v != number && (p.on.asker.Vars().Havoc(v) || p.on.asker.Vars().Private(v) && !p.on.placed[v])
			}) {
				return nil, false
			}
			later := p.b.Add(number, p.b.Const(uint64(i), number.Width()))
			again = p.b.Rename(func(v *term.Term) *term.Term {
				if v == number {
					return later
				}
				return v
			}).Term(again)
		}
		if i == iterations {
			again = p.b.Not(again)
		}
		all = p.b.And(all, again)
	}
	return all, true
}

// isOf returns the condition that an iteration is of a kind.
func (p *pipelines) isOf(loop *trace.Pipeline, kind int) []*term.Term {
	if kind < p.rhythm.first {
		return []*term.Term{p.b.Eq(loop.Round, p.b.Const(uint64(kind), 64))}
	}
	return []*term.Term{p.b.ULe(p.b.Const(uint64(p.rhythm.first), 64), loop.Round), p.turn(loop.Round, p.rhythm.period, kind)}
}

// turn returns the condition that an iteration has a place in the period.
func (p *pipelines) turn(iteration *term.Term, period, of int) *term.Term {
	switch period {
	case 1:
		return p.b.Bool(true)
	case 2, 4:
		return p.b.Eq(p.b.And(iteration, p.b.Const(uint64(period-1), 64)), p.b.Const(uint64(of%period), 64))
	}
	return p.b.Eq(p.b.URem(iteration, p.b.Const(uint64(period), 64)), p.b.Const(uint64(of%period), 64))
}

// all returns the barriers to which a warp comes, those of an iteration once for each kind.
func (l *line) all() []arrived {
	all := append(slices.Clone(l.before), l.after...)
	for _, iterations := range l.iterations {
		all = append(all, slices.Concat(iterations...)...)
	}
	return all
}
