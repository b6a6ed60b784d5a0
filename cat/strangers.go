package cat

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// A stranger is a name that models for other tools mention and that no test of muster defines: a
// set of events of another machine, or a relation on them. It evaluates to the empty set or
// relation, by context, and the checker warns about it.

// strangeRelations are relations that executions of herd or Dartagnan define and executions of
// muster do not.
var strangeRelations = strings.Fields(`
	addrDirect alias asl_data asl_po asl_rf_reg casdep crit ctrlDirect ctrlisb ctrlisync equiv-spec idd
	iddTrans iico_causality iico_control iico_ctrl iico_data iico_order intrinsic inv-domain inv-scope isb
	ish isync lwsync mfence overlap partial_po po_iico rf-reg rf_reg same-instance same-static sca scl sqf
	ssg ssw sync sync_barrier tlbi-after va-loc`)

// strangeSets are sets of events whose names resemble sets that executions of muster define, or
// that models redefine in terms of their old meaning. They are the tags of Vulkan, Linux, Armv8,
// RISC-V and Power, in this order.
var strangeSets = strings.Fields(`
	ATOM CBAR SC0 SC1 SC2 SC3
	Acquire LKR LKW Rmb Release Wmb
	Acq AcqPc Rel
	AcqRel Sc
	ISYNC LWSYNC SYNC`)

// stranger reports whether an undefined name may be a stranger. herd and Dartagnan make sets of
// events from annotations of instructions, which are arbitrary, and capitalize them. Their
// relations have fixed names.
func stranger(name string) bool {
	return 'A' <= name[0] && name[0] <= 'Z' || slices.Contains(strangeRelations, name)
}

// isSlip reports whether a set is most likely a misspelling of near: near is another set, or
// differs in case only. Names of two letters, such as AV and AW, resemble too many others.
func isSlip(name, near string) bool {
	const least = 3
	return near != "" && (len(name) >= least && stranger(near) || strings.EqualFold(name, near))
}

// strange accepts an undefined name as a stranger, with a warning. It returns false if the name
// cannot be one, or is more likely a misspelling.
func (c *checker) strange(at src.Span, name string, s *scope) bool {
	if c.absent[name] {
		return true
	}
	known := slices.Contains(strangeRelations, name) || slices.Contains(strangeSets, name)
	if bound := c.model.bound[name] && name != c.extended; c.vocab.Find(name) != nil || !stranger(name) ||
		bound && !known {
		return false
	}
	near := ""
	if !known {
		near = c.nearest(name, s)
	}
	if isSlip(name, near) {
		return false
	}
	d := c.warnf(at, "no test of muster has %s: it is empty", name)
	if near != "" {
		d.WithHint("did you mean %s?", near)
	}
	c.absent[name] = true
	return true
}
