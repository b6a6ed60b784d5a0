package few

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

// memory is the writes so far, in time order.
type memory struct {
	*block
	writes []written
	events []*event // of all schedules, if all are encoded
}

// written is a write of an element.
type written struct {
	region          *trace.Region
	size            int
	when, at, value *term.Term
}

func (m *memory) write(e *event) {
	m.writes = append(m.writes, written{e.access.Region, e.size, e.when, e.at, e.value})
}

// read returns the value of an element: that of the latest write, or else the initial value.
func (m *memory) read(r *trace.Region, offset *term.Term, size int) *term.Term {
	if m.events != nil {
		value, _ := m.latest(r, offset, size, nil)
		return value
	}
	type choice struct{ when, value *term.Term }
	var later []choice // of two choices, the first is the later write
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
			m.refuse(nil, "",
				"accesses of %d and of %d bytes to the same place of %s are not modelled for a few threads", w.size,
				size, r.Name)
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

// overlap returns the condition that two elements have a byte in common.
func (b *block) overlap(x *term.Term, n int, y *term.Term, k int) *term.Term {
	if n == k {
		if low := uint64(n - 1); n&(n-1) == 0 && x.Ones()&low == 0 && y.Ones()&low == 0 {
			return b.Eq(x, y)
		}
	}
	return b.ULt(b.Add(b.Sub(x, y), b.Const(uint64(n-1), 64)), b.Const(uint64(n+k-1), 64))
}

// first returns the value of an element before the kernel begins.
func (b *block) first(r *trace.Region, offset *term.Term, size int) *term.Term {
	return b.initial(b.arrayOf(r), offset, size)
}

// initial returns the value of an element before the kernel begins; the array is named as by
// arrayOf.
func (b *block) initial(array string, offset *term.Term, size int) *term.Term {
	return b.App(fmt.Sprintf("%s[]:%d", array, size), 8*size, offset)
}

// arrayOf names an array such that corresponding arrays of two compared kernels have the same name.
// The target of a parameter is named by the number of the parameter, and a variable of the module
// by its name and initial values. Shared memory is distinct in each kernel.
func (b *block) arrayOf(r *trace.Region) string {
	switch {
	case r.Variable != nil && r.Space == isa.Shared:
		return fmt.Sprintf("%s/%s", b.name, r.Name)
	case r.Variable != nil && len(r.Variable.Init) > 0:
		return fmt.Sprintf("%s = %v", r.Name, r.Variable.Init)
	case r.Variable != nil:
		return r.Name
	}
	for i, p := range b.result.Kernel.Params {
		if rest, ok := strings.CutPrefix(r.Name, p.Name); ok && (rest == "" || rest[0] == '+') {
			return fmt.Sprintf("the array of parameter %d%s", i+1, rest)
		}
	}
	return fmt.Sprintf("%s/%s", b.name, r.Name)
}
