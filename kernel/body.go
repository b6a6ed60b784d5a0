package kernel

import (
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// body is a function whose instructions are being read.
type body struct {
	*parser
	f        *Function
	scope    *scope
	pending  []string       // labels of the next instruction
	labelled src.Span       // the last of them
	labels   map[string]int // instructions by label
	jumps    []jump
}

// mentions notes the functions that an instruction names.
func (b *body) mentions(in *Instr) {
	call := in.Name() == "call"
	for i, o := range in.Ops {
		switch {
		case o.Kind == Reg && call && i < 2: // results may stand before it
			b.f.indirect = true
		case o.Kind != Func:
			continue
		case !call:
			b.module.taken[o.Name] = true
		}
		if o.Kind == Func && !slices.Contains(b.f.Mentions, o.Name) {
			b.f.Mentions = append(b.f.Mentions, o.Name)
		}
	}
}

// jump is an operand that names what may be a label, which is known when the function has been read.
type jump struct {
	at   src.Span
	name string
	set  func(target int)
}

// maxInstructions bounds a function: no compiler makes a larger one, and a file that has one takes gigabytes to be read.
const maxInstructions = 1 << 19

// body reads the statements of a function, and binds its labels.
func (p *parser) body(f *Function, params *scope) {
	b := &body{parser: p, f: f, scope: params, labels: map[string]int{}}
	p.place = nil
	f.open, f.params = p.tok, params
	p.expect("{", "the head of a function")
	b.block(f.open)
	f.End = p.tok.start
	named := func(j jump) bool { return slices.Contains(b.pending, j.name) }
	if slices.ContainsFunc(b.jumps, named) { // branches to the end of the function return; debuggers have labels there, too
		f.Instrs = append(f.Instrs, &Instr{At: b.labelled, Labels: b.pending, Opcode: "ret", Place: p.place})
	}
	for _, j := range b.jumps {
		target, ok := b.labels[j.name]
		switch {
		case ok:
			j.set(target)
		case len(p.diags) < maxErrors:
			p.unbound(j, b.labels)
		}
	}
}

func (p *parser) unbound(j jump, labels map[string]int) {
	var names []string
	for name := range labels {
		names = append(names, name)
	}
	for name := range p.globals.vars {
		names = append(names, name)
	}
	d := p.diags.Errorf(j.at, "%s is not declared: no register, variable, function or label has this name", j.name)
	if hint := src.DidYouMean(j.name, names); hint != "" {
		d.WithHint("%s", hint)
	}
}

// block reads statements to the brace that closes the one at open.
func (b *body) block(open token) {
	b.scope = &scope{outer: b.scope, vars: map[string]*Variable{}, registers: map[string]*Register{}, tables: map[string][]token{}}
	for !b.accept("}") && len(b.diags) < maxErrors {
		if b.tok.kind == eof {
			if len(b.f.Instrs) == maxInstructions { // that is said
				break
			}
			b.diags.Errorf(b.span(b.file, open), "the block that begins here never ends").WithHint("end it with }")
			break
		}
		b.guarded(b.statement)
	}
	b.scope = b.scope.outer
}

// statement reads a declaration, a label, a block or an instruction.
func (b *body) statement() {
	switch t := b.tok; {
	case b.accept("{"):
		b.nested(func() { b.block(t) })
	case b.accept(";"):
	case t.kind == directive:
		b.directive()
	case t.kind == mark && b.at("@"):
		b.instruction()
	case t.kind == word:
		b.advance()
		if b.accept(":") {
			b.label(t)
			return
		}
		b.pos, b.tok = t.end, t
		b.instruction()
	default:
		b.fail(t, "expected an instruction, found %s", b.describe(t))
	}
}

// label notes a label of the next instruction, or a table of labels or prototype that it names.
func (b *body) label(t token) {
	name := b.textOf(t)
	switch {
	case b.accept(".branchtargets"):
		b.scope.tables[name] = b.targets()
		return
	case b.at(".callprototype"), b.at(".calltargets"):
		for !b.accept(";") {
			if b.tok.kind == eof {
				b.fail(t, "the table %s never ends", name)
			}
			b.advance()
		}
		b.scope.vars[name] = &Variable{At: b.span(b.file, t), Name: name}
		return
	}
	if _, twice := b.labels[name]; twice {
		b.diags.Errorf(b.span(b.file, t), "label %s is defined twice in %s", name, b.f.Name)
	}
	b.labels[name], b.labelled = len(b.f.Instrs), b.span(b.file, t)
	b.pending = append(b.pending, name)
}

// targets reads the labels of a table.
func (b *body) targets() (labels []token) {
	for more := true; more; more = b.accept(",") {
		labels = append(labels, b.word("a label"))
	}
	b.expect(";", "the labels")
	return labels
}

// directive reads a directive within a function.
func (b *body) directive() {
	switch t := b.tok; {
	case b.accept(".reg"):
		b.registers()
	case b.accept(".loc"):
		b.loc()
	case b.accept(".pragma"):
		b.pragma()
	case b.accept(".file"):
		b.sourceFile()
	case spaces[b.textOf(t)] != isa.Generic:
		for _, v := range b.variables() {
			b.scope.vars[v.Name] = v
			b.f.Vars = append(b.f.Vars, v)
		}
	default:
		b.fail(t, "unknown directive %s within a function", b.textOf(t))
	}
}

// registers declares registers: names, or ranges such as %r<10>.
func (b *body) registers() {
	var like Variable
	b.attributes(&like)
	for more := true; more; more = b.accept(",") {
		name := b.textOf(b.word("the name of a register"))
		if b.accept("<") {
			b.scope.ranges = append(b.scope.ranges, registerRange{name, like.Type, like.Vector, b.number("how many registers")})
			b.expect(">", "the number of registers")
		} else {
			b.scope.registers[name] = &Register{Name: name, Type: like.Type, Vector: like.Vector, Index: -1}
		}
	}
	b.expect(";", "the registers")
}

// register is the register of that name, nil if none is declared.
func (b *body) register(name string) *Register {
	for s := b.scope; s != nil; s = s.outer {
		r := s.registers[name]
		if r == nil {
			r = s.numbered(name)
		}
		if r != nil {
			b.use(r)
			return r
		}
	}
	return nil
}

// use numbers a register that is used for the first time.
func (b *body) use(r *Register) {
	if r.Index < 0 || r.Index >= len(b.f.Registers) || b.f.Registers[r.Index] != r {
		r.Index = len(b.f.Registers)
		b.f.Registers = append(b.f.Registers, r)
	}
}

// numbered is a register of a range.
func (s *scope) numbered(name string) *Register {
	digits := strings.TrimRight(name, "0123456789")
	for _, r := range s.ranges {
		if !strings.HasPrefix(name, r.name) || len(digits) > len(r.name) {
			continue
		}
		n, err := strconv.Atoi(name[len(r.name):])
		if err != nil || n >= r.bound {
			continue
		}
		made := &Register{Name: name, Type: r.typ, Vector: r.vector, Index: -1}
		s.registers[name] = made
		return made
	}
	return nil
}

// table is the labels of the table of that name, nil if there is none.
func (s *scope) table(name string) []token {
	for ; s != nil; s = s.outer {
		if labels := s.tables[name]; labels != nil {
			return labels
		}
	}
	return nil
}

// variable is the variable of that name, nil if none is declared.
func (s *scope) variable(name string) *Variable {
	for ; s != nil; s = s.outer {
		if v := s.vars[name]; v != nil {
			return v
		}
	}
	return nil
}
