package syntax

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/muster-gpu/muster/src"
)

// Limits that no model comes near. They keep the tree shallow enough to be walked
// by recursion, and a file of noise from costing time.
const (
	maxDepth  = 1000    // brackets, let … in and bodies inside each other
	maxTokens = 100_000 // words and symbols of one expression
	maxErrors = 100     // errors reported of one file
)

// Parse reads a model. The error, if any, is a src.Diagnostics with all syntax
// errors of the file, and then there is no tree.
func Parse(f *src.File) (file *File, err error) {
	p := parsers.Get().(*parser)
	defer func() {
		if r := recover(); r != nil {
			file, err = nil, src.Diagnostics{src.Errorf(f.Span(0, 0), "internal error of the parser: %v", r)}
		}
		*p = parser{grammar: p.grammar}
		parsers.Put(p)
	}()
	return p.parse(f)
}

// parsers keeps parsers for reuse: building one takes participle as long as reading
// a small model.
var parsers = sync.Pool{New: func() any { return newParser() }}

// A parser reads one file at a time. Participle's grammar calls back into it for
// whatever is not the shape of a single statement.
type parser struct {
	grammar map[string]production // by the first token of a statement

	file     *src.File
	tokens   []lexer.Token
	lex      *lexer.PeekingLexer // where the expression reader stands
	begin    int                 // token where the present expression begins
	exprEnd  int                 // token after the last complete expression
	depth    int
	errs     src.Diagnostics
	scanErrs int  // how many of errs the scanner found
	stopped  bool // nothing more is to be read or reported
}

func newParser() *parser {
	p := &parser{}
	p.grammar = grammar(
		participle.Lexer(definition{}),
		// The token at hand decides each choice: participle counts lookahead from the
		// token after it.
		participle.UseLookahead(0),
		participle.ParseTypeWith(p.readStmt),
		participle.ParseTypeWith(reader(p, p.expr)),
		participle.ParseTypeWith(reader(p, p.argument)),
		participle.ParseTypeWith(reader(p, p.cond)),
		participle.ParseTypeWith(reader(p, p.pattern)),
		participle.ParseTypeWith(reader(p, p.bindings)),
	)
	return p
}

// reader makes one of the hand-written productions fit for participle. Such a
// production panics with a *src.Diagnostic where it cannot go on.
func reader[T any](p *parser, production func() T) func(*lexer.PeekingLexer) (T, error) {
	return func(lex *lexer.PeekingLexer) (x T, err error) {
		depth := p.depth
		p.lex, p.begin = lex, lex.Cursor()
		defer func() {
			p.depth = depth
			if r := recover(); r != nil {
				d, ok := r.(*src.Diagnostic)
				if !ok {
					panic(r)
				}
				err = d
			}
		}()
		return production(), nil
	}
}

func (p *parser) parse(f *src.File) (*File, error) {
	scan := newScanner(f)
	lex, err := lexer.Upgrade(scan)
	if err != nil {
		return nil, err
	}
	p.file, p.errs, p.scanErrs = f, scan.errs, len(scan.errs)
	p.tokens = lex.Range(0, lexer.RawCursor(scan.count))
	p.exprEnd = -1
	file := p.header(lex)
	p.enough()
	for {
		s, err := p.readStmt(lex)
		if err != nil {
			break
		}
		file.Stmts = append(file.Stmts, s)
	}
	if err := p.errs.Err(); err != nil {
		return nil, err
	}
	return file, nil
}

// header reads the optional names in front of the statements.
func (p *parser) header(lex *lexer.PeekingLexer) *File {
	f := &File{Source: p.file}
	if lex.Peek().Type == kindName {
		f.Arch = lex.Next().Value
	}
	if tok := lex.Peek(); tok.Type == kindName || tok.Type == kindString {
		f.Title = p.name(lex.Next()).Text
	}
	if lex.Peek().Value == "catdep" {
		f.Catdep = true
		lex.Next()
	}
	return f
}

// readStmt reads the next statement that is well-formed, reporting those before it
// that are not. There is none at the end of the file and where a body ends.
func (p *parser) readStmt(lex *lexer.PeekingLexer) (Stmt, error) {
	for {
		tok := lex.Peek()
		if p.stopped || tok.EOF() || p.depth > 0 && endsBody(tok) {
			return nil, participle.NextMatch
		}
		if s := p.tryStmt(lex); s != nil {
			return s, nil
		}
	}
}

// tryStmt reads one statement; if that fails it reports why, moves on to where the
// next one may begin, and returns nil.
func (p *parser) tryStmt(lex *lexer.PeekingLexer) Stmt {
	start := int(lex.RawCursor())
	first := lex.Peek()
	production, ok := p.grammar[first.Value]
	if !ok {
		p.giveUp(lex, start, p.unexpected(start, p.orOperator(start, "a statement"), statementWords...))
		return nil
	}
	if p.depth == maxDepth {
		p.report(p.tooDeep(first))
		p.stopped = true
		return nil
	}
	p.depth++
	f, err := production(lex)
	p.depth--
	if p.stopped {
		return nil
	}
	if err != nil {
		p.giveUp(lex, start, p.diagnose(err, start, int(lex.RawCursor())))
		return nil
	}
	return f.stmt(p, p.between(start, int(lex.RawCursor())))
}

