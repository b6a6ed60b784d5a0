package litmus

import (
	"cmp"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/language/inputs"
	"github.com/muster-gpu/muster/src"
)

// Parse reads a test with the header of one of the formats. The error is a src.Diagnostics with all
// errors, or nil.
//
// Parse does not check the instructions, nor whether the registers and locations in the condition
// are ever used.
func Parse(f *src.File, formats []*Format) (t *Test, err error) {
	p := &parser{
		formats: formats,
		scanner: scanner{file: f, text: f.Text},
		test:    &Test{File: f},
		locs:    make(map[string]*declared),
		regs:    make(map[regKey]*Register),
		columns: make(map[int]int),
	}
	defer func() {
		switch r := recover(); r {
		case nil:
		case bailout{}:
			t, err = nil, p.errs.Err()
		default:
			panic(r)
		}
	}()
	p.everything()
	if err := p.errs.Err(); err != nil {
		return nil, err
	}
	return p.test, nil
}

// parser reads a test by recursive descent, one token ahead. Its methods leave tok
// at the first token they have not consumed; those that return false have reported
// an error, and their caller skips to where it can go on.
type parser struct {
	scanner
	formats []*Format

	tok   token
	last  int // where the token before tok ends
	test  *Test
	depth int // of nested parentheses and negations

	locs    map[string]*declared
	regs    map[regKey]*Register
	columns map[int]int // from the number in a thread's name to its index

	uses []threadUse // of threads in the initial state, resolved after the program is read

	badThreads bool // some column has no usable name, so numbers cannot be checked
	lost       bool // something after the program was skipped, so what is missing cannot be reported
}

// declared is what is known about a location while parsing.
type declared struct {
	*Location
	at     src.Span // where the initial state declares it; nowhere if it does not
	mapped bool     // by the memory map
}

// regKey identifies a register before the program is known.
type regKey struct {
	thread int // the number in the thread's name
	name   string
}

// threadUse is a number that the initial state uses for a thread, and the index to
// be filled in.
type threadUse struct {
	id    int
	index *int
	at    src.Span
}

func (p *parser) everything() {
	p.header()
	p.preamble()
	p.test.frame.begins = p.tok.start
	p.initialState()
	p.test.Layout.read(p)
	p.resolveThreads()
	p.sections()
	p.checkEnd()
}

// Tokens.

func (p *parser) advance() {
	p.last = p.tok.end
	p.tok = p.next()
}

func (p *parser) at(k tokenKind) bool { return p.tok.kind == k }

// peek returns the token after tok.
func (p *parser) peek() token {
	pos := p.pos
	t := p.next()
	p.pos = pos
	return t
}

// accept consumes a token if it is of kind k.
func (p *parser) accept(k tokenKind) bool {
	if !p.at(k) {
		return false
	}
	p.advance()
	return true
}

// expect consumes a token of kind k, or reports the error that what was expected.
func (p *parser) expect(k tokenKind, what string) bool {
	if p.accept(k) {
		return true
	}
	p.unexpected(what)
	return false
}

// here returns where tok is; at the end of the file, the last thing in it.
func (p *parser) here() src.Span {
	if p.at(eof) {
		end := len(strings.TrimRight(p.text, " \t\r\n\f\v"))
		return p.file.Span(max(0, end-1), end)
	}
	return p.span(p.tok)
}

// since returns the text that has been consumed from start on.
func (p *parser) since(start int) src.Span { return p.file.Span(start, max(start, p.last)) }

// unexpected reports the error that tok is not what was expected.
func (p *parser) unexpected(expected string) *src.Diagnostic {
	found := p.str(p.tok)
	if p.at(eof) {
		found = "the end of the file"
		if len(p.text) < len(p.file.Text) {
			found = "the end of the cell"
		}
	}
	return p.errorf(p.here(), "expected %s, found %s", expected, found)
}

// name consumes a word.
func (p *parser) name(what string) (Ident, bool) {
	if !p.at(word) {
		p.unexpected(what)
		return Ident{}, false
	}
	return p.ident(), true
}

// ident consumes tok as a name.
func (p *parser) ident() Ident {
	id := Ident{p.str(p.tok), p.span(p.tok)}
	p.advance()
	return id
}

// maxDepth bounds recursion; no test that a person or a generator writes comes near.
const maxDepth = 1000

// enter begins a nested construct; leave ends it.
func (p *parser) enter() {
	p.depth++
	if p.depth > maxDepth {
		p.fatal(p.here(), "", "nested more than %d deep", maxDepth)
	}
}

func (p *parser) leave() { p.depth-- }

// Header, doc string and metadata.

