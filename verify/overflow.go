package verify

import (
	"context"
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/kernel"
)

// Indices of 32 bits wrap around in PTX. Whoever is sure that they do not has that taken for granted (NoOverflow); who is not is
// told if that alone would make the difference, and by which instructions (Config.Indices).

// exact reports that an instruction is taken not to overflow.
func (v *verifier) exact(in *kernel.Instr) bool {
	return v.config.Indices == NoOverflow && (v.only == nil || slices.Contains(v.only, in))
}

// taken are the assumptions about indices.
func (v *verifier) taken(trace *symbolic.Trace) (all []string) {
	v.wide = trace.Widened
	for _, in := range trace.Widened {
		if v.exact(in) {
			all = append(all, assume.NoOverflow.Of(v.result.text(in), v.result.Where(in)))
		}
	}
	return all
}

// maxBlamed bounds the instructions that are tried one by one.
const maxBlamed = 4

// blame notes that a kernel is verified if indices do not overflow, and which instructions may: one, if it is one alone.
func (v *verifier) blame(ctx context.Context, c Config) {
	r := v.result
	if r.Verdict == Verified || c.Indices == NoOverflow || len(v.wide) == 0 || r.Stats.Accesses > maxAgain || ctx.Err() != nil {
		return
	}
	c.Indices, c.Alarms, c.Dump, c.Solver, c.Budget = NoOverflow, 1, nil, nil, min(c.Budget, againBudget)
	all := v.without(ctx, c, nil)
	if all == nil {
		return
	}
	for _, in := range all[:min(len(all), maxBlamed)] {
		if one := v.without(ctx, c, []*kernel.Instr{in}); one != nil && len(all) > 1 {
			all = one
			break
		}
	}
	for _, in := range all[:min(len(all), maxBlamed)] {
		r.Notes = append(r.Notes, fmt.Sprintf("only if an index overflows (see --index-arithmetic nowrap): %s (%s)", r.text(in), r.Where(in)))
	}
}

// without verifies the kernel with instructions taken not to overflow, or all of them; it is those that were, or nil if
// it is not verified so.
func (v *verifier) without(ctx context.Context, c Config, only []*kernel.Instr) []*kernel.Instr {
	w := v.again(ctx, c, only)
	if w.result.Verdict != Verified {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(w.wide), func(in *kernel.Instr) bool { return !w.exact(in) })
}
