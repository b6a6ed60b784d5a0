package symbolic

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/internal/solver/guard"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Bounds of an execution beyond those of Config: what is larger is refused.
const (
	maxTerms    = 1_000_000
	maxOperands = 20_000_000 // of these terms
	maxAccesses = 3_000
	maxDepth    = 64 // of calls
)

// machine executes a kernel.
type machine struct {
	*term.Builder
	config    Config
	module    *kernel.Module
	entry     bool // it is a kernel that is executed, and no function on its own
	guards    *guard.Guards
	decoded   map[string]*instruction
	vars      map[*kernel.Variable]*Region
	leaves    map[*term.Term]*Region // terms that are addresses of regions
	based     map[*term.Term]bool    // terms that have such a leaf
	addressed map[*Region]bool       // memory of the thread's own whose address was taken
	params    map[string]*term.Term
	fixed     map[string]*term.Term       // special registers that do not change
	geometry  map[*term.Term]bool         // the variables that sizes and places of the launch are made of
	cutting   []*cut                      // loops that are cut and executed, the outermost first
	cutAny    bool                        // some loop was cut
	agreed    map[*term.Term]bool         // variables of the thread that threads which meet have in common
	lasts     map[*term.Term]*term.Term   // the last rounds of loops that were cut, in which threads meet, by their rounds
	exact     map[*term.Term]exact        // how numbers of 32 bits were computed
	compared  map[*term.Term][]*term.Term // what is compared as signed numbers of 32 bits, by the outcome
	whole     map[*term.Term]*term.Term   // the integers of 64 bits that floating-point numbers are
	calls     []*kernel.Instr
	frames    []*frame
	unrolled  []*kernel.Instr // first instructions of the loops that are being unrolled, the outermost first
	names     map[string]int  // how many fresh variables have a name
	steps     int             // instructions executed
	repeated  int             // those of loops that are unrolled
	nested    int             // loops that are cut in them
	asked     bool            // the annotation that is computed is about earlier accesses
	functions []*term.Term    // addresses of functions
	flights   []*flight       // asynchronous copies of a block
	started   []*started      // those of the thread

	lost   guard.Guard                     // as trace.Lost
	unsure map[*kernel.Instr]bool          // loops that may have ended in a round that was executed, by their first instructions
	dooms  map[*kernel.Instr]*kernel.Instr // what doomed has found, by first instructions of blocks
	at     *kernel.Instr
	rec    *Recorder
	trace  *Trace // what the recorder has written
}

// instruction is an opcode with what it computes.
type instruction struct {
	*isa.Opcode
	formula *isa.Formula
	err     error // it has no formula
	unknown error // PTX has no such instruction
}

func newMachine(b *term.Builder, module *kernel.Module, f *kernel.Function, c Config) *machine {
	m := &machine{
		Builder: b, config: c, module: module, entry: f.Entry, guards: guard.New(b),
		decoded: map[string]*instruction{},
		vars:    map[*kernel.Variable]*Region{}, leaves: map[*term.Term]*Region{}, based: map[*term.Term]bool{},
		addressed: map[*Region]bool{}, params: map[string]*term.Term{}, fixed: map[string]*term.Term{}, geometry: map[*term.Term]bool{}, names: map[string]int{}, agreed: map[*term.Term]bool{}, lasts: map[*term.Term]*term.Term{}, exact: map[*term.Term]exact{}, compared: map[*term.Term][]*term.Term{}, whole: map[*term.Term]*term.Term{}, dooms: map[*kernel.Instr]*kernel.Instr{}, unsure: map[*kernel.Instr]bool{},
		rec: &Recorder{trace: Trace{Private: map[*term.Term]bool{}, Havoc: map[*term.Term]bool{}, Others: map[*term.Term]*term.Term{}, Earlier: map[*term.Term]Earlier{}, Notes: map[string]*kernel.Instr{}, Flows: map[*kernel.Function]*kernel.Flow{}, Carried: map[*kernel.Instr][]Slot{}, Loaded: map[*kernel.Instr]Slot{}}},
	}
	m.trace = &m.rec.trace
	m.guards.Stop = c.Stop
	for _, p := range f.Params {
		m.vars[p] = &Region{Name: p.Name, Space: isa.Param, Variable: p, entry: true}
	}
	m.trace.Lost = m.Bool(false)
	m.shape(f.Launch.Cluster)
	m.cluster(f.Launch.Cluster)
	return m
}

