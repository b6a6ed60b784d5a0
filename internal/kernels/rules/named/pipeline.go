package named

import (
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Warps may come to barriers of some of the threads of their block in loops whose rounds are not known: producers in one loop, those who consume in
// another, each in rounds of its own. It is shown of such loops that all their threads go round equally often, and found out to which barriers a warp
// comes in a round: the same in all but the first few rounds and the last one, or in each second round, and so on. Then it is enough to walk
// few rounds (rounds.go).

// line is what a warp comes to, one after the other.
type line struct {
	loop          *symbolic.Pipeline // nil if it comes to no barrier in any
	before, after []arrived
	rounds        [][][]arrived // of so many rounds before the last, and in each of these of each kind, as the rhythm has it
}

// rhythm is how rounds differ: the first few are of their own kinds, and then as many kinds as there are in a period take turns. The last few, at least one,
// are again others.
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

// inLoops finds out to which barriers the warps come in loops.
func (a *arrivals) inLoops() bool {
	if len(a.loops()) == 0 {
		return true
	}
	if !a.enter() || !a.alike() {
		return false
	}
	a.limit = a.asker.Conflicts() + rhythmBudget
	for period := 1; period <= maxPeriod && !a.asker.Config.Stop(); period++ {
		if a.rhythm = (rhythm{maxFirst, period, maxLast}); a.steadily() && a.inside(period) {
			return true
		}
	}
	a.unknown(a.trace.Arrivals[a.loops()[0].First], "a loop whose rounds take turns in a way that is seen",
		"to which barriers a warp comes in each round of a loop whose rounds are not known is not found")
	return false
}

// steadily reports that it is known to which barriers warps come in rounds that are neither among the first nor among the last.
func (a *arrivals) steadily() bool {
	a.clear()
	for _, loop := range a.loops() {
		if !a.inRounds(loop, a.rhythm.first, a.rhythm.last) {
			return false
		}
	}
	return true
}

// inside finds out to which barriers the warps come in rounds of each kind; false if rounds differ otherwise than in turns of so many.
func (a *arrivals) inside(period int) bool {
	for first := range maxFirst + 1 {
		for last := 1; last <= maxLast; last++ {
			if a.rhythm = (rhythm{first, period, last}); a.inAll() {
				return true
			}
		}
	}
	return false
}

// outside finds out to which barriers the warps come outside of the loops, and which is the loop of each.
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

// enter reports that a loop is entered by all threads of a warp that may come to barriers in it, if at all, and that all loops are entered, or none.
func (a *arrivals) enter() bool {
	for _, l := range a.loops() {
		for _, m := range a.loops() {
			if !a.impossible(&ask.Question{First: &l.Point, Thread: a.other, Other: &m.Point, Missing: true, More: a.theirs(l, m)}) {
				a.unknown(a.trace.Arrivals[m.First], "", "whether all threads that come to barriers of some of them in loops enter these is not known")
				return false
			}
		}
	}
	first := a.loops()[0]
	never := first.Point
	never.Guard = a.b.Not(first.Guard)
	a.none = !a.impossible(&ask.Question{First: &never, More: []*term.Term{a.in(a.of(first), a.warp())}})
	return true
}

// loops are those in which warps come to barriers.
func (a *arrivals) loops() (all []*symbolic.Pipeline) {
	for _, l := range a.lines {
		if l.loop != nil && !slices.Contains(all, l.loop) {
			all = append(all, l.loop)
		}
	}
	return all
}

// of are the warps of a loop, as a set.
func (a *arrivals) of(loop *symbolic.Pipeline) (set uint32) {
	for w, l := range a.lines {
		if l.loop == loop {
			set |= 1 << w
		}
	}
	return set
}

// theirs is that two threads are of the warps of two loops.
func (a *arrivals) theirs(l, m *symbolic.Pipeline) []*term.Term {
	return []*term.Term{a.in(a.of(l), a.warp()), a.other.Term(a.in(a.of(m), a.warp()))}
}

// impossible reports that what a question asks for cannot be.
func (a *arrivals) impossible(x *ask.Question) bool {
	x.Name, x.Kind = "pipeline", ask.Divergence
	_, result := a.asker.Possible(x, ask.GuessBudget)
	return result == sat.Unsat
}

// alike reports that all threads go round their loops equally often: of any two in the same round, both begin another one, or none.
func (a *arrivals) alike() bool {
	for _, l := range a.loops() {
		for _, m := range a.loops() {
			more := append(a.theirs(l, m), a.b.Eq(l.Round, a.other.Term(m.Round)), a.b.Ne(l.Again, a.other.Term(m.Again)))
			if !a.impossible(&ask.Question{First: &l.Point, Thread: a.other, Other: &m.Point, More: more}) {
				a.unknown(a.trace.Arrivals[m.First], "loops of one number of rounds, which no thread reads from what others write",
					"whether all threads that come to barriers of some of them in loops go round these equally often is not known")
				return false
			}
		}
	}
	return true
}

// clear forgets what was found out about rounds.
func (a *arrivals) clear() {
	for w := range a.lines {
		a.lines[w].rounds = make([][][]arrived, a.rhythm.last+1)
	}
}

// inAll finds out to which barriers the warps come in rounds of each kind; false if rounds differ otherwise than the rhythm says.
func (a *arrivals) inAll() bool {
	a.clear()
	for _, loop := range a.loops() {
		for until := a.rhythm.last; until >= 0; until-- {
			for kind := range a.rhythm.first + a.rhythm.period {
				if !a.inRounds(loop, kind, until) {
					return false
				}
			}
		}
	}
	return !slices.ContainsFunc(a.lines, func(l line) bool { // what is seen of a warp that comes to none would not go on with the rounds
		return l.loop != nil && len(slices.Concat(l.rounds[a.rhythm.last][a.rhythm.first:]...)) == 0
	})
}

// inRounds finds out to which barriers the warps of a loop come in a round: all alike, or each.
func (a *arrivals) inRounds(loop *symbolic.Pipeline, kind, until int) bool {
	if a.asker.Conflicts() > a.limit {
		return false
	}
	sets := []uint32{a.of(loop)}
	if _, ok := a.inRound(loop, sets[0], kind, until); !ok {
		sets = nil
		for w := range a.lines {
			if a.lines[w].loop == loop {
				sets = append(sets, 1<<w)
			}
		}
	}
	for _, set := range sets {
		list, ok := a.inRound(loop, set, kind, until)
		if !ok {
			return false
		}
		for w := range a.lines {
			if set>>w&1 == 1 {
				a.lines[w].rounds[until] = append(a.lines[w].rounds[until], list)
			}
		}
	}
	return true
}

// inRound is to which barriers warps of a set come in a round, all alike.
func (a *arrivals) inRound(loop *symbolic.Pipeline, set uint32, kind, until int) (list []arrived, ok bool) {
	followed, ok := a.followed(loop, until)
	if !ok {
		return nil, false
	}
	round := append(a.isOf(loop, kind), a.in(set, a.warp()), followed)
	about := func(more ...*term.Term) *ask.Question {
		return &ask.Question{Name: "pipeline", Kind: ask.Divergence, First: &loop.Point, More: append(round[:len(round):len(round)], more...)}
	}
	for _, at := range a.trace.Arrivals[loop.First:loop.End] {
		model, result := a.asker.Possible(about(at.Guard), ask.GuessBudget)
		if result == sat.Unsat {
			continue
		}
		if result != sat.Sat || term.Mentions(at.Epoch, func(v *term.Term) bool { return a.asker.Vars().Private(v) }) || !a.impossible(about(a.b.Not(at.Guard))) {
			return nil, false
		}
		number, count := model.Eval(at.Number), model.Eval(at.Count)
		differ := a.b.Or(a.b.Ne(at.Number, a.b.Const(number, at.Number.Width())), a.b.Ne(at.Count, a.b.Const(count, at.Count.Width())))
		if count == 0 || !differ.False() && !a.impossible(about(at.Guard, differ)) {
			return nil, false
		}
		list = append(list, arrived{at, barrierID{number, at.Epoch}, count})
	}
	return list, true
}

// followed is that so many rounds follow, or at least so many if the last rounds are fewer. Which follow is known if it depends on the number of the round alone,
// and on what all threads know before the loop.
func (a *arrivals) followed(loop *symbolic.Pipeline, rounds int) (_ *term.Term, known bool) {
	number := loop.Round.Args()[0]
	all := a.b.Bool(true)
	for i := range min(rounds+1, a.rhythm.last) {
		again := loop.Again
		if i > 0 {
			if term.Mentions(again, func(v *term.Term) bool {
				return v != number && (a.asker.Vars().Havoc(v) || a.asker.Vars().Private(v) && !a.placed[v])
			}) {
				return nil, false
			}
			later := a.b.Add(number, a.b.Const(uint64(i), number.Width()))
			again = a.b.Rename(func(v *term.Term) *term.Term {
				if v == number {
					return later
				}
				return v
			}).Term(again)
		}
		if i == rounds {
			again = a.b.Not(again)
		}
		all = a.b.And(all, again)
	}
	return all, true
}

// isOf is that a round is of a kind.
func (a *arrivals) isOf(loop *symbolic.Pipeline, kind int) []*term.Term {
	if kind < a.rhythm.first {
		return []*term.Term{a.b.Eq(loop.Round, a.b.Const(uint64(kind), 64))}
	}
	return []*term.Term{a.b.ULe(a.b.Const(uint64(a.rhythm.first), 64), loop.Round), a.turn(loop.Round, a.rhythm.period, kind)}
}

// turn is that a round is some periods before or after another.
func (a *arrivals) turn(round *term.Term, period, of int) *term.Term {
	switch period {
	case 1:
		return a.b.Bool(true)
	case 2, 4:
		return a.b.Eq(a.b.And(round, a.b.Const(uint64(period-1), 64)), a.b.Const(uint64(of%period), 64))
	}
	return a.b.Eq(a.b.URem(round, a.b.Const(uint64(period), 64)), a.b.Const(uint64(of%period), 64))
}

// all is whatever a warp comes to, each barrier of a round of each kind.
func (l *line) all() []arrived {
	all := append(slices.Clone(l.before), l.after...)
	for _, rounds := range l.rounds {
		all = append(all, slices.Concat(rounds...)...)
	}
	return all
}
