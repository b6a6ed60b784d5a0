package ptx

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// page is the meaning of an instruction with a form of its own.
type page struct {
	perform func(*walk, *Instr) error
	check   func(*Instr) *src.Diagnostic // what else the page of the manual asks for; may be nil
}

// pages returns the pages of the manual by the head of their instructions. init sets it, because
// the steps refer to it.
var pages func() map[string]page

func init() {
	pages = sync.OnceValue(func() map[string]page {
		all := map[string]page{}
		for _, some := range []map[string]page{
			copies, mbarriers, bulkCopies, tensors, matrices, tensorMemory, asyncFences, clusterPages, hintPages,
		} {
			maps.Copy(all, some)
		}
		return all
	})
}

// formOperands reads the operands of an instruction with a form, and checks what its page asks for.
func (p *parser) formOperands(in *Instr) {
	first := true
	for _, o := range in.Op.Form.Operands {
		switch {
		case o.With != "" && !in.Says(o.With):
			continue
		case o.Optional && o.Kind == isa.ADestination && p.tok.is("["), o.Kind == isa.NoLanes && !p.listNext():
			continue
		case o.Optional && (p.tok.kind == end || in.Says("L2::cache_hint") && p.last()):
			continue
		case !first:
			p.expect(",", "before "+roleOf(&o))
		}
		first = false
		p.formOperand(in, &o)
	}
	in.page = pages()[in.Op.Form.Head]
	if check := in.page.check; check != nil {
		if err := check(in); err != nil {
			failure{err}.stop()
		}
	}
}

// formOperand reads an operand.
func (p *parser) formOperand(in *Instr, o *isa.Parameter) {
	switch o.Kind {
	case isa.APlace:
		in.addPlace(o, p.place())
	case isa.ATensor:
		in.addPlace(o, p.tensor(in))
	case isa.AMatrix:
		if p.tok.is("[") {
			in.addPlace(o, p.place())
			return
		}
		in.addSources(o, p.list(p.source))
	case isa.ADestination:
		in.Dst = p.destination()
	case isa.APair:
		if first := p.destination(); first != nil {
			in.More = []Operand{*first}
		}
		p.expect("|", "before the predicate")
		in.Dst = p.destination()
	case isa.Destinations:
		all := p.list(func() Operand { return p.name(operandRole['d']) })
		in.Dst, in.More = &all[0], all[1:]
	case isa.AHint:
		p.list(p.ignored)
	case isa.NoLanes:
		p.list(p.zero)
	case isa.Sources:
		in.addSources(o, p.list(p.source))
	default:
		s := p.source()
		p.offset(&s)
		in.addSources(o, []Operand{s})
	}
}

func (in *Instr) addPlace(o *isa.Parameter, place *Operand) {
	place.Role = o.Name
	in.Places = append(in.Places, *place)
}

func (in *Instr) addSources(o *isa.Parameter, all []Operand) {
	for i := range all {
		all[i].Role = o.Name
	}
	in.Srcs = append(in.Srcs, all...)
}

// Page returns the head of the instruction's page in the manual, as in "cp.async", or "" if the
// instruction follows a common pattern.
func (in *Instr) Page() string {
	if in.Op.Form == nil {
		return ""
	}
	return in.Op.Form.Head
}

// Says reports whether the instruction has a suffix.
func (in *Instr) Says(suffix string) bool { return in.Op.Writes(suffix) }

// listNext reports whether the next operand, after a comma, is a list in braces.
func (p *parser) listNext() bool {
	return strings.HasPrefix(strings.TrimLeft(p.text[p.pos:], " \t"), "{")
}

// last reports whether the next operand, after a comma, is the last.
func (p *parser) last() bool { return !strings.Contains(p.text[p.pos:], ",") }

// roleOf returns the role of an operand, for a message.
func roleOf(o *isa.Parameter) string {
	role := map[isa.ParameterKind]byte{isa.APlace: 'a', isa.ATensor: 'a', isa.ADestination: 'd', isa.APair: 'd', isa.Destinations: 'd'}[o.Kind]
	if role == 0 {
		role = 's'
	}
	return operandRole[role] + " (" + o.Name + ")"
}

// destination reads a destination register. It returns nil for _.
func (p *parser) destination() *Operand {
	o := p.name(operandRole['d'])
	if o.Text == "_" {
		return nil
	}
	return &o
}

// list reads {r1,r2,…}, or one operand without braces.
func (p *parser) list(one func() Operand) []Operand {
	if !p.tok.is("{") {
		return []Operand{one()}
	}
	p.next()
	all := []Operand{one()}
	for p.tok.is(",") {
		p.next()
		all = append(all, one())
	}
	p.expect("}", "after the list")
	return all
}

// ignored reads a register, or a number of any kind, and discards its value.
func (p *parser) ignored() (o Operand) {
	if p.tok.kind == number {
		p.next()
		return o
	}
	return p.source()
}

// zero reads a register, which is taken to hold 0, or a number that is.
func (p *parser) zero() Operand {
	if p.tok.kind == number && strings.Trim(p.tok.text, "0xX") != "" {
		failure{src.Errorf(p.tok.at, "a matrix is one number here: no part of it is left as it was").WithHint("write 0")}.stop()
	}
	return p.ignored()
}

// place reads [r], [x] or [x-4].
func (p *parser) place() *Operand {
	open := p.tok
	o := p.opened()
	o.At = open.at.To(p.tok.at)
	p.expect("]", "after the address")
	return o
}

// opened reads [x and perhaps an offset, up to what follows.
func (p *parser) opened() *Operand {
	if !p.tok.is("[") {
		p.fail(p.tok, "expected an address in brackets").WithHint("write [x] or [r1]")
	}
	p.next()
	o := p.name("a register or location in brackets")
	p.offset(&o)
	return &o
}

// place returns the address with a name of an instruction with a form, or nil if it is left out.
func (in *Instr) place(name string) *Operand { return named(name, in.Places) }

// source returns the source with a name, of a list the first, or nil if it is left out.
func (in *Instr) source(name string) *Operand { return named(name, in.Srcs) }

func named(name string, among []Operand) *Operand {
	for i := range among {
		if among[i].Role == name {
			return &among[i]
		}
	}
	return nil
}

// sources returns the list of that name.
func (in *Instr) sources(name string) (all []*Operand) {
	for i := range in.Srcs {
		if in.Srcs[i].Role == name {
			all = append(all, &in.Srcs[i])
		}
	}
	return all
}

// space returns the state space that an instruction with a form gives an address, or Generic.
func (in *Instr) space(place string) isa.Space {
	switch word := in.Op.Words[place]; {
	case word == "global":
		return isa.Global
	case strings.HasPrefix(word, "shared"):
		return isa.Shared
	}
	return isa.Generic
}

// has reports whether the head of the instruction contains a word.
func (in *Instr) has(word string) bool {
	return slices.Contains(strings.Split(in.Op.Form.Head, "."), word)
}

// region returns the region of a location that only an instruction with a form mentions.
func (in *Instr) region(place string) litmus.Region {
	if in.space(place) == isa.Shared || place == "bar" || in.has("tcgen05") {
		return litmus.Shared
	}
	return litmus.Global
}
