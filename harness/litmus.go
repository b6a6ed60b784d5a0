package harness

import (
	"fmt"

	"github.com/muster-gpu/muster/event"
)

// litmus returns the kernel of the test.
func (p *Plan) litmus() []string {
	a := &assembler{}
	p.findCoordinates(a)
	p.initShared(a)
	a.line("mov.u32 %%r_round, 0")
	a.label("ROUND")
	p.dispatch(a)
	for r := range p.roles {
		p.play(a, r)
	}
	a.label("NEXT")
	a.line("add.u32 %%r_round, %%r_round, 1")
	a.line("setp.lt.u32 %%p_again, %%r_round, %d", len(p.roles))
	a.line("@%%p_again bra ROUND")
	a.label("PLAYED")
	p.saveShared(a)
	a.line("bra DONE")
	p.conflict(a)
	p.stress(a)
	a.label("DONE")
	return a.lines
}

// findCoordinates computes the coordinates of the thread. Clusters are permuted, so that different
// ones are neighbours on the chip; clusters behind those of the test only stress the memory, and so
// are mixed with them. Warps are permuted within their CTA.
func (p *Plan) findCoordinates(a *assembler) {
	a.flat("%r_thread")
	a.line("div.u32 %%r_cluster, %%r_ctaid, %%r_ctas")
	a.line("rem.u32 %%r_cta, %%r_ctaid, %%r_ctas")
	a.line("mad.lo.u32 %%r_cluster, %%r_cluster, %%r_cluster_mul, %%r_cluster_add")
	a.line("rem.u32 %%r_cluster, %%r_cluster, %%r_places")
	a.line("setp.ge.u32 %%p_stress, %%r_cluster, %%r_clusters")
	a.line("@%%p_stress bra STRESS")
	a.line("div.u32 %%r_warp, %%r_tid, %d", WarpSize)
	a.line("mad.lo.u32 %%r_warp, %%r_warp, %%r_warp_mul, %%r_warp_add")
	a.line("rem.u32 %%r_warp, %%r_warp, %%r_warps")
	a.line("rem.u32 %%r_lane, %%r_tid, %d", WarpSize)
	a.line("add.u32 %%r_sum, %%r_cluster, %%r_cta")
	a.line("add.u32 %%r_sum, %%r_sum, %%r_warp")
	if p.lanes {
		a.line("add.u32 %%r_sum, %%r_sum, %%r_lane")
	}
}

// initShared gives the shared memory of the CTA its initial values.
func (p *Plan) initShared(a *assembler) {
	if !p.usesShared() {
		p.skipIdle(a, "PLAYED")
		return
	}
	for origin := range p.origins() {
		if p.spreads {
			a.line("mov.u32 %%r_i_cta, %d", origin)
		}
		for l, loc := range p.locs {
			if loc.shared && p.alike(l) == l-loc.elem {
				p.sharedAddress(a, "%d_at", l, "%r_warp", "%r_lane")
				typ, value := loc.initial()
				a.line("st.shared%s [%%d_at], %d", typ, value)
			}
		}
	}
	p.meetAll(a)
	p.skipIdle(a, "PLAYED")
}

// meetAll synchronizes the threads that share memory: those of the CTA, or of the cluster if some
// access the memory of its other CTAs. The asynchronous proxy sees what they wrote, too.
func (p *Plan) meetAll(a *assembler) {
	if p.has(isBulk) {
		a.line("fence.proxy.async")
	}
	if p.reachesCluster() {
		a.line("barrier.cluster.arrive.release.aligned")
		a.line("barrier.cluster.wait.acquire.aligned")
		return
	}
	a.line("bar.sync 0")
}

// skipIdle makes the lanes that play no role jump to a label: if roles share a warp, the number of
// lanes that play is a multiple of the number of roles.
func (p *Plan) skipIdle(a *assembler, label string) {
	a.line("setp.ge.u32 %%p_idle, %%r_lane, %%r_lanes")
	a.line("@%%p_idle bra %s", label)
}

func (p *Plan) usesShared() bool { return p.sharedSlots > 0 }

// sharedAddress sets a register to the address of a shared location for a slot of the CTA.
func (p *Plan) sharedAddress(a *assembler, to string, l event.Loc, warp, lane string) {
	a.line("mov.u32 %%r_ntid, %%ntid.x")
	a.line("mad.lo.u32 %%r_place, %s, %d, %s", warp, WarpSize, lane)
	slot := fmt.Sprint(p.locs[l].slot)
	if p.spreads {
		a.line("mad.lo.u32 %%r_slot, %%r_i_cta, %d, %s", p.sharedSlots, slot)
		slot = "%r_slot"
	}
	a.line("mad.lo.u32 %%r_place, %%r_ntid, %s, %%r_place", slot)
	a.line("mul.lo.u32 %%r_place, %%r_place, %%r_shared_stride")
	a.line("cvt.u64.u32 %s, %%r_place", to)
	a.line("mov.u64 %%d_shared, shared_memory")
	a.line("add.u64 %s, %s, %%d_shared", to, to)
	a.line("add.u64 %s, %s, %d", to, to, 4*p.locs[l].elem)
}

