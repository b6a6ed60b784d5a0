// Package rules has the ways in which threads of a kernel synchronise, and in which what they hold
// is related: a file each.
//
//	All  the rules, in their order
//
// A rule is added as a file, with its tests beside it, and a line in All; package ask says which
// interfaces its instances may implement. Each says what it recognises, what it says of that, and
// why that is sound.
package rules

import (
	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/rules/named"
)

// All are the rules. They are recognised in this order, so that a rule may ask with the facts of
// those before it; and what they say becomes part of a question in this order, too. Both matter to
// the solver, and so to the values that alarms have.
//
//	Barriers    orders by epochs; facts of loops with barriers; that threads meet is a duty
//	Cells       facts of shared memory and of tickets
//	Counters    facts: values differ; assumes that counters do not come round
//	Masters     facts for Counters: what the master of a block hands on
//	Leaders     facts for Counters: what the leader of a warp hands on
//	Elections   facts: one thread finds
//	Monotone    facts: the later finds no less
//	named.Rule  orders by walks of warps; its duties are asked as it is recognised
//	Lanes       orders lanes of a warp; that these meet is a duty
//	ReadOnly    decides that nothing orders; the thread itself is another thread, too
//	Tiles       other lanes touch rows of matrices
//	Copies      decides by where a copy ends; races of a thread with its own copy
//	Bits        bounds and meanings of counts of bits
var All = []*ask.Rule{
	Barriers, Cells, Counters, Masters, Leaders, Elections, Monotone, named.Rule, Lanes, ReadOnly, Tiles,
	Copies, Bits,
}
