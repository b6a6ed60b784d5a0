package verify

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
)

// Families of guesses about the heads of loops (Betts et al., "The Design and Implementation of a
// Verification Technique for GPU Kernels", TOPLAS 2015, Sec. 5, has those of GPUVerify). That a
// register grows by the same amount in each iteration is no guess: the symbolic execution finds it.

// families are the kinds of guess, in the order in which they are made.
var families = []struct {
	name  string
	guess func(g *guesser)
}{
	{"bound", (*guesser).bounds},
	{"exact", (*guesser).exact},
	{"power", (*guesser).powers},
	{"product", (*guesser).products},
	{"multiple", (*guesser).multiples},
	{"relation", (*guesser).relations},
	{"chunk", (*guesser).chunks},
	{"value", (*guesser).values},
}

// Families returns what Config.Without may name: the families of guesses about loops, and
// k-induction.
func Families() (names []string) {
	for _, f := range families {
		names = append(names, f.name)
	}
	return append(names, KInduction)
}

// maxGuesses bounds the guesses about a loop.
const maxGuesses = 150

// guesses returns guesses about the loops of an execution that are cut, without those that small
// launches refute, or nil if no guess is left.
func guesses(p *problem, x execution) cuts {
	loops := map[*kernel.Instr]*loopCode{}
	for f, flow := range x.asker.Trace().Flows {
		eachLoop(flow.Order, func(l kernel.Loop) {
			head := f.Instrs[flow.Blocks[l.Head].First]
			if _, cut := x.setup.cut[head]; cut {
				loops[head] = codeOf(f, flow, l, x.asker.Trace())
			}
		})
	}
	seen := sampler{p, x.asker.Trace()}.samples(loops)
	all, some := cuts{}, false
	for in, code := range loops {
		claims := guess(code, seen[in], p.config.Without)
		all[in] = loopCut{claims: claims, long: x.setup.cut[in].long}
		some = some || len(claims) > 0
	}
	if !some {
		return nil
	}
	return all
}

// guess returns guesses about a loop, without some families.
func guess(code *loopCode, seen []sample, without []string) []*trace.Invariant {
	g := &guesser{loopCode: code, seen: seen, b: term.NewBuilder()}
	for _, f := range families {
		if !slices.Contains(without, f.name) {
			g.family = f.name
			f.guess(g)
		}
	}
	return g.all
}

// guesser makes guesses about a loop.
type guesser struct {
	*loopCode
	seen   []sample
	b      *term.Builder // of the terms of samples
	family string
	all    []*trace.Invariant
}

// add adds a guess unless a sample refutes it.
func (g *guesser) add(name string, holds func(h *trace.Head) *term.Term) {
	if len(g.all) >= maxGuesses {
		return
	}
	for _, s := range g.seen {
		if t := holds(s.head(g.b)); t != nil && t.False() {
			return
		}
	}
	g.all = append(g.all, &trace.Invariant{Name: name, Family: g.family, Holds: holds})
}

// head returns a sample as terms.
func (s *sample) head(b *term.Builder) *trace.Head {
	of := func(values map[trace.Slot]uint64) func(trace.Slot) *term.Term {
		return func(at trace.Slot) *term.Term {
			v, ok := values[at]
			if !ok {
				return nil
			}
			return b.Const(v, at.Width())
		}
	}
	dim := func(d launch.Dim) [3]*term.Term {
		return [3]*term.Term{b.Const(uint64(d.X), 32), b.Const(uint64(d.Y), 32), b.Const(uint64(d.Z), 32)}
	}
	return &trace.Head{
		Builder: b, Now: of(s.now), First: of(s.first), Round: b.Const(uint64(s.passed), 64),
		Shape: &trace.Shape{Thread: dim(s.thread), Block: dim(s.block), Threads: dim(s.threads), Blocks: dim(s.blocks)},
	}
}

// relation is a relation of two terms.
type relation struct {
	name  string
	holds func(b *term.Builder, x, y *term.Term) *term.Term
}

var orders = []relation{
	{"<=", (*term.Builder).ULe},
	{">=", func(b *term.Builder, x, y *term.Term) *term.Term { return b.ULe(y, x) }},
	{"<=s", (*term.Builder).SLe},
	{">=s", func(b *term.Builder, x, y *term.Term) *term.Term { return b.SLe(y, x) }},
}

