package rc11text

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// cKind is the kind of a statement of a random program.
type cKind int

const (
	cLoad cKind = iota
	cStore
	cAdd
	cExchange
	cSwap // compare-exchange, strong
	cFence
	cKinds
)

// cStmt is a statement. The value that it reads goes into a variable of its own.
type cStmt struct {
	kind            cKind
	loc             int
	order, failure  string // "na" for a non-atomic access
	value, expected int
	thread, number  int
}

// Program is the statements of each thread.
type Program struct{ threads [][]cStmt }

const cLocs = 2

// Random draws a program of two or three threads.
func Random(r *rand.Rand) *Program {
	p := &Program{}
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	threads := 2 + r.IntN(2)
	for t := range threads {
		var body []cStmt
		for n := range 1 + r.IntN(5-threads) {
			s := cStmt{
				kind:     cKind(r.IntN(int(cKinds))),
				loc:      r.IntN(cLocs),
				value:    1 + r.IntN(2),
				expected: r.IntN(2),
				thread:   t,
				number:   n,
			}
			switch s.kind {
			case cLoad:
				s.order = pick("na", "relaxed", "relaxed", "acquire", "acquire", "seq_cst", "seq_cst")
			case cStore:
				s.order = pick("na", "relaxed", "relaxed", "release", "release", "seq_cst", "seq_cst")
			case cFence:
				s.order = pick("acquire", "release", "acq_rel", "seq_cst", "seq_cst")
			default:
				s.order = pick("relaxed", "acquire", "release", "acq_rel", "seq_cst")
				s.failure = pick("relaxed", "acquire", "seq_cst")
			}
			body = append(body, s)
		}
		p.threads = append(p.threads, body)
	}
	return p
}

// Text returns the program as a litmus test that observes everything.
func (p *Program) Text() string {
	var b strings.Builder
	b.WriteString("C random\n{ x0 = 0; x1 = 0; }\n")
	var registers []string
	for t, body := range p.threads {
		fmt.Fprintf(&b, "P%d (atomic_int* x0, atomic_int* x1) {\n", t)
		for _, s := range body {
			fmt.Fprintf(&b, "  %s\n", s.text())
			if s.kind != cFence && s.kind != cStore {
				registers = append(registers, fmt.Sprintf("%d:r%d;", t, s.number))
			}
		}
		b.WriteString("}\n")
	}
	fmt.Fprintf(&b, "locations [%s x0; x1;]\nexists (true)\n", strings.Join(registers, " "))
	return b.String()
}

func (s *cStmt) text() string {
	order := "memory_order_" + s.order
	switch s.kind {
	case cLoad:
		if s.order == "na" {
			return fmt.Sprintf("int r%d = *x%d;", s.number, s.loc)
		}
		return fmt.Sprintf("int r%d = atomic_load_explicit(x%d, %s);", s.number, s.loc, order)
	case cStore:
		if s.order == "na" {
			return fmt.Sprintf("*x%d = %d;", s.loc, s.value)
		}
		return fmt.Sprintf("atomic_store_explicit(x%d, %d, %s);", s.loc, s.value, order)
	case cAdd:
		return fmt.Sprintf("int r%d = atomic_fetch_add_explicit(x%d, %d, %s);", s.number, s.loc, s.value, order)
	case cExchange:
		return fmt.Sprintf("int r%d = atomic_exchange_explicit(x%d, %d, %s);", s.number, s.loc, s.value, order)
	case cSwap:
		return fmt.Sprintf(
			"int e%d = %d; int r%d = atomic_compare_exchange_strong_explicit(x%d, &e%d, %d, %s, memory_order_%s);",
			s.number, s.expected, s.number, s.loc, s.number, s.value, order, s.failure)
	}
	return fmt.Sprintf("atomic_thread_fence(%s);", order)
}

