package interp

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/internal/arith"
	"github.com/muster-gpu/muster/ptx/isa"
)

// steps run the instructions that do not only compute.
var steps map[isa.Code]func(*grid, *thread, *instr) error

func init() {
	steps = map[isa.Code]func(*grid, *thread, *instr) error{
		isa.Ld: (*grid).load, isa.St: (*grid).store, isa.Atom: (*grid).atomic, isa.Red: (*grid).atomic,
		isa.Bar: (*grid).bar, isa.Ret: (*grid).ret, isa.Bra: (*grid).bra,
		isa.Membar: nothing, isa.Fence: nothing, isa.Pmevent: (*grid).mark,
	}
}

func nothing(*grid, *thread, *instr) error { return nil }

// mark tells that a thread passes a marker.
func (g *grid) mark(t *thread, in *instr) error {
	if g.OnMark == nil {
		return nil
	}
	registers := map[string]uint64{}
	for i, name := range g.entry.registers {
		registers[name] = t.regs[i]
	}
	g.OnMark(Mark{int(in.operands[0].number), t.cta, t.tid, registers})
	return nil
}

// step runs the next instruction of a thread.
func (g *grid) step(t *thread) error {
	if t.pc == len(g.entry.code) {
		t.done = true
		return nil
	}
	in := &g.entry.code[t.pc]
	t.pc++
	if in.guard >= 0 && (t.regs[in.guard] != 0) == in.negated {
		return nil
	}
	if err := in.run(g, t, in); err != nil {
		t.pc--
		return err
	}
	return nil
}

// value is what an operand holds.
func (g *grid) value(t *thread, o operand) uint64 {
	switch {
	case o.register >= 0:
		return t.regs[o.register]
	case o.special == "":
		return o.number
	}
	switch o.special {
	case "%tid.x":
		return uint64(t.tid)
	case "%ntid.x":
		return uint64(g.launch.Block)
	case "%ctaid.x":
		return uint64(t.cta)
	case "shared_memory":
		return 0
	}
	i := slices.Index(g.entry.params, o.special)
	if !g.launch.Wide[i] {
		return uint64(uint32(g.launch.Params[i]))
	}
	return g.launch.Params[i]
}

// bytes is how many an access has.
func (in *instr) bytes() int { return in.op.Type(0).Bits / 8 }

// held is a value of a type as registers hold it: zero-extended.
func held(v int64, t arith.Type) uint64 { return uint64(v) << (64 - t.Bits) >> (64 - t.Bits) }

func (g *grid) set(t *thread, in *instr, v uint64) error {
	if in.operands[0].register < 0 {
		return fmt.Errorf("the destination is no register")
	}
	t.regs[in.operands[0].register] = v
	return nil
}

// memory is what an access reaches; its address is the operand at a place, with the offset after it.
func (g *grid) memory(t *thread, in *instr, at int) ([]byte, error) {
	address := g.value(t, in.operands[at]) + g.value(t, in.operands[at+1])
	return g.access(t, in.op.Space == isa.Shared, address, in.bytes())
}

func (g *grid) load(t *thread, in *instr) error {
	if in.op.Space == isa.Param {
		return g.set(t, in, held(int64(g.value(t, in.operands[1])), in.op.Type(0).Int()))
	}
	memory, err := g.memory(t, in, 1)
	if err != nil {
		return err
	}
	return g.set(t, in, load(memory))
}

func (g *grid) store(t *thread, in *instr) error {
	memory, err := g.memory(t, in, 0)
	if err != nil {
		return err
	}
	store(memory, g.value(t, in.operands[2]))
	return nil
}

// atomic writes what the instruction computes from the old value and its operands.
func (g *grid) atomic(t *thread, in *instr) error {
	at := 0 // of the address
	if in.op.Code == isa.Atom {
		at = 1
	}
	memory, err := g.memory(t, in, at)
	if err != nil {
		return err
	}
	old := load(memory)
	written, err := g.evaluate(t, in, in.operands[at+2:], int64(old))
	if err != nil {
		return err
	}
	store(memory, uint64(written))
	if in.op.Code == isa.Red {
		return nil
	}
	return g.set(t, in, old)
}

func (g *grid) bar(t *thread, in *instr) error {
	t.barrier, t.wanted = int(g.value(t, in.operands[0])), 0
	if len(in.operands) > 1 {
		t.wanted = int(g.value(t, in.operands[1]))
	}
	return nil
}

func (g *grid) ret(t *thread, _ *instr) error {
	t.done = true
	return nil
}

func (g *grid) bra(t *thread, in *instr) error {
	t.pc = in.target
	return nil
}

// compute sets the destination to the instruction's formula of its sources.
func (g *grid) compute(t *thread, in *instr) error {
	v, err := g.evaluate(t, in, in.operands[1:])
	if err != nil {
		return err
	}
	return g.set(t, in, held(v, in.formula.Results[0].Type))
}

// evaluate is the instruction's formula of some values and then of operands.
func (g *grid) evaluate(t *thread, in *instr, operands []operand, first ...int64) (int64, error) {
	var room [8]int64
	sources := append(room[:0], first...)
	for _, o := range operands {
		sources = append(sources, int64(g.value(t, o)))
	}
	results, err := g.arithmetic.Apply(in.formula, sources...)
	return results[0], err
}