// fresh is a variable of the thread that nothing is known about.
func (m *machine) fresh(name string, width int) *term.Term {
	v := m.Var(m.unique(name), width)
	m.trace.Private[v] = true
	return v
}

// unique is a name that nothing else has.
func (m *machine) unique(name string) string {
	m.names[name]++
	return fmt.Sprintf("%s#%d", name, m.names[name])
}

// kernel executes the kernel itself.
func (m *machine) kernel(f *kernel.Function) {
	zero := m.Const(0, 64)
	s := &state{guard: guard.True, own: map[*Region]cells{}, wrote: map[*Region]writing{}, epoch: [...]epochs{{zero, zero, zero}, {zero, zero, zero}}, groups: zero, arrived: zero}
	m.axioms(s)
	m.begins(f, s)
	s, promises := m.function(f, s)
	if s != nil {
		m.kept(s, invocation{f: f}, promises)
	}
	m.ends(s)
	m.unawaited()
}

// frame is the execution of a function: what is known at the heads of its blocks.
type frame struct {
	f       *kernel.Function
	flow    *kernel.Flow
	pending []*state
	ret     *state
	// promises are what the function ensures, and returned stands for what it returns: nil if no annotation asks for that.
	promises []promise
	returned *term.Term
}

// function executes a function. It returns what is known where that returns, nil if it does not, and what it has promised of that.
func (m *machine) function(f *kernel.Function, s *state) (*state, []promise) {
	if slices.ContainsFunc(m.frames, func(fr *frame) bool { return fr.f == f }) {
		m.refuse("", "%s calls itself: recursion is not modelled", f.Name)
	}
	if len(m.frames) == maxDepth {
		m.refuse("", "more than %d calls within each other", maxDepth)
	}
	if len(f.Instrs) > m.config.Steps {
		m.refuse("", "%s has %d instructions: more than %d are not executed", f.Name, len(f.Instrs), m.config.Steps)
	}
	flow := m.trace.Flows[f]
	if flow == nil {
		flow = f.Flow()
		m.trace.Flows[f] = flow
	}
	fr := &frame{f: f, flow: flow, pending: make([]*state, len(flow.Blocks))}
	m.frames = append(m.frames, fr)
	saved := s.regs
	s.regs = make([]*term.Term, len(f.Registers))
	for _, v := range f.Vars {
		if v.Space == isa.Local {
			delete(s.own, m.region(v)) // of an earlier call
		}
	}
	if len(flow.Blocks) == 0 {
		fr.ret = s
	} else {
		fr.pending[0] = s
	}
	m.walk(fr, flow.Order)
	m.frames = m.frames[:len(m.frames)-1]
	if fr.ret != nil {
		fr.ret.regs = saved
	}
	return fr.ret, fr.promises
}

// frame is the function that is being executed.
func (m *machine) frame() *frame { return m.frames[len(m.frames)-1] }

// walk executes blocks in their order. A loop with several entries may be entered in its middle: what
// is pending there comes first.
func (m *machine) walk(fr *frame, order []kernel.Loop) {
	for _, l := range order {
		if l.Back && fr.pending[l.Head] == nil {
			m.walk(fr, l.Body)
		}
		switch {
		case fr.pending[l.Head] == nil:
		case !l.Back:
			m.block(fr, l.Head)
		case m.cuts(fr.head(l)):
			m.cut(fr, l)
		default:
			m.unrolled = append(m.unrolled, fr.head(l))
			m.unroll(fr, l)
			m.unrolled = m.unrolled[:len(m.unrolled)-1]
		}
	}
}

// cuts reports that a loop is to be cut.
func (m *machine) cuts(head *kernel.Instr) bool {
	if m.config.Cut == nil {
		return false
	}
	_, cut := m.config.Cut(head)
	set(m.rec, &m.cutAny, m.cutAny || cut)
	return cut
}