// cEvent is an event of an execution.
type cEvent struct {
	*cStmt
	thread      int // -1 for an initial write
	read, write bool
	fence       bool
	order       string
	loc         int
	swaps       bool // the write of a compare-exchange that succeeds, or its read
	succeeds    bool
	rmw         int // the other half of a read-modify-write, or -1
	value       int
}

// Outcomes enumerates the executions: the compare-exchanges that succeed, the source of each read,
// and the order of the writes to each location.
func (p *Program) Outcomes() (states map[string]bool, race bool) {
	states = map[string]bool{}
	var swaps []*cStmt
	for _, body := range p.threads {
		for i := range body {
			if body[i].kind == cSwap {
				swaps = append(swaps, &body[i])
			}
		}
	}
	for bits := range 1 << len(swaps) {
		succeeds := map[*cStmt]bool{}
		for i, s := range swaps {
			succeeds[s] = bits>>i&1 == 1
		}
		x := &cExecution{program: p, events: p.events(succeeds)}
		x.chooseRf(0, func() {
			if !x.values() || x.thinAir() {
				return
			}
			x.happens = x.hb()
			x.chooseCo(0, func() {
				if x.consistent() {
					states[x.state()] = true
					race = race || x.races()
				}
			})
		})
	}
	return states, race
}

// events returns the events of the program, initial writes first.
func (p *Program) events(succeeds map[*cStmt]bool) []cEvent {
	var events []cEvent
	for l := range cLocs {
		events = append(events, cEvent{thread: -1, write: true, loc: l, order: "na", rmw: -1})
	}
	for t, body := range p.threads {
		for i := range body {
			s := &body[i]
			e := cEvent{cStmt: s, thread: t, loc: s.loc, order: s.order, rmw: -1}
			switch s.kind {
			case cLoad:
				e.read = true
			case cStore:
				e.write = true
			case cFence:
				e.fence = true
			default:
				if s.kind == cSwap && !succeeds[s] {
					e.read, e.order, e.swaps = true, s.failure, true
					break
				}
				e.read, e.succeeds, e.swaps, e.rmw = true, true, s.kind == cSwap, len(events)+1
				events = append(events, e)
				e.read, e.write, e.rmw = false, true, len(events)-1
			}
			events = append(events, e)
		}
	}
	return events
}

// cExecution is an execution under construction. rf[r] is the write that r reads; before[l] are the
// writes to a location in coherence order.
type cExecution struct {
	program *Program
	events  []cEvent
	rf      map[int]int
	happens grid // hb, which rf determines
	before  [cLocs][]int
}

func (x *cExecution) chooseRf(from int, then func()) {
	if x.rf == nil {
		x.rf = map[int]int{}
	}
	for r := from; r < len(x.events); r++ {
		if !x.events[r].read {
			continue
		}
		for w := range x.events {
			if x.events[w].write && x.events[w].loc == x.events[r].loc {
				x.rf[r] = w
				x.chooseRf(r+1, then)
			}
		}
		delete(x.rf, r)
		return
	}
	then()
}

// values computes the values of reads and writes. It returns false if a compare-exchange would
// behave differently, or if a value depends on itself.
func (x *cExecution) values() bool {
	const open, known = 1, 2
	state := make([]int, len(x.events))
	var value func(e int) (int, bool)
	value = func(e int) (int, bool) {
		ev := &x.events[e]
		switch state[e] {
		case open:
			return 0, false
		case known:
			return ev.value, true
		}
		state[e] = open
		v, ok := 0, true
		switch {
		case ev.thread < 0:
		case ev.read:
			v, ok = value(x.rf[e])
		case ev.kind == cAdd:
			v, ok = value(ev.rmw)
			v += ev.cStmt.value
		default:
			v = ev.cStmt.value
		}
		ev.value, state[e] = v, known
		return v, ok
	}
	for e := range x.events {
		v, ok := value(e)
		if !ok {
			return false
		}
		if ev := &x.events[e]; ev.swaps && ev.read && ev.succeeds != (v == ev.expected) {
			return false
		}
	}
	return true
}

