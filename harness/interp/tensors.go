package interp

import (
	"fmt"

	"github.com/muster-gpu/muster/harness"
)

// Tensor writes a tensor map, which is here just the address of the tensor.
func (m *Machine) Tensor(at, of uint64, _ int) error {
	to, err := m.global(at, harness.TensorMapBytes)
	if err != nil {
		return err
	}
	clear(to)
	store(to[:8], of)
	return nil
}

// tensor returns the address of the tensor whose map is at an operand.
func (t *thread) tensor(in *instr, at int) (uint64, error) {
	address := t.address(in, at)
	if address%harness.TensorMapBytes != 0 {
		return 0, fmt.Errorf("the address %#x of a tensor map is not a multiple of %d", address, harness.TensorMapBytes)
	}
	p, err := t.reach(false, address, 8)
	if err != nil {
		return 0, err
	}
	return t.hierarchy.look(t, p), nil
}

// inTensor returns the instruction with the address of the tensor in place of that of its map.
func (t *thread) inTensor(in *instr, at int) (*instr, error) {
	address, err := t.tensor(in, at)
	if err != nil {
		return nil, err
	}
	direct := *in
	direct.operands = append([]operand(nil), in.operands...)
	direct.operands[at], direct.operands[at+1] = operand{register: -1, number: address}, operand{register: -1}
	return &direct, nil
}

// copyTensor is cp.async.bulk.tensor: [to], [map], [mbarrier], or [map], [from].
func (t *thread) copyTensor(in *instr) error {
	loads := in.says("mbarrier::complete_tx::bytes")
	at := 0
	if loads {
		at = 2
	}
	direct, err := t.inTensor(in, at)
	if err != nil {
		return err
	}
	return t.toEach(direct, 4, func(in *instr) error {
		if err := t.copy(in, loads, !loads, harness.TensorBytes, harness.TensorBytes); err != nil {
			return err
		}
		return t.complete(in, 4, harness.TensorBytes)
	})
}

// reduceTensor is cp.reduce.async.bulk.tensor: [map], [from].
func (t *thread) reduceTensor(in *instr) error {
	direct, err := t.inTensor(in, 0)
	if err != nil {
		return err
	}
	return t.reduce(direct, harness.TensorBytes)
}

// replaceAddress is tensormap.replace.tile.global_address: [map], address.
func (t *thread) replaceAddress(in *instr) error {
	if !in.says("global_address") || !in.says("global") {
		return fmt.Errorf("this machine has no %s", in.op.Text)
	}
	p, err := t.reach(false, t.address(in, 0), 8)
	if err != nil {
		return err
	}
	t.hierarchy.store(t, in.op, p, t.value(in.operands[2]))
	return nil
}
