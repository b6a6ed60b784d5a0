package ptxtext

import (
	"maps"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/ptx/isa"
)

// pairs is a set of pairs of events: p[a][b] says that a comes before b.
type pairs [][]bool

// pairsThat collects the pairs of n events that satisfy a condition.
func pairsThat(n int, holds func(a, b int) bool) pairs {
	p := make(pairs, n)
	for a := range p {
		p[a] = make([]bool, n)
		for b := range p[a] {
			p[a][b] = holds(a, b)
		}
	}
	return p
}

// closed returns p with what follows by transitivity (Warshall's algorithm).
func (p pairs) closed() pairs {
	c := make(pairs, len(p))
	for a := range p {
		c[a] = slices.Clone(p[a])
	}
	for via := range c {
		for a := range c {
			if !c[a][via] {
				continue
			}
			for b := range c {
				c[a][b] = c[a][b] || c[via][b]
			}
		}
	}
	return c
}

// cyclic says of a closed set that something comes before itself.
func (p pairs) cyclic() bool {
	for e := range p {
		if p[e][e] {
			return true
		}
	}
	return false
}

// with returns p and one pair more.
func (p pairs) with(a, b event.ID) pairs {
	return pairsThat(len(p), func(c, d int) bool { return p[c][d] || c == a && d == b })
}

// A Reading is a candidate execution and what the text derives from it before anything
// is chosen.
type Reading struct {
	*event.Execution

	strongly     pairs // morally strong
	observation  pairs
	synchronizes pairs // release patterns with acquire patterns, and barriers
}

// Read derives from a candidate execution what does not depend on a choice.
func Read(x *event.Execution) *Reading {
	r := &Reading{Execution: x}
	r.strongly = pairsThat(x.N(), r.morallyStrong)
	r.observation = r.observed()
	r.synchronizes = r.synchronized()
	return r
}

// isA says what an event is; initial writes are writes too.
func (r *Reading) isA(kind event.Kind, e event.ID) bool { return r.Events[e].Kind == kind }

func (r *Reading) isAccess(e event.ID) bool { return r.isA(event.Read, e) || r.isA(event.Write, e) }

// sameLocation says that two operations access the same memory, by whatever addresses.
func (r *Reading) sameLocation(a, b event.ID) bool {
	return r.isAccess(a) && r.isAccess(b) && r.Loc[a] == r.Loc[b]
}

// overlap says that two operations access the same memory by the same virtual address;
// two addresses of the same memory are aliases.
func (r *Reading) overlap(a, b event.ID) bool {
	return r.sameLocation(a, b) && r.address(a) == r.address(b)
}

// address tells virtual addresses apart. A name that stands for a proxy is another way to
// the same address; any other name has an address of its own.
func (r *Reading) address(e event.ID) event.Loc {
	if r.Via == nil {
		return r.Loc[e]
	}
	name := r.Via[e]
	if alias := r.Locs[name].Alias; alias != nil && alias.Through != "" {
		return alias.Of
	}
	return name
}

// strong: a fence, or an access that is relaxed or stronger. That a volatile access is
// relaxed has been settled by whoever built the events. A proxy fence has no scope, so
// nothing depends on whether it is strong.
func (r *Reading) strong(e event.ID) bool {
	order := r.Events[e].Order
	return (r.isAccess(e) || r.isA(event.Fence, e)) && order != event.OrderNone && order != event.Weak
}

// inScope: the scope of a includes the thread that executes b. A scope is the threads of
// a CTA, of a cluster, of a GPU, or all of them.
func (r *Reading) inScope(a, b event.ID) bool {
	if r.Events[a].IsInit() || r.Events[b].IsInit() {
		return false
	}
	mine, other := r.Threads[r.Events[a].Thread].At, r.Threads[r.Events[b].Thread].At
	switch r.Events[a].Scope {
	case event.ScopeCTA:
		return mine[litmus.CTA] == other[litmus.CTA]
	case event.ScopeCluster:
		return mine[litmus.Cluster] == other[litmus.Cluster]
	case event.ScopeGPU:
		return mine[litmus.Device] == other[litmus.Device]
	case event.ScopeSys:
		return true
	}
	return false
}

// morallyStrong: two operations are morally strong if they are related in program order,
// or each is strong with a scope that includes the thread of the other; and, if both
// access memory, they do so through the same proxy and overlap completely.
func (r *Reading) morallyStrong(a, b event.ID) bool {
	inProgram := r.Po.Has(a, b) || r.Po.Has(b, a)
	bothStrong := r.strong(a) && r.strong(b) && r.inScope(a, b) && r.inScope(b, a)
	if !inProgram && !bothStrong {
		return false
	}
	if r.isAccess(a) && r.isAccess(b) {
		return ptx.ProxyOf(&r.Events[a]) == ptx.ProxyOf(&r.Events[b]) && r.overlap(a, b)
	}
	return true
}

