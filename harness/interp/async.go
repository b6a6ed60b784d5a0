package interp

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/ptx/isa"
)

// Asynchronous operations take effect when they are issued. This is one of their allowed
// behaviours, because a thread learns of their completion only by waiting (PTX ISA, "Asynchronous
// operations"). Earlier accesses of the thread take effect before, and the whole CTA sees what they
// write.

// forms maps the first words of an instruction to its function, for instructions with a syntax of
// their own.
var forms = map[string]func(*thread, *instr) error{
	"cp.async":                    (*thread).copyAsync,
	"cp.async.commit_group":       (*thread).awaited,
	"cp.async.wait_group":         (*thread).awaited,
	"cp.async.wait_all":           (*thread).awaited,
	"cp.async.bulk":               (*thread).copyBulk,
	"cp.async.bulk.commit_group":  (*thread).awaited,
	"cp.async.bulk.wait_group":    (*thread).awaited,
	"cp.reduce.async.bulk":        (*thread).reduceBulk,
	"cp.async.bulk.tensor":        (*thread).copyTensor,
	"cp.reduce.async.bulk.tensor": (*thread).reduceTensor,
	"tensormap.replace.tile":      (*thread).replaceAddress,
	"prefetch.tensormap":          (*thread).awaited,
	"prefetch.param.tensormap":    (*thread).awaited,
	"prefetch.const.tensormap":    (*thread).awaited,
	"st.async":                    (*thread).send,
	"red.async":                   (*thread).send,

	"mbarrier.init":                   (*thread).initMbarrier,
	"mbarrier.inval":                  (*thread).awaited,
	"mbarrier.pending_count":          (*thread).pendingCount,
	"mbarrier.expect_tx":              (*thread).expectBytes,
	"mbarrier.complete_tx":            (*thread).expectBytes,
	"cp.async.mbarrier.arrive":        (*thread).arriveCopied,
	"mbarrier.arrive":                 (*thread).arrive,
	"mbarrier.arrive.expect_tx":       (*thread).arrive,
	"mbarrier.arrive.noComplete":      (*thread).arrive,
	"mbarrier.arrive_drop":            (*thread).arrive,
	"mbarrier.arrive_drop.expect_tx":  (*thread).arrive,
	"mbarrier.arrive_drop.noComplete": (*thread).arrive,
	"mbarrier.test_wait":              (*thread).waited,
	"mbarrier.test_wait.parity":       (*thread).waited,
	"mbarrier.try_wait":               (*thread).waited,
	"mbarrier.try_wait.parity":        (*thread).waited,

	"mapa":                    (*thread).mapAddress,
	"createpolicy.fractional": (*thread).createPolicy,
	"createpolicy.range":      (*thread).createPolicy,
	"createpolicy.cvt.L2":     (*thread).createPolicy,
}

// awaited is a wait for operations that have taken effect, or for nothing.
func (t *thread) awaited(*instr) error { return nil }

// says reports whether an opcode has a word.
func (in *instr) says(word string) bool {
	return slices.Contains(strings.Split(in.op.Text, "."), word)
}

// scope returns the threads for which an operation on an mbarrier is ordering.
func (in *instr) scope() reach {
	if in.says("cluster") {
		return inGPU
	}
	return inCTA
}

// copyAsync is cp.async: [to], [from], size, and optionally the number of bytes to read, or a
// predicate that suppresses reading.
func (t *thread) copyAsync(in *instr) error {
	size := t.value(in.operands[4])
	filled := size
	if len(in.operands) > 5 {
		o := in.operands[5]
		filled = t.value(o)
		if o.register >= 0 && t.entry.Registers[o.register].Type == "pred" {
			filled = size * (1 - filled)
		}
	}
	return t.copy(in, true, false, size, filled)
}

