package ptx

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/src"
)

// Source returns the instruction that an event comes from.
func (p *Program) Source(e *event.Event) src.Span { return p.own().code[e.Thread].code[e.Instr-1].At }

// Locate returns the instruction that computes the expression of a fault, or accesses memory at its
// address, and false if no instruction does.
func (p *Program) Locate(f *event.Fault) (at src.Span, found bool) {
	t := p.own().code[f.Thread]
	pc, found := t.start(p.opts).Locate(f)
	if found {
		at = t.code[pc].At
	}
	return at, found
}
