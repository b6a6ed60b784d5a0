package launch

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// product is a matrix product D = A * B + C whose matrices the lanes of a warp hold.
type product struct {
	m, n, k int
	types   [4]string // element types of D, A, B, C
	wmma    bool
}

// productOf returns the product that an instruction such as
// mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 computes, or nil if it is not modelled.
func productOf(op *isa.Opcode) *product {
	parts := strings.Split(op.Text, ".")
	shape := map[string]product{
		"m16n8k8": {m: 16, n: 8, k: 8}, "m16n8k16": {m: 16, n: 8, k: 16},
		"m16n16k16": {m: 16, n: 16, k: 16, wmma: true}, "m8n32k16": {m: 8, n: 32, k: 16, wmma: true},
		"m32n8k16": {m: 32, n: 8, k: 16, wmma: true},
	}
	i := slices.IndexFunc(parts, func(part string) bool { return shape[part].m > 0 })
	if i < 0 {
		return nil
	}
	p := shape[parts[i]]
	types := slices.DeleteFunc(slices.Clone(parts[i:]), func(part string) bool { return formats[part] == 0 })
	switch {
	case p.wmma && parts[0] == "wmma" && len(types) == 2: // types of D and C; A and B have the type f16
		p.types = [4]string{types[0], "f16", "f16", types[1]}
	case !p.wmma && parts[0] == "mma" && len(types) == 4:
		p.types = [4]string(types)
	default:
		return nil
	}
	return &p
}

// formats are the element types that are modelled and their sizes in bits.
var formats = map[string]int{"f16": 16, "bf16": 16, "f32": 32}

// size returns the numbers of rows and columns of an operand.
func (p *product) size(which int) (rows, columns int) {
	return [4]int{p.m, p.m, p.k, p.m}[which], [4]int{p.n, p.k, p.n, p.n}[which]
}

// place returns the position in its matrix of an element of a register of a lane. For mma, the PTX
// ISA gives it ("Matrix Fragments for mma.m16n8k16"); for wmma it is unspecified, and tile.go's
// choice is used.
func (p *product) place(which, lane, register, element, registers int) (row, column int) {
	rows, columns := p.size(which)
	per := 32 / formats[p.types[which]]
	if p.wmma {
		at := ((lane*registers+register)*per + element) % (rows * columns)
		return at / columns, at % columns
	}
	group, across := lane/4, lane%4
	switch which {
	case 1:
		return group + 8*(register&1), 2*across + element + 8*(register>>1)
	case 2:
		return 2*across + element + 8*register, group
	}
	i := register*per + element
	return group + 8*(i>>1), 2*across + i&1
}

// multiply executes a matrix product: lanes wait for each other, each with its parts of A, B and C.
func (m *machine) multiply(t *thread, s *step) (bool, error) {
	if productOf(s.op) == nil || len(s.Ops) != 4 {
		return false, refuse(s.At, "%s is not modelled", s.Opcode)
	}
	a := &arrival{
		thread: t,
		step:   s,
		clock:  t.clock,
		index:  t.index,
		seen:   t.seen,
		mask:   allLanes,
		id:     t.lanes(allLanes, 1),
		sync:   -1,
		brings: []int64{},
	}
	for i := 1; i < 4; i++ {
		for j := range listOf(&s.Ops[i]) {
			v, err := m.value(t, &listOf(&s.Ops[i])[j], 32)
			if err != nil {
				return false, err
			}
			a.brings = append(a.brings, v)
		}
	}
	m.comes(t, a)
	return false, nil
}

func listOf(o *kernel.Operand) []kernel.Operand {
	if o.Kind == kernel.Vector {
		return o.List
	}
	return []kernel.Operand{*o}
}

// multiplied gives a thread its part of a product. Sums are computed in 64 bits and rounded; the
// order and the rounding of hardware are unspecified.
func (m *machine) multiplied(a *arrival, some []*arrival, p *product) error {
	values := [4]map[[2]int]float64{}
	for _, b := range some {
		next := 0
		for which := 1; which < 4; which++ {
			n := len(listOf(&a.step.Ops[which]))
			if values[which] == nil {
				values[which] = map[[2]int]float64{}
			}
			for register := range n {
				p.each(which, b.index%warpSize, register, n, func(at [2]int, low, bits int) {
					values[which][at] = p.number(which, uint64(b.brings[next])>>low&(1<<bits-1))
				})
				next++
			}
		}
	}
	held := listOf(&a.step.Ops[0])
	for register := range held {
		word := uint64(0)
		p.each(0, a.index%warpSize, register, len(held), func(at [2]int, low, bits int) {
			sum := values[3][at]
			for k := range p.k {
				sum += values[1][[2]int{at[0], k}] * values[2][[2]int{k, at[1]}]
			}
			word |= uint64(encode(sum, bits)) & (1<<bits - 1) << low
		})
		if err := m.set(a.thread, &held[register], int64(word), 0, arith.Type{Bits: 32}); err != nil {
			return err
		}
	}
	return nil
}

// each visits the elements of a register with their positions in the matrix and their bits in the
// register.
func (p *product) each(which, lane, register, registers int, visit func(at [2]int, low, bits int)) {
	bits := formats[p.types[which]]
	for element := range 32 / bits {
		row, column := p.place(which, lane, register, element, registers)
		visit([2]int{row, column}, element*bits, bits)
	}
}

// number decodes an element.
func (p *product) number(which int, bits uint64) float64 {
	if p.types[which] == "bf16" {
		return arith.BF16.Decode(int64(bits))
	}
	return decode(int64(bits), formats[p.types[which]])
}
