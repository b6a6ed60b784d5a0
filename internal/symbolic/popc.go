package symbolic

import "github.com/muster-gpu/muster/internal/prove/term"

// Popc is the function that stands for popc of 32 bits, if Config.Functions says so: gates are slow at counting, and where lanes of a warp that vote
// find their places among those that do, more than what a count is of is seldom asked.
const Popc = "popc"

// popc is what popc gives.
func (m *machine) popc(of, exact *term.Term) *term.Term {
	if _, number := of.Value(); number || of.Width() != 32 || !m.config.Functions {
		return exact
	}
	return m.ZExt(m.App(Popc, 6, of), exact.Width())
}
