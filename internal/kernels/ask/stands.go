package ask

import (
	"maps"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// A verdict lists the assumptions that it relies on (package assume), and no others. For example,
// it does not list that volatile accesses do not race if a barrier is between them.

// stands is the assumptions that answers stand on.
type stands struct {
	a         *Asker
	on        map[*assume.Assumption]bool
	tried     int                     // pairs that were asked about
	arrays    map[string]heldArray    // see held; nil if not computed yet
	outside   map[string]bool         // arrays to which no other program may write
	unset     map[string]bool         // shared arrays whose unwritten memory must stay the same
	seen      map[*term.Term]bool     // terms that steering has visited
	functions map[*term.Term][]string // memorized reads
}

// heldArray is an array whose contents are functions of the offset.
type heldArray struct {
	name   string
	shared bool
}

// maxStands bounds the pairs of accesses that are asked about. Beyond it, every assumption counts.
const maxStands = 500

func newStands(a *Asker) *stands {
	return &stands{
		a: a, on: map[*assume.Assumption]bool{}, outside: map[string]bool{}, unset: map[string]bool{}, seen: map[*term.Term]bool{}, functions: map[*term.Term][]string{},
	}
}

// rely records that the answers rely on an assumption.
func (s *stands) rely(on *assume.Assumption) { s.on[on] = true }

// lean records the assumptions without which a pair would race.
func (s *stands) lean(p Pair) {
	if len(s.a.found.Findings) > 0 {
		return
	}
	if on := p.tolerated(); on != nil && !s.on[on] && s.matters(p) {
		s.rely(on)
	}
	s.leanOnReads(p)
}

// tolerated returns the assumption by which a pair does not race although no barrier may be
// between, or nil. The atomicity of PTX's atomics is no assumption.
func (p Pair) tolerated() *assume.Assumption {
	c := &p.a.Config
	strong := p.strong()
	plain := func(x *trace.Access) bool { return x.Kind != trace.Atomic && x.Strong != isa.NoScope }
	switch {
	case c.BarriersOnly && p.both(trace.Atomic):
		if !strong.True() {
			return assume.Atomics
		}
	case strong.False() || c.BarriersOnly:
		if c.SameValue && p.both(trace.Store) {
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
func (s *stands) matters(p Pair) bool {
	s.tried++
	return s.tried > maxStands || p.Encounter()
}

// leanOnReads records the arrays that both threads read on their ways to a pair that would race if
// they read different values.
func (s *stands) leanOnReads(p Pair) {
	mine, theirs := s.reads(p.First.Guard), s.reads(p.Other.Guard)
	common := slices.DeleteFunc(slices.Clone(mine), func(name string) bool {
		h := s.arrays[name]
		return !slices.Contains(theirs, name) || s.outside[h.name] || s.unset[h.name]
	})
	if len(common) == 0 || p.strong().True() {
		return
	}
	x, y := *p.First, *p.Other
	x.Guard, y.Guard = s.a.prover.Bool(true), s.a.prover.Bool(true)
	if !s.matters(s.a.Pair(&x, &y, p.Thread)) {
		return
	}
	for _, name := range common {
		s.rests(s.arrays[name])
	}
}

// rests records that the answers rely on the contents of an array.
func (s *stands) rests(on heldArray) {
	if on.shared {
		s.unset[on.name] = true
	} else {
		s.outside[on.name] = true
	}
}

// held returns the arrays whose contents are functions of the offset, by the names of these
// functions.
func (s *stands) held() map[string]heldArray {
	if s.arrays == nil {
		s.arrays = map[string]heldArray{}
		for _, r := range s.a.trace.Reads {
			op, err := isa.Decode(r.Instr.Opcode)
			if r.Value.Op() == term.App && err == nil && !op.ReadOnly() && (r.Region.Space == isa.Global || r.Region.Space == isa.Shared) {
				s.arrays[r.Value.Name()] = heldArray{arrayName(r.Region), r.Region.Space == isa.Shared}
			}
		}
	}
	return s.arrays
}

func arrayName(r *trace.Region) string {
	if r.Variable != nil {
		return kernel.SourceName(r.Name)
	}
	return r.Name
}

// rested reports whether a term is the contents of such an array. For shared memory, this only
// counts before any thread of the block can have passed a barrier.
func (s *stands) rested(v *term.Term) (heldArray, bool) {
	h, ok := s.held()[v.Name()]
	if ok && h.shared && strings.HasSuffix(v.Name(), "@") {
		passed, known := v.Args()[1].Value()
		ok = known && passed == 0
	}
	return h, ok && v.Op() == term.App
}

// reads returns the names of such functions in a condition.
func (s *stands) reads(guard *term.Term) (names []string) {
	names, known := s.functions[guard]
	if known || len(s.held()) == 0 {
		return names
	}
	term.Visit(guard, map[*term.Term]bool{}, func(v *term.Term) bool {
		if _, ok := s.rested(v); ok && !slices.Contains(names, v.Name()) {
			names = append(names, v.Name())
		}
		return false
	})
	s.functions[guard] = names
	return names
}

// steering records the arrays whose contents decide where threads meet and which memory they
// access.
func (s *stands) steering() {
	if len(s.held()) == 0 {
		return
	}
	look := func(terms ...*term.Term) {
		for _, t := range terms {
			if t == nil {
				continue
			}
			term.Visit(t, s.seen, func(v *term.Term) bool {
				if h, ok := s.rested(v); ok {
					s.rests(h)
				}
				return false
			})
		}
	}
	for _, b := range s.a.trace.Barriers {
		look(b.Guard, b.Number)
	}
	for _, x := range s.a.trace.Arrivals {
		look(x.Guard, x.Number, x.Count)
	}
	for _, c := range s.a.trace.Convergences {
		look(c.Guard, c.Mask)
	}
	for _, x := range s.a.trace.Accesses {
		if !s.a.Config.Divergence {
			look(x.Offset)
		}
	}
}

// list returns the assumptions that the answers rely on, besides those in the trace.
func (s *stands) list() (all []string) {
	s.steering()
	for _, on := range assume.All {
		switch {
		case on == assume.NoOtherWriter && len(s.outside) > 0:
			all = append(all, on.Of(slices.Sorted(maps.Keys(s.outside))))
		case on == assume.UnwrittenShared && len(s.unset) > 0:
			all = append(all, on.Of(slices.Sorted(maps.Keys(s.unset))))
		case s.on[on]:
			all = append(all, on.Of())
		}
	}
	return all
}
