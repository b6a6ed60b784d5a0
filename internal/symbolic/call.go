package symbolic

import (
	"slices"

	"github.com/muster-gpu/muster/internal/prove/guard"
	"github.com/muster-gpu/muster/internal/prove/term"
	"github.com/muster-gpu/muster/kernel"
)

// call executes a call in place; nil if it does not return.
func (m *machine) call(s *state, in *kernel.Instr) *state {
	c := m.callee(in)
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
}

func (m *machine) callee(in *kernel.Instr) invocation {
	var c invocation
	for _, o := range in.Ops {
		switch {
		case o.Kind == kernel.Func && c.f == nil:
			i := slices.IndexFunc(m.module.Funcs, func(f *kernel.Function) bool { return f.Name == o.Name })
			if i < 0 {
				m.refuse("", "%s is not declared", o.Name)
			}
			c.f = m.module.Funcs[i]
		case o.Kind == kernel.Reg && c.f == nil:
			m.refuse("", "an indirect call: which function %s points to is not known", o.Name)
		case o.Kind == kernel.Tuple && c.f == nil:
			c.rets = m.variables(o)
		case o.Kind == kernel.Tuple:
			c.args = m.variables(o)
		}
	}
	if c.f == nil {
		m.refuse("", "this call is not modelled")
	}
	if c.f.Entry {
		m.refuse("", "%s is a kernel and cannot be called", c.f.Name)
	}
	return c
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
		if i == 0 && a.result != nil {
			s.own[m.region(v)] = cells{{0, size, m.fit(a.result, 8*size, false)}}
		}
	}
	if s.guard == guard.False {
		return nil
	}
	return s
}

// pure reports that a function without a body is taken to do nothing but to return anything.
func (m *machine) pure(name string) bool {
	if name == "vprintf" || m.config.PureExterns {
		m.note(name + " has no body here: it is taken to touch no memory that threads share, and to wait for nobody")
		return true
	}
	return false
}
