package syntax

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// Limits that no real model comes near. They keep the tree shallow enough for recursive walks, and
// bound the time for binary input.
const (
	maxDepth  = 1000    // brackets, let … in and bodies inside each other
	maxTokens = 100_000 // words and symbols of one statement, without its first and its bodies
	maxErrors = 100     // errors reported for one file
)

// Parse reads a model. The error is a src.Diagnostics with all syntax errors of the file; the tree
// is then nil.
func Parse(f *src.File) (file *File, err error) {
	defer func() {
		if r := recover(); r != nil {
			file, err = nil, src.Diagnostics{src.Errorf(f.Span(0, 0), "internal error of the parser: %v", r)}
		}
	}()
	tokens, comments, errs := scan(f)
	p := &parser{file: f, tokens: tokens, errs: errs, scanErrs: len(errs), exprEnd: -1}
	if file, err = p.model(); file != nil {
		file.Comments = comments
	}
	return file, err
}

// parser reads one file. Its productions, the methods that read the constructs of the grammar,
// panic with a *src.Diagnostic where they cannot continue.
type parser struct {
	file     *src.File
	tokens   []token
	pos      int // index of the next token
	begin    int // token at which the current statement begins
	exprEnd  int // token after the last complete expression
	depth    int
	errs     src.Diagnostics
	scanErrs int  // number of errors in errs from the scanner
	stopped  bool // nothing more is read or reported
}

