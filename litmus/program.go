package litmus

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/muster-gpu/muster/src"
)

// MaxThreads bounds the columns of a program. A CTA holds 1024 threads.
const MaxThreads = 1024

// read reads the table of instructions. Its cells are not made of tokens: their syntax is the
// front end's.
func (Columns) read(p *parser) {
	p.pos = p.tok.start
	if p.programEnds() {
		p.errorf(p.here(), "expected the program: a row of threads such as P0 | P1 ;")
		p.badThreads = true
		p.advance()
		return
	}
	p.headerRow()
	const usual = 8 // rows
	n := len(p.test.Threads)
	cells := make([]Cell, 0, usual*n) // row by row
	for !p.programEnds() {
		if columns := p.statements(n); columns != nil {
			cells = appendRows(cells, columns)
			continue
		}
		row, at := p.row(cells)
		if got := len(row) - len(cells); got != n {
			d := p.errorf(at, "this row has %s, the program has %d", count(got, "column"), n)
			if strings.HasPrefix(at.Text(), "#") {
				d.WithHint("comments are // … to the end of the line, (* … *) and /* … */")
			}
			continue
		}
		cells = row
	}
	p.fillColumns(cells)
	p.advance()
}

// count returns a number of things in words.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// fillColumns deals the cells out to the threads.
func (p *parser) fillColumns(cells []Cell) {
	threads := p.test.Threads
	rows := len(cells) / len(threads)
	columns := make([]Cell, len(cells))
	for i, t := range threads {
		t.Cells = columns[i*rows : (i+1)*rows : (i+1)*rows]
		for r := range t.Cells {
			t.Cells[r] = cells[r*len(threads)+i]
		}
	}
}

// Rows.

// programEnds moves to the next row and reports whether the program ends instead.
func (p *parser) programEnds() bool {
	p.pos = p.skipBlank(p.pos)
	return p.pos == len(p.text) || p.startsSection(p.pos)
}

// row appends the cells of a row to cells; at is the row without the semicolon
// that ends it.
func (p *parser) row(cells []Cell) (row []Cell, at src.Span) {
	start := p.pos
	for {
		c, more := p.cell(start)
		cells = append(cells, c)
		if !more {
			return cells, p.file.Span(start, c.End)
		}
	}
}

// cell reads a cell and the separator after it, in a row that starts at row. more reports whether
// the row continues.
func (p *parser) cell(row int) (c Cell, more bool) {
	for i := p.pos; i < len(p.text); {
		switch b := p.text[i]; {
		case b == '|' && !p.joins(i) || b == ';':
			p.pos = i + 1
			return c.orEmpty(p.file, i), b == '|'
		case b == '\n':
			next := p.skipBlank(i)
			if !p.rowGoesOn(next, c.Valid()) {
				p.missingSemicolon(row, i)
				p.pos = next
				return c.orEmpty(p.file, i), false
			}
			i = next
		default:
			i = p.piece(&c, i)
		}
	}
	p.missingSemicolon(row, len(p.text))
	p.pos = len(p.text)
	return c.orEmpty(p.file, p.pos), false
}

// joins reports whether the bar at i joins two destinations p|q (PTX ISA, "setp", "elect"), without
// blanks, and so does not end a cell.
func (p *parser) joins(i int) bool {
	inName := func(i int) bool {
		c := p.text[i]
		return classes[c] == letter || classes[c] == digit || c == '%' || c == '$'
	}
	end := i + 1
	for end < len(p.text) && inName(end) {
		end++
	}
	return i > 0 && inName(i-1) && end > i+1 && strings.HasPrefix(strings.TrimLeft(p.text[end:], " \t"), ",")
}

// piece reads what stands at i, which ends no cell: a blank, a comment or text of the cell.
// It returns where that ends.
func (p *parser) piece(c *Cell, i int) (end int) {
	switch {
	case classes[p.text[i]] == blank:
		return i + 1
	case p.isComment(i):
		return p.skipComment(i)
	}
	end = cellTextEnd(p.text, i+1)
	c.Span = c.To(p.file.Span(i, end))
	return end
}

