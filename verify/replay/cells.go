package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/ptx/isa"
)

// A location of a litmus test has one size. If accesses of a kernel overlap partially, memory is
// cut at their ends into pieces, each a location, and such an access becomes one access to each of
// its pieces. These are weak, because accesses that overlap partially are never morally strong (PTX
// ISA, "Morally-Strong Operations").

// piece is a range of bytes of an object that each access touches completely or not at all.
type piece struct {
	object *launch.Object
	from   int64
	to     int64
	name   string
}

// cells are the pieces, sorted by position.
type cells []piece

func newCells(events [][]event) cells {
	cuts := map[*launch.Object][]int64{}
	var objects []*launch.Object
	var all []*launch.Access
	for _, thread := range events {
		for _, e := range thread {
			if a := e.access; a != nil {
				if cuts[a.Object] == nil {
					objects = append(objects, a.Object)
				}
				cuts[a.Object] = append(cuts[a.Object], a.Offset, a.Offset+int64(a.Bytes))
				all = append(all, a)
			}
		}
	}
	slices.SortStableFunc(objects, func(a, b *launch.Object) int { return cmp.Compare(a.Name, b.Name) })
	var c cells
	used := map[string]bool{}
	for _, o := range objects {
		ends := cuts[o]
		slices.Sort(ends)
		ends = slices.Compact(ends)
		for i := range len(ends) - 1 {
			touched := slices.ContainsFunc(all, func(a *launch.Access) bool {
				return a.Object == o && a.Offset <= ends[i] && ends[i+1] <= a.Offset+int64(a.Bytes)
			})
			if touched {
				c = append(c, piece{o, ends[i], ends[i+1], name(o, ends[i], used)})
			}
		}
	}
	return c
}

// name returns a location name for bytes of an object, unique within the test.
func name(o *launch.Object, offset int64, used map[string]bool) string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, kernel.OwnName(o.Name))
	plain = strings.TrimLeft(plain, "_0123456789")
	s := fmt.Sprintf("%s_%d", cmp.Or(plain, "m"), offset)
	if offset < 0 {
		s = fmt.Sprintf("%s_m%d", cmp.Or(plain, "m"), -offset)
	}
	for used[s] {
		s += "_"
	}
	used[s] = true
	return s
}

// pieces returns the pieces of an access. Of the accesses of a race, only their common bytes count.
func (t *test) pieces(a *launch.Access) []piece {
	all := t.cells.pieces(a)
	if !slices.Contains(t.race, a) {
		return all
	}
	other := t.race[0]
	if other == a {
		other = t.race[1]
	}
	return slices.DeleteFunc(all, func(p piece) bool {
		return p.from < other.Offset || other.Offset+int64(other.Bytes) < p.to
	})
}

func (c cells) pieces(a *launch.Access) (all []piece) {
	for _, p := range c {
		if p.object == a.Object && a.Offset <= p.from && p.to <= a.Offset+int64(a.Bytes) {
			all = append(all, p)
		}
	}
	return all
}

func (c cells) locations() (all []string) {
	for _, p := range c {
		all = append(all, p.name)
	}
	return all
}

// shared declares the locations in shared memory.
func (c cells) shared() (all []string) {
	for _, p := range c {
		if p.object.Space == isa.Shared {
			all = append(all, p.name+": shared")
		}
	}
	return all
}

// bits returns the bits of a piece in the value of an access.
func (p piece) bits(a *launch.Access, v uint64) uint64 {
	n := 8 * width(p.to-p.from)
	return v >> (8 * (p.from - a.Offset)) << (64 - n) >> (64 - n)
}

// instructions translates an event into instructions of the test.
func (t *test) instructions(thread int, e event) []string {
	if e.sync != nil {
		return []string{barrier(e.sync)}
	}
	a := e.access
	pieces := t.pieces(a)
	var all []string
	for _, p := range pieces {
		all = append(all, t.instruction(thread, e, p, len(pieces) == 1)...)
	}
	return all
}

