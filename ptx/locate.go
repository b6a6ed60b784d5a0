package ptx

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/src"
)

// Source is the instruction that an event comes from.
func (p *Program) Source(e *event.Event) src.Span { return p.own().code[e.Thread].code[e.Instr-1].At }

// Locate finds the instruction that does what has no meaning: that computes it, or accesses memory
// there; false if none does. It walks the paths of the thread once more, so that expressions
// need no places.
func (p *Program) Locate(f *event.Fault) (at src.Span, found bool) {
	t := p.own().code[f.Thread]
	w := t.start(p.opts)
	w.noted = func(where src.Span, x event.Expr, address bool) {
		if !found && x == f.X && address == f.Address {
			at, found = where, true
		}
	}
	_, _ = w.follow()
	return at, found
}

// note tells whoever asks that an expression is computed, or used as an address, at a place.
func (w *walk) note(at src.Span, x event.Expr, address bool) {
	if w.noted != nil {
		w.noted(at, x, address)
	}
}

// Rules are the checks that the language has for any model. PTX has none.
func (*Program) Rules() *src.File { return nil }
