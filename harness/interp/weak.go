package interp

import (
	"slices"

	"github.com/muster-gpu/muster/ptx/isa"
)

// weak is a memory hierarchy with queues and caches that resembles that of a GPU:
//
//   - Most stores wait in a queue of their thread, then, if they go to global memory, in one of
//     its CTA. Stores to different places pass each other. A load sees the queues of its thread
//     and of its CTA.
//   - If a test is on several GPUs, stores wait in a third queue, that of their GPU, which its
//     CTAs see and others do not (gpus.go).
//   - Each CTA has a cache, which serves weak loads and is not updated by writes of other CTAs.
//     A strong load, or one with .cg or .cv, bypasses it and drops the line.
//   - A load may be late: it is made when its register is needed.
//
// A release of CTA scope empties the queue of the thread, one of a wider scope also that of its
// CTA, and one of system scope also that of its GPU; an acquire of a wider scope than a CTA empties
// the cache; barriers have the effect, for a CTA, of fences of its scope. So there is store
// buffering, message passing, load buffering, independent reads and the rest; a test asserts that
// the model of PTX allows all of it.
//
// Queues advance as time passes. The more is written, the longer they are: stress makes a
// difference, and so does the placement of instances, because a cache line holds several.
type weak struct {
	*grid
	ctas []*cta
	gpu  *gpu
}

// cta is the state that the threads of a CTA share.
type cta struct {
	stores queue
	cache  [cacheLines]cacheLine
}

// private is the state of a thread.
type private struct {
	stores queue
	late   []lateLoad // in program order
}

const (
	cacheLines = 64
	lineBytes  = 32
	// longest bounds the stores that wait in a queue.
	longest = 16
	// lateOnce: one in this many loads is late.
	lateOnce = 4
	// acrossOnce: in one of this many steps, a store of a GPU becomes visible to the others.
	acrossOnce = 16
	// soonOnce: one in this many stores does not wait in a queue.
	soonOnce = 4
)

type cacheLine struct {
	valid   bool
	address uint64
	bytes   [lineBytes]byte
}

// pending is a store that waits.
type pending struct {
	memoryPlace
	value uint64
}

type queue []pending

// take removes the store at an index of the queue, or the first one that must come before it.
func (q *queue) take(i int) pending {
	for j := 0; j < i; j++ {
		if (*q)[j].overlaps((*q)[i].memoryPlace) {
			i, j = j, -1
		}
	}
	s := (*q)[i]
	*q = slices.Delete(*q, i, i+1)
	return s
}

// at returns the index of the first waiting store that overlaps a place, or -1.
func (q queue) at(p memoryPlace) int {
	return slices.IndexFunc(q, func(s pending) bool { return s.overlaps(p) })
}

// last returns the latest value stored to exactly this place.
func (q queue) last(p memoryPlace) (v uint64, ok bool) {
	for _, s := range slices.Backward(q) {
		if s.memoryPlace == p {
			return s.value, true
		}
	}
	return 0, false
}

// lateLoad is a load that is still to be made.
type lateLoad struct {
	memoryPlace
	in     *instr
	cached bool
}

func newWeak(g *grid) *weak {
	w := &weak{grid: g, gpu: &gpu{alone: true}}
	for range g.launch.Grid {
		w.ctas = append(w.ctas, &cta{})
	}
	return w
}

// load makes a load at once, or later. An acquire is made at once.
func (w *weak) load(t *thread, in *instr, p memoryPlace) error {
	dst := in.operands[0].register
	w.settle(t, dst)
	cached := in.op.Order <= isa.Weak && !in.op.Volatile && in.op.Cache != "cg" && in.op.Cache != "cv"
	w.settlePlace(t, p, cached)
	if dst >= 0 && in.op.Order < isa.Acquire && w.random.IntN(lateOnce) == 0 {
		t.late = append(t.late, lateLoad{p, in, cached})
		return nil
	}
	err := t.set(in, w.read(t, p, cached))
	w.acquire(t, in.op)
	return err
}

// look makes a load at once, bypassing the cache.
func (w *weak) look(t *thread, p memoryPlace) uint64 {
	w.settlePlace(t, p, false)
	return w.read(t, p, false)
}

// read returns what a thread sees at a place: its own store, one of its CTA, the cache, or memory.
func (w *weak) read(t *thread, p memoryPlace, cached bool) uint64 {
	c := w.ctas[t.cta]
	if v, ok := t.stores.last(p); ok {
		return v
	}
	w.drainPlace(t, p) // of another width
	if p.shared {
		return load(w.bytes(p))
	}
	if v, ok := c.stores.last(p); ok {
		return v
	}
	w.drainCTAPlace(t.cta, p)
	if !cached {
		w.forget(t.cta, p)
		return load(w.seen(p))
	}
	first := p.address / lineBytes * lineBytes
	line := &c.cache[first/lineBytes%cacheLines]
	if !line.valid || line.address != first {
		*line = cacheLine{valid: true, address: first}
		copy(line.bytes[:], w.seen(memoryPlace{address: first, bytes: lineBytes}))
	}
	return load(line.bytes[p.address-first:][:p.bytes])
}

// store puts a store into the queue of the thread. A release comes after all earlier accesses.
func (w *weak) store(t *thread, op *isa.Opcode, p memoryPlace, v uint64) {
	w.settlePlace(t, p, false)
	w.release(t, op)
	t.stores = append(t.stores, pending{p, v})
	switch {
	case w.random.IntN(soonOnce) == 0:
		w.drainPlace(t, p)
		w.drainCTAPlace(t.cta, p)
	case len(t.stores) > longest:
		w.moveToCTA(t, 0)
	}
}

