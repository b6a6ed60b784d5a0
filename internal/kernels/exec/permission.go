package exec

import (
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/src"
)

// Hold gives the thread permissions from here on.
func (x *Moment) Hold(all []trace.Permission) {
	x.m.rec.Append(&trace.Holding{Passed: x.Passed(), When: x.Guard(), All: all})
}

// Held returns what the thread has held so far, beginning with its permissions at the begin of the
// kernel.
func (x *Moment) Held() []*trace.Holding { return x.m.rec.Trace.Holdings }

// Kept returns the permissions that the thread holds after a number of barriers. It merges those of
// one element: otherwise each barrier that does not mention them would double them.
func (x *Moment) Kept(passed *term.Term) (all []trace.Permission) {
	b := x.Terms
	type element struct {
		region *trace.Region
		offset *term.Term
		size   int
		writes bool
		at     src.Span
	}
	places := map[element]int{}
	for _, h := range x.Held() {
		here := b.And(b.Eq(h.Passed, passed), h.When)
		for _, p := range h.All {
			if p.When = b.And(p.When, here); p.When.False() {
				continue
			}
			of := element{p.Region, p.Offset, p.Size, p.Writes, p.At}
			if i, ok := places[of]; ok {
				all[i].When = b.Or(all[i].When, p.When)
				continue
			}
			places[of] = len(all)
			all = append(all, p)
		}
	}
	return all
}
