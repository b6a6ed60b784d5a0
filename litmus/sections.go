package litmus

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// The keywords of the sections after the program, besides the levels that begin a scope tree and
// the names that begin a memory map.
const (
	scopeTreeKeyword = "ScopeTree"
	locationsKeyword = "locations"
	filterKeyword    = "filter"
	notKeyword       = "not" // as in "not exists"
)

var quantifiers = map[string]Quantifier{"exists": Exists, "forall": Forall, "final": Final}

var sectionKeywords = []string{
	"exists", "forall", "final", scopeTreeKeyword, locationsKeyword, filterKeyword, notKeyword,
}

// sections reads what follows the program, in any order. Semicolons may end them.
func (p *parser) sections() {
	for !p.at(eof) {
		start := p.tok.start
		if !p.section() {
			p.skipToSection(start)
			continue
		}
		for p.accept(semi) {
		}
	}
}

func (p *parser) section() bool {
	switch {
	case p.at(lparen), p.atLevel():
		return p.scopeTree(p.tok.start)
	case p.at(tilde), p.at(bang):
		return p.condition(notKeyword)
	case p.atMapping():
		return p.memoryMap()
	case !p.at(word):
		p.unexpected(sectionForms)
		return false
	}
	switch keyword := p.sectionKeyword(); keyword {
	case scopeTreeKeyword:
		start := p.tok.start
		p.advance()
		return p.scopeTree(start)
	case locationsKeyword:
		return p.locations()
	case filterKeyword:
		return p.filter()
	case "":
		return false
	default:
		return p.condition(keyword)
	}
}

const sectionForms = "a scope tree, a memory map, locations, filter or a final condition"

// sectionKeyword returns the keyword that tok is, or resembles: after a misspelt keyword the rest
// can still be checked.
func (p *parser) sectionKeyword() string {
	name := p.str(p.tok)
	if slices.Contains(sectionKeywords, name) {
		return name
	}
	if strings.EqualFold(name, scopeTreeKeyword) {
		return scopeTreeKeyword
	}
	p.unexpected(sectionForms).Hint = src.DidYouMean(name, slices.Concat(sectionKeywords, p.test.Machine.levelWords()))
	return src.Nearest(name, sectionKeywords)
}

// skipToSection goes to the next line that seems to begin a section, other than the
// one that starts here.
func (p *parser) skipToSection(start int) {
	p.lost = true
	for !p.at(eof) && (p.tok.start == start || !p.atSection()) {
		p.advance()
	}
}

// atSection reports whether tok begins a line that begins a section.
func (p *parser) atSection() bool { return p.tok.first && p.startsSection(p.tok.start) }

// startsSection reports whether the text at i, at the start of a line or after a semicolon, is not
// a row of the program. No instruction begins like a section.
func (p *parser) startsSection(i int) bool {
	rest := p.text[i:]
	if strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "~") || strings.HasPrefix(rest, "!") {
		return true
	}
	end := p.wordEnd(i)
	name := p.text[i:end]
	if name == "" {
		return false
	}
	after := p.skipBlank(end)
	switch rest = p.text[after:]; name {
	case "exists", "forall", "final", locationsKeyword, filterKeyword:
		return true
	case notKeyword:
		return strings.HasPrefix(rest, "exists")
	}
	if strings.HasPrefix(rest, ":") {
		return p.namesRegion(after + 1)
	}
	if _, level := p.test.Machine.level(name); level || strings.EqualFold(name, scopeTreeKeyword) {
		return true
	}
	return strings.HasPrefix(rest, "(") && !isRow(rest)
}

// isRow reports whether the first line of text contains a mark that ends cells, as a C call in a
// row does. The front end then says what to write there.
func isRow(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	line, _, _ = strings.Cut(line, "//")
	return strings.ContainsAny(strings.ReplaceAll(line, "||", ""), "|;")
}

// namesRegion reports whether after a name and a colon, a region stands at i, or what
// seems to be meant as one: if not, the name is a label.
func (p *parser) namesRegion(i int) bool {
	i = p.skipBlank(i)
	end := p.wordEnd(i)
	name := p.text[i:end]
	if _, ok := p.test.Machine.region(name); ok {
		return true
	}
	return src.Nearest(name, p.test.Machine.regionWords()) != "" || strings.HasPrefix(p.text[end:], ",")
}

