package harness

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/ptx/isa"
)

// isBarrier reports whether an instruction is a barrier of a CTA.
func isBarrier(in *ptx.Instr) bool {
	return in.Op.Class() == isa.ClassBarrier && !in.Op.Warp && in.Scope() != event.ScopeCluster
}

// isClusterBarrier reports whether an instruction is a barrier of a cluster: an arrival, or the
// wait that follows.
func isClusterBarrier(in *ptx.Instr) bool {
	return in.Op.Class() == isa.ClassBarrier && in.Scope() == event.ScopeCluster
}

// barrierCTA is a CTA of the test whose threads use barriers. A CTA of the launch plays each of
// them, for different instances, so each tile of instances has barriers of its own for each of
// them.
type barrierCTA struct {
	at    offset // its cluster and CTA
	names []string
	users []int // by name: the number of roles that use the barrier
}

// barrierUse is the use of a barrier by a role, with the number of the barrier's name in its CTA.
type barrierUse struct {
	barrier int
	arrives bool // without waiting
	reduces bool
}

// barrierUser is a role with the barriers that it uses, in order.
type barrierUser struct {
	name string
	uses []barrierUse
}

// barrierCTAOf returns the index of a role's CTA among those with barriers, or -1.
func (p *Plan) barrierCTAOf(r role) int {
	return slices.IndexFunc(p.barrierCTAs, func(h barrierCTA) bool {
		return h.at == offset{cluster: r.offset.cluster, cta: r.offset.cta}
	})
}

// barriers returns the number of barriers that each tile of instances has.
func (p *Plan) barriers() (n int) {
	for _, h := range p.barrierCTAs {
		n += len(h.names)
	}
	return n
}

// meets reports whether threads wait for each other in the code of the test.
func (p *Plan) meets() bool { return len(p.barrierCTAs) > 0 || p.clusterBarriers > 0 }

// findBarriers lists the barriers, and refuses tests in which a kernel might wait for ever. All
// threads that a barrier waits for must reach it, equally often, and two threads must not wait at
// different barriers for each other. A thread that arrives without waiting must not return before
// the others have come.
func (p *Plan) findBarriers() error {
	uses := map[int][]barrierUser{} // by index of the CTA
	for _, r := range p.roles {
		all, err := p.uses(r)
		if err != nil {
			return err
		}
		if len(all) > 0 {
			h := p.barrierCTAOf(r)
			uses[h] = append(uses[h], barrierUser{p.name(r), all})
		}
	}
	for h := range p.barrierCTAs {
		if err := p.checkBarriers(&p.barrierCTAs[h], uses[h]); err != nil {
			return err
		}
	}
	return p.findClusterBarriers()
}

// uses returns the barriers that a role uses, in order.
func (p *Plan) uses(r role) (all []barrierUse, err error) {
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
		all = append(all, barrierUse{b, in.Op.Meeting == isa.Arrive, in.Op.Meeting == isa.Reduce})
	}
	return all, nil
}

// mayMiss reports whether a role may execute an instruction not exactly once: a branch skips it or
// repeats it, or the role may end before.
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

// comesToBarrier reports whether code has a barrier.
func comesToBarrier(code []*ptx.Instr) bool {
	return slices.ContainsFunc(code, func(in *ptx.Instr) bool { return isBarrier(in) || isClusterBarrier(in) })
}

// branches reports whether the lanes of a warp may diverge in a role.
func (p *Plan) branches(r role) bool {
	return slices.ContainsFunc(p.Program.Code(r.thread), func(in *ptx.Instr) bool { return in.Target != nil })
}

func (p *Plan) name(r role) string { return p.Test.Threads[r.thread].Name.Text }

