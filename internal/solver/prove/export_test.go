package prove

import "github.com/muster-gpu/muster/internal/solver/term"

// Derive returns what follows from conditions by algebra, sums included.
func (p *Prover) Derive(conditions ...*term.Term) []*term.Term { return p.derive(conditions, true) }
