package litmus

import (
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// initialState reads { item; item; … }.
func (p *parser) initialState() {
	if !p.at(lbrace) {
		return // reported by preamble
	}
	open := p.span(p.tok)
	p.advance()
	for !p.at(rbrace) {
		if p.at(semi) {
			p.advance()
			continue
		}
		if !p.initItem() {
			p.skipItem(open)
		} else if !p.at(semi) && !p.at(rbrace) {
			p.unexpected("; or }")
			p.skipItem(open)
		}
	}
	p.advance()
	p.checkAliases()
}

// skipItem goes to the end of an item of the initial state. A | can only mean that
// the program has begun: reading on would report every line of it.
func (p *parser) skipItem(open src.Span) {
	for !p.at(semi) && !p.at(rbrace) {
		if p.at(bar) || p.at(eof) {
			p.fatal(open, "end the initial state with }", "this { is never closed")
		}
		p.advance()
	}
}

// initItem reads a declaration of a location or of registers.
func (p *parser) initItem() bool {
	region := p.typeWords()
	switch {
	case p.at(number), p.at(word) && p.peek().kind == colon:
		return p.registers()
	case p.accept(lbrack):
		name, ok := p.name("the name of a location")
		return ok && p.expect(rbrack, "]") && p.location(name, region)
	case p.at(word):
		return p.location(p.ident(), region)
	}
	p.unexpected("a location such as x=1 or a register such as 0:r1=x")
	return false
}

// Words before a name.

// cTypes are the words that may stand before a location as its type. What a
// location holds depends on the instructions alone, so they are ignored.
var cTypes = []string{
	"int", "unsigned", "signed", "long", "short", "char", "volatile", "const", "atomic_int",
	"int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
}

// regTypes are the types of registers (PTX ISA, "Fundamental Types"), without those
// of floating point, which no instruction of a litmus test computes with.
var regTypes = []string{
	".s8", ".s16", ".s32", ".s64", ".u8", ".u16", ".u32", ".u64", ".b8", ".b16", ".b32", ".b64", ".pred",
}

// regionWord is a region as a test gives it.
type regionWord struct {
	Region
	at src.Span // nowhere if none is given
}

// regionOf is the region that a word names; OpenCL says local where PTX says shared.
func regionOf(name string) (r Region, ok bool) {
	switch strings.TrimPrefix(name, ".") {
	case "global":
		return Global, true
	case "shared", "local":
		return Shared, true
	}
	return Global, false
}

var regionWords = []string{"global", "shared", "local"}

// typeWords reads what stands before a name: a region, and types, which say nothing.
func (p *parser) typeWords() (region regionWord) {
	for p.at(word) {
		if k := p.peek().kind; k != word && k != number && k != star {
			break // this is the name
		}
		name := p.str(p.tok)
		if r, ok := regionOf(name); ok {
			region = regionWord{r, p.span(p.tok)}
		} else if !isType(name) {
			p.errorf(p.span(p.tok), "unknown type or region %s", name).Hint = src.DidYouMean(name, slices.Concat(regionWords, cTypes, regTypes))
		}
		p.advance()
		for p.accept(star) {
		}
	}
	return region
}

func isType(name string) bool {
	return slices.Contains(cTypes, name) || slices.Contains(regTypes, name)
}

// Locations.

// mention returns the location of that name, which becomes known if it was not.
func (p *parser) mention(name Ident) *declared {
	d := p.locs[name.Text]
	if d == nil {
		d = &declared{Location: &Location{Name: name}}
		p.locs[name.Text] = d
		p.test.Locations = append(p.test.Locations, d.Location)
	}
	return d
}

// location reads what follows the name of a location that is being declared.
func (p *parser) location(name Ident, region regionWord) bool {
	d := p.mention(name)
	if d.at.Valid() {
		p.errorf(name.Span, "%s is declared twice", name.Text).WithHint("the first time on line %d", d.at.Pos().Line)
		return false
	}
	d.at = name.Span
	if region.at.Valid() {
		d.Region, d.Mapped = region.Region, region.at
	}
	switch {
	case p.at(lbrack):
		return p.array(d.Location)
	case p.at(atSign):
		return p.alias(d.Location)
	case p.accept(equal):
		v, ok := p.value()
		d.Init = v
		return ok
	}
	return true
}

// maxArray bounds the elements of an array: each is a location to the engine.
const maxArray = 4096

// array reads [size] or [size]={value,…}; tok is the opening bracket.
func (p *parser) array(l *Location) bool {
	p.advance()
	at := p.here()
	n, ok := p.integer()
	if !ok {
		return false
	}
	if n < 1 || n > maxArray {
		p.errorf(at, "an array has 1 to %d elements, not %d", maxArray, n)
		return false
	}
	l.Size = int(n)
	if !p.expect(rbrack, "]") {
		return false
	}
	return !p.accept(equal) || p.elements(l)
}

// elements reads {value, value, …}.
func (p *parser) elements(l *Location) bool {
	if !p.at(lbrace) {
		p.unexpected("{ and the elements of " + l.Name.Text)
		return false
	}
	open := p.span(p.tok)
	p.advance()
	for !p.at(rbrace) {
		v, ok := p.value()
		if !ok {
			return false
		}
		l.Elems = append(l.Elems, v)
		if !p.at(rbrace) && !p.expect(comma, ", or }") {
			return false
		}
	}
	all := open.To(p.span(p.tok))
	p.advance()
	if len(l.Elems) > l.Size {
		p.errorf(all, "%d values for the %d elements of %s", len(l.Elems), l.Size, l.Name.Text)
		return false
	}
	return true
}

var proxies = []string{"generic", "surface", "texture", "constant"}

// alias reads @ PROXY aliases LOCATION; tok is the @.
func (p *parser) alias(l *Location) bool {
	p.advance()
	proxy, ok := p.name("a proxy: " + strings.Join(proxies, ", "))
	if !ok {
		return false
	}
	if !slices.Contains(proxies, proxy.Text) {
		d := p.errorf(proxy.Span, "unknown proxy %s: expected %s", proxy.Text, strings.Join(proxies, ", "))
		d.Hint = src.DidYouMean(proxy.Text, proxies)
	}
	if !p.at(word) || p.str(p.tok) != "aliases" {
		p.unexpected("aliases")
		return false
	}
	p.advance()
	of, ok := p.name("the location that " + l.Name.Text + " is another name of")
	if ok {
		p.mention(of)
		l.Alias = &Alias{Proxy: proxy, Of: of}
	}
	return ok
}

// checkAliases makes sure that each alias names a location proper, and gives it
// that location's size.
func (p *parser) checkAliases() {
	for _, l := range p.test.Locations {
		if l.Alias == nil {
			continue
		}
		of := p.locs[l.Alias.Of.Text]
		if of.Alias != nil {
			p.errorf(l.Alias.Of.Span, "%s is itself an alias: name what it aliases", of.Name.Text)
		}
		l.Size = of.Size
	}
}

// Registers.

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

// threadID is the number in the name of a thread: "P0", "T0", or just "0".
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

// isThreadName reports that a word is a letter and a digit at least.
func isThreadName(word string) bool {
	return len(word) > 1 && classes[word[0]] == letter && classes[word[1]] == digit
}

// regType reads ".reg .s32" and returns "s32"; "" if there is no .reg.
func (p *parser) regType() (typ string, ok bool) {
	if !p.at(word) || !strings.HasPrefix(p.str(p.tok), ".reg") {
		return "", true
	}
	typ = strings.TrimPrefix(p.str(p.tok), ".reg") // .reg.s32 is one word
	if typ == "" {
		p.advance()
		if !p.at(word) {
			p.unexpected("the type of a register, such as .s32")
			return "", false
		}
		typ = p.str(p.tok)
	}
	if !slices.Contains(regTypes, typ) {
		p.errorf(p.span(p.tok), "unknown type %s: expected %s", typ, strings.Join(regTypes, " ")).Hint = src.DidYouMean(typ, regTypes)
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

// Values.

// value reads what a location or register is initialised to. An address makes its
// location known.
func (p *parser) value() (Value, bool) {
	v, name, ok := p.constant()
	if v.Loc != "" {
		p.mention(name)
	}
	return v, ok
}

// constant reads an integer, or an address such as x, &x or &x+4; name is the
// location of an address.
func (p *parser) constant() (v Value, name Ident, ok bool) {
	if p.at(number) || p.at(minus) || p.at(plus) {
		v.Int, ok = p.integer()
		return v, name, ok
	}
	p.accept(ampersand)
	if name, ok = p.name("an integer or the name of a location"); !ok {
		return v, name, false
	}
	v.Loc = name.Text
	if p.at(minus) || p.at(plus) {
		v.Int, ok = p.integer()
	}
	return v, name, ok
}

// integer reads a signed integer.
func (p *parser) integer() (int64, bool) {
	sign := ""
	if p.at(minus) || p.at(plus) {
		sign = p.str(p.tok)
		p.advance()
	}
	if !p.at(number) {
		p.unexpected("an integer")
		return 0, false
	}
	n, err := parseInt(sign + p.str(p.tok))
	if err != nil {
		p.errorf(p.span(p.tok), "%s is not an integer of 64 bits", p.str(p.tok))
		return 0, false
	}
	p.advance()
	return n, true
}

// parseInt reads a decimal or hexadecimal integer with an optional sign. A
// hexadecimal one is a pattern of 64 bits: 0xffffffffffffffff is -1.
func parseInt(s string) (int64, error) {
	digits := strings.TrimLeft(s, "+-")
	if len(digits) < 3 || digits[0] != '0' || digits[1]|0x20 != 'x' {
		return strconv.ParseInt(s, 10, 64)
	}
	bits, err := strconv.ParseUint(digits[2:], 16, 64)
	n := int64(bits)
	if s[0] == '-' {
		n = -n
	}
	return n, err
}
