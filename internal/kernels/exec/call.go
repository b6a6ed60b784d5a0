package exec

import (
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/guard"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// calls executes functions.
type calls struct {
	run    *run
	terms  *term.Builder
	stack  []*kernel.Instr // the calls that led here, the outermost first
	frames []*frame
	asked  bool // the annotation that is computed is about earlier accesses
}

// call executes a call in place; nil if it does not return.
func (m *calls) call(s *state, in *kernel.Instr) *state {
	var after *state
	for _, c := range m.callees(s, in) {
		if when := m.run.under(s, m.run.guards.Of(c.when)); when != nil {
			after = m.run.merge(after, m.invoke(when, in, c))
		}
	}
	return after
}

// invoke executes a function that is called.
func (m *calls) invoke(s *state, in *kernel.Instr, c invocation) *state {
	m.stack = append(m.stack, in)
	defer func() { m.stack = m.stack[:len(m.stack)-1] }()
	if c.f.Declared {
		return m.extern(s, c)
	}
	if len(c.args) != len(c.f.Params) || len(c.rets) != len(c.f.Returns) {
		m.run.refuse("", "the call of %s does not have its parameters", c.f.Name)
	}
	for i, p := range c.f.Params {
		m.copyOwn(s, p, c.args[i])
	}
	for _, r := range c.f.Returns {
		delete(s.own, m.run.addr.region(r))
	}
	s, promises := m.function(c.f, s)
	m.run.at = in
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

// callees returns the functions that a call may call: the named function, or those that a register
// may point to.
func (m *calls) callees(s *state, in *kernel.Instr) []invocation {
	c := invocation{when: m.terms.Bool(true)}
	var pointer *term.Term
	for _, o := range in.Ops {
		switch {
		case o.Kind == kernel.Func && c.f == nil && pointer == nil:
			c.f = m.run.code.named(o.Name)
		case o.Kind == kernel.Reg && c.f == nil && pointer == nil:
			pointer = m.run.register(s, o.Register)
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
		m.run.refuse("", "this call is not modelled")
	case c.f.Entry:
		m.run.refuse("", "%s is a kernel and cannot be called", c.f.Name)
	}
	return []invocation{c}
}

func (m *code) named(name string) *kernel.Function {
	f := m.module.Func(name)
	if f == nil {
		m.run.refuse("", "%s is not declared", name)
	}
	return f
}

// functionAddress begins the names of variables that stand for the addresses of functions.
const functionAddress = "&()"

// addressOf returns the address of a function. Addresses are distinct, and none is null.
func (m *addresses) addressOf(name string) *term.Term {
	b := m.terms
	t := b.Var(functionAddress+name, 64)
	if !slices.Contains(m.functions, t) {
		for _, other := range m.functions {
			m.run.rec.Trace.Geometry = append(m.run.rec.Trace.Geometry, b.Ne(t, other))
		}
		m.run.rec.Trace.Geometry = append(m.run.rec.Trace.Geometry, b.Ne(t, b.Const(0, 64)))
		m.functions = append(m.functions, t)
	}
	return t
}

// pointees returns the functions that an address may denote: those whose address the module takes,
// and whose parameters are those of the call. A check requires that it is one of them.
func (m *calls) pointees(s *state, t *term.Term, c invocation) (all []invocation) {
	b := m.terms
	is := b.Bool(false)
	for _, f := range m.run.code.module.Funcs {
		if f.Entry || len(f.Params) != len(c.args) || len(f.Returns) != len(c.rets) || !m.run.code.module.Taken(f.Name) {
			continue
		}
		when := b.Eq(t, m.run.addr.addressOf(f.Name))
		if t.Op() == term.Ite {
			when = m.run.addr.chosen(t, m.run.addr.addressOf(f.Name))
		}
		if !when.False() {
			all = append(all, invocation{f: f, rets: c.rets, args: c.args, when: when})
			is = b.Or(is, when)
		}
	}
	if !is.True() {
		m.run.rec.Append(&trace.Check{
			Point: m.run.point(s, b.Bool(true)), What: "call of what may be no function whose address the module takes", Holds: is,
		})
	}
	return all
}

// chosen returns the condition that a choice between addresses is one of them.
func (m *addresses) chosen(t, is *term.Term) *term.Term {
	b := m.terms
	if args := t.Args(); t.Op() == term.Ite {
		return b.Ite(args[0], m.chosen(args[1], is), m.chosen(args[2], is))
	}
	if t != is && slices.Contains(m.functions, t) {
		return b.Bool(false)
	}
	return b.Eq(t, is)
}

// variables returns the parameters of a call.
func (m *calls) variables(tuple kernel.Operand) (all []*kernel.Variable) {
	for _, o := range tuple.List {
		if o.Kind != kernel.Var {
			m.run.refuse("", "a call with parameters in registers is not modelled")
		}
		all = append(all, o.Variable)
	}
	return all
}

// copyOwn copies a variable of the thread's own.
func (m *calls) copyOwn(s *state, to, from *kernel.Variable) {
	if known, ok := s.own[m.run.addr.region(from)]; ok {
		s.own[m.run.addr.region(to)] = known
	} else {
		delete(s.own, m.run.addr.region(to))
	}
}

// extern executes a call of a function that has no body: an annotation, or one that nothing is
// known of.
func (m *calls) extern(s *state, c invocation) *state {
	var args []*term.Term
	for _, v := range c.args {
		size := v.Size()
		if size > 8 || size == 0 {
			args = append(args, nil)
			continue
		}
		args = append(args, m.run.memory.loadOwn(s, m.run.addr.region(v), m.terms.Const(0, 64), size))
	}
	a := &annotation{run: m.run, terms: m.terms, s: s, f: c.f, args: args}
	if known := annotationOf(c.f.Name); known != nil {
		known(a)
	} else if !m.pure(c.f.Name) {
		help := "a module that has its body, or --pure-externs if it touches no memory and waits for no thread"
		if c.f.Name == "malloc" || c.f.Name == "free" {
			help = "memory that the host allocates, or an array of the thread"
		}
		m.run.refuse(help, "%s has no body here", c.f.Name)
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

// returns gives what a function without a body returns: the result that is known, or anything, in
// parts of at most 8 bytes.
func (m *calls) returns(s *state, a *annotation, v *kernel.Variable) {
	var all cells
	for at, size := 0, v.Size(); at < size; at += 8 {
		part := min(8, size-at)
		for part&(part-1) != 0 {
			part &= part - 1
		}
		value := m.run.fresh(trace.External+a.f.Name, 8*part)
		if a.result != nil && at == 0 {
			value = fit(m.terms, a.result, 8*part, false)
		}
		all = all.write(cell{int64(at), part, value})
		if at == 0 { // launches know of no more
			m.run.rec.Append(&trace.Return{Point: m.run.point(s, m.terms.Bool(true)), Value: value})
		}
	}
	s.own[m.run.addr.region(v)] = all
}

// pure reports whether a function without a body is assumed to return any value and do nothing
// else.
func (m *calls) pure(name string) bool {
	if name == "vprintf" || name == "printf" || m.run.config.PureExterns {
		m.run.note(assume.Extern.Of(name))
		return true
	}
	return false
}

// frame is the execution of a function: what is known at the heads of its blocks.
type frame struct {
	f       *kernel.Function
	flow    *kernel.Flow
	pending []*state
	ret     *state
	// promises are the postconditions of the function. returned stands for its result, or is nil if
	// no annotation refers to it.
	promises []promise
	returned *term.Term
}

// function executes a function. It returns what is known where that returns, nil if it does not,
// and what it has promised of that.
func (m *calls) function(f *kernel.Function, s *state) (*state, []promise) {
	if slices.ContainsFunc(m.frames, func(fr *frame) bool { return fr.f == f }) {
		m.run.refuse("", "%s calls itself: recursion is not modelled", f.Name)
	}
	if len(m.frames) == maxDepth {
		m.run.refuse("", "more than %d calls within each other", maxDepth)
	}
	if len(f.Instrs) > m.run.config.Limits.Steps {
		m.run.refuse("", "%s has %d instructions: more than %d are not executed", f.Name, len(f.Instrs), m.run.config.Limits.Steps)
	}
	flow := m.run.rec.Trace.Flows[f]
	if flow == nil {
		flow = f.Flow()
		m.run.rec.Trace.Flows[f] = flow
	}
	fr := &frame{f: f, flow: flow, pending: make([]*state, len(flow.Blocks))}
	m.frames = append(m.frames, fr)
	saved := s.regs
	s.regs = make([]*term.Term, len(f.Registers))
	for _, v := range f.Vars {
		if v.Space == isa.Local {
			delete(s.own, m.run.addr.region(v)) // of an earlier call
		}
	}
	if len(flow.Blocks) == 0 {
		fr.ret = s
	} else {
		fr.pending[0] = s
	}
	m.run.loops.walk(fr, flow.Order)
	m.frames = m.frames[:len(m.frames)-1]
	if fr.ret != nil {
		fr.ret.regs = saved
	}
	return fr.ret, fr.promises
}

// frame returns the function that is being executed.
func (m *calls) frame() *frame { return m.frames[len(m.frames)-1] }
