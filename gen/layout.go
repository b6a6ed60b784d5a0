package gen

import (
	"slices"
	"strconv"

	"github.com/muster-gpu/muster/litmus"
)

// layout is a cycle as a program: the threads, their events, and the intended execution.
type layout struct {
	*Cycle
	nodes   []node
	threads [][]int // events of each thread, in program order
	writers [][]int // writes to each location, in coherence order
	final   []bool  // by location: the condition asks for the final value
	shared  []bool  // by location: in shared memory
	initial []int   // by location: initial value
	named   []int   // by location: the first location with the same name
	place   placement
	agents
	alike    bool // it differs from the layout it was derived from only in the placement of threads and locations
	remapped bool // and in the regions of locations only

	// part of the name that does not depend on placement; "" until needed
	stem    string
	columns []litmus.Column // code without the placement of threads; nil until written
	asked   []litmus.Held   // registers that the condition asks for
	looks   []string        // description of each thread; nil until needed
	ranked  []int           // threads sorted by description
}

// node is an event of the program.
type node struct {
	access *Access
	thread int
	loc    int
	reads  bool
	writes bool
	source int  // of a read: the event that wrote the value, or initially
	number int  // of a write: 1 for the first in coherence order of its location, and so on
	value  int  // value that it writes
	seen   bool // the condition asks for the value read
}

// initially is the source of a read of the initial value.
const initially = -1

// lay computes the layout of a cycle. The error is an *Unsuitable.
func (c *Cycle) lay() (*layout, error) { return c.layLike(nil) }