// remoteAddress is sharedAddress for a location in another CTA of the cluster.
func (p *Plan) remoteAddress(a *assembler, to string, l event.Loc) {
	p.sharedAddress(a, to, l, "%r_i_warp", "%r_i_lane")
	p.rankOf(a, p.locs[l].owner)
	a.line("mapa.shared::cluster.u64 %s, %s, %%r_rank", to, to)
}

// saveShared copies the final values of shared memory, which ends with the CTA.
func (p *Plan) saveShared(a *assembler) {
	if !p.usesShared() {
		return
	}
	p.meetAll(a)
	p.skipIdle(a, "DONE")
	for l, loc := range p.locs {
		if !loc.shared {
			continue
		}
		kept := fmt.Sprintf("KEPT%d", l)
		p.elsewhere(a, loc.kernel, kept)
		p.instance(a, loc.owner)
		p.sharedAddress(a, "%d_at", l, "%r_warp", "%r_lane")
		for half := range p.halves(l) {
			a.line("ld.shared.u32 %%r_final, [%%d_at+%d]", 4*half)
			a.index("%d_to", "%d_finals", p.final(l, half), "%r_instance")
			a.line("st.global.u32 [%%d_to], %%r_final")
		}
		if len(p.kernels) > 1 {
			a.label("%s", kept)
		}
	}
}

// halves returns the number of words of a location.
func (p *Plan) halves(l event.Loc) int {
	if p.locs[l].wide {
		return 2
	}
	return 1
}

// final returns the row, among the final values, of a word of a location in shared memory.
func (p *Plan) final(l event.Loc, half int) int { return l + half*len(p.locs) }

// elsewhere jumps to a label unless the given kernel of the test runs.
func (p *Plan) elsewhere(a *assembler, kernel int, label string) {
	if len(p.kernels) > 1 {
		a.line("setp.ne.u32 %%p_elsewhere, %%r_kernel, %d", kernel)
		a.line("@%%p_elsewhere bra %s", label)
	}
}

// dispatch jumps to the role of the round: the role in which the thread meets the other roles of
// the instance or, if roles are not played together, the next one.
func (p *Plan) dispatch(a *assembler) {
	a.line("mul.lo.u32 %%r_role, %%r_sum, %%r_together")
	a.line("add.u32 %%r_role, %%r_role, %d", len(p.roles))
	a.line("sub.u32 %%r_role, %%r_role, %%r_round")
	a.line("rem.u32 %%r_role, %%r_role, %d", len(p.roles))
	for r := range p.roles {
		a.line("setp.eq.u32 %%p_role, %%r_role, %d", r)
		a.line("@%%p_role bra ROLE%d", r)
	}
	a.line("bra NEXT")
}

// instance computes the instance whose role with the given offset the thread plays, and its tile:
// the instances that differ only in their lanes.
func (p *Plan) instance(a *assembler, o offset) {
	a.minus("%r_i_cluster", "%r_cluster", o.cluster, "%r_clusters")
	a.minus("%r_i_cta", "%r_cta", o.cta, "%r_ctas")
	a.minus("%r_i_warp", "%r_warp", o.warp, "%r_warps")
	a.minus("%r_i_lane", "%r_lane", o.lane, "%r_lanes")
	a.line("mad.lo.u32 %%r_tile, %%r_i_cluster, %%r_ctas, %%r_i_cta")
	a.line("mad.lo.u32 %%r_tile, %%r_tile, %%r_warps, %%r_i_warp")
	a.line("mad.lo.u32 %%r_instance, %%r_tile, %%r_lanes, %%r_i_lane")
}