func (x *cExecution) chooseCo(l int, then func()) {
	if l == cLocs {
		then()
		return
	}
	var writes []int
	for e := range x.events {
		if x.events[e].write && x.events[e].loc == l && x.events[e].thread >= 0 {
			writes = append(writes, e)
		}
	}
	var permute func(chosen, rest []int)
	permute = func(chosen, rest []int) {
		if len(rest) == 0 {
			x.before[l] = append([]int{l}, chosen...)
			x.chooseCo(l+1, then)
			return
		}
		for i, w := range rest {
			permute(append(slices.Clone(chosen), w), slices.Delete(slices.Clone(rest), i, i+1))
		}
	}
	permute(nil, writes)
}

// grid is a relation between events: a row for each event, with a bit for each related event.
type grid []uint32

func (g grid) has(a, b int) bool { return g[a]>>b&1 == 1 }

func (x *cExecution) relate(holds func(a, b int) bool) grid {
	g := make(grid, len(x.events))
	for a := range g {
		for b := range g {
			if holds(a, b) {
				g[a] |= 1 << b
			}
		}
	}
	return g
}

func (x *cExecution) or(gs ...grid) grid {
	all := make(grid, len(x.events))
	for _, g := range gs {
		for a := range all {
			all[a] |= g[a]
		}
	}
	return all
}

// then returns the composition of relations.
func (x *cExecution) then(gs ...grid) grid {
	all := gs[0]
	for _, g := range gs[1:] {
		left := all
		all = make(grid, len(x.events))
		for a := range all {
			for c := range g {
				if left.has(a, c) {
					all[a] |= g[c]
				}
			}
		}
	}
	return all
}

func (x *cExecution) only(holds func(e *cEvent) bool) grid {
	g := make(grid, len(x.events))
	for e := range g {
		if holds(&x.events[e]) {
			g[e] = 1 << e
		}
	}
	return g
}

func (x *cExecution) opt(g grid) grid {
	return x.or(g, x.only(func(*cEvent) bool { return true }))
}

func (x *cExecution) plus(g grid) grid {
	all := x.or(g)
	for c := range all {
		for a := range all {
			if all.has(a, c) {
				all[a] |= all[c]
			}
		}
	}
	return all
}

func (x *cExecution) cyclic(g grid) bool { return x.reflexive(x.plus(g)) }

func (x *cExecution) reflexive(g grid) bool {
	for e := range g {
		if g.has(e, e) {
			return true
		}
	}
	return false
}

func (x *cExecution) sb(a, b int) bool {
	return x.events[a].thread == x.events[b].thread && x.events[a].thread >= 0 && a < b ||
		x.events[a].thread < 0 && x.events[b].thread >= 0
}

func (x *cExecution) mo(a, b int) bool {
	if !x.events[a].write || !x.events[b].write || x.events[a].loc != x.events[b].loc {
		return false
	}
	order := x.before[x.events[a].loc]
	return slices.Index(order, a) < slices.Index(order, b)
}

func (x *cExecution) sameLoc(a, b int) bool {
	return !x.events[a].fence && !x.events[b].fence && x.events[a].loc == x.events[b].loc
}

// atLeast maps an order to the orders at least as strong, in the lattice of the paper (Sec. 2.1).
var atLeast = map[string][]string{
	"relaxed": {"relaxed", "acquire", "release", "acq_rel", "seq_cst"},
	"acquire": {"acquire", "acq_rel", "seq_cst"},
	"release": {"release", "acq_rel", "seq_cst"},
	"seq_cst": {"seq_cst"},
}

func is(order string) func(e *cEvent) bool {
	return func(e *cEvent) bool { return slices.Contains(atLeast[order], e.order) }
}