// bounds: a register has not passed its first value, nor what the loop compares with, unless it
// began there.
func (g *guesser) bounds() {
	for _, r := range g.carried {
		for _, o := range orders {
			g.add(fmt.Sprintf("%s %s first", r, o.name), func(h *trace.Head) *term.Term {
				return related(h.Now(r), h.First(r), o, h)
			})
			for _, limit := range g.compared {
				g.add(fmt.Sprintf("%s %s %s", r, o.name, limit), func(h *trace.Head) *term.Term {
					return unlessFirst(h, r, h.Now(limit), o)
				})
			}
			for _, limit := range g.limits {
				g.add(fmt.Sprintf("%s %s %d", r, o.name, int64(limit)), func(h *trace.Head) *term.Term {
					return unlessFirst(h, r, h.Const(limit, r.Width()), o)
				})
			}
		}
	}
}

// related relates two terms, or returns nil if their widths differ.
func related(x, y *term.Term, o relation, h *trace.Head) *term.Term {
	if x == nil || y == nil || x.Width() != y.Width() {
		return nil
	}
	return o.holds(h.Builder, x, y)
}

func unlessFirst(h *trace.Head, r trace.Slot, limit *term.Term, o relation) *term.Term {
	holds := related(h.Now(r), limit, o, h)
	if first := h.First(r); holds != nil && first != nil {
		return h.Or(holds, h.Eq(h.Now(r), first))
	}
	return holds
}

// exact: so few rounds have passed that a register which grows by an amount has not wrapped around.
func (g *guesser) exact() {
	for _, r := range g.carried {
		stride, ok := g.stride(r)
		if !ok || stride == 0 || r.Width() > 32 {
			continue
		}
		for _, values := range []uint64{1 << (r.Width() - 1), 1 << r.Width()} {
			most := (values - 1) / uint64(max(stride, -stride))
			g.add(fmt.Sprintf("%s has moved %d times at most", r, most), func(h *trace.Head) *term.Term {
				return h.ULe(h.Round, h.Const(most, 64))
			})
		}
	}
}

// stride returns what every round of the samples adds.
func (g *guesser) stride(r trace.Slot) (by int64, ok bool) {
	shift := 64 - r.Width()
	for _, s := range g.seen {
		if s.passed == 0 {
			continue
		}
		moved := int64((s.now[r]-s.first[r])<<shift) >> shift
		if moved%int64(s.passed) != 0 || ok && moved/int64(s.passed) != by {
			return 0, false
		}
		by, ok = moved/int64(s.passed), true
	}
	return by, ok
}

// powers: a register is a power of two, or 0; it is not 0.
func (g *guesser) powers() {
	for _, r := range g.carried {
		g.add(r.String()+" is a power of two or 0", func(h *trace.Head) *term.Term {
			return known(h.Now(r), func(t *term.Term) *term.Term {
				zero := h.Const(0, t.Width())
				return h.Eq(h.And(t, h.Sub(t, h.Const(1, t.Width()))), zero)
			})
		})
		g.add(r.String()+" is not 0", func(h *trace.Head) *term.Term {
			return known(h.Now(r), func(t *term.Term) *term.Term { return h.Ne(t, h.Const(0, t.Width())) })
		})
	}
}

func known(t *term.Term, make func(t *term.Term) *term.Term) *term.Term {
	if t == nil {
		return nil
	}
	return make(t)
}

// products: of two registers one grows as the other shrinks.
func (g *guesser) products() {
	g.pairs(func(r, q trace.Slot) {
		moves := false
		for _, s := range g.seen {
			moves = moves || s.now[r] != s.first[r] && s.now[q] != s.first[q]
		}
		if !moves {
			return
		}
		g.add(fmt.Sprintf("%s * %s stays", r, q), func(h *trace.Head) *term.Term {
			if h.Now(r) == nil || h.Now(q) == nil || h.First(r) == nil || h.First(q) == nil {
				return nil
			}
			return h.Eq(h.Mul(h.Now(r), h.Now(q)), h.Mul(h.First(r), h.First(q)))
		})
	})
}

// pairs visits the pairs of registers of one width.
func (g *guesser) pairs(visit func(r, q trace.Slot)) {
	for i, r := range g.carried {
		for _, q := range g.carried[i+1:] {
			if r.Width() == q.Width() {
				visit(r, q)
			}
		}
	}
}