// observed is observation order: a write comes before a read that is morally strong to it
// and returns its value; and it comes before what an atomic operation comes before, if it
// comes before that operation. Atomic operations are joined in one after the other, as in
// Warshall's algorithm.
func (r *Reading) observed() pairs {
	obs := pairsThat(r.N(), func(w, e int) bool { return r.Rf[e] == w && r.strongly[w][e] })
	for read := range r.Events {
		for write := range r.Events {
			if r.Rmw.Has(read, write) {
				obs = pairsThat(r.N(), func(w, e int) bool {
					return obs[w][e] || obs[w][read] && obs[write][e]
				})
			}
		}
	}
	return obs
}

// A pattern is a release or an acquire pattern: one of its accesses, and the operation
// that its scope and its place in causality come from. Where a pattern has two accesses,
// each counts, so it is listed once for each.
type pattern struct{ access, end event.ID }

// releases lists the release patterns: a release of a location; or one followed in
// program order by a strong write of that location; or a fence that releases, followed by
// a strong write. They start at their first operation.
func (r *Reading) releases() (found []pattern) {
	for first := range r.Events {
		release := r.isA(event.Write, first) && r.Events[first].Order == event.Release
		if release {
			found = append(found, pattern{first, first})
		}
		for w := range r.Events {
			if !r.Po.Has(first, w) || !r.isA(event.Write, w) || !r.strong(w) {
				continue
			}
			if release && r.sameLocation(first, w) || r.fence(first, event.Release) {
				found = append(found, pattern{w, first})
			}
		}
	}
	return found
}

// acquires lists the acquire patterns: an acquire of a location; or a strong read followed
// in program order by an acquire of its location; or a strong read followed by a fence
// that acquires. They end at their last operation. A red is not a read.
func (r *Reading) acquires() (found []pattern) {
	for last := range r.Events {
		acquire := r.readOperation(last) && r.Events[last].Order == event.Acquire
		if acquire {
			found = append(found, pattern{last, last})
		}
		for e := range r.Events {
			if !r.Po.Has(e, last) || !r.readOperation(e) || !r.strong(e) {
				continue
			}
			if acquire && r.sameLocation(e, last) || r.fence(last, event.Acquire) {
				found = append(found, pattern{e, last})
			}
		}
	}
	return found
}

// readOperation leaves out the read that a red makes: the text counts red among the
// atomic operations, but not among the reads.
func (r *Reading) readOperation(e event.ID) bool {
	return r.isA(event.Read, e) && ptx.Returns(&r.Events[e])
}

// fence: an operation is a fence that orders as the given one does. fence.acq_rel does
// both, and fence.sc does what fence.acq_rel does.
func (r *Reading) fence(e event.ID, order event.Order) bool {
	o := r.Events[e].Order
	return r.isA(event.Fence, e) && (o == order || o == event.AcqRel || o == event.SC)
}

// synchronized: a release pattern synchronizes with an acquire pattern if a write of the
// one comes before a read of the other in observation order, and the first operation of
// the one and the last of the other are morally strong. A barrier synchronizes with
// another as the instruction set says.
func (r *Reading) synchronized() pairs {
	barriers, _ := r.Rel("syncbar")
	sync := pairsThat(r.N(), barriers.Has)
	acquires := r.acquires()
	for _, rel := range r.releases() {
		for _, acq := range acquires {
			if r.observation[rel.access][acq.access] && r.strongly[rel.end][acq.end] {
				sync[rel.end][acq.end] = true
			}
		}
	}
	return sync
}

// A Choice is a reading with what was chosen at run time.
type Choice struct {
	*Reading

	causality pairs
	Coherence pairs
}

// Consistent lists the ways to make the choices that obey the axioms.
func (r *Reading) Consistent() (choices []*Choice) {
	if r.outOfThinAir() {
		return nil
	}
	none := pairsThat(r.N(), func(int, int) bool { return false })
	r.orient(none, r.scFence, func(fenceSC pairs) {
		base := r.baseCausality(fenceSC)
		if r.contradicts(fenceSC, base) {
			return
		}
		causality := r.causalityOf(base)
		r.orient(r.givenCoherence(causality), r.sameLocationWrites, func(coherence pairs) {
			c := &Choice{r, causality, coherence}
			if !c.breaksAtomicity() && !c.breaksSCPerLocation() && !c.breaksCausality() {
				choices = append(choices, c)
			}
		})
	})
	return choices
}

