package launch

import (
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/opencl"
	"github.com/muster-gpu/muster/ptx/isa"
)

// builtin executes a built-in function of OpenCL.
func (m *machine) builtin(t *thread, s *step, called *kernel.Function, f opencl.Function,
	number func(int) int64,
) (result int64, goes bool, err error) {
	a := &arrival{thread: t, step: s, clock: t.clock, index: t.index, seen: t.seen, leaves: [memories]bool{true, true}}
	switch f.Does {
	case opencl.Barrier:
		flags := opencl.Fences(number(0))
		a.leaves[sharedMemory], a.leaves[globalMemory] = flags&opencl.Local == 0, flags&opencl.Global == 0
	case opencl.Copy:
		result, err = m.copy(t, s, f, number)
	case opencl.Gather:
		if m.launch.Returns != nil {
			result = m.returned(t, s, called, 0)
		}
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

// firstEvent is the number of the first event; 0 is no event.
const firstEvent = 1 << 32

// copy executes a thread's part of an asynchronous copy: the threads of its block take one element
// each, in turn. A thread begins with the element of the next thread, so that a thread which reads
// only its own element without waiting is not right by accident.
func (m *machine) copy(t *thread, s *step, of opencl.Function, number func(int) int64) (event int64, err error) {
	near, far := int64(of.Element), int64(of.Element)
	event = number(3)
	if of.Strided {
		far, event = far*number(3), number(4)
	}
	if event == 0 {
		event = firstEvent + int64(len(t.copies))
	}
	to, from, target, source := far, near, isa.Global, isa.Shared
	if of.ToLocal {
		to, from, target, source = near, far, isa.Shared, isa.Global
	}
	unit := min(of.Element, 8)
	f := t.fly(&flight{at: s.Instr, event: event})
	threads := int64(len(t.block.threads))
	for i := (int64(t.index) + 1) % threads; i < number(2); i += threads {
		read, err := m.find(t, uint64(number(1)+i*from), of.Element, source)
		if err != nil {
			return 0, err
		}
		written, err := m.find(t, uint64(number(0)+i*to), of.Element, target)
		if err != nil {
			return 0, err
		}
		for range of.Element / unit {
			v := read.object.load(read.offset, unit)
			m.record(t, s, read, Access{Bytes: unit, Reads: true, Value: v, copied: f})
			written.object.store(written.offset, unit, v)
			m.record(t, s, written, Access{Bytes: unit, Writes: true, Value: v, copied: f})
			read.offset, written.offset = read.offset+int64(unit), written.offset+int64(unit)
		}
	}
	return event, nil
}

// await waits for the copies with one of n events.
func (m *machine) await(t *thread, n int, list int64) error {
	for i := range n {
		c, err := m.find(t, uint64(list)+8*uint64(i), 8, isa.Generic)
		if err != nil {
			return err
		}
		event := int64(c.object.load(c.offset, 8))
		m.lands(t, func(f *flight) bool { return !f.own && f.event == event })
	}
	return nil
}