// statements reads a line of n columns in which a semicolon ends each instruction, as in the
// manual, so that a cell may hold several: "a; b | c ;". It returns the instructions of each
// column, or nil for an ordinary row.
func (p *parser) statements(n int) (columns [][]Cell) {
	line, _, _ := strings.Cut(p.text[p.pos:], "\n")
	if n == 1 || strings.Count(line, ";") < 2 && !strings.ContainsAny(line, beginsComment) {
		return nil // for one column the same as one row after the other
	}
	columns = make([][]Cell, 1)
	var c Cell
	end := func(i int) {
		if last := &columns[len(columns)-1]; c.Valid() || *last == nil {
			*last = append(*last, c.orEmpty(p.file, i))
		}
		c = Cell{}
	}
	semicolons := 0
	i := p.pos
	for i < len(p.text) && p.text[i] != '\n' {
		switch b := p.text[i]; {
		case b == ';':
			end(i)
			semicolons++
			i++
		case b == '|' && !p.joins(i):
			end(i)
			columns = append(columns, nil)
			i++
		default:
			i = p.piece(&c, i)
		}
	}
	if semicolons < 2 || c.Valid() || len(columns) != n || columns[n-1] == nil {
		return nil
	}
	p.pos = i
	return columns
}

// appendRows turns columns of instructions into rows and appends them. It fills short columns with
// empty cells.
func appendRows(cells []Cell, columns [][]Cell) []Cell {
	for r, more := 0, true; more; r++ {
		more = false
		for _, column := range columns {
			c := column[len(column)-1]
			if r < len(column) {
				c = column[r]
			} else {
				c = Cell{}.orEmpty(c.File, c.End)
			}
			cells = append(cells, c)
			more = more || r+1 < len(column)
		}
	}
	return cells
}

// orEmpty returns c, or an empty cell at i if c has no text.
func (c Cell) orEmpty(f *src.File, i int) Cell {
	if !c.Valid() {
		c.Span = f.Span(i, i)
	}
	return c
}

// isComment reports whether a comment begins at i.
func (p *parser) isComment(i int) bool {
	return strings.IndexByte(beginsComment, p.text[i]) >= 0 && p.skipComment(i) != i
}

// beginsComment is the characters that comments may begin with.
const beginsComment = "(/"

// cellTextEnd returns the end of a run of characters that neither end a cell nor begin a comment.
func cellTextEnd(text string, i int) int {
	for i < len(text) && classes[text[i]] != blank && strings.IndexByte("|;(/", text[i]) < 0 {
		i++
	}
	return i
}

// rowGoesOn reports whether a row continues on a later line, at i: with a separator, or with a cell
// if no cell has begun. An instruction never spans lines.
func (p *parser) rowGoesOn(i int, begun bool) bool {
	switch {
	case i == len(p.text):
		return false
	case p.text[i] == '|', p.text[i] == ';':
		return true
	}
	return !begun && !p.startsSection(i)
}

// missingSemicolon reports the error that the row [start, end) does not end with a semicolon.
func (p *parser) missingSemicolon(start, end int) {
	end = trimSpan(p.file.Span(start, end)).End
	_, last := utf8.DecodeLastRuneInString(p.file.Text[start:end])
	p.errorf(p.file.Span(end-last, end), "expected | or ; after this").Hint = "each row of the program ends with ;"
}

// The header row.

// headerRow reads the names of the threads.
func (p *parser) headerRow() {
	cells, at := p.row(nil)
	if len(cells) > MaxThreads {
		p.fatal(at, "", "%d columns: a program has at most %d", len(cells), MaxThreads)
	}
	threads := make([]Thread, len(cells))
	for i, c := range cells {
		t := &threads[i]
		p.addThread(t, p.column(c, t))
	}
}

