package fast

import (
	"math/bits"
	"slices"
	"weak"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/rel"
)

// inputs are the inputs of a plan by what decides them.
type inputs struct {
	of                      *event.Vocabulary // nil as long as nothing is defined
	program, places, values []input
	rf                      plan.Slot
	hasRf                   bool
}

// input is one of them, and its definition.
type input struct {
	plan.Input
	is event.Definition
}

func bind(p *plan.Plan) inputs {
	var b inputs
	for _, in := range p.Inputs {
		switch {
		case in.Name == "rf":
			b.rf, b.hasRf = in.Slot, true
		case in.Of == 0:
			b.program = append(b.program, input{Input: in})
		case in.Of == plan.VarOf(plan.Places):
			b.places = append(b.places, input{Input: in})
		default:
			b.values = append(b.values, input{Input: in})
		}
	}
	return b
}

// define looks up definitions for structures of the vocabulary of this one: mostly that of the
// structure before.
func (b *inputs) define(s *event.Structure) {
	if b.of != nil && b.of == s.Vocabulary {
		return
	}
	b.of = s.Vocabulary
	for _, all := range [][]input{b.program, b.places, b.values} {
		for i := range all {
			all[i].is = s.Definition(all[i].Name)
		}
	}
}

// structure is the structure that is being completed, and what is known of it before
// anything is chosen. Sets of events are words.
type structure struct {
	*event.Structure
	n             int
	noPairs       rel.Rel // over n events
	noEvents      rel.Set
	reads, writes uint64
	accesses      uint64
	needs         [plan.MaxEvents]needs
	conds         []uint64   // of each path condition, what it needs
	numbers       bool       // whatever is written is a number
	finals        []computed // registers whose last value is computed, and may have no meaning
	observed      []observed
	registers     final.Known            // which observables are registers
	selective     bool                   // see maySelect
	order         []event.ID             // reads, in the order in which they choose
	sources       [plan.MaxEvents]uint64 // what each read may read from
	placed        bool                   // the locations of all accesses follow from the program
	aliased       bool                   // some location has several names
	skip          bool                   // nothing more is wanted of the structure
	// the model does not cover it: a computation without meaning is no mistake (wrong)
	outside    bool
	unfinished event.Execution // see execution
	env        event.Env       // valueOf
	// the first event of the thread whose expression is evaluated
	reader event.ID
	current
}

// onlyNumbers reports that whatever is written is a number, and its computation has a meaning,
// whatever is read.
func (st *structure) onlyNumbers() bool {
	for rest := st.writes; rest != 0; rest &= rest - 1 {
		if !event.Numeric(st.Events[bits.TrailingZeros64(rest)].Data) {
			return false
		}
	}
	return true
}

// computed is what a register of a thread holds at the end, if that is computed.
type computed struct {
	thread int
	value  event.Expr
	needs  uint64 // the reads that it is computed from
}

// needs are the reads that the address and the data of an access are computed from.
type needs struct{ addr, data uint64 }

// current is what has been chosen so far, and what follows from it.
type current struct {
	known   uint64 // accesses whose value is known
	located uint64 // accesses whose location is known
	pinned  uint64 // those, and writes that are where a read is (pin)
	chosen  uint64 // reads that have chosen
	trouble bool   // a computation has no meaning
	thinAir bool
	rf      [plan.MaxEvents]event.ID
	val     [plan.MaxEvents]event.Value
	loc     [plan.MaxEvents]event.Loc
	via     [plan.MaxEvents]event.Loc
	// settled is the execution if its values do not simply follow; see hard.
	settled *event.Execution
	posets  []poset // of the choices that have been made
}

// load gets ready for a structure.
func (e *Engine) load(s *event.Structure) {
	e.bound.define(s)
	st := &e.structure
	if st.Structure = s; st.n != s.N() {
		st.n = s.N()
		st.noPairs, st.noEvents = rel.New(st.n), rel.NewSet(st.n)
	}
	st.reads, st.writes, st.accesses = 0, 0, 0
	st.known, st.located, st.pinned, st.chosen = 0, 0, 0, 0
	st.placed, st.aliased = false, slices.ContainsFunc(s.Locs, func(l event.Location) bool { return l.Alias != nil })
	st.trouble, st.thinAir, st.settled, st.skip = false, false, nil, false
	st.posets = st.posets[:0]
	e.seed, e.partial, e.arena, e.lastPlaces.pinned = poset{}, 0, e.arena[:0], 0
	for i := range s.Events {
		st.rf[i], st.loc[i], st.via[i], st.val[i] = -1, event.NoLoc, event.NoLoc, event.Value{}
		st.event(i)
	}
	st.numbers = st.onlyNumbers()
	st.conds = st.conds[:0]
	for _, c := range s.Conds {
		st.conds = append(st.conds, st.readsOf(c.Thread, c.X))
	}
	st.finals = st.finals[:0]
	for t, p := range s.Paths {
		for _, x := range p.Finals {
			switch x.(type) {
			case event.Op, event.Call:
				if !st.numbers || !event.Numeric(x) {
					st.finals = append(st.finals, computed{t, x, st.readsOf(t, x)})
				}
			}
		}
	}
}

// event takes note of one event.
func (st *structure) event(i event.ID) {
	ev := &st.Events[i]
	if !ev.IsMem() {
		return
	}
	bit := uint64(1) << i
	st.accesses |= bit
	st.needs[i] = needs{addr: st.readsOf(ev.Thread, ev.Addr)}
	if ev.Kind == event.Read {
		st.reads |= bit
		return
	}
	st.writes |= bit
	st.needs[i].data = st.readsOf(ev.Thread, ev.Data)
}

