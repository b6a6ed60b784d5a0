package ptxtext

import (
	"maps"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/ptx/isa"
)

// pairs is a relation on events: p[a][b] is true if a comes before b.
type pairs [][]bool

// pairsThat returns the pairs of n events that satisfy a condition.
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

// closed returns the transitive closure of p (Warshall's algorithm).
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

// cyclic reports whether a transitively closed relation has a cycle.
func (p pairs) cyclic() bool {
	for e := range p {
		if p[e][e] {
			return true
		}
	}
	return false
}

// with returns p with an additional pair.
func (p pairs) with(a, b event.ID) pairs {
	return pairsThat(len(p), func(c, d int) bool { return p[c][d] || c == a && d == b })
}

// Reading is a candidate execution and what follows from it before any choice.
type Reading struct {
	*event.Execution

	strongly     pairs // morally strong
	observation  pairs
	synchronizes pairs // release patterns with acquire patterns, and barriers
}

// Read derives from a candidate execution what does not depend on choices.
func Read(x *event.Execution) *Reading {
	r := &Reading{Execution: x}
	r.strongly = pairsThat(x.N(), r.morallyStrong)
	r.observation = r.observed()
	r.synchronizes = r.synchronized()
	return r
}

// isA reports whether an event is of a kind; initial writes are writes.
func (r *Reading) isA(kind event.Kind, e event.ID) bool { return r.Events[e].Kind == kind }

func (r *Reading) isAccess(e event.ID) bool { return r.isA(event.Read, e) || r.isA(event.Write, e) }

// sameLocation reports whether two operations access the same memory, by any addresses.
func (r *Reading) sameLocation(a, b event.ID) bool {
	return r.isAccess(a) && r.isAccess(b) && r.Loc[a] == r.Loc[b]
}

// overlap reports whether two operations access the same memory by the same virtual address; two
// addresses of the same memory are aliases.
func (r *Reading) overlap(a, b event.ID) bool {
	return r.sameLocation(a, b) && r.address(a) == r.address(b)
}

// address identifies virtual addresses. A name that stands for a proxy is another way to the same
// address; any other name has its own address.
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

// strong reports whether an event is a fence, or an access that is relaxed or stronger. The front
// end has made volatile accesses relaxed. A proxy fence has no scope, so it does not matter whether
// it is strong.
func (r *Reading) strong(e event.ID) bool {
	order := r.Events[e].Order
	return (r.isAccess(e) || r.isA(event.Fence, e)) && order != event.OrderNone && order != event.Weak
}

// inScope reports whether the scope of a includes the thread that executes b. A scope is the
// threads of a CTA, of a cluster, of a GPU, or all threads.
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

// morallyStrong reports whether two operations are morally strong: they are related in program
// order, or each is strong with a scope that includes the thread of the other; and, if both access
// memory, they do so through the same proxy and overlap completely.
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

// observed returns observation order: a write comes before a morally strong read that returns its
// value, and before the reads of an atomic's write if it comes before the atomic. Atomics are added
// one after the other, as in Warshall's algorithm.
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

// pattern is a release or an acquire pattern: one of its accesses, and the operation that gives its
// scope and its position in causality. A pattern with two accesses is listed once for each.
type pattern struct{ access, end event.ID }

// releases lists the release patterns: a release to a location; or one followed in program order by
// a strong write to that location; or a release fence followed by a strong write. They start at
// their first operation.
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

// acquires lists the acquire patterns: an acquire of a location; or a strong read followed in
// program order by an acquire of its location; or a strong read followed by an acquire fence. They
// end at their last operation. A red is not a read.
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

// readOperation reports whether an event is a read other than that of a red: the text counts red
// among the atomic operations, but not among the reads.
func (r *Reading) readOperation(e event.ID) bool {
	return r.isA(event.Read, e) && ptx.Returns(&r.Events[e])
}

// fence reports whether an operation is a fence with at least the given order. fence.acq_rel has
// both orders, and fence.sc those of fence.acq_rel.
func (r *Reading) fence(e event.ID, order event.Order) bool {
	o := r.Events[e].Order
	return r.isA(event.Fence, e) && (o == order || o == event.AcqRel || o == event.SC)
}

// synchronized returns the pairs that synchronize: a release pattern synchronizes with an acquire
// pattern if a write of the former comes before a read of the latter in observation order, and the
// first operation of the former and the last of the latter are morally strong. Barriers synchronize
// as the instruction set defines.
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

// Choice is a reading with the choices made at run time.
type Choice struct {
	*Reading

	causality pairs
	Coherence pairs
}

// Consistent lists the choices that satisfy the axioms.
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