// orient completes an order: each morally strong pair of events of the given kind that
// it leaves open gets one direction or the other. It calls visit with each closed order
// without a cycle.
func (r *Reading) orient(order pairs, ofKind func(a, b event.ID) bool, visit func(pairs)) {
	order = order.closed()
	if order.cyclic() {
		return
	}
	for a := range r.Events {
		for b := range a {
			if ofKind(a, b) && r.strongly[a][b] && !order[a][b] && !order[b][a] {
				r.orient(order.with(a, b), ofKind, visit)
				r.orient(order.with(b, a), ofKind, visit)
				return
			}
		}
	}
	visit(order)
}

// scFence: the Fence-SC order relates each pair of morally strong fence.sc.
func (r *Reading) scFence(a, b event.ID) bool {
	return r.isA(event.Fence, a) && r.isA(event.Fence, b) &&
		r.Events[a].Order == event.SC && r.Events[b].Order == event.SC
}

// sameLocationWrites: coherence order relates morally strong writes of a location.
func (r *Reading) sameLocationWrites(a, b event.ID) bool {
	return r.isA(event.Write, a) && r.isA(event.Write, b) && r.sameLocation(a, b)
}

// baseCausality returns the order that program order, synchronization and the Fence-SC order make
// together.
func (r *Reading) baseCausality(fenceSC pairs) pairs {
	return pairsThat(r.N(), func(a, b int) bool {
		return r.Po.Has(a, b) || r.synchronizes[a][b] || fenceSC[a][b]
	}).closed()
}

// contradicts is the axiom Fence-SC: no fence comes before another in the Fence-SC order
// and after it in base causality order.
func (r *Reading) contradicts(fenceSC, base pairs) bool {
	for a := range r.Events {
		for b := range r.Events {
			if fenceSC[a][b] && base[b][a] {
				return true
			}
		}
	}
	return false
}

// causalityOf is causality order: one operation comes before another in base causality
// order as proxies preserve it; or it comes in observation order before one that does.
func (r *Reading) causalityOf(base pairs) pairs {
	preserved := pairsThat(r.N(), func(a, b int) bool { return base[a][b] && r.preserves(base, a, b) })
	return pairsThat(r.N(), func(a, b int) bool {
		for z := range r.Events {
			if r.observation[a][z] && preserved[z][b] {
				return true
			}
		}
		return preserved[a][b]
	})
}

// preserves reports whether base causality orders two accesses of a location as proxies preserve
// it: accesses of one address, through the generic proxy or through one proxy by one CTA; or
// accesses that proxy fences link (Mixed-Proxy Extensions, ISCA 2022). What keeps the access a
// apart from generic accesses ends at a place behind it, and what keeps b apart begins at a place
// in front of it. Accesses of two addresses need an alias fence between the two places.
func (r *Reading) preserves(base pairs, a, b event.ID) bool {
	if !r.sameLocation(a, b) {
		return false
	}
	p, q := ptx.ProxyOf(&r.Events[a]), ptx.ProxyOf(&r.Events[b])
	if r.overlap(a, b) && p == q && r.sameCTA(a, b) {
		return true
	}
	aliasFences := r.proxyFences(isa.ProxyAlias)
	for _, from := range r.gates(a, func(f event.ID) bool { return base[a][f] }) {
		for _, to := range r.gates(b, func(f event.ID) bool { return base[f][b] }) {
			between := func(f event.ID) bool { return base[from][f] && base[f][to] }
			if r.overlap(a, b) && base[from][to] || slices.ContainsFunc(aliasFences, between) {
				return true
			}
		}
	}
	return false
}

// gates returns where other proxies meet an access: at a generic access itself; at proxy fences of
// the proxy of any other access, in its CTA and on the side of it that a condition selects.
func (r *Reading) gates(access event.ID, beside func(event.ID) bool) []event.ID {
	proxy := ptx.ProxyOf(&r.Events[access])
	if proxy == isa.ProxyGeneric {
		return []event.ID{access}
	}
	return slices.DeleteFunc(r.proxyFences(proxy), func(f event.ID) bool { return !beside(f) || !r.sameCTA(f, access) })
}

// proxyFences returns the proxy fences of a kind.
func (r *Reading) proxyFences(kind isa.Proxy) (found []event.ID) {
	for f := range r.Events {
		if r.isA(event.Fence, f) && r.Events[f].Order == event.OrderNone && ptx.ProxyOf(&r.Events[f]) == kind {
			found = append(found, f)
		}
	}
	return found
}

