package verify

import (
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/kernel"
)

// Indices of 32 bits wrap around in PTX. NoOverflow takes for granted that they do not. Without it,
// a result says if that alone would make the difference, and for which instructions
// (Config.Indices).

// noOverflow returns the assumptions about indices.
func (c conclusion) noOverflow() (all []string) {
	for _, in := range c.x.asker.Trace().Widened {
		if c.p.exact(c.x.setup, in) {
			all = append(all, assume.NoOverflow.Of(c.r.text(in), c.r.Where(in)))
		}
	}
	return all
}

// maxBlamed bounds the instructions that are tried one by one.
const maxBlamed = 4

// blame records that a kernel is verified if indices do not overflow, and which instructions may:
// one, if it is one alone.
func (p *problem) blame(o outcome, s setup) (notes []string) {
	r, c := o.result, p.config
	if r.Verdict == Verified || c.Indices == NoOverflow || len(o.overflows) == 0 || r.Stats.Accesses > maxAgain || p.ended() {
		return nil
	}
	c.Indices, c.Alarms, c.Dump, c.Solver, c.Budget = NoOverflow, 1, nil, nil, min(c.Budget, againBudget)
	sure := p.under(c)
	all := sure.verifiedWithout(s, nil)
	all = all[:min(len(all), maxBlamed)]
	for _, in := range all {
		if one := sure.verifiedWithout(s, []*kernel.Instr{in}); one != nil && len(all) > 1 {
			all = one
			break
		}
	}
	for _, in := range all {
		notes = append(notes, "only if an index overflows (see --index-arithmetic nowrap): "+p.where(in))
	}
	return notes
}

// verifiedWithout returns the instructions that may overflow, and with which taken not to (some, or
// all if nil) the kernel is verified; nil if it is not.
func (p *problem) verifiedWithout(s setup, nowrap []*kernel.Instr) []*kernel.Instr {
	s.nowrap = nowrap
	o := p.decide(s)
	if o.result.Verdict != Verified {
		return nil
	}
	return slices.DeleteFunc(o.overflows, func(in *kernel.Instr) bool { return !p.exact(s, in) })
}