// update makes an atomic at once, at the level of its scope: in the CTA, or in memory.
func (w *weak) update(
	t *thread, op *isa.Opcode, p memoryPlace, write func(uint64) (uint64, error),
) (old uint64, err error) {
	w.settlePlace(t, p, false)
	w.release(t, op)
	w.drainPlace(t, p)
	defer w.acquire(t, op)
	if p.shared {
		return update(w.bytes(p), write)
	}
	if c := w.ctas[t.cta]; reachOf(op) == inCTA {
		old = w.read(t, p, false)
		v, err := write(old)
		c.stores = append(c.stores, pending{p, v})
		return old, err
	}
	w.drainCTAPlace(t.cta, p)
	w.forget(t.cta, p)
	return w.updateBeyond(p, reachOf(op), write)
}

// release makes the orderings before an access that releases.
func (w *weak) release(t *thread, op *isa.Opcode) {
	if op.Order == isa.Release || op.Order == isa.AcqRel {
		w.drain(t, reachOf(op))
	}
}

// acquire makes the orderings after an access that acquires.
func (w *weak) acquire(t *thread, op *isa.Opcode) {
	if (op.Order == isa.Acquire || op.Order == isa.AcqRel) && reachOf(op) > inCTA {
		w.ctas[t.cta].cache = [cacheLines]cacheLine{}
	}
}

// fence completes what is late, and drops what may be stale.
func (w *weak) fence(t *thread, far reach) {
	w.drain(t, far)
	if far > inCTA {
		w.ctas[t.cta].cache = [cacheLines]cacheLine{}
	}
}

// drain makes the accesses of the thread so far visible within the given reach.
func (w *weak) drain(t *thread, far reach) {
	for len(t.late) > 0 {
		w.makeLate(t, 0)
	}
	for len(t.stores) > 0 {
		w.moveToCTA(t, 0)
	}
	if far > inCTA {
		w.drainCTA(t.cta)
	}
	if far == everywhere {
		w.drainGPU()
	}
}

func (w *weak) drainCTA(cta int) {
	for len(w.ctas[cta].stores) > 0 {
		w.moveToGPU(cta, 0)
	}
}

// drainPlace makes the thread's stores to a place visible to its CTA.
func (w *weak) drainPlace(t *thread, p memoryPlace) {
	for i := t.stores.at(p); i >= 0; i = t.stores.at(p) {
		w.moveToCTA(t, i)
	}
}

// drainCTAPlace makes the CTA's stores to a place visible to its GPU.
func (w *weak) drainCTAPlace(cta int, p memoryPlace) {
	q := &w.ctas[cta].stores
	for i := q.at(p); i >= 0; i = q.at(p) {
		w.moveToGPU(cta, i)
	}
}

// moveToCTA makes a store of a thread visible to its CTA.
func (w *weak) moveToCTA(t *thread, i int) {
	s := t.stores.take(i)
	if s.shared {
		store(w.bytes(s.memoryPlace), s.value)
		return
	}
	c := w.ctas[t.cta]
	c.stores = append(c.stores, s)
	if len(c.stores) > longest {
		w.moveToGPU(t.cta, 0)
	}
}

// moveToGPU makes a store of a CTA visible to its GPU, and drops the line from the CTA's cache.
func (w *weak) moveToGPU(cta, i int) {
	s := w.ctas[cta].stores.take(i)
	w.put(s)
	w.forget(cta, s.memoryPlace)
}

// forget drops the cache line of a place.
func (w *weak) forget(cta int, p memoryPlace) {
	first := p.address / lineBytes * lineBytes
	if line := &w.ctas[cta].cache[first/lineBytes%cacheLines]; line.address == first {
		line.valid = false
	}
}

// makeLate makes a late load.
func (w *weak) makeLate(t *thread, i int) {
	l := t.late[i]
	t.late = slices.Delete(t.late, i, i+1)
	_ = t.set(l.in, w.read(t, l.memoryPlace, l.cached)) // its destination was checked when it was issued
}

// settlePlace makes the late loads of a thread that overlap a place, before the thread accesses it
// again. A load through the cache may come before an earlier one of those (ASPLOS 2015, Sec. 3.1.1,
// coRR).
func (w *weak) settlePlace(t *thread, p memoryPlace, cached bool) {
	for i := 0; i < len(t.late); {
		if l := t.late[i]; l.overlaps(p) && !(cached && l.cached) {
			w.makeLate(t, i)
		} else {
			i++
		}
	}
}

// settle makes the late load of a register.
func (w *weak) settle(t *thread, register int) {
	for i, l := range t.late {
		if l.in.operands[0].register == register {
			w.makeLate(t, i)
			return
		}
	}
}

// tick advances something at random.
func (w *weak) tick() {
	t := w.threads[w.random.IntN(len(w.threads))]
	if n := len(t.late); n > 0 {
		w.makeLate(t, w.random.IntN(n))
	}
	if n := len(t.stores); n > 0 {
		w.moveToCTA(t, w.random.IntN(n))
	}
	if q := w.ctas[t.cta].stores; len(q) > 0 {
		w.moveToGPU(t.cta, w.random.IntN(len(q)))
	}
	if q := w.gpu.stores; len(q) > 0 && w.random.IntN(acrossOnce) == 0 {
		w.moveToMemory(w.random.IntN(len(q)))
	}
}

// end completes everything that still waits: the next kernel sees it.
func (w *weak) end() {
	for _, t := range w.threads {
		t.late = nil // the registers are not needed any more
		w.drain(t, everywhere)
	}
}