// sameCTA is for the events of threads, not for initial writes.
func (r *Reading) sameCTA(a, b event.ID) bool {
	return r.Threads[r.Events[a].Thread].At[litmus.CTA] == r.Threads[r.Events[b].Thread].At[litmus.CTA]
}

// givenCoherence returns what every coherence order holds: the initial write of a location before
// the others, and, by the axiom Coherence, what causality order says of two writes.
func (r *Reading) givenCoherence(causality pairs) pairs {
	return pairsThat(r.N(), func(a, b int) bool {
		if !r.sameLocationWrites(a, b) {
			return false
		}
		return causality[a][b] || r.Events[a].IsInit() && !r.Events[b].IsInit()
	})
}

// fromReads: a read returns the value of a write that another write overwrites.
func (c *Choice) fromReads(read, over event.ID) bool {
	return c.Rf[read] >= 0 && c.Coherence[c.Rf[read]][over]
}

// communicates is communication order: from a write to a read that returns its value, and
// on to the writes that come after it in coherence order, from the one as from the other.
func (c *Choice) communicates(a, b event.ID) bool {
	return c.Rf[b] == a || c.Coherence[a][b] || c.fromReads(a, b)
}

// breaksAtomicity: an atomic operation may not read a write that comes before another, in
// coherence order, and itself come after that other, if the two are morally strong.
func (c *Choice) breaksAtomicity() bool {
	for read := range c.Events {
		for write := range c.Events {
			if !c.Rmw.Has(read, write) {
				continue
			}
			for between := range c.Events {
				if c.fromReads(read, between) && c.strongly[read][between] &&
					c.Coherence[between][write] && c.strongly[between][write] {
					return true
				}
			}
		}
	}
	return false
}

// outOfThinAir: a value may not justify itself through reads-from and dependencies. That
// what an atomic operation writes depends on what it reads goes for each of them.
func (r *Reading) outOfThinAir() bool {
	return pairsThat(r.N(), func(a, b int) bool {
		return r.Rf[b] == a || r.Addr.Has(a, b) || r.Data.Has(a, b) || r.Ctrl.Has(a, b) || r.Rmw.Has(a, b)
	}).closed().cyclic()
}

// breaksSCPerLocation: among overlapping morally strong accesses, communication order may
// not contradict program order.
func (c *Choice) breaksSCPerLocation() bool {
	return pairsThat(c.N(), func(a, b int) bool {
		inProgram := c.isAccess(a) && c.isAccess(b) && c.Po.Has(a, b)
		return c.strongly[a][b] && (inProgram || c.communicates(a, b))
	}).closed().cyclic()
}

// breaksCausality: a read may not return a write that it comes before in causality order,
// nor one that is overwritten by a write that comes before the read in causality order.
func (c *Choice) breaksCausality() bool {
	for a := range c.Events {
		for b := range c.Events {
			if c.causality[b][a] && (c.Rf[b] == a || c.fromReads(a, b)) {
				return true
			}
		}
	}
	return false
}

// Races: two accesses of one location, one of them a write, that are neither morally
// strong nor related by causality order. Initial writes race with nothing.
func (c *Choice) Races() bool {
	for a := range c.Events {
		for b := range a {
			conflict := c.sameLocation(a, b) && (c.isA(event.Write, a) || c.isA(event.Write, b)) &&
				!c.Events[a].IsInit() && !c.Events[b].IsInit()
			if conflict && !c.strongly[a][b] && !c.causality[a][b] && !c.causality[b][a] {
				return true
			}
		}
	}
	return false
}

// hangs: a thread that spins for ever keeps reading values that nothing overwrites. One
// that waits for ever at a barrier has nothing to read.
func (c *Choice) hangs() bool {
	for _, read := range c.Spin {
		if slices.Contains(c.Coherence[c.Rf[read]], true) {
			return false
		}
	}
	return true
}

// memories returns what the locations may hold at the end: each what any of those writes wrote that
// no other comes after in coherence order.
func (c *Choice) memories() []map[event.Loc]event.Value {
	all := []map[event.Loc]event.Value{{}}
	for l, location := range c.Locs {
		if location.Alias != nil {
			continue
		}
		var longer []map[event.Loc]event.Value
		for w := range c.Events {
			if !c.isA(event.Write, w) || c.Loc[w] != l || slices.Contains(c.Coherence[w], true) {
				continue
			}
			for _, memory := range all {
				memory = maps.Clone(memory)
				memory[l] = c.Val[w]
				longer = append(longer, memory)
			}
		}
		all = longer
	}
	return all
}
