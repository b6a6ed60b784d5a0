package kernel

import (
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// Parse reads a module. The error is a src.Diagnostics with all errors: a statement with an error
// is skipped, and reading continues with the next.
func Parse(f *src.File) (*Module, error) { return parse(f, false) }

func parse(f *src.File, skim bool) (*Module, error) {
	p := &parser{
		lexer:   lexer{text: f.Text, open: -1},
		file:    f,
		module:  &Module{File: f, Sources: map[int]string{}, taken: map[string]bool{}},
		funcs:   map[string]*Function{},
		globals: newScope(nil),
	}
	if skim {
		p.module.reader = p
	}
	p.advance()
	p.moduleStatements()
	p.module.sort()
	if p.open >= 0 {
		p.diags.Errorf(f.Span(p.open, p.open+2), "this comment never ends").WithHint("end it with */")
	}
	return p.module, p.diags.Err()
}

// parser reads a module with one token of lookahead. An error unwinds to the enclosing statement.
type parser struct {
	lexer
	file    *src.File
	tok     token
	module  *Module
	funcs   map[string]*Function
	globals *scope
	diags   src.Diagnostics
	place   *Place // source position of the following instructions
	depth   int    // nesting depth of blocks and lists
}

// failure is the panic value of an error in a statement.
type failure struct{ *src.Diagnostic }

func (p *parser) fail(t token, format string, args ...any) *src.Diagnostic {
	panic(failure{src.Errorf(p.span(p.file, t), format, args...)})
}

func (p *parser) failHint(t token, hint, format string, args ...any) {
	panic(failure{src.Errorf(p.span(p.file, t), format, args...).WithHint("%s", hint)})
}

func (p *parser) advance() { p.tok = p.next() }

func (p *parser) textOf(t token) string { return p.text[t.start:t.end] }

func (p *parser) at(s string) bool {
	return p.tok.end-p.tok.start == len(s) && p.tok.kind != eof && p.textOf(p.tok) == s
}

// accept reads the next token if it is s, and reports whether it did.
func (p *parser) accept(s string) bool {
	if !p.at(s) {
		return false
	}
	p.advance()
	return true
}

// expect reads a token that must be s.
func (p *parser) expect(s, after string) {
	if !p.accept(s) {
		p.fail(p.tok, "expected %q after %s, found %s", s, after, p.describe(p.tok))
	}
}

func (p *parser) describe(t token) string {
	if t.kind == eof {
		return "the end of the file"
	}
	return strconv.Quote(p.textOf(t))
}

// maxDepth bounds the nesting of blocks and lists.
const maxDepth = 200

// nested reads the contents of a pair of brackets, after the opening bracket.
func (p *parser) nested(read func()) {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.tok, "more than %d brackets within each other", maxDepth)
	}
	defer func() { p.depth-- }()
	read()
}

// word reads a word; what describes it in errors.
func (p *parser) word(what string) token {
	t := p.tok
	if t.kind != word {
		p.fail(t, "expected %s, found %s", what, p.describe(t))
	}
	p.advance()
	return t
}

// guarded reads a statement. On an error, it records the error and skips the statement.
func (p *parser) guarded(statement func()) {
	start := p.tok.start
	defer func() {
		switch e := recover().(type) {
		case nil:
		case failure:
			p.diags.Add(e.Diagnostic)
			p.recover(start)
		default:
			panic(e)
		}
	}()
	statement()
}

// recover skips the rest of a statement: to its semicolon, or to a brace.
func (p *parser) recover(start int) {
	if p.tok.start == start {
		p.advance()
	}
	for p.tok.kind != eof && !p.at("}") && !p.at("{") {
		if p.accept(";") {
			return
		}
		p.advance()
	}
}

// maxErrors is the number of errors after which reading ends. Further errors would repeat these.
const maxErrors = 50

func (p *parser) moduleStatements() {
	for p.tok.kind != eof && len(p.diags) < maxErrors {
		p.guarded(p.moduleStatement)
	}
}

// moduleStatement reads a directive of the module.
func (p *parser) moduleStatement() {
	t := p.tok
	if read := moduleDirectives[p.textOf(t)]; read != nil && t.kind == directive {
		p.advance()
		read(p)
		return
	}
	switch {
	case t.kind == directive:
		p.declaration()
	case p.accept(";"):
	case p.at("}"):
		p.advance()
		p.fail(t, "a brace that closes nothing")
	default:
		p.failHint(t, "a module begins with .version and .target; variables and functions follow",
			"expected a directive, found %s", p.describe(t))
	}
}

