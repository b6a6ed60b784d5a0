package prove

import "github.com/muster-gpu/muster/internal/solver/term"

// Derive returns the algebraic consequences of conditions, including those of sums.
func (p *Prover) Derive(conditions ...*term.Term) []*term.Term { return p.derive(conditions, true) }
