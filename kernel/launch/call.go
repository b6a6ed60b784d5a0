package launch

import (
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/opencl"
	"github.com/muster-gpu/muster/src"
)

// maxDepth bounds the nesting of calls.
const maxDepth = 1000

// call executes a call; its operands are results, function and arguments.
func (m *machine) call(t *thread, s *step) (bool, error) {
	var name *kernel.Operand
	var returns, args []kernel.Operand
	for i := range s.Ops {
		switch o := &s.Ops[i]; {
		case o.Kind == kernel.Tuple && name == nil:
			returns = o.List
		case o.Kind == kernel.Tuple:
			args = o.List
		case name == nil:
			name = o
		}
	}
	if name == nil {
		return false, src.Errorf(s.At, "%s names no function", s.Opcode)
	}
	f, err := m.callee(t, name)
	switch {
	case err != nil:
		return false, err
	case f.Declared:
		return m.external(t, s, f, returns, args)
	case len(args) != len(f.Params) || len(returns) != len(f.Returns):
		return false, src.Errorf(s.At, "%s takes %d arguments and gives %d results", f.Name, len(f.Params),
			len(f.Returns))
	case len(t.frames) >= maxDepth:
		return false,
			src.Errorf(s.At, "more than %d calls within each other", maxDepth).WithHint("%s may call itself for ever",
				f.Name)
	}
	from, err := m.passed(t, s, args)
	if err != nil {
		return false, err
	}
	to, err := m.passed(t, s, returns)
	if err != nil {
		return false, err
	}
	frame := m.enter(t, m.codes[f], s)
	frame.returns = to
	for i, v := range f.Params {
		if n := len(m.variable(t, v).data); n != len(from[i].data) {
			return false, src.Errorf(s.At, "parameter %s of %s has %d bytes, the argument %d", v.Name, f.Name, n,
				len(from[i].data))
		}
		copy(m.variable(t, v).data, from[i].data)
	}
	return true, nil
}

// passed returns the variables that carry the arguments or results of a call.
func (m *machine) passed(t *thread, s *step, list []kernel.Operand) ([]*Object, error) {
	var all []*Object
	for i := range list {
		if list[i].Kind != kernel.Var {
			return nil, refuse(list[i].At, "arguments in registers are not modelled")
		}
		all = append(all, m.variable(t, list[i].Variable))
	}
	return all, nil
}

// callee returns the function that an operand names, or the one at an address in a register.
func (m *machine) callee(t *thread, o *kernel.Operand) (*kernel.Function, error) {
	if o.Kind == kernel.Func {
		return m.names[o.Name], nil
	}
	v, err := m.value(t, o, 64)
	if err != nil {
		return nil, err
	}
	if i := v - functionBase; i >= 0 && i < int64(len(m.module.Funcs)) {
		return m.module.Funcs[i], nil
	}
	return nil, src.Errorf(o.At, "%s holds the address of no function", o)
}

// functionBase is the address of the first function.
const functionBase = 1 << 62

// function returns the address of a function.
func (m *machine) function(o *kernel.Operand) (int64, error) {
	if at, known := m.lookup(o.Name); known {
		return int64(at), nil
	}
	return 0, refuse(o.At, "%s is no function of this module", o.Name)
}

// ret returns from a call, or ends the thread.
func (m *machine) ret(t *thread, _ *step) (bool, error) {
	f := t.top()
	var results []*Object
	for _, v := range f.f.Returns {
		results = append(results, m.variable(t, v))
	}
	m.leave(t)
	for i, o := range f.returns {
		copy(o.data, results[i].data)
	}
	if t.done() {
		return false, nil
	}
	caller := t.top()
	t.arriveAt(caller, caller.pc+1)
	return true, nil
}

// Failure is an assertion that does not hold, or undefined behaviour.
type Failure struct {
	Thread int
	At     *kernel.Instr
	Name   string // the function that states the assertion, or the opcode
}

