package litmus

import "slices"

// frame is where in the file of a test stands what it says: from behind the header and the metadata on, but for the memory map.
type frame struct {
	begins int // 0 if the file does not tell, because the test was changed after it was read, or has several maps
	mapped int // where the memory map begins, or would
	rest   int // and where it ends
}

// mapsAt notes a memory map.
func (f *frame) mapsAt(from, to int) {
	if f.rest > 0 {
		f.begins = 0
	}
	f.mapped, f.rest = from, to
}

// Unmapped is the text before the memory map, from behind the metadata on, and after it: tests of one format that have the same differ
// in nothing but their names, their metadata and the regions of their locations. It is not ok if the text does not tell.
func (t *Test) Unmapped() (before, after string, ok bool) {
	f := t.frame
	named := func(l *Location) bool { return f.mapped <= l.Name.Start && l.Name.Start < f.rest }
	if f.begins == 0 || slices.ContainsFunc(t.Locations, named) {
		return "", "", false
	}
	return t.File.Text[f.begins:f.mapped], t.File.Text[f.rest:], true
}
