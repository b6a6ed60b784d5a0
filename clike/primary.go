package clike

import (
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/clike/syntax"
	"github.com/muster-gpu/muster/src"
)

// primary returns what a name, a number or an expression in parentheses stands for.
func (l *lowerer) primary(p *syntax.Primary) (object, bool) {
	switch {
	case p.Number != "":
		return ofValue(l.number(p)), true
	case p.Char != "":
		r, _, _, err := strconv.UnquoteChar(strings.Trim(p.Char, "'"), '\'')
		if err != nil {
			l.errorf(p, "this is no character")
		}
		return ofValue(number(int64(r), arith.S32)), true
	case p.Static != nil:
		return ofValue(l.cast(p.Static.Type, l.list(p.Static.X))), true
	case p.Make != nil:
		return l.makeObject(p.Make)
	case p.Grouped != nil && len(p.Grouped.Exprs) == 1:
		return l.lvalue(p.Grouped.Exprs[0])
	case p.Grouped != nil:
		return ofValue(l.list(p.Grouped)), true
	case p.Braced != nil && len(p.Braced.List) == 1:
		return ofValue(l.expression(p.Braced.List[0])), true
	case p.Name != "":
		return l.byName(p)
	}
	l.errorf(p, "%s has no meaning here", p.At(l.source).Text())
	return object{}, false
}

// byName returns what a name stands for.
func (l *lowerer) byName(p *syntax.Primary) (object, bool) {
	if r := l.thread.Lookup(p.Name); r != None {
		t := l.thread.Types[r]
		if t.Reference {
			t.Reference = false
			return object{reg: None, addr: r, Type: t}, true
		}
		return object{reg: r, Type: t}, true
	}
	if c, ok := constants[p.Name]; ok {
		return ofValue(number(c.n, c.Type)), true
	}
	if addr, ok := l.world.location(p.Name); ok {
		return object{reg: None, addr: Constant(addr), Type: intType}, true
	}
	if _, set, mentioned := l.world.register(l.thread, p.Name); set || mentioned {
		return object{reg: l.declare(p.Name, intType), Type: intType}, true
	}
	if l.refuse(p, p.Name) {
		return object{}, false
	}
	known := slices.DeleteFunc(slices.Clone(l.thread.Names), func(n string) bool { return n == "" })
	l.errorf(p, "unknown name %s", p.Name).Hint = src.DidYouMean(p.Name, slices.Concat(known, l.world.locationNames()))
	return object{}, false
}

// number returns a literal: an int if it fits, else unsigned or long (C11, 6.4.4.1).
func (l *lowerer) number(p *syntax.Primary) value {
	text := strings.ToLower(p.Number)
	digits := strings.TrimRight(text, "ulz")
	n, err := strconv.ParseUint(digits, 0, 64)
	if err != nil {
		l.errorf(p, "muster computes with integers of up to 64 bits").Hint = "floating point is outside of the C of litmus tests"
		return mistake()
	}
	suffix := text[len(digits):]
	t := arith.S32
	switch {
	case n > 1<<32-1 || n > 1<<31-1 && !strings.HasPrefix(text, "0x"):
		t = arith.S64
	case n > 1<<31-1:
		t = arith.U32
	}
	if strings.ContainsAny(suffix, "lz") {
		t.Bits = 64
	}
	if strings.Contains(suffix, "u") || n > 1<<63-1 {
		t.Signed = false
	}
	return number(int64(n), t)
}

// makeObject is T(v), or a reference to an object: cuda::atomic_ref<int>(*x).
func (l *lowerer) makeObject(m *syntax.Make) (object, bool) {
	t := l.resolveSpecifiers([]*syntax.Specifier{m.Type})
	if len(m.Args) != 1 {
		l.errorf(m, "%s takes one argument", m.Type.Word)
		return object{}, false
	}
	if !t.Reference {
		return ofValue(l.convert(l.expression(m.Args[0]), t)), true
	}
	o, ok := l.lvalue(m.Args[0])
	if !ok || o.addr == nil {
		l.errorf(m, "%s stands for an object in memory", m.Type.Word).WithHint("write %s(*x)", m.Type.Word)
		return object{}, false
	}
	o.Type = l.refined(t, o.Type)
	o.Reference = false
	return o, true
}
