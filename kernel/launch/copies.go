package launch

import (
	"math"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// flight is an asynchronous copy that a thread has started. Its accesses take effect at once, but
// are ordered before those of other threads only once the thread has waited for it. A thread's own
// copies, cp.async, are not ordered with the thread's other accesses before that either.
type flight struct {
	at      *kernel.Instr
	event   int64 // event of a copy of the block
	own     bool  // a cp.async of the thread
	group   int   // number of groups committed when it started, if own
	awaited bool
	clock   uint32 // clock of the thread when it had waited
	until   int    // number of accesses in the report then
}

// never is a clock value that no thread reaches.
const never = math.MaxUint32

// fly records the start of a copy.
func (t *thread) fly(f *flight) *flight {
	f.clock, f.until = never, math.MaxInt
	t.copies = append(t.copies, f)
	return f
}

// lands records that the thread has waited for copies.
func (m *machine) lands(t *thread, waited func(*flight) bool) {
	for _, f := range t.copies {
		if !f.awaited && waited(f) {
			f.awaited, f.clock, f.until = true, t.clock, len(m.report.Accesses)
		}
	}
}

// unawaited records a failure for each copy of the block that a thread has not waited for when it
// ends, which it must (The OpenCL C 1.2 Specification, 6.12.10).
func (m *machine) unawaited(t *thread) {
	for _, f := range t.copies {
		if !f.awaited && !f.own {
			m.report.Failures = append(m.report.Failures, Failure{t.number, f.at, "wait_group_events"})
		}
	}
}

// Copied reports whether an access is part of an asynchronous copy.
func (a *Access) Copied() bool { return a.copied != nil }

// ends returns the clock value of the access's thread at which the access is complete. A thread
// that has seen that clock value is ordered after it.
func (a *Access) ends() uint32 {
	if a.copied != nil {
		return a.copied.clock
	}
	return a.clock
}

// overtakes reports whether a comes after b, an access of a copy of the same thread (cp.async), but
// before the thread has waited for that copy.
func (a *Access) overtakes(b *Access) bool {
	c := b.copied
	return c != nil && c.own && a.copied != c && b.number < a.number && a.number < c.until
}

// async executes the thread's own copies and the waits for them (PTX ISA, "cp.async").
func (m *machine) async(t *thread, s *step) (bool, error) {
	switch s.op.AsyncCopy() {
	case isa.CopyStart:
		return true, m.copyOwn(t, s)
	case isa.CopyCommit:
		t.groups++
	case isa.CopyWait:
		n, err := m.value(t, &s.Ops[0], 32)
		if err != nil {
			return false, err
		}
		m.lands(t, func(f *flight) bool { return f.own && f.group+int(n) < t.groups })
	case isa.CopyFinish:
		t.groups++
		m.lands(t, func(f *flight) bool { return f.own })
	}
	return true, nil
}

// copyOwn executes cp.async, which copies bytes from global to shared memory.
func (m *machine) copyOwn(t *thread, s *step) error {
	if len(s.Ops) < 3 {
		return src.Errorf(s.At, "%s takes a number of bytes", s.Opcode)
	}
	size := int(s.Ops[2].Bits)
	if size != 4 && size != 8 && size != 16 {
		return src.Errorf(s.At, "%s copies 4, 8 or 16 bytes", s.Opcode)
	}
	reads, err := m.fetched(t, s, size)
	if err != nil {
		return err
	}
	to, err := m.pointee(t, &s.Ops[0], size, isa.Shared)
	if err != nil {
		return err
	}
	f := t.fly(&flight{at: s.Instr, own: true, group: t.groups})
	unit := min(size, 8)
	values := make([]byte, size)
	if reads > 0 {
		from, err := m.pointee(t, &s.Ops[1], size, isa.Global)
		if err != nil {
			return err
		}
		for at := 0; at < reads; at++ {
			values[at] = from.object.byteAt(from.offset + int64(at))
		}
		for at := 0; at < reads; at += unit {
			n := min(unit, reads-at)
			c := cell{from.object, from.offset + int64(at)}
			m.record(t, s, c, Access{Bytes: n, Reads: true, Value: number(values[at : at+n]), copied: f})
		}
	}
	for at := 0; at < size; at += unit {
		c, v := cell{to.object, to.offset + int64(at)}, number(values[at:at+unit])
		c.object.store(c.offset, unit, v)
		m.record(t, s, c, Access{Bytes: unit, Writes: true, Value: v, copied: f})
	}
	return nil
}

// number returns the little-endian number in some bytes.
func number(bytes []byte) (v uint64) {
	for i, b := range bytes {
		v |= uint64(b) << (8 * i)
	}
	return v
}

// fetched returns the number of bytes that a copy reads: the operand after the size, or none if
// that operand is a predicate that holds.
func (m *machine) fetched(t *thread, s *step, size int) (int, error) {
	rest := s.Ops[3:]
	if s.op.CopyHint() && len(rest) > 0 {
		rest = rest[:len(rest)-1]
	}
	if len(rest) == 0 {
		return size, nil
	}
	o := &rest[0]
	predicate := o.Kind == kernel.Reg && o.Register.Type == "pred"
	n, err := m.value(t, o, 32)
	switch {
	case err != nil:
		return 0, err
	case predicate && n != 0:
		return 0, nil
	case predicate:
		return size, nil
	case uint32(n) > uint32(size):
		m.report.Failures = append(m.report.Failures, Failure{t.number, s.Instr, s.Opcode})
		return size, nil
	}
	return int(n), nil
}

// pointee returns the n bytes at an operand in brackets.
func (m *machine) pointee(t *thread, o *kernel.Operand, n int, space isa.Space) (cell, error) {
	address, err := m.pointer(t, o)
	if err != nil {
		return cell{}, err
	}
	return m.find(t, address, n, space)
}
