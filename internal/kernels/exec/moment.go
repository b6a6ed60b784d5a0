package exec

import (
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/guard"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Hooks are called during the execution of a kernel, to check and assume contracts. Any may be nil.
type Hooks struct {
	Begin   func(*Moment)                     // before the first instruction
	End     func(*Moment)                     // when the thread has ended, and all have
	Before  map[*kernel.Instr]func(*Moment)   // before an instruction is executed
	Barrier func(x *Moment, in *kernel.Instr) // after a barrier of the block
	Access  func(x *Moment, a *trace.Access)  // when an access to memory that threads share is made
}

// Moment is a thread somewhere on its way. What it is asked for are terms; it belongs to the call
// of a hook.
type Moment struct {
	Terms *term.Builder
	m     *run
	s     *state
	epoch *term.Term // of the memory that Element reads: what all threads had written when it began
}

// Special returns what a special register holds, by its name: "%tid.x".
func (x *Moment) Special(name string) *term.Term { return x.m.place.special(name) }

// Param returns the value of a parameter of the kernel.
func (x *Moment) Param(v *kernel.Variable) *term.Term {
	return x.m.addr.parameter(x.m.addr.vars[v], 0, v.Size())
}

// Register returns what a register of the kernel holds.
func (x *Moment) Register(r *kernel.Register) *term.Term { return x.m.register(x.s, r) }

// Shape returns the place of the thread, and the launch.
func (x *Moment) Shape() *trace.Shape { return &x.m.rec.Trace.Shape }

// Passed returns the number of barriers of the block that the thread has passed.
func (x *Moment) Passed() *term.Term { return x.s.barriers() }

// Guard returns the condition that the thread comes here.
func (x *Moment) Guard() *term.Term { return x.m.guards.Term(x.s.guard) }

// Private reports whether a variable is one that each thread has for itself.
func (x *Moment) Private(v *term.Term) bool { return x.m.rec.Trace.Private[v] }

// Region returns the array that a variable is, or that a parameter points to; nil if the parameter
// is no pointer.
func (x *Moment) Region(v *kernel.Variable, pointer bool) *trace.Region {
	if !pointer {
		return x.m.addr.region(v)
	}
	return x.m.addr.leaves[x.Param(v)]
}

// Element returns the contents of an array when the thread passed the last barrier, or before it
// began, or, at the end, the final contents: the same for all threads of the block.
func (x *Moment) Element(r *trace.Region, offset *term.Term, size int) *term.Term {
	return x.m.memory.held(r, offset, size, x.epoch)
}

// First returns what an array held before the kernel began.
func (x *Moment) First(r *trace.Region, offset *term.Term, size int) *term.Term {
	return x.m.memory.held(r, offset, size, x.Terms.Const(0, 64))
}

// Now returns what an array holds where the thread has accessed it since the last barrier, or is
// alone to write; elsewhere, where others may write to it, anything.
func (x *Moment) Now(r *trace.Region, offset *term.Term, size int) *term.Term {
	b := x.Terms
	m, s := x.m, x.s
	if m.config.Contents(r.Name) == Fixed || r.Space == isa.Const {
		return x.Element(r, offset, size)
	}
	here := b.Bool(false)
	for _, c := range m.memory.own(s) {
		if c.Region == r && c.Size == size {
			here = b.Or(here, b.And(c.When, b.Eq(c.Offset, offset)))
		}
	}
	anything := m.fresh("unknown", 8*size)
	if value, ok := m.memory.current(s, r, offset, size); ok && m.memory.settles(r) && s.wrote[anyRegion] == unwritten {
		return b.Ite(here, value, anything)
	}
	return anything
}

// Assume assumes a condition from here on, whenever the thread comes here. The verdict lists the
// note.
func (x *Moment) Assume(holds *term.Term, note string) {
	fact := x.Terms.Implies(x.m.guards.Term(x.s.guard), holds)
	x.m.rec.Know(fact)
	(&annotation{run: x.m, terms: x.m.terms, s: x.s}).assumed(holds)
	x.m.takes(trace.Claim{Holds: fact}, note)
}

// Claim assumes a condition for all values of variables.
func (x *Moment) Claim(vars []*term.Term, holds *term.Term, note string) {
	claim := trace.Claim{Vars: vars, Holds: x.Terms.Implies(x.m.guards.Term(x.s.guard), holds)}
	x.m.rec.Claim(claim)
	x.m.takes(claim, note)
}

// takes records an assumption. A claim without a note has been checked.
func (m *run) takes(given trace.Claim, note string) {
	if note != "" {
		m.rec.Change(trace.Push(&m.rec.Trace.Given, given))
		m.note(note)
	}
}

// Check records a condition that must hold here for the thread and, if it is about two threads, for
// others.
func (x *Moment) Check(what string, holds *term.Term, others trace.Others) {
	if x.s.guard == guard.False || holds.True() {
		return
	}
	x.m.rec.Append(&trace.Check{Point: x.m.point(x.s, x.Terms.Bool(true)), What: what, Holds: holds, With: others, Hook: true})
}

// CheckAccess records a condition that must hold at an access.
func (x *Moment) CheckAccess(a *trace.Access, what string, holds *term.Term) {
	if !holds.True() {
		x.m.rec.Append(&trace.Check{Point: a.Point, What: what, Holds: holds, Hook: true})
	}
}

// Fresh returns a variable of the thread that nothing is known about.
func (x *Moment) Fresh(name string, width int) *term.Term { return x.m.fresh(name, width) }

// Invariant makes a condition an invariant of the loop at whose head the thread is: it is proved by
// induction, and assumed in each iteration. It returns false if the loop is not cut, or if the
// condition is about the other thread; then it must be checked.
func (x *Moment) Invariant(what string, holds *term.Term) bool {
	return x.m.loops.stated(x.s, &trace.Invariant{Name: what}, holds)
}

// AtHead reports whether the thread is at the head of a loop that is cut, where a round begins.
func (x *Moment) AtHead() bool {
	m := x.m
	if len(m.loops.cutting) == 0 {
		return false
	}
	c := m.loops.cutting[len(m.loops.cutting)-1]
	return m.at == c.fr.head(c.loop) && x.s.guard == c.start.guard
}

// Duty records a condition that must hold at the head of a loop that is cut: where the loop begins,
// and after an iteration.
func (x *Moment) Duty(what string, holds func(*trace.Head) *term.Term) {
	c := x.m.loops.cutting[len(x.m.loops.cutting)-1]
	c.claim(&trace.Invariant{Name: what, Holds: holds}, x.Terms.Bool(true))
}

// Agreed reports whether threads of the block that meet at a barrier have one value of a variable.
func (x *Moment) Agreed(v *term.Term) bool { return x.m.loops.agreed[v] }

// Other returns the term of the second thread that corresponds to a term.
func (x *Moment) Other(t *term.Term) *term.Term {
	v := x.m.fresh("other", t.Width())
	x.m.rec.Trace.Others[v] = t
	return v
}

// Refuse ends the execution because something in a contract is not modelled.
func (x *Moment) Refuse(help, format string, args ...any) { x.m.refuse(help, format, args...) }

func (m *run) moment(s *state) *Moment { return &Moment{m.terms, m, s, s.barriers()} }

// before calls the hook of an instruction.
func (m *run) before(s *state, in *kernel.Instr) {
	if m.config.Hooks == nil {
		return
	}
	if hook := m.config.Hooks.Before[in]; hook != nil {
		m.at = in
		hook(m.moment(s))
	}
}

// ends calls the last hook: as if all threads waited for each other.
func (m *run) ends(s *state) {
	h := m.config.Hooks
	if h == nil || h.End == nil || s == nil || s.guard == guard.False {
		return
	}
	m.memory.settle(s)
	x := m.moment(s)
	x.epoch = m.terms.Add(x.epoch, m.terms.Const(1, 64))
	h.End(x)
	m.memory.unwritten(x.epoch)
}

// unwritten records the arrays that no thread writes to between two successive barriers. Global
// memory may be written by other blocks.
func (m *accesses) unwritten(last *term.Term) {
	b := m.terms
	n, known := last.Value()
	if !known || n > maxFrames {
		return
	}
	type array struct {
		r    *trace.Region
		size int
	}
	seen := map[array]bool{}
	for _, a := range m.run.rec.Trace.Accesses {
		of := array{a.Region, a.Size / max(1, len(a.Values))}
		if seen[of] || of.size > 8 || of.r.Space != isa.Shared && !m.run.place.alone() || !m.settles(of.r) {
			continue
		}
		seen[of] = true
		offset := b.Var("∀offset", 64)
		for epoch := range n {
			from, to := b.Const(epoch, 64), b.Const(epoch+1, 64)
			if !m.writes(of.r, from) {
				same := b.Eq(m.held(of.r, offset, of.size, from), m.held(of.r, offset, of.size, to))
				m.run.rec.Change(trace.Push(&m.run.rec.Trace.Frames, trace.Claim{Vars: []*term.Term{offset}, Holds: same}))
			}
		}
	}
}

// maxFrames bounds the barriers of a kernel about which frames are noted.
const maxFrames = 100

// alone reports whether there is but one block.
func (m *position) alone() bool {
	one := m.terms.Const(1, 32)
	return m.run.rec.Trace.Shape.Blocks == [3]*term.Term{one, one, one}
}

// writes reports whether a thread may write to an array in an epoch: after that number of barriers.
func (m *accesses) writes(r *trace.Region, epoch *term.Term) bool {
	return slices.ContainsFunc(m.run.rec.Trace.Accesses, func(a *trace.Access) bool {
		return a.Region == r && a.Kind != trace.Load && !m.terms.Eq(a.Epoch[trace.Block], epoch).False()
	})
}

// settle records the contents of memory at the next barrier: no other thread has written where the
// thread has read or written since the last barrier, or there is a race.
func (m *accesses) settle(s *state) {
	b := m.terms
	if m.run.config.Hooks == nil || s.wrote[anyRegion] != unwritten {
		return
	}
	next := b.Add(s.barriers(), b.Const(1, 64))
	type element struct {
		r      *trace.Region
		offset *term.Term
		size   int
	}
	when := map[element]*term.Term{}
	var order []element
	for _, c := range m.own(s) {
		e := element{c.Region, c.Offset, c.Size}
		if !m.settles(c.Region) || c.Size > 8 || c.When.False() {
			continue
		}
		if when[e] == nil {
			when[e] = b.Bool(false)
			order = append(order, e)
		}
		when[e] = b.Or(when[e], c.When)
	}
	for _, e := range order {
		if value, ok := m.current(s, e.r, e.offset, e.size); ok {
			holds := b.Eq(m.held(e.r, e.offset, e.size, next), value)
			m.run.rec.Know(b.Implies(b.And(m.run.guards.Term(s.guard), when[e]), holds))
		}
	}
}

// settles reports whether a written array holds the same for all threads when they pass a barrier.
func (m *accesses) settles(r *trace.Region) bool {
	known := m.run.config.Contents(r.Name)
	return known != Changing && known != Fixed
}

// own returns the elements that no other thread has written to since the last barrier: those that
// the thread has accessed by weak accesses (otherwise there is a race), and those that a contract
// gives to it.
func (m *accesses) own(s *state) (all []trace.Cell) {
	for _, a := range m.run.rec.Trace.Accesses {
		if a.Strong != isa.NoScope {
			continue
		}
		n := max(1, len(a.Values))
		for i := range n {
			all = append(all, trace.Cell{
				Region: a.Region, Offset: m.terms.Add(a.Offset, m.terms.Const(uint64(i*a.Size/n), 64)), Size: a.Size / n, When: m.since(s, a),
			})
		}
	}
	for _, p := range m.run.moment(s).Kept(s.barriers()) {
		all = append(all, p.Cell)
	}
	return all
}

// since returns the condition that the thread has made an access since the last barrier.
func (m *accesses) since(s *state, a *trace.Access) *term.Term {
	return m.terms.And(a.Guard, m.terms.Eq(a.Epoch[trace.Block], s.passed(a.Region)[trace.Block]))
}

// held returns what an array held when all threads of the block had passed epoch barriers.
func (m *accesses) held(r *trace.Region, offset *term.Term, size int, epoch *term.Term) *term.Term {
	if r.Space == isa.Const || m.run.config.Contents(r.Name) == Fixed {
		return m.terms.App(trace.HeldIn(r, size), 8*size, offset)
	}
	at := m.run.rec.Trace.Shape.Block
	return m.terms.App(trace.HeldIn(r, size)+"@", 8*size, offset, epoch, at[0], at[1], at[2])
}

// maxWrites bounds the writes of a thread that a read is matched with.
const maxWrites = 64

// current returns what an array holds for the thread: what it has written since the last barrier,
// else what was there then. It is not known if accesses of other sizes overlap.
func (m *accesses) current(s *state, r *trace.Region, offset *term.Term, size int) (value *term.Term, ok bool) {
	b := m.terms
	value = m.held(r, offset, size, s.passed(r)[trace.Block])
	writes := 0
	for _, a := range m.run.rec.Trace.Accesses {
		if a.Region != r || a.Kind == trace.Load {
			continue
		}
		here := m.since(s, a)
		if here.False() {
			continue
		}
		if writes++; a.Kind == trace.Atomic || writes > maxWrites {
			return nil, false
		}
		each := a.Size / len(a.Values)
		for i, v := range a.Values {
			at := b.Add(a.Offset, b.Const(uint64(i*each), 64))
			same := b.Eq(at, offset)
			switch {
			case same.False() && each == size && aligned(at, size) && aligned(offset, size):
			case each == size && aligned(at, size) && aligned(offset, size):
				value = b.Ite(b.And(here, same), v, value)
			default:
				return nil, false
			}
		}
	}
	return value, true
}
