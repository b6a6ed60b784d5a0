package symbolic

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/prove/guard"
	"github.com/muster-gpu/muster/internal/prove/term"
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
	s = m.function(c.f, s)
	m.at = in
	if s == nil {
		return nil
	}
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
	var c invocation
	var found []invocation
	for _, o := range in.Ops {
		switch {
		case o.Kind == kernel.Func && found == nil:
			found = []invocation{{f: m.named(o.Name), when: m.Bool(true)}}
		case o.Kind == kernel.Reg && found == nil:
			found = m.pointees(m.register(s, o.Register), m.Bool(true))
		case o.Kind == kernel.Tuple && found == nil:
			c.rets = m.variables(o)
		case o.Kind == kernel.Tuple:
			c.args = m.variables(o)
		}
	}
	if found == nil {
		m.refuse("", "this call is not modelled")
	}
	for i := range found {
		found[i].rets, found[i].args = c.rets, c.args
		if found[i].f.Entry {
			m.refuse("", "%s is a kernel and cannot be called", found[i].f.Name)
		}
	}
	return found
}

func (m *machine) named(name string) *kernel.Function {
	i := slices.IndexFunc(m.module.Funcs, func(f *kernel.Function) bool { return f.Name == name })
	if i < 0 {
		m.refuse("", "%s is not declared", name)
	}
	return m.module.Funcs[i]
}

// functionAddress begins the names of variables that stand for the addresses of functions.
const functionAddress = "&()"

// pointees are the functions that an address may be one of.
func (m *machine) pointees(t, when *term.Term) []invocation {
	name, ok := strings.CutPrefix(t.Name(), functionAddress)
	switch {
	case ok:
		return []invocation{{f: m.named(name), when: when}}
	case t.Op() == term.Ite:
		c := t.Args()[0]
		return append(m.pointees(t.Args()[1], m.And(when, c)), m.pointees(t.Args()[2], m.And(when, m.Not(c)))...)
	}
	m.refuse("a function whose address is taken on the way to the call", "an indirect call: which function is called is not known")
	return nil
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
		m.refuse("a module that has its body, or --pure-externs if it touches no memory and waits for nobody",
			"%s has no body here", c.f.Name)
	}
	for i, v := range c.rets {
		size := v.Size()
		delete(s.own, m.region(v))
		switch {
		case i == 0 && a.result != nil:
			s.own[m.region(v)] = cells{{0, size, m.fit(a.result, 8*size, false)}}
		case size <= 8 && size > 0:
			s.own[m.region(v)] = cells{{0, size, m.fresh(External+c.f.Name, 8*size)}}
		}
	}
	if s.guard == guard.False {
		return nil
	}
	return s
}

// External begins the names of what functions without a body return.
const External = "extern:"

// pure reports that a function without a body is taken to do nothing but to return anything.
func (m *machine) pure(name string) bool {
	if name == "vprintf" || m.config.PureExterns {
		m.note(name + " has no body here: it is taken to touch no memory that threads share, and to wait for nobody")
		return true
	}
	return false
}