// model reads a file.
func (p *parser) model() (*File, error) {
	f := p.header()
	p.enough()
	f.Stmts = p.stmts()
	if err := p.errs.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// header reads the optional names before the statements.
func (p *parser) header() *File {
	f := &File{Source: p.file}
	if p.peek().kind == kindName {
		arch := p.nameOf(p.next())
		f.Arch, f.ArchAt = arch.Text, arch.At
	}
	if tok := p.peek(); tok.kind == kindString || tok.kind == kindName && !slices.Contains(earlierOptions, tok.text) {
		title := p.nameOf(p.next())
		f.Title, f.TitleAt = title.Text, title.At
	}
	for p.option(f) {
	}
	return f
}

// earlierOptions are options that herd once had in headers. They said whether herd or the model
// computes coherence, initial writes and a total order of sequentially consistent operations. The
// choices of a model say the same, so these options have no effect.
var earlierOptions = []string{"withco", "withoutco", "withinit", "withoutinit", "withsc", "withoutsc"}

// option reads an option of the header, if one follows.
func (p *parser) option(f *File) bool {
	if at := At(p.span(p.peek())); p.accept("catdep") {
		f.Catdep, f.CatdepAt = true, at
		return true
	}
	if tok := p.peek(); tok.kind != kindName || !slices.Contains(earlierOptions, tok.text) {
		return false
	}
	p.next()
	return true
}

// stmts reads statements to the end of the file or body, without those that are not well-formed.
func (p *parser) stmts() []Stmt {
	var stmts []Stmt
	for !p.atEnd() {
		if s := p.stmt(); s != nil {
			stmts = append(stmts, s)
		}
	}
	return stmts
}

// atEnd reports whether the file or body has no further statement.
func (p *parser) atEnd() bool {
	tok := p.peek()
	return p.stopped || tok.kind == kindEOF || p.depth > 0 && endsBody(tok)
}

// stmt reads one statement. It returns nil if the statement is not well-formed; the next one may
// begin at the next token.
func (p *parser) stmt() Stmt {
	defer p.recover(p.pos, p.depth)
	read, ok := statements[p.peek().text]
	if !ok {
		p.fail("a statement", statementWords...)
	}
	if p.depth == maxDepth {
		p.report(p.tooDeep())
		p.stopped = true
		return nil
	}
	p.begin = p.pos
	p.enter()
	s := read(p)
	p.leave()
	return s
}

// recover is deferred by stmt, with the token and depth at which the statement begins.
func (p *parser) recover(start, depth int) {
	switch failure := recover().(type) {
	case nil:
	case *src.Diagnostic:
		p.depth = depth
		p.giveUp(start, failure)
	default:
		panic(failure)
	}
}

// giveUp reports why the statement that begins at token start is not well-formed, unless another
// error caused this one, and moves to where the next statement may begin.
func (p *parser) giveUp(start int, d *src.Diagnostic) {
	if p.stopped {
		return
	}
	found := p.pos
	p.pos = p.nextStmt(start, found)
	if !p.echo(start, found) {
		p.report(d)
	}
}

// echo reports whether an error at token found, in a statement that begins at token start, is the
// consequence of an earlier error: a token that the scanner could not read, or a failed statement
// that left the end of its body.
func (p *parser) echo(start, found int) bool {
	if start == found && len(p.errs) > 0 && p.leftOver(start) {
		return true
	}
	from, to := 0, len(p.file.Text)
	if found > 0 {
		from = p.tokens[found-1].end
	}
	if tok := &p.tokens[found]; tok.kind != kindEOF {
		to = tok.end
	}
	return slices.ContainsFunc(p.errs[:p.scanErrs], func(d *src.Diagnostic) bool {
		return from <= d.Span.Start && d.Span.Start < to
	})
}

// leftOver reports whether token i looks like the rest of a statement with a body.
func (p *parser) leftOver(i int) bool {
	switch p.tokens[i].text {
	case "end", "else":
		return true
	case "||":
		return p.tokens[i+1].kind == kindTag || p.tokens[i+1].text == "_"
	}
	return false
}

// report records an error.
func (p *parser) report(d *src.Diagnostic) {
	if p.stopped {
		return
	}
	p.errs.Add(d)
	p.enough()
}

// enough stops the parser after maxErrors errors.
func (p *parser) enough() {
	if len(p.errs) >= maxErrors {
		p.stopped = true
		p.errs.Errorf(p.span(&p.tokens[len(p.tokens)-1]), "too many errors: not all are shown")
	}
}

// nextStmt returns the token at which to continue after the statement at token start failed at
// token found: the next token that surely starts a statement, or that starts one at the beginning
// of a line that is not indented further, or that ends the enclosing body.
func (p *parser) nextStmt(start, found int) int {
	indent := p.indent(p.lineStart(start))
	open := 0 // number of match and begin without their end
	for i := start; ; i++ {
		tok := &p.tokens[i]
		if tok.kind == kindEOF {
			return i
		}
		if i >= found && i > start {
			column, first := p.firstOnLine(i)
			loose := first && column <= indent
			if p.startsStmt(i) && (loose || keywords[tok.text] != startsLine) {
				return i
			}
			if p.depth > 0 && open == 0 && endsBody(tok) && (loose || tok.text == "end") {
				return i
			}
		}
		switch tok.text {
		case "match", "begin":
			open++
		case "end":
			open = max(0, open-1)
		}
	}
}

// startsStmt reports whether a statement starts with token i.
func (p *parser) startsStmt(i int) bool {
	tok := &p.tokens[i]
	return keywords[tok.text] != startsNothing || tok.text == "~" && startsTest(&p.tokens[i+1])
}

// startsTest reports whether tok is the test of a check.
func startsTest(tok *token) bool {
	_, ok := tests[tok.text]
	return ok
}

// endsBody reports whether tok ends the statements of a body.
func endsBody(tok *token) bool {
	return tok.text == "end" || tok.text == "else" || tok.text == "||"
}

// lineStart returns the first token of the line of token i.
func (p *parser) lineStart(i int) int {
	for {
		if _, first := p.firstOnLine(i); first {
			return i
		}
		i--
	}
}

// indent returns the column of a token that is first on its line.
func (p *parser) indent(i int) int {
	column, _ := p.firstOnLine(i)
	return column
}

// firstOnLine reports whether token i is the first of its line, and its indentation if it is.
func (p *parser) firstOnLine(i int) (column int, first bool) {
	prev := 0
	if i > 0 {
		prev = p.tokens[i-1].end
	}
	gap := p.file.Text[prev:p.tokens[i].start]
	newline := strings.LastIndexByte(gap, '\n')
	return len(gap) - newline - 1, newline >= 0 || i == 0
}
