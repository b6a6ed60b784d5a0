package symbolic

import (
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/solver/guard"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
)

// call executes a call in place; nil if it does not return.
func (m *machine) call(s *state, in *kernel.Instr) *state {
	var after *state
	for _, c := range m.callees(s, in) {
		if when := m.under(s, m.guards.Of(c.when)); when != nil {
			after = m.merge(after, m.invoke(when, in, c))
		}
	}
	return after
}

// invoke executes a function that is called.
func (m *machine) invoke(s *state, in *kernel.Instr, c invocation) *state {
	m.calls = append(m.calls, in)
	defer func() { m.calls = m.calls[:len(m.calls)-1] }()
	if c.f.Declared {
		return m.extern(s, c)
	}
	if len(c.args) != len(c.f.Params) || len(c.rets) != len(c.f.Returns) {
		m.refuse("", "the call of %s does not have its parameters", c.f.Name)
	}
	for i, p := range c.f.Params {
		m.copyOwn(s, p, c.args[i])
	}
	for _, r := range c.f.Returns {
		delete(s.own, m.region(r))
	}
	s, promises := m.function(c.f, s)
	m.at = in
	if s == nil {
		return nil
	}
	m.kept(s, c, promises)
	for i, r := range c.f.Returns {
		m.copyOwn(s, c.rets[i], r)
	}
	return s
}

// invocation is a call taken apart.
type invocation struct {
	f          *kernel.Function
	rets, args []*kernel.Variable
	when       *term.Term // this is the function that is called
}

// callees takes a call apart: one function is called, or that to which a register points.
func (m *machine) callees(s *state, in *kernel.Instr) []invocation {
	c := invocation{when: m.Bool(true)}
	var pointer *term.Term
	for _, o := range in.Ops {
		switch {
		case o.Kind == kernel.Func && c.f == nil && pointer == nil:
			c.f = m.named(o.Name)
		case o.Kind == kernel.Reg && c.f == nil && pointer == nil:
			pointer = m.register(s, o.Register)
		case o.Kind == kernel.Tuple && c.f == nil && pointer == nil:
			c.rets = m.variables(o)
		case o.Kind == kernel.Tuple:
			c.args = m.variables(o)
		}
	}
	switch {
	case pointer != nil:
		return m.pointees(s, pointer, c)
	case c.f == nil:
		m.refuse("", "this call is not modelled")
	case c.f.Entry:
		m.refuse("", "%s is a kernel and cannot be called", c.f.Name)
	}
	return []invocation{c}
}

func (m *machine) named(name string) *kernel.Function {
	f := m.module.Func(name)
	if f == nil {
		m.refuse("", "%s is not declared", name)
	}
	return f
}

// functionAddress begins the names of variables that stand for the addresses of functions.
const functionAddress = "&()"

// addressOf is the address of a function. No two are equal, and none is null.
func (m *machine) addressOf(name string) *term.Term {
	t := m.Var(functionAddress+name, 64)
	if !slices.Contains(m.functions, t) {
		for _, other := range m.functions {
			m.trace.Geometry = append(m.trace.Geometry, m.Ne(t, other))
		}
		m.trace.Geometry = append(m.trace.Geometry, m.Ne(t, m.Const(0, 64)))
		m.functions = append(m.functions, t)
	}
	return t
}

// pointees are the functions that an address may be one of: those whose addresses the module takes, and that
// have the parameters of the call. That it is one of them is checked.
func (m *machine) pointees(s *state, t *term.Term, c invocation) (all []invocation) {
	is := m.Bool(false)
	for _, f := range m.module.Funcs {
		if f.Entry || len(f.Params) != len(c.args) || len(f.Returns) != len(c.rets) || !m.module.Taken(f.Name) {
			continue
		}
		when := m.Eq(t, m.addressOf(f.Name))
		if t.Op() == term.Ite {
			when = m.chosen(t, m.addressOf(f.Name))
		}
		if !when.False() {
			all = append(all, invocation{f: f, rets: c.rets, args: c.args, when: when})
			is = m.Or(is, when)
		}
	}
	if !is.True() {
		m.rec.Append(&Check{
			Point: m.point(s, m.Bool(true)), What: "call of what may be no function whose address the module takes", Holds: is,
		})
	}
	return all
}

// chosen is whether a choice between addresses is one of them.
func (m *machine) chosen(t, is *term.Term) *term.Term {
	if args := t.Args(); t.Op() == term.Ite {
		return m.Ite(args[0], m.chosen(args[1], is), m.chosen(args[2], is))
	}
	if t != is && slices.Contains(m.functions, t) {
		return m.Bool(false)
	}
	return m.Eq(t, is)
}

// variables are the parameters of a call.
func (m *machine) variables(tuple kernel.Operand) (all []*kernel.Variable) {
	for _, o := range tuple.List {
		if o.Kind != kernel.Var {
			m.refuse("", "a call with parameters in registers is not modelled")
		}
		all = append(all, o.Variable)
	}
	return all
}

// copyOwn copies a variable of the thread's own.
func (m *machine) copyOwn(s *state, to, from *kernel.Variable) {
	if known, ok := s.own[m.region(from)]; ok {
		s.own[m.region(to)] = known
	} else {
		delete(s.own, m.region(to))
	}
}

// extern executes a call of a function that has no body: an annotation, or one that nothing is known of.
func (m *machine) extern(s *state, c invocation) *state {
	var args []*term.Term
	for _, v := range c.args {
		size := v.Size()
		if size > 8 || size == 0 {
			args = append(args, nil)
			continue
		}
		args = append(args, m.loadOwn(s, m.region(v), m.Const(0, 64), size))
	}
	a := &annotation{machine: m, s: s, f: c.f, args: args}
	if known := annotationOf(c.f.Name); known != nil {
		known(a)
	} else if !m.pure(c.f.Name) {
		help := "a module that has its body, or --pure-externs if it touches no memory and waits for nobody"
		if c.f.Name == "malloc" || c.f.Name == "free" {
			help = "memory that the host allocates, or an array of the thread"
		}
		m.refuse(help, "%s has no body here", c.f.Name)
	}
	for i, v := range c.rets {
		if i > 0 {
			a.result = nil
		}
		m.returns(s, a, v)
	}
	if s.guard == guard.False {
		return nil
	}
	return s
}

// returns gives what a function without a body returns: the result that is known, or anything, in parts of at most 8 bytes.
func (m *machine) returns(s *state, a *annotation, v *kernel.Variable) {
	var all cells
	for at, size := 0, v.Size(); at < size; at += 8 {
		part := min(8, size-at)
		for part&(part-1) != 0 {
			part &= part - 1
		}
		value := m.fresh(External+a.f.Name, 8*part)
		if a.result != nil && at == 0 {
			value = m.fit(a.result, 8*part, false)
		}
		all = all.write(cell{int64(at), part, value})
		if at == 0 { // launches know of no more
			m.rec.Append(&Return{m.point(s, m.Bool(true)), value})
		}
	}
	s.own[m.region(v)] = all
}

// External begins the names of what functions without a body return.
const External = "extern:"

// pure reports that a function without a body is taken to do nothing but to return anything.
func (m *machine) pure(name string) bool {
	if name == "vprintf" || name == "printf" || m.config.PureExterns {
		m.note(assume.Extern.Of(name))
		return true
	}
	return false
}
