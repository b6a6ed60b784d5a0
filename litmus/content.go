package litmus

// Content is what a test says, whatever it is called: its canonical text without name, doc string and metadata, and with
// the blanks inside instructions reduced to those between two words. Tests of the same content have the same outcomes.
type Content struct {
	text     string
	from, to int // where in it the memory map stands
}

// Content is what the test says.
func (t *Test) Content() Content {
	p := newPrinter(t)
	defer p.release()
	p.content()
	return Content{string(p.text), p.mapFrom, p.mapTo}
}

// Unmapped is the text before the memory map and after it: all tests have the same which differ in the regions of their
// locations alone.
func (c Content) Unmapped() (before, after string) { return c.text[:c.from], c.text[c.to:] }

// content prints the content.
func (p *printer) content() {
	p.squeezed = true
	p.line(p.test.Arch)
	p.body()
}