// surelyOutside reports that the model does not cover the program, whatever reads return.
func (e *Engine) surelyOutside() bool {
	var known plan.Vars
	if e.placed {
		known = plan.VarOf(plan.Places)
	}
	for i, r := range e.plan.Reports {
		if r.Name == plan.OutsideModel && r.Of&^known == 0 && e.frame.Raised(i) {
			return true
		}
	}
	return false
}

// readsOf is the events that an expression of a thread depends on.
func (st *structure) readsOf(thread int, x event.Expr) uint64 {
	var all uint64
	if r, ok := x.(event.ReadOf); ok {
		return 1 << (st.First[thread] + int(r))
	}
	if _, ok := x.(event.Const); !ok {
		event.EachRead(x, func(n int) { all |= 1 << (st.First[thread] + n) })
	}
	return all
}

// program runs what depends on the program only, and on the locations if these follow from
// it. It returns false if no execution is consistent.
func (e *Engine) program() bool {
	st := &e.structure
	if !st.learn(0) {
		return false
	}
	st.placed = st.located == st.accesses
	st.arrange()
	e.frame.Reset(st.n)
	e.frame.Guard(e.query.Guards)
	x := st.execution()
	e.fillProgram(x)
	if !e.passes(0, 0) {
		return false
	}
	first := plan.Places
	if st.placed {
		e.fill(x, e.bound.places)
		if !e.passes(first.Stage(), 0) {
			return false
		}
		first = plan.Rf
	}
	if st.outside = !st.Truncated && e.surelyOutside(); st.outside && st.trouble {
		return false
	}
	if check := e.frame.Specialize(first.Stage()); check != plan.Passed {
		e.stats.Cuts[check]++
		return false
	}
	return !st.placed || e.firstSeed()
}

// firstSeed begins the last choice, if what it is made from is known. It returns false if
// there is nothing to choose.
func (e *Engine) firstSeed() bool {
	last := len(e.plan.Choices) - 1
	if last < 0 || !e.plan.Choices[last].Known() {
		return true
	}
	p := e.newPoset()
	if !e.begin(last, p) {
		return false
	}
	e.seed = p
	return true
}

// fill fills inputs from an execution.
func (e *Engine) fill(x *event.Execution, inputs []input) {
	for _, in := range inputs {
		if in.Set {
			*e.frame.Set(in.Slot) = x.Word(in.is)
		} else {
			rows := e.frame.Rel(in.Slot)
			clear(rows)
			x.Rows(in.Name, in.is, rows)
		}
	}
}

// filled is what the inputs of the last structure held that are the same for all structures of its
// shape. An engine that waits for the next test does not keep it alive.
type filled struct {
	shape weak.Pointer[event.Structure]
	same  []input
	other []input  // those that where threads are decides
	words []uint64 // of the former, one after the other
}

// fillProgram fills the inputs that depend on the program only.
func (e *Engine) fillProgram(x *event.Execution) {
	if e.Shape == nil {
		e.fill(x, e.bound.program)
		return
	}
	last, shape := &e.filled, weak.Make(e.Shape)
	if last.shape == shape {
		rest := last.words
		for _, in := range last.same {
			rest = rest[copy(e.frame.Input(in.Input), rest):]
		}
		e.fill(x, last.other)
		return
	}
	e.fill(x, e.bound.program)
	*last = filled{shape, last.same[:0], last.other[:0], last.words[:0]}
	for _, in := range e.bound.program {
		if _, seated := in.is.(event.Seated); seated {
			last.other = append(last.other, in)
		} else {
			last.same = append(last.same, in)
			last.words = append(last.words, e.frame.Input(in.Input)...)
		}
	}
}

// places is what the stage of the locations has run with last, and whether it passed.
type places struct {
	pinned uint64
	loc    [plan.MaxEvents]event.Loc
	passed bool
}

// placesPass runs what depends on locations, as far as these are known, unless it has run with
// the same ones.
func (e *Engine) placesPass(partial plan.Vars) bool {
	last := &e.lastPlaces
	same := last.pinned == e.pinned
	for rest := e.pinned; same && rest != 0; rest &= rest - 1 {
		a := bits.TrailingZeros64(rest)
		same = last.loc[a] == e.loc[a]
	}
	if !same {
		last.pinned, last.loc = e.pinned, e.loc
		e.fill(e.execution(), e.bound.places)
		e.confinePlaces()
		last.passed = e.passes(plan.Places.Stage(), partial)
	}
	return last.passed
}

// confinePlaces leaves of the inputs that depend on locations what is about known ones.
func (e *Engine) confinePlaces() {
	for _, in := range e.bound.places {
		if in.Set {
			*e.frame.Set(in.Slot) &= e.pinned
			continue
		}
		rows := e.frame.Rel(in.Slot)
		for a, row := range rows {
			rows[a] = row & e.pinned & -(e.pinned >> a & 1)
		}
	}
}

// execution is what is known so far as an execution, without coherence, until it is asked for
// again. It shares memory with the engine.
func (st *structure) execution() *event.Execution {
	if st.settled != nil {
		return st.settled
	}
	x := &st.unfinished
	*x = event.Execution{
		Structure: st.Structure, Loc: st.loc[:st.n], Val: st.val[:st.n], Rf: st.rf[:st.n],
		Co: st.noPairs, ThinAir: st.noEvents,
	}
	if st.aliased {
		x.Via = st.via[:st.n]
	}
	return x
}