// layLike is lay, given the layout of another cycle or nil. If the cycles are alike, most of that
// layout is reused.
func (c *Cycle) layLike(other *layout) (l *layout, err error) {
	if other != nil && !c.asynchronous() && c.alike(other.Cycle) {
		same := *other
		l = &same
		l.Cycle, l.shared, l.alike, l.remapped = c, make([]bool, len(other.shared)), true, c.sameEdges(other.Cycle)
	} else {
		l = &layout{Cycle: c, nodes: make([]node, len(c.Edges))}
		err = inTurn(l, (*layout).splitThreads, (*layout).checkAsync, (*layout).assignLocations,
			(*layout).nameLocations, (*layout).orderWrites,
			(*layout).assignValues, (*layout).observe)
	}
	if err == nil && !l.remapped {
		err = inTurn(l, (*layout).placeThreads, (*layout).meetAtBarriers, (*layout).placeHandovers)
	}
	if err == nil {
		err = inTurn(l, (*layout).placeLocations, (*layout).layOperations)
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// inTurn runs steps until one fails.
func inTurn(l *layout, steps ...func(*layout) error) error {
	for _, step := range steps {
		if err := step(l); err != nil {
			return err
		}
	}
	return nil
}

// splitThreads determines the threads and the directions of events. A cycle of one thread has a
// single communication edge, from its last event to its first.
func (l *layout) splitThreads() error {
	if len(l.Edges) == 1 {
		return l.unsuitable("a cycle has two events or more")
	}
	external, communications := 0, 0
	for _, e := range l.Edges {
		external += boolIndex(e.External)
		communications += boolIndex(e.Communicates())
	}
	last := l.Edges[len(l.Edges)-1]
	switch {
	case external == 1:
		return l.unsuitable("it has one external edge: a cycle that leaves a thread must come back to it")
	case external == 0 && communications != 1:
		return l.unsuitable(
			"without external edges it has one thread, where one communication leads back to the first event")
	case external == 0 && !last.Communicates() || external > 0 && !last.External:
		return l.unsuitable("it does not begin with a thread")
	}
	if l.cutThreads(); len(l.threads) > litmus.MaxThreads {
		return l.unsuitable("it has %d threads: a program has at most %d", len(l.threads), litmus.MaxThreads)
	}
	for t, events := range l.threads {
		for _, i := range events {
			a, in, out := l.access(i), l.in(i), l.out(i)
			if !a.suits(in, out) {
				return l.unsuitable("%s cannot be %s", a.Name, roles[in][out])
			}
			if a.returnsNoRead && l.Edges[i].dependency() {
				return l.unsuitable("%s returns nothing that %s could depend on", a.Name, l.Edges[i])
			}
			l.nodes[i] = node{
				access: a, thread: t, source: initially,
				reads: a.Atomic() || in == R, writes: a.Atomic() || in == W,
			}
		}
	}
	return nil
}

// cutThreads cuts the cycle after each external edge.
func (l *layout) cutThreads() {
	const usual = 4
	l.threads = make([][]int, 0, usual)
	events, first := make([]int, len(l.Edges)), 0
	for i := range l.Edges {
		events[i] = i
		if l.Edges[i].External || i == len(l.Edges)-1 {
			l.threads, first = append(l.threads, events[first:i+1:i+1]), i+1
		}
	}
}

// roles describes an event by the directions of the edges before and after it.
var roles = [2][2]string{
	W: {W: "a write", R: "a write for the edge before it and a read for the one after it, unless it is an atomic"},
	R: {W: "a read for the edge before it and a write for the one after it, unless it is an atomic", R: "a read"},
}

func (l *layout) assignLocations() error {
	locs, n := l.locations()
	if i := slices.IndexFunc(l.Edges, func(e Edge) bool { return e.Diff }); i >= 0 && n == 1 {
		return l.unsuitable("%s is its only edge between two locations: a cycle comes back to the first", l.Edges[i])
	}
	for i := range l.nodes {
		l.nodes[i].loc = locs[i]
	}
	l.writers, l.final, l.shared = make([][]int, n), make([]bool, n), make([]bool, n)
	return nil
}

// orderWrites visits the events of each location in the order of the cycle. All communication at
// the location leads forward in this order. Taken as coherence order, with reads that return the
// latest write before them, it makes each edge hold.
func (l *layout) orderWrites() error {
	for loc := range l.writers {
		run, split, err := l.run(loc)
		if err != nil {
			return err
		}
		last := initially
		for i, e := range run {
			n := &l.nodes[e]
			reads, writes := n.reads, n.writes
			if split && i == 0 {
				reads, writes = l.out(e) == R, l.out(e) == W
			} else if split && i == len(run)-1 {
				reads, writes = l.in(e) == R, l.in(e) == W
			}
			if reads {
				n.source = last
			}
			if writes {
				l.writers[loc] = append(l.writers[loc], e)
				n.number, last = len(l.writers[loc]), e
			}
		}
	}
	return nil
}

// run lists the events of a location in the order of the cycle, from the first event after an edge
// from another location. With a single location, some edge must lead backwards: the last edge of
// program order; without such an edge, the two halves of an atomic are in reverse order, and the
// atomic is listed at both ends (split).
func (l *layout) run(loc int) (run []int, split bool, err error) {
	n := len(l.Edges)
	first := -1
	for i := range n {
		before := l.Edges[(i+n-1)%n]
		if l.nodes[i].loc == loc && (before.Diff || len(l.writers) == 1 && !before.Communicates()) {
			first = i
		}
	}
	if first < 0 {
		first = l.brokenAtomic()
		split = true
	}
	if first < 0 {
		return nil, false, l.unsuitable("communication alone makes no cycle: some edge must be program order")
	}
	for i := first; ; i = (i + 1) % n {
		run = append(run, i)
		if l.Edges[i].Diff || (i+1)%n == first {
			break
		}
	}
	if split {
		run = append(run, first)
	}
	return run, split, nil
}

// brokenAtomic returns the last atomic that the cycle enters at one half and leaves at the other,
// or -1.
func (l *layout) brokenAtomic() int {
	for i := len(l.nodes) - 1; i >= 0; i-- {
		if l.nodes[i].access.Atomic() && l.in(i) != l.out(i) {
			return i
		}
	}
	return -1
}

// pair is two writes to a location, by event.
type pair struct{ before, after int }

// observe decides what the condition mentions: the values of reads that communicate in the cycle,
// and final values where the cycle needs an order of writes.
func (l *layout) observe() error {
	needed := make([][]pair, len(l.writers))
	for i, e := range l.Edges {
		n, next := &l.nodes[i], &l.nodes[(i+1)%len(l.Edges)]
		n.seen = n.seen || n.access.Atomic() && !n.access.returnsNoRead
		before := i
		switch e.Kind {
		case Rf:
			next.seen = !next.access.returnsNoRead
			continue
		case Fr:
			n.seen = !n.access.returnsNoRead
			before = n.source
		case Co:
		default:
			continue
		}
		if before != initially {
			needed[n.loc] = append(needed[n.loc], pair{before, (i + 1) % len(l.Edges)})
		}
	}
	for i, n := range l.nodes {
		if n.access.op == "add" && n.value <= l.valueRead(n) {
			return l.unsuitable("what %s of %s adds would have to come out of thin air", n.access.Name,
				l.threadName(l.nodes[i].thread))
		}
	}
	for loc, writers := range l.writers {
		l.final[loc] = needed[loc] != nil
		if err := l.seeReductions(loc); err != nil {
			return err
		}
		if err := l.seeCopies(loc); err != nil {
			return err
		}
		if len(writers) < 3 {
			continue
		}
		known := l.knownOrder(loc)
		for _, p := range needed[loc] {
			if !known[l.nodes[p.before].number][l.nodes[p.after].number] {
				return l.unsuitable("%s has %d writes, and no final state tells in which order two of them are",
					locationName(loc), len(writers))
			}
		}
	}
	return nil
}

// seeReductions checks that the condition determines what a red has read, from the value that it
// writes.
func (l *layout) seeReductions(loc int) error {
	writers := l.writers[loc]
	var reds []int
	for _, w := range writers {
		if l.nodes[w].access.returnsNoRead {
			reds = append(reds, w)
		}
	}
	if reds == nil {
		return nil
	}
	read := slices.ContainsFunc(l.nodes, func(n node) bool {
		return n.reads && n.seen && n.loc == loc && n.source == reds[0]
	})
	last := writers[len(writers)-1] == reds[0]
	if len(reds) > 1 || !read && !last {
		return l.unsuitable(
			"nothing tells what the red of %s has read: it returns nothing, and its result is overwritten",
			locationName(loc))
	}
	l.final[loc] = l.final[loc] || !read
	return nil
}

// knownOrder returns which writes to a location, by number, are ordered in every execution with the
// outcome: every write is before the final one, and coherence orders the writes of a thread, an
// axiom of every model of interest.
func (l *layout) knownOrder(loc int) [][]bool {
	n := len(l.writers[loc]) + 1
	known := make([][]bool, n)
	for v := range known {
		known[v] = make([]bool, n)
		known[v][n-1] = v != 0 && v < n-1
	}
	order := func(before, after int) {
		if before != initially && after != initially && before != after {
			known[l.nodes[before].number][l.nodes[after].number] = true
		}
	}
	for i, x := range l.nodes {
		if x.loc != loc {
			continue
		}
		if x.reads && x.writes {
			order(x.source, i)
		}
		for j := i + 1; j < len(l.nodes); j++ {
			y := l.nodes[j]
			switch {
			case y.loc != loc || y.thread != x.thread:
			case x.writes && y.writes:
				order(i, j)
			case x.reads && y.writes:
				order(x.source, j)
			case x.writes && y.reads:
				order(i, y.source)
			}
		}
	}
	for k := range known {
		for i := range known {
			for j := range known {
				known[i][j] = known[i][j] || known[i][k] && known[k][j]
			}
		}
	}
	return known
}

// placeThreads computes the placement of the threads.
func (l *layout) placeThreads() error {
	if len(l.threads) == 1 {
		l.place = placement{{AnyLevel}}
		return nil
	}
	marks, _ := l.marks()
	place, wrong := solve(marks)
	if wrong == ambiguous {
		return l.unsuitable(
			"some threads are on other GPUs, and the edges without a level do not say which: mark them too")
	}
	if wrong >= 0 {
		next := (wrong + 1) % len(l.threads)
		return l.unsuitable("%s and %s cannot be on the level %s: with the other levels, theirs is %s",
			l.threadName(wrong), l.threadName(next), marks[wrong], place[wrong][next])
	}
	l.place = place
	return nil
}

// placeLocations checks that locations in shared memory are accessed from one CTA only.
func (l *layout) placeLocations() error {
	var known map[int]*bool
	if l.asynchronous() {
		locs, _ := l.locations()
		known = l.operated(locs)
	}
	for i, shared := range l.Shared {
		loc := l.nodes[i].loc
		l.shared[loc] = l.shared[loc] || shared
		if a := l.nodes[i].access; a.async != nil &&
			(l.shared[loc] != *known[loc] || *known[loc] != *a.inShared(l.in(i))) {
			return l.unsuitable("%s would have to be in global memory and in shared memory", locationName(loc))
		}
	}
	for i, x := range l.nodes {
		for j, y := range l.nodes[:i] {
			if x.loc != y.loc || !l.shared[x.loc] {
				continue
			}
			if l.place[x.thread][y.thread] > l.reach(i, j, SameCTA) {
				return l.unsuitable("%s is shared, but %s and %s are in different CTAs",
					locationName(x.loc), l.threadName(y.thread), l.threadName(x.thread))
			}
		}
	}
	return nil
}

// barrierLevels are the levels of the threads that meet at a barrier.
var barrierLevels = map[string]Level{
	"bar.sync": SameCTA, "barrier.cluster": SameCluster, "barrier": SameCTA,
	"syncthreads": SameCTA,
}

// meetAtBarriers checks that the threads of each barrier execute it equally often, and that none
// waits alone.
func (l *layout) meetAtBarriers() error {
	if !slices.ContainsFunc(l.Edges, func(e Edge) bool { return e.Kind == Barrier }) {
		return nil
	}
	for instr, level := range barrierLevels {
		arrivals := make([]int, len(l.threads))
		for i, e := range l.Edges {
			arrivals[l.nodes[i].thread] += boolIndex(e.Kind == Barrier && e.Instr == instr)
		}
		for t, n := range arrivals {
			met := n == 0
			for u, m := range arrivals {
				if t == u || m == 0 || l.place[t][u] > level {
					continue
				}
				met = true
				if n > m {
					return l.unsuitable("%s comes to %s %d times, %s %d times: one would wait for ever",
						l.threadName(t), instr, n, l.threadName(u), m)
				}
			}
			if !met {
				return l.unsuitable("%s waits alone at %s: no other thread of its %s arrives there", l.threadName(t),
					instr, level)
			}
		}
	}
	return nil
}

func (l *layout) threadName(t int) string { return l.ISA.thread + strconv.Itoa(t) }

// locationName returns x, y, z, and then the alphabet from the beginning.
func locationName(loc int) string {
	const names = "xyzabcdefghijklmnopqrstuvw"
	if loc < len(names) {
		return names[loc : loc+1]
	}
	return "x" + strconv.Itoa(loc)
}

// shapes returns the directions of the first and last event of each thread: "WW RR".
func (l *layout) shapes() []string {
	shapes := make([]string, len(l.threads))
	for t, events := range l.threads {
		of := &shapesOfMany
		if len(events) == 1 {
			of = &shapesOfOne
		}
		shapes[t] = of[l.in(events[0])][l.out(events[len(events)-1])]
	}
	return shapes
}

// Shapes of threads with one event, and with more.
var (
	shapesOfOne  = [2][2]string{W: {W: "W", R: "U"}, R: {W: "RW", R: "R"}}
	shapesOfMany = [2][2]string{W: {W: "WW", R: "WR"}, R: {W: "RW", R: "RR"}}
)