// orient completes an order: each morally strong pair of events of the given kind that it leaves
// open gets one direction or the other. It calls visit with each closed acyclic order.
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

// scFence reports whether the Fence-SC order relates a morally strong pair, of two fence.sc.
func (r *Reading) scFence(a, b event.ID) bool {
	return r.isA(event.Fence, a) && r.isA(event.Fence, b) &&
		r.Events[a].Order == event.SC && r.Events[b].Order == event.SC
}

// sameLocationWrites reports whether coherence order relates a morally strong pair, of writes to
// one location.
func (r *Reading) sameLocationWrites(a, b event.ID) bool {
	return r.isA(event.Write, a) && r.isA(event.Write, b) && r.sameLocation(a, b)
}

// baseCausality returns the transitive closure of program order, synchronization and the Fence-SC
// order.
func (r *Reading) baseCausality(fenceSC pairs) pairs {
	return pairsThat(r.N(), func(a, b int) bool {
		return r.Po.Has(a, b) || r.synchronizes[a][b] || fenceSC[a][b]
	}).closed()
}

// contradicts reports whether the axiom Fence-SC is violated: a fence comes before another in the
// Fence-SC order and after it in base causality order.
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

// causalityOf returns causality order: proxy-preserved base causality order, optionally preceded by
// a step of observation order.
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

// preserves reports whether base causality orders two accesses to a location through their proxies:
// accesses by one address, through the generic proxy or through one proxy in one CTA; or accesses
// that proxy fences link (Mixed-Proxy Extensions, ISCA 2022). A proxy fence behind a makes it
// visible to generic accesses, and one in front of b makes generic accesses visible to it. Accesses
// by two addresses need an alias fence between these.
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

// gates returns the events at which other proxies meet an access: the access itself if it is
// generic; otherwise fences of its proxy, in its CTA and on the side that a condition selects.
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

// sameCTA reports whether two events of threads (not initial writes) are in one CTA.
func (r *Reading) sameCTA(a, b event.ID) bool {
	return r.Threads[r.Events[a].Thread].At[litmus.CTA] == r.Threads[r.Events[b].Thread].At[litmus.CTA]
}

// givenCoherence returns the pairs of every coherence order: the initial write of a location before
// the others, and, by the axiom Coherence, causality order between writes.
func (r *Reading) givenCoherence(causality pairs) pairs {
	return pairsThat(r.N(), func(a, b int) bool {
		if !r.sameLocationWrites(a, b) {
			return false
		}
		return causality[a][b] || r.Events[a].IsInit() && !r.Events[b].IsInit()
	})
}

// fromReads reports whether a read returns the value of a write that another write overwrites.
func (c *Choice) fromReads(read, over event.ID) bool {
	return c.Rf[read] >= 0 && c.Coherence[c.Rf[read]][over]
}

// communicates reports communication order: from a write to a read that returns its value, and from
// either to the writes later in coherence order.
func (c *Choice) communicates(a, b event.ID) bool {
	return c.Rf[b] == a || c.Coherence[a][b] || c.fromReads(a, b)
}

// breaksAtomicity reports whether another morally strong write is between the read and the write of
// an atomic operation.
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

// outOfThinAir reports whether a value justifies itself through reads-from and dependencies. The
// value that an atomic writes always depends on the value that it reads.
func (r *Reading) outOfThinAir() bool {
	return pairsThat(r.N(), func(a, b int) bool {
		return r.Rf[b] == a || r.Addr.Has(a, b) || r.Data.Has(a, b) || r.Ctrl.Has(a, b) || r.Rmw.Has(a, b)
	}).closed().cyclic()
}

// breaksSCPerLocation reports whether, among overlapping morally strong accesses, communication
// order contradicts program order.
func (c *Choice) breaksSCPerLocation() bool {
	return pairsThat(c.N(), func(a, b int) bool {
		inProgram := c.isAccess(a) && c.isAccess(b) && c.Po.Has(a, b)
		return c.strongly[a][b] && (inProgram || c.communicates(a, b))
	}).closed().cyclic()
}

// breaksCausality reports whether a read returns a write that it precedes in causality order, or
// one that is overwritten by a write that precedes the read in causality order.
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

// Races reports whether there are two accesses to one location, one of them a write, that are
// neither morally strong nor related by causality order. Initial writes race with nothing.
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

// hangs reports whether a thread may spin forever: it keeps reading values that are never
// overwritten. A thread that waits at a barrier forever reads nothing.
func (c *Choice) hangs() bool {
	for _, read := range c.Spin {
		if slices.Contains(c.Coherence[c.Rf[read]], true) {
			return false
		}
	}
	return true
}

// memories returns the possible final contents of memory: for each location, the value of any write
// that is last in coherence order.
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
