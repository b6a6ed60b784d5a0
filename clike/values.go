package clike

import (
	"maps"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// Domain is every value that the test mentions: what a value out of thin air could be.
func (p *Program) Domain() []event.Value {
	seen := map[event.Value]bool{}
	for _, l := range p.Locs {
		seen[l.Init] = true
	}
	p.eachConstant(func(v event.Value) { seen[v] = true })
	for _, prop := range []litmus.Prop{p.Test.Cond.Prop, p.Test.Filter} {
		litmus.EachConst(prop, func(c litmus.Value) {
			if v, ok := p.FromText(c); ok {
				seen[v] = true
			}
		})
	}
	return slices.SortedFunc(maps.Keys(seen), event.Value.Compare)
}

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

// Normalize returns a proposition whose constants look as values do, and whose comparisons are about values as they are kept.
func (p *Program) Normalize(prop litmus.Prop) litmus.Prop {
	return p.Signed(frontend.Normalize(prop, p.beside))
}

// beside is a constant as values of a register or location are kept.
func (p *Program) beside(r litmus.Ref, v litmus.Value) litmus.Value { return asKept(p.typeOf(r), v) }

// Source is what an event comes from.
func (p *Program) Source(e *event.Event) src.Span {
	t := p.Code[e.Thread]
	return t.At(t.Code[e.Instr-1])
}

// Locate finds what does something that has no meaning; false if nothing does. It walks the paths of the
// thread once more, so that expressions need no places.
func (p *Program) Locate(f *event.Fault) (at src.Span, found bool) {
	t := p.Code[f.Thread]
	w := p.start(t)
	w.noted = func(where src.Span, x event.Expr, address bool) {
		if !found && x == f.X && address == f.Address {
			at, found = where, true
		}
	}
	_, _ = w.follow()
	return at, found
}
