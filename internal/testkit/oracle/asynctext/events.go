package asynctext

import (
	"slices"
	"strings"
)

// What threads do, one event for each access, arrival, fence or wait. An asynchronous operation is
// events of its own, which are in no program order (PTX ISA, "Program Order", "Asynchronous
// Operations").

// A doing is what an event is.
type doing int

const (
	initializes doing = iota // the write of a location before all threads
	reads
	writes
	updates // an mbarrier, as an atomic operation
	tests   // an mbarrier
	fences
	mapFences    // for the tensor map
	tensorFences // for tensor memory
	crosses      // a proxy fence
	meets        // at a barrier of the CTA
	awaits       // asynchronous operations
)

// An instance is something that a thread does, or an asynchronous operation of it.
type instance struct {
	does         doing
	thread, at   int  // at which instruction
	cta          int  // where it happens
	asynchronous bool // beside program order
	location     string
	order        string // weak, relaxed, acquire, release, acq_rel
	scope        string
	asyncProxy   bool
	mapProxy     bool   // the event reads the tensor map
	leads        string // where the tensor map must point
	after        int    // a product comes after events up to this one; 0 for all other events
	of           []int  // the reads of a product: the factors, and what is added
	lands        bool   // it tells an mbarrier that an operation is complete
	space        string // that a proxy fence is for
	value        int    // that is written, unless it comes from another event
	source       int    // the read whose value is written, or -1
	register     string
	change       change // of an mbarrier
	parity       int    // that is tested
	spins, hangs bool   // the test is awaited, in vain
	number       int    // of a barrier of the CTA
}

// A change is what an event does to an mbarrier.
type change struct {
	initial        int // the count of a new one
	arrive, expect int // arrivals made, those made necessary, and bytes to come
	bytes          int
}

// A phase is what an mbarrier holds.
type phase struct{ number, pending, expected, bytes int }

// after returns the mbarrier after a change. A phase is over when neither arrivals nor bytes are
// pending; the next begins at once (PTX ISA, "Phase Completion of the mbarrier object").
func (p phase) after(c change) phase {
	if c.initial > 0 {
		return phase{pending: c.initial, expected: c.initial}
	}
	p.pending += c.expect - c.arrive
	p.bytes += c.bytes
	if p.pending == 0 && p.bytes == 0 {
		return phase{number: p.number + 1, pending: p.expected, expected: p.expected}
	}
	return p
}

// over reports whether the last phase of a parity is: the current one has the other parity.
func (p phase) over(parity int) bool { return p.number%2 != parity }

// An unfolding is the events of a program on one way through it, with what the text says of them
// before anybody reads anything.
type unfolding struct {
	program *Program
	tensors uint // the places to which the tensor map points for each copy, as bits
	events  []instance
	hung    bool

	// completes is from the accesses of asynchronous operations to the events that come after them:
	// waits, and the arrivals that tell that they are complete.
	completes [][2]int
	// tensorCompletes is the same for accesses of tensor memory, which are ordered among themselves
	// alone.
	tensorCompletes [][2]int
}

// An unfolder goes through one thread.
type unfolder struct {
	*unfolding
	thread, at   int
	small, bulk  groups
	products     groups
	fifth        fifthWork
	fencedAt     int   // what comes after the latest wgmma.fence
	smallStarted []int // all events of cp.async so far
}

// groups is the events of asynchronous operations, in the groups to which they were committed.
type groups struct {
	open      []int
	committed [][]int
}

func (g *groups) commit() {
	g.committed = append(g.committed, g.open)
	g.open = nil
}

// but returns the events of all groups but the latest n.
func (g *groups) but(n int) []int {
	return slices.Concat(g.committed[:max(0, len(g.committed)-n)]...)
}

// unfold takes each thread as far as ends says: to the end of the program, or to what it waits for
// in vain.
func (p *Program) unfold(ends []int, tensors uint) *unfolding {
	u := &unfolding{program: p, tensors: tensors}
	for _, l := range p.locations() {
		u.events = append(u.events,
			instance{does: initializes, thread: -1, location: l, value: p.Initial[l], source: -1})
	}
	for t, thread := range p.Threads {
		f := &unfolder{unfolding: u, thread: t, fencedAt: len(u.events)}
		for f.at = 0; f.at <= min(ends[t], len(thread)-1); f.at++ {
			f.instruction(&thread[f.at], f.at == ends[t])
		}
		u.hung = u.hung || ends[t] < len(thread)
	}
	return u
}

// does adds an event of the thread.
func (f *unfolder) does(e instance) int {
	e.thread, e.at, e.cta = f.thread, f.at, f.program.CTAs[f.thread]
	if e.does != writes || !e.asynchronous {
		e.source = -1
	}
	f.events = append(f.events, e)
	return len(f.events) - 1
}

