package ask

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/internal/solver/prove"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// A verdict says what it stands on (package assume), and nothing else: that volatile accesses do
// not race is of no matter where a barrier is between them.

// stands is what answers to questions stand on.
type stands struct {
	on        map[*assume.Assumption]bool
	tried     int                     // pairs that were looked at
	arrays    map[string]heldArray    // what is read and held between barriers, by the names of its functions; nil if not asked for yet
	outside   map[string]bool         // arrays of which it matters that no other program writes to them
	unset     map[string]bool         // shared arrays of which it matters that unwritten memory stays the same
	seen      map[*term.Term]bool     // terms that were looked through
	functions map[*term.Term][]string // of the guards of accesses
}

// heldArray is an array whose contents are functions of the offset.
type heldArray struct {
	name   string
	shared bool
}

// maxStands bounds the pairs of accesses of which it is asked what matters. Of others, everything
// does.
const maxStands = 500

func newStands() stands {
	return stands{
		on: map[*assume.Assumption]bool{}, outside: map[string]bool{}, unset: map[string]bool{}, seen: map[*term.Term]bool{}, functions: map[*term.Term][]string{},
	}
}

// lean notes what it stands on that two accesses of two threads do not race.
func (a *Asker) lean(p Pair) {
	if len(a.found.Findings) > 0 {
		return
	}
	if on := p.tolerated(); on != nil && !a.stands.on[on] && a.matters(p) {
		a.Rely(on)
	}
	a.leanOnReads(p)
}

// tolerated is why two accesses are no race though no barrier may be between; nil if that is not so, or PTX's atomics are the
// reason.
func (p Pair) tolerated() *assume.Assumption {
	c := &p.a.config
	strong := p.strong()
	plain := func(x *symbolic.Access) bool { return x.Kind != symbolic.Atomic && x.Strong != isa.NoScope }
	switch {
	case c.BarriersOnly && p.both(symbolic.Atomic):
		if !strong.True() {
			return assume.Atomics
		}
	case strong.False() || c.BarriersOnly:
		if c.SameValue && p.both(symbolic.Store) {
			return assume.SameValue
		}
	case p.First.Volatile || p.Other.Volatile:
		return assume.Volatile
	case plain(p.First) || plain(p.Other):
		return assume.Strong
	}
	return nil
}

// matters reports whether two accesses may meet, with no barrier in between.
func (a *Asker) matters(p Pair) bool {
	a.stands.tried++
	return a.stands.tried > maxStands || p.Encounter()
}

// leanOnReads notes arrays of which both threads read something on their ways to two accesses that would race if they did not
// read the same.
func (a *Asker) leanOnReads(p Pair) {
	mine, theirs := a.reads(p.First.Guard), a.reads(p.Other.Guard)
	common := slices.DeleteFunc(slices.Clone(mine), func(name string) bool {
		h := a.stands.arrays[name]
		return !slices.Contains(theirs, name) || a.stands.outside[h.name] || a.stands.unset[h.name]
	})
	if len(common) == 0 || p.strong().True() {
		return
	}
	x, y := *p.First, *p.Other
	x.Guard, y.Guard = a.prover.Bool(true), a.prover.Bool(true)
	if !a.matters(a.Pair(&x, &y, p.Thread)) {
		return
	}
	for _, name := range common {
		a.stands.rests(a.stands.arrays[name])
	}
}

// rests notes that the answers rest on what an array holds.
func (s *stands) rests(on heldArray) {
	if on.shared {
		s.unset[on.name] = true
	} else {
		s.outside[on.name] = true
	}
}

// held returns the arrays whose contents are functions of the offset, by the names of these.
func (a *Asker) held() map[string]heldArray {
	if a.stands.arrays == nil {
		a.stands.arrays = map[string]heldArray{}
		for _, r := range a.trace.Reads {
			op, err := isa.Decode(r.Instr.Opcode)
			if r.Value.Op() == term.App && err == nil && !op.ReadOnly() && (r.Region.Space == isa.Global || r.Region.Space == isa.Shared) {
				a.stands.arrays[r.Value.Name()] = heldArray{arrayName(r.Region), r.Region.Space == isa.Shared}
			}
		}
	}
	return a.stands.arrays
}

func arrayName(r *symbolic.Region) string {
	if r.Variable != nil {
		return kernel.SourceName(r.Name)
	}
	return r.Name
}

// rested reports whether a term is what such an array holds: of shared memory, before any thread of
// the block can have passed a barrier.
func (a *Asker) rested(v *term.Term) (heldArray, bool) {
	h, ok := a.held()[v.Name()]
	if ok && h.shared && strings.HasSuffix(v.Name(), "@") {
		passed, known := v.Args()[1].Value()
		ok = known && passed == 0
	}
	return h, ok && v.Op() == term.App
}

