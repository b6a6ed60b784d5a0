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
//	rule        orders or decides          facts              duties           other
//	Barriers    by epochs                  of loops           meeting
//	Cells                                  of memory, tickets
//	Counters                               values differ                       assumes that counters do not come round
//	Third                                  for Counters
//	Elections                              one thread finds
//	Monotone                               later is no less
//	named.Rule  by walks of warps                             as it is recognised
//	Lanes       by warps and masks                            meeting
//	ReadOnly    decides: nothing orders                                        the thread itself is another
//	Tiles                                                                      other lanes touch rows
//	Copies      decides: by where it ends                                      races of a thread with itself
//	Bits                                   of bits
var All = []*ask.Rule{
	Barriers, Cells, Counters, Third, Elections, Monotone, named.Rule, Lanes, ReadOnly, Tiles, Copies, Bits,
}
