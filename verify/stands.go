package verify

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
func (q *questions) lean(a, b *symbolic.Access, s *second) {
	if len(q.result.Alarms) > 0 {
		return
	}
	if on := q.tolerates(a, b, s); on != nil && !q.stands.on[on] && q.matters(a, b, s) {
		q.stands.on[on] = true
	}
	q.leanOnReads(a, b, s)
}

// tolerates returns why two accesses are no race though no barrier may be between; nil if that is
// not so, or PTX's atomics are the reason.
func (q *questions) tolerates(a, b *symbolic.Access, s *second) *assume.Assumption {
	strong := q.strong(a, b, s)
	plain := func(a *symbolic.Access) bool { return a.Kind != symbolic.Atomic && a.Strong != isa.NoScope }
	switch {
	case q.config.BarriersOnly && a.Kind == symbolic.Atomic && b.Kind == symbolic.Atomic:
		if !strong.True() {
			return assume.Atomics
		}
	case strong.False() || q.config.BarriersOnly:
		if q.config.SameValue && a.Kind == symbolic.Store && b.Kind == symbolic.Store {
			return assume.SameValue
		}
	case a.Volatile || b.Volatile:
		return assume.Volatile
	case plain(a) || plain(b):
		return assume.Strong
	}
	return nil
}

// matters reports whether two accesses may meet, with no barrier in between.
func (q *questions) matters(a, b *symbolic.Access, s *second) bool {
	q.stands.tried++
	return q.stands.tried > maxStands || q.encounter(a, b, s)
}

// leanOnReads notes arrays of which both threads read something on their ways to two accesses that
// would race if they did not read the same.
func (q *questions) leanOnReads(a, b *symbolic.Access, s *second) {
	mine, theirs := q.reads(a.Guard), q.reads(b.Guard)
	common := slices.DeleteFunc(slices.Clone(mine), func(name string) bool {
		h := q.stands.arrays[name]
		return !slices.Contains(theirs, name) || q.stands.outside[h.name] || q.stands.unset[h.name]
	})
	if len(common) == 0 || q.strong(a, b, s).True() {
		return
	}
	x, y := *a, *b
	x.Guard, y.Guard = q.Bool(true), q.Bool(true)
	if !q.matters(&x, &y, s) {
		return
	}
	for _, name := range common {
		q.rests(q.stands.arrays[name])
	}
}

func (q *questions) rests(on heldArray) {
	if on.shared {
		q.stands.unset[on.name] = true
	} else {
		q.stands.outside[on.name] = true
	}
}

// held returns the arrays whose contents are functions of the offset, by the names of these.
func (q *questions) held() map[string]heldArray {
	if q.stands.arrays == nil {
		q.stands.arrays = map[string]heldArray{}
		for _, r := range q.trace.Reads {
			op, err := isa.Decode(r.Instr.Opcode)
			if r.Value.Op() == term.App && err == nil && !op.ReadOnly() && (r.Region.Space == isa.Global || r.Region.Space == isa.Shared) {
				q.stands.arrays[r.Value.Name()] = heldArray{arrayName(r.Region), r.Region.Space == isa.Shared}
			}
		}
	}
	return q.stands.arrays
}

func arrayName(r *symbolic.Region) string {
	if r.Variable != nil {
		return kernel.SourceName(r.Name)
	}
	return r.Name
}

// rested reports whether a term is what such an array holds: of shared memory, before any thread of
// the block can have passed a barrier.
func (q *questions) rested(v *term.Term) (heldArray, bool) {
	h, ok := q.held()[v.Name()]
	if ok && h.shared && strings.HasSuffix(v.Name(), "@") {
		passed, known := v.Args()[1].Value()
		ok = known && passed == 0
	}
	return h, ok && v.Op() == term.App
}

// reads returns the functions of such arrays in a condition.
func (q *questions) reads(guard *term.Term) (names []string) {
	names, known := q.stands.functions[guard]
	if known || len(q.held()) == 0 {
		return names
	}
	visit(guard, map[*term.Term]bool{}, func(v *term.Term) bool {
		if _, ok := q.rested(v); ok && !slices.Contains(names, v.Name()) {
			names = append(names, v.Name())
		}
		return false
	})
	q.stands.functions[guard] = names
	return names
}

