package ask

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// sweep is how pairs of accesses are gone through.
type sweep struct {
	most         int         // pairs
	breadthFirst bool        // arrays with few accesses come first, and each two instructions in turn
	deferred     []*Question // that are asked when all others have been: what goes wrong elsewhere is often easier to see
}

// races asks about the pairs of accesses.
func (a *Asker) races() {
	byRegion := map[*symbolic.Region][]*symbolic.Access{}
	var regions []*symbolic.Region
	seen := map[string]bool{}
	for _, x := range a.trace.Accesses {
		if key := a.sameness(x); seen[key] {
			continue
		} else {
			seen[key] = true
		}
		if byRegion[x.Region] == nil {
			regions = append(regions, x.Region)
		}
		byRegion[x.Region] = append(byRegion[x.Region], x)
	}
	pairs := inOrder
	if a.sweep.breadthFirst {
		slices.SortStableFunc(regions, func(r, s *symbolic.Region) int { return len(byRegion[r]) - len(byRegion[s]) })
		pairs = byTurns
	}
	defer a.deferredRaces()
	for x, y := range pairs(regions, byRegion) {
		if x.Kind == symbolic.Load && y.Kind == symbolic.Load {
			continue
		}
		if a.found.Tally.Pairs++; a.found.Tally.Pairs > a.sweep.most {
			a.Open(&x.Point, "a smaller launch", "more than %d pairs of accesses", a.sweep.most)
			return
		}
		for _, by := range a.actors(x, y) {
			if a.Ended() {
				return
			}
			a.race(a.Pair(x, y, by))
		}
	}
}

// deferredRaces asks again about the pairs whose first try ran out of budget.
func (a *Asker) deferredRaces() {
	all := a.sweep.deferred
	a.sweep.deferred = nil
	for _, x := range all {
		if a.Ended() {
			return
		}
		a.Ask(x)
	}
}

// actors are the threads that may make the second of two accesses.
func (a *Asker) actors(first, other *symbolic.Access) []*Thread {
	all := a.Others(first.Region.Space != isa.Shared)
	for _, r := range a.rules {
		if casts, ok := r.(Casts); ok {
			all = append(all, casts.Actors(first, other)...)
		}
	}
	return all
}

// sameness is the same for accesses of one instruction, in several iterations of a loop, that ask the same: pointers may lead
// it to another array in each. The first of them has the fewest facts before it.
func (a *Asker) sameness(x *symbolic.Access) string {
	for _, r := range a.rules {
		if places, ok := r.(Places); ok && places.Placed(x) {
			return fmt.Sprintf("%p", x)
		}
	}
	key := fmt.Appendf(nil, "%p %p %d %d %d", x.Instr, x.Region, x.Offset.ID(), x.Guard.ID(), x.Arrived.ID())
	for _, e := range x.Epoch {
		key = fmt.Appendf(key, " %d", e.ID())
	}
	if a.config.SameValue {
		for _, v := range x.Values {
			key = fmt.Appendf(key, " %d", v.ID())
		}
	}
	return string(key)
}

// AlarmedAbout reports that there is an alarm about two instructions.
func (a *Asker) AlarmedAbout(first, other *kernel.Instr) bool {
	return a.memo.done[[2]*kernel.Instr{first, other}]
}

// race asks whether the threads of a pair race.
func (a *Asker) race(p Pair) {
	if a.AlarmedAbout(p.First.Instr, p.Other.Instr) {
		return
	}
	together, what := p.Together()
	together = a.prover.And(together, p.apart())
	meet := p.mayMeet()
	if !together.False() {
		a.lean(p)
	}
	if together.False() || meet.True() {
		a.found.Tally.Simple++
		return
	}
	x := &Question{
		Name: PairName("race", p.First, p.Other) + p.Thread.Suffix(), Kind: Race, What: what, Thread: p.Thread,
		First: &p.First.Point, Other: &p.Other.Point, Accesses: [2]*symbolic.Access{p.First, p.Other},
		More: []*term.Term{together, p.overlap(), a.prover.Not(meet)}, tries: tries{deferrable: true},
	}
	if a.config.SameValue && p.both(symbolic.Store) {
		x.Unless = p.differ
	}
	a.Ask(x)
}
