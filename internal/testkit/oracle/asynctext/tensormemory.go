package asynctext

import (
	"fmt"
	"slices"
)

// Matrix products in tensor memory (PTX ISA, "TensorCore 5th Generation Instructions"). A place in
// tensor memory is a location that no other instruction names, and holds one number.

// UsesTensorMemory reports whether the program has instructions of tcgen05.
func (p *Program) UsesTensorMemory() bool {
	_, has := p.Initial["d0"]
	return has
}

// fifthText returns an instruction of tcgen05 in PTX.
func (in *Instr) fifthText() string {
	switch in.Kind {
	case FifthProduct:
		left := in.From
		if isTensorMemory(left) {
			left = "[" + left + "]"
		}
		return fmt.Sprintf("tcgen05.mma.cta_group::1.kind::f16 [%s], %s, %s, i, %d", in.To, left, in.Right, in.N)
	case FifthCopy:
		return fmt.Sprintf("tcgen05.cp.cta_group::1.128x256b [%s], %s", in.To, in.From)
	case FifthLoad:
		return fmt.Sprintf("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%s}, [%s]", in.register, in.From)
	case FifthStore:
		return fmt.Sprintf("tcgen05.st.sync.aligned.32x32b.x1.b32 [%s], {%d}", in.To, in.N)
	case FifthLoadWait:
		return "tcgen05.wait::ld.sync.aligned"
	case FifthStoreWait:
		return "tcgen05.wait::st.sync.aligned"
	case FifthCommit:
		return fmt.Sprintf("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%s]", in.Barrier)
	case FifthBefore:
		return "tcgen05.fence::before_thread_sync"
	}
	return "tcgen05.fence::after_thread_sync"
}

// isTensorMemory reports whether a location is in tensor memory, by its name.
func isTensorMemory(location string) bool { return location != "" && location[0] == 'd' }

// fifthOperation is a product or a copy into tensor memory that a thread has issued.
type fifthOperation struct {
	events []int
	to     string // accumulator of a product; "" for a copy
}

// fifthWork is the operations of tcgen05 that a thread has issued.
type fifthWork struct {
	loads, stores []int
	operations    []fifthOperation
}

// fifthInstruction adds the events of an instruction of tcgen05.
func (f *unfolder) fifthInstruction(in *Instr) {
	switch in.Kind {
	case FifthProduct:
		f.fifthProduct(in)
	case FifthCopy:
		read, write := f.fifthRead(f.own(in.From)), f.fifthWrite(f.own(in.To))
		f.events[write].source = read
		f.after(write, []int{read})
		f.fifth.operations = append(f.fifth.operations, fifthOperation{events: []int{read, write}})
	case FifthLoad:
		read := f.fifthRead(f.own(in.From))
		f.events[read].register = registerOf(f.thread, in)
		f.fifth.loads = append(f.fifth.loads, read)
	case FifthStore:
		write := f.fifthWrite(f.own(in.To))
		f.events[write].value = in.N
		f.fifth.stores = append(f.fifth.stores, write)
	case FifthLoadWait:
		f.after(f.does(instance{does: awaits}), f.fifth.loads)
	case FifthStoreWait:
		f.after(f.does(instance{does: awaits}), f.fifth.stores)
	case FifthCommit:
		f.tell(f.own(in.Barrier), f.program.CTAs[f.thread], change{arrive: 1}, f.fifth.events()...)
	case FifthBefore:
		f.fifthBefore()
	case FifthAfter:
		f.does(instance{does: tensorFences, order: "acquire", scope: "cluster"})
	}
}

func (w *fifthWork) events() (all []int) {
	for _, o := range w.operations {
		all = append(all, o.events...)
	}
	return all
}

// Reads and writes of operations, through the async proxy in shared memory.

func (f *unfolder) fifthRead(from string) int {
	return f.does(instance{does: reads, asynchronous: true, order: "weak", asyncProxy: true, location: from})
}

func (f *unfolder) fifthWrite(to string) int {
	write := f.does(instance{does: writes, asynchronous: true, order: "weak", asyncProxy: true, location: to})
	f.events[write].source = -1
	return write
}

// fifthProduct adds a product, which writes or adds to its accumulator. Products with one
// accumulator are executed in issue order, and so are a copy and the products after it ("Pipelined
// tcgen05 Instructions").
func (f *unfolder) fifthProduct(in *Instr) {
	o := fifthOperation{to: f.own(in.To)}
	read := []int{f.fifthRead(f.own(in.From)), f.fifthRead(f.own(in.Right))}
	if in.N > 0 {
		read = append(read, f.fifthRead(o.to))
	}
	write := f.fifthWrite(o.to)
	f.events[write].of = read
	f.after(write, read)
	o.events = append(read[:len(read):len(read)], write)
	for _, earlier := range f.fifth.operations {
		if earlier.to != "" && earlier.to != o.to {
			continue
		}
		for _, e := range o.events {
			f.after(e, earlier.events)
		}
	}
	f.fifth.operations = append(f.fifth.operations, o)
}

// fifthBefore adds the fence before threads synchronize. It comes after the accesses of products
// and copies to tensor memory; it orders no other accesses ("tcgen05.fence").
func (f *unfolder) fifthBefore() {
	fence := f.does(instance{does: tensorFences, order: "release", scope: "cluster"})
	for _, e := range f.fifth.events() {
		if isTensorMemory(f.events[e].location) {
			f.tensorCompletes = append(f.tensorCompletes, [2]int{e, fence})
		}
	}
}

// tensorsAgree reports whether accesses to tensor memory are ordered: accesses of two threads need
// the fences around their synchronization. A commit acts as the first fence for the operations that
// it covers ("tcgen05.commit"), except in one variant, where the fence must precede the commit.
func (r *reading) tensorsAgree(a, b int) bool {
	base := r.baseOfTensors
	fenced := func(order string, from, to int) bool {
		return slices.ContainsFunc(r.numbers(), func(f int) bool {
			return r.events[f].does == tensorFences && r.events[f].order == order && base.has(from, f) &&
				base.has(f, to)
		})
	}
	committed := func(told int) bool {
		if r.program.Variant != "bare-commit" {
			return slices.Contains(r.completes, [2]int{a, told})
		}
		return slices.ContainsFunc(r.numbers(), func(f int) bool {
			return r.events[f].does == tensorFences && r.events[f].order == "release" && base.has(a, f) &&
				r.issued(f, told)
		})
	}
	if r.events[a].thread == r.events[b].thread {
		return true
	}
	return slices.ContainsFunc(r.numbers(), func(e int) bool {
		x := &r.events[e]
		before := x.does == tensorFences && x.order == "release" && base.has(a, e) || x.lands && committed(e)
		return before && fenced("acquire", e, b)
	})
}
