package gen

import (
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/litmus"
)

// Asynchronous operations in cycles (PTX ISA, "Asynchronous copy"). The read and the write of an
// operation are two events of an agent beside its thread: an access in brackets is one of them, and
// an edge of kind Copy leads from the read to the write. Program order to such an event is the
// issue of its operation. No event comes after it except by an edge of kind Wait or Handover, which
// waits for it.

// operation is an instruction that reads one location and writes another asynchronously.
type operation struct {
	name     string
	instr    string // format with the destination, the source and the mbarrier
	from, to bool   // source and destination are in shared memory
	literal  bool   // the source is a value, not a location
	adds     bool   // it adds to the destination
	product  bool   // the destination is a register, and there is a second source
	several  bool   // it writes to the same location in several CTAs, given by a mask
	// prefix of the instructions that commit its groups and wait for them; "" if it completes on an
	// mbarrier
	groups  string
	aligned string // suffix of these instructions
	bytes   int    // transaction count on the mbarrier
}

// copies reports whether the operation moves a value from one location to another.
func (o *operation) copies() bool { return !o.literal && !o.adds && !o.product }

// twin is the suffix of an edge between the writes of a multicast copy in two CTAs.
const twin = ".twin"

// operations are the operations in the vocabulary.
var operations = []*operation{
	{name: "cp.async", instr: "cp.async.ca.shared.global [%[1]s],[%[2]s],4", to: true, groups: "cp.async"},
	{
		name:  "bulk.load",
		instr: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%[1]s],[%[2]s],16,[%[3]s]",
		to:    true,
		bytes: 16,
	},
	{
		name: "multicast",
		instr: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster " +
			"[%[1]s],[%[2]s],16,[%[3]s],%[4]d",
		to:      true,
		several: true,
		bytes:   16,
	},
	{
		name:   "bulk.store",
		instr:  "cp.async.bulk.global.shared::cta.bulk_group [%[1]s],[%[2]s],16",
		from:   true,
		groups: "cp.async.bulk",
	},
	{
		name:    "st.async",
		instr:   "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%[1]s],%[2]s,[%[3]s]",
		to:      true,
		literal: true,
		bytes:   4,
	},
	{
		name:    "red.async",
		instr:   "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%[1]s],%[2]s,[%[3]s]",
		to:      true,
		literal: true,
		adds:    true,
		bytes:   4,
	},
	{
		name: "bulk.reduce", instr: "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%[1]s],[%[2]s],16",
		from: true, adds: true, groups: "cp.async.bulk",
	},
	{
		name: "tensor.load",
		instr: "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes " +
			"[%[1]s],[%[2]s,{0}],[%[3]s]",
		to:    true,
		bytes: 16,
	},
	{
		name: "tensor.store", instr: "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%[1]s,{0}],[%[2]s]",
		from: true, groups: "cp.async.bulk",
	},
	{
		name: "wgmma", instr: "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%[1]s},%[2]s,%[3]s,0,1,1,0,0",
		from: true, product: true, groups: "wgmma", aligned: ".sync.aligned",
	},
}

// access returns the access of one half of the operation.
func (o *operation) access() *Access {
	a := &Access{Name: o.name, async: o}
	if o.adds {
		a.atomic, a.op, a.returnsNoRead = o.instr, "add", true
		return a
	}
	if !o.literal {
		a.load = o.instr
	}
	if !o.product {
		a.store = o.instr
	}
	return a
}

// inShared reports whether the location of an access of an operation is in shared memory. The
// pointer points into the operation.
func (a *Access) inShared(in Dir) *bool {
	if in == R && !a.Atomic() {
		return &a.async.from
	}
	return &a.async.to
}

// The steps of waits and handovers, in order. The names of these edges consist of them.
const (
	stepWait  = "wait"  // wait for the operation at which the edge begins
	stepRead  = "read"  // wait until it has read its source
	stepProxy = "proxy" // fence.proxy.async
	stepSync  = "sync"  // two threads meet at a barrier of the CTA
	stepMbar  = "mbar"  // the first thread, or its operation, arrives at an mbarrier; the second waits there
)

