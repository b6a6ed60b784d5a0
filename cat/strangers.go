package cat

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// A stranger is a name that models of other tools mention and that no test of muster defines: a set of events of another
// machine, or a relation for them. It is the empty set or relation, whichever its place asks for, and the checker warns of it.

// strangeRelations are relations that executions of herd or Dartagnan have and executions of muster have not.
var strangeRelations = strings.Fields(`
	addrDirect alias casdep crit ctrlDirect ctrlisb ctrlisync equiv-spec idd iddTrans iico_control iico_ctrl iico_data iico_order
	inv-domain inv-scope isb ish isync lwsync mfence partial_po rf-reg same-instance same-static sca scl sqf ssg ssw sync tlbi-after`)

// strangeSets are sets of events whose names resemble those of sets that executions of muster have. The tags of Vulkan, Linux,
// Armv8, RISC-V and Power come first to last.
var strangeSets = strings.Fields(`
	ATOM CBAR SC0 SC1 SC2 SC3
	LKR LKW Rmb Wmb
	Acq AcqPc Rel
	AcqRel
	ISYNC LWSYNC SYNC`)

// stranger reports whether a name that nothing defines may be a stranger. herd and Dartagnan make sets of events from annotations
// of instructions, which can be any, and give them capitals. Relations they have only by the names that they know.
func stranger(name string) bool {
	return 'A' <= name[0] && name[0] <= 'Z' || slices.Contains(strangeRelations, name)
}

// leastTypo is the length from which a set that resembles a known one is taken for a slip, unless it is one of strangeSets. Shorter
// names, such as AV and AW, resemble too many.
const leastTypo = 3

// strange accepts a name that nothing binds as a stranger, and warns of it. It returns false if the name cannot be one, or is
// more likely a slip.
func (c *checker) strange(at src.Span, name string, s *scope) bool {
	if c.absent[name] {
		return true
	}
	if c.model.bound[name] || c.vocab.Find(name) != nil || !stranger(name) {
		return false
	}
	near := c.near(name, s)
	known := slices.Contains(strangeRelations, name) || slices.Contains(strangeSets, name)
	if near != "" && !known && len(name) >= leastTypo {
		return false
	}
	hinted(c.warnf(at, "no test of muster has %s: it is empty", name), near)
	c.absent[name] = true
	return true
}
