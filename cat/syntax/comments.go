package syntax

import "strings"

// Comment is a comment of a file, with the marks around it. It is no part of the tree: the
// printer puts it back before what it stands before.
type Comment struct {
	Text string
	At
}

// toEndOfLine reports that a comment ends with its line.
func (c *Comment) toEndOfLine() bool {
	return !strings.HasPrefix(c.Text, "(*") && !strings.HasPrefix(c.Text, "/*")
}

// The printer advances through the source as it prints the tree, and keeps comments and blank
// lines at their places:
//
//	above a statement       on lines of their own
//	behind a statement      on its last line
//	inside a statement      before the word that they stand before
//
// A tree that was not parsed from a file has neither.

// source is the printer's position in the source.
type source struct {
	text     string
	comments []Comment // that have not been printed, in order
	last     int       // where in the text ends what has been printed
}

// take takes the next comment if it stands before an offset.
func (s *source) take(before int) *Comment {
	if len(s.comments) == 0 || s.comments[0].Start >= before {
		return nil
	}
	c := &s.comments[0]
	s.comments = s.comments[1:]
	return c
}

// between is the text from what has been printed to an offset.
func (s *source) between(offset int) string {
	if offset <= s.last || offset > len(s.text) {
		return ""
	}
	return s.text[s.last:offset]
}

// hasBlankLine reports that a text has a line of nothing.
func hasBlankLine(text string) bool {
	lines := strings.Split(text, "\n")
	for i := 1; i+1 < len(lines); i++ {
		if strings.TrimSpace(lines[i]) == "" {
			return true
		}
	}
	return false
}

// line begins a line for what stands at an offset, after a blank one if the source has any
// between; not at the beginning of a body.
func (p *printer) line(offset int) {
	if p.Len() == 0 {
		return
	}
	if hasBlankLine(p.between(offset)) && !p.opening {
		p.text("\n")
	}
	p.newline()
}

// above prints the comments before what stands at an offset and begins a line: those on the line
// of what has been printed behind it, the others on lines of their own.
func (p *printer) above(offset int) {
	for c := p.take(offset); c != nil; c = p.take(offset) {
		if p.Len() > 0 && !p.inComment && !strings.Contains(p.between(c.Start), "\n") {
			p.text(" ")
		} else {
			p.line(c.Start)
		}
		p.comment(c)
	}
}

// word prints the comments before a word inside a statement, and then the word.
func (p *printer) word(n Name) {
	p.pass(n.At)
	p.text(n.Text)
}

// pass prints the comments before a word that comes next.
func (p *printer) pass(at At) {
	for c := p.take(at.Start); c != nil; c = p.take(at.Start) {
		p.comment(c)
		if c.toEndOfLine() {
			p.newline()
			p.text("    ")
		} else {
			p.text(" ")
		}
	}
	p.last = max(p.last, at.End)
}

// comment prints a comment. Its further lines move to the right or left as the first does.
func (p *printer) comment(c *Comment) {
	first, more, _ := strings.Cut(c.Text, "\n")
	from, to := column(p.source.text, c.Start), column(p.String(), p.Len())
	p.text(first)
	if first != c.Text {
		for line := range strings.SplitSeq(more, "\n") {
			p.text("\n", shift(line, from, to))
		}
	}
	p.inComment = c.toEndOfLine()
	p.last = max(p.last, c.End)
}

// column is how many bytes of a text stand on the line before an offset.
func column(text string, offset int) int {
	return offset - strings.LastIndexByte(text[:offset], '\n') - 1
}

// shift moves a line by as much as a column moves, but not its text beyond that column.
func shift(line string, from, to int) string {
	n := 0
	for n < min(from, len(line)) && (line[n] == ' ' || line[n] == '\t') {
		n++
	}
	if strings.TrimSpace(line[n:]) == "" {
		return ""
	}
	return strings.Repeat(" ", to) + line[n:]
}
