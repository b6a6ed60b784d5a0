// Package enumerate finds the candidate executions of a program: control paths × reads-from ×
// values × coherence (ASPLOS 2015, Sec. 5.1.2).
//
//	Program     what can be enumerated: structures, and the values that occur
//	Options     limits
//	Stats       what was enumerated
//	LimitError  the enumeration was cut short
//
// This is the slow, simple engine: it makes every choice in a fixed order, values follow by
// substitution, and it prunes only what contradicts the program itself. It defines what a candidate
// execution is; a faster engine is correct if it agrees with this one.
package enumerate

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/rel"
)

// Program is a test as a front end translates it.
type Program interface {
	// Structures yields the structures of each combination of control paths: several if threads can
	// meet in several ways, none if they cannot. When the context is done, the sequence ends with
	// its error.
	Structures(ctx context.Context) iter.Seq2[*event.Structure, error]
	// Domain returns the values that a value out of thin air may have.
	Domain() []event.Value
}

// Options limit an enumeration. The zero Options enumerate everything.
type Options struct {
	MaxCandidates int // 0 for no limit
	// MaxLooks bounds how often values are searched for, for part of a candidate or a whole one,
	// and a model is evaluated on one; 0 for no limit.
	MaxLooks int
	// OpenCo leaves coherence to the model: each candidate occurs once, and its co only has initial
	// writes first.
	OpenCo bool
	// Begins decides whether a candidate of truncated paths, cut at the unroll bound, is the prefix
	// of a longer execution; nil accepts each.
	Begins func(*event.Execution) (bool, error)
}

// Stats counts what an enumeration has found.
type Stats struct {
	Structures int // combinations of control paths, and of ways in which their threads meet
	Candidates int // candidate executions, and prefixes of longer ones
	ThinAir    int // candidates with a value out of thin air
	Truncated  int // possible combinations of paths cut at the unroll bound: one is enough
}

// LimitError says that an enumeration stopped before it was complete.
type LimitError struct {
	Limit string // what was exceeded
}

func (e *LimitError) Error() string { return "stopped after " + e.Limit }

// TooManyCandidates returns the error of an enumeration that stopped after n candidates.
func TooManyCandidates(n int) error {
	return &LimitError{fmt.Sprintf("%d candidate executions", n)}
}

// TooManyLooks returns the error of an enumeration that stopped after it searched for values n
// times.
func TooManyLooks(n int) error {
	return &LimitError{fmt.Sprintf("looking for values %d times", n)}
}

// Executions yields every candidate execution of a program and keeps stats up to date. It yields no
// candidates of truncated paths; it asks Options.Begins about them until one is accepted.
//
// The sequence ends with an error when a limit is exceeded (*LimitError) or when the context is
// done. Candidates in which the program computes something that has no meaning say so
// (Execution.Wrong).
func Executions(ctx context.Context, p Program, opts Options, stats *Stats) iter.Seq2[*event.Execution, error] {
	return func(yield func(*event.Execution, error) bool) {
		domain, looks := p.Domain(), 0
		for s, err := range p.Structures(ctx) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			stats.Structures++
			e := newSearch(ctx.Err, s, domain, opts, stats, yield)
			e.looks = &looks
			if s.Truncated {
				e.yield = e.begins
			}
			if !s.Truncated || stats.Truncated == 0 {
				e.chooseRf(0)
			}
			switch {
			case e.unwanted && !s.Truncated:
				return
			case e.err != nil:
				yield(nil, e.err)
				return
			}
		}
	}
}

// begins handles a candidate of truncated paths. It returns false, which ends the search, if that
// is the prefix of an execution.
func (s *search) begins(x *event.Execution, _ error) bool {
	happens := true
	if s.opts.Begins != nil {
		happens, s.err = s.opts.Begins(x)
	}
	if happens {
		s.stats.Truncated++
	}
	return !happens && s.err == nil
}