// steering notes the arrays on whose contents it depends where threads meet, and which memory they
// access.
func (q *questions) steering() {
	if len(q.held()) == 0 {
		return
	}
	look := func(terms ...*term.Term) {
		for _, t := range terms {
			if t == nil {
				continue
			}
			visit(t, q.stands.seen, func(v *term.Term) bool {
				if h, ok := q.rested(v); ok {
					q.rests(h)
				}
				return false
			})
		}
	}
	for _, b := range q.trace.Barriers {
		look(b.Guard, b.Number)
	}
	for _, a := range q.trace.Arrivals {
		look(a.Guard, a.Number, a.Count)
	}
	for _, c := range q.trace.Convergences {
		look(c.Guard, c.Mask)
	}
	for _, a := range q.trace.Accesses {
		if q.config.Only != OnlyDivergence {
			look(a.Offset)
		}
	}
}

// assumptions lists what the answers stand on, beside what the trace has noted.
func (q *questions) assumptions() (all []string) {
	q.steering()
	for _, a := range assume.All {
		switch {
		case a == assume.NoOtherWriter && len(q.stands.outside) > 0:
			all = append(all, a.Of(slices.Sorted(maps.Keys(q.stands.outside))))
		case a == assume.UnwrittenShared && len(q.stands.unset) > 0:
			all = append(all, a.Of(slices.Sorted(maps.Keys(q.stands.unset))))
		case q.stands.on[a]:
			all = append(all, a.Of())
		}
	}
	return all
}

// asked lists what the settings of the verdict leave out, or take for granted.
func (q *questions) asked() (all []string) {
	blocks, fixed := q.config.Launch.Grid.fixed()
	switch {
	case q.config.Only == OnlyDivergence:
		all = append(all, assume.OnlyDivergence.Of())
	case q.config.Only == OnlyBlock && (!fixed || blocks > 1):
		all = append(all, assume.OnlyBlock.Of())
	}
	for _, p := range q.trace.Params {
		if len(q.result.Alarms) > 0 {
			break // an alarm has all values, also those that were tried to find it
		}
		name := Value{Name: p.Variable.Name, Offset: p.Offset}.name()
		if p.Offset == 0 && p.Size != p.Variable.Size() {
			name += "+0"
		}
		if v, ok := q.config.Values[name]; ok {
			all = append(all, assume.Equals.Of(name, v))
		}
	}
	return append(all, says(q.config.Least)...)
}

// onMultiples asks a question about a race anew whose answer has an access at an address that is no
// multiple of its size, because of the inputs: with such inputs a GPU traps. First the array is taken
// to begin at such a multiple, as those of launches do. An alarm stays whose two threads make no
// access at a multiple, whatever the inputs are: the kernel is wrong.
func (q *questions) onMultiples(x *question, c *conjunction, answer prove.Answer) prove.Answer {
	if x.kind != Race || x.second == nil || slices.Contains(x.accesses[:], nil) || q.fitted(x, answer.Model) {
		return answer
	}
	if !q.mayFit(x, answer.Model) {
		return answer
	}
	for _, base := range []*term.Term{q.Const(0, 64), q.Var(fmt.Sprintf("base of %s", x.accesses[0].Region.Name), 64)} {
		within := slices.Clone(c.all)
		for i, a := range x.accesses {
			within = append(within, q.multiple(x, i, a, base))
		}
		if answer = q.check(x, within); answer.Result != sat.Unsat {
			return answer
		}
	}
	q.stands.on[assume.Aligned] = true
	return answer
}

// mayFit reports whether the two threads of a model make the accesses of a race at multiples of their
// sizes, with some inputs.
func (q *questions) mayFit(x *question, m *term.Model) bool {
	var within []*term.Term
	for _, v := range slices.Concat(q.trace.Shape.Thread[:], q.trace.Shape.Block[:]) {
		other := x.second.Term(v)
		within = append(within, q.Eq(v, q.Const(m.Eval(v), v.Width())), q.Eq(other, q.Const(m.Eval(other), other.Width())))
	}
	for i, a := range x.accesses {
		within = append(within, q.multiple(x, i, a, q.Const(0, 64)))
	}
	return q.check(x, within).Result != sat.Unsat
}

// fitted reports whether a model has the accesses of a race at multiples of their sizes.
func (q *questions) fitted(x *question, m *term.Model) bool {
	for i, a := range x.accesses {
		if m.Eval(q.multiple(x, i, a, q.Const(0, 64))) == 0 {
			return false
		}
	}
	return true
}

// multiple returns whether an access is at a multiple of its size in an array that begins at an
// address.
func (q *questions) multiple(x *question, i int, a *symbolic.Access, base *term.Term) *term.Term {
	offset := a.Offset
	if i == 1 {
		offset = x.second.Term(offset)
	}
	size := a.Size
	if a.Tile != nil || a.Copy != nil && !a.Copy.Own || size&(size-1) != 0 {
		size = a.Unit
	}
	return q.Eq(q.And(q.Add(base, offset), q.Const(uint64(size-1), 64)), q.Const(0, 64))
}
