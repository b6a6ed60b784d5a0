package litmus

import (
	"strconv"
	"unicode/utf8"

	"github.com/muster-gpu/muster/src"
)

// Writer writes generated tests one after the other, each section by section in the order of its
// methods. It keeps the text: without a parser, Exists and Again return what Parse reads from that
// text, and it is the text that Test.String prints. It checks nothing.
type Writer struct {
	file *src.File
	text []byte
	test *Test
	last *Test // the one before

	columns  []Column // the last, and where the text of them begins and ends
	from, to int
	mapped   int // where the last memory map begins
	held     int // how much the last condition says
}

// Begin begins a test with its header.
func (w *Writer) Begin(f *Format, name string) {
	w.file, w.text = src.NewFile(name+".litmus", ""), w.text[:0]
	w.last, w.test = w.test, &Test{Format: f, File: w.file}
	w.write(f.Arch, " ")
	w.test.Name = w.ident(name)
	w.write("\n")
}

// write writes text and returns where it stands.
func (w *Writer) write(parts ...string) src.Span {
	start := len(w.text)
	for _, s := range parts {
		w.text = append(w.text, s...)
	}
	return w.since(start)
}

func (w *Writer) since(start int) src.Span { return w.file.Span(start, len(w.text)) }

func (w *Writer) ident(name string) Ident { return Ident{name, w.write(name)} }

func (w *Writer) number(n int64) src.Span {
	start := len(w.text)
	w.text = strconv.AppendInt(w.text, n, 10)
	return w.since(start)
}

// Meta writes a line Key=Value.
func (w *Writer) Meta(key, value string) {
	w.write(key, "=", value, "\n")
	if w.test.Meta == nil {
		const usual = 2
		w.test.Meta = make([]Meta, 0, usual)
	}
	w.test.Meta = append(w.test.Meta, Meta{key, value})
}

// Scalar is a location with its initial value.
type Scalar struct {
	Name   string
	Init   int64
	Region Region
}

// Locations writes the initial state.
func (w *Writer) Locations(all []Scalar) {
	w.test.frame.begins = len(w.text)
	w.write("{\n")
	locations := make([]Location, len(all))
	w.test.Locations = make([]*Location, len(all))
	for i, s := range all {
		l := &locations[i]
		w.test.Locations[i] = l
		w.write(" ")
		l.Name, l.Init, l.Region = w.ident(s.Name), Value{Int: s.Init}, s.Region
		w.write("=")
		w.number(s.Init)
		w.write(";")
	}
	w.write("\n}\n")
}

// Column is a thread as a column of instructions. The instructions contain no comments, and no
// blanks at their ends.
type Column struct {
	Name  string
	ID    int
	Place *HeaderPlace // nil where a scope tree says it
	Cells []string
}

// Columns writes the program as a table. The caller must not change columns: writing the same slice
// for several tests is faster.
func (w *Writer) Columns(columns []Column) {
	start := len(w.text)
	if len(w.columns) > 0 && len(columns) > 0 && &columns[0] == &w.columns[0] {
		w.write(w.last.File.Text[w.from:w.to])
		w.test.Threads = moved{w.file, start - w.from}.threads(w.last.Threads)
	} else {
		w.table(columns)
	}
	w.columns, w.from, w.to = columns, start, len(w.text)
}

func (w *Writer) table(columns []Column) {
	threads, headers, widths, rows := make([]Thread, len(columns)), make([]string, len(columns)), make([]int, len(columns)), 0
	w.test.Threads = make([]*Thread, len(columns))
	for i, c := range columns {
		threads[i] = Thread{ID: c.ID, Name: Ident{Text: c.Name}, Place: c.Place}
		w.test.Threads[i] = &threads[i]
		headers[i] = threads[i].header(w.test.Format)
		widths[i] = utf8.RuneCountInString(headers[i])
		for _, text := range c.Cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
		rows = max(rows, len(c.Cells))
	}
	for i := range threads {
		w.between(i)
		w.header(&threads[i], headers[i])
		w.pad(widths[i], headers[i])
	}
	w.write(" ;\n")
	cells := make([]Cell, rows*len(columns))
	for i := range threads {
		threads[i].Cells = cells[i*rows : (i+1)*rows : (i+1)*rows]
	}
	for r := range rows {
		for i, c := range columns {
			w.between(i)
			if r < len(c.Cells) {
				threads[i].Cells[r] = Cell{w.write(c.Cells[r])}
				w.pad(widths[i], c.Cells[r])
			} else {
				w.pad(widths[i], "")
				threads[i].Cells[r] = Cell{w.file.Span(len(w.text)+1, len(w.text)+1)} // what ends the cell
			}
		}
		w.write(" ;\n")
	}
}

