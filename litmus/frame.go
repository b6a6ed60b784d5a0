package litmus

import "slices"

// frame is where in the file of a test stands what it says wherever its threads and locations are: from behind the header and the
// metadata on, but for the scope tree and the memory map.
type frame struct {
	begins int // 0 if the file does not tell, because the test was changed after it was read, or tree and map are in several places
	placed int // where tree and map begin, or would
	rest   int // and where they end
}

// placesAt notes a scope tree or a memory map.
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

// Frame is the text before the scope tree and the memory map, from behind the metadata on, and the text after them: tests of one format
// that have the same differ in nothing but their names, their metadata and where their threads and locations are. It is not ok if the text
// does not tell.
func (t *Test) Frame() (before, after string, ok bool) {
	f := t.frame
	named := func(l *Location) bool { return f.placed <= l.Name.Start && l.Name.Start < f.rest }
	if f.begins == 0 || slices.ContainsFunc(t.Locations, named) {
		return "", "", false
	}
	return t.File.Text[f.begins:f.placed], t.File.Text[f.rest:], true
}

// SamePlaces reports that two tests which are the same but for places (Frame) have their threads at the same, in the same words.
func (t *Test) SamePlaces(as *Test) bool { return sameNodes(t.Scopes, as.Scopes) }

func sameNodes(all, as []*ScopeNode) bool {
	return slices.EqualFunc(all, as, func(a, b *ScopeNode) bool {
		return a.Level == b.Level && slices.Equal(a.Threads, b.Threads) && sameNodes(a.Children, b.Children)
	})
}
