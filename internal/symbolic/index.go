package symbolic

import (
	"slices"

	"github.com/muster-gpu/muster/internal/prove/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Indices are computed in 32 bits and then widened to 64, and PTX has them wrap around: it does not know of which integers the
// source says that they do not overflow. What a widened number is without that is a number of 64 bits, computed from
// widened operands. Config.Exact says of which instructions it is taken for granted that both are the same.

// exact is how a number of 32 bits was computed.
type exact struct {
	at   *kernel.Instr
	from func(x *widening) *term.Term // the same in 64 bits
}

// widening widens numbers of 32 bits as signed ones, or as unsigned ones.
type widening struct {
	*machine
	signed bool
	exact  func(*kernel.Instr) bool
	done   map[*term.Term]*term.Term
	holds  *term.Term // nothing overflows
	at     []*kernel.Instr
}

// computed notes how a number of 32 bits was computed.
func (m *machine) computed(in *kernel.Instr, op *instruction, t *term.Term, x []*term.Term) {
	if t.Width() != 32 || op.Type(0).Kind == isa.Floating || op.Half == isa.High || op.Half == isa.Wide || op.Saturate {
		return
	}
	e := exact{at: in}
	switch op.Code {
	case isa.Or: // compilers add so what has no bits in common
		if x[0].Ones()&x[1].Ones() != 0 {
			return
		}
		e.from = func(w *widening) *term.Term { return w.Add(w.wide(x[0]), w.wide(x[1])) }
	case isa.Add:
		e.from = func(w *widening) *term.Term { return w.Add(w.wide(x[0]), w.wide(x[1])) }
	case isa.Sub:
		e.from = func(w *widening) *term.Term { return w.Sub(w.wide(x[0]), w.wide(x[1])) }
	case isa.Mul:
		e.from = func(w *widening) *term.Term { return w.Mul(w.wide(x[0]), w.wide(x[1])) }
	case isa.Mad:
		e.from = func(w *widening) *term.Term { return w.Add(w.Mul(w.wide(x[0]), w.wide(x[1])), w.wide(x[2])) }
	case isa.Shl:
		n, ok := x[1].Value()
		if !ok || n > 31 {
			return
		}
		e.from = func(w *widening) *term.Term { return w.Mul(w.wide(x[0]), w.Const(1<<n, 64)) }
	default:
		return
	}
	m.exact[t] = e
}

// extended is a number of 32 bits in 64, where it is taken for granted that it does not overflow; nil where it is not, or
// where nothing is known of how it was computed.
func (m *machine) extended(s *state, t *term.Term, signed bool) *term.Term {
	if m.exact[t].from == nil {
		return nil
	}
	all := m.widen(t, signed, func(*kernel.Instr) bool { return true })
	if all == nil {
		return nil
	}
	for _, in := range all.at {
		if !slices.Contains(m.trace.Widened, in) {
			m.trace.Widened = append(m.trace.Widened, in)
		}
	}
	if m.config.Exact == nil {
		return nil
	}
	w := m.widen(t, signed, m.config.Exact)
	if w == nil {
		return nil
	}
	m.knows(s, w.holds)
	return w.wide(t)
}

// widen is a number as computed in 64 bits as far as instructions are exact; nil if that is what it is anyway.
func (m *machine) widen(t *term.Term, signed bool, exact func(*kernel.Instr) bool) *widening {
	w := &widening{machine: m, signed: signed, exact: exact, done: map[*term.Term]*term.Term{}, holds: m.Bool(true)}
	w.wide(t)
	if w.holds.True() {
		return nil
	}
	return w
}

// wide is a number of 32 bits in 64, as if nothing overflowed. Numbers in the text of the kernel are small, or negative.
func (w *widening) wide(t *term.Term) *term.Term {
	if of := w.done[t]; of != nil {
		return of
	}
	of := w.fit(t, 64, w.signed || t.Op() == term.Const)
	if e := w.machine.exact[t]; e.from != nil && w.exact(e.at) {
		w.done[t] = of // a number that is made of itself is no other
		of = e.from(w)
		if same := w.Eq(of, w.done[t]); !same.True() {
			w.holds = w.And(w.And(w.holds, same), w.below(of))
			w.at = append(w.at, e.at)
		}
	}
	w.done[t] = of
	return of
}

// below is what it says of a number that cannot be negative that nothing overflows: in which interval it lies, from which more
// follows than from an equation (prove.rewritten.intervals).
func (w *widening) below(of *term.Term) *term.Term {
	switch _, hi := of.Range(); {
	case hi >= 1<<63:
		return w.Bool(true)
	case w.signed:
		return w.ULt(of, w.Const(1<<31, 64))
	}
	return w.ULt(of, w.Const(1<<32, 64))
}

// counted notes that a number has grown by an amount in each round of a loop.
func (c *cut) counted(t, first, stride *term.Term) {
	if t.Width() == 32 && t.Op() != term.Const {
		c.exact[t] = exact{c.fr.head(c.loop), func(w *widening) *term.Term {
			return w.Add(w.wide(first), w.Mul(c.round, w.fit(stride, 64, w.signed || stride.Op() == term.Const)))
		}}
	}
}
