package litmus

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// String returns the test in canonical form: Parse gives the same test back.
func (t *Test) String() string {
	p := newPrinter(t)
	defer p.release()
	p.line(t.Arch, " ", t.Name.Text)
	if t.Doc != "" {
		p.line(`"`, strings.ReplaceAll(t.Doc, `"`, "'"), `"`)
	}
	for _, m := range t.Meta {
		p.line(m.Key, "=", m.Value)
	}
	p.body()
	return string(p.text)
}

// appendCell appends the text of an instruction as the printer writes it.
func (p *printer) appendCell(to []byte, c Cell) []byte {
	if p.squeezed {
		return appendSqueezed(to, c.Text())
	}
	return append(to, c.Text()...)
}

// appendSqueezed appends a text with blanks only where two words would run together.
func appendSqueezed(to []byte, text string) []byte {
	last := byte('(') // or anything else that no word has
	for piece := range strings.FieldsSeq(text) {
		if classes[last] >= letter && classes[piece[0]] >= letter {
			to = append(to, ' ')
		}
		to = append(to, piece...)
		last = piece[len(piece)-1]
	}
	return to
}

// printer writes a test.
type printer struct {
	text     []byte
	test     *Test
	squeezed bool // without comments and insignificant blanks
	table    table

	placed, rest int // where in the text scope tree and memory map begin and end
}

// printers keeps printers for reuse, with their memory for text.
var printers = sync.Pool{New: func() any { return new(printer) }}

// newPrinter returns a printer, perhaps one that was released. Release it after use.
func newPrinter(t *Test) *printer {
	p := printers.Get().(*printer)
	*p = printer{test: t, text: p.text[:0], table: p.table}
	return p
}

func (p *printer) release() {
	p.test = nil
	printers.Put(p)
}

func (p *printer) write(parts ...string) {
	for _, s := range parts {
		p.text = append(p.text, s...)
	}
}

func (p *printer) line(parts ...string) {
	p.write(parts...)
	p.write("\n")
}

// body prints all but the header.
func (p *printer) body() {
	p.initialState()
	p.test.Layout.write(p)
	p.placed = len(p.text)
	p.places()
	p.rest = len(p.text)
	p.observed()
	if p.test.Filter != nil {
		p.write(filterKeyword, " ")
		p.text = appendProp(p.text, p.test.Filter)
		p.line()
	}
	c := p.test.Cond
	p.write(c.Quant.String(), " (")
	p.text = appendProp(p.text, c.Prop)
	p.line(")")
}

// initialState prints the locations on a line, then the registers, one line for
// each thread.
func (p *printer) initialState() {
	p.write("{")
	for i, l := range p.test.Locations {
		p.item(i == 0)
		p.location(l)
		p.write(";")
	}
	last := -1
	for _, r := range p.test.Registers {
		p.item(r.Thread != last)
		p.register(r)
		p.write(";")
		last = r.Thread
	}
	p.line("\n}")
}

func (p *printer) item(newLine bool) {
	if newLine {
		p.write("\n")
	}
	p.write(" ")
}

// location prints a location as the initial state declares it.
func (p *printer) location(l *Location) {
	switch {
	case l.Alias != nil:
		p.write(l.Name.Text, " @ ", l.Alias.Proxy.Text, " aliases ", l.Alias.Of.Text)
		return
	case l.Size == 0:
		p.write(l.Name.Text, "=")
		p.text = l.Init.append(p.text)
		return
	}
	p.write(l.Name.Text, "[", strconv.Itoa(l.Size), "]")
	if l.Elems == nil {
		return
	}
	p.write("={")
	for i, v := range l.Elems {
		if i > 0 {
			p.write(",")
		}
		p.text = v.append(p.text)
	}
	p.write("}")
}

// register prints a register as the initial state declares it.
func (p *printer) register(r *Register) {
	p.text = strconv.AppendInt(p.text, int64(p.test.Threads[r.Thread].ID), 10)
	p.write(":")
	equals := "="
	if r.Type != "" {
		p.write(".reg .", r.Type, " ")
		equals = " = "
	}
	p.write(r.Name.Text)
	if r.Init != nil {
		p.write(equals)
		p.text = r.Init.append(p.text)
	}
}