// copyBulk is cp.async.bulk: [to], [from], size, [mbarrier].
func (t *thread) copyBulk(in *instr) error {
	size := t.value(in.operands[4])
	return t.toEach(in, 5, func(in *instr) error {
		if err := t.copy(in, in.op.Words["to"] != "global", in.op.Words["from"] != "global", size, size); err != nil {
			return err
		}
		return t.complete(in, 5, size)
	})
}

// complete tells the mbarrier at an operand, if there is one, that the given number of bytes have
// arrived.
func (t *thread) complete(in *instr, at int, bytes uint64) error {
	if !in.says("mbarrier::complete_tx::bytes") {
		return nil
	}
	_, err := t.change(in, at, func(m *mbarrier) { m.bytes -= int64(bytes) })
	return err
}

// send is st.async, of one or several words, and red.async, which adds: [to], words, [mbarrier];
// or, to global memory, without an mbarrier.
func (t *thread) send(in *instr) error {
	const size = 4
	reduces := in.op.Code == isa.Red
	if !strings.HasSuffix(in.op.Text, "32") || reduces && !in.says("add") {
		return fmt.Errorf("this machine has no %s", in.op.Text)
	}
	t.hierarchy.fence(t, everywhere)
	told, shared := len(in.operands), in.says("mbarrier::complete_tx::bytes")
	if shared {
		told -= 2
	}
	words := in.operands[2:told]
	for i, word := range words {
		to, err := t.reach(shared, t.address(in, 0)+uint64(i)*size, size)
		if err != nil {
			return err
		}
		v := t.value(word)
		if _, err = t.hierarchy.update(t, in.op, to, func(old uint64) (uint64, error) {
			if reduces {
				return v + old, nil
			}
			return v, nil
		}); err != nil {
			return err
		}
	}
	return t.complete(in, told, size*uint64(len(words)))
}

// reduceBulk is cp.reduce.async.bulk: [to], [from], size.
func (t *thread) reduceBulk(in *instr) error { return t.reduce(in, t.value(in.operands[4])) }

