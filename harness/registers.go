package harness

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/ptx/isa"
)

// register is a register of a role in a kernel.
type register struct {
	name string // %r_1_r0: the first letter tells its width
	bits int    // 1 for a predicate
	// widened says that the register has 32 bits in the test and holds an address, which has 64 in
	// kernels.
	widened bool
	// points is an over-approximation of the locations whose address it may hold.
	points map[event.Loc]bool
}

// prefixes are the first letters of names of registers, by width.
var prefixes = map[int]string{1: "p", 32: "r", 64: "d"}

// registerTypes are the types of registers in kernels, by the first letter of their names.
var registerTypes = map[byte]string{'p': "pred", 'r': "b32", 'd': "b64", 'h': "b16"}

// declarations returns the declarations of registers. The first letter of a name tells the type.
func declarations(registers map[string]bool) string {
	var b strings.Builder
	sorted := slices.Sorted(maps.Keys(registers))
	for _, letter := range []byte("prdh") {
		for _, name := range sorted {
			if name[1] == letter {
				fmt.Fprintf(&b, "\t.reg .%s %s;\n", registerTypes[letter], name)
			}
		}
	}
	return b.String()
}

// mentioned returns the registers that occur in lines of code: %, the letter of a type, _, and the
// rest of the word.
func mentioned(lines []string) map[string]bool {
	seen := map[string]bool{}
	for _, line := range lines {
		for {
			at := strings.IndexByte(line, '%')
			if at < 0 {
				break
			}
			line = line[at:]
			n := 1
			for n < len(line) && isWordByte(line[n]) {
				n++
			}
			if n > 3 && line[2] == '_' && registerTypes[line[1]] != "" {
				seen[line[:n]] = true
			}
			line = line[n:]
		}
	}
	return seen
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// typeRegisters finds the widths of the registers of the test, from the instructions that set them
// or the initial state.
func (p *Plan) typeRegisters() error {
	for i := range p.roles {
		r := &p.roles[i]
		r.regs = map[string]register{}
		for name, v := range p.Program.Initial(r.thread) {
			if v.IsAddress() {
				if err := p.setWidth(r, name, 64); err != nil {
					return err
				}
				r.regs[name].points[v.Base] = true
			}
		}
		for _, in := range p.Program.Code(r.thread) {
			if in.Dst == nil {
				continue
			}
			if err := p.setWidth(r, in.Dst.Text, resultBits(in)); err != nil {
				return err
			}
		}
		for name := range p.Program.Initial(r.thread) {
			if _, ok := r.regs[name]; !ok {
				_ = p.setWidth(r, name, p.usedBits(r, name))
			}
		}
		p.follow(r)
		r.widen()
	}
	p.findRooms()
	return nil
}

// widen gives registers that hold addresses 64 bits: an address in shared memory has 32 (PTX ISA,
// "Generic Addressing"), and kernels use the generic one.
func (r *role) widen() {
	for name, reg := range r.regs {
		if reg.bits == 32 && len(reg.points) > 0 {
			reg.name, reg.bits, reg.widened = strings.Replace(reg.name, prefixes[32], prefixes[64], 1), 64, true
			r.regs[name] = reg
		}
	}
}

// narrows reports whether an instruction of 32 bits computes with an address in another way than
// moving it, selecting it, or adding a 64-bit value to it.
func (p *Plan) narrows(r *role, in *ptx.Instr) bool {
	sources := in.Srcs
	if in.Op.Code == isa.Selp {
		sources = sources[:2]
	}
	narrow, wide := false, in.Dst != nil && r.regs[in.Dst.Text].widened
	for _, o := range sources {
		reg, known := r.regs[o.Text]
		known = known && o.Kind == ptx.Register
		narrow, wide = narrow || known && reg.bits < 64, wide || known && reg.widened
	}
	moves := slices.Contains([]isa.Code{isa.Mov, isa.Selp, isa.Add, isa.Sub}, in.Op.Code)
	return wide && (narrow || !moves)
}

func (p *Plan) setWidth(r *role, name string, bits int) error {
	if old, ok := r.regs[name]; ok && old.bits != bits {
		return p.unable("%d:%s has %d bits here and %d there", p.Test.Threads[r.thread].ID, name, old.bits, bits)
	} else if !ok {
		clean := strings.NewReplacer("%", "", ".", "_", "$", "_").Replace(name)
		r.regs[name] = register{
			name:   fmt.Sprintf("%%%s_%d_%s", prefixes[bits], r.thread, clean),
			bits:   bits,
			points: map[event.Loc]bool{},
		}
	}
	return nil
}

// usedBits returns the width of a register that no instruction sets, from the instructions that use
// it.
func (p *Plan) usedBits(r *role, name string) int {
	for _, in := range p.Program.Code(r.thread) {
		uses := slices.ContainsFunc(slices.Concat(in.Srcs, in.Vector), func(o ptx.Operand) bool {
			return o.Kind == ptx.Register && o.Text == name
		})
		if uses && in.Page() == "" && in.Type(0).Bits == 64 {
			return 64
		}
	}
	return 32
}

// resultBits returns the width of the result of an instruction.
func resultBits(in *ptx.Instr) int {
	switch {
	case in.Op.Code == isa.Setp, in.Op.Code == isa.Elect:
		return 1
	case isMapa(in):
		return 64
	}
	if d, ok := demandOf(in); ok {
		return d.bits
	}
	if in.Op.Code == isa.Mov && !in.Op.Says(isa.TypeMod) && in.Srcs[0].Kind == ptx.Location {
		return 64
	}
	return in.Type(0).Bits
}

// follow finds which locations registers may point to: a value computed from an address, or read,
// points where its sources do.
func (p *Plan) follow(r *role) {
	for changed := true; changed; {
		changed = false
		for _, in := range p.Program.Code(r.thread) {
			if in.Dst == nil || in.Addr != nil || in.Page() != "" && !isMapa(in) {
				continue
			}
			to := r.regs[in.Dst.Text].points
			before := len(to)
			if isMapa(in) {
				if l, known := p.mapped(r, in); known {
					to[l] = true
				}
				changed = changed || len(to) > before
				continue
			}
			for _, o := range in.Srcs {
				switch o.Kind {
				case ptx.Location:
					to[o.Loc] = true
				case ptx.Register:
					maps.Copy(to, r.regs[o.Text].points)
				}
			}
			changed = changed || len(to) > before
		}
	}
}
