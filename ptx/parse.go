package ptx

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// Parse reads the instruction of a cell, in a test with the given header (GPU_PTX or PTX): labels,
// an optional guard, an opcode with modifiers, and operands. It returns the labels in front of the
// instruction, and the instruction or nil. Errors are src.Diagnostics.
func Parse(cell litmus.Cell, arch string) (labels []src.Span, in *Instr, err error) {
	return readCell(cell, arch, nil)
}

// readCell reads the instruction of a cell. It reports labels, blocks and their registers to c
// unless c is nil.
func readCell(cell litmus.Cell, arch string, c *column) (labels []src.Span, in *Instr, err error) {
	p := &parser{dialect: dialects[arch], cell: cell.Span, text: cell.Masked(), column: c}
	defer func() {
		if r := recover(); r != nil {
			d, ok := r.(*src.Diagnostic)
			if !ok {
				panic(r)
			}
			in, err = nil, src.Diagnostics{d}
		}
	}()
	p.next()
	labels = p.prefix()
	switch {
	case p.tok.kind == end:
		return labels, nil, nil
	case p.tok.text == declares: // what no block declares needs no declaration
		c.declare(p.text[p.pos:])
		return labels, nil, nil
	}
	in = p.instruction()
	if p.tok.kind != end {
		p.fail(p.tok, "expected the end of the instruction").
			WithHint("each cell of the table holds one instruction")
	}
	return labels, in, nil
}

// prefix reads the labels and the braces before an instruction.
func (p *parser) prefix() (labels []src.Span) {
	for {
		switch {
		case p.tok.is("{"):
			p.column.enter()
		case p.tok.is("}"):
			p.column.leave()
		case p.tok.kind == word && p.peekByte() == ':':
			labels = append(labels, p.tok.at)
			p.column.label(p.tok)
			p.next()
		default:
			return labels
		}
		p.next()
	}
}

// parser reads one cell. Its methods panic with a *src.Diagnostic, which Parse
// recovers.
type parser struct {
	*dialect
	cell   src.Span
	text   string
	pos    int // just past tok
	tok    token
	column *column // nil for a cell alone
}

// failure delays the panic until the message is complete.
type failure struct{ *src.Diagnostic }

func (f failure) WithHint(format string, args ...any) { panic(f.Diagnostic.WithHint(format, args...)) }

func (f failure) stop() { panic(f.Diagnostic) }

// fail starts an error about a token: "expected …, found …".
func (p *parser) fail(t token, expected string) failure {
	return failure{src.Errorf(t.at, "%s, found %s", expected, t)}
}

func (p *parser) expect(punctuation, role string) {
	if !p.tok.is(punctuation) {
		p.fail(p.tok, "expected \""+punctuation+"\" "+role).stop()
	}
	p.next()
}

func (p *parser) instruction() *Instr {
	in := &Instr{At: p.cell}
	if p.tok.is("@") {
		in.Guard = p.guard()
	}
	if p.tok.kind != word {
		f := p.fail(p.tok, "expected an instruction")
		if looksLikeC(p.text) {
			f.WithHint(inC)
		}
		f.stop()
	}
	in.At = p.cell.Sub(p.tok.at.Start-p.cell.Start, len(p.text))
	p.opcode(in)
	if in.Op.Form != nil {
		p.formOperands(in)
	} else {
		p.operands(in)
	}
	in.compile()
	return in
}

func (p *parser) guard() *Guard {
	p.next()
	g := &Guard{}
	if p.tok.is("!") {
		g.Negated = true
		p.next()
	}
	g.Reg = p.name("a predicate register after @")
	return g
}

// opcode reads "ld.volatile.s32": the name and its modifiers.
func (p *parser) opcode(in *Instr) {
	t := p.tok
	p.next()
	parts := strings.Split(t.text, ".")
	in.Opcode, in.name = t.text, parts[0]
	op, err := p.Decode(t.text)
	var wrong *isa.Error
	switch {
	case errors.As(err, &wrong) && wrong.Unknown:
		p.unknown(in.name, t.at.Sub(0, len(in.name)))
	case wrong != nil:
		failure{in.refusal(wrong)}.stop()
	}
	in.Op = *op
}

