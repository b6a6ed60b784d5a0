package interp

import (
	"slices"

	"github.com/muster-gpu/muster/ptx/isa"
)

// weak is a hierarchy of memory with queues and caches, as one imagines them in a GPU:
//
//   - Most stores wait in a queue of their thread, then, if they go to global memory, in one of its CTA. Stores
//     to different places pass each other. A load sees the queues of its thread and of its CTA.
//   - If a test is on several GPUs, stores wait in a third queue, that of their GPU, which its CTAs see and others do not (gpus.go).
//   - Each CTA has a cache, which weak loads are served from and which nobody tells what other CTAs write.
//     A strong load, or one with .cg or .cv, passes by and drops the line.
//   - A load may be late: it is made when its register is needed.
//
// A release of CTA scope empties the queue of the thread, one of a wider scope that of its CTA too, and one of system scope that of
// its GPU; an
// acquire of a wider scope than a CTA empties the cache; barriers do for a CTA what fences of its scope do.
// So there is store buffering, message passing, load buffering, independent reads and the rest, and
// all of it is allowed by the model of PTX, which a test asserts.
//
// Queues move on as time passes. The more is written, the longer they are: stress makes a difference, and
// so does where instances lie, because a cache line holds several.
type weak struct {
	*grid
	ctas []*cta
	gpu  *gpu
}

// cta is what the threads of a CTA share.
type cta struct {
	stores queue
	cache  [cacheLines]cacheLine
}

// private is what a thread has for itself.
type private struct {
	stores queue
	late   []lateLoad // in program order
}

const (
	cacheLines = 64
	lineBytes  = 32
	// longest is how many stores wait in a queue, at most.
	longest = 16
	// lateOnce is how many loads there are for one that is late.
	lateOnce = 4
	// acrossOnce is how much later a store comes to other GPUs than from a thread or a CTA of its GPU to the next.
	acrossOnce = 16
	// soonOnce is how many stores there are for one that waits in no queue.
	soonOnce = 4
)

type cacheLine struct {
	valid   bool
	address uint64
	bytes   [lineBytes]byte
}

// pending is a store that waits.
type pending struct {
	place
	value uint64
}

type queue []pending

// take removes a store: that at a place of the queue, or the first that must come before it.
func (q *queue) take(i int) pending {
	for j := 0; j < i; j++ {
		if (*q)[j].overlaps((*q)[i].place) {
			i, j = j, -1
		}
	}
	s := (*q)[i]
	*q = slices.Delete(*q, i, i+1)
	return s
}

// at is the number of the first store that waits and touches a place, or -1.
func (q queue) at(p place) int {
	return slices.IndexFunc(q, func(s pending) bool { return s.overlaps(p) })
}

// last is what was stored to just that place last.
func (q queue) last(p place) (v uint64, ok bool) {
	for _, s := range slices.Backward(q) {
		if s.place == p {
			return s.value, true
		}
	}
	return 0, false
}

// lateLoad is a load that is still to be made.
type lateLoad struct {
	place
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

// load is made at once, or later. One that acquires is made at once.
func (w *weak) load(t *thread, in *instr, p place) error {
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

// look is a load that is made at once, past the cache.
func (w *weak) look(t *thread, p place) uint64 {
	w.settlePlace(t, p, false)
	return w.read(t, p, false)
}

// read is what a thread sees at a place: its own store, one of its CTA, what the cache has, what memory has.
func (w *weak) read(t *thread, p place, cached bool) uint64 {
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
		copy(line.bytes[:], w.seen(place{address: first, bytes: lineBytes}))
	}
	return load(line.bytes[p.address-first:][:p.bytes])
}

// store waits in the queue of the thread. One that releases comes after all that was before.
func (w *weak) store(t *thread, op *isa.Opcode, p place, v uint64) {
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

// update is made at once where its scope says: in the CTA, or in memory.
func (w *weak) update(t *thread, op *isa.Opcode, p place, write func(uint64) (uint64, error)) (old uint64, err error) {
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

// release is what comes before an access, if it releases.
func (w *weak) release(t *thread, op *isa.Opcode) {
	if op.Order == isa.Release || op.Order == isa.AcqRel {
		w.drain(t, reachOf(op))
	}
}

// acquire is what comes after an access, if it acquires.
func (w *weak) acquire(t *thread, op *isa.Opcode) {
	if (op.Order == isa.Acquire || op.Order == isa.AcqRel) && reachOf(op) > inCTA {
		w.ctas[t.cta].cache = [cacheLines]cacheLine{}
	}
}

// fence ends what is late, and forgets what may be old.
func (w *weak) fence(t *thread, far reach) {
	w.drain(t, far)
	if far > inCTA {
		w.ctas[t.cta].cache = [cacheLines]cacheLine{}
	}
}

// drain makes what the thread has done so far known as far as that.
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

// drainPlace moves what the thread has stored to a place to where its CTA sees it.
func (w *weak) drainPlace(t *thread, p place) {
	for i := t.stores.at(p); i >= 0; i = t.stores.at(p) {
		w.moveToCTA(t, i)
	}
}

// drainCTAPlace moves what the CTA has stored to a place to where its GPU sees it.
func (w *weak) drainCTAPlace(cta int, p place) {
	q := &w.ctas[cta].stores
	for i := q.at(p); i >= 0; i = q.at(p) {
		w.moveToGPU(cta, i)
	}
}

// moveToCTA lets a store of a thread go on to where its CTA sees it.
func (w *weak) moveToCTA(t *thread, i int) {
	s := t.stores.take(i)
	if s.shared {
		store(w.bytes(s.place), s.value)
		return
	}
	c := w.ctas[t.cta]
	c.stores = append(c.stores, s)
	if len(c.stores) > longest {
		w.moveToGPU(t.cta, 0)
	}
}

// moveToGPU lets a store of a CTA go on to where its GPU sees it. Its own cache is told.
func (w *weak) moveToGPU(cta, i int) {
	s := w.ctas[cta].stores.take(i)
	w.put(s)
	w.forget(cta, s.place)
}

// forget drops the cache line of a place.
func (w *weak) forget(cta int, p place) {
	first := p.address / lineBytes * lineBytes
	if line := &w.ctas[cta].cache[first/lineBytes%cacheLines]; line.address == first {
		line.valid = false
	}
}

// makeLate makes a late load.
func (w *weak) makeLate(t *thread, i int) {
	l := t.late[i]
	t.late = slices.Delete(t.late, i, i+1)
	_ = t.set(l.in, w.read(t, l.place, l.cached)) // its destination was checked when it was issued
}

// settlePlace makes the late loads of a thread that touch a place, before it accesses that place again. A
// load by way of the cache may come before another of those (ASPLOS 2015, Sec. 3.1.1, coRR).
func (w *weak) settlePlace(t *thread, p place, cached bool) {
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

// tick lets something go on at random.
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

// end lets all go on that still waits: the next kernel sees it.
func (w *weak) end() {
	for _, t := range w.threads {
		t.late = nil // nobody has the registers any more
		w.drain(t, everywhere)
	}
}