// after says that an event comes after asynchronous ones.
func (f *unfolder) after(event int, before []int) {
	for _, e := range before {
		f.completes = append(f.completes, [2]int{e, event})
	}
}

// copies adds the accesses of an asynchronous copy.
func (f *unfolder) copies(to, from string, asyncProxy bool) (read, write int) {
	read = f.does(instance{does: reads, asynchronous: true, location: from, order: "weak", asyncProxy: asyncProxy})
	write = f.does(instance{does: writes, asynchronous: true, location: to, order: "weak", asyncProxy: asyncProxy})
	f.events[write].source = read
	return read, write
}

// own returns a location that the thread names.
func (f *unfolder) own(name string) string { return f.program.own(f.program.CTAs[f.thread], name) }

func (f *unfolder) instruction(in *Instr, last bool) {
	order, scope := in.orderAndScope()
	switch in.Kind {
	case PlainLoad:
		f.does(instance{
			does:     reads,
			location: f.own(in.From),
			order:    order,
			scope:    scope,
			register: registerOf(f.thread, in),
		})
	case PlainStore:
		f.does(instance{does: writes, location: f.own(in.To), order: order, scope: scope, value: in.N})
	case MemoryFence:
		f.does(instance{does: fences, order: order, scope: scope})
	case ProxyFence:
		f.does(instance{does: crosses, space: in.Space})
	case CTABarrier:
		f.does(instance{does: meets, number: in.N, hangs: last})
	case clusterBarrier:
		f.does(instance{does: meets, number: wholeCluster})
	case SmallCopy:
		read, write := f.copies(f.own(in.To), in.From, false)
		f.small.open = append(f.small.open, read, write)
		f.smallStarted = append(f.smallStarted, read, write)
	case SmallCommit:
		f.small.commit()
	case SmallWait:
		f.after(f.does(instance{does: awaits}), f.small.but(in.N))
	case BulkStore:
		read, write := f.copies(in.To, f.own(in.From), true)
		f.bulk.open = append(f.bulk.open, read, write)
	case BulkCommit:
		f.bulk.commit()
	case BulkWait:
		f.bulkWait(in)
	default:
		if in.Kind >= FifthProduct {
			f.fifthInstruction(in)
		} else if in.Kind >= TensorLoad {
			f.tensorInstruction(in)
		} else {
			f.barrierInstruction(in, last)
		}
	}
}

// bulkWait waits for bulk copies; with .read only until they have read.
func (f *unfolder) bulkWait(in *Instr) {
	awaited := f.bulk.but(in.N)
	if in.Flag {
		awaited = slices.DeleteFunc(awaited, func(e int) bool { return f.events[e].does != reads })
	}
	f.after(f.does(instance{does: awaits}), awaited)
}

// barrierInstruction is one on an mbarrier. All but the initialization are atomic, and strong.
func (f *unfolder) barrierInstruction(in *Instr, last bool) {
	order, scope := in.orderAndScope()
	update := instance{does: updates, location: f.own(in.Barrier), order: order, scope: scope}
	switch in.Kind {
	case barrierInit:
		update.order, update.change = "weak", change{initial: in.N}
		f.does(update)
	case BarrierArrive:
		update.change = change{arrive: 1, bytes: in.N}
		f.does(update)
	case RemoteArrive:
		update.location, update.change = in.Remote, change{arrive: 1}
		f.does(update)
	case BarrierExpect:
		update.change = change{bytes: in.N}
		f.does(update)
	case BarrierSpin, BarrierTest:
		e := update
		e.does, e.parity, e.spins, e.hangs = tests, in.N, in.Kind == BarrierSpin, last
		if in.Kind == BarrierTest {
			e.register, e.hangs = registerOf(f.thread, in), false
		}
		f.does(e)
	case BulkLoad:
		for _, cta := range f.program.destinations(in, f.program.CTAs[f.thread]) {
			read, write := f.copies(f.program.own(cta, in.To), in.From, true)
			f.tell(f.program.own(cta, in.Barrier), cta, change{bytes: -CopiedBytes}, read, write)
		}
	case SmallArrive:
		if !in.Flag {
			f.does(instance{
				does:     updates,
				location: update.location,
				order:    "relaxed",
				scope:    "cta",
				change:   change{expect: 1},
			})
		}
		update.asynchronous, update.order, update.scope, update.change = true, "release", "cta", change{arrive: 1}
		f.after(f.does(update), f.smallStarted)
	}
}

// orderAndScope reads what an instruction says, or means if it says nothing.
func (in *Instr) orderAndScope() (order, scope string) {
	if in.Order != "" {
		order, scope, _ = strings.Cut(in.Order, ".")
		return order, scope
	}
	switch in.Kind {
	case BarrierArrive, RemoteArrive:
		return "release", "cta"
	case BarrierSpin, BarrierTest:
		return "acquire", "cta"
	case BarrierExpect:
		return "relaxed", "cta"
	}
	return "weak", ""
}
