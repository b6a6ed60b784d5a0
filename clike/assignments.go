package clike

import (
	"strings"

	"github.com/muster-gpu/muster/clike/syntax"
	"github.com/muster-gpu/muster/src"
)

// assignment lowers o = v, or o op= v.
func (l *lowerer) assignment(e *syntax.Expr) value {
	at, rules, from := l.here(e), &l.dialect.sequencing, l.mark()
	v := l.expression(e.Right)
	mid := l.mark()
	o, ok := l.target(e)
	if !ok {
		return v
	}
	op := strings.TrimSuffix(e.Op, "=")
	var before value
	// With what the left side holds, the operator computes after all calls (C11, 6.5.16.2p3).
	early := op != "" && rules.assignment != sequenced && !o.isObject() && !l.callsSince(from.pc)
	if early {
		before = l.read(at, o)
	}
	if end := l.mark(); l.open(from, mid, end) {
		w, p, b := v, o, before
		l.order(rules.assignment, at, []mark{from, mid, end}, resultOf(&w), append(partsOf(&p), resultOf(&b)...))
		v, o, before = w, p, b
	}
	switch {
	case op == "":
		return l.assign(at, o, l.rvalue(e.Right, v, o.Type), !rules.settles)
	case early:
		return l.assign(at, o, l.compute(at, op, before, v), true)
	}
	return l.change(at, o, op, v, false)
}

// target returns the object that an assignment changes.
func (l *lowerer) target(e *syntax.Expr) (object, bool) {
	if len(e.Rest) > 0 {
		return object{}, l.cannotChange(e)
	}
	if name := e.First.Name(); name != "" && l.thread.Lookup(name) == None {
		_, isLocation := l.world.location(name)
		if _, _, mentioned := l.world.register(l.thread, name); mentioned || l.dialect.undeclared && !isLocation {
			l.declare(name, intType) // herd's tests may leave declarations out
		}
	}
	o, ok := l.object(e.First)
	if ok && o.addr == nil && o.reg == None {
		ok = l.cannotChange(e.First)
	}
	return o, ok
}

// cannotChange reports whether what an assignment is to change is only a value.
func (l *lowerer) cannotChange(n interface{ At(syntax.Source) src.Span }) bool {
	l.errorf(n, "this is a value, and nothing that can be assigned to").WithHint("a variable can, and *x and x[i] where x is an address")
	return false
}

// change returns an object after o op= v, or with old the value that it had before.
func (l *lowerer) change(at Place, o object, op string, v value, old bool) value {
	if o.addr != nil && o.Object == CxxAtomic && o.isObject() {
		return l.changeAtomically(at, o, op, v, old)
	}
	return l.unit(false, func() value {
		before := l.read(at, o)
		if r, ok := before.Expr.(Register); old && ok && o.reg == r {
			before.Expr = l.temporary(o.Type)
			l.set(at, before.Expr.(Register), r)
		}
		after := l.assign(at, o, l.compute(at, op, before, v), old || !l.dialect.sequencing.settles)
		if old {
			return before
		}
		return after
	})
}

// changeAtomically returns an operator of a C++ atomic: a sequentially consistent
// read-modify-write.
func (l *lowerer) changeAtomically(at Place, o object, op string, v value, old bool) value {
	code, ok := fetchOperators[op]
	if !ok {
		l.diags.Errorf(l.thread.span(at), "atomic objects have no operator %s=", op).WithHint("use compare_exchange_strong in a loop")
		return v
	}
	before := l.unit(true, func() value { return l.update(at, o, l.scaled(v, o.Type), code, false, l.plainAccess(o.Type, op+"=")) })
	if old {
		return before
	}
	return l.compute(at, op, before, v)
}
