package litmus

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// regTypes are the types of registers (PTX ISA, "Fundamental Types").
var regTypes = []string{
	".s8", ".s16", ".s32", ".s64", ".u8", ".u16", ".u32", ".u64", ".b8", ".b16", ".b32", ".b64", ".b128", ".f32", ".f64", ".pred",
}

// registers reads declarations of registers of one thread: "0:r1=x", or
// "0:.reg .s32 r0, r2=1". tok is the thread's number or name.
func (p *parser) registers() bool {
	id, at, ok := p.threadNumber()
	if !ok {
		return false
	}
	typ, ok := p.regType()
	for ok {
		ok = p.register(id, at, typ)
		if typ == "" || !p.accept(comma) {
			break
		}
		if p.atRegister() {
			return p.registers()
		}
	}
	return ok
}

// threadNumber consumes the "0:" or "P0:" before a register.
func (p *parser) threadNumber() (id int, at src.Span, ok bool) {
	at = p.span(p.tok)
	id, ok = threadID(at.Text())
	if !ok {
		p.errorf(at, "expected a thread such as 0 or P0, found %s", at.Text())
		return 0, at, false
	}
	p.advance()
	return id, at, p.expect(colon, ": and a register")
}

// threadID returns the number in the name of a thread: "P0", "T0", or just "0".
func threadID(name string) (id int, ok bool) {
	if isThreadName(name) {
		name = name[1:]
	}
	const longest = 9 // digits that surely fit an int
	if name == "" || len(name) > longest {
		return 0, false
	}
	for i := range len(name) {
		if classes[name[i]] != digit {
			return 0, false
		}
		id = 10*id + int(name[i]-'0')
	}
	return id, true
}

// isThreadName reports whether a word begins with a letter and a digit.
func isThreadName(word string) bool {
	if len(word) < 2 || classes[word[1]] != digit {
		return false
	}
	c := word[0] | 0x20
	return 'a' <= c && c <= 'z'
}

// regType reads ".reg .s32" and returns "s32"; "" if there is no .reg.
func (p *parser) regType() (typ string, ok bool) {
	if !p.at(word) || !strings.HasPrefix(p.str(p.tok), ".reg") {
		return "", true
	}
	typ = strings.TrimPrefix(p.str(p.tok), ".reg") // .reg.s32 is one word
	if typ == "" {
		p.advance()
		typ = p.str(p.tok)
		if !p.at(word) || typ[0] != '.' {
			p.unexpected("the type of a register, such as .s32")
			return "", false
		}
	}
	if !slices.Contains(regTypes, typ) {
		p.errorf(p.span(p.tok), "unknown type %s: expected %s", typ, strings.Join(regTypes, " ")).
			Hint = src.DidYouMean(typ, regTypes)
	}
	p.advance()
	return strings.TrimPrefix(typ, "."), true
}

// register reads one declaration: the name and perhaps a value. The type and the
// value of a register may come in different declarations, each only once.
func (p *parser) register(thread int, at src.Span, typ string) bool {
	name, ok := p.name("a register")
	if !ok {
		return false
	}
	var init *Value
	if p.accept(equal) {
		v, ok := p.value()
		if !ok {
			return false
		}
		init = &v
	}
	r, again := p.regs[regKey{thread, name.Text}]
	switch {
	case !again:
		r = &Register{Name: name}
		p.regs[regKey{thread, name.Text}] = r
		p.test.Registers = append(p.test.Registers, r)
		p.uses = append(p.uses, threadUse{thread, &r.Thread, at})
	case typ != "" && r.Type == "" && (init == nil || r.Init == nil):
	case typ == "" && init != nil && r.Init == nil:
	default:
		p.errorf(name.Span, "register %d:%s is declared twice", thread, name.Text).
			WithHint("the first time on line %d", r.Name.Pos().Line)
		return false
	}
	if typ != "" {
		r.Type = typ
	}
	if init != nil {
		r.Init = init
	}
	return true
}

// resolveThreads turns the numbers of threads in the initial state into indices.
func (p *parser) resolveThreads() {
	for _, use := range p.uses {
		*use.index, _ = p.thread(use.id, use.at)
	}
}