// play writes a role: its addresses and registers, the meeting of all roles of its instances, its
// code between markers, and the report of what it has seen.
func (p *Plan) play(a *assembler, r int) {
	role := p.roles[r]
	c := &coder{Plan: p, assembler: a, role: r}
	a.label("ROLE%d", r)
	p.elsewhere(a, role.kernel, "NEXT")
	p.instance(a, role.offset)
	a.line("sub.u32 %%r_number, %%r_instance, %%r_first") // wraps around below the first
	a.line("setp.ge.u32 %%p_absent, %%r_number, %%r_playing")
	a.line("@%%p_absent bra ABSENT")
	for s := range p.Slots() {
		switch {
		case p.image(s) != "":
			p.findTexels(a, c, s)
		case !p.slotShared(s):
			a.slotAddress(c.slot(s), s, "%r_instance")
		}
	}
	for l, loc := range p.locs {
		switch {
		case p.image(loc.slot) != "":
		case !loc.shared:
			a.line("add.u64 %s, %s, %d", c.address(l), c.slot(loc.slot), 4*loc.elem)
		case loc.owner == role.cta():
			p.sharedAddress(a, c.address(l), l, "%r_i_warp", "%r_i_lane")
		case p.remote(&role, l):
			p.remoteAddress(a, c.address(l), l)
		default: // no role of this CTA has its address
			a.line("mov.u64 %s, 0", c.address(l))
		}
	}
	p.initRegisters(a, c)
	p.acquireMaps(a, c)
	p.findMasks(a, c)
	c.rebase()
	p.preStress(a, r)
	p.meet(a, r)
	a.line("mov.u32 %%r_rounds, %%r_loop_bound")
	p.findBarrierNumbers(a, role)
	a.line("pmevent %d", 2*r)
	c.code()
	a.line("pmevent %d", 2*r+1)
	p.drain(a, &role)
	p.leaveCluster(a, role)
	c.needAll()
	p.report(a, c)
	a.line("bra NEXT")
}

// slot returns the register with the address of a slot.
func (c *coder) slot(s int) string { return "%d_" + SlotParam(s) + "_here" }

// initRegisters gives the registers of a role their initial values.
func (p *Plan) initRegisters(a *assembler, c *coder) {
	role := p.roles[c.role]
	initial := p.Program.Initial(role.thread)
	for _, name := range sortedKeys(role.regs) {
		reg := role.regs[name]
		v, ok := initial[name]
		if !ok {
			v = event.Int(0)
		}
		switch {
		case reg.bits == 1:
			a.line("setp.ne.u32 %s, %%r_role, %%r_role", reg.name)
		case v.IsAddress():
			a.line("add.u64 %s, %s, %d", reg.name, c.address(v.Base), v.Int)
		default:
			a.line("mov.b%d %s, %d", reg.bits, reg.name, v.Int)
		}
	}
}

// meet lets all roles of a tile begin together: each thread announces itself and polls for the
// others, for a bounded time. The polls are relaxed, because an acquire empties L1.
func (p *Plan) meet(a *assembler, r int) {
	scope := event.ScopeGPU
	if p.GPUs() > 1 {
		scope = event.ScopeSys
	}
	a.line("setp.eq.u32 %%p_skip, %%r_patience, 0")
	a.line("@%%p_skip bra MET%d", r)
	a.line("mul.wide.u32 %%d_meet, %%r_tile, 4")
	a.line("add.u64 %%d_meet, %%d_meeting, %%d_meet")
	a.line("red.relaxed.%s.global.add.u32 [%%d_meet], 1", scope)
	a.line("mov.u32 %%r_polls, %%r_patience")
	a.label("MEET%d", r)
	a.line("ld.relaxed.%s.global.u32 %%r_come, [%%d_meet]", scope)
	a.line("setp.ge.u32 %%p_come, %%r_come, %%r_meeting_threads")
	a.line("@%%p_come bra MET%d", r)
	a.line("sub.u32 %%r_polls, %%r_polls, 1")
	a.line("setp.ne.u32 %%p_more, %%r_polls, 0")
	a.line("@%%p_more bra MEET%d", r)
	a.label("MET%d", r)
}

// report stores the registers that the condition asks for, and whether a loop timed out.
func (p *Plan) report(a *assembler, c *coder) {
	a.line("setp.ne.u32 %%p_finished, %%r_rounds, 0")
	a.line("@%%p_finished bra FINISHED%d", c.role)
	a.index("%d_to", "%d_unfinished", 0, "%r_instance")
	a.line("st.global.u32 [%%d_to], 1")
	a.label("FINISHED%d", c.role)
	for i, o := range p.seen {
		if o.reg.Name == "" || o.reg.Thread != p.roles[c.role].thread {
			continue
		}
		value := c.register(o.reg.Name)
		switch reg := p.roles[c.role].regs[o.reg.Name]; {
		case reg.bits == 1:
			a.line("selp.u32 %%r_bit, 1, 0, %s", reg.name)
			value = "%r_bit"
		case o.half == high:
			a.line("shr.u64 %%d_half, %s, 32", reg.name)
			a.line("cvt.u32.u64 %%r_half, %%d_half")
			value = "%r_half"
		case o.half == low:
			a.line("cvt.u32.u64 %%r_half, %s", reg.name)
			value = "%r_half"
		}
		a.index("%d_to", "%d_results", i, "%r_instance")
		a.line("st.global.u32 [%%d_to], %s", value)
	}
}
