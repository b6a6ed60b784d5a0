package litmus

import "github.com/muster-gpu/muster/src"

// Again repeats the last test of the writer from behind its metadata, with its locations in other
// regions, and its threads at the places of another scope tree if roots is not nil, and ends the
// test. It is for tables only: in functions, the parameters show where locations are.
func (w *Writer) Again(locations []Scalar, roots []*ScopeNode) *Test {
	last, f := w.last, w.last.frame
	t := w.test
	t.frame.begins = len(w.text)
	before := moved{w.file, len(w.text) - f.begins}
	w.write(last.File.Text[f.begins:f.placed])
	w.from, w.to = w.from+before.by, w.to+before.by
	t.Locations = before.locations(last.Locations, locations)
	t.Threads = before.threads(last.Threads)
	switch {
	case roots != nil:
		w.Tree(roots)
	case last.Scopes != nil:
		w.write(last.File.Text[f.placed:w.mapped])
		t.Scopes, t.ScopesAt = before.tree(last.Scopes), before.span(last.ScopesAt)
		t.frame.placesAt(f.placed+before.by, len(w.text))
	}
	w.Regions()
	after := moved{w.file, len(w.text) - f.rest}
	w.write(last.File.Text[f.rest:])
	refs := make([]Ref, w.held)
	t.Cond = Cond{last.Cond.Quant, after.prop(last.Cond.Prop, &refs), after.span(last.Cond.At)}
	w.place()
	return w.end()
}

// moved copies parts of a test into another file, by bytes further on.
type moved struct {
	to *src.File
	by int
}

func (m moved) span(s src.Span) src.Span {
	if !s.Valid() {
		return s
	}
	return m.to.Span(s.Start+m.by, s.End+m.by)
}

func (m moved) locations(all []*Location, as []Scalar) []*Location {
	copies, pointers := make([]Location, len(all)), make([]*Location, len(all))
	for i, l := range all {
		copies[i] = Location{Name: Ident{l.Name.Text, m.span(l.Name.Span)}, Init: l.Init, Region: as[i].Region}
		pointers[i] = &copies[i]
	}
	return pointers
}

func (m moved) threads(all []*Thread) []*Thread {
	copies, pointers, count := make([]Thread, len(all)), make([]*Thread, len(all)), 0
	for _, t := range all {
		count += len(t.Cells)
	}
	cells := make([]Cell, 0, count)
	for i, t := range all {
		first := len(cells)
		for _, c := range t.Cells {
			cells = append(cells, Cell{m.span(c.Span)})
		}
		copies[i] = Thread{Name: Ident{t.Name.Text, m.span(t.Name.Span)}, ID: t.ID, Cells: cells[first:len(cells):len(cells)]}
		if p := t.Place; p != nil {
			place := *p
			place.At = m.span(p.At)
			copies[i].Place = &place
		}
		pointers[i] = &copies[i]
	}
	return pointers
}

func (m moved) tree(all []*ScopeNode) []*ScopeNode {
	n := countNodes(all)
	return m.nodes(all, &nodesAhead{make([]ScopeNode, n), make([]*ScopeNode, n)})
}

func countNodes(all []*ScopeNode) int {
	n := len(all)
	for _, node := range all {
		n += countNodes(node.Children)
	}
	return n
}

// nodesAhead is memory for nodes that are still to come.
type nodesAhead struct {
	nodes    []ScopeNode
	pointers []*ScopeNode
}

func (m moved) nodes(all []*ScopeNode, to *nodesAhead) []*ScopeNode {
	if all == nil {
		return nil
	}
	n := len(all)
	copies, pointers := to.nodes[:n], to.pointers[:n:n]
	to.nodes, to.pointers = to.nodes[n:], to.pointers[n:]
	for i, node := range all {
		copies[i] = ScopeNode{Level: node.Level, Threads: node.Threads, Children: m.nodes(node.Children, to), At: m.span(node.At)}
		pointers[i] = &copies[i]
	}
	return pointers
}

// prop copies a proposition that Exists writes. It copies its references into refs, which has room
// for them.
func (m moved) prop(p Prop, refs *[]Ref) Prop {
	switch p := p.(type) {
	case Binary:
		return Binary{p.Op, m.prop(p.X, refs), m.prop(p.Y, refs)}
	case Atom:
		r := &(*refs)[0]
		*refs = (*refs)[1:]
		*r = *p.X.Ref
		r.At = m.span(r.At)
		p.X.Ref, p.X.At, p.Y.At = r, m.span(p.X.At), m.span(p.Y.At)
		return p
	}
	return nil
}
