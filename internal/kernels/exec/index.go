package exec

import (
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Indices are computed in 32 bits and then widened to 64. PTX has them wrap around, as it does not
// know which integers the source declares not to overflow. An index that does not overflow equals
// a number of 64 bits, computed from widened operands. Config.Exact says which instructions are
// assumed to be exact: for these, both numbers are the same. The same is assumed for numbers that
// are compared as signed ones, where the outcome decides which way a thread goes: of `x < w - 1`, C
// says that w - 1 does not overflow (C17, 6.5 paragraph 5).

// integers are the computations of numbers.
type integers struct {
	run      *run
	terms    *term.Builder
	exact    map[*term.Term]exact        // how numbers of 32 bits were computed
	compared map[*term.Term][]*term.Term // what is compared as signed numbers of 32 bits, by the outcome
	whole    map[*term.Term]*term.Term   // the integers of 64 bits that floating-point numbers are
}

// exact describes how a number of 32 bits was computed.
type exact struct {
	at   *kernel.Instr
	from func(x *widening) *term.Term // the same in 64 bits
}

// widening widens numbers of 32 bits as signed ones, or as unsigned ones.
type widening struct {
	run    *run
	terms  *term.Builder
	signed bool
	exact  func(*kernel.Instr) bool
	done   map[*term.Term]*term.Term
	holds  *term.Term // nothing overflows
	at     []*kernel.Instr
}

// computed records how a number of 32 bits was computed.
func (m *integers) computed(in *kernel.Instr, op *instruction, t *term.Term, x []*term.Term) {
	if t.Width() != 32 || op.Type(0).Kind == isa.Floating || op.Half == isa.High || op.Half == isa.Wide || op.Saturate {
		return
	}
	e := exact{at: in}
	switch op.Code {
	case isa.Or: // compilers add so what has no bits in common
		if x[0].Ones()&x[1].Ones() != 0 {
			return
		}
		e.from = func(w *widening) *term.Term { return w.terms.Add(w.wide(x[0]), w.wide(x[1])) }
	case isa.Add:
		e.from = func(w *widening) *term.Term { return w.terms.Add(w.wide(x[0]), w.wide(x[1])) }
	case isa.Sub:
		e.from = func(w *widening) *term.Term { return w.terms.Sub(w.wide(x[0]), w.wide(x[1])) }
	case isa.Mul:
		e.from = func(w *widening) *term.Term { return w.terms.Mul(w.wide(x[0]), w.wide(x[1])) }
	case isa.Mad:
		e.from = func(w *widening) *term.Term {
			return w.terms.Add(w.terms.Mul(w.wide(x[0]), w.wide(x[1])), w.wide(x[2]))
		}
	case isa.Shl:
		n, ok := x[1].Value()
		if !ok || n > 31 {
			return
		}
		e.from = func(w *widening) *term.Term { return w.terms.Mul(w.wide(x[0]), w.terms.Const(1<<n, 64)) }
	default:
		return
	}
	m.notes(t, e, x...)
}

// notes records how a number was computed, unless another instruction already computed it: the
// operands of the first one are older than the number, so a number is never made of itself, as t is
// of t + 0.
func (m *integers) notes(t *term.Term, e exact, x ...*term.Term) {
	if m.exact[t].from == nil && !slices.Contains(x, t) {
		m.exact[t] = e
	}
}

// extended returns a number of 32 bits in 64, where it is taken for granted that it does not
// overflow; nil where it is not, or where nothing is known of how it was computed.
func (m *integers) extended(s *state, t *term.Term, signed bool) *term.Term {
	if w := m.granted(s, t, signed); w != nil {
		return w.wide(t)
	}
	return nil
}

// granted takes it for granted that a number of 32 bits does not overflow; nil is as in extended.
func (m *integers) granted(s *state, t *term.Term, signed bool) *widening {
	if m.exact[t].from == nil {
		return nil
	}
	all := m.widen(t, signed, func(*kernel.Instr) bool { return true })
	if all == nil {
		return nil
	}
	for _, in := range all.at {
		if !slices.Contains(m.run.rec.Trace.Widened, in) {
			m.run.rec.Trace.Widened = append(m.run.rec.Trace.Widened, in)
		}
	}
	if m.run.config.Exact == nil {
		return nil
	}
	w := m.widen(t, signed, m.run.config.Exact)
	if w == nil {
		return nil
	}
	m.run.knows(s, w.holds)
	return w
}

// ordered records a comparison of signed numbers of 32 bits.
func (m *integers) ordered(op *instruction, p *term.Term, x []*term.Term) {
	less := op.Cmp == isa.Lt || op.Cmp == isa.Le || op.Cmp == isa.Gt || op.Cmp == isa.Ge
	if op.Code == isa.Setp && less && op.Type(0).Int() == arith.S32 && len(x) == 2 {
		m.compared[m.positive(p)] = x
	}
}

// positive returns a truth value without the negation that it may be.
func (m *integers) positive(p *term.Term) *term.Term {
	if p.Op() == term.Xor {
		return m.terms.Not(p)
	}
	return p
}

// goes assumes that compared numbers do not overflow, if the comparison has certainly been
// evaluated: a thread goes where a condition holds. If `a && b` holds, both do; if it does not
// hold, b may not have been evaluated.
func (m *integers) goes(s *state, p *term.Term) {
	b := m.terms
	if s == nil {
		return
	}
	switch not := b.Not(p); {
	case p.Op() == term.And:
		m.goes(s, p.Args()[0])
		m.goes(s, p.Args()[1])
		return
	case not.Op() == term.Or:
		m.goes(s, b.Not(not.Args()[0]))
		m.goes(s, b.Not(not.Args()[1]))
		return
	}
	for _, x := range m.compared[m.positive(p)] {
		m.granted(s, x, true)
	}
}

// widen returns a number as computed in 64 bits as far as instructions are exact; nil if that is
// what it is anyway.
func (m *integers) widen(t *term.Term, signed bool, exact func(*kernel.Instr) bool) *widening {
	w := &widening{run: m.run, terms: m.terms, signed: signed, exact: exact, done: map[*term.Term]*term.Term{}, holds: m.terms.Bool(true)}
	w.wide(t)
	if w.holds.True() {
		return nil
	}
	return w
}

// wide returns a number of 32 bits in 64, as if nothing overflowed. Numbers in the text of the
// kernel are small, or negative.
func (w *widening) wide(t *term.Term) *term.Term {
	b := w.terms
	if of := w.done[t]; of != nil {
		return of
	}
	of := fit(b, t, 64, w.signed || t.Op() == term.Const)
	if e := w.run.numbers.exact[t]; e.from != nil && w.exact(e.at) {
		w.done[t] = of // a number that is made of itself is no other
		of = e.from(w)
		if same := b.Eq(of, w.done[t]); !same.True() {
			w.holds = b.And(b.And(w.holds, same), b.And(w.below(of), w.room(t, of)))
			w.at = append(w.at, e.at)
		}
	}
	w.done[t] = of
	return of
}

// below returns what it says of a number that cannot be negative that nothing overflows: in which
// interval it lies, from which more follows than from an equation (prove.rewritten.intervals).
func (w *widening) below(of *term.Term) *term.Term {
	if !natural(of) {
		return w.terms.Bool(true)
	}
	return w.less(of)
}

// less returns the condition that a number is within the range of 32 bits.
func (w *widening) less(of *term.Term) *term.Term {
	b := w.terms
	if w.signed {
		return b.ULt(of, b.Const(1<<31, 64))
	}
	return b.ULt(of, b.Const(1<<32, 64))
}

// natural reports whether a number of 64 bits is not negative.
func natural(t *term.Term) bool {
	_, hi := t.Range()
	return hi < 1<<63
}

// room returns what it says of the one term of a sum, if that is x + c, that nothing overflows: the
// interval in which x lies.
func (w *widening) room(t, of *term.Term) *term.Term {
	b := w.terms
	if t.Op() != term.Sum || len(t.Args()) != 1 || t.Coef(0) != 1 {
		return b.Bool(true)
	}
	x, c := t.Args()[0], t.Constant()
	wide := fit(b, b.Const(c, 32), 64, true)
	if of != b.Add(fit(b, x, 64, w.signed), wide) {
		return b.Bool(true)
	}
	if w.signed {
		x = b.Add(x, b.Const(1<<31, 32)) // 0 is the least number then
	}
	if int32(c) < 0 {
		return b.ULe(b.Const(-c, 32), x)
	}
	return b.ULe(x, b.Const(1<<32-1-c, 32))
}

// counted records that a number has grown by an amount in each iteration of a loop.
func (c *cut) counted(t, first, stride *term.Term) {
	if t.Width() == 32 && t.Op() != term.Const {
		c.run.numbers.notes(t, exact{c.fr.head(c.loop), func(w *widening) *term.Term {
			by := w.amount(stride)
			grown := w.terms.Mul(c.round, by)
			of := w.terms.Add(w.wide(first), grown)
			w.few(c.round, by)
			if natural(by) && natural(w.wide(first)) { // then so are the others, however many rounds there can be
				w.holds = w.terms.And(w.holds, w.terms.And(w.less(grown), w.less(of)))
			}
			return of
		}}, first)
	}
}

// few bounds the number of iterations, if a number of 32 bits has grown by an amount in each and
// has not overflowed: two such numbers differ by less than 2^32. So the product of iterations and
// amount does not overflow either.
func (w *widening) few(rounds, by *term.Term) {
	b := w.terms
	least, _ := by.Range()
	if !natural(by) {
		least = 0
	}
	some := b.ULe(rounds, b.Const((1<<32-1)/max(least, 1), 64))
	w.holds = b.And(w.holds, b.Or(some, b.Eq(by, b.Const(0, 64))))
}

// amount returns by how much a number grows, in 64 bits. A subtraction, a term with a negative
// coefficient, makes it less, even for unsigned numbers.
func (w *widening) amount(stride *term.Term) *term.Term {
	b := w.terms
	if stride.Op() != term.Sum || w.run.numbers.exact[stride].from != nil {
		return w.wide(stride)
	}
	of := fit(b, b.Const(stride.Constant(), 32), 64, true)
	for i, x := range stride.Args() {
		of = b.Add(of, b.Mul(w.wide(x), b.Const(uint64(stride.Signed(i)), 64)))
	}
	return of
}