// Valuations yields the candidate executions of a structure in which each read reads from a given
// write, with coherence left open (Options.OpenCo). There are several if values are out of thin
// air, and none if the values contradict the paths.
func Valuations(
	stop func() error, st *event.Structure, domain []event.Value, rf []event.ID, stats *Stats,
) iter.Seq2[*event.Execution, error] {
	return func(yield func(*event.Execution, error) bool) {
		s := newSearch(stop, st, domain, Options{OpenCo: true}, stats, yield)
		copy(s.rf, rf)
		if v, ok := s.values(); ok {
			s.settle(v)
		}
		if s.err != nil && !s.unwanted {
			yield(nil, s.err)
		}
	}
}

// Reading returns the candidate execution of a structure for a given rf: rf[r] is the write that
// read r reads from. Its coherence order is not chosen yet. Reading returns nil if the values
// contradict the structure or come out of thin air, or if stop returns an error.
func Reading(stop func() error, st *event.Structure, rf []event.ID) *event.Execution {
	for x, err := range Valuations(stop, st, nil, rf, &Stats{}) {
		if err == nil {
			return x
		}
		break
	}
	return nil
}

// search completes one structure in every way.
type search struct {
	*event.Structure
	stop   func() error // says why the search must end
	opts   Options
	stats  *Stats
	domain []event.Value
	yield  func(*event.Execution, error) bool

	reads, writes []event.ID
	finals        []event.Reg
	rf            []event.ID // -1 where not chosen
	guess         map[event.ID]event.Value
	events        int  // events handled since stop was last called
	looks         *int // how often values were searched for

	stopped  bool // there is nothing more to find in this structure
	unwanted bool // no more candidates are wanted
	err      error
}

func newSearch(stop func() error, st *event.Structure, domain []event.Value, opts Options, stats *Stats,
	yield func(*event.Execution, error) bool,
) *search {
	s := &search{
		Structure: st, stop: stop, opts: opts, stats: stats, domain: domain, yield: yield,
		rf:    slices.Repeat([]event.ID{-1}, st.N()),
		guess: map[event.ID]event.Value{},
		looks: new(int),
	}
	for reg := range st.Finals() {
		s.finals = append(s.finals, reg)
	}
	slices.SortFunc(s.finals, compareRegs)
	for e := range s.Events {
		switch s.Events[e].Kind {
		case event.Read:
			s.reads = append(s.reads, e)
		case event.Write:
			s.writes = append(s.writes, e)
		}
	}
	return s
}

func compareRegs(a, b event.Reg) int {
	return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Name, b.Name))
}

// chooseRf lets the i-th read and those after it read from each write in turn, unless the known
// values contradict addresses or path conditions.
func (s *search) chooseRf(i int) {
	if s.halted() {
		return
	}
	v, ok := s.values()
	switch {
	case !ok:
	case i == len(s.reads):
		s.settle(v)
	default:
		r := s.reads[i]
		for _, w := range s.writes {
			s.rf[r] = w
			s.chooseRf(i + 1)
		}
		s.rf[r] = -1
	}
}

// settle completes an rf for which some values may still be unknown. A computation without meaning
// counts only if no value was guessed: a guess that leads to one is not a candidate.
func (s *search) settle(v *valuation) {
	waiting := slices.IndexFunc(s.reads, func(r event.ID) bool { return !v.known[r] })
	if waiting < 0 {
		s.checkFinals(v)
	}
	switch {
	case v.err != nil && (len(s.guess) > 0 || s.repeats(v)):
	case v.err != nil || waiting < 0:
		s.chooseCo(v)
	default:
		s.guessFor(s.onCycle(v, s.reads[waiting]))
	}
}

// repeats reports whether the search has found the same candidate before: what a read without a
// value reads from makes no difference, so only the first choice counts.
func (s *search) repeats(v *valuation) bool {
	return slices.ContainsFunc(s.reads, func(r event.ID) bool { return !v.known[r] && s.rf[r] != s.writes[0] })
}

