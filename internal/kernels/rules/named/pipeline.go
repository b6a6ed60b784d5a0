package named

import (
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Warps may come to barriers of some of the threads of their block in loops whose rounds are not
// known: producers in one loop, those who consume in another, each in rounds of its own. It is
// shown of such loops that all their threads go round equally often, and found out to which
// barriers a warp comes in a round: the same in all but the first few rounds and the last one, or
// in each second round, and so on. Then it is enough to walk few rounds (rounds.go).

// line is what a warp comes to, one after the other.
type line struct {
	loop          *symbolic.Pipeline // nil if it comes to no barrier in any
	before, after []arrived
	rounds        [][][]arrived // of so many rounds before the last, and in each of these of each kind, as the rhythm has it
}

// rhythm is how rounds differ: the first few are of their own kinds, and then as many kinds as
// there are in a period take turns. The last few, at least one, are again others.
type rhythm struct{ first, period, last int }

// kind is of which kind a round is.
func (h rhythm) kind(round int) int {
	if round < h.first {
		return round
	}
	return h.first + (round-h.first)%h.period
}

// until is how many rounds there are until the last, of those that differ.
func (h rhythm) until(round, rounds int) int { return min(rounds-1-round, h.last) }

// The bounds of rhythms.
const (
	maxFirst  = 4
	maxPeriod = 4
	maxLast   = 5

	rhythmBudget = 5_000 // conflicts of the solver until one is found
)

// pipelines are the loops in which warps come to barriers of some threads.
type pipelines struct {
	on     *arrivals
	b      *term.Builder
	rhythm rhythm
	limit  int  // of the conflicts of the solver, until a rhythm is found
	none   bool // it may be that the loops have no round
}

// find finds out to which barriers the warps come in loops.
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

// steadily reports that it is known to which barriers warps come in rounds that are neither among
// the first nor among the last.
func (p *pipelines) steadily() bool {
	p.clear()
	for _, loop := range p.all() {
		if !p.inRounds(loop, p.rhythm.first, p.rhythm.last) {
			return false
		}
	}
	return true
}

// inside finds out to which barriers the warps come in rounds of each kind; false if rounds differ
// otherwise than in turns of so many.
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

// outside finds out to which barriers the warps come outside of the loops, and which is the loop of
// each.
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

// around is the loop that an arrival is in; nil if it is in none.
func (a *arrivals) around(arrival int) *symbolic.Pipeline {
	for _, l := range a.trace.Pipelines {
		if l.First <= arrival && arrival < l.End {
			return l
		}
	}
	return nil
}

// visits reports that a warp comes to a barrier: in some round, if it is in a loop.
func (a *arrivals) visits(at *symbolic.Arrival, loop *symbolic.Pipeline, w int) (comes, ok bool) {
	if loop == nil {
		return a.comes(at, w)
	}
	return slices.ContainsFunc(a.lanes(w), func(lane *term.Renaming) bool { return !lane.Term(at.Guard).False() }), true
}

// enter reports that a loop is entered by all threads of a warp that may come to barriers in it, if
// at all, and that all loops are entered, or none.
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

// all are the loops in which warps come to barriers.
func (p *pipelines) all() (all []*symbolic.Pipeline) {
	for _, l := range p.on.lines {
		if l.loop != nil && !slices.Contains(all, l.loop) {
			all = append(all, l.loop)
		}
	}
	return all
}

// of are the warps of a loop, as a set.
func (p *pipelines) of(loop *symbolic.Pipeline) (set uint32) {
	for w, l := range p.on.lines {
		if l.loop == loop {
			set |= 1 << w
		}
	}
	return set
}

// theirs is that two threads are of the warps of two loops.
func (p *pipelines) theirs(l, m *symbolic.Pipeline) []*term.Term {
	return []*term.Term{p.on.in(p.of(l), p.on.warp()), p.on.other.Term(p.on.in(p.of(m), p.on.warp()))}
}

// impossible reports that what a question asks for cannot be.
func (p *pipelines) impossible(x *ask.Question) bool {
	x.Name, x.Kind = "pipeline", ask.Divergence
	_, result := p.on.asker.Possible(x, ask.GuessBudget)
	return result == sat.Unsat
}

// alike reports that all threads go round their loops equally often: of any two in the same round,
// both begin another one, or none.
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

// clear forgets what was found out about rounds.
func (p *pipelines) clear() {
	for w := range p.on.lines {
		p.on.lines[w].rounds = make([][][]arrived, p.rhythm.last+1)
	}
}

// inAll finds out to which barriers the warps come in rounds of each kind; false if rounds differ
// otherwise than the rhythm says.
func (p *pipelines) inAll() bool {
	p.clear()
	for _, loop := range p.all() {
		for until := p.rhythm.last; until >= 0; until-- {
			for kind := range p.rhythm.first + p.rhythm.period {
				if !p.inRounds(loop, kind, until) {
					return false
				}
			}
		}
	}
	return !slices.ContainsFunc(p.on.lines, func(l line) bool { // what is seen of a warp that comes to none would not go on with the rounds
		return l.loop != nil && len(slices.Concat(l.rounds[p.rhythm.last][p.rhythm.first:]...)) == 0
	})
}

// inRounds finds out to which barriers the warps of a loop come in a round: all alike, or each.
func (p *pipelines) inRounds(loop *symbolic.Pipeline, kind, until int) bool {
	if p.on.asker.Conflicts() > p.limit {
		return false
	}
	sets := []uint32{p.of(loop)}
	if _, ok := p.inRound(loop, sets[0], kind, until); !ok {
		sets = nil
		for w := range p.on.lines {
			if p.on.lines[w].loop == loop {
				sets = append(sets, 1<<w)
			}
		}
	}
	for _, set := range sets {
		list, ok := p.inRound(loop, set, kind, until)
		if !ok {
			return false
		}
		for w := range p.on.lines {
			if set>>w&1 == 1 {
				p.on.lines[w].rounds[until] = append(p.on.lines[w].rounds[until], list)
			}
		}
	}
	return true
}

// inRound is to which barriers warps of a set come in a round, all alike.
func (p *pipelines) inRound(loop *symbolic.Pipeline, set uint32, kind, until int) (list []arrived, ok bool) {
	followed, ok := p.followed(loop, until)
	if !ok {
		return nil, false
	}
	round := append(p.isOf(loop, kind), p.on.in(set, p.on.warp()), followed)
	about := func(more ...*term.Term) *ask.Question {
		return &ask.Question{Name: "pipeline", Kind: ask.Divergence, First: &loop.Point, More: append(round[:len(round):len(round)], more...)}
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

// followed is that so many rounds follow, or at least so many if the last rounds are fewer. Which
// follow is known if it depends on the number of the round alone, and on what all threads know
// before the loop.
func (p *pipelines) followed(loop *symbolic.Pipeline, rounds int) (_ *term.Term, known bool) {
	number := loop.Round.Args()[0]
	all := p.b.Bool(true)
	for i := range min(rounds+1, p.rhythm.last) {
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
		if i == rounds {
			again = p.b.Not(again)
		}
		all = p.b.And(all, again)
	}
	return all, true
}

// isOf is that a round is of a kind.
func (p *pipelines) isOf(loop *symbolic.Pipeline, kind int) []*term.Term {
	if kind < p.rhythm.first {
		return []*term.Term{p.b.Eq(loop.Round, p.b.Const(uint64(kind), 64))}
	}
	return []*term.Term{p.b.ULe(p.b.Const(uint64(p.rhythm.first), 64), loop.Round), p.turn(loop.Round, p.rhythm.period, kind)}
}

// turn is that a round is some periods before or after another.
func (p *pipelines) turn(round *term.Term, period, of int) *term.Term {
	switch period {
	case 1:
		return p.b.Bool(true)
	case 2, 4:
		return p.b.Eq(p.b.And(round, p.b.Const(uint64(period-1), 64)), p.b.Const(uint64(of%period), 64))
	}
	return p.b.Eq(p.b.URem(round, p.b.Const(uint64(period), 64)), p.b.Const(uint64(of%period), 64))
}

// all is whatever a warp comes to, each barrier of a round of each kind.
func (l *line) all() []arrived {
	all := append(slices.Clone(l.before), l.after...)
	for _, rounds := range l.rounds {
		all = append(all, slices.Concat(rounds...)...)
	}
	return all
}
