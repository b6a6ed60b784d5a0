package interp

import (
	"encoding/binary"

	"github.com/muster-gpu/muster/ptx/isa"
)

// memoryPlace is the target of an access: bytes of global memory, or of the shared memory of a CTA.
type memoryPlace struct {
	shared  bool
	cta     int // for shared memory
	address uint64
	bytes   int
}

func (p memoryPlace) overlaps(q memoryPlace) bool {
	return p.shared == q.shared && p.cta == q.cta && p.address < q.address+uint64(q.bytes) &&
		q.address < p.address+uint64(p.bytes)
}

// A hierarchy is the part of the machine between threads and memory. The places that it is given
// exist.
type hierarchy interface {
	// load loads a place into a register of a thread, at once or later.
	load(t *thread, in *instr, p memoryPlace) error
	store(t *thread, op *isa.Opcode, p memoryPlace, v uint64)
	// look returns what a thread sees at a place.
	look(t *thread, p memoryPlace) uint64
	// update is an atomic: it writes a value computed from the old one, and returns the old one.
	update(t *thread, op *isa.Opcode, p memoryPlace, write func(old uint64) (uint64, error)) (old uint64, err error)
	// fence orders the earlier accesses of the thread before its later ones, within the given
	// reach.
	fence(t *thread, far reach)
	// settle completes the load of a register.
	settle(t *thread, register int)
	// tick is called as time passes.
	tick()
	// end is called when all threads have ended.
	end()
}

// reach is the set of threads for which an order holds.
type reach uint8

const (
	inCTA reach = iota
	inGPU       // and clusters
	everywhere
)

// reachOf returns the reach of an instruction. Without a scope it is everywhere.
func reachOf(op *isa.Opcode) reach {
	switch op.Scope {
	case isa.ScopeCTA:
		return inCTA
	case isa.ScopeCluster, isa.ScopeGPU:
		return inGPU
	}
	return everywhere
}

// atOnce is a hierarchy in which each access takes effect immediately. It is sequentially
// consistent.
type atOnce struct{ *grid }

func (m atOnce) load(t *thread, in *instr, p memoryPlace) error { return t.set(in, load(m.bytes(p))) }

func (m atOnce) store(t *thread, _ *isa.Opcode, p memoryPlace, v uint64) { store(m.bytes(p), v) }

func (m atOnce) look(t *thread, p memoryPlace) uint64 { return load(m.bytes(p)) }

func (m atOnce) update(t *thread, _ *isa.Opcode, p memoryPlace, write func(uint64) (uint64, error)) (uint64, error) {
	return update(m.bytes(p), write)
}

func (atOnce) fence(*thread, reach) {}
func (atOnce) settle(*thread, int)  {}
func (atOnce) tick()                {}
func (atOnce) end()                 {}

// update changes memory and returns the old value.
func update(memory []byte, write func(uint64) (uint64, error)) (old uint64, err error) {
	old = load(memory)
	v, err := write(old)
	if err == nil {
		store(memory, v)
	}
	return old, err
}

func load(memory []byte) uint64 {
	if len(memory) == 8 {
		return binary.LittleEndian.Uint64(memory)
	}
	return uint64(binary.LittleEndian.Uint32(memory))
}

func store(memory []byte, v uint64) {
	if len(memory) == 8 {
		binary.LittleEndian.PutUint64(memory, v)
		return
	}
	binary.LittleEndian.PutUint32(memory, uint32(v))
}
