package asynctext

import (
	"math/bits"
	"slices"
	"strings"
)

// This file states the rules of PTX for asynchronous operations, mbarriers and proxies in plain Go
// (PTX ISA 9, "Memory Consistency Model", and the pages of cp.async, cp.async.bulk and mbarrier).
// It shares no code with the engines, not even events, and enumerates all choices.

// arrows is a relation on events: bit b of arrows[a] is set if a comes before b.
type arrows []uint64

func (r arrows) has(a, b int) bool { return r[a]>>b&1 != 0 }

func (r arrows) add(a, b int) { r[a] |= 1 << b }

// through returns r with the pairs that follow by transitivity through the selected events.
func (r arrows) through(selects func(via int) bool) arrows {
	c := slices.Clone(r)
	for via := range c {
		if !selects(via) {
			continue
		}
		for a := range c {
			if c.has(a, via) {
				c[a] |= c[via]
			}
		}
	}
	return c
}

func (r arrows) closed() arrows { return r.through(func(int) bool { return true }) }

// cyclic reports whether a transitively closed relation has a cycle.
func (r arrows) cyclic() bool {
	for e := range r {
		if r.has(e, e) {
			return true
		}
	}
	return false
}

func (u *unfolding) none() arrows { return make(arrows, len(u.events)) }

// that returns the relation of a condition, including pairs of an event and itself.
func (u *unfolding) that(holds func(a, b int) bool) arrows {
	r := u.none()
	for a := range u.events {
		for b := range u.events {
			if holds(a, b) {
				r.add(a, b)
			}
		}
	}
	return r
}

// Kinds of events.

func (e *instance) strong() bool { return e.order != "" && e.order != "weak" }

func (e *instance) isWrite() bool {
	return e.does == initializes || e.does == writes || e.does == updates
}

func (u *unfolding) sameLocation(a, b int) bool {
	return u.events[a].location != "" && u.events[a].location == u.events[b].location
}

func (u *unfolding) sameCTA(a, b int) bool { return u.events[a].cta == u.events[b].cta }

// inProgram reports program order, which asynchronous operations are not in.
func (u *unfolding) inProgram(a, b int) bool {
	x, y := &u.events[a], &u.events[b]
	return a < b && x.thread >= 0 && x.thread == y.thread && !x.asynchronous && !y.asynchronous
}

// issued reports whether an asynchronous operation comes after an event of its thread before the
// instruction; a product of matrices comes only after events before the latest fence.
func (u *unfolding) issued(a, b int) bool {
	x, y := &u.events[a], &u.events[b]
	return a < b && x.thread >= 0 && x.thread == y.thread && !x.asynchronous && y.asynchronous &&
		(y.after == 0 || a < y.after || x.does == crosses)
}

// inScope reports whether the scope of a includes the thread of b. All CTAs of a program are on one
// GPU.
func (u *unfolding) inScope(a, b int) bool {
	scope := u.events[a].scope
	return scope == "gpu" || scope == "cluster" && u.program.Cluster || u.sameCTA(a, b)
}

func (u *unfolding) morallyStrong(a, b int) bool {
	x, y := &u.events[a], &u.events[b]
	both := x.strong() && y.strong() && u.inScope(a, b) && u.inScope(b, a)
	if a == b || !both && !u.inProgram(a, b) && !u.inProgram(b, a) {
		return false
	}
	return x.location == "" || y.location == "" || x.location == y.location && x.asyncProxy == y.asyncProxy
}

// given returns the orders that do not depend on reads: program order, barriers of CTAs, and
// completion. Each thread that waits at a barrier comes after everything that the others did
// before.
func (u *unfolding) given() arrows {
	given := u.that(func(a, b int) bool {
		x, y := &u.events[a], &u.events[b]
		met := a != b && x.does == meets && y.does == meets && x.number == y.number && !x.hangs && !y.hangs
		return met && (x.number == wholeCluster || u.sameCTA(a, b)) || u.inProgram(a, b)
	})
	for _, pair := range u.completes {
		given.add(pair[0], pair[1])
	}
	return given
}

// causally returns base causality. Events before the issue of an asynchronous operation are not
// ordered before events after its completion, unless its thread waits for it.
func (u *unfolding) causally(core arrows) arrows {
	core = core.closed()
	return u.that(func(a, b int) bool {
		if core.has(a, b) || u.events[b].source == a {
			return true
		}
		for e := range u.events {
			if u.issued(e, b) && (a == e || core.has(a, e)) {
				return true
			}
		}
		return false
	})
}