// reads returns the functions of such arrays in a condition.
func (a *Asker) reads(guard *term.Term) (names []string) {
	names, known := a.stands.functions[guard]
	if known || len(a.held()) == 0 {
		return names
	}
	term.Visit(guard, map[*term.Term]bool{}, func(v *term.Term) bool {
		if _, ok := a.rested(v); ok && !slices.Contains(names, v.Name()) {
			names = append(names, v.Name())
		}
		return false
	})
	a.stands.functions[guard] = names
	return names
}

// steering notes the arrays on whose contents it depends where threads meet, and which memory they
// access.
func (a *Asker) steering() {
	if len(a.held()) == 0 {
		return
	}
	look := func(terms ...*term.Term) {
		for _, t := range terms {
			if t == nil {
				continue
			}
			term.Visit(t, a.stands.seen, func(v *term.Term) bool {
				if h, ok := a.rested(v); ok {
					a.stands.rests(h)
				}
				return false
			})
		}
	}
	for _, b := range a.trace.Barriers {
		look(b.Guard, b.Number)
	}
	for _, x := range a.trace.Arrivals {
		look(x.Guard, x.Number, x.Count)
	}
	for _, c := range a.trace.Convergences {
		look(c.Guard, c.Mask)
	}
	for _, x := range a.trace.Accesses {
		if !a.config.Divergence {
			look(x.Offset)
		}
	}
}

// Stands lists what the answers stand on, beside what the trace has noted.
func (a *Asker) Stands() (all []string) {
	a.steering()
	for _, on := range assume.All {
		switch {
		case on == assume.NoOtherWriter && len(a.stands.outside) > 0:
			all = append(all, on.Of(slices.Sorted(maps.Keys(a.stands.outside))))
		case on == assume.UnwrittenShared && len(a.stands.unset) > 0:
			all = append(all, on.Of(slices.Sorted(maps.Keys(a.stands.unset))))
		case a.stands.on[on]:
			all = append(all, on.Of())
		}
	}
	return all
}

// Assumptions lists what rules take for granted.
func (a *Asker) Assumptions() (all []string) {
	for _, r := range a.rules {
		if assumes, ok := r.(Assumes); ok {
			all = append(all, assumes.Assumptions()...)
		}
	}
	return all
}

// onMultiples asks a question about a race anew whose answer has an access at an address that is no
// multiple of its size, because of the inputs: with such inputs a GPU traps. First the array is taken
// to begin at such a multiple, as those of launches do. An alarm stays whose two threads make no
// access at a multiple, whatever the inputs are: the kernel is wrong.
func (a *Asker) onMultiples(x *Question, c *Conjunction, answer prove.Answer) prove.Answer {
	if x.Kind != Race || x.Thread == nil || slices.Contains(x.Accesses[:], nil) || a.fitted(x, answer.Model) {
		return answer
	}
	if !a.mayFit(x, answer.Model) {
		return answer
	}
	for _, base := range []*term.Term{a.prover.Const(0, 64), a.prover.Var(fmt.Sprintf("base of %s", x.Accesses[0].Region.Name), 64)} {
		within := slices.Clone(c.all)
		for i, access := range x.Accesses {
			within = append(within, a.multiple(x, i, access, base))
		}
		if answer = a.check(x, within); answer.Result != sat.Unsat {
			return answer
		}
	}
	a.Rely(assume.Aligned)
	return answer
}

// mayFit reports whether the two threads of a model make the accesses of a race at multiples of their
// sizes, with some inputs.
func (a *Asker) mayFit(x *Question, m *term.Model) bool {
	var within []*term.Term
	for _, v := range slices.Concat(a.trace.Shape.Thread[:], a.trace.Shape.Block[:]) {
		other := x.Thread.Term(v)
		within = append(within, a.prover.Eq(v, a.prover.Const(m.Eval(v), v.Width())), a.prover.Eq(other, a.prover.Const(m.Eval(other), other.Width())))
	}
	for i, access := range x.Accesses {
		within = append(within, a.multiple(x, i, access, a.prover.Const(0, 64)))
	}
	return a.check(x, within).Result != sat.Unsat
}

// fitted reports whether a model has the accesses of a race at multiples of their sizes.
func (a *Asker) fitted(x *Question, m *term.Model) bool {
	for i, access := range x.Accesses {
		if m.Eval(a.multiple(x, i, access, a.prover.Const(0, 64))) == 0 {
			return false
		}
	}
	return true
}

// multiple returns whether an access is at a multiple of its size in an array that begins at an
// address.
func (a *Asker) multiple(x *Question, i int, access *symbolic.Access, base *term.Term) *term.Term {
	offset := access.Offset
	if i == 1 {
		offset = x.Thread.Term(offset)
	}
	size := access.Size
	if access.Tile != nil || access.Copy != nil && !access.Copy.Own || size&(size-1) != 0 {
		size = access.Unit
	}
	return a.prover.Eq(a.prover.And(a.prover.Add(base, offset), a.prover.Const(uint64(size-1), 64)), a.prover.Const(0, 64))
}