// waits and handovers are the edges that consist of steps, without directions.
var (
	waits     = []string{"wait", "wait.read", "wait.proxy"}
	handovers = []string{
		"sync", "proxy.sync", "sync.proxy", "wait.sync", "wait.proxy.sync", "wait.sync.proxy",
		"mbar", "proxy.mbar", "mbar.proxy", "wait.mbar", "wait.proxy.mbar", "wait.mbar.proxy",
	}
	proxyFences = []string{"fence.proxy.async", "fence.proxy.async.global", "fence.proxy.async.shared::cta"}
)

// addOperations adds the vocabulary of asynchronous operations.
func (isa *ISA) addOperations() {
	for _, o := range operations {
		a := o.access()
		if o.copies() {
			isa.edge(Edge{Kind: Copy, Instr: o.name}, 0, Dirs{R}, Dirs{W})
		}
		if o.several {
			isa.edge(Edge{Kind: Copy, Instr: o.name + twin}, 0, Dirs{W}, Dirs{W})
			a.load = "" // a cycle does not tell it from the copy to one CTA
		}
		isa.accesses = append(isa.accesses, a)
	}
	for _, w := range waits {
		isa.edge(Edge{Kind: Wait, Instr: w}, 2, both, both)
	}
	for _, h := range handovers {
		isa.edge(Edge{Kind: Handover, External: true, Level: SameCTA, Instr: h}, 2, both, both)
	}
}

// steps returns the steps of a wait or a handover.
func (e Edge) steps() []string { return strings.Split(e.Instr, ".") }

func (e Edge) hasStep(step string) bool { return slices.Contains(e.steps(), step) }

// hasFewer reports whether weak has some of the steps of a wait or handover, and no others.
func (e Edge) hasFewer(weak Edge) bool {
	return (e.Kind == Wait || e.Kind == Handover) && len(weak.steps()) < len(e.steps()) && !weak.hasStep(stepRead) &&
		!slices.ContainsFunc(weak.steps(), func(step string) bool { return !e.hasStep(step) })
}

// given returns the steps of a handover that its first thread does, and taken those of the second.
func (e Edge) given() []string {
	all := e.steps()
	return all[:slices.IndexFunc(all, meets)+1]
}

func (e Edge) taken() []string {
	all := e.steps()
	return all[slices.IndexFunc(all, meets):]
}

func meets(step string) bool { return step == stepSync || step == stepMbar }

// asynchronous reports whether the cycle has an asynchronous operation, or an edge for them.
func (c *Cycle) asynchronous() bool {
	return slices.ContainsFunc(c.Edges, func(e Edge) bool { return e.Kind >= Copy }) ||
		slices.ContainsFunc(c.Accesses, func(a *Access) bool { return a.async != nil })
}

// half returns the operation of an event if several of its events are in the cycle, or nil.
func (c *Cycle) half(i int) *operation {
	before := (i + len(c.Edges) - 1) % len(c.Edges)
	switch Copy {
	case c.Edges[i].Kind:
		return c.Edges[i].operation()
	case c.Edges[before].Kind:
		return c.Edges[before].operation()
	}
	return nil
}

// operation returns the operation of an edge between two of its events.
func (e Edge) operation() *operation {
	name := strings.TrimSuffix(e.Instr, twin)
	return operations[slices.IndexFunc(operations, func(o *operation) bool { return o.name == name })]
}

// operated returns, for each location that an operation accesses, whether it must be in shared
// memory. If operations contradict each other, the first one counts.
func (c *Cycle) operated(locs []int) map[int]*bool {
	if !c.asynchronous() {
		return nil
	}
	known := map[int]*bool{}
	for i, loc := range locs {
		if a := c.access(i); a.async != nil && known[loc] == nil {
			known[loc] = a.inShared(c.in(i))
		}
	}
	return known
}

// remote reports whether an event can write the shared memory of any CTA in its cluster.
func (c *Cycle) remote(i int) bool {
	a := c.access(i)
	return a.async != nil && a.async.bytes > 0 && (c.in(i) == W || a.Atomic())
}

// reach returns how close the threads of two events must be to share a location, where level is
// enough for synchronous accesses.
func (c *Cycle) reach(i, j int, level Level) Level {
	if c.remote(i) || c.remote(j) {
		return max(level, SameCluster)
	}
	return level
}

// orderedAnyway reports whether the event between program order and a handover is superfluous,
// because the handover orders earlier events, too. (It need not order events before the issue of an
// operation.)
func orderedAnyway(before, after Edge, a *Access) bool {
	return after.Kind == Handover && !before.External && !before.Communicates() && a.async == nil
}

