package asynctext

import (
	"slices"
	"strings"
)

// Events of threads: one for each access, arrival, fence or wait. An asynchronous operation has
// events of its own, which are not in program order (PTX ISA, "Program Order", "Asynchronous
// Operations").

// doing is the kind of an event.
type doing int

const (
	initializes doing = iota // the initial write of a location
	reads
	writes
	updates // atomic update of an mbarrier
	tests   // test of an mbarrier
	fences
	mapFences    // fence for the tensor map
	tensorFences // fence for tensor memory
	crosses      // proxy fence
	meets        // barrier of the CTA
	awaits       // wait for asynchronous operations
)

// instance is an event of a thread or of its asynchronous operation.
type instance struct {
	does         doing
	thread, at   int  // thread and index of the instruction
	cta          int  // CTA in which it happens
	asynchronous bool // not in program order
	location     string
	order        string // weak, relaxed, acquire, release, acq_rel
	scope        string
	asyncProxy   bool
	mapProxy     bool   // it reads the tensor map
	leads        string // tensor to which the tensor map must point
	after        int    // for a product, the last event that it comes after; 0 for other events
	of           []int  // reads of a product: the factors and the accumulator
	lands        bool   // it completes an operation on an mbarrier
	space        string // space of a proxy fence
	value        int    // written value, unless source gives it
	source       int    // read whose value is written, or -1
	register     string
	change       change // of an mbarrier
	parity       int    // tested parity
	spins, hangs bool   // the test is in a loop, which never ends
	number       int    // number of a barrier of the CTA
}

// change is an update of an mbarrier.
type change struct {
	initial        int // count of a new one
	arrive, expect int // arrivals, additional expected arrivals, and expected bytes
	bytes          int
}

// phase is the state of an mbarrier.
type phase struct{ number, pending, expected, bytes int }

// after returns the state of an mbarrier after a change. A phase completes when neither arrivals
// nor bytes are pending, and the next one begins at once (PTX ISA, "Phase Completion of the
// mbarrier object").
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

// over reports whether the last phase of a parity is complete: the current phase has the other
// parity.
func (p phase) over(parity int) bool { return p.number%2 != parity }

// unfolding is the events of a program on one path, with the orders that do not depend on reads.
type unfolding struct {
	program *Program
	tensors uint // for each copy, the tensor to which the map points, as bits
	events  []instance
	hung    bool

	// completes relates the accesses of asynchronous operations to the events after their
	// completion: waits, and arrivals that signal completion.
	completes [][2]int
	// tensorCompletes is the same for accesses of tensor memory, which are ordered only among
	// themselves.
	tensorCompletes [][2]int
}

// unfolder creates the events of one thread.
type unfolder struct {
	*unfolding
	thread, at   int
	small, bulk  groups
	products     groups
	fifth        fifthWork
	fencedAt     int   // products come after events up to the latest wgmma.fence
	smallStarted []int // all events of cp.async so far
}

// groups is the events of asynchronous operations, by committed group.
type groups struct {
	open      []int
	committed [][]int
}

func (g *groups) commit() {
	g.committed = append(g.committed, g.open)
	g.open = nil
}

// but returns the events of all groups except the latest n.
func (g *groups) but(n int) []int {
	return slices.Concat(g.committed[:max(0, len(g.committed)-n)]...)
}

// unfold creates the events of each thread up to the given ends: the end of the program, or a wait
// that never ends.
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

// after orders an event after asynchronous ones.
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

// own returns the location that a name denotes in the thread.
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

// bulkWait adds a wait for bulk copies, with .read only for their reads.
func (f *unfolder) bulkWait(in *Instr) {
	awaited := f.bulk.but(in.N)
	if in.Flag {
		awaited = slices.DeleteFunc(awaited, func(e int) bool { return f.events[e].does != reads })
	}
	f.after(f.does(instance{does: awaits}), awaited)
}

// barrierInstruction adds the event of an instruction on an mbarrier. All except the initialisation
// are atomic and strong.
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

// orderAndScope returns the order and scope of an instruction, explicit or default.
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
