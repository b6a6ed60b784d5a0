package fast

import (
	"math/bits"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
)

// Parts of a structure are what is left of it when its first reads have chosen what they read from.
// They come in the order in which the whole would be explored.

// Whole is all parts of a structure.
const Whole = -1

// enoughParts is how many parts are enough to keep all cores busy.
const enoughParts = 64

// Parts returns how many parts a structure has. To find them takes a few steps of the budget.
func (e *Engine) Parts(b *engine.Budget, s *event.Structure) int {
	e.budget, e.ended = b, b.Exhausted()
	e.load(s)
	if !e.program() || len(e.order) == 0 {
		return 1
	}
	if !e.placed {
		e.rearrange(0)
	}
	parts := 1
	for i := range e.splits() {
		parts *= bits.OnesCount64(e.sources[e.order[i]])
	}
	return parts
}

// splits is by the choices of how many reads a structure is divided: of more than one only if it is
// known which comes next.
func (e *Engine) splits() int {
	parts := 1
	for i, r := range e.order {
		if i > 0 && (!e.placed || parts >= enoughParts) {
			return i
		}
		parts *= bits.OnesCount64(e.sources[r])
	}
	return len(e.order)
}

// partOf is the writes that the i-th read is to read from: one of its choices, if a part is
// explored and the read divides it.
func (e *Engine) partOf(i int) uint64 {
	all := e.sources[e.order[i]]
	if e.part == Whole || i >= e.splits() {
		return all
	}
	left := e.part
	for j := e.splits() - 1; j > i; j-- {
		left /= bits.OnesCount64(e.sources[e.order[j]])
	}
	for range left % bits.OnesCount64(all) {
		all &= all - 1
	}
	return all & -all
}