// multiples: what a register has grown by is a multiple of a number.
func (g *guesser) multiples() {
	for _, r := range g.carried {
		low, odd := 64, uint64(0)
		for _, s := range g.seen {
			moved := s.now[r] - s.first[r]
			if moved &= term.Mask(r.Width()); moved != 0 {
				low = min(low, bits.TrailingZeros64(moved))
				odd = gcd(odd, moved)
			}
		}
		if low > 0 && low < r.Width() {
			g.add(fmt.Sprintf("%s - first is a multiple of %d", r, uint64(1)<<low), func(h *trace.Head) *term.Term {
				return moved(h, r, func(t *term.Term) *term.Term { return h.Eq(h.Extract(t, 0, low), h.Const(0, low)) })
			})
		}
		if odd >>= bits.TrailingZeros64(odd | 1<<63); odd > 1 && odd < 1<<16 {
			g.add(fmt.Sprintf("%s - first is a multiple of %d", r, odd), func(h *trace.Head) *term.Term {
				return moved(h, r, func(t *term.Term) *term.Term {
					return h.Eq(h.URem(t, h.Const(odd, t.Width())), h.Const(0, t.Width()))
				})
			})
		}
	}
}

func moved(h *trace.Head, r trace.Slot, make func(t *term.Term) *term.Term) *term.Term {
	if h.Now(r) == nil || h.First(r) == nil {
		return nil
	}
	return make(h.Sub(h.Now(r), h.First(r)))
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// relations: a register grows by a multiple of what another grows by.
func (g *guesser) relations() {
	for _, r := range g.carried {
		for _, q := range g.carried {
			times, ok := g.times(r, q)
			if r == q || !ok {
				continue
			}
			width := r.Width()
			g.add(fmt.Sprintf("%s grows by %d times what %s grows by", r, times, q), func(h *trace.Head) *term.Term {
				if h.Now(r) == nil || h.First(r) == nil || h.Now(q) == nil || h.First(q) == nil {
					return nil
				}
				by := h.Sub(h.SExt(h.Now(q), width), h.SExt(h.First(q), width))
				return h.Eq(h.Sub(h.Now(r), h.First(r)), h.Mul(by, h.Const(uint64(times), width)))
			})
		}
	}
}

// times returns the factor by which r grows faster than q.
func (g *guesser) times(r, q trace.Slot) (times int64, ok bool) {
	if q.Width() > r.Width() {
		return 0, false
	}
	signed := func(s *sample, r trace.Slot) int64 {
		shift := 64 - r.Width()
		return int64(s.now[r]<<shift)>>shift - int64(s.first[r]<<shift)>>shift
	}
	for i := range g.seen {
		x, y := signed(&g.seen[i], r), signed(&g.seen[i], q)
		if y != 0 && x%y == 0 && x/y != 0 {
			return x / y, x/y < 1<<16 && x/y > -1<<16
		}
	}
	return 0, false
}

// chunks: a register stays in the part of an array that is the thread's own, C elements from C *
// tid on.
func (g *guesser) chunks() {
	for _, r := range g.carried {
		size := uint64(0)
		for _, s := range g.seen {
			if s.thread.X > 0 && s.passed == 0 {
				size = s.first[r] / uint64(s.thread.X)
				break
			}
		}
		if size < 2 || size > 1<<16 || r.Width() != 32 {
			continue
		}
		g.add(fmt.Sprintf("%s is in chunk tid.x of %d", r, size), func(h *trace.Head) *term.Term {
			return known(h.Now(r), func(t *term.Term) *term.Term {
				start := h.Mul(h.Shape.Thread[0], h.Const(size, 32))
				return h.ULe(h.Sub(t, start), h.Const(size, 32))
			})
		})
	}
}

// values: a register holds one of few numbers.
func (g *guesser) values() {
	for _, r := range g.carried {
		var seen []uint64
		for _, s := range g.seen {
			if v := s.now[r] & term.Mask(r.Width()); len(seen) <= 3 && !slices.Contains(seen, v) {
				seen = append(seen, v)
			}
		}
		if len(seen) == 0 || len(seen) > 3 {
			continue
		}
		g.add(fmt.Sprintf("%s is one of %v", r, seen), func(h *trace.Head) *term.Term {
			return known(h.Now(r), func(t *term.Term) *term.Term {
				one := h.Bool(false)
				for _, v := range seen {
					one = h.Or(one, h.Eq(t, h.Const(v, t.Width())))
				}
				return one
			})
		})
	}
}
