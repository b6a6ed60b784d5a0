package litmus

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// String is the test in canonical form: Parse gives the same test back.
func (t *Test) String() string {
	p := newPrinter(t)
	p.line(t.Arch, " ", t.Name.Text)
	if t.Doc != "" {
		p.line(`"`, strings.ReplaceAll(t.Doc, `"`, "'"), `"`)
	}
	for _, m := range t.Meta {
		p.line(m.Key, "=", m.Value)
	}
	p.body()
	return p.String()
}

// canonical is the text of an instruction as the printer writes it.
func (p *printer) canonical(c Cell) string {
	text := c.Text()
	if !p.squeezed || squeezed(text) {
		return text
	}
	return squeeze(text)
}

// squeezed reports that the only blank of a text, if it has any, is between two words.
func squeezed(text string) bool {
	i := strings.IndexFunc(text, unicode.IsSpace)
	return i < 0 || 0 < i && i < len(text)-1 && text[i] == ' ' && classes[text[i-1]] >= letter && classes[text[i+1]] >= letter &&
		strings.IndexFunc(text[i+1:], unicode.IsSpace) < 0
}

// squeeze leaves blanks only where two words would run together.
func squeeze(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	last := byte('(') // or anything else that no word has
	for piece := range strings.FieldsSeq(text) {
		if classes[last] >= letter && classes[piece[0]] >= letter {
			b.WriteByte(' ')
		}
		b.WriteString(piece)
		last = piece[len(piece)-1]
	}
	return b.String()
}

// printer writes a test.
type printer struct {
	text     []byte
	test     *Test
	squeezed bool // without comments and insignificant blanks
}

func newPrinter(t *Test) *printer {
	const usual = 512 // bytes
	return &printer{test: t, text: make([]byte, 0, usual)}
}

func (p *printer) String() string { return string(p.text) }

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
	if len(p.test.Scopes) > 0 {
		p.write(scopeTreeKeyword)
		p.scopes(p.test.Scopes)
		p.line()
	}
	p.memoryMap()
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
	texts, widths := make([]string, rows*len(threads)), make([]int, len(threads))
	for i, t := range threads {
		column := texts[i*rows : (i+1)*rows]
		column[0] = t.header(p.test.Format)
		for r, c := range t.Cells {
			column[1+r] = p.canonical(c)
		}
		for _, text := range column {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	for r := range rows {
		before := " "
		for i, width := range widths {
			text := texts[i*rows+r]
			p.write(before, text)
			for range width - utf8.RuneCountInString(text) {
				p.write(" ")
			}
			before = " | "
		}
		p.write(" ;\n")
	}
}

// header is the thread as the program names and places it.
func (t *Thread) header(f *Format) string {
	if t.Place == nil {
		return t.Name.Text
	}
	var places []string
	for _, h := range slices.Backward(headerLevels) {
		if n := *h.number(t.Place); n >= 0 {
			places = append(places, f.word(h.level)+" "+strconv.Itoa(n))
		}
	}
	return t.Name.Text + "@" + strings.Join(places, ",")
}

// scopes prints nodes of the scope tree.
func (p *printer) scopes(nodes []*ScopeNode) {
	for _, n := range nodes {
		p.write(" (", n.Level.String())
		for _, t := range n.Threads {
			p.write(" ", p.test.Threads[t].Name.Text)
		}
		p.scopes(n.Children)
		p.write(")")
	}
}

// memoryMap prints where each location is, unless all are in global memory. An alias
// is where the location is that it names.
func (p *printer) memoryMap() {
	if !p.test.regional() {
		return
	}
	between := ""
	for _, l := range p.test.Locations {
		if l.Alias == nil {
			p.write(between, l.Name.Text, ": ", l.Region.String())
			between = ", "
		}
	}
	p.line()
}

// regional reports that some location is not in global memory.
func (t *Test) regional() bool {
	return slices.ContainsFunc(t.Locations, func(l *Location) bool { return l.Alias == nil && l.Region != Global })
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
