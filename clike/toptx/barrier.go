package toptx

import (
	"fmt"

	"github.com/muster-gpu/muster/clike"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend/barrier"
	"github.com/muster-gpu/muster/litmus"
)

// A cuda::barrier is 64 bits of memory: the expected arrivals, the arrivals so far, and the phase
// in the highest bit. The counts end at 2³¹, so that the last arrival of a phase carries into the
// phase bit; that thread then resets the count (libcu++, cuda/std/barrier, of any scope and in any
// memory; on sm_80 a barrier of a block in shared memory is an mbarrier instead, with the same
// orders).
const (
	arrived   = int64(1) << 32
	expected  = arrived - 1
	phase     = int64(-1) << 63
	countFrom = int64(1) << 31
)

// barrierState returns the initial contents of a barrier for count arrivals.
func barrierState(count int) int64 {
	open := countFrom - int64(count)
	return open<<32 | open
}

// barriers gives the barriers of the test their initial state. A barrier without a count waits for
// the threads that arrive at it.
func (tr *translation) barriers() {
	counts := map[string]int{}
	for _, t := range tr.Code {
		here := map[string]bool{}
		for _, in := range t.Code {
			if m, ok := in.(*clike.Meet); ok && m.Object && m.Arrives && !here[m.Room.Name] {
				here[m.Room.Name] = true
				counts[m.Room.Name]++
			}
		}
	}
	for _, l := range tr.test.Locations {
		n, ok := counts[l.Name.Text]
		if !ok {
			continue
		}
		if l.Init.Int > 0 {
			n = int(l.Init.Int)
		}
		l.Init = litmus.Value{Int: barrierState(n)}
	}
}

// arriveOrWait is arrive, wait, and arrive_and_wait of a cuda::barrier.
func (c *column) arriveOrWait(in *clike.Meet) {
	scope, known := scopes[in.Scope]
	if !known {
		c.refuse(c.at, "a barrier of one thread", "leave it out")
		return
	}
	b := in.Room.Name
	if in.Arrives {
		c.arrive(b, scope)
	}
	token := c.tokens[b]
	switch {
	case in.Waits && token == "":
		c.refuse(c.at, "wait for an arrival of another thread", "call arrive first, and wait for what it returns")
	case in.Waits:
		c.wait(b, scope, token)
	}
}

// arrive counts the thread, and saves the phase that it is to wait for.
func (c *column) arrive(b, scope string) {
	old, sum, carry, more, over := c.scratch(), c.scratch(), c.predicate(), c.scratch(), c.nextLabel()
	if c.tokens[b] == "" {
		c.tokens[b] = c.scratch()
	}
	c.row("atom.acq_rel.%s.add.u64 %s, %s, %d", scope, old, b, arrived)
	c.row("and.b64 %s, %s, %d", c.tokens[b], old, phase)
	c.row("add.u64 %s, %s, %d", sum, old, arrived)
	c.row("and.b64 %s, %s, %d", sum, sum, phase)
	c.row("setp.eq.b64 %s, %s, %s", carry, sum, c.tokens[b])
	c.row("@%s bra %s", carry, over)
	c.row("and.b64 %s, %s, %d", more, old, expected)
	c.row("shl.b64 %s, %s, 32", more, more)
	c.row("atom.relaxed.%s.add.u64 %s, %s, %s", scope, more, b, more)
	c.row("%s:", over)
}

// wait reads the barrier until its phase differs from that of the token.
func (c *column) wait(b, scope, token string) {
	now, same, again := c.scratch(), c.predicate(), c.nextLabel()
	c.row("%s:", again)
	c.row("ld.acquire.%s.u64 %s, %s", scope, now, b)
	c.row("and.b64 %s, %s, %d", now, now, phase)
	c.row("setp.eq.b64 %s, %s, %s", same, now, token)
	c.row("@%s bra %s", same, again)
}

// nextLabel returns a label that no jump of the code leads to.
func (c *column) nextLabel() string {
	c.extra++
	return fmt.Sprintf("B%d", c.extra-1)
}

// meet is a barrier. Those of a block are all barrier 0.
func (c *column) meet(in *clike.Meet) {
	switch {
	case in.Object:
		c.arriveOrWait(in)
	case in.Room.Name != "":
		c.refuse(c.at, in.Name+" with a label", "leave the label out")
	case in.Room.Unit == event.ScopeThread:
		c.row("bar.warp.sync %s", wholeWarp)
	case in.Room.Unit == event.ScopeCluster:
		c.row("barrier.cluster.arrive")
		c.row("barrier.cluster.wait")
	case in.Room.Unit == event.ScopeGPU:
		c.refuse(c.at, "the barrier of a grid", "PTX has none: count the threads with atomicAdd, and wait in a loop")
	case in.Vote == nil:
		c.row("bar.sync 0")
	default:
		c.reduce(in)
	}
}

// wholeWarp is the mask of all lanes.
const wholeWarp = "0xffffffff"

// reductions are the barriers that reduce (PTX ISA, "bar.red"), and whether the result is a
// predicate.
var reductions = map[barrier.Reduction]struct {
	opcode    string
	predicate bool
}{
	barrier.CountVotes: {"bar.red.popc.u32", false}, barrier.AllVote: {"bar.red.and.pred", true}, barrier.AnyVotes: {"bar.red.or.pred", true},
}

func (c *column) reduce(in *clike.Meet) {
	red, vote := reductions[in.Room.Reduces], c.condition(in.Vote, false)
	if !red.predicate {
		c.row("%s %s, 0, %s", red.opcode, c.name(in.Dst), vote)
		return
	}
	p := c.predicate()
	c.row("%s %s, 0, %s", red.opcode, p, vote)
	c.row("selp %s, 1, 0, %s", c.name(in.Dst), p)
}