func (fr *frame) head(l kernel.Loop) *kernel.Instr { return fr.f.Instrs[fr.flow.Blocks[l.Head].First] }

// sureRounds bounds the rounds of a loop that are sure to come.
const sureRounds = 1100

// unroll executes a loop until no way leads back to its head. Rounds that are sure to come have a
// bound of their own; those that go on in a loop within that was left say nothing of what comes.
func (m *machine) unroll(fr *frame, l kernel.Loop) {
	sure, unsure, most := 0, 0, cmp.Or(m.config.Sure, sureRounds)
	for fr.pending[l.Head] != nil {
		before := fr.pending[l.Head].guard
		m.block(fr, l.Head)
		m.walk(fr, l.Body)
		next := fr.pending[l.Head]
		switch {
		case next == nil:
			return
		case m.guards.Under(m.guards.Or(next.guard, m.lost), before) == guard.True:
			sure++
		default:
			unsure++
			put(m.rec, m.unsure, fr.head(l), true)
		}
		if sure == most || unsure == m.config.Rounds {
			set(m.rec, &m.trace.Lost, m.Or(m.trace.Lost, m.guards.Term(next.guard)))
			set(m.rec, &m.lost, m.guards.Or(m.lost, next.guard))
			fr.pending[l.Head] = nil
			m.loose(fr.head(l))
		}
	}
}

func (m *machine) loose(in *kernel.Instr) {
	if !slices.Contains(m.trace.Loose, in) {
		m.rec.Change(push(&m.trace.Loose, in))
		if !m.unsure[in] {
			m.rec.Change(push(&m.trace.Long, in))
		}
	}
}

// long reports that each round so far of the innermost loop that is being unrolled was sure to be followed by another.
func (m *machine) long() bool {
	n := len(m.unrolled)
	return n > 0 && !m.unsure[m.unrolled[n-1]]
}

// push has a block go on with a state; nil is a way that nobody goes.
func (m *machine) push(fr *frame, block int, s *state) {
	if s != nil {
		if trap := m.doomed(fr, block); trap != nil {
			m.aborts(s, trap)
			return
		}
	}
	fr.pending[block] = m.merge(fr.pending[block], s)
}

// block executes a block.
func (m *machine) block(fr *frame, id int) {
	b := fr.flow.Blocks[id]
	s := fr.pending[id]
	fr.pending[id] = nil
	m.count(b.End-b.First, fr.f.Instrs[b.First])
	s.carry = nil // PTX ISA, "Extended-Precision Integer Arithmetic Instructions": for straight-line code
	for _, in := range fr.f.Instrs[b.First : b.End-1] {
		m.before(s, in)
		if s = m.guarded(s, in); s == nil {
			return
		}
	}
	m.before(s, fr.f.Instrs[b.End-1])
	m.last(fr, b, s, fr.f.Instrs[b.End-1])
}

// count counts instructions that are executed.
func (m *machine) count(n int, first *kernel.Instr) {
	m.steps += n
	if len(m.unrolled) > 0 {
		m.repeated += n
	}
	switch m.at = first; {
	case m.steps > m.config.Steps:
		m.tooLarge("more than %d instructions are executed", m.config.Steps)
	case m.config.Unrolled > 0 && m.repeated > m.config.Unrolled:
		m.tooLarge("more than %d instructions of loops are executed", m.config.Unrolled)
	}
}

