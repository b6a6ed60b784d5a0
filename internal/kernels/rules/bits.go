package rules

import (
	"github.com/muster-gpu/muster/internal/kernels/ask"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Bits gives the values of bit counts.
//
// It recognises popc, clz and the search for the lowest bit, which the trace has as functions of a
// number. It first gives only bounds: some of the ones of a number are fewer than all of them, and
// the bit where a count of zeros ends is a one. That suffices for places that lanes compute from
// ballots. If bounds do not suffice, it defines the counts as sums of bits.
var Bits = &ask.Rule{Name: "bits", Recognise: func(a *ask.Asker) (ask.Instance, bool) {
	return &bitCounts{a.Terms()}, true
}}

type bitCounts struct{ b *term.Builder }

// maxCounts bounds the counts of ones that are compared with each other.
const maxCounts = 8

// Bound adds the bounds of bit counts.
func (r *bitCounts) Bound(c *ask.Conjunction) {
	b := r.b
	counts := c.Applications()
	ones := counts[trace.Ones]
	for i, x := range ones[:min(len(ones), maxCounts)] {
		of := x.Args()[0]
		c.Add(b.ULe(x, b.Const(32, 6)), b.Eq(b.Eq(x, b.Const(0, 6)), b.Eq(of, b.Const(0, 32))))
		for _, y := range ones[:i] {
			other := y.Args()[0]
			within := func(t, whole *term.Term) *term.Term { return b.Eq(b.And(t, b.Not(whole)), b.Const(0, 32)) }
			differ := b.Ne(of, other)
			c.Add(b.Implies(b.And(differ, within(of, other)), b.ULt(x, y)), b.Implies(b.And(differ, within(other, of)), b.ULt(y, x)))
		}
	}
	for _, x := range counts[trace.Leading] {
		r.zeros(c, x, b.Sub(b.Const(31, 32), b.ZExt(x, 32)))
	}
	for _, x := range counts[trace.Trailing] {
		r.zeros(c, x, b.ZExt(x, 32))
	}
}

// zeros adds what is known of a count of zeros: where it ends is a one, unless all are zeros.
func (r *bitCounts) zeros(c *ask.Conjunction, count, end *term.Term) {
	b := r.b
	of := count.Args()[0]
	none := b.Eq(of, b.Const(0, 32))
	c.Add(b.ULe(count, b.Const(32, 6)), b.Eq(b.Eq(count, b.Const(32, 6)), none), b.Or(none, trace.Names(b, of, end)))
}

// counted are the functions that count ones, and the number whose ones they count.
var counted = []struct {
	function string
	ones     func(b *term.Builder, of *term.Term) *term.Term
}{
	{trace.Ones, func(_ *term.Builder, of *term.Term) *term.Term { return of }},
	{trace.Leading, func(b *term.Builder, of *term.Term) *term.Term {
		for n := uint64(1); n < 32; n *= 2 {
			of = b.Or(of, b.LShr(of, b.Const(n, 32)))
		}
		return b.Not(of)
	}},
	{trace.Trailing, func(b *term.Builder, of *term.Term) *term.Term { return b.And(b.Not(of), b.Sub(of, b.Const(1, 32))) }},
}

// Define adds what counts of bits are.
func (r *bitCounts) Define(c *ask.Conjunction) (some bool) {
	counts := c.Applications()
	for _, f := range counted {
		for _, x := range counts[f.function] {
			some = true
			c.Add(r.b.Eq(x, r.sum(f.ones(r.b, x.Args()[0]))))
		}
	}
	return some
}

// sum returns the number of bits of a number that are set: it adds pairs of bits, pairs of these
// sums, and so on.
func (r *bitCounts) sum(t *term.Term) *term.Term {
	b := r.b
	for i, every := range []uint64{0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff, 0x0000ffff} {
		mask := b.Const(every, 32)
		t = b.Add(b.And(t, mask), b.And(b.LShr(t, b.Const(1<<i, 32)), mask))
	}
	return b.Extract(t, 0, 6)
}
