package litmus

import "slices"

// frame locates the part of a test's file that does not depend on the places of threads and
// locations: from behind the header and the metadata on, without the scope tree and the memory map.
type frame struct {
	begins int // 0 if the file does not tell, because the test was changed after it was read, or tree and map are in several places
	placed int // where tree and map begin, or would
	rest   int // and where they end
}

// placesAt records a scope tree or a memory map.
func (f *frame) placesAt(from, to int) {
	switch f.rest {
	case 0:
		f.placed = from
	case from:
	default:
		f.begins = 0
	}
	f.rest = to
}

// Frame returns the text from behind the metadata to the scope tree and the memory map, and the
// text after them. Tests of one format with the same Frame differ only in their names, their
// metadata and the places of threads and locations. It returns false if the test's text is not
// available in this form.
func (t *Test) Frame() (before, after string, ok bool) {
	f := t.frame
	named := func(l *Location) bool { return f.placed <= l.Name.Start && l.Name.Start < f.rest }
	if f.begins == 0 || slices.ContainsFunc(t.Locations, named) {
		return "", "", false
	}
	return t.File.Text[f.begins:f.placed], t.File.Text[f.rest:], true
}

// SamePlaces reports whether two tests with the same Frame have their threads at the same places,
// in the same words.
func (t *Test) SamePlaces(as *Test) bool { return sameNodes(t.Scopes, as.Scopes) }

func sameNodes(all, as []*ScopeNode) bool {
	return slices.EqualFunc(all, as, func(a, b *ScopeNode) bool {
		return a.Level == b.Level && slices.Equal(a.Threads, b.Threads) && sameNodes(a.Children, b.Children)
	})
}