// externals are the functions without a body whose meaning is known: assertions, and the functions
// by which GPUVerify annotates kernels. They are given the first argument.
var externals = map[string]func(m *machine, t *thread, s *step, f *kernel.Function, first int64) (result int64,
	goes bool){
	"__assert": (*machine).assert, "__assert_fail": (*machine).fail, "__assertfail": (*machine).fail,
	"__invariant": (*machine).assert, "__global_invariant": (*machine).assert,
	"__requires": (*machine).promised, "__assume": (*machine).require, "__global_requires": (*machine).require,
	"bugle_assume": (*machine).require,
	"__non_temporal_loads_begin": func(_ *machine, t *thread, _ *step, _ *kernel.Function, _ int64) (int64, bool) {
		t.quiet = true
		return 0, true
	},
	"__non_temporal_loads_end": func(_ *machine, t *thread, _ *step, _ *kernel.Function, _ int64) (int64, bool) {
		t.quiet = false
		return 0, true
	},
	"__requires_fresh_array": func(*machine, *thread, *step, *kernel.Function, int64) (int64, bool) { return 0, true },
	"__enabled":              func(*machine, *thread, *step, *kernel.Function, int64) (int64, bool) { return 1, true },
	"bugle_barrier":          (*machine).wait,
	"_Z12get_work_dimv":      (*machine).dimensions,
	// No launch has an offset.
	"_Z17get_global_offsetj": func(*machine, *thread, *step, *kernel.Function, int64) (int64, bool) { return 0, true },
	"vprintf":                func(*machine, *thread, *step, *kernel.Function, int64) (int64, bool) { return 0, true },
}

func (m *machine) assert(t *thread, s *step, f *kernel.Function, holds int64) (int64, bool) {
	if holds == 0 && (!m.launch.Unannotated || f.Name == "__assertfail" || f.Name == "__assert_fail") {
		m.report.Failures = append(m.report.Failures, Failure{t.number, s.Instr, f.Name})
	}
	return 0, true
}

func (m *machine) fail(t *thread, s *step, f *kernel.Function, _ int64) (int64, bool) {
	m.assert(t, s, f, 0)
	t.frames = nil
	return 0, false
}

// require ends the launch if a precondition does not hold: nothing is claimed about it.
func (m *machine) require(_ *thread, s *step, _ *kernel.Function, holds int64) (int64, bool) {
	if holds == 0 && !m.launch.Unannotated {
		m.report.Excluded, m.over = s.Instr, true
	}
	return 0, true
}

// wait makes the thread wait for all threads of its block.
func (m *machine) wait(t *thread, s *step, _ *kernel.Function, _ int64) (int64, bool) {
	m.arrive(t, s, &arrival{thread: t, step: s, clock: t.clock, index: t.index, seen: t.seen})
	return 0, false
}

// dimensions implements get_work_dim: the number of dimensions in which the launch has more than
// one thread or block.
func (m *machine) dimensions(*thread, *step, *kernel.Function, int64) (int64, bool) {
	grid, block := m.launch.Grid, m.launch.Block
	switch {
	case max(grid.Z, block.Z) > 1:
		return 3, true
	case max(grid.Y, block.Y) > 1:
		return 2, true
	}
	return 1, true
}

// promised implements __requires: a precondition of the launch in the kernel, an assertion in a
// function that it calls.
func (m *machine) promised(t *thread, s *step, f *kernel.Function, holds int64) (int64, bool) {
	if len(t.frames) > 1 {
		return m.assert(t, s, f, holds)
	}
	return m.require(t, s, f, holds)
}

// external calls a function without a body.
func (m *machine) external(t *thread, s *step, f *kernel.Function, returns, args []kernel.Operand) (bool, error) {
	from, err := m.passed(t, s, args)
	if err != nil {
		return false, err
	}
	to, err := m.passed(t, s, returns)
	if err != nil {
		return false, err
	}
	var result int64
	goes := true
	number := func(i int) int64 {
		if i >= len(from) {
			return 0
		}
		return int64(from[i].load(0, min(8, len(from[i].data))))
	}
	bits := 0
	if len(to) > 0 {
		bits = 8 * len(to[0].data)
	}
	value, known := computed(f.Name, number, bits)
	built := opencl.Of(f.Name)
	switch run := externals[f.Name]; {
	case known:
		result = value
	case built.Does != opencl.Nothing && built.Does != opencl.Compute:
		result, goes, err = m.builtin(t, s, f, built, number)
	case f.Name == "__implies":
		result = truth(number(0)&1 == 0 || number(1)&1 != 0)
	case run == nil && m.launch.Returns != nil:
		result = m.returned(t, s, f, uint64(number(0)))
	case run == nil:
		return false, refuse(s.At, "%s is not defined in this module, and its meaning is not known", f.Name)
	default:
		result, goes = run(m, t, s, f, number(0))
	}
	if len(to) > 0 {
		to[0].store(0, len(to[0].data), uint64(result))
	}
	return goes, err
}
