package litmus

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// initialState reads { item; item; … }. Doc strings may stand between items.
func (p *parser) initialState() {
	if !p.at(lbrace) {
		return // reported by preamble
	}
	open := p.span(p.tok)
	p.advance()
	for !p.at(rbrace) {
		switch {
		case p.at(semi):
			p.advance()
			continue
		case p.at(quote):
			p.doc()
			continue
		}
		register := p.atRegister()
		if p.beginsProgram() {
			p.fatal(open, "end the initial state with }", "this { is never closed")
		}
		if !p.initItem() || !p.itemEnds(register) {
			p.skipItem(open)
		}
	}
	p.advance()
	for p.at(semi) {
		p.advance()
	}
	p.checkAliases()
}

// itemEnds consumes a comma between two items. After a register, a name without a thread is an
// error: it may be meant as a register or as a location.
func (p *parser) itemEnds(register bool) bool {
	if p.at(comma) {
		p.advance()
		if !register || p.atRegister() {
			return true
		}
		p.unexpected("a register such as 0:r1=x after this comma").Hint = "end registers with ; before locations"
		return false
	}
	if !p.at(semi) && !p.at(rbrace) {
		p.unexpected("; or }")
		return false
	}
	return true
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

// beginsProgram reports whether tok, after the initial state, begins the program as the name of the
// first thread: P0@cta 0, P0 | P1 or P0 (int *x).
func (p *parser) beginsProgram() bool {
	if !p.at(word) || !p.tok.first || !isThreadName(p.str(p.tok)) {
		return false
	}
	next := p.peek()
	if next.kind != atSign {
		return next.kind == lparen || next.kind == bar
	}
	level := p.skipBlank(next.end)
	return !slices.Contains(proxies, p.text[level:p.wordEnd(level)])
}

// initItem reads a declaration of a location or of registers.
func (p *parser) initItem() bool {
	first := p.tok.start
	region := p.typeWords()
	switch {
	case p.at(number), p.atRegister():
		return p.registers()
	case p.accept(lbrack):
		name, ok := p.name("the name of a location")
		return ok && p.expect(rbrack, "]") && p.location(name, region)
	case p.at(word) && p.tok.start > first:
		return p.typedLocations(region)
	case p.accept(star): // *x=1: what x, a parameter of threads, points to
		name, ok := p.name("the name of a location")
		return ok && p.location(name, region)
	case p.at(word):
		return p.location(p.ident(), region)
	}
	p.unexpected("a location such as x=1 or a register such as 0:r1=x")
	return false
}

// typedLocations reads what follows a type: "x=1, *p=&x, a[2]".
func (p *parser) typedLocations(region regionWord) bool {
	for {
		name, ok := p.name("the name of a location")
		if !ok || !p.location(name, region) {
			return false
		}
		if !p.accept(comma) {
			return true
		}
		for p.accept(star) {
		}
		switch {
		case p.at(rbrace):
			return true
		case p.atRegister(), p.beforeName(), p.atQualified():
			return p.initItem()
		}
	}
}

// Words before a name.

// cTypes are the words that may stand before a location as its type. What a
// location holds depends on the instructions alone, so they are ignored.
var cTypes = []string{
	"int", "unsigned", "signed", "long", "short", "char", "volatile", "const", "atomic_int",
	"int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
	"bool", "_Bool", "size_t", "ssize_t", "ptrdiff_t", "intptr_t", "uintptr_t", "uchar", "ushort", "uint", "ulong", "_Atomic", "atomic_uint",
	"atomic_long", "atomic_ulong", "atomic_bool", "atomic_flag", "atomic_intptr_t", "atomic_uintptr_t", "atomic_size_t", "atomic_t",
	"atomic_char", "atomic_schar", "atomic_uchar", "atomic_short", "atomic_ushort", "atomic_llong", "atomic_ullong", "atomic_ptrdiff_t",
	"atomic_int32_t", "atomic_uint32_t", "atomic_int64_t", "atomic_uint64_t",
	"mutex", "mtx_t", "pthread_mutex_t", "spinlock_t",
}

// regionWord is a region as a test gives it.
type regionWord struct {
	Region
	at src.Span // nowhere if none is given
}

// typeWords reads the words before a name: a region, and types, which are ignored.
func (p *parser) typeWords() (region regionWord) {
	for p.beforeName() || p.atQualified() {
		name := p.str(p.tok)
		if p.atQualified() {
			p.skipQualified()
			continue
		}
		switch r, ok := p.test.Machine.region(name); {
		case ok && region.at.Valid():
			p.errorf(p.span(p.tok), "a second region")
		case ok:
			region = regionWord{r, p.span(p.tok)}
		case !isType(name):
			p.errorf(p.span(p.tok), "unknown type or region %s", name).
				Hint = src.DidYouMean(name, slices.Concat(p.test.Machine.regionWords(), cTypes, regTypes))
		}
		p.skipType()
	}
	return region
}

// atQualified reports whether tok begins a C++ type in a namespace, such as cuda::atomic<int,
// cuda::thread_scope_device>.
func (p *parser) atQualified() bool {
	return p.at(word) && slices.Contains([]string{"cuda", "std"}, p.str(p.tok)) && p.peek().kind == colon
}

// skipQualified consumes a type in a namespace, with its arguments and the stars of a pointer.
func (p *parser) skipQualified() {
	for p.at(word) && p.peek().kind == colon {
		p.advance()
		for range len("::") {
			if !p.expect(colon, "::") {
				return
			}
		}
	}
	p.advance()
	if p.str(p.tok) == "<" {
		p.bracketed('>')
	}
	for p.accept(star) {
	}
}

// beforeName reports whether tok is a word before the name that is being declared.
func (p *parser) beforeName() bool {
	if !p.at(word) {
		return false
	}
	next := p.peek().kind
	return next == word || next == number || next == star || next == lparen && p.str(p.tok) == "_Atomic"
}

// skipType consumes a word, what _Atomic(…) encloses, and the stars of a pointer.
func (p *parser) skipType() {
	p.advance()
	if p.at(lparen) {
		p.bracketed(')')
	}
	for p.accept(star) {
	}
}

func isType(name string) bool {
	return slices.Contains(cTypes, name) || slices.Contains(regTypes, name)
}

// Locations.

// mention returns the location with a name, and makes it known if it was not.
func (p *parser) mention(name Ident) *declared {
	d := p.locs[name.Text]
	if d == nil {
		d = &declared{Location: &Location{Name: name, Undeclared: true}}
		p.locs[name.Text] = d
		p.test.Locations = append(p.test.Locations, d.Location)
	}
	return d
}

// location reads what follows the name of a location that is being declared.
func (p *parser) location(name Ident, region regionWord) bool {
	d := p.mention(name)
	if p.at(atSign) && p.pos < len(p.text) && classes[p.text[p.pos]] == digit {
		p.errorf(name.Span, "the %s of each CTA begins as the declaration says", name.Text).WithHint("declare %s once, without @", name.Text)
		return false
	}
	if d.at.Valid() {
		p.errorf(name.Span, "%s is declared twice", name.Text).WithHint("the first time on line %d", d.at.Pos().Line)
		return false
	}
	d.at, d.Undeclared = name.Span, false
	if region.at.Valid() {
		d.Region, d.Mapped = region.Region, region.at
	}
	switch {
	case p.at(lbrack):
		return p.array(d.Location)
	case p.at(atSign):
		return p.alias(d.Location)
	case p.accept(equal):
		return p.scalar(d.Location)
	}
	return true
}

// scalar reads the initial value of a location that is no array.
func (p *parser) scalar(l *Location) (ok bool) {
	if p.at(lbrace) {
		values := p.bracketed('}')
		p.errorf(values, "%s is not an array, but has values in braces", l.Name.Text).
			WithHint("write %s = 1, or for an array %s[] = {1, 2}", l.Name.Text, l.Name.Text)
		return true
	}
	l.Init, ok = p.value()
	return ok
}

// maxArray bounds the elements of an array: each is a location to the engine.
const maxArray = 4096

// array reads [size] or [size]={value,…}; tok is the opening bracket.
func (p *parser) array(l *Location) bool {
	p.advance()
	at := p.here()
	if p.accept(rbrack) { // int a[] = {…} has as many elements as are given
		return p.expect(equal, "= and the elements of "+l.Name.Text) && p.allElements(l)
	}
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

// allElements reads the elements of an array without a size.
func (p *parser) allElements(l *Location) bool {
	l.Size = maxArray
	if !p.elements(l) {
		return false
	}
	l.Size = max(1, len(l.Elems))
	return true
}

// elements reads {value, value, …}.
func (p *parser) elements(l *Location) bool {
	if !p.at(lbrace) {
		p.unexpected("{ and the elements of " + l.Name.Text)
		return false
	}
	start := p.tok.start
	p.advance()
	for !p.at(rbrace) {
		v, ok := p.value()
		l.Elems = append(l.Elems, v)
		if ok && !p.at(rbrace) {
			ok = p.expect(comma, ", or }")
		}
		if !ok {
			p.skipElements()
			return false
		}
	}
	p.advance()
	if len(l.Elems) > l.Size {
		p.errorf(p.since(start), "%d values for the %d elements of %s", len(l.Elems), l.Size, l.Name.Text)
		return false
	}
	return true
}

// skipElements skips the brace that ends the elements of an array, so that it is not taken for the
// end of the initial state.
func (p *parser) skipElements() {
	for !p.at(rbrace) && !p.at(semi) && !p.at(bar) && !p.at(eof) {
		p.advance()
	}
	p.accept(rbrace)
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
		return false
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

// checkAliases checks that each alias leads to a location proper, directly or through other
// aliases, and gives it that location's size.
func (p *parser) checkAliases() {
	for _, l := range p.test.Locations {
		if l.Alias == nil {
			continue
		}
		if of := p.aliased(l); of != nil {
			l.Size = of.Size
		} else {
			p.errorf(l.Alias.Of.Span, "%s aliases itself", l.Name.Text).Hint = "an alias names a location, or an alias of one"
		}
	}
}

// aliased returns the location proper that a name denotes, or nil.
func (p *parser) aliased(l *Location) *Location {
	for range p.test.Locations {
		if l.Alias == nil {
			return l
		}
		l = p.locs[l.Alias.Of.Text].Location
	}
	return nil
}
