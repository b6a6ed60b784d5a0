package litmus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// Programs whose threads are functions. The front end parses the text within the parentheses and
// the braces; this file only handles brackets, comments and literals of C.

// read reads functions until something else begins.
func (Functions) read(p *parser) {
	for p.atFunction() && len(p.test.Threads) < MaxThreads {
		ok := p.function()
		p.accept(semi)
		if !ok {
			p.skipToFunction()
		}
	}
	if len(p.test.Threads) == 0 {
		p.errorf(p.here(), "expected the program: a function for each thread such as P0 (int *x) { … }")
		p.badThreads = true
		p.advance()
	}
}

// functionWords may stand before a function and are ignored: every thread is a kernel that returns
// nothing.
var functionWords = []string{
	"static", "inline", "void", "int", "kernel", "__kernel", "__global__", "__device__", "__noinline__", "__forceinline__",
	"extern", "__launch_bounds__", "__cluster_dims__", "__attribute__",
}

// atFunction reports whether tok is the name of a thread. It first skips words before it, some with
// parentheses, and the "C" of extern "C".
func (p *parser) atFunction() bool {
	for p.at(word) && slices.Contains(functionWords, p.str(p.tok)) {
		linkage := p.str(p.tok) == "extern"
		p.advance()
		switch {
		case p.at(lparen):
			p.bracketed(')')
		case linkage && p.at(quote):
			p.pos += strings.IndexByte(p.text[p.pos:]+`"`, '"') + 1
			p.pos = min(p.pos, len(p.text))
			p.advance()
		}
	}
	return p.at(word) && isThreadName(p.str(p.tok))
}

// function reads NAME (PARAMETERS) { BODY }; tok is the name. Several threads may share one
// function: P0 | P1 (PARAMETERS) { BODY }.
func (p *parser) function() (ok bool) {
	first := len(p.test.Threads)
	defer func() { p.badThreads = p.badThreads || !ok }()
	for more := true; more; more = p.accept(bar) {
		if !p.functionName() {
			return false
		}
	}
	threads := p.test.Threads[first:]
	last := threads[len(threads)-1].Name.Text
	switch {
	case p.at(semi):
		p.fatal(p.span(p.tok), fmt.Sprintf("write %s (int *x) { … }, and so on", threads[0].Name.Text), "a test in %s has a function for each thread, not a column", p.test.Format.Arch)
	case !p.at(lparen):
		p.unexpected("( and the parameters of " + last)
		return false
	}
	params := p.bracketed(')')
	if !p.at(lbrace) {
		p.unexpected("{ and the body of " + last)
		return false
	}
	body := p.bracketed('}')
	for _, t := range threads {
		t.Params, t.Body = params, body
	}
	return true
}

// functionName reads the name of a thread, behind which there may be a placement.
func (p *parser) functionName() bool {
	t := &Thread{}
	named := p.threadName(t)
	p.addThread(t, named)
	if named && p.accept(atSign) {
		p.headerPlace(t)
	}
	return named
}

// skipToFunction recovers from an error: it skips to the next function or section.
func (p *parser) skipToFunction() {
	for !p.at(eof) && !(p.tok.first && (p.atFunction() || p.startsSection(p.tok.start))) {
		p.advance()
	}
}

// bracketed consumes a bracketed text and returns what is inside; tok is the opening bracket.
func (p *parser) bracketed(closing byte) src.Span {
	open := p.tok.start
	end := bracketEnd(p.text, open, closing)
	if end < 0 {
		p.fatal(p.span(p.tok), "end it with "+string(closing), "this %c is never closed", p.text[open])
	}
	p.pos = end + 1
	p.advance()
	return p.file.Span(open+1, end)
}

// bracketEnd returns where the bracket at i is closed by a given byte, or -1 if it never is.
func bracketEnd(text string, i int, closing byte) int {
	opening, depth := text[i], 0
	for i < len(text) {
		switch end := lexicalEnd(text, i); {
		case end > i:
			i = end
			continue
		case text[i] == opening:
			depth++
		case text[i] == closing:
			depth--
		}
		if depth == 0 {
			return i
		}
		i++
	}
	return -1
}

// lexicalEnd returns the end of the comment or literal of C that begins at i, or i if no such text
// begins there.
func lexicalEnd(text string, i int) int {
	if end := cCommentEnd(text, i); end > i {
		return end
	}
	quote := text[i]
	if quote != '"' && quote != '\'' {
		return i
	}
	for j := i + 1; j < len(text) && text[j] != '\n'; j++ {
		switch text[j] {
		case '\\':
			j++
		case quote:
			return j + 1
		}
	}
	return i + 1
}

// cCommentEnd returns the end of the C comment that begins at i, or i if there is no such comment.
// (* does not begin a comment: it may be a parenthesis before the operator *.
func cCommentEnd(text string, i int) int {
	if strings.HasPrefix(text[i:], "(*") {
		return i
	}
	end, _ := src.CommentEnd(text, i)
	return end
}

// write prints a function for each thread.
func (Functions) write(p *printer) {
	for _, t := range p.test.Threads {
		p.line(t.header(p.test.Format), " (", p.source(t.Params), ") {", p.source(t.Body), "}")
	}
}

// source returns a part of a function as the printer writes it.
func (p *printer) source(s src.Span) string {
	if p.squeezed {
		return strings.Join(strings.Fields(BlankComments(s.Text())), " ")
	}
	return s.Text()
}

// BlankComments returns the text of a function with blanks in place of its comments, so that all
// other bytes keep their offsets.
func BlankComments(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if end := cCommentEnd(text, i); end > i {
			b.WriteString(strings.Repeat(" ", end-i))
			i = end
			continue
		}
		end := max(lexicalEnd(text, i), i+1)
		b.WriteString(text[i:end])
		i = end
	}
	return b.String()
}
