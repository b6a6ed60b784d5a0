package harness

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/ptx/isa"
)

// isBarrier reports a barrier of a CTA.
func isBarrier(in *ptx.Instr) bool {
	return in.Op.Class() == isa.ClassBarrier && !in.Op.Warp && in.Scope() != event.ScopeCluster
}

// isClusterBarrier reports one of a cluster: an arrival, or the wait that follows.
func isClusterBarrier(in *ptx.Instr) bool {
	return in.Op.Class() == isa.ClassBarrier && in.Scope() == event.ScopeCluster
}

// hall is a CTA of the test whose threads come to barriers. A CTA of the launch plays each of them, for other
// instances, so each tile of instances has barriers of its own for each of them.
type hall struct {
	at    offset // its cluster and CTA
	names []string
	users []int // how many roles come to each
}

// comes is a role at a barrier, by the number of its name in the hall.
type comes struct {
	barrier int
	arrives bool // and goes on
	reduces bool
}

// visitor is a role that comes to barriers, in that order.
type visitor struct {
	name  string
	comes []comes
}

// hallOf is the number of the CTA of a role among those with barriers; -1 if nobody there comes to any.
func (p *Plan) hallOf(r role) int {
	return slices.IndexFunc(p.halls, func(h hall) bool {
		return h.at == offset{cluster: r.offset.cluster, cta: r.offset.cta}
	})
}

// barriers is how many each tile of instances has.
func (p *Plan) barriers() (n int) {
	for _, h := range p.halls {
		n += len(h.names)
	}
	return n
}

// meets reports that threads wait for each other in the code of the test.
func (p *Plan) meets() bool { return len(p.halls) > 0 || p.clusterBarriers > 0 }

// findBarriers lists the barriers, and refuses those at which a kernel might wait for ever: all threads for which one
// waits must come to it, equally often, and never one to another while that comes to the first. Who goes on after arriving must not come again, before the others have come.
func (p *Plan) findBarriers() error {
	visits := map[int][]visitor{} // by hall
	for _, r := range p.roles {
		all, err := p.visits(r)
		if err != nil {
			return err
		}
		if len(all) > 0 {
			h := p.hallOf(r)
			visits[h] = append(visits[h], visitor{p.name(r), all})
		}
	}
	for h := range p.halls {
		if err := p.checkHall(&p.halls[h], visits[h]); err != nil {
			return err
		}
	}
	return p.findClusterBarriers()
}

// visits are the barriers that a role comes to, in order.
func (p *Plan) visits(r role) (all []comes, err error) {
	for pc, in := range p.Program.Code(r.thread) {
		if !isBarrier(in) {
			continue
		}
		if p.mayMiss(r, pc) {
			return nil, p.unable("a branch of %s may skip its barrier, and the others would wait for ever", p.name(r))
		}
		b, err := p.barrierNumber(r, in)
		if err != nil {
			return nil, err
		}
		all = append(all, comes{b, in.Op.Meeting == isa.Arrive, in.Op.Meeting == isa.Reduce})
	}
	return all, nil
}

// mayMiss reports that a role may come to an instruction not just once: a branch leads past it or back to it, or the role may end before.
func (p *Plan) mayMiss(r role, at int) bool {
	for pc, in := range p.Program.Code(r.thread) {
		switch {
		case in.Ends() && pc < at:
			return true
		case in.Target != nil && (pc < at && at < in.TargetPC || in.TargetPC <= at && at < pc):
			return true
		}
	}
	return false
}

// comesToBarrier reports that code comes to a barrier.
func comesToBarrier(code []*ptx.Instr) bool {
	return slices.ContainsFunc(code, func(in *ptx.Instr) bool { return isBarrier(in) || isClusterBarrier(in) })
}

// branches reports that the lanes of a warp may part in a role.
func (p *Plan) branches(r role) bool {
	return slices.ContainsFunc(p.Program.Code(r.thread), func(in *ptx.Instr) bool { return in.Target != nil })
}

func (p *Plan) name(r role) string { return p.Test.Threads[r.thread].Name.Text }

