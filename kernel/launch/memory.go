package launch

import (
	"encoding/binary"
	"slices"
	"sort"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// Object is a piece of memory: a buffer, a variable, a parameter. Objects are far apart, so that an
// access beyond the end of one does not hit the next.
type Object struct {
	Name     string
	Space    isa.Space
	Variable *kernel.Variable // nil for a buffer
	Buffer   *Buffer          // nil for a variable
	Block    int              // block of shared memory

	base  uint64
	reach uint64 // number of bytes by which it extends beyond each end
	data  []byte
	far   map[int64]byte // bytes beyond data
}

// The layout of generic addresses: global memory begins at 0, and has one object in each stride.
// Above are the windows of shared and of private memory, whose own addresses begin at 0 (PTX ISA,
// "Generic Addressing"). Private memory is what a thread has alone: local memory and parameters.
//
// Addresses of shared memory may be kept in 32 bits, so an unbounded array extends less far there.
const (
	stride        = 1 << 44
	sharedStride  = 1 << 29
	sharedWindow  = 1 << 60
	privateWindow = 1 << 61
	gap           = 1 << 16 // between private objects
)

// from and to are the bounds of the object's addresses.
func (o *Object) from() uint64 { return o.base - o.reach }

func (o *Object) to() uint64 { return o.base + uint64(len(o.data)) + o.reach }

// objects is a list of objects, sorted by address.
type objects []*Object

// place allocates an object after the others: far enough from them to extend beyond its ends, or at
// least so far that stray accesses to one do not hit another.
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

// find returns the object that contains n bytes at an address and the offset in it. If none does,
// it returns the nearest object, and false.
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

// load reads n bytes as a little-endian number.
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

// maxBytes bounds the memory of a launch in bytes: variables, parameters, buffers and registers.
const maxBytes = 256 << 20

// MemoryError reports that a launch takes too much memory. At is the declaration that exceeded the
// limit.
type MemoryError struct{ At src.Span }

func (e *MemoryError) Error() string {
	return src.Errorf(e.At, "the launch takes more than %d MiB of memory", maxBytes>>20).Error()
}

// take accounts for bytes of memory, and fails the launch when they exceed the limit.
func (m *machine) take(bytes int, at src.Span) (ok bool) {
	if m.taken += bytes; m.taken > maxBytes && m.exhausted == nil {
		m.exhausted = &MemoryError{at}
	}
	return m.exhausted == nil
}

// newVariable allocates a variable with its initial value. Past the memory limit, it has no data.
func (m *machine) newVariable(v *kernel.Variable) *Object {
	o := &Object{Name: v.Name, Space: v.Space, Variable: v}
	if n := v.Size(); m.take(n, v.At) {
		o.data = make([]byte, n)
	}
	return o
}

// initialise gives a variable the initial values of its declaration.
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

// elements returns the number of values in a variable.
func elements(v *kernel.Variable) int {
	n := max(1, v.Vector)
	for _, d := range v.Dims {
		n *= d
	}
	return n
}

// newBuffer allocates a buffer.
func newBuffer(b *Buffer) *Object {
	data := slices.Clone(b.Bytes)
	if n := int(b.Size) - len(data); n > 0 {
		data = append(data, make([]byte, n)...)
	}
	return &Object{Name: b.Name, Space: isa.Global, Buffer: b, data: data}
}
