package launch

import (
	"math"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/opencl"
	"github.com/muster-gpu/muster/ptx/isa"
)

// flight is an asynchronous copy that a thread has begun: what it does of it takes effect at once, and is ordered before what
// others do when the thread has waited for it.
type flight struct {
	at       *kernel.Instr
	event    int64
	from, to int // which of the report's accesses are its own
	awaited  bool
}

// never is a clock that no thread comes to.
const never = math.MaxUint32

// builtin calls a function of OpenCL.
func (m *machine) builtin(t *thread, s *step, f opencl.Function, number func(int) int64) (result int64, goes bool, err error) {
	a := &arrival{thread: t, step: s, clock: t.clock, index: t.index, seen: t.seen, leaves: [memories]bool{true, true}}
	switch f.Does {
	case opencl.Barrier:
		flags := opencl.Fences(number(0))
		a.leaves[sharedMemory], a.leaves[globalMemory] = flags&opencl.Local == 0, flags&opencl.Global == 0
	case opencl.Copy:
		result, err = m.copy(t, s, f, number)
	case opencl.Wait:
		err = m.await(t, int(int32(number(0))), number(1))
	default:
		return 0, true, nil
	}
	if err != nil {
		return 0, false, err
	}
	m.arrive(t, s, a)
	return result, false, nil
}

// firstEvent is the number of the first event; 0 is none.
const firstEvent = 1 << 32

// copy is the part of a thread in an asynchronous copy: the threads of its block take one element each, in turn. The
// first is that of the next thread: what each does with its own is not always right for the copy as a whole.
func (m *machine) copy(t *thread, s *step, f opencl.Function, number func(int) int64) (event int64, err error) {
	near, far := int64(f.Element), int64(f.Element)
	event = number(3)
	if f.Strided {
		far, event = far*number(3), number(4)
	}
	if event == 0 {
		event = firstEvent + int64(len(t.copies))
	}
	to, from, target, source := far, near, isa.Global, isa.Shared
	if f.ToLocal {
		to, from, target, source = near, far, isa.Shared, isa.Global
	}
	unit := min(f.Element, 8)
	first := len(m.report.Accesses)
	threads := int64(len(t.block.threads))
	for i := (int64(t.index) + 1) % threads; i < number(2); i += threads {
		read, err := m.find(t, uint64(number(1)+i*from), f.Element, source)
		if err != nil {
			return 0, err
		}
		written, err := m.find(t, uint64(number(0)+i*to), f.Element, target)
		if err != nil {
			return 0, err
		}
		for range f.Element / unit {
			v := read.object.load(read.offset, unit)
			m.record(t, s, read, Access{Bytes: unit, Reads: true, Value: v})
			written.object.store(written.offset, unit, v)
			m.record(t, s, written, Access{Bytes: unit, Writes: true, Value: v})
			read.offset, written.offset = read.offset+int64(unit), written.offset+int64(unit)
		}
	}
	for i := range m.report.Accesses[first:] {
		m.report.Accesses[first+i].clock = never
	}
	t.copies = append(t.copies, flight{at: s.Instr, event: event, from: first, to: len(m.report.Accesses)})
	return event, nil
}

// await waits for the copies that have one of n events.
func (m *machine) await(t *thread, n int, list int64) error {
	for i := range n {
		c, err := m.find(t, uint64(list)+8*uint64(i), 8, isa.Generic)
		if err != nil {
			return err
		}
		event := int64(c.object.load(c.offset, 8))
		for j := range t.copies {
			f := &t.copies[j]
			if f.event != event {
				continue
			}
			f.awaited = true
			for k := range m.report.Accesses[f.from:f.to] {
				a := &m.report.Accesses[f.from+k]
				a.clock = min(a.clock, t.clock)
			}
		}
	}
	return nil
}

// unawaited notes the copies for which a thread has not waited when it ends: it must (The OpenCL C 1.2 Specification, 6.12.10).
func (m *machine) unawaited(t *thread) {
	for _, f := range t.copies {
		if !f.awaited {
			m.report.Failures = append(m.report.Failures, Failure{t.number, f.at, "wait_group_events"})
		}
	}
}

// Copied reports that an access is one of an asynchronous copy.
func (a *Access) Copied() bool { return a.Op.Class() == isa.ClassCall }
