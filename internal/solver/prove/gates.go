package prove

import "github.com/muster-gpu/muster/internal/solver/sat"

// gates is a hash table of gates by their inputs, with open addressing. Unlike a map, it is emptied
// in constant time; most questions are small, but clearing a map takes as long as its largest
// contents did.
type gates struct {
	slots []slot
	used  int
	round uint32 // slots of other rounds are free
}

// slot is a gate and its output.
type slot struct {
	gate
	out   sat.Lit
	round uint32
}

func (g *gates) reset() {
	g.used = 0
	if g.round++; g.round == 0 || g.slots == nil { // the round counter has wrapped
		g.slots, g.round = make([]slot, 1<<10), 1
	}
}

// out returns the output of a gate and whether the gate existed. A new gate gets its output from
// fresh.
func (g *gates) out(of gate, fresh func() sat.Lit) (l sat.Lit, known bool) {
	s := g.find(of)
	if s.round == g.round {
		return s.out, true
	}
	*s = slot{of, fresh(), g.round}
	if l = s.out; 2*g.used >= len(g.slots) {
		g.grow()
	}
	g.used++
	return l, false
}

// find returns the slot of a gate, or a free one for it.
func (g *gates) find(of gate) *slot {
	h := (uint64(of.a)<<32 | uint64(of.b)<<1) * 0x9e3779b97f4a7c15
	if of.xor {
		h = ^h
	}
	for at := h >> 20; ; at++ {
		s := &g.slots[at&uint64(len(g.slots)-1)]
		if s.round != g.round || s.gate == of {
			return s
		}
	}
}

func (g *gates) grow() {
	old := g.slots
	g.slots = make([]slot, 2*len(old))
	for _, s := range old {
		if s.round == g.round {
			*g.find(s.gate) = s
		}
	}
}