// header reads "ARCH NAME", to the end of the line.
func (p *parser) header() {
	p.pos = p.skipBlank(len(byteOrderMark(p.text)))
	line := p.restOfLine()
	if line.Text() == "" {
		p.fatal(line, "", "nothing here: expected a header, %s", formNames(p.formats))
	}
	arch := line
	if n := strings.IndexAny(line.Text(), " \t"); n >= 0 {
		arch = line.Sub(0, n)
	}
	p.test.Format = p.format(arch)
	name := trimSpan(p.file.Span(arch.End, line.End))
	if name.Text() == "" {
		p.errorf(arch, "expected the name of the test after %s", arch.Text())
	}
	p.test.Name = Ident{name.Text(), name}
	p.advance()
}

// byteOrderMark returns the mark that some editors put at the start of a file, if it is
// there.
func byteOrderMark(text string) string {
	const mark = "\uFEFF"
	if strings.HasPrefix(text, mark) {
		return mark
	}
	return ""
}

// format finds the format that the first word of the header names. If it resembles none, the
// file is something else, and reading on would only produce noise.
func (p *parser) format(at src.Span) *Format {
	name := at.Text()
	named := func(name string) *Format {
		i := slices.IndexFunc(p.formats, func(f *Format) bool { return f.Arch == name || slices.Contains(f.Others, name) })
		if i < 0 {
			return nil
		}
		return p.formats[i]
	}
	if f := named(name); f != nil {
		return f
	}
	d := p.errorf(at, "unknown header %.40q: expected %s", name, formNames(p.formats))
	var archs []string
	for _, f := range p.formats {
		archs = append(archs, f.Arch)
	}
	meant := src.Nearest(name, archs)
	if about := cmp.Or(aboutForeign(name), inputs.Instead(p.file.Name, p.text, inputs.Test)); about != "" {
		d.Hint, meant = about, ""
	}
	if meant == "" {
		panic(bailout{})
	}
	d.Hint = "did you mean " + meant + "?"
	return named(meant)
}

// restOfLine consumes the line from pos up to its end or a comment. A // or (*
// inside a word begins no comment: metadata may hold URLs.
func (p *parser) restOfLine() src.Span {
	start := p.pos
	rest, _, _ := strings.Cut(p.text[start:], "\n")
	for i := range len(rest) {
		begins := i == 0 || classes[rest[i-1]] == blank
		if begins && p.skipComment(start+i) != start+i {
			rest = rest[:i]
			break
		}
	}
	p.pos = start + len(rest)
	return trimSpan(p.file.Span(start, p.pos))
}

// preamble reads the doc strings, the metadata and lines of text, in any order.
func (p *parser) preamble() {
	for !p.at(lbrace) {
		switch {
		case p.at(quote):
			p.doc()
		case p.at(word) && p.peek().kind == equal:
			p.meta()
		case p.atText():
			p.textLine()
		default:
			p.missingInit()
			return
		}
	}
}

// doc reads a doc string; tok is its first quote. Several are one of several lines.
func (p *parser) doc() {
	n := strings.IndexByte(p.text[p.pos:], '"')
	if n < 0 {
		p.fatal(p.span(p.tok), `end it with "`, "this doc string never ends")
	}
	p.describe(p.text[p.pos : p.pos+n])
	p.pos += n + 1
	p.advance()
}

// describe adds a line to the doc string of the test.
func (p *parser) describe(text string) {
	if p.test.Doc != "" {
		p.test.Doc += "\n"
	}
	p.test.Doc += text
}

// atText reports whether a line of unquoted text stands before the initial state: an initial state
// follows, and tok does not begin the program.
func (p *parser) atText() bool {
	if strings.IndexByte(p.text[p.tok.start:], '{') < 0 {
		return false
	}
	if !p.at(word) || !isThreadName(p.str(p.tok)) {
		return true
	}
	next := p.peek().kind
	return next != lparen && next != bar && next != atSign && next != semi
}

// textLine reads the rest of the line, up to a comment or the initial state, as part of the doc
// string. Dartagnan skips such lines.
func (p *parser) textLine() {
	p.pos = p.tok.start
	line := p.restOfLine()
	if n := strings.IndexByte(line.Text(), '{'); n >= 0 {
		p.pos = line.Start + n
		line = trimSpan(line.Sub(0, n))
	}
	p.describe(line.Text())
	p.advance()
}

// meta reads a line Key=Value; tok is the key.
func (p *parser) meta() {
	key := p.str(p.tok)
	p.next() // the equals sign
	p.test.Meta = append(p.test.Meta, Meta{key, p.restOfLine().Text()})
	p.advance()
}

// missingInit reports a missing initial state. Without a {, parsing goes on only if the program
// seems to begin here.
func (p *parser) missingInit() {
	p.unexpected("a doc string, Key=Value or the initial state {…}").Hint = "an empty initial state is written {}"
	if !p.at(word) || !isThreadName(p.str(p.tok)) {
		panic(bailout{}) // no { follows
	}
}
