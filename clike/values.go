package clike

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// Domain returns every value that the test mentions: what a value out of thin air could be.
func (p *Program) Domain() []event.Value { return p.DomainWith(p.eachConstant) }

// eachConstant calls f for every constant in the code of the threads.
func (p *Program) eachConstant(f func(event.Value)) {
	var visit func(Expr)
	visit = func(x Expr) {
		switch x := x.(type) {
		case Constant:
			f(event.Value(x))
		case Operation:
			for _, a := range x.Args {
				visit(a)
			}
		}
	}
	for _, t := range p.Code {
		for _, in := range t.Code {
			for _, x := range in.Uses() {
				visit(x)
			}
		}
	}
}

// Normalize returns a proposition with its constants in the form of values, and its comparisons in
// terms of kept values.
func (p *Program) Normalize(prop litmus.Prop) litmus.Prop {
	return p.Signed(frontend.Normalize(prop, p.beside))
}

// beside returns a constant as values of a register or location are kept.
func (p *Program) beside(r litmus.Ref, v litmus.Value) litmus.Value { return asKept(p.typeOf(r), v) }

// Source returns what an event comes from.
func (p *Program) Source(e *event.Event) src.Span {
	t := p.Code[e.Thread]
	return t.At(t.Code[e.Instr-1])
}

// Locate finds what does something that has no meaning; false if nothing does.
func (p *Program) Locate(f *event.Fault) (at src.Span, found bool) {
	t := p.Code[f.Thread]
	pc, found := p.start(t).Locate(f)
	if found {
		at = t.At(t.Code[pc])
	}
	return at, found
}
