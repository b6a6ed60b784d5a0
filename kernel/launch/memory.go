package launch

import (
	"encoding/binary"
	"slices"
	"sort"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// Object is a piece of memory: a buffer, a variable, a parameter. Objects lie far apart, so that an
// access beyond the end of one is not within the next.
type Object struct {
	Name     string
	Space    isa.Space
	Variable *kernel.Variable // nil of a buffer
	Buffer   *Buffer          // nil of a variable
	Block    int              // of shared memory

	base  uint64
	reach uint64 // how far it goes on beyond its ends
	data  []byte
	far   map[int64]byte // what is beyond data
}

// The layout of generic addresses: global memory begins at 0, and has one object a stride; above
// are the windows of shared and of private memory, whose own addresses begin at 0 (PTX ISA,
// "Generic Addressing"). Private is what a thread has for itself: local memory and parameters.
//
// Addresses of shared memory may be kept in 32 bits, so what has no bounds there reaches less far.
const (
	stride        = 1 << 44
	sharedStride  = 1 << 29
	sharedWindow  = 1 << 60
	privateWindow = 1 << 61
	gap           = 1 << 16 // between objects of private memory
)

// from and to are the addresses of the object.
func (o *Object) from() uint64 { return o.base - o.reach }

func (o *Object) to() uint64 { return o.base + uint64(len(o.data)) + o.reach }

// objects are sorted by their addresses.
type objects []*Object

// place puts an object behind the others, so far from them that it can go on beyond its ends, or at
// least so that nobody comes by mistake from one to another.
func (m *machine) place(all *objects, o *Object, align, distance uint64) {
	end := uint64(0)
	if n := len(*all); n > 0 {
		end = (*all)[n-1].to()
	}
	alone := o.Space == isa.Local || o.Space == isa.Param
	if m.launch.Unbounded && !alone {
		o.reach = distance / 2
	}
	align = max(align, distance, 1)
	o.base = (end + distance + align - 1) / align * align
	*all = append(*all, o)
	if m.launch.Contents == nil || alone {
		return
	}
	for at, b := range m.launch.Contents(o) {
		o.store(at, 1, uint64(b))
	}
}

// find returns the object that has n bytes at an address. If there is none, it is the nearest, and
// not ok.
func (all objects) find(address uint64, n int) (o *Object, offset int64, ok bool) {
	after := sort.Search(len(all), func(i int) bool { return all[i].from() > address })
	if after > 0 {
		o = all[after-1]
		ok = address+uint64(n) <= o.to()
	}
	if !ok && after < len(all) && (o == nil || all[after].from()-address < address-o.to()) {
		o = all[after]
	}
	if o == nil {
		return nil, 0, false
	}
	return o, int64(address - o.base), ok
}

func (o *Object) byteAt(offset int64) byte {
	if 0 <= offset && offset < int64(len(o.data)) {
		return o.data[offset]
	}
	return o.far[offset]
}

// load reads n bytes, the lowest first.
func (o *Object) load(offset int64, n int) uint64 {
	var b [8]byte
	for i := range n {
		b[i] = o.byteAt(offset + int64(i))
	}
	return binary.LittleEndian.Uint64(b[:])
}

func (o *Object) store(offset int64, n int, v uint64) {
	for i := range n {
		at, b := offset+int64(i), byte(v>>(8*i))
		switch {
		case 0 <= at && at < int64(len(o.data)):
			o.data[at] = b
		case o.far == nil:
			o.far = map[int64]byte{at: b}
		default:
			o.far[at] = b
		}
	}
}

// maxBytes bounds the memory of a launch, in bytes: variables, parameters, buffers and registers.
const maxBytes = 256 << 20

// MemoryError says that a launch takes too much memory. What takes it last is at a place of the
// module.
type MemoryError struct{ At src.Span }

func (e *MemoryError) Error() string {
	return src.Errorf(e.At, "the launch takes more than %d MiB of memory", maxBytes>>20).Error()
}

// take takes bytes of memory, or has the launch end.
func (m *machine) take(bytes int, at src.Span) (ok bool) {
	if m.taken += bytes; m.taken > maxBytes && m.exhausted == nil {
		m.exhausted = &MemoryError{at}
	}
	return m.exhausted == nil
}

// newVariable returns the memory of a variable, with its initial value; without any if there is too
// much.
func (m *machine) newVariable(v *kernel.Variable) *Object {
	o := &Object{Name: v.Name, Space: v.Space, Variable: v}
	if n := v.Size(); m.take(n, v.At) {
		o.data = make([]byte, n)
	}
	return o
}

// initialise gives a variable the values that its declaration lists.
func (m *machine) initialise(o *Object) error {
	v := o.Variable
	n := max(1, v.Size()/max(1, elements(v)))
	for i, init := range v.Init {
		bits := init.Bits
		if init.Name != "" {
			at, known := m.lookup(init.Name)
			if !known {
				return refuse(v.At, "the initial value of %s is the address of %s, which is not modelled", v.Name,
					init.Name)
			}
			bits += at
		}
		if (i+1)*n <= len(o.data) {
			o.store(int64(i*n), n, bits)
		}
	}
	return nil
}

// lookup returns the address of a variable or a function.
func (m *machine) lookup(name string) (uint64, bool) {
	if at := m.named[name]; at != nil {
		return at.base, true
	}
	i := slices.IndexFunc(m.module.Funcs, func(f *kernel.Function) bool { return f.Name == name })
	return uint64(functionBase + i), i >= 0
}

// elements returns how many values a variable holds.
func elements(v *kernel.Variable) int {
	n := max(1, v.Vector)
	for _, d := range v.Dims {
		n *= d
	}
	return n
}

// newBuffer returns the memory of a buffer.
func newBuffer(b *Buffer) *Object {
	data := slices.Clone(b.Bytes)
	if n := int(b.Size) - len(data); n > 0 {
		data = append(data, make([]byte, n)...)
	}
	return &Object{Name: b.Name, Space: isa.Global, Buffer: b, data: data}
}