// checkAsync returns an error if an edge is meaningless in its position.
func (l *layout) checkAsync() error {
	if !slices.ContainsFunc(l.Edges, func(e Edge) bool { return e.External && e.Communicates() }) &&
		len(l.threads) > 1 {
		return l.unsuitable("nothing but handovers leads from thread to thread: some edge must be communication")
	}
	for i, e := range l.Edges {
		if why := l.senseless(i, e); why != "" {
			return l.unsuitable("%s: %s", e, why)
		}
	}
	return nil
}

// senseless returns why an edge is meaningless after event i, or "".
func (l *layout) senseless(i int, e Edge) string {
	from, to := l.nodes[i].access.async, l.nodes[(i+1)%len(l.nodes)].access.async
	waited := e.Kind == Wait || e.Kind == Handover && e.hasStep(stepWait)
	told := from != nil && !waited
	switch {
	case e.dependency() && from != nil:
		return from.name + " returns nothing that something could depend on"
	case (e.Kind == Addr || e.Kind == Data) && to != nil:
		return "addresses and values of asynchronous operations are known"
	case waited && from == nil:
		return "nothing asynchronous is waited for"
	case e.Kind == Copy && l.Edges[i+1].Kind == Copy && l.Edges[i+1].operation() != e.operation():
		return l.Edges[i+1].String() + " is another operation"
	case e.Kind == Wait && e.hasStep(stepRead) && from.groups != "cp.async.bulk":
		return "of " + from.name + " no thread can wait for the reads alone"
	case e.Kind != Handover:
		return ""
	case told && e.given()[0] == stepProxy:
		return "a proxy fence behind an asynchronous operation that is not waited for"
	case told && e.hasStep(stepMbar) && from.groups != "" && from.groups != "cp.async":
		return from.name + " tells no mbarrier that it is complete"
	}
	return ""
}

// assignValues assigns each write its value: its number in coherence order, unless the cycle copies
// values between locations. Then initial values and the values of stores are all distinct.
func (l *layout) assignValues() error {
	copies := slices.ContainsFunc(l.Edges, func(e Edge) bool { return e.Kind == Copy })
	l.initial = make([]int, len(l.writers))
	next := len(l.writers)
	for loc, writers := range l.writers {
		if copies {
			l.initial[loc] = l.named[loc]
		}
		for _, w := range writers {
			l.nodes[w].value = l.nodes[w].number
			if copies {
				l.nodes[w].value = next
				next++
			}
		}
	}
	for w := range l.nodes {
		if value, known := l.copied(w, len(l.nodes)); known {
			l.nodes[w].value = value
		} else {
			return l.unsuitable("what is copied would have to come out of thin air")
		}
	}
	return nil
}

// copied returns the value of an event: a copy writes the value of its source. The value is unknown
// if the source depends on the copy itself.
func (l *layout) copied(w, most int) (value int, known bool) {
	n := &l.nodes[w]
	if !n.writes || w == 0 || l.Edges[w-1].Kind != Copy {
		return n.value, true
	}
	if l.Edges[w-1].Src == W {
		return l.copied(w-1, most)
	}
	switch source := l.nodes[w-1].source; {
	case source == initially:
		return l.initial[l.nodes[w-1].loc], true
	case most == 0:
		return 0, false
	default:
		return l.copied(source, most-1)
	}
}

// seeCopies checks that the values written to a location are distinct, so that the condition
// determines what copies have read.
func (l *layout) seeCopies(loc int) error {
	values := map[int]bool{l.initial[loc]: true}
	for i, w := range l.writers[loc] {
		n := l.nodes[w]
		if values[n.value] {
			return l.unsuitable("two writes of %s have one value", locationName(loc))
		}
		values[n.value] = true
		if first := l.firstOf(w); first == w || !l.nodes[first].reads {
			continue
		}
		read := slices.ContainsFunc(l.nodes, func(r node) bool {
			return r.reads && r.seen && r.loc == loc && r.source == w
		})
		if last := i == len(l.writers[loc])-1; !read && !last {
			return l.unsuitable("nothing tells what was copied to %s: it is overwritten", locationName(loc))
		}
		l.final[loc] = l.final[loc] || !read
	}
	return nil
}

