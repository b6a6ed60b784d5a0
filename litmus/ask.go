package litmus

import (
	"github.com/muster-gpu/muster/src"
)

// Asking returns the test with another condition: whether it can end in a state, written as a
// proposition, "1:r0=1 /\ x=2", or as logs print states, "1:r0=1; [x]=2;". What the test observed
// before stays observed.
func (t *Test) Asking(f *src.File) (*Test, error) {
	asked := t.Clone()
	asked.Observed = t.Observables()
	p := &parser{
		scanner: scanner{file: f, text: f.Text}, test: asked,
		locs: map[string]*declared{}, columns: map[int]int{},
	}
	for i, thread := range t.Threads {
		p.columns[thread.ID] = i
	}
	for _, l := range asked.Locations {
		p.locs[l.Name.Text] = &declared{Location: l}
	}
	p.advance()
	asked.Cond = Cond{Quant: Exists, Prop: p.state()}
	asked.Cond.At = p.since(0)
	if err := p.errs.Err(); err != nil {
		return nil, err
	}
	return asked, nil
}

// state reads propositions with semicolons after them, which mean "and".
func (p *parser) state() Prop {
	x := p.proposition()
	for x != nil && p.accept(semi) && !p.at(eof) {
		y := p.proposition()
		if y == nil {
			return nil
		}
		x = Binary{Op: And, X: x, Y: y}
	}
	if x != nil && !p.at(eof) {
		p.unexpected(`/\, \/, => or ;`)
	}
	return x
}