// reading is an unfolding with a reads-from relation.
type reading struct {
	*unfolding
	from   []int   // source of each read
	chains [][]int // updates of each mbarrier in order
	phases []phase // states of mbarriers after updates and at tests

	strongly, observes, causes arrows
	base                       arrows
	baseOfMaps, baseOfTensors  arrows // with the fences for tensor maps, and for tensor memory
	known                      arrows // base causality of accesses to one location
	undefined                  bool
}

// ofMbarrier reports whether both events are atomic operations on the same mbarrier, whatever their
// scopes.
func (u *unfolding) ofMbarrier(a, b int) bool {
	opaque := func(e *instance) bool { return (e.does == updates || e.does == tests) && e.strong() }
	x, y := &u.events[a], &u.events[b]
	literally := u.program.Variant == "scoped-arrivals" && !x.lands && !y.lands
	return u.sameLocation(a, b) && opaque(x) && opaque(y) && !literally
}

// before reports base causality between two accesses.
func (r *reading) before(a, b int) bool {
	return r.base.has(a, b) || r.events[b].mapProxy && r.baseOfMaps.has(a, b) ||
		isTensorMemory(r.events[a].location) && r.baseOfTensors.has(a, b)
}

// found returns the result of a test.
func (r *reading) found(test int) bool { return r.phases[test].over(r.events[test].parity) }

// acquires reports whether a read is an acquire: a test is one if it returns true.
func (r *reading) acquires(e int) bool {
	return r.events[e].order == "acquire" && (r.events[e].does == reads || r.events[e].does == tests && r.found(e))
}

// releasePatterns returns pairs of a strong write and the event whose past it publishes, with
// fences of some kinds.
func (r *reading) releasePatterns(kinds []doing) (found [][2]int) {
	for end := range r.events {
		x := &r.events[end]
		if x.order == "release" && x.isWrite() {
			found = append(found, [2]int{end, end})
		}
		fence := slices.Contains(kinds, x.does) && (x.order == "release" || x.order == "acq_rel")
		for w := range r.events {
			later := r.inProgram(end, w) && r.events[w].isWrite() && r.events[w].strong()
			if later && (fence || x.isWrite() && x.order == "release" && r.sameLocation(end, w)) {
				found = append(found, [2]int{w, end})
			}
		}
	}
	return found
}

// acquirePatterns returns pairs of a strong read and the event after which its observations take
// effect. An arrival returns nothing here, so its read is part of no pattern.
func (r *reading) acquirePatterns(kinds []doing) (found [][2]int) {
	for end := range r.events {
		if r.acquires(end) {
			found = append(found, [2]int{end, end})
		}
		x := &r.events[end]
		fence := slices.Contains(kinds, x.does) && (x.order == "acquire" || x.order == "acq_rel")
		for e := range r.events {
			y := &r.events[e]
			before := r.inProgram(e, end) && (y.does == reads || y.does == tests) && y.strong()
			if before && (fence || r.acquires(end) && r.sameLocation(e, end)) {
				found = append(found, [2]int{e, end})
			}
		}
	}
	return found
}

// synchronize derives the orders that follow from the reads of flags and mbarriers.
func (r *reading) synchronize() {
	r.observes = r.none()
	for e, w := range r.from {
		if w >= 0 && (r.strongly.has(w, e) || r.ofMbarrier(w, e)) {
			r.observes.add(w, e)
		}
	}
	r.observes = r.observes.through(func(via int) bool { return r.events[via].does == updates })
	r.base, r.baseOfMaps, r.baseOfTensors = r.causallyBy(fences), nil, nil
	if r.program.tensorCopies() > 0 {
		r.baseOfMaps = r.causallyBy(fences, mapFences)
	}
	if r.program.UsesTensorMemory() {
		r.baseOfTensors = r.causallyBy(fences, tensorFences)
	}
	// Events before an asynchronous operation are not ordered before its results, except at the
	// locations that it accesses.
	operation := func(e int) bool { return r.events[e].asynchronous }
	r.known = r.that(func(a, b int) bool { return r.sameLocation(a, b) && r.before(a, b) }).through(operation)
	preserved := r.that(func(a, b int) bool {
		return r.sameLocation(a, b) && r.before(a, b) && r.proxiesAgree(a, b)
	}).through(operation)
	r.causes = r.that(func(a, b int) bool {
		for z := range r.events {
			if r.observes.has(a, z) && preserved.has(z, b) {
				return true
			}
		}
		return preserved.has(a, b)
	})
}