// moduleDirectives are the directives of a module that declare nothing.
var moduleDirectives = map[string]func(*parser){
	".version": func(p *parser) { p.module.Version = p.textOf(p.word("a version such as 8.3")) },
	".target": func(p *parser) {
		for more := true; more; more = p.accept(",") {
			p.module.Target = append(p.module.Target, p.textOf(p.word("an architecture such as sm_80")))
		}
	},
	".address_size": func(p *parser) { p.module.AddressSize = p.number(addressSize) },
	".file":         (*parser).sourceFile,
	".section":      (*parser).section,
	".pragma":       (*parser).pragma,
	".loc":          (*parser).loc,
	".alias":        func(p *parser) { p.fail(p.tok, "aliases of functions are not read") },
}

// sourceFile reads .file number "name". LLVM also writes .file number "folder" "name", and perhaps
// a time and a size.
func (p *parser) sourceFile() {
	n := p.number(lineNumber)
	var parts []string
	for p.tok.kind == text {
		parts = append(parts, strings.Trim(p.textOf(p.tok), `"`))
		p.advance()
	}
	p.module.Sources[n] = strings.Join(parts, "/")
	for p.accept(",") {
		p.number(timeOrSize)
	}
}

// section skips debug information.
func (p *parser) section() {
	if p.tok.kind != directive && p.tok.kind != word {
		p.fail(p.tok, "expected the name of a section, found %s", p.describe(p.tok))
	}
	p.advance()
	p.expect("{", "the name of a section")
	end := strings.IndexByte(p.text[p.tok.start:], '}')
	if end < 0 {
		p.fail(p.tok, "this section never ends")
	}
	p.pos = p.tok.start + end + 1
	p.advance()
}

func (p *parser) pragma() {
	for p.tok.kind == text {
		p.advance()
		p.accept(",")
	}
	p.expect(";", ".pragma")
}

// loc reads .loc file line column, perhaps with the position where the function was inlined.
func (p *parser) loc() {
	at := p.sourcePlace()
	for p.accept(",") {
		switch t := p.word("function_name or inlined_at"); p.textOf(t) {
		case "function_name":
			p.word("a label")
			if p.accept("+") {
				p.number(initialOffset)
			}
		case "inlined_at":
			at.Inlined = p.sourcePlace()
		default:
			p.fail(t, "expected function_name or inlined_at, found %s", p.describe(t))
		}
	}
	p.place = at
}

// sourcePlace returns the three numbers of a place in the source.
func (p *parser) sourcePlace() *Place {
	return &Place{File: p.number(lineNumber), Line: p.number(lineNumber), Column: p.number(lineNumber)}
}

var linkages = map[string]Linkage{".visible": Visible, ".extern": Extern, ".weak": Weak, ".common": Common}

// spaces are the state spaces of variables.
var spaces = map[string]isa.Space{
	".global": isa.Global, ".shared": isa.Shared, ".local": isa.Local, ".const": isa.Const, ".param": isa.Param,
	".tex":         isa.Global,
	".shared::cta": isa.Shared, ".shared::cluster": isa.Shared,
}

// declaration reads a variable or a function, perhaps with a linkage.
func (p *parser) declaration() {
	linkage := Internal
	for p.tok.kind == directive {
		l, ok := linkages[p.textOf(p.tok)]
		if !ok {
			break
		}
		linkage = l
		p.advance()
	}
	switch t := p.tok; {
	case p.accept(".entry"):
		p.function(true, linkage)
	case p.accept(".func"):
		p.function(false, linkage)
	case spaces[p.textOf(t)] != isa.Generic:
		for _, v := range p.variables() {
			v.Linkage = linkage
			p.globals.names[v.Name] = v
			p.module.Vars = append(p.module.Vars, v)
		}
	default:
		p.failHint(t, src.DidYouMean(p.textOf(t), slices.Sorted(directives())), "unknown directive %s", p.textOf(t))
	}
}

// directives lists the directives of a module.
func directives() func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for name := range moduleDirectives {
			if !yield(name) {
				return
			}
		}
		for _, name := range []string{
			".entry", ".func", ".visible", ".extern", ".weak", ".global", ".shared",
			".const",
		} {
			if !yield(name) {
				return
			}
		}
	}
}