// write prints the table with its columns aligned.
func (Columns) write(p *printer) {
	threads, rows := p.test.Threads, 1
	for _, t := range threads {
		rows = max(rows, 1+len(t.Cells))
	}
	c := &p.table
	c.text, c.ends, c.widths = c.text[:0], c.ends[:0], c.widths[:0]
	for _, t := range threads {
		c.column(p, t, rows)
	}
	for r := range rows {
		before := " "
		for i, width := range c.widths {
			cell := c.cell(i*rows + r)
			p.text = append(append(p.text, before...), cell...)
			for range width - utf8.RuneCount(cell) {
				p.text = append(p.text, ' ')
			}
			before = " | "
		}
		p.write(" ;\n")
	}
}

// table is the texts of a table, column by column.
type table struct {
	text   []byte // of all
	ends   []int  // where each ends in it
	widths []int  // of each column, in characters
}

// column adds a thread as a column of the given number of rows, header included.
func (c *table) column(p *printer, t *Thread, rows int) {
	c.text = append(c.text, t.header(p.test.Format)...)
	c.ends = append(c.ends, len(c.text))
	for r := range rows - 1 {
		if r < len(t.Cells) {
			c.text = p.appendCell(c.text, t.Cells[r])
		}
		c.ends = append(c.ends, len(c.text))
	}
	width := 0
	for i := len(c.ends) - rows; i < len(c.ends); i++ {
		width = max(width, utf8.RuneCount(c.cell(i)))
	}
	c.widths = append(c.widths, width)
}

func (c *table) cell(i int) []byte {
	if i == 0 {
		return c.text[:c.ends[0]]
	}
	return c.text[c.ends[i-1]:c.ends[i]]
}

// header returns the thread as the program names and places it.
func (t *Thread) header(f *Format) string {
	if t.Place == nil {
		return t.Name.Text
	}
	var places []string
	for l, n := range slices.Backward(t.Place.Numbers) {
		if n >= 0 {
			places = append(places, f.Machine.Levels[l].Header+" "+strconv.Itoa(n))
		}
	}
	return t.Name.Text + "@" + strings.Join(places, ",")
}

// places prints the scope tree and the memory map.
func (p *printer) places() {
	if len(p.test.Scopes) > 0 {
		p.write(scopeTreeKeyword)
		p.scopes(p.test.Scopes)
		p.line()
	}
	p.memoryMap()
}

// scopes prints nodes of the scope tree.
func (p *printer) scopes(nodes []*ScopeNode) {
	for _, n := range nodes {
		p.write(" (", p.test.Machine.Levels[n.Level].Name)
		for _, t := range n.Threads {
			p.write(" ", p.test.Threads[t].Name.Text)
		}
		p.scopes(n.Children)
		p.write(")")
	}
}

// memoryMap prints the region of each location, unless all are in the usual region. An alias is in
// the region of the location that it names.
func (p *printer) memoryMap() {
	if !p.test.regional() {
		return
	}
	between := ""
	for _, l := range p.test.Locations {
		if l.Alias == nil {
			p.write(between, l.Name.Text, ": ", p.test.Machine.Regions[l.Region].Name)
			between = ", "
		}
	}
	p.line()
}

// regional reports whether some location is not in the usual region.
func (t *Test) regional() bool {
	return slices.ContainsFunc(t.Locations, func(l *Location) bool { return l.Alias == nil && l.Region != 0 })
}

func (p *printer) observed() {
	if len(p.test.Observed) == 0 {
		return
	}
	p.write(locationsKeyword, " [")
	for i, r := range p.test.Observed {
		if i > 0 {
			p.write(" ")
		}
		text := r.String()
		if r.Thread < 0 && !r.Array {
			text = r.Name
		}
		p.write(text, ";")
	}
	p.line("]")
}
