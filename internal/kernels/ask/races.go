package ask

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

// sweep goes through pairs of accesses.
type sweep struct {
	a            *Asker
	most         int         // pairs
	breadthFirst bool        // arrays with few accesses come first, and each two instructions in turn
	deferred     []*Question // see deferredRaces
}

// races asks about the pairs of accesses.
func (s *sweep) races() {
	byRegion := map[*trace.Region][]*trace.Access{}
	var regions []*trace.Region
	seen := map[string]bool{}
	for _, x := range s.a.trace.Accesses {
		if key := s.sameness(x); seen[key] {
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
	if s.breadthFirst {
		slices.SortStableFunc(regions, func(x, y *trace.Region) int { return len(byRegion[x]) - len(byRegion[y]) })
		pairs = byTurns
	}
	defer s.deferredRaces()
	for x, y := range pairs(regions, byRegion) {
		if x.Kind == trace.Load && y.Kind == trace.Load {
			continue
		}
		if s.a.found.Tally.Pairs++; s.a.found.Tally.Pairs > s.most {
			s.a.Open(&x.Point, "a smaller launch", "more than %d pairs of accesses", s.most)
			return
		}
		for _, by := range s.actors(x, y) {
			if s.a.Ended() {
				return
			}
			s.race(s.a.Pair(x, y, by))
		}
	}
}

// deferredRaces retries the pairs whose first question ran out of budget. They come last because an
// easier pair often shows the same race.
func (s *sweep) deferredRaces() {
	all := s.deferred
	s.deferred = nil
	for _, x := range all {
		if s.a.Ended() {
			return
		}
		s.a.Ask(x)
	}
}

// actors returns the threads that may make the second of two accesses.
func (s *sweep) actors(first, other *trace.Access) []*Thread {
	all := s.a.Others(first.Region.Space != isa.Shared)
	for _, r := range s.a.rules.casts {
		all = append(all, r.Actors(first, other)...)
	}
	return all
}

// sameness returns a key of accesses of one instruction that ask the same, in several iterations of
// an unrolled loop. It contains the array, since pointers may lead to different arrays. The first
// of the accesses has the fewest facts before it.
func (s *sweep) sameness(x *trace.Access) string {
	for _, r := range s.a.rules.places {
		if r.Placed(x) {
			return fmt.Sprintf("%p", x)
		}
	}
	key := fmt.Appendf(nil, "%p %p %d %d %d", x.Instr, x.Region, x.Offset.ID(), x.Guard.ID(), x.Arrived.ID())
	for _, e := range x.Epoch {
		key = fmt.Appendf(key, " %d", e.ID())
	}
	if s.a.Config.SameValue {
		for _, v := range x.Values {
			key = fmt.Appendf(key, " %d", v.ID())
		}
	}
	return string(key)
}

// race asks whether the threads of a pair race.
func (s *sweep) race(p Pair) {
	if s.a.AlarmedAbout(p.First.Instr, p.Other.Instr) {
		return
	}
	together, what := p.Together()
	together = s.a.prover.And(together, p.apart())
	meet := p.mayMeet()
	if !together.False() {
		s.a.stands.lean(p)
	}
	if together.False() || meet.True() {
		s.a.found.Tally.Simple++
		return
	}
	x := &Question{
		Name: PairName("race", p.First, p.Other) + p.Thread.Suffix(), Kind: Race, What: what, Thread: p.Thread,
		First: &p.First.Point, Other: &p.Other.Point, Accesses: [2]*trace.Access{p.First, p.Other},
		More: []*term.Term{together, p.overlap(), s.a.prover.Not(meet)}, tries: tries{deferrable: true},
	}
	if s.a.Config.SameValue && p.both(trace.Store) {
		x.Unless = p.differ
	}
	s.a.Ask(x)
}