// barrierNumber is the number in its hall of the barrier that an instruction names. The first to name one brings it there.
func (p *Plan) barrierNumber(r role, in *ptx.Instr) (int, error) {
	of := in.BarrierOperands()
	var parts []string
	for _, o := range []*ptx.Operand{of.Instance, of.Name, of.Count} {
		text := "-"
		if o != nil {
			n, ok := p.constant(r, *o)
			if !ok {
				return 0, p.unable("%s of %s: nobody knows what %s is before it runs", in.At.Text(), p.name(r), o.Text)
			}
			text = fmt.Sprint(n)
		}
		parts = append(parts, text)
	}
	name := fmt.Sprint(parts) // threads that count differently do not meet
	h := p.hallOf(r)
	if h < 0 {
		h = len(p.halls)
		p.halls = append(p.halls, hall{at: offset{cluster: r.offset.cluster, cta: r.offset.cta}})
	}
	i := slices.Index(p.halls[h].names, name)
	if i < 0 {
		i = len(p.halls[h].names)
		p.halls[h].names = append(p.halls[h].names, name)
		p.halls[h].users = append(p.halls[h].users, 0)
	}
	if of.Count != nil {
		count, _ := p.constant(r, *of.Count)
		if n := p.users(r, in); int(count) != n*of.Unit {
			return 0,
				p.unable("%s of %s waits for %d threads, and %d come", in.At.Text(), p.name(r), int(count)/of.Unit, n)
		}
	}
	return i, nil
}

// users is how many roles of the CTA of a role come to the barrier that an instruction of it names.
func (p *Plan) users(r role, in *ptx.Instr) (n int) {
	same := func(a, b *ptx.Operand, other role) bool {
		if a == nil || b == nil {
			return a == b
		}
		x, _ := p.constant(r, *a)
		y, known := p.constant(other, *b)
		return known && x == y
	}
	of := in.BarrierOperands()
	for _, other := range p.roles {
		if other.offset.cluster != r.offset.cluster || other.offset.cta != r.offset.cta {
			continue
		}
		if slices.ContainsFunc(p.Program.Code(other.thread), func(in *ptx.Instr) bool {
			o := in.BarrierOperands()
			return isBarrier(in) && same(of.Instance, o.Instance, other) && same(of.Name, o.Name, other) &&
				same(of.Count, o.Count, other)
		}) {
			n++
		}
	}
	return n
}

// constant is what an operand holds whenever the role comes to it.
func (p *Plan) constant(r role, o ptx.Operand) (n int64, ok bool) {
	if o.Kind != ptx.Register {
		return o.Int, o.Kind == ptx.Immediate
	}
	v, ok := p.Program.Initial(r.thread)[o.Text]
	if n, ok = v.Int, ok && !v.IsAddress(); !ok {
		n, ok = 0, true
	}
	for _, in := range p.Program.Code(r.thread) {
		if in.Dst == nil || in.Dst.Text != o.Text {
			continue
		}
		if in.Op.Code != isa.Mov || in.Guard != nil || in.Srcs[0].Kind != ptx.Immediate {
			return 0, false
		}
		n = in.Srcs[0].Int
	}
	return n, ok
}

// checkHall finds out whether all who come to the barriers of a CTA go on.
func (p *Plan) checkHall(h *hall, visitors []visitor) error {
	for b := range h.names {
		often := -1
		var reduces []bool // each time that threads meet at the barrier
		for _, visitor := range visitors {
			n, arrives, mixed := 0, false, false
			for _, v := range visitor.comes {
				if v.barrier != b {
					continue
				}
				if n == len(reduces) {
					reduces = append(reduces, v.reduces)
				}
				mixed = mixed || reduces[n] != v.reduces
				n, arrives = n+1, arrives || v.arrives
			}
			switch {
			case n == 0:
				continue
			case mixed: // PTX ISA, "barrier"; an H200 ends such a kernel as an illegal instruction
				return p.unable(
					"some threads come to a barrier to reduce and others do not, and what they " +
						"do then is unpredictable")
			case arrives && n > 1:
				return p.unable("%s comes to its barrier again after it has arrived there and gone on", visitor.name)
			case often >= 0 && often != n:
				return p.unable("its threads come to a barrier different numbers of times, and one would wait for ever")
			}
			often = n
			h.users[b]++
		}
	}
	if !h.ends(visitors) {
		return p.unable("its threads wait for each other at different barriers, for ever")
	}
	return nil
}

// ends lets the roles of a hall come to its barriers, and reports that all go on.
func (h *hall) ends(visitors []visitor) bool {
	at, come := make([]int, len(visitors)), make([]int, len(h.names))
	waits := make([]bool, len(visitors))
	for moved := true; moved; {
		moved = false
		for r, visitor := range visitors {
			if waits[r] || at[r] == len(visitor.comes) {
				continue
			}
			moved = true
			v := visitor.comes[at[r]]
			come[v.barrier]++
			waits[r] = !v.arrives
			if v.arrives {
				at[r]++
			}
			if come[v.barrier] < h.users[v.barrier] {
				continue
			}
			come[v.barrier] = 0
			for other := range visitors {
				if waits[other] && visitors[other].comes[at[other]].barrier == v.barrier {
					waits[other] = false
					at[other]++
				}
			}
		}
	}
	return !slices.Contains(waits, true)
}