// refusal returns an error about the opcode of an instruction.
func (in *Instr) refusal(wrong *isa.Error) *src.Diagnostic {
	at, hint := in.At.Sub(wrong.Start, wrong.End), wrong.Hint
	if wrong.Start > 0 { // a modifier, with its dot
		at = in.At.Sub(wrong.Start-1, wrong.End)
	}
	if wrong.Takes != nil {
		name := in.Opcode[wrong.Start:wrong.End]
		if about, known := refused[name]; known {
			hint = about + "; " + hint
		} else if near := src.Nearest(name, wrong.Takes); near != "" && len(name) > len(".ca") {
			hint = "did you mean ." + near + "? " + hint
		}
	}
	d := src.Errorf(at, "%s", wrong.What)
	if hint == "" {
		return d
	}
	return d.WithHint("%s", hint)
}

// unknown reports an instruction that the dialect does not have.
func (p *parser) unknown(name string, at src.Span) {
	hint := src.DidYouMean(name, p.Names())
	if other := p.others(name); other != "" {
		hint = name + " belongs to tests that begin with " + other
	}
	if about, known := refused[name]; known {
		hint = about
	}
	if looksLikeC(p.text) {
		hint = inC
	}
	if hint == "" {
		hint = p.arch + " tests have " + strings.Join(p.Names(), " ")
	}
	failure{src.Errorf(at, "unknown instruction %q", clip(name))}.WithHint("%s", hint)
}

// inC is the message for C statements in place of PTX instructions.
const inC = "this is C: a test with the header CUDA, OPENCL or C has functions for threads, such as P0 (int *x) { … }, and muster translate makes PTX of it"