// guessFor gives a read whose value depends on itself each value of the domain in turn: its value
// is out of thin air, and may be any that justifies itself.
func (s *search) guessFor(r event.ID) {
	for _, value := range s.domain {
		s.guess[r] = value
		if next, ok := s.values(); ok {
			s.settle(next)
		}
		if s.halted() {
			break
		}
	}
	delete(s.guess, r)
}

// halted reports whether the search must end, for any reason.
func (s *search) halted() bool {
	if s.opts.MaxLooks > 0 && *s.looks > s.opts.MaxLooks && s.err == nil {
		s.err = TooManyLooks(s.opts.MaxLooks)
	}
	const askEvery = 1 << 12 // events
	if s.events += s.N(); s.events >= askEvery && s.err == nil {
		s.events, s.err = 0, s.stop()
	}
	return s.stopped || s.err != nil
}

// chooseCo orders the writes of each location in every way, initial write first, unless coherence
// is left open.
func (s *search) chooseCo(v *valuation) {
	byLoc := make([][]event.ID, len(s.Locs))
	for _, w := range s.writes {
		if l := v.loc[w]; l != event.NoLoc {
			byLoc[l] = append(byLoc[l], w)
		}
	}
	co := rel.New(s.N())
	if s.opts.OpenCo {
		for _, writes := range byLoc {
			for i, w := range writes {
				if i > 0 {
					co.Add(writes[0], w)
				}
			}
		}
		s.emit(v, co)
		return
	}
	s.orderLocation(v, byLoc, 0, co)
}

// orderLocation orders the writes of location l and those after it. The initial write comes first
// in each list, because initial writes are the first events.
func (s *search) orderLocation(v *valuation, byLoc [][]event.ID, l event.Loc, co rel.Rel) {
	if s.halted() {
		return
	}
	if l == len(byLoc) {
		s.emit(v, co.Clone())
		return
	}
	permute(byLoc[l], 1, func(order []event.ID) bool {
		for i, a := range order {
			for _, b := range order[i+1:] {
				co.Add(a, b)
			}
		}
		s.orderLocation(v, byLoc, l+1, co)
		for i, a := range order {
			for _, b := range order[i+1:] {
				co.Remove(a, b)
			}
		}
		return !s.halted()
	})
}

// permute calls f with every order of items[from:], in lexicographic order of position; it stops
// when f returns false. Afterwards the items are in their old order.
func permute(items []event.ID, from int, f func([]event.ID) bool) bool {
	if from >= len(items) {
		return f(items)
	}
	for i := from; i < len(items); i++ {
		moveToFront(items[from : i+1])
		more := permute(items, from+1, f)
		moveToBack(items[from : i+1])
		if !more {
			return false
		}
	}
	return true
}

// moveToFront moves the last item to the front.
func moveToFront(items []event.ID) {
	last := items[len(items)-1]
	copy(items[1:], items)
	items[0] = last
}

// moveToBack undoes moveToFront.
func moveToBack(items []event.ID) {
	first := items[0]
	copy(items, items[1:])
	items[len(items)-1] = first
}

func (s *search) emit(v *valuation, co rel.Rel) {
	if s.opts.MaxCandidates > 0 && s.stats.Candidates == s.opts.MaxCandidates {
		s.err = TooManyCandidates(s.opts.MaxCandidates)
		return
	}
	s.stats.Candidates++
	thinAir := rel.NewSet(s.N())
	for r := range s.guess {
		thinAir.Add(r)
	}
	if len(s.guess) > 0 {
		s.stats.ThinAir++
	}
	x := &event.Execution{
		Structure: s.Structure, Loc: v.loc, Val: v.val,
		Rf: append([]event.ID(nil), s.rf...), Co: co, ThinAir: thinAir, Wrong: v.err,
	}
	for _, r := range s.reads {
		if !v.known[r] {
			x.Rf[r] = -1
		}
	}
	if slices.ContainsFunc(s.Locs, func(l event.Location) bool { return l.Alias != nil }) {
		x.Via = v.via
	}
	if !s.yield(x, nil) {
		s.stopped, s.unwanted = true, true
	}
}