// findClusterBarriers counts how often a role comes to the barrier of its cluster, at most. All threads of a cluster
// of the launch come equally often: those whose role comes less often do when it has ended, as threads that have ended are
// waited for no more (PTX ISA, "barrier.cluster").
func (p *Plan) findClusterBarriers() error {
	for i := range p.roles {
		r := &p.roles[i]
		for pc, in := range p.Program.Code(r.thread) {
			if !isClusterBarrier(in) {
				continue
			}
			if p.mayMiss(*r, pc) {
				return p.unable(
					"a branch of %s may skip the barrier of its cluster, and the others would wait for ever",
					p.name(*r))
			}
			if r.arrived == (in.Op.Meeting == isa.Arrive) {
				return p.unable("%s of %s: arrivals at the barrier of a cluster and waits take turns",
					in.At.Text(), p.name(*r))
			}
			if r.arrived = !r.arrived; r.arrived {
				r.clusterBarriers++
			}
		}
		p.clusterBarriers = max(p.clusterBarriers, r.clusterBarriers)
	}
	if p.clusterBarriers > 0 && len(p.kernels) > 1 {
		return p.unable("its threads are in several kernels, and come to the barriers of clusters")
	}
	return nil
}

// barrier is one of the roles that play the same instances: they are whole warps, and each
// tile of instances has a barrier of its own. A reduction is of what nobody asks for.
func (c *coder) barrier(in *ptx.Instr, _ string) {
	if isClusterBarrier(in) {
		c.clusterBarrier(in)
		return
	}
	role := c.roles[c.role]
	b, _ := c.barrierNumber(role, in)
	threads := WarpSize * c.halls[c.hallOf(role)].users[b]
	opcode := "bar"
	if c.branches(role) { // whose lanes come one by one
		opcode = "barrier"
	}
	switch in.Op.Meeting {
	case isa.Arrive:
		c.line("%s.arrive %s, %d", opcode, barrierRegister(b), threads)
	case isa.Reduce:
		c.line("%s.red.popc.u32 %s, %s, %d, %%p_absent", opcode, c.temp(32), barrierRegister(b), threads)
	default:
		c.line("%s.sync %s, %d", opcode, barrierRegister(b), threads)
	}
}

// barrierRegister is the register with the number of a barrier.
func barrierRegister(b int) string {
	if b == 0 {
		return "%r_barrier"
	}
	return fmt.Sprintf("%%r_barrier%d", b)
}

// findBarrierNumbers gives the tile of a role its barriers; number 0 is of the harness.
func (p *Plan) findBarrierNumbers(a *assembler, r role) {
	h := p.hallOf(r)
	if h < 0 {
		return
	}
	first := 1
	for _, before := range p.halls[:h] {
		first += len(before.names)
	}
	a.line("mad.lo.u32 %%r_barrier, %%r_i_warp, %d, %d", p.barriers(), first)
	for b := 1; b < len(p.halls[h].names); b++ {
		a.line("add.u32 %s, %%r_barrier, %d", barrierRegister(b), b)
	}
}

// clusterBarrier is that of all threads of a cluster: who plays other instances comes there in the same round.
func (c *coder) clusterBarrier(in *ptx.Instr) {
	order := map[isa.Meeting]string{isa.Arrive: "release", isa.Wait: "acquire"}[in.Op.Meeting]
	if in.Order() == event.Relaxed {
		order = "relaxed"
	}
	c.line("barrier.cluster.%s.%s%s", in.Op.Meeting, order, c.aligned(c.roles[c.role]))
}

// aligned is the suffix by which the lanes of a warp come to a barrier as one; roles with branches have not that.
func (p *Plan) aligned(r role) string {
	if p.branches(r) {
		return ""
	}
	return ".aligned"
}

// leaveCluster waits for an arrival of the role, and comes to the barrier of the cluster as often as the role has not.
func (p *Plan) leaveCluster(a *assembler, r role) {
	aligned := p.aligned(r)
	if r.arrived {
		a.line("barrier.cluster.wait.acquire%s", aligned)
	}
	for range p.clusterBarriers - r.clusterBarriers {
		a.line("barrier.cluster.arrive.relaxed%s", aligned)
		a.line("barrier.cluster.wait.acquire%s", aligned)
	}
}