// giveUp reports what is wrong with the statement that begins at token start, unless
// it is the echo of another error, and moves from where lex stands to where the next
// statement may begin.
func (p *parser) giveUp(lex *lexer.PeekingLexer, start int, d *src.Diagnostic) {
	found := int(lex.RawCursor())
	if !p.echo(start, found) {
		p.report(d)
	}
	for next := p.nextStmt(start, found); int(lex.RawCursor()) < next; {
		lex.Next()
	}
}

// echo reports whether an error at token found, in a statement that begins at token
// start, comes of another one: what the scanner could not read, or a statement
// that failed and left the end of its body.
func (p *parser) echo(start, found int) bool {
	if start == found && len(p.errs) > 0 && p.leftOver(start) {
		return true
	}
	from, to := 0, len(p.file.Text)
	if found > 0 {
		from = p.end(&p.tokens[found-1])
	}
	if !p.tokens[found].EOF() {
		to = p.end(&p.tokens[found])
	}
	return slices.ContainsFunc(p.errs[:p.scanErrs], func(d *src.Diagnostic) bool {
		return from <= d.Span.Start && d.Span.Start < to
	})
}

// leftOver reports whether token i looks like the rest of a statement with a body.
func (p *parser) leftOver(i int) bool {
	switch p.tokens[i].Value {
	case "end", "else":
		return true
	case "||":
		return p.tokens[i+1].Type == kindTag || p.tokens[i+1].Value == "_"
	}
	return false
}

// diagnose explains why the statement that begins at token start could not be read
// beyond token found.
func (p *parser) diagnose(err error, start, found int) *src.Diagnostic {
	var d *src.Diagnostic
	if errors.As(err, &d) {
		return d
	}
	var u *participle.UnexpectedTokenError
	if !errors.As(err, &u) {
		panic(err)
	}
	expected, words := expectation(u)
	if expected == "end" && p.tokens[found].EOF() {
		return p.unclosed(&p.tokens[start], "end", &p.tokens[found])
	}
	return p.unexpected(found, p.orOperator(found, expected), words...)
}

// report keeps an error.
func (p *parser) report(d *src.Diagnostic) {
	if p.stopped {
		return
	}
	p.errs.Add(d)
	p.enough()
}

// enough stops the reading when there are too many errors.
func (p *parser) enough() {
	if len(p.errs) >= maxErrors {
		p.stopped = true
		p.errs.Errorf(p.span(&p.tokens[len(p.tokens)-1]), "too many errors: not all are shown")
	}
}

// nextStmt finds where to go on after the statement at token start failed at token
// found: the next token that surely starts a statement, or that does so at the start
// of a line that is not indented more, or that ends the body around.
func (p *parser) nextStmt(start, found int) int {
	indent := p.indent(p.lineStart(start))
	open := 0 // match and begin without their end
	for i := start; ; i++ {
		tok := &p.tokens[i]
		if tok.EOF() {
			return i
		}
		if i >= found && i > start {
			column, first := p.firstOnLine(i)
			loose := first && column <= indent
			if p.startsStmt(i) && (loose || keywords[tok.Value] != startsLine) {
				return i
			}
			if p.depth > 0 && open == 0 && endsBody(tok) && (loose || tok.Value == "end") {
				return i
			}
		}
		switch tok.Value {
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
	return keywords[tok.Value] != startsNothing || tok.Value == "~" && startsTest(&p.tokens[i+1])
}

// startsTest reports whether tok is the test of a check.
func startsTest(tok *lexer.Token) bool {
	_, ok := tests[tok.Value]
	return ok
}

// endsBody reports whether tok ends the statements of a body.
func endsBody(tok *lexer.Token) bool {
	return tok.Value == "end" || tok.Value == "else" || tok.Value == "||"
}

// lineStart finds the first token of the line where token i stands.
func (p *parser) lineStart(i int) int {
	for {
		if _, first := p.firstOnLine(i); first {
			return i
		}
		i--
	}
}

// indent is the column of a token that is first on its line.
func (p *parser) indent(i int) int {
	column, _ := p.firstOnLine(i)
	return column
}

// firstOnLine reports whether token i is the first of its line, and then how far it
// is indented.
func (p *parser) firstOnLine(i int) (column int, first bool) {
	prev := 0
	if i > 0 {
		prev = p.end(&p.tokens[i-1])
	}
	gap := p.file.Text[prev:max(prev, p.tokens[i].Pos.Offset)]
	newline := strings.LastIndexByte(gap, '\n')
	return len(gap) - newline - 1, newline >= 0 || i == 0
}

// between is the place of the tokens [i, j).
func (p *parser) between(i, j int) At {
	return At(p.span(&p.tokens[i]).To(p.span(&p.tokens[max(i, j-1)])))
}

func (p *parser) span(tok *lexer.Token) src.Span {
	return p.file.Span(tok.Pos.Offset, p.end(tok))
}

// end is the offset behind tok. A token that stands for a slip may be longer than
// its source.
func (p *parser) end(tok *lexer.Token) int {
	return min(tok.Pos.Offset+len(tok.Value), len(p.file.Text))
}