// barrierNumber returns the number, within its CTA, of the barrier that an instruction names. The
// first instruction to name a barrier adds it.
func (p *Plan) barrierNumber(r role, in *ptx.Instr) (int, error) {
	of := in.BarrierOperands()
	var parts []string
	for _, o := range []*ptx.Operand{of.Instance, of.Name, of.Count} {
		text := "-"
		if o != nil {
			n, ok := p.constant(r, *o)
			if !ok {
				return 0,
					p.unable("%s of %s: the value of %s is not known before it runs", in.At.Text(), p.name(r), o.Text)
			}
			text = fmt.Sprint(n)
		}
		parts = append(parts, text)
	}
	name := fmt.Sprint(parts) // threads that count differently do not meet
	h := p.barrierCTAOf(r)
	if h < 0 {
		h = len(p.barrierCTAs)
		p.barrierCTAs = append(p.barrierCTAs, barrierCTA{at: offset{cluster: r.offset.cluster, cta: r.offset.cta}})
	}
	i := slices.Index(p.barrierCTAs[h].names, name)
	if i < 0 {
		i = len(p.barrierCTAs[h].names)
		p.barrierCTAs[h].names = append(p.barrierCTAs[h].names, name)
		p.barrierCTAs[h].users = append(p.barrierCTAs[h].users, 0)
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

// users returns how many roles of the CTA use the barrier that an instruction names.
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

// constant returns the value of an operand if it is the same whenever the role reaches it.
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

// checkBarriers checks that all threads pass the barriers of a CTA.
func (p *Plan) checkBarriers(h *barrierCTA, users []barrierUser) error {
	for b := range h.names {
		often := -1
		var reduces []bool // by meeting at the barrier: whether it reduces
		for _, user := range users {
			n, arrives, mixed := 0, false, false
			for _, v := range user.uses {
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
				return p.unable("%s comes to its barrier again after it has arrived there and gone on", user.name)
			case often >= 0 && often != n:
				return p.unable("its threads come to a barrier different numbers of times, and one would wait for ever")
			}
			often = n
			h.users[b]++
		}
	}
	if !h.ends(users) {
		return p.unable("its threads wait for each other at different barriers, for ever")
	}
	return nil
}

// ends simulates the roles of a CTA at its barriers, and reports whether all of them end.
func (h *barrierCTA) ends(users []barrierUser) bool {
	at, come := make([]int, len(users)), make([]int, len(h.names))
	waits := make([]bool, len(users))
	for moved := true; moved; {
		moved = false
		for r, user := range users {
			if waits[r] || at[r] == len(user.uses) {
				continue
			}
			moved = true
			v := user.uses[at[r]]
			come[v.barrier]++
			waits[r] = !v.arrives
			if v.arrives {
				at[r]++
			}
			if come[v.barrier] < h.users[v.barrier] {
				continue
			}
			come[v.barrier] = 0
			for other := range users {
				if waits[other] && users[other].uses[at[other]].barrier == v.barrier {
					waits[other] = false
					at[other]++
				}
			}
		}
	}
	return !slices.Contains(waits, true)
}

// findClusterBarriers finds the largest number of times that a role uses the barrier of its
// cluster. All threads of a cluster of the launch must use it equally often: a thread whose role
// uses it less often makes up for it when the role has ended (PTX ISA, "barrier.cluster").
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

// barrier writes a barrier of the roles that play the same instances. These are whole warps, and
// each tile of instances has a barrier of its own. The result of a reduction is not used.
func (c *coder) barrier(in *ptx.Instr, _ string) {
	if isClusterBarrier(in) {
		c.clusterBarrier(in)
		return
	}
	role := c.roles[c.role]
	b, _ := c.barrierNumber(role, in)
	threads := WarpSize * c.barrierCTAs[c.barrierCTAOf(role)].users[b]
	opcode := "bar"
	if c.branches(role) { // the lanes of such roles arrive one by one
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

// barrierRegister returns the register with the number of a barrier.
func barrierRegister(b int) string {
	if b == 0 {
		return "%r_barrier"
	}
	return fmt.Sprintf("%%r_barrier%d", b)
}

// findBarrierNumbers computes the barrier numbers of a role's tile; number 0 is reserved for the
// harness.
func (p *Plan) findBarrierNumbers(a *assembler, r role) {
	h := p.barrierCTAOf(r)
	if h < 0 {
		return
	}
	first := 1
	for _, before := range p.barrierCTAs[:h] {
		first += len(before.names)
	}
	a.line("mad.lo.u32 %%r_barrier, %%r_i_warp, %d, %d", p.barriers(), first)
	for b := 1; b < len(p.barrierCTAs[h].names); b++ {
		a.line("add.u32 %s, %%r_barrier, %d", barrierRegister(b), b)
	}
}

// clusterBarrier writes the barrier of all threads of a cluster. Threads that play other instances
// reach it in the same round.
func (c *coder) clusterBarrier(in *ptx.Instr) {
	order := map[isa.Meeting]string{isa.Arrive: "release", isa.Wait: "acquire"}[in.Op.Meeting]
	if in.Order() == event.Relaxed {
		order = "relaxed"
	}
	c.line("barrier.cluster.%s.%s%s", in.Op.Meeting, order, c.aligned(c.roles[c.role]))
}

// aligned returns the suffix .aligned, with which the lanes of a warp reach a barrier together; ""
// for roles with branches.
func (p *Plan) aligned(r role) string {
	if p.branches(r) {
		return ""
	}
	return ".aligned"
}

// leaveCluster waits for a pending arrival of the role, and uses the barrier of the cluster as
// often as the role has used it less than others.
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