// last executes the last instruction of a block.
func (m *machine) last(fr *frame, b kernel.Block, s *state, in *kernel.Instr) {
	op := m.decode(in)
	switch class := op.Class(); {
	case class == isa.ClassBranch, class == isa.ClassReturn, class == isa.ClassExit, op.Code == isa.Trap:
		goes, stays := s, (*state)(nil)
		if in.Guard != nil {
			p := m.predicate(s, in)
			m.branches(s, p)
			g := m.guards.Of(p)
			goes, stays = m.under(s, g), m.under(s, m.guards.Not(g))
			m.goes(goes, p)
			m.goes(stays, m.Not(p))
		}
		next := b.Next
		switch class {
		case isa.ClassBranch:
			m.jump(fr, goes, in, next)
			next = next[len(in.Targets()):]
		case isa.ClassReturn:
			fr.ret = m.merge(fr.ret, goes)
		case isa.ClassTrap:
			m.aborts(goes, in)
		}
		if stays != nil && len(next) > 0 {
			m.push(fr, next[0], stays)
		}
	default:
		s = m.guarded(s, in)
		switch {
		case s == nil:
		case len(b.Next) > 0:
			m.push(fr, b.Next[0], s)
		default:
			if class == isa.ClassCall {
				m.rec.Append(&Check{
					Point: m.point(s, m.Bool(true)), What: "return from a call that ends its function, which has no ret", Holds: m.Bool(false),
				})
			}
			fr.ret = m.merge(fr.ret, s)
		}
	}
}

// jump goes on where a branch goes: to its label, or to one of its table that an index chooses.
func (m *machine) jump(fr *frame, s *state, in *kernel.Instr, next []int) {
	n := len(in.Targets())
	switch {
	case n == 0:
		m.refuse("a branch to labels", "where this %s goes is not known", in.Opcode)
	case s == nil:
		return
	case in.Name() == "bra":
		m.push(fr, next[0], s)
		return
	}
	index := m.operand(s, in.Ops[0], arith.U32)
	m.rec.Append(&Check{
		Point: m.point(s, m.Bool(true)), What: "branch with an index beyond its table", Holds: m.ULt(index, m.Const(uint64(n), 32)), Rounds: m.everyRound(),
	})
	for i, target := range next[:n] {
		is := m.Eq(index, m.Const(uint64(i), 32))
		m.branches(s, is)
		m.push(fr, target, m.under(s, m.guards.Of(is)))
	}
}

// branches notes a branch, if that is asked for.
func (m *machine) branches(s *state, goes *term.Term) {
	if m.config.Branches && goes.Op() != term.Const {
		m.rec.Append(&Branch{m.point(s, m.Bool(true)), goes, m.everyRound()})
	}
}

// predicate is what the guard of an instruction holds.
func (m *machine) predicate(s *state, in *kernel.Instr) *term.Term {
	m.at = in
	p := m.register(s, in.Guard)
	if in.Unless {
		return m.Not(p)
	}
	return p
}

// guarded executes an instruction that is none of control, where its guard holds.
func (m *machine) guarded(s *state, in *kernel.Instr) *state {
	if in.Guard == nil {
		return m.step(s, in)
	}
	p := m.predicate(s, in)
	g := m.guards.Of(p)
	does, not := m.under(s, g), m.under(s, m.guards.Not(g))
	m.goes(does, p)
	if does != nil {
		does = m.step(does, in)
	}
	return m.merge(does, not)
}

// decode is an instruction's opcode.
func (m *machine) decode(in *kernel.Instr) *instruction {
	m.at = in
	d := m.decoded[in.Opcode]
	if d == nil {
		op, err := isa.Decode(in.Opcode)
		d = &instruction{Opcode: op, unknown: err}
		if err == nil {
			d.formula, d.err = op.Formula()
		}
		m.decoded[in.Opcode] = d
	}
	if d.unknown != nil {
		m.refuse("", "%s is not known: %v", in.Opcode, d.unknown)
	}
	return d
}

// step executes an instruction that is none of control; nil if the thread does not go on.
func (m *machine) step(s *state, in *kernel.Instr) *state {
	op := m.decode(in)
	if m.config.Stop() {
		panic(guard.ErrStopped)
	}
	if m.Len() > maxTerms || m.Operands() > maxOperands {
		m.tooLarge("what the thread computes takes more than %d terms, or %d operands of terms", maxTerms, maxOperands)
	}
	switch op.Class() {
	case isa.ClassAccess:
		m.access(s, in, op)
	case isa.ClassAtomic:
		m.atomic(s, in, op)
	case isa.ClassBarrier:
		m.barrier(s, in, op)
	case isa.ClassCall:
		return m.call(s, in)
	case isa.ClassWarp:
		m.exchange(s, in, op)
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