// between writes what stands before the i-th cell of a row.
func (w *Writer) between(i int) {
	if i == 0 {
		w.write(" ")
	} else {
		w.write(" | ")
	}
}

func (w *Writer) pad(width int, text string) {
	for range width - utf8.RuneCountInString(text) {
		w.text = append(w.text, ' ')
	}
}

// header writes the name of a thread, and where it runs.
func (w *Writer) header(t *Thread, text string) {
	at := w.write(text)
	t.Name.Span = at.Sub(0, len(t.Name.Text))
	if t.Place != nil {
		t.Place.At = at.Sub(len(t.Name.Text)+len("@"), len(text))
	}
}

// Function writes a thread as a function, given its parameters and its body.
func (w *Writer) Function(name string, id int, place *HeaderPlace, params, body string) {
	t := &Thread{ID: id, Name: Ident{Text: name}, Place: place}
	w.test.Threads, w.columns = append(w.test.Threads, t), nil
	w.header(t, t.header(w.test.Format))
	w.write(" (")
	t.Params = w.write(params)
	w.write(") {")
	t.Body = w.write(body)
	w.write("}\n")
}

// Tree writes the scope tree, of nodes whose places it fills in.
func (w *Writer) Tree(roots []*ScopeNode) {
	begins := len(w.text)
	w.write(scopeTreeKeyword)
	start := len(w.text) + len(" ")
	w.nodes(roots)
	w.test.Scopes, w.test.ScopesAt = roots, w.since(start)
	w.write("\n")
	w.test.frame.placesAt(begins, len(w.text))
}

func (w *Writer) nodes(all []*ScopeNode) {
	for _, n := range all {
		w.write(" (")
		start := len(w.text)
		w.write(w.test.Machine.Levels[n.Level].Name)
		for _, t := range n.Threads {
			w.write(" ", w.test.Threads[t].Name.Text)
		}
		w.nodes(n.Children)
		n.At = w.since(start)
		w.write(")")
	}
}

// Regions writes where each location is, unless all are in the usual region.
func (w *Writer) Regions() {
	w.mapped = len(w.text)
	defer func() { w.test.frame.placesAt(w.mapped, len(w.text)) }()
	if !w.test.regional() {
		return
	}
	for i, l := range w.test.Locations {
		if i > 0 {
			w.write(", ")
		}
		w.write(l.Name.Text, ": ")
		l.Mapped = w.write(w.test.Machine.Regions[l.Region].Name)
	}
	w.write("\n")
}

// Held is the final value of a register or a location.
type Held struct {
	Thread int // its index; -1 for a location
	Name   string
	Value  int64
}

// Exists writes the condition that all of these values can occur together, and ends the test.
func (w *Writer) Exists(all []Held) *Test {
	start := len(w.text)
	w.write(Exists.String(), " (")
	w.held = len(all)
	refs := make([]Ref, len(all))
	var prop Prop
	for i, f := range all {
		if i > 0 {
			w.write(" ", And.String(), " ")
			prop = Binary{Op: And, X: prop, Y: w.atom(f, &refs[i])}
		} else {
			prop = w.atom(f, &refs[i])
		}
	}
	w.write(")")
	w.test.Cond = Cond{Quant: Exists, Prop: prop, At: w.since(start)}
	w.write("\n")
	w.place()
	return w.end()
}

func (w *Writer) end() *Test {
	w.file.Text = string(w.text)
	return w.test
}

// atom writes the comparison of a register or a location with its value; r becomes a reference to
// it.
func (w *Writer) atom(f Held, r *Ref) Atom {
	start := len(w.text)
	*r = Ref{Thread: f.Thread, Name: f.Name}
	if f.Thread < 0 {
		w.write("[")
		r.At = w.write(f.Name)
		w.write("]")
	} else {
		r.ID = w.test.Threads[f.Thread].ID
		w.number(int64(r.ID))
		w.write(":", f.Name)
		r.At = w.since(start)
	}
	x := Operand{Ref: r, At: w.since(start)}
	w.write(Equal.String())
	return Atom{Op: Equal, X: x, Y: Operand{Const: Value{Int: f.Value}, At: w.number(f.Value)}}
}

// place records where the test says where its threads run, if there is no scope tree.
func (w *Writer) place() {
	t := w.test
	if t.ScopesAt.Valid() {
		return
	}
	for _, thread := range t.Threads {
		if thread.Place != nil {
			t.ScopesAt = t.ScopesAt.To(thread.Place.At)
		}
	}
	if !t.ScopesAt.Valid() {
		t.ScopesAt = t.Cond.At
	}
}
