package syntax

import "strings"

// Comment is a comment of a file, with its delimiters. It is not part of the tree; the printer puts
// it back in front of the token that follows it.
type Comment struct {
	Text string
	At
}

// toEndOfLine reports whether a comment ends with its line.
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
	comments []Comment // not printed yet, in order
	last     int       // offset after what has been printed
}

// take removes and returns the next comment if it starts before an offset, or returns nil.
func (s *source) take(before int) *Comment {
	if len(s.comments) == 0 || s.comments[0].Start >= before {
		return nil
	}
	c := &s.comments[0]
	s.comments = s.comments[1:]
	return c
}

// between returns the source text from the last printed position to an offset.
func (s *source) between(offset int) string {
	if offset <= s.last || offset > len(s.text) {
		return ""
	}
	return s.text[s.last:offset]
}

// hasBlankLine reports whether a text contains a blank line.
func hasBlankLine(text string) bool {
	lines := strings.Split(text, "\n")
	for i := 1; i+1 < len(lines); i++ {
		if strings.TrimSpace(lines[i]) == "" {
			return true
		}
	}
	return false
}

// line begins a line for the item at an offset. It keeps a blank line of the source before it,
// except at the beginning of a body.
func (p *printer) line(offset int) {
	if p.Len() == 0 {
		return
	}
	if hasBlankLine(p.between(offset)) && !p.opening {
		p.text("\n")
	}
	p.newline()
}

// above prints the comments before the item at an offset and begins a line. A comment on the line
// of the previous item stays there; the others get lines of their own.
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

// pass prints the comments before the next token.
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

// comment prints a comment. Its continuation lines are shifted by as much as its first line.
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

// column returns the number of bytes on the line before an offset.
func column(text string, offset int) int {
	return offset - strings.LastIndexByte(text[:offset], '\n') - 1
}

// shift moves a line right or left by to-from columns, left no further than its leading blanks
// allow.
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