// causallyBy returns base causality with synchronization by accesses, or by fences of some kinds.
func (r *reading) causallyBy(kinds ...doing) arrows {
	core := r.given()
	if slices.Contains(kinds, tensorFences) {
		for _, pair := range r.tensorCompletes {
			core.add(pair[0], pair[1])
		}
	}
	acquire := r.acquirePatterns(kinds)
	for _, rel := range r.releasePatterns(kinds) {
		for _, acq := range acquire {
			if r.observes.has(rel[0], acq[0]) && r.strongly.has(rel[1], acq[1]) {
				core.add(rel[1], acq[1])
			}
		}
	}
	if r.program.Variant == "relaxed-wait" {
		r.foundComplete(core)
	}
	return r.causally(core)
}

// foundComplete orders a test that finds a phase complete after the operations that completed it,
// in one variant.
func (r *reading) foundComplete(core arrows) {
	for told := range r.events {
		for e := range r.events {
			if r.events[told].lands && r.observes.has(told, e) {
				core.add(told, e)
			}
		}
	}
}

// proxiesAgree reports whether proxies preserve base causality between two accesses to one
// location: both are through the generic proxy, or both through the async proxy in one CTA; or
// fences are after the first and in front of the second, where it is not generic. An access through
// another proxy is followed by a fence once it is complete.
func (r *reading) proxiesAgree(a, b int) bool {
	switch x, y := &r.events[a], &r.events[b]; {
	case isTensorMemory(x.location):
		return x.does == initializes || r.tensorsAgree(a, b)
	case r.program.Variant == "war" && x.does == reads && !x.asyncProxy && y.isWrite() && y.asyncProxy,
		x.asyncProxy && y.asyncProxy && r.sameIssuer(a, b),
		(x.asyncProxy || x.mapProxy) && r.endFences(a, b):
		return true
	case x.mapProxy:
		return false
	case x.asyncProxy:
		return slices.ContainsFunc(r.fencesBehind(a), func(f int) bool { return r.base.has(f, b) && r.enters(f, b) })
	}
	return r.enters(a, b)
}

// enters reports whether an access that comes after an event also comes after it through its own
// proxy.
func (r *reading) enters(from, access int) bool {
	switch x := &r.events[access]; {
	case x.mapProxy:
		return r.mapFenced(from, access)
	case x.asyncProxy:
		return slices.ContainsFunc(r.fencesFor(access), func(f int) bool {
			return r.base.has(from, f) && r.base.has(f, access)
		})
	}
	return true
}

// fencesBehind returns the proxy fences after an access.
func (r *reading) fencesBehind(access int) []int {
	return slices.DeleteFunc(r.fencesFor(access), func(f int) bool { return !r.base.has(access, f) })
}

// fencesFor returns the proxy fences that apply to an access: to its memory, and in the CTA that
// issues it, or in any CTA in one variant.
func (r *reading) fencesFor(access int) []int {
	return slices.DeleteFunc(r.numbers(), func(f int) bool {
		return r.events[f].does != crosses || !r.fits(f, r.events[access].location) || !r.counts(f, access)
	})
}

// counts reports whether the position of a fence counts for an access.
func (r *reading) counts(fence, access int) bool {
	return r.program.Variant == "remote-fence" || r.sameIssuer(fence, access)
}

// sameIssuer reports whether threads of one CTA issued two events.
func (r *reading) sameIssuer(a, b int) bool {
	x, y := &r.events[a], &r.events[b]
	return x.thread >= 0 && y.thread >= 0 && r.program.CTAs[x.thread] == r.program.CTAs[y.thread]
}

// endFences reports whether the completion of an operation is a fence between its accesses and a
// later access. In one variant the completion of the reads alone is no fence, and in another a
// completion on an mbarrier is a fence only if the path passes through the issuing CTA.
func (r *reading) endFences(a, b int) bool {
	reading := r.program.Variant
	if reading != "bare-read" && reading != "local-fence" {
		return true
	}
	return slices.ContainsFunc(r.completes, func(pair [2]int) bool {
		told := pair[1]
		switch {
		case pair[0] != a, reading == "bare-read" && r.endsReads(a, told):
			return false
		case reading == "local-fence" && r.events[told].lands:
			return slices.ContainsFunc(r.numbers(), func(e int) bool {
				return r.sameIssuer(e, a) && r.base.has(told, e) && (e == b || r.base.has(e, b))
			})
		}
		return r.base.has(told, b)
	})
}

// endsReads reports whether only the reads of a writing operation are awaited.
func (r *reading) endsReads(a, told int) bool {
	x, some := &r.events[a], false
	for e := range r.events {
		w := &r.events[e]
		if w.thread == x.thread && w.at == x.at && w.asyncProxy && w.does == writes {
			if slices.Contains(r.completes, [2]int{e, told}) {
				return false
			}
			some = true
		}
	}
	return x.does == reads && some
}