// barrier returns a fence unchanged, or a barrier with the number of its meeting.
func barrier(s *launch.Sync) string {
	switch {
	case s.Meeting == 0:
		return s.Op.Text
	case s.Op.Meeting == isa.Arrive:
		return fmt.Sprintf("bar.cta.arrive %d", s.Meeting)
	}
	return fmt.Sprintf("bar.cta.sync %d", s.Meeting)
}

// instruction translates an access to a piece. An atomic that covers more than the piece becomes a
// load and a store.
func (t *test) instruction(thread int, e event, p piece, whole bool) []string {
	a := e.access
	strong := t.strong(e)
	typ := fmt.Sprintf("u%d", 8*width(p.to-p.from))
	register := func() string {
		r := fmt.Sprintf("r%d", t.reads[thread])
		t.reads[thread]++
		if _, ok := t.read[a]; !ok {
			t.read[a] = r
		}
		return r
	}
	if strong && whole && a.Op.Class() == isa.ClassAtomic {
		return []string{t.atomic(a, "."+orders[a.Op.Order]+"."+scopes[a.Op.Scope], p.name, register)}
	}
	var all []string
	if a.Reads {
		all = append(all, fmt.Sprintf("ld%s.%s %s, [%s]", strength(a, strong, isa.Acquire), typ, register(), p.name))
	}
	if a.Writes {
		all = append(all,
			fmt.Sprintf("st%s.%s [%s], %d", strength(a, strong, isa.Release), typ, p.name,
				int64(p.bits(a, written(a)))))
	}
	return all
}

// strength returns the modifier for the strength of a load or store; most is the strongest order
// that the instruction can have.
func strength(a *launch.Access, strong bool, most isa.Order) string {
	switch order := a.Op.Order; {
	case !strong:
		return ".weak"
	case a.Op.Volatile || a.Op.MMIO:
		return ".volatile"
	case order == most || order == isa.AcqRel:
		return "." + orders[most] + "." + scopes[a.Op.Scope]
	}
	return ".relaxed." + scopes[a.Op.Scope]
}

// atomic returns an atomic on a location. Where PTX has the operation for vectors only, it is a
// compare-and-swap that succeeds.
func (t *test) atomic(a *launch.Access, order, location string, register func() string) string {
	typ := a.Op.Type(0)
	operation := fmt.Sprintf("%s.%s", a.Op.Update, typ)
	if typ.Kind == isa.Floating && a.Bytes == 2 {
		operation = "add.noftz." + strings.TrimSuffix(typ.String(), "x2")
		if a.Op.Update != isa.UpdateAdd {
			return fmt.Sprintf("atom%s.cas.b16 %s, [%s], %d, %d", order, register(), location, int64(a.Value),
				int64(a.Next))
		}
	}
	s := order + "." + operation + " "
	if a.Op.Code == isa.Red {
		s = "red" + s
	} else {
		s = "atom" + s + register() + ", "
	}
	s += "[" + location + "]"
	for _, v := range a.Operands {
		s += fmt.Sprintf(", %d", v)
	}
	return s
}

// width returns the size in bytes of an access to a piece of some bytes: the largest power of two
// within it. Only which accesses meet matters.
func width(bytes int64) int64 {
	w := int64(1)
	for 2*w <= bytes {
		w *= 2
	}
	return w
}

var orders = map[isa.Order]string{
	isa.NoOrder: "relaxed", isa.Relaxed: "relaxed", isa.Acquire: "acquire",
	isa.Release: "release", isa.AcqRel: "acq_rel",
}

var scopes = map[isa.Scope]string{
	isa.NoScope: "gpu", isa.ScopeCTA: "cta", isa.ScopeCluster: "cluster", isa.ScopeGPU: "gpu", isa.ScopeSys: "sys",
}