// The memory map.

// atMapping reports whether tok begins "x: shared". The paper's figures write "final:".
func (p *parser) atMapping() bool {
	return p.at(word) && p.peek().kind == colon && p.str(p.tok) != "final"
}

// memoryMap reads "x: shared, y: global". Commas may be semicolons or left out.
func (p *parser) memoryMap() bool {
	start := p.tok.start
	for p.atMapping() {
		name := p.ident()
		p.advance() // the colon
		if !p.mapping(name) {
			return false
		}
		for p.accept(comma) || p.accept(semi) {
		}
	}
	p.test.frame.placesAt(start, p.tok.start)
	return true
}

// mapping reads the region of a location.
func (p *parser) mapping(name Ident) bool {
	m := &p.test.Machine
	expected := alternatives(m.regionNames())
	to, ok := p.name(expected)
	if !ok {
		return false
	}
	region, ok := m.region(to.Text)
	if !ok {
		p.errorf(to.Span, "unknown region %s: expected %s", to.Text, expected).
			Hint = src.DidYouMean(to.Text, m.regionWords())
		return true
	}
	d := p.mention(name)
	switch {
	case d.mapped:
		p.errorf(name.Span, "%s is mapped twice", name.Text).WithHint("the first time on line %d", d.Mapped.Pos().Line)
	case d.Mapped.Valid() && d.Region != region:
		p.errorf(to.Span, "%s is %s here, and %s in the initial state", name.Text, m.Regions[region].Name, m.Regions[d.Region].Name).
			WithHint("the initial state says so on line %d", d.Mapped.Pos().Line)
	}
	d.mapped, d.Region, d.Mapped, d.Undeclared = true, region, to.Span, false
	return true
}

// Clauses.

// locations reads "locations [x; 0:r1; int y;]". Types are ignored.
func (p *parser) locations() bool {
	if p.test.Observed != nil {
		p.errorf(p.here(), "a second locations clause")
	}
	p.advance()
	if !p.expect(lbrack, "[ and what to show of the final states") {
		return false
	}
	for !p.accept(rbrack) {
		if p.accept(semi) {
			continue
		}
		if !p.observed() {
			return false
		}
		if !p.at(semi) && !p.at(rbrack) {
			p.unexpected("; or ]")
			return false
		}
	}
	return true
}

// observed reads one item of a locations clause. An array stands for its elements.
func (p *parser) observed() bool {
	for p.beforeName() && isType(p.str(p.tok)) {
		p.skipType()
	}
	r, ok := p.ref()
	if !ok {
		return false
	}
	for p.at(star) || p.at(word) && isType(p.str(p.tok)) {
		p.skipType()
	}
	if r.Index != wholeArray {
		p.test.Observed = append(p.test.Observed, r)
		return true
	}
	for r.Index = range p.declaration(&r).Size {
		p.test.Observed = append(p.test.Observed, r)
	}
	return true
}

// filter reads "filter PROP".
func (p *parser) filter() bool {
	if p.test.Filter != nil {
		p.errorf(p.here(), "a second filter")
	}
	p.advance()
	p.test.Filter = p.proposition()
	return p.test.Filter != nil
}

// checkEnd reports missing sections.
func (p *parser) checkEnd() {
	if p.test.Cond.Prop == nil && !p.lost {
		p.errorf(p.here(), "expected a final condition such as exists (0:r1=0)").
			Hint = "forall (true) only lists the final states"
	}
	if frame := &p.test.frame; frame.rest == 0 {
		frame.placesAt(p.test.Cond.At.Start, p.test.Cond.At.Start)
	}
	p.regionsOfAliases()
	p.checkScopes()
}

// regionsOfAliases gives each alias the region of the location that it names.
func (p *parser) regionsOfAliases() {
	for _, l := range p.test.Locations {
		if l.Alias == nil {
			continue
		}
		of := p.aliased(l)
		if of == nil {
			continue // reported by checkAliases
		}
		if l.Mapped.Valid() && l.Region != of.Region {
			regions := p.test.Machine.Regions
			p.errorf(l.Mapped, "%s is %s, but it aliases %s, which is %s", l.Name.Text, regions[l.Region].Name, of.Name.Text, regions[of.Region].Name)
		}
		l.Region = of.Region
	}
}