// reduce adds words of shared memory to global memory.
func (t *thread) reduce(in *instr, size uint64) error {
	if !in.says("add") || !in.says("bulk_group") {
		return fmt.Errorf("this machine has no %s", in.op.Text)
	}
	t.hierarchy.fence(t, inCTA)
	for i := uint64(0); i < size; i += 4 {
		to, err := t.reach(false, t.address(in, 0)+i, 4)
		if err != nil {
			return err
		}
		from, err := t.reach(true, t.address(in, 2)+i, 4)
		if err != nil {
			return err
		}
		by := t.hierarchy.look(t, from)
		if _, err := t.hierarchy.update(t, in.op, to, func(old uint64) (uint64, error) {
			return old + by, nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// copy copies words. Words beyond filled become 0.
func (t *thread) copy(in *instr, toShared, fromShared bool, size, filled uint64) error {
	t.hierarchy.fence(t, inCTA)
	to, from := t.address(in, 0), t.address(in, 2)
	for i := uint64(0); i < size; i += 4 {
		at, err := t.reach(toShared, to+i, 4)
		if err != nil {
			return err
		}
		word := uint64(0)
		if i < filled {
			source, err := t.reach(fromShared, from+i, 4)
			if err != nil {
				return err
			}
			word = t.hierarchy.look(t, source)
		}
		t.hierarchy.store(t, in.op, at, word)
	}
	t.hierarchy.fence(t, inCTA)
	return nil
}

// address returns the address of an operand in brackets, with its offset.
func (t *thread) address(in *instr, at int) uint64 {
	return t.value(in.operands[at]) + t.value(in.operands[at+1])
}

// mbarrier is the state of an mbarrier (PTX ISA, "Contents of the mbarrier object").
type mbarrier struct {
	phase, expected, pending uint64
	bytes                    int64
}

// The layout of an mbarrier, from the top: the phase, expected and pending arrivals, and bytes.
const (
	countBits = 20
	byteBits  = 21
)

func unpacked(word uint64) mbarrier {
	const counts = 1<<countBits - 1
	return mbarrier{
		phase:    word >> (2*countBits + byteBits),
		expected: word >> (countBits + byteBits) & counts,
		pending:  word >> byteBits & counts,
		bytes:    int64(word<<(64-byteBits)) >> (64 - byteBits),
	}
}

func (m mbarrier) packed() uint64 {
	return m.phase<<(2*countBits+byteBits) | m.expected<<(countBits+byteBits) | m.pending<<byteBits |
		uint64(m.bytes)&(1<<byteBits-1)
}

// change changes the mbarrier whose address is at an operand. A phase that waits for nothing more
// ends.
func (t *thread) change(in *instr, at int, by func(*mbarrier)) (old mbarrier, err error) {
	p, err := t.reach(true, t.address(in, at), 8)
	if err != nil {
		return old, err
	}
	word, err := t.hierarchy.update(t, in.op, p, func(word uint64) (uint64, error) {
		m := unpacked(word)
		by(&m)
		if m.pending > m.expected {
			return 0, errors.New("more arrive at an mbarrier than it waits for")
		}
		if m.pending == 0 && m.bytes == 0 {
			m.phase, m.pending = (m.phase+1)%8, m.expected
		}
		return m.packed(), nil
	})
	return unpacked(word), err
}

func (t *thread) initMbarrier(in *instr) error {
	count := t.value(in.operands[2])
	_, err := t.change(in, 0, func(m *mbarrier) { *m = mbarrier{expected: count, pending: count} })
	return err
}

// expectBytes is expect_tx and complete_tx.
func (t *thread) expectBytes(in *instr) error {
	bytes := int64(t.value(in.operands[2]))
	if in.says("complete_tx") {
		bytes = -bytes
	}
	_, err := t.change(in, 0, func(m *mbarrier) { m.bytes += bytes })
	return err
}

// arrive is every arrive and arrive_drop: state, [mbarrier], count or bytes.
func (t *thread) arrive(in *instr) error {
	count, bytes := uint64(1), int64(0)
	if more := in.operands[in.addressAt+2:]; len(more) > 0 && in.says("expect_tx") {
		bytes = int64(t.value(more[0]))
	} else if len(more) > 0 {
		count = t.value(more[0])
	}
	if !in.says("relaxed") {
		t.hierarchy.fence(t, in.scope())
	}
	old, err := t.change(in, in.addressAt, func(m *mbarrier) {
		m.pending -= count
		m.bytes += bytes
		if in.says("arrive_drop") {
			m.expected -= count
		}
	})
	if err != nil || in.addressAt < 1 || in.operands[0].register < 0 {
		return err
	}
	return t.set(in, old.packed())
}

// arriveCopied executes cp.async.mbarrier.arrive, when all copies have arrived. With noinc it is an
// arrival that the mbarrier's count includes. Otherwise it brings its own count, so that nothing
// changes.
func (t *thread) arriveCopied(in *instr) error {
	if !in.says("noinc") {
		return nil
	}
	_, err := t.change(in, 0, func(m *mbarrier) { m.pending-- })
	return err
}

// waited tests whether the phase of a state, or with a parity, has ended.
func (t *thread) waited(in *instr) error {
	p, err := t.reach(true, t.address(in, 1), 8)
	if err != nil {
		return err
	}
	m, of := unpacked(t.hierarchy.look(t, p)), t.value(in.operands[3])
	ended := m.phase != unpacked(of).phase
	if in.says("parity") {
		ended = m.phase&1 != of&1
	}
	if !ended {
		return t.set(in, 0)
	}
	if !in.says("relaxed") {
		t.hierarchy.fence(t, in.scope())
	}
	return t.set(in, 1)
}

func (t *thread) pendingCount(in *instr) error {
	return t.set(in, unpacked(t.value(in.operands[1])).pending)
}
