package exec

import (
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/guard"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Bounds of an execution beyond those of Config. A larger execution is refused.
const (
	maxTerms    = 1_000_000
	maxOperands = 20_000_000 // of these terms
	maxAccesses = 3_000
	maxDepth    = 64 // of calls
)

// run executes a kernel. Each part refers to it, because an instruction may need any part.
type run struct {
	terms   *term.Builder
	config  Config
	guards  *guard.Guards
	rec     *trace.Recorder
	code    code
	at      *kernel.Instr // what is executed
	addr    addresses
	place   position
	numbers integers
	memory  accesses
	meet    encounters
	copies  copies
	loops   loops
	calls   calls
	budget  budget
}

func newRun(b *term.Builder, module *kernel.Module, f *kernel.Function, c Config) *run {
	m := &run{terms: b, config: c, guards: guard.New(b), rec: trace.NewRecorder(b)}
	m.guards.Stop = c.Stop
	m.code = code{run: m, module: module, decoded: map[string]*instruction{}, dooms: map[*kernel.Instr]*kernel.Instr{}}
	m.addr = addresses{
		run: m, terms: b, entry: f.Entry, vars: map[*kernel.Variable]*trace.Region{}, leaves: map[*term.Term]*trace.Region{}, based: map[*term.Term]bool{},
		taken: map[*trace.Region]bool{}, params: map[string]*term.Term{},
	}
	m.place = position{run: m, terms: b, fixed: map[string]*term.Term{}, geometry: map[*term.Term]bool{}}
	m.numbers = integers{run: m, terms: b, exact: map[*term.Term]exact{}, compared: map[*term.Term][]*term.Term{}, whole: map[*term.Term]*term.Term{}}
	m.memory, m.meet, m.copies = accesses{m, b}, encounters{m, b}, copies{run: m, terms: b}
	m.loops = loops{run: m, terms: b, agreed: map[*term.Term]bool{}, lasts: map[*term.Term]*term.Term{}, unsure: map[*kernel.Instr]bool{}}
	m.calls = calls{run: m, terms: b}
	for _, p := range f.Params {
		m.addr.vars[p] = &trace.Region{Name: p.Name, Space: isa.Param, Variable: p, Entry: true}
	}
	m.place.shape(f.Launch.Cluster)
	m.place.cluster(f.Launch.Cluster)
	return m
}

// kernel executes the kernel itself.
func (m *run) kernel(f *kernel.Function) {
	zero := m.terms.Const(0, 64)
	s := &state{guard: guard.True, own: map[*trace.Region]cells{}, wrote: map[*trace.Region]writing{}, epoch: [...]trace.Epochs{{zero, zero, zero}, {zero, zero, zero}}, groups: zero, arrived: zero}
	m.calls.axioms(s)
	if h := m.config.Hooks; h != nil && h.Begin != nil && len(f.Instrs) > 0 {
		m.at = f.Instrs[0]
		h.Begin(m.moment(s))
	}
	s, promises := m.calls.function(f, s)
	if s != nil {
		m.calls.kept(s, invocation{f: f}, promises)
	}
	m.ends(s)
	m.copies.unawaited()
}

// step executes an instruction that is not a branch, a return or an exit. It returns nil if the
// thread does not go on.
func (m *run) step(s *state, in *kernel.Instr) *state {
	op := m.code.decode(in)
	if m.config.Stop() {
		panic(guard.ErrStopped)
	}
	if m.terms.Len() > maxTerms || m.terms.Operands() > maxOperands {
		m.tooLarge("what the thread computes takes more than %d terms, or %d operands of terms", maxTerms, maxOperands)
	}
	switch op.Class() {
	case isa.ClassAccess:
		m.memory.access(s, in, op)
	case isa.ClassAtomic:
		m.memory.atomic(s, in, op)
	case isa.ClassBarrier:
		m.meet.barrier(s, in, op)
	case isa.ClassCall:
		return m.calls.call(s, in)
	case isa.ClassWarp:
		m.meet.exchange(s, in, op)
	case isa.ClassFence, isa.ClassHint:
	case isa.ClassAddress:
		m.address(s, in, op)
	case isa.ClassMove:
		m.move(s, in, op)
	case isa.ClassArithmetic, isa.ClassConvert, isa.ClassFloat:
		m.compute(s, in, op)
	default:
		m.other(s, in, op)
	}
	return s
}

// predicate returns what the guard of an instruction holds.
func (m *run) predicate(s *state, in *kernel.Instr) *term.Term {
	m.at = in
	p := m.register(s, in.Guard)
	if in.Unless {
		return m.terms.Not(p)
	}
	return p
}

// fresh returns a variable of the thread that nothing is known about.
func (m *run) fresh(name string, width int) *term.Term {
	v := m.terms.Var(m.rec.Unique(name), width)
	m.rec.Trace.Private[v] = true
	return v
}

// budget counts what has been executed, including iterations that were executed again.
type budget struct {
	steps    int // instructions
	repeated int // those of loops that are unrolled
	nested   int // loops that are cut in them
}

// count counts the instructions of a block that is executed.
func (m *run) count(n int, first *kernel.Instr) {
	m.budget.steps += n
	if len(m.loops.unrolled) > 0 {
		m.budget.repeated += n
	}
	switch m.at = first; {
	case m.budget.steps > m.config.Limits.Steps:
		m.tooLarge("more than %d instructions are executed", m.config.Limits.Steps)
	case m.config.Limits.Unrolled > 0 && m.budget.repeated > m.config.Limits.Unrolled:
		m.tooLarge("more than %d instructions of loops are executed", m.config.Limits.Unrolled)
	}
}