// fits reports whether a proxy fence is for a location. A fence for the shared memory of the CTA is
// for that of its own CTA.
func (r *reading) fits(fence int, location string) bool {
	switch e := &r.events[fence]; e.space {
	case ".global", ".shared::cluster":
		return strings.HasPrefix(e.space, "."+spaceOf(location))
	case ".shared::cta":
		return spaceOf(location) == "shared" && r.program.home(location) == e.cta
	}
	return true
}

// outOfThinAir reports whether a read value depends on itself: by copies, or because a thread
// continued after a test.
func (r *reading) outOfThinAir() bool {
	return r.that(func(a, b int) bool {
		x, y := &r.events[a], &r.events[b]
		return r.from[b] == a || y.source == a || y.isWrite() && slices.Contains(y.of, a) ||
			x.spins && x.thread == y.thread && a < b
	}).closed().cyclic()
}

// coherent enumerates the coherence orders that satisfy the axioms. It enumerates none if
// causality orders a write before itself.
func (r *reading) coherent(visit func(co arrows)) {
	co := r.that(func(a, b int) bool {
		x, y := &r.events[a], &r.events[b]
		return r.sameLocation(a, b) && x.isWrite() && y.isWrite() &&
			(x.does == initializes && a != b || r.causes.has(a, b))
	})
	for _, chain := range r.chains {
		for i := 1; i < len(chain); i++ {
			co.add(chain[i-1], chain[i])
		}
	}
	r.orient(co, func(co arrows) {
		if r.consistent(co) {
			visit(co)
		}
	})
}

// orient enumerates orders of morally strong writes.
func (r *reading) orient(co arrows, visit func(arrows)) {
	co = co.closed()
	if co.cyclic() {
		return
	}
	for a := range r.events {
		for b := range a {
			if r.events[a].isWrite() && r.events[b].isWrite() && r.sameLocation(a, b) && r.strongly.has(a, b) &&
				!co.has(a, b) && !co.has(b, a) {
				for _, pair := range [][2]int{{a, b}, {b, a}} {
					more := slices.Clone(co)
					more.add(pair[0], pair[1])
					r.orient(more, visit)
				}
				return
			}
		}
	}
	visit(co)
}

// consistent reports whether communication contradicts neither causality nor, among morally strong
// events, program order.
func (r *reading) consistent(co arrows) bool {
	communicates := r.that(func(a, b int) bool {
		return r.from[b] == a || co.has(a, b) || r.overwrites(co, b, a)
	})
	for a := range r.events {
		for b := range r.events {
			if communicates.has(a, b) && r.causes.has(b, a) {
				return false
			}
		}
	}
	return !r.that(func(a, b int) bool {
		return r.strongly.has(a, b) && (communicates.has(a, b) || r.sameLocation(a, b) && r.inProgram(a, b))
	}).closed().cyclic()
}

// overwrites reports whether a write comes after the source of a read.
func (r *reading) overwrites(co arrows, write, read int) bool {
	return r.from[read] >= 0 && co.has(r.from[read], write)
}

// races reports whether there is a race, and whether there is one with an asynchronous operation,
// which is neither before its issue nor after its completion.
func (r *reading) races() (some, withAsync bool) {
	for a := range r.events {
		for b := range a {
			x, y := &r.events[a], &r.events[b]
			conflict := r.sameLocation(a, b) && (x.isWrite() || y.isWrite()) && x.does != initializes &&
				y.does != initializes
			if !conflict || r.strongly.has(a, b) || r.ofMbarrier(a, b) || r.causes.has(a, b) || r.causes.has(b, a) {
				continue
			}
			some = true
			withAsync = withAsync || (x.asynchronous || y.asynchronous) && !r.known.has(a, b) && !r.known.has(b, a)
		}
	}
	return some, withAsync
}

// value returns the value that an event reads or writes.
func (r *reading) value(e int) int {
	switch x := &r.events[e]; {
	case x.does == tests:
		return map[bool]int{true: 1}[r.found(e)]
	case x.of != nil:
		sum := r.value(r.from[x.of[0]]) * r.value(r.from[x.of[1]])
		for _, added := range x.of[2:] {
			sum += r.value(r.from[added])
		}
		return sum
	case x.does == reads:
		return r.value(r.from[e])
	case x.source >= 0:
		return r.value(x.source)
	default:
		return x.value
	}
}

// last reports whether no write comes after a write.
func last(co arrows, e int) bool { return bits.OnesCount64(co[e]) == 0 }
