package kernel

import (
	"slices"

	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// body is the state of reading the instructions of a function.
type body struct {
	*parser
	f        *Function
	scope    *scope
	pending  []string // labels of the next instruction
	labelled src.Span // position of the last of them
	labels   []token  // all labels so far
	targeted int      // number of labels in tables, counted each time that an instruction names the table
	furthest int      // the last instruction to which a branch goes
	calling  bool     // the current instruction is a call, whose operands may be parenthesized lists
}

// functions records the functions that an instruction names.
func (b *body) functions(in *Instr) {
	call := in.Name() == "call"
	for i, o := range in.Ops {
		switch {
		case o.Kind == Reg && call && i < 2: // the list of results may precede the callee
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

// maxInstructions bounds the instructions of a function. No compiler emits more, and reading more
// takes gigabytes.
const maxInstructions = 1 << 19

// body reads the statements of a function and binds its labels.
func (p *parser) body(f *Function, params *scope) {
	head := newScope(params)
	b := &body{parser: p, f: f, scope: head}
	p.place = nil
	f.open, f.params = p.tok, params
	p.expect("{", "the head of a function")
	b.block(f.open)
	f.End = p.tok.start
	if len(b.pending) > 0 &&
		// a branch to the end of the function returns; debug information has labels there, too
		b.furthest == len(f.Instrs) {
		f.Instrs = append(f.Instrs, &Instr{At: b.labelled, Labels: b.pending, Opcode: "ret", Place: p.place})
	}
	for _, o := range head.open {
		if len(p.diags) < maxErrors {
			b.unbound(o)
		}
	}
}

// block reads statements to the brace that closes the one at open.
func (b *body) block(open token) {
	b.scope = newScope(b.scope)
	defer b.leave()
	for !b.accept("}") && len(b.diags) < maxErrors {
		if b.tok.kind == eof {
			if len(b.f.Instrs) == maxInstructions { // the error has been reported
				break
			}
			b.diags.Errorf(b.span(b.file, open), "the block that begins here never ends").WithHint("end it with }")
			break
		}
		b.guarded(b.statement)
	}
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

// label reads what follows a label: the next instruction, or the table or prototype that the label
// names.
func (b *body) label(t token) {
	switch {
	case b.accept(".branchtargets"):
		b.declare(t, b.targets())
	case b.at(".callprototype"), b.at(".calltargets"):
		for !b.accept(";") {
			if b.tok.kind == eof {
				b.fail(t, "the table %s never ends", b.textOf(t))
			}
			b.advance()
		}
		b.declare(t, &Variable{At: b.span(b.file, t), Name: b.textOf(t)})
	default:
		b.declare(t, label(len(b.f.Instrs)))
		b.labelled = b.span(b.file, t)
		b.pending = append(b.pending, b.textOf(t))
	}
}

// targets reads the labels of a table.
func (b *body) targets() (labels table) {
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
			b.declare(token{word, v.At.Start, v.At.End}, v)
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
	b.typed(&like)
	for more := true; more; more = b.accept(",") {
		t := b.word("the name of a register")
		name := b.textOf(t)
		if b.accept("<") {
			b.scope.ranges = append(b.scope.ranges, registerRange{name, like.Type, like.Vector, b.number(registers)})
			b.expect(">", "the number of registers")
		} else {
			b.declare(t, &Register{Name: name, Type: like.Type, Vector: like.Vector, Index: -1})
		}
	}
	b.expect(";", "the registers")
}
