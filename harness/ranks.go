package harness

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/ptx/isa"
)

// A test names the CTAs of its cluster by their ranks, from 0. The CTAs of an instance begin at any
// rank of a cluster of the launch, and wrap around: if the first CTA of an instance has rank i, the
// CTA with offset c has rank (i + c) mod n. So mapa is replaced by the address that it computes,
// and the mask of a copy to several CTAs is rotated by i.
//
// Such a copy writes to the same offset in each of its CTAs (PTX ISA, "cp.async.bulk"). So the
// locations with the same name in several CTAs are in one slot; and because instances that begin in
// different CTAs would collide there, shared memory has a copy of all slots for each CTA in which
// an instance may begin.

// mostRanks is the number of bits of a mask of CTAs.
const mostRanks = 16

// isMulticast reports whether an instruction is a copy to several CTAs.
func isMulticast(in *ptx.Instr) bool { return in.Says("multicast::cluster") }

// isMapa reports whether an instruction maps an address to another CTA.
func isMapa(in *ptx.Instr) bool {
	return in.Op.Code == isa.Cluster && in.Dst != nil && roleOf(in, "rank") != nil
}

// roleOf returns the source of an instruction with a role such as "rank", or nil.
func roleOf(in *ptx.Instr, name string) *ptx.Operand {
	i := slices.IndexFunc(in.Srcs, func(o ptx.Operand) bool { return o.Role == name })
	if i < 0 {
		return nil
	}
	return &in.Srcs[i]
}

// mapped returns the location whose address mapa computes. It returns false if that is unknown
// before the test runs.
func (p *Plan) mapped(r *role, in *ptx.Instr) (event.Loc, bool) {
	rank, from := roleOf(in, "rank"), p.pointsTo(r, *roleOf(in, "from"))
	if rank.Kind != ptx.Immediate || len(from) != 1 {
		return event.NoLoc, false
	}
	return p.Program.AtRank(from[0], int(rank.Int))
}

// mapAddress writes mapa.
func (c *coder) mapAddress(in *ptx.Instr, guard string) {
	l, _ := c.mapped(&c.roles[c.role], in)
	c.line("%smov.b64 %s, %s", guard, c.register(in.Dst.Text), c.address(l))
}

// unsupportedMapa says why a kernel cannot have a mapa, or returns "".
func (p *Plan) unsupportedMapa(r *role, in *ptx.Instr) string {
	if l, known := p.mapped(r, in); known {
		return p.outOfReach(r, l)
	}
	return "its location is not known before it runs"
}

// origins returns the number of CTAs of a cluster in which an instance may begin and that have
// slots of their own for it.
func (p *Plan) origins() int {
	if p.spreads {
		return len(p.roles)
	}
	return 1
}

// alike returns the first location, or first element, with the name that a location has in its CTA:
// both are in the same slot.
func (p *Plan) alike(l event.Loc) event.Loc {
	l -= p.locs[l].elem
	if !p.spreads || !p.locs[l].shared {
		return l
	}
	first := l
	for rank := range mostRanks {
		if other, has := p.Program.AtRank(l, rank); has {
			first = min(first, other)
		}
	}
	return first
}

// unsupportedMulticast says why a kernel cannot have a copy to several CTAs, or returns "".
func (p *Plan) unsupportedMulticast(r *role, in *ptx.Instr) string {
	mask := roleOf(in, "ctas")
	if mask == nil || mask.Kind != ptx.Immediate {
		return "its CTAs are not known before it runs"
	}
	for _, o := range in.Places {
		all := p.pointsTo(r, o)
		if len(all) != 1 || !p.locs[all[0]].shared {
			continue
		}
		for rank := range mostRanks {
			if _, has := p.Program.AtRank(all[0], rank); mask.Int>>rank&1 != 0 && !has {
				return fmt.Sprintf("the CTA of rank %d has no %s", rank, o.Text)
			}
		}
	}
	return ""
}

// maskRegister returns the register with the 16-bit mask of an instruction.
func (c *coder) maskRegister(in *ptx.Instr) string {
	return fmt.Sprintf("%%h_%d_mask%d", c.role, slices.Index(c.Program.Code(c.roles[c.role].thread), in))
}

// findMasks computes the masks of a role's copies to several CTAs from the ranks of these CTAs in
// the launch.
func (p *Plan) findMasks(a *assembler, c *coder) {
	r := &p.roles[c.role]
	for _, in := range p.Program.Code(r.thread) {
		if !isMulticast(in) {
			continue
		}
		to := p.pointsTo(r, in.Places[0])[0]
		a.line("mov.u32 %%r_mask, 0")
		for rank := range mostRanks {
			if roleOf(in, "ctas").Int>>rank&1 == 0 {
				continue
			}
			l, _ := p.Program.AtRank(to, rank)
			p.rankOf(a, p.locs[l].owner)
			a.line("shl.b32 %%r_bit, 1, %%r_rank")
			a.line("or.b32 %%r_mask, %%r_mask, %%r_bit")
		}
		a.line("cvt.u16.u32 %s, %%r_mask", c.maskRegister(in))
	}
}

// rankOf computes the rank of a CTA of the instance in its cluster.
func (p *Plan) rankOf(a *assembler, of offset) {
	a.line("add.u32 %%r_rank, %%r_i_cta, %d", of.cta)
	a.line("rem.u32 %%r_rank, %%r_rank, %%r_ctas")
}
