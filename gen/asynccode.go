package gen

import (
	"slices"
	"strconv"

	"github.com/muster-gpu/muster/litmus"
)

// The code of asynchronous operations, of waits for them, and of mbarriers.

// begin writes the code before a thread's first access: it initialises mbarriers, waits for those
// of the CTA or the cluster, and receives what is handed over to the thread.
func (c *column) begin() {
	for _, b := range c.barriers {
		if b.owner != c.thread && !slices.Contains(b.also, c.thread) {
			continue
		}
		c.row("mbarrier.init.b64 [%s],1", b.name)
		if b.bytes > 0 {
			c.row("mbarrier.arrive.expect_tx.b64 _,[%s],%d", b.name, b.bytes)
		}
	}
	switch {
	case c.meetsAt(SameCluster, func(b *mbarrier) bool { return b.far }):
		c.row("fence.mbarrier_init.release.cluster")
		c.row("barrier.cluster.arrive.relaxed")
		c.row("barrier.cluster.wait")
	case c.meetsAt(SameCTA, func(b *mbarrier) bool { return b.owner != b.other }):
		c.row("bar.sync %d", firstBarrier)
	}
	first := c.threads[c.thread][0]
	before := (first + len(c.Edges) - 1) % len(c.Edges)
	if e := c.Edges[before]; e.Kind == Handover {
		c.do(e.taken(), before, false)
	}
}

// meetsAt reports whether this thread and others within a level use an mbarrier of some kind
// together.
func (c *column) meetsAt(near Level, kind func(*mbarrier) bool) bool {
	return slices.ContainsFunc(c.barriers, func(b *mbarrier) bool {
		return kind(b) && c.place[c.thread][b.owner] <= near
	})
}

// firstBarrier is the barrier at which threads meet after initialising mbarriers. Handovers use the
// barriers from 1 up, in the order of the cycle; the edge Bar.sync uses 0.
const firstBarrier = 15

// do writes steps of the edge after an event, those of its first thread (gives) or of the second.
func (c *column) do(steps []string, e int, gives bool) {
	for i, step := range steps {
		switch step {
		case stepWait:
			c.await(e, slices.Contains(steps[i:], stepRead))
		case stepProxy:
			c.row("fence.proxy.async")
		case stepSync:
			number := 0
			for _, edge := range c.Edges[:e+1] {
				number += boolIndex(edge.Kind == Handover && edge.hasStep(stepSync))
			}
			c.row("bar.sync %d", number)
		case stepMbar:
			if gives {
				c.arrive(e, slices.Contains(steps[:i], stepWait))
			} else {
				c.spin(c.arrivals[e])
			}
		}
	}
}

// await waits for the operation of an event.
func (c *column) await(e int, reads bool) {
	o := c.nodes[e].access.async
	if o.groups == "" {
		c.spin(c.told[e])
		return
	}
	c.row("%s.commit_group%s", o.groups, o.aligned)
	c.row("%s.wait_group%s%s 0", o.groups, o.aligned, map[bool]string{true: ".read"}[reads])
}

// arrive writes the arrival at the mbarrier after an event. Operations that were not waited for
// arrive by themselves.
func (c *column) arrive(e int, waited bool) {
	b, o := c.arrivals[e], c.nodes[e].access.async
	switch {
	case b == c.told[e]:
	case o != nil && !waited:
		c.row("%s.mbarrier.arrive.noinc.b64 [%s]", o.groups, b.name)
	case b.far:
		c.row("mbarrier.arrive.release.cluster.shared::cluster.b64 _,[%s]", b.name)
	default:
		c.row("mbarrier.arrive.b64 _,[%s]", b.name)
	}
}

// spin writes a loop that waits for the first phase of an mbarrier to complete.
func (c *column) spin(b *mbarrier) {
	scope := map[bool]string{true: ".acquire.cluster"}[b.far]
	p, label := "p"+strconv.Itoa(c.predicates), "WAIT"+strconv.Itoa(c.predicates)
	c.predicates++
	c.row("%s: mbarrier.try_wait.parity%s.b64 %s,[%s],0", label, scope, p, b.name)
	c.row("@!%s bra %s", p, label)
}

// issue writes the operation of an event, which moves a value between locations.
func (c *column) issue(e int) {
	n, o, bar := c.nodes[e], c.nodes[e].access.async, ""
	to, from, last := c.nameOf(n.loc), "", e
	for c.Edges[last].Kind == Copy {
		last++
	}
	switch spare, alone := c.spare[e]; {
	case last > e && n.reads:
		to, from = c.nameOf(c.nodes[last].loc), to
	case o.literal:
		from = c.stored(n)
	case o.product:
		c.row("wgmma.fence.sync.aligned")
		c.row(o.instr, c.read(e), to, locationName(spare))
		return
	case alone && n.reads && !o.adds:
		to, from = locationName(spare), to
		if n.seen {
			c.held = append(c.held, litmus.Held{Thread: -1, Name: to, Value: int64(c.valueRead(n))})
		}
	default:
		from = locationName(spare)
	}
	if b := c.told[last]; b != nil {
		bar = b.name
	}
	if o.several {
		c.row(o.instr, to, from, bar, c.mask(last))
		return
	}
	c.row(o.instr, to, from, bar)
}