// addThread adds the next thread. One without a usable name is there, but nothing refers to it.
func (p *parser) addThread(t *Thread, named bool) {
	p.test.Threads = append(p.test.Threads, t)
	if !named {
		p.badThreads = true
		return
	}
	if other, taken := p.columns[t.ID]; taken {
		p.errorf(t.Name.Span, "%s and %s have the same number", p.test.Threads[other].Name.Text, t.Name.Text)
	}
	p.columns[t.ID] = len(p.test.Threads) - 1
}

// column reads the header of a column: a name, and perhaps "@cta 0,gpu 0".
func (p *parser) column(c Cell, t *Thread) (ok bool) {
	if c.Text() == "" {
		p.errorf(c.Span, "expected the name of a thread, such as P0")
		return false
	}
	text, pos := p.text, p.pos
	p.text, p.pos = text[:c.End], c.Start
	p.advance()
	if ok = p.threadName(t); ok {
		if p.accept(atSign) {
			p.headerPlace(t)
		} else if !p.at(eof) {
			p.unexpected("|, ; or @ and a placement")
		}
	}
	p.text, p.pos = text, pos
	return ok
}

func (p *parser) threadName(t *Thread) bool {
	if p.at(word) {
		if id, ok := threadID(p.str(p.tok)); ok {
			t.ID, t.Name = id, p.ident()
			return true
		}
	}
	p.unexpected("the name of a thread, such as P0")
	return false
}

// headerPlace reads "cta 0,cluster 1,gpu 0": any of these, in any order.
func (p *parser) headerPlace(t *Thread) {
	start := p.tok.start
	if len(p.test.Machine.headerLevels()) == 0 {
		p.errorf(p.here(), "expected the next thread: the header of %s tests does not say where threads run", p.test.Arch)
		return
	}
	t.Place = &HeaderPlace{Numbers: slices.Repeat([]int{Nowhere}, len(p.test.Machine.Levels))}
	for p.headerNumber(t.Place) && (p.accept(comma) || p.at(word)) {
	}
	t.Place.At = p.since(start)
}

// headerNumber reads a level and a number.
func (p *parser) headerNumber(place *HeaderPlace) bool {
	m := &p.test.Machine
	words := m.headerWords()
	what := alternatives(words) + " and a number"
	name, ok := p.name(what)
	if !ok {
		return false
	}
	if level, ok := m.level(name.Text); ok && level != around && m.Levels[level].Header != "" {
		if place.Numbers[level] >= 0 {
			p.errorf(name.Span, "a second %s", name.Text)
		}
		at := p.here()
		n, ok := p.integer()
		if ok && (n < 0 || n > math.MaxInt32) {
			p.errorf(at, "expected a number from 0 to %d, found %d", math.MaxInt32, n).
				Hint = "the numbers only tell places apart: 0, 1, 2 and so on will do"
		}
		place.Numbers[level] = int(n)
		return ok
	}
	d := p.errorf(name.Span, "expected %s, found %s", what, name.Text)
	if d.Hint = src.DidYouMean(name.Text, words); isThreadName(name.Text) {
		d.Hint = "between threads stands |"
	}
	return false
}

// thread returns the index of the thread of a number; not having one is an error.
func (p *parser) thread(id int, at src.Span) (index int, ok bool) {
	i, ok := p.columns[id]
	if !ok && !p.badThreads {
		p.errorf(at, "no thread has the number %d", id).Hint = "the threads are " + p.threadNames(", ")
	}
	return i, ok
}

// threadNames lists the threads, the first of many.
func (p *parser) threadNames(separator string) string {
	const shown = 8
	var names []string
	for i, t := range p.test.Threads {
		if i == shown {
			names = append(names, "…")
			break
		}
		names = append(names, t.Name.Text)
	}
	return strings.Join(names, separator)
}
