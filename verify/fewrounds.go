package verify

import (
	"maps"

	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
)

// soon are the numbers of rounds in which alarms are looked for, of loops in which warps come to barriers of some threads of a block: what these order is known
// if it is known how often each is executed.
var soon = []uint64{2, 3, 5}

// goesWrongSoon looks for alarms if the parameters that say how often such loops are executed are small numbers.
func (v *verifier) goesWrongSoon(q *questions) bool {
	for _, p := range v.bounds(q) {
		for _, n := range soon {
			c := v.config
			c.Values = maps.Clone(c.Values)
			if c.Values == nil {
				c.Values = map[string]uint64{}
			}
			c.Values[p.Name] = n
			w := newVerifier(v.ctx, c, v.result)
			w.counted = v.counted
			if w.run(); w.result.Verdict == Alarmed {
				*v.result = *w.result
				return true
			}
		}
	}
	return false
}

// bounds are the parameters that say how often loops are executed in which warps come to barriers of some threads of a block.
func (v *verifier) bounds(q *questions) (all []*kernel.Variable) {
	for _, p := range q.trace.Params {
		for _, l := range q.trace.Pipelines {
			if mentions(l.Again, func(v *term.Term) bool { return v == p.Term }) && p.Offset == 0 && p.Size == p.Variable.Size() && p.Size <= 8 && v.free(p.Variable.Name) {
				all = append(all, p.Variable)
				break
			}
		}
	}
	return all
}
