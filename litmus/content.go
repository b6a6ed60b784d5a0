package litmus

import "bytes"

// Content is what a test says apart from its name: its canonical text without name, doc string and
// metadata, with the blanks inside instructions reduced to those between two words. Tests of the
// same content have the same outcomes.
type Content struct {
	text     []byte
	from, to int // where in it scope tree and memory map stand
}

// Content returns the content of the test.
func (t *Test) Content() Content {
	p := newPrinter(t)
	defer p.release()
	p.content()
	return Content{bytes.Clone(p.text), p.placed, p.rest}
}

// content prints the content.
func (p *printer) content() {
	p.squeezed = true
	p.line(p.test.Arch)
	p.body()
}
