package exec

import (
	"maps"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/guard"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// A loop that is cut is executed once, from a state that stands for the state at the head of any
// iteration (round). There, a register or a cell of the thread's own memory (slots.go) has one of
// the following values. Executing an iteration shows which of them holds:
//
//   - its first value plus an amount for each iteration so far, if each iteration adds that amount;
//   - one of two values in turn, if each iteration changes it to the other (turns.go);
//   - a function of the iteration, if the loop has barriers and threads that meet compute the same;
//   - any value that invariants permit (invariant.go).
//
// A loop that is found free of races is so in any two iterations. A race may be in iterations that
// never happen. Threads that meet at barriers in a loop are in the same iteration between two of
// them, or before and after its end (meeting.go).

// cut is a loop that is cut, while it is executed.
type cut struct {
	run     *run
	terms   *term.Builder
	fr      *frame
	loop    kernel.Loop
	in      map[int]bool // the blocks of the loop
	begun   beginning
	before  *state // where it is entered
	start   *state // at the head of any round
	after   *state // where the next one begins; nil if none does
	round   *term.Term
	known   knowledge
	slots   slots
	convoy  convoy
	claims  []*trace.Inductive
	outside outside
}

// beginning is the amount of records when the loop was entered.
type beginning struct {
	mark      trace.Mark
	oldest    int // terms that are not older belong to the round
	pipelines int
}

// outside is the known states outside of the loop before it is executed: at blocks of the function,
// and at its return.
type outside struct {
	pending []*state
	ret     *state
}

// knowledge is what is known of every iteration.
type knowledge struct {
	cells   int                       // the number of cells of the thread's own memory that it changes
	lost    map[trace.Slot]bool       // cells with unknown values at the head of a round
	strides map[int]*term.Term        // what it adds to slots
	turns   map[int]*term.Term        // what slots that take turns hold in every second one
	strays  map[int]bool              // slots that may point into other arrays than at first
	apart   map[int]bool              // slots in which threads that meet may differ
	wrote   map[*trace.Region]writing // since the barrier before, in earlier rounds
	meets   bool                      // threads meet in it
	scope   trace.Scope               // the scope of the threads that meet
	meeting meetings                  // how often
	arrives bool                      // threads come to barriers of some threads of the block in it
}

// Bounds on cut loops.
const (
	maxTrials = 20 // how often a round is executed until what is known of it holds
	// how often a trial finds another cell that rounds change: along a line of cells, each gets the
	// value of the next
	maxLinks = 64
	// loops that are cut in rounds of those that are unrolled: any two of them are about different
	// rounds
	maxNested = 32
)

// cut executes a loop that is cut. The thread is taken to leave it sometime.
func (m *loops) cut(fr *frame, l kernel.Loop) {
	c := &cut{
		run: m.run, terms: m.terms, fr: fr, loop: l, in: blocksOf(l), before: fr.pending[l.Head],
		begun:   beginning{mark: m.run.rec.Mark(), pipelines: len(m.run.rec.Trace.Pipelines)},
		outside: outside{slices.Clone(fr.pending), fr.ret},
		known: knowledge{
			apart: map[int]bool{}, strays: map[int]bool{}, lost: map[trace.Slot]bool{}, wrote: map[*trace.Region]writing{anyRegion: unlisted}, meets: true, scope: trace.Block,
		},
	}
	c.slots = slots{cut: c, terms: m.terms, vars: map[int]*term.Term{}, bases: map[int]*term.Term{}, astray: map[int]bool{}}
	c.convoy = convoy{c, m.terms}
	m.cuttable(fr, l, c.in)
	if len(m.unrolled) > 0 && len(m.cutting) == 0 {
		if m.run.budget.nested++; m.run.budget.nested > maxNested {
			m.run.at = fr.head(l)
			m.run.tooLarge("more than %d loops are cut in rounds of others", maxNested)
		}
	}
	c.begun.oldest = m.terms.Len()
	c.anything()
	outer := m.cutting
	for trials, links := 0, 0; ; {
		if trials == maxTrials || links == maxLinks {
			c.refuse("", "what the rounds of this loop have in common is not found")
		}
		m.cutting = append(outer[:len(outer):len(outer)], c)
		c.execute()
		learnt := c.learn()
		if c.known.equal(learnt) {
			break
		}
		if learnt.cells > c.known.cells || len(learnt.lost) > len(c.known.lost) {
			links++
		} else {
			trials++
		}
		c.known = learnt
		m.run.rec.Reset(c.begun.mark)
	}
	m.cutting = outer
	c.slots.carried()
	c.duties()
	c.pipeline()
	c.leave()
}

// refuse ends the execution at the head of the loop.
func (c *cut) refuse(help, format string, args ...any) {
	c.run.at = c.fr.head(c.loop)
	c.run.refuse(help, format, args...)
}

// execute executes a round.
func (c *cut) execute() {
	for i := range c.fr.pending {
		c.fr.pending[i] = nil
	}
	c.fr.ret, c.claims = nil, nil
	c.run.loops.agreed[trace.Variable(c.round)] = c.known.meets
	c.start = c.head()
	c.fr.pending[c.loop.Head] = c.start.clone()
	c.begin()
	c.run.loops.block(c.fr, c.loop.Head)
	c.run.loops.walk(c.fr, c.loop.Body)
	c.after = c.fr.pending[c.loop.Head]
}

// learn returns the knowledge that an executed iteration yields.
func (c *cut) learn() knowledge {
	k := knowledge{strides: c.slots.strides(), turns: c.slots.turns(), strays: c.slots.strays(), apart: c.known.apart, wrote: maps.Clone(c.before.wrote), lost: c.known.lost}
	k.meets, k.scope = c.convoy.met()
	k.arrives = c.arrives()
	if c.after == nil {
		k.cells = len(c.slots.cells)
		return k
	}
	c.unlist(k.wrote)
	if k.meets {
		k.meeting = c.convoy.meetings()
		k.apart = c.convoy.differing(k.scope)
	}
	k.lost = c.slots.changed()
	k.cells = len(c.slots.cells)
	return k
}

// unlist marks the arrays to which earlier iterations may have written since the last barrier, at
// unknown places. What contracts say of memory is about all arrays.
func (c *cut) unlist(wrote map[*trace.Region]writing) {
	for _, a := range trace.Since[*trace.Access](c.run.rec, c.begun.mark) {
		if a.Kind != trace.Load && c.after.wrote[a.Region] != unwritten {
			wrote[a.Region] = unlisted
			if c.run.config.Hooks != nil {
				wrote[anyRegion] = unlisted
			}
		}
	}
}

func (k *knowledge) equal(o knowledge) bool {
	return k.cells == o.cells && maps.Equal(k.lost, o.lost) && k.meets == o.meets && k.scope == o.scope && k.meeting == o.meeting && k.arrives == o.arrives && maps.Equal(k.strides, o.strides) && maps.Equal(k.turns, o.turns) &&
		maps.Equal(k.strays, o.strays) && maps.Equal(k.apart, o.apart) && maps.Equal(k.wrote, o.wrote)
}

// blocksOf returns the blocks of a loop.
func blocksOf(l kernel.Loop) map[int]bool {
	all := map[int]bool{l.Head: true}
	for _, inner := range l.Body {
		maps.Copy(all, blocksOf(inner))
	}
	return all
}

// cuttable refuses loops in which threads end.
func (m *loops) cuttable(fr *frame, l kernel.Loop, in map[int]bool) {
	for id := range in {
		b := fr.flow.Blocks[id]
		if m.run.code.decode(fr.f.Instrs[b.End-1]).Class() == isa.ClassExit {
			m.run.at = fr.head(l)
			m.run.refuse("a size for which the loop ends after a number of rounds that is known", "a loop in which the thread ends, and whose rounds are not known")
		}
	}
}

// anything assigns fresh variables to the registers that the loop writes.
func (c *cut) anything() {
	round := c.terms.UpTo(c.run.rec.Unique("round"), maxRound)
	c.run.rec.Trace.Private[round], c.run.rec.Trace.Havoc[round] = true, true
	c.round = c.terms.ZExt(round, 64)
	for id := range c.fr.flow.Blocks { // in order, for names that do not vary
		if !c.in[id] {
			continue
		}
		b := c.fr.flow.Blocks[id]
		for _, instr := range c.fr.f.Instrs[b.First:b.End] {
			for _, r := range instr.Results() {
				c.slots.written(r)
			}
		}
	}
}

// maxRound is the last round that a loop is taken to have.
const maxRound = 1<<48 - 1

// written assigns a variable to a register that the loop writes.
func (c *slots) written(r *kernel.Register) {
	if c.vars[r.Index] == nil && r.Vector == 0 && trace.Width(r.Type) <= 64 {
		c.varies(r.Index, r.Name, trace.Width(r.Type))
	}
}

// head returns the state at the head of any round. A register that no thread has written before may
// hold anything.
func (c *cut) head() *state {
	b := c.terms
	s := c.before.clone()
	s.wrote = maps.Clone(c.known.wrote)
	c.counts(s, false)
	c.slots.forget(s)
	for i, v := range c.slots.vars {
		first, stride := c.slots.get(c.before, i), c.known.strides[i]
		switch {
		case first != nil && stride != nil:
			now := b.Add(first, b.Mul(b.Extract(c.round, 0, v.Width()), stride))
			c.slots.put(s, i, now)
			c.counted(now, first, stride)
		case c.known.turns[i] != nil:
			c.slots.put(s, i, c.slots.taking(first, c.known.turns[i]))
		case first == nil || !c.known.meets || c.known.apart[i]:
			c.slots.put(s, i, c.slots.based(i, v))
		default:
			c.slots.put(s, i, c.slots.based(i, c.convoy.together(v.Name(), v.Width(), c.known.scope, c.round)))
		}
	}
	for k := range s.epoch {
		for i, before := range s.epoch[k] {
			known := c.known.meeting[k][i]
			s.epoch[k][i] = b.Add(b.Add(before, b.Mul(c.round, b.Const(known.least, 64))), c.convoy.unsure(known, c.round))
		}
	}
	return s
}

// based returns what a slot holds that points into the array into which it did at first.
func (c *slots) based(i int, offset *term.Term) *term.Term {
	if base := c.bases[i]; base != nil && !c.cut.known.strays[i] {
		return c.terms.Add(base, offset)
	}
	return offset
}

// pointee returns the address of an array that a term is, or that it adds a number to; nil if there
// is no such address, or if there are several.
func (m *addresses) pointee(t *term.Term) *term.Term {
	return m.pointeeOf(t, map[*term.Term]*term.Term{})
}

// pointeeOf is pointee, with those of choices that are known.
func (m *addresses) pointeeOf(t *term.Term, known map[*term.Term]*term.Term) *term.Term {
	switch {
	case m.leaves[t] != nil:
		return t
	case t.Op() == term.Sum:
		return m.base(t)
	case t.Op() == term.Ite:
		if x, ok := known[t]; ok {
			return x
		}
		known[t] = nil
		if x := m.pointeeOf(t.Args()[1], known); x != nil && x == m.pointeeOf(t.Args()[2], known) {
			known[t] = x
		}
		return known[t]
	}
	return nil
}

// strays returns the slots that do not point any more into the array into which they did at first.
func (c *slots) strays() map[int]bool {
	all := maps.Clone(c.cut.known.strays)
	for i, base := range c.bases {
		if base == nil || c.cut.after == nil {
			continue
		}
		if next := c.get(c.cut.after, i); next != nil && c.cut.run.addr.pointee(next) != base {
			all[i] = true
		}
	}
	return all
}

// strides returns what a round adds to slots: a term without anything that rounds change, such as
// the variables of the thread that are not older than the loop.
func (c *slots) strides() map[int]*term.Term {
	all := map[int]*term.Term{}
	if c.cut.after == nil {
		return all
	}
	for i, v := range c.vars {
		if next := c.get(c.cut.after, i); next != nil && c.get(c.cut.before, i) != nil && v.Width() > 1 {
			if stride := c.terms.Sub(next, c.get(c.cut.start, i)); !c.cut.run.loops.changes(stride, c.cut.begun.oldest) {
				all[i] = stride
			}
		}
	}
	return all
}

// changes reports whether a term has a variable of the thread in it that is not older than oldest.
func (m *loops) changes(t *term.Term, oldest int) bool {
	return term.Mentions(t, func(v *term.Term) bool { return v.ID() >= oldest && m.run.rec.Trace.Private[v] })
}

// leave continues after a loop that was cut. Some exit is taken, so the last exit is taken if no
// other is.
func (c *cut) leave() {
	fr, entered := c.fr, c.before.guard
	var ways []*state
	some := guard.False
	for id, s := range fr.pending {
		if s != nil && !c.in[id] {
			ways = append(ways, s)
		}
	}
	if fr.ret != nil {
		ways = append(ways, fr.ret)
	}
	for i, s := range ways {
		c.counts(s, true)
		others := some
		some = c.run.guards.Or(some, s.guard)
		if i == len(ways)-1 {
			c.run.rec.Know(c.terms.Implies(c.run.guards.Term(entered), c.run.guards.Term(some)))
			s.guard = c.run.guards.And(entered, c.run.guards.Not(others))
		}
	}
	c.convoy.left()
	for id := range c.outside.pending {
		if c.in[id] {
			fr.pending[id] = nil
		} else {
			fr.pending[id] = c.run.merge(c.outside.pending[id], fr.pending[id])
		}
	}
	fr.ret = c.run.merge(c.outside.ret, fr.ret)
}
