package few

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/internal/prove/term"
	"github.com/muster-gpu/muster/internal/symbolic"
	"github.com/muster-gpu/muster/kernel"
)

// memory is what has been written, in the order of time.
type memory struct {
	*block
	writes []written
	events []*event // of all schedules, if all are looked at
}

// written is a write of an element.
type written struct {
	region          *symbolic.Region
	size            int
	when, at, value *term.Term
}

func (m *memory) write(e *event) {
	m.writes = append(m.writes, written{e.access.Region, e.size, e.when, e.at, e.value})
}

// read is what an element holds: the last write to it, else what it held at first.
func (m *memory) read(r *symbolic.Region, offset *term.Term, size int) *term.Term {
	if m.events != nil {
		value, _ := m.latest(r, offset, size, nil)
		return value
	}
	type choice struct{ when, value *term.Term }
	var later []choice // of two, the first is later
	value := m.first(r, offset, size)
	for _, w := range slices.Backward(m.writes) {
		if w.region != r {
			continue
		}
		hit := m.And(w.when, m.overlap(w.at, w.size, offset, size))
		if hit.False() {
			continue
		}
		if w.size != size {
			m.refuse(nil, "", "accesses of %d and of %d bytes to the same place of %s are not modelled for a few threads", w.size, size, r.Name)
		}
		if later = append(later, choice{hit, w.value}); hit.True() {
			break
		}
	}
	for _, c := range slices.Backward(later) {
		value = m.Ite(c.when, c.value, value)
	}
	return value
}

// overlap is whether two elements have a byte in common.
func (b *block) overlap(x *term.Term, n int, y *term.Term, k int) *term.Term {
	if n == k {
		if low := uint64(n - 1); n&(n-1) == 0 && x.Ones()&low == 0 && y.Ones()&low == 0 {
			return b.Eq(x, y)
		}
	}
	return b.ULt(b.Add(b.Sub(x, y), b.Const(uint64(n-1), 64)), b.Const(uint64(n+k-1), 64))
}

// first is what an element holds before the kernel begins. Arrays that parameters point to are named by the parameters'
// numbers, so that those of two kernels are the same.
func (b *block) first(r *symbolic.Region, offset *term.Term, size int) *term.Term {
	name := fmt.Sprintf("%s/%s", b.result.Kernel.Name, r.Name)
	if r.Variable == nil {
		name = b.arrayOf(r)
	} else if r.Space != kernel.Shared {
		name = r.Name
	}
	return b.App(fmt.Sprintf("%s[]:%d", name, size), 8*size, offset)
}

// arrayOf names the array that a parameter points to.
func (b *block) arrayOf(r *symbolic.Region) string {
	for i, p := range b.result.Kernel.Params {
		if p.Name == r.Name {
			return fmt.Sprintf("array %d", i)
		}
	}
	return r.Name
}