// hb returns happens-before.
func (x *cExecution) hb() grid {
	sb := x.relate(x.sb)
	fence := x.only(func(e *cEvent) bool { return e.fence })
	writes := x.only(func(e *cEvent) bool { return e.write })
	atomicWrites := x.only(func(e *cEvent) bool { return e.write && is("relaxed")(e) })
	atomicReads := x.only(func(e *cEvent) bool { return e.read && is("relaxed")(e) })
	rf := x.relate(func(a, b int) bool { w, ok := x.rf[b]; return ok && w == a })
	rmw := x.relate(func(a, b int) bool { return x.events[a].read && x.events[a].rmw == b })
	sbLoc := x.relate(func(a, b int) bool { return x.sb(a, b) && x.sameLoc(a, b) })
	rs := x.then(writes, x.opt(sbLoc), atomicWrites, x.opt(x.plus(x.then(rf, rmw))))
	sw := x.then(x.only(is("release")), x.opt(x.then(fence, sb)), rs, rf, atomicReads, x.opt(x.then(sb, fence)),
		x.only(is("acquire")))
	return x.plus(x.or(sb, sw))
}

// thinAir reports whether program order and reads-from have a cycle.
func (x *cExecution) thinAir() bool {
	rf := x.relate(func(a, b int) bool { w, ok := x.rf[b]; return ok && w == a })
	return x.cyclic(x.or(x.relate(x.sb), rf))
}

// consistent checks the remaining conditions of RC11 (PLDI 2017, Def. 1).
func (x *cExecution) consistent() bool {
	mo, hb := x.relate(x.mo), x.happens
	rb := x.relate(func(a, b int) bool { w, ok := x.rf[a]; return ok && mo.has(w, b) })
	between := x.then(rb, mo)
	for a := range x.events {
		if e := &x.events[a]; e.read && e.rmw >= 0 && between.has(a, e.rmw) {
			return false
		}
	}
	rf := x.relate(func(a, b int) bool { w, ok := x.rf[b]; return ok && w == a })
	eco := x.plus(x.or(rf, mo, rb))
	if x.reflexive(x.then(hb, x.opt(eco))) {
		return false
	}
	sb := x.relate(x.sb)
	sc := x.only(is("seq_cst"))
	scFence := x.only(func(e *cEvent) bool { return e.fence && is("seq_cst")(e) })
	away := x.relate(func(a, b int) bool { return x.sb(a, b) && !x.sameLoc(a, b) })
	hbLoc := x.relate(func(a, b int) bool { return hb.has(a, b) && x.sameLoc(a, b) })
	scb := x.or(sb, x.then(away, hb, away), hbLoc, mo, rb)
	base := x.then(x.or(sc, x.then(scFence, x.opt(hb))), scb, x.or(sc, x.then(x.opt(hb), scFence)))
	fences := x.then(scFence, x.or(hb, x.then(hb, eco, hb)), scFence)
	return !x.cyclic(x.or(base, fences))
}

// races reports whether there are conflicting accesses, not both atomic, that happens-before does
// not order.
func (x *cExecution) races() bool {
	hb := x.happens
	for a := range x.events {
		for b := range x.events {
			e, f := &x.events[a], &x.events[b]
			conflict := x.sameLoc(a, b) && (e.write || f.write) && a != b && e.thread != f.thread
			if conflict && !(is("relaxed")(e) && is("relaxed")(f)) && !hb.has(a, b) && !hb.has(b, a) {
				return true
			}
		}
	}
	return false
}

// state returns the final state in the format of logs.
func (x *cExecution) state() string {
	var b strings.Builder
	for e := range x.events {
		ev := &x.events[e]
		if !ev.read {
			continue
		}
		v := ev.value
		if ev.kind == cSwap {
			v = map[bool]int{true: 1, false: 0}[ev.succeeds]
		}
		fmt.Fprintf(&b, "%d:r%d=%d; ", ev.thread, ev.number, v)
	}
	for l := range cLocs {
		last := x.before[l][len(x.before[l])-1]
		fmt.Fprintf(&b, "[x%d]=%d; ", l, x.events[last].value)
	}
	return strings.TrimSpace(b.String())
}
