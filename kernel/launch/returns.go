package launch

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// returned returns the result that Launch.Returns gives a function. Annotations are about one of
// the thread's accesses since the last barrier, or none; the one that the result means must exist.
func (m *machine) returned(t *thread, s *step, f *kernel.Function, pointer uint64) int64 {
	if t.calls == nil {
		t.calls = map[*kernel.Instr]int{}
	}
	n := t.calls[s.Instr]
	t.calls[s.Instr]++
	v := int64(m.launch.Returns(t.number, s.Instr, n))
	about, offset := accesses(f.Name)
	if about == nil {
		return v
	}
	var offsets []int64
	for i := range m.report.Accesses {
		a := &m.report.Accesses[i]
		if a.Thread == t.number && a.clock == t.clock && about(a) && m.leads(t, pointer, a.Object) {
			offsets = append(offsets, a.Offset)
		}
	}
	switch {
	case !offset:
		return truth(v&1 != 0 && len(offsets) > 0)
	case len(offsets) > 0 && !slices.Contains(offsets, v):
		return offsets[0]
	}
	return v
}

// accesses returns a predicate for the accesses that an annotation is about, or nil, and whether
// the annotation is about their offsets.
func accesses(name string) (about func(*Access) bool, offset bool) {
	reads := func(a *Access) bool { return a.Reads && !a.Writes }
	writes := func(a *Access) bool { return a.Writes && !a.Reads }
	offset = strings.HasPrefix(name, "__read_offset_bytes") || strings.HasPrefix(name, "__write_offset_bytes")
	switch {
	case strings.HasPrefix(name, "__read"):
		return reads, offset
	case strings.HasPrefix(name, "__write"):
		return writes, offset
	}
	return nil, false
}

// leads reports whether a pointer, generic or in the object's space, points into an object.
func (m *machine) leads(t *thread, pointer uint64, o *Object) bool {
	all := m.global
	if o.Space == isa.Shared {
		all = t.shared
		if spaceOf(pointer) == isa.Shared {
			pointer -= sharedWindow
		}
	}
	at, _, ok := all.find(pointer, 1)
	return ok && at == o
}