// mbarrier is an mbarrier of the test.
type mbarrier struct {
	name         string
	owner, other int   // the thread that initialises it, and another thread that uses it
	also         []int // threads that initialise the mbarriers of the other CTAs of a multicast copy
	bytes        int   // expected transaction count of its phase
	far          bool  // its users are in different CTAs
}

// agents is what the asynchronous operations of a cycle need besides its locations, by event. An
// operation counts as its last event in the cycle.
type agents struct {
	spare    map[int]int       // location of the half that is not in the cycle, by the operation's first event
	told     map[int]*mbarrier // mbarrier on which the operation completes
	arrivals map[int]*mbarrier // mbarrier of the handover after the event
	barriers []*mbarrier       // all of them
}

// layOperations gives each operation the location that is not in the cycle, and an mbarrier to each
// operation that completes on one and to each handover by one. A handover of the operation itself
// shares its mbarrier.
func (l *layout) layOperations() error {
	if !l.asynchronous() {
		return nil
	}
	l.agents = agents{spare: map[int]int{}, told: map[int]*mbarrier{}, arrivals: map[int]*mbarrier{}}
	for i, e := range l.Edges {
		n := &l.nodes[i]
		o, next := n.access.async, (n.thread+1)%len(l.threads)
		if o != nil && !o.literal && l.firstOf(i) == i && (e.Kind != Copy || e.Src == W) {
			l.spare[i] = len(l.writers) + len(l.spare)
		}
		byMbarrier := e.Kind == Handover && e.hasStep(stepMbar)
		if byMbarrier {
			l.arrivals[i] = l.newBarrier(next, n.thread)
		}
		switch {
		case o == nil || o.bytes == 0 || e.Kind == Copy:
		case byMbarrier && !e.hasStep(stepWait):
			l.told[i] = l.arrivals[i]
			l.told[i].bytes = o.bytes
			if l.place[l.home(i)][next] > SameCTA {
				return l.unsuitable("%s: %s writes to another CTA than that which waits", e, o.name)
			}
		default:
			l.told[i] = l.newBarrier(l.home(i), n.thread)
			l.told[i].bytes = o.bytes
			if e.Kind == Wait && l.told[i].far {
				return l.unsuitable("%s: the mbarrier is in another CTA", e)
			}
		}
		if o != nil && o.several && e.Kind != Copy {
			if err := l.spread(i); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *layout) newBarrier(owner, other int) *mbarrier {
	b := &mbarrier{
		name:  "m" + strconv.Itoa(len(l.barriers)),
		owner: owner,
		other: other,
		far:   l.place[owner][other] > SameCTA,
	}
	l.barriers = append(l.barriers, b)
	return b
}

// home returns a thread in the CTA to which an operation writes: its own thread, unless other
// threads have the location in their shared memory.
func (l *layout) home(i int) int {
	for j, n := range l.nodes {
		if n.loc == l.nodes[i].loc && l.remote(i) && !l.remote(j) {
			return n.thread
		}
	}
	return l.nodes[i].thread
}

// placeHandovers checks that threads are close enough for their handovers.
func (l *layout) placeHandovers() error {
	for i, e := range l.Edges {
		widest := SameCTA
		if e.Kind == Handover && e.hasStep(stepMbar) {
			widest = SameCluster
		}
		from := l.nodes[i].thread
		if to := (from + 1) % len(l.threads); e.Kind == Handover && l.place[from][to] > widest {
			return l.unsuitable("%s: %s and %s must be in one %s", e, l.threadName(from), l.threadName(to), widest)
		}
	}
	return nil
}

// moved returns the value of the location that is not in the cycle: the value that an operation
// writes or adds to one in the cycle; or 0, or 1 if it is a factor.
func (l *layout) moved(n node) int {
	switch o := n.access.async; {
	case o.product:
		return 1
	case o.adds:
		return n.value - l.valueRead(n)
	}
	return n.value
}

// operands adds these locations to the cycle's.
func (l *layout) operands(all []litmus.Scalar) []litmus.Scalar {
	for i, n := range l.nodes {
		if spare, ok := l.spare[i]; ok {
			o := n.access.async
			shared := n.reads && o.to || (n.writes || o.product) && o.from
			all = append(all, litmus.Scalar{Name: locationName(spare), Init: int64(l.moved(n)), Region: region(shared)})
		}
	}
	for _, bar := range l.barriers {
		all = append(all, litmus.Scalar{Name: bar.name, Region: region(true)})
	}
	return all
}
