package interp

import (
	"fmt"
	"slices"
)

// steps run the instructions, by the first word of the opcode. They return the value of the
// destination, if they have one.
var steps map[string]func(*grid, *thread, *instr) error

func init() {
	steps = map[string]func(*grid, *thread, *instr) error{
		"ld": (*grid).load, "st": (*grid).store, "atom": (*grid).atomic, "red": (*grid).atomic,
		"bar": (*grid).bar, "ret": (*grid).ret, "setp": (*grid).setp, "selp": (*grid).selp, "cvt": (*grid).cvt,
		"mul": (*grid).mul, "mad": (*grid).mad, "neg": (*grid).neg, "mov": (*grid).mov,
		"membar": nothing, "fence": nothing, "pmevent": (*grid).mark, "bra": nothing,
	}
	for op := range arithmetic {
		steps[op] = (*grid).compute
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
	if in.op == "bra" {
		t.pc = in.target
		return nil
	}
	if err := steps[in.op](g, t, in); err != nil {
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

// typ is the last modifier: the type.
func (in *instr) typ() string { return in.mods[len(in.mods)-1] }

func bits(typ string) int {
	if typ[1:] == "64" {
		return 64
	}
	return 32
}

// trim cuts a value to a type: 32-bit values are kept zero-extended.
func trim(v uint64, typ string) uint64 {
	if bits(typ) == 32 {
		return uint64(uint32(v))
	}
	return v
}

// signed is a value of a type as a number.
func signed(v uint64, typ string) int64 {
	switch {
	case typ[0] == 's' && bits(typ) == 32:
		return int64(int32(v))
	case typ[0] == 's':
		return int64(v)
	}
	return int64(trim(v, typ))
}

func (g *grid) set(t *thread, in *instr, v uint64) error {
	if in.operands[0].register < 0 {
		return fmt.Errorf("the destination is no register")
	}
	t.regs[in.operands[0].register] = v
	return nil
}

func (g *grid) load(t *thread, in *instr) error {
	address := g.value(t, in.operands[1]) + g.value(t, in.operands[2])
	if slices.Contains(in.mods, "param") {
		return g.set(t, in, trim(address, in.typ()))
	}
	memory, err := g.access(t, slices.Contains(in.mods, "shared"), address, bits(in.typ())/8)
	if err != nil {
		return err
	}
	return g.set(t, in, load(memory))
}

func (g *grid) store(t *thread, in *instr) error {
	address := g.value(t, in.operands[0]) + g.value(t, in.operands[1])
	memory, err := g.access(t, slices.Contains(in.mods, "shared"), address, bits(in.typ())/8)
	if err != nil {
		return err
	}
	store(memory, g.value(t, in.operands[2]))
	return nil
}

// atomics are what atomics compute from the old value and their operand.
var atomics = map[string]func(old, v uint64, typ string) uint64{
	"exch": func(_, v uint64, _ string) uint64 { return v },
	"add":  func(old, v uint64, _ string) uint64 { return old + v },
	"and":  func(old, v uint64, _ string) uint64 { return old & v },
	"or":   func(old, v uint64, _ string) uint64 { return old | v },
	"xor":  func(old, v uint64, _ string) uint64 { return old ^ v },
	"min":  func(old, v uint64, typ string) uint64 { return uint64(min(signed(old, typ), signed(v, typ))) },
	"max":  func(old, v uint64, typ string) uint64 { return uint64(max(signed(old, typ), signed(v, typ))) },
	"inc": func(old, v uint64, _ string) uint64 {
		if uint32(old) >= uint32(v) {
			return 0
		}
		return old + 1
	},
	"dec": func(old, v uint64, _ string) uint64 {
		if old == 0 || uint32(old) > uint32(v) {
			return v
		}
		return old - 1
	},
}

func (g *grid) atomic(t *thread, in *instr) error {
	first := 0 // operand of the address
	if in.op == "atom" {
		first = 1
	}
	address := g.value(t, in.operands[first]) + g.value(t, in.operands[first+1])
	memory, err := g.access(t, slices.Contains(in.mods, "shared"), address, bits(in.typ())/8)
	if err != nil {
		return err
	}
	old := load(memory)
	op := in.mods[len(in.mods)-2]
	v := g.value(t, in.operands[first+2])
	switch compute := atomics[op]; {
	case op == "cas":
		if old == trim(v, in.typ()) {
			store(memory, g.value(t, in.operands[first+3]))
		}
	case compute == nil:
		return fmt.Errorf("unknown atomic .%s", op)
	default:
		store(memory, compute(old, v, in.typ()))
	}
	if in.op == "red" {
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

// holds are the comparisons.
var holds = map[string]func(a, b int64) bool{
	"eq": func(a, b int64) bool { return a == b }, "ne": func(a, b int64) bool { return a != b },
	"lt": func(a, b int64) bool { return a < b }, "le": func(a, b int64) bool { return a <= b },
	"gt": func(a, b int64) bool { return a > b }, "ge": func(a, b int64) bool { return a >= b },
}

func (g *grid) setp(t *thread, in *instr) error {
	compare := holds[in.mods[0]]
	if compare == nil {
		return fmt.Errorf("unknown comparison .%s", in.mods[0])
	}
	v := uint64(0)
	if compare(signed(g.value(t, in.operands[1]), in.typ()), signed(g.value(t, in.operands[2]), in.typ())) {
		v = 1
	}
	return g.set(t, in, v)
}

func (g *grid) selp(t *thread, in *instr) error {
	chosen := in.operands[2]
	if g.value(t, in.operands[3]) != 0 {
		chosen = in.operands[1]
	}
	return g.set(t, in, trim(g.value(t, chosen), in.typ()))
}

// cvt converts: "cvt.to.from".
func (g *grid) cvt(t *thread, in *instr) error {
	return g.set(t, in, trim(uint64(signed(g.value(t, in.operands[1]), in.mods[1])), in.mods[0]))
}

func (g *grid) mov(t *thread, in *instr) error {
	return g.set(t, in, trim(g.value(t, in.operands[1]), in.typ()))
}

func (g *grid) neg(t *thread, in *instr) error {
	return g.set(t, in, trim(-g.value(t, in.operands[1]), in.typ()))
}

// product multiplies, wide or not.
func (g *grid) product(t *thread, in *instr) uint64 {
	x, y := g.value(t, in.operands[1]), g.value(t, in.operands[2])
	if in.mods[0] == "wide" {
		return trim(x, in.typ()) * trim(y, in.typ())
	}
	return trim(x*y, in.typ())
}

func (g *grid) mul(t *thread, in *instr) error { return g.set(t, in, g.product(t, in)) }

func (g *grid) mad(t *thread, in *instr) error {
	sum := g.product(t, in) + g.value(t, in.operands[3])
	if in.mods[0] != "wide" {
		sum = trim(sum, in.typ())
	}
	return g.set(t, in, sum)
}

// arithmetic are the instructions with two sources.
var arithmetic = map[string]func(a, b int64) (int64, error){
	"add": func(a, b int64) (int64, error) { return a + b, nil },
	"sub": func(a, b int64) (int64, error) { return a - b, nil },
	"and": func(a, b int64) (int64, error) { return a & b, nil },
	"or":  func(a, b int64) (int64, error) { return a | b, nil },
	"xor": func(a, b int64) (int64, error) { return a ^ b, nil },
	"min": func(a, b int64) (int64, error) { return min(a, b), nil },
	"max": func(a, b int64) (int64, error) { return max(a, b), nil },
	"shl": func(a, b int64) (int64, error) { return a << uint64(b), nil },
	"shr": func(a, b int64) (int64, error) { return a >> uint64(b), nil },
	"div": func(a, b int64) (int64, error) {
		if b == 0 {
			return 0, fmt.Errorf("division by 0")
		}
		return a / b, nil
	},
	"rem": func(a, b int64) (int64, error) {
		if b == 0 {
			return 0, fmt.Errorf("division by 0")
		}
		return a % b, nil
	},
}

func (g *grid) compute(t *thread, in *instr) error {
	typ := in.typ()
	x, y := g.value(t, in.operands[1]), g.value(t, in.operands[2])
	if typ == "u64" || typ == "b64" {
		return g.compute64(t, in, x, y)
	}
	v, err := arithmetic[in.op](signed(x, typ), signed(y, typ))
	if err != nil {
		return err
	}
	return g.set(t, in, trim(uint64(v), typ))
}

// compute64 is for unsigned numbers that are no int64.
func (g *grid) compute64(t *thread, in *instr, x, y uint64) error {
	switch in.op {
	case "div", "rem":
		if y == 0 {
			return fmt.Errorf("division by 0")
		}
		if in.op == "div" {
			return g.set(t, in, x/y)
		}
		return g.set(t, in, x%y)
	case "shr":
		return g.set(t, in, x>>y)
	case "min":
		return g.set(t, in, min(x, y))
	case "max":
		return g.set(t, in, max(x, y))
	}
	v, err := arithmetic[in.op](int64(x), int64(y))
	if err != nil {
		return err
	}
	return g.set(t, in, uint64(v))
}