// looksLikeC reports whether a cell begins like a C statement rather than an instruction: *x = 1,
// int r, r = 1, x->store(1), f(x).
func looksLikeC(cell string) bool {
	cell = strings.TrimSpace(cell)
	end := strings.IndexFunc(cell, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	if end < 0 {
		return false
	}
	word, rest := cell[:end], strings.TrimSpace(cell[end:])
	switch {
	case word == "":
		return rest[0] == '*'
	case word == "int" || word == "unsigned" || word == "bool":
		return true
	}
	return slices.ContainsFunc([]string{"=", "(", "->", "::"}, func(s string) bool { return strings.HasPrefix(rest, s) })
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// operands reads what the opcode's signature asks for.
func (p *parser) operands(in *Instr) {
	sig := in.Op.Operands()
	if !p.bare {
		sig = strings.ReplaceAll(sig, "m", "a")
	}
	if in.Op.Combine != isa.NoUpdate {
		sig += "c"
	}
	if in.Op.Meeting == isa.Reduce && in.Op.Update != isa.NoUpdate {
		p.reduction(in)
		return
	}
	for i := 0; i < len(sig); i++ {
		optional := i+1 < len(sig) && sig[i+1] == '?'
		if p.tok.kind == end && optional {
			break
		}
		if i > 0 {
			p.expect(",", "before "+operandRole[sig[i]])
		}
		if i == 1 && sig[i] == 'a' && p.tok.kind == number {
			p.fail(p.tok, "expected an address").WithHint("the register that %s sets comes first: %s r0, [x], %s", in.name, in.Opcode, p.tok.text)
		}
		p.operand(in, sig[i])
		if optional {
			i++
		}
	}
	if in.Op.Policy {
		p.policy(in)
	}
}

// reduction reads d, a{, b}, {!}p of a barrier that reduces the predicates of its threads.
func (p *parser) reduction(in *Instr) {
	d := p.name(operandRole['d'])
	in.Dst = &d
	for in.Vote == nil {
		p.expect(",", "before a barrier, a number of threads or a predicate")
		not := p.tok.is("!")
		if not {
			p.next()
		}
		o := p.source()
		if p.tok.is(",") && !not {
			in.Srcs = append(in.Srcs, o)
			continue
		}
		o.Not = not
		in.Vote = &o
	}
}

// policy drops the cache policy, which is a hint, from the end of the operands.
func (p *parser) policy(in *Instr) {
	if n := len(in.Srcs); p.tok.kind == end && n > 0 && strings.HasSuffix(in.Op.Operands(), "?") {
		in.Srcs = in.Srcs[:n-1] // taken for an optional operand
		return
	}
	p.expect(",", "before a cache policy")
	p.name("a cache policy")
}

var operandRole = map[byte]string{
	'd': "a destination register", 's': "a register or constant", 'a': "an address in brackets", 'l': "a label",
	'm': "an address", 'i': "a constant", 'c': "a predicate to combine with, perhaps with ! before it",
}

func (p *parser) operand(in *Instr, kind byte) {
	if p.tok.is("{") && (kind == 'd' || kind == 's') && (in.Op.Vector > 0 || in.mayPack()) {
		p.several(in, kind)
		return
	}
	switch kind {
	case 'd':
		o := p.name(operandRole[kind])
		in.Dst = &o
		if p.tok.is("|") && in.Op.Code == isa.Setp {
			p.next()
			in.Op.Pair, in.More = true, []Operand{p.name(operandRole[kind])}
		}
	case 's':
		in.Srcs = append(in.Srcs, p.source())
	case 'c':
		not := p.tok.is("!")
		if not {
			p.next()
		}
		in.Srcs = append(in.Srcs, p.source())
		in.Srcs[len(in.Srcs)-1].Not = not
	case 'i':
		if p.tok.kind != number {
			p.fail(p.tok, "expected "+operandRole[kind]).stop()
		}
		in.Srcs = append(in.Srcs, p.immediate())
	case 'a':
		in.Addr = p.address()
	case 'm':
		p.loaded(in)
	case 'l':
		o := p.name(operandRole[kind])
		in.Target = &o
	}
	if in.Op.Vector > 0 && (kind == 'd' || kind == 's') {
		failure{src.Errorf(in.At, "%s takes a list of %d registers", in.Opcode, in.Op.Vector)}.
			WithHint("write {r1,r2} for .v2")
	}
}

// mayPack reports whether in may pack several values into one or unpack one: mov.b64 d,{a,b} and
// mov.b64 {a,b},d (PTX ISA, "mov").
func (in *Instr) mayPack() bool {
	return in.Op.Code == isa.Mov && in.Op.Dialect != isa.Litmus2015 && len(in.Op.Types) == 1
}

// several reads the list in place of an operand: the elements of a vector access, or the parts that
// mov packs or unpacks.
func (p *parser) several(in *Instr, kind byte) {
	switch list := p.vector; {
	case in.Op.Vector > 0 && in.Op.Class() == isa.ClassAtomic && kind == 'd':
		all := list(in.Op.Vector)
		in.Dst, in.More = &all[0], all[1:]
		return
	case in.Op.Vector > 0 && in.Op.Class() == isa.ClassAtomic:
		in.Srcs = list(in.Op.Vector)
		return
	case in.Op.Vector > 0:
		in.Vector = list(in.Op.Vector)
		return
	}
	open := p.tok
	parts := p.vector(0)
	in.Packs = true
	switch bits := in.Type(0).Bits / len(parts); {
	case len(parts) != 2 && len(parts) != 4 || bits < 8 || in.Size() > 64 || in.modifier(isa.TypeMod).Text()[1] != 'b':
		failure{src.Errorf(open.at.To(p.tok.at), "%s has no %d parts", in.Opcode, len(parts))}.
			WithHint("mov.b32 has two parts of 16 bits or four of 8, mov.b64 two of 32 or four of 16")
	case kind == 's':
		in.Srcs = parts
	default:
		in.Vector = parts
	}
}

// vector reads {r1,r2,…} with n elements, or with any number of elements if n is 0.
func (p *parser) vector(n int) []Operand {
	open := p.tok
	p.next()
	var elems []Operand
	for {
		elems = append(elems, p.source())
		if !p.tok.is(",") {
			break
		}
		p.next()
	}
	if n > 0 && len(elems) != n {
		failure{src.Errorf(open.at.To(p.tok.at), "a list of %d registers, where the vector has %d", len(elems), n)}.stop()
	}
	p.expect("}", "after the list of registers")
	return elems
}

// loaded reads what a load reads: an address, or in litmus tests a value to move.
func (p *parser) loaded(in *Instr) {
	if p.tok.kind == number {
		in.Srcs = append(in.Srcs, p.immediate())
		return
	}
	in.Addr = p.address()
}

func (p *parser) name(role string) Operand {
	t := p.tok
	if t.kind != word || strings.Contains(t.text, ".") {
		f := p.fail(t, "expected "+role)
		if t.is("{") {
			f.WithHint("lists of registers are for accesses with .v2 or .v4, in tests that begin with PTX")
		}
		f.stop()
	}
	p.next()
	return Operand{Text: t.text, At: t.at}
}

func (p *parser) source() Operand {
	t := p.tok
	switch {
	case t.kind == number:
		return p.immediate()
	case t.kind == word && t.text[0] == '%': // perhaps a special register, such as %tid.x
		p.next()
		return Operand{Text: t.text, At: t.at}
	}
	return p.name(operandRole['s'])
}

func (p *parser) immediate() Operand {
	t := p.tok
	p.next()
	text := strings.TrimRight(t.text, "uU")
	if bits, ok := floatBits(text); ok {
		return Operand{Kind: Immediate, Int: bits, Text: t.text, At: t.at}
	}
	i, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		u, uerr := strconv.ParseUint(text, 0, 64)
		if uerr != nil {
			f := p.fail(t, "expected a constant of at most 64 bits")
			if strings.Contains(text, ".") {
				f.WithHint("numbers of floating point are bits here: 1.0 is 0f3F800000")
			}
			f.stop()
		}
		i = int64(u)
	}
	return Operand{Kind: Immediate, Int: i, Text: t.text, At: t.at}
}

// floatBits reads a constant of floating point as its bits: 0f3F800000 or 0d and 16 digits (PTX
// ISA, "Floating-Point Constants").
func floatBits(text string) (bits int64, ok bool) {
	for prefix, digits := range map[string]int{"0f": 8, "0d": 16} {
		if hex, found := strings.CutPrefix(strings.ToLower(text), prefix); found && len(hex) == digits {
			u, err := strconv.ParseUint(hex, 16, 64)
			return int64(u), err == nil
		}
	}
	return 0, false
}

// address reads [r], [x], [r+4] or [x-4]; in some dialects also x, x+4 and x[1].
func (p *parser) address() *Operand {
	open := p.tok
	if p.bare && open.kind == word {
		return p.bareAddress()
	}
	return p.place()
}

// offset reads the +4 or -4 after a name.
func (p *parser) offset(o *Operand) {
	switch {
	case p.tok.is("+"):
		p.next()
		if p.tok.kind != number {
			p.fail(p.tok, "expected an offset in bytes").stop()
		}
		o.Offset = p.immediate().Int
	case p.tok.kind == number && p.tok.text[0] == '-':
		o.Offset = p.immediate().Int
	}
}

// bareAddress reads the name of a location, perhaps with an offset or an index.
func (p *parser) bareAddress() *Operand {
	o := p.name("a location")
	o.Bare = true
	if p.tok.is("[") {
		p.next()
		if p.tok.kind != number {
			p.fail(p.tok, "expected the number of an element").stop()
		}
		o.Offset = p.immediate().Int * event.ElemSize
		o.At = o.At.To(p.tok.at)
		p.expect("]", "after the number of an element")
		return &o
	}
	p.offset(&o)
	return &o
}
