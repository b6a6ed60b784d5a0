package launch

import (
	"cmp"
	"slices"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Report is what a launch did.
type Report struct {
	Launch      Launch
	Kernel      *kernel.Function
	Steps       int
	Accesses    []Access
	Syncs       []Sync
	Races       []Race
	Divergences []Divergence
	Failures    []Failure
	Excluded    *kernel.Instr // a precondition that does not hold: the launch shows nothing
	Failed      *kernel.Instr // the instruction at which the launch failed, or nil

	buffers []*Object
}

// Sync is a fence, or an arrival at a barrier.
type Sync struct {
	Thread  int
	After   int // number of accesses in the report before it
	Instr   *kernel.Instr
	Op      *isa.Opcode
	Meeting int // number of the meeting at a barrier, which the threads that meet share; 0 if it never completed
}

// Read returns n bytes of a buffer after the launch as a number.
func (r *Report) Read(b *Buffer, offset int64, n int) uint64 {
	for _, o := range r.buffers {
		if o.Buffer == b {
			return o.load(offset, n)
		}
	}
	return 0
}

// Race is two accesses that conflict and that nothing orders.
type Race struct{ First, Second *Access }

// races returns pairs of accesses that race: one pair for each two instructions, same or different
// block, and object. For each byte, thread and instruction, the last access suffices: accesses are
// in the order in which they took effect, so an access that is ordered after the last is ordered
// after all of them.
func (r *Report) races() []Race {
	type place struct {
		object *Object
		offset int64
	}
	units := r.units()
	last := map[place]history{}
	found := map[raceKind]bool{}
	var races []Race
	for i := range r.Accesses {
		b := &r.Accesses[i]
		unit := units[b.Object]
		for k := int64(0); k < int64(b.Bytes); k += unit {
			p := place{b.Object, b.Offset + k}
			h := last[p]
			for _, by := range h {
				what := raceKind{by.instr, b.Instr, b.Object.Name, by.block == b.Block}
				if found[what] || found[raceKind{b.Instr, by.instr, what.object, what.block}] {
					continue
				}
				for _, a := range by.last {
					if r.Launch.Racing(a, b) {
						found[what] = true
						races = append(races, Race{a, b})
						break
					}
				}
			}
			last[p] = h.add(b)
		}
	}
	slices.SortStableFunc(races, func(x, y Race) int {
		return cmp.Or(cmp.Compare(x.First.Instr.At.Start, y.First.Instr.At.Start),
			cmp.Compare(x.Second.Instr.At.Start, y.Second.Instr.At.Start))
	})
	return races
}

// raceKind identifies a group of races; only one of them is reported.
type raceKind struct {
	first, second *kernel.Instr
	object        string
	block         bool // the threads are in one block
}

// history is the accesses to a piece of memory.
type history []*visits

// visits is the last access of each thread of a block by an instruction.
type visits struct {
	instr *kernel.Instr
	block int
	last  map[int]*Access
}

// add adds an access.
func (h history) add(a *Access) history {
	for _, by := range h {
		if by.instr == a.Instr && by.block == a.Block {
			by.last[a.Thread] = a
			return h
		}
	}
	return append(h, &visits{a.Instr, a.Block, map[int]*Access{a.Thread: a}})
}

// units returns, for each object, a number of bytes that divides the offset and size of every
// access: two accesses with a common byte have a common unit of that size.
func (r *Report) units() map[*Object]int64 {
	units := map[*Object]int64{}
	for i := range r.Accesses {
		a := &r.Accesses[i]
		units[a.Object] = gcd(gcd(units[a.Object], a.Offset), int64(a.Bytes))
	}
	return units
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// Racing reports whether two accesses to a common byte race (PTX ISA, "Memory Consistency Model",
// "Conflict and Data-races"): two threads make them, one writes, they are not morally strong, and
// no barrier orders them. An asynchronous copy of a thread also races with accesses of the same
// thread before it has waited for the copy.
func Racing(a, b *Access) bool { return Launch{}.Racing(a, b) }

// Racing is Racing under the options of the launch.
func (l Launch) Racing(a, b *Access) bool {
	meet := MorallyStrong
	if l.BarriersOnly {
		meet = func(a, b *Access) bool { return a.Op.Class() == isa.ClassAtomic && b.Op.Class() == isa.ClassAtomic }
	}
	switch {
	case !a.Writes && !b.Writes:
		return false
	case ReadOnly(a, b):
		return true
	case l.SameValue && alike(a, b):
		return false
	case a.Thread == b.Thread:
		return a.overtakes(b) || b.overtakes(a)
	}
	return !meet(a, b) && !ordered(a, b) && !ordered(b, a)
}

// alike reports whether two stores write the same value to the same bytes.
func alike(a, b *Access) bool {
	return !a.Reads && !b.Reads && a.Offset == b.Offset && a.Bytes == b.Bytes && a.Value == b.Value
}

// ReadOnly reports whether one of two accesses assumes that memory is read-only (ld.global.nc, say)
// and the other writes. Nothing orders them, not even program order.
func ReadOnly(a, b *Access) bool { return a.Op.ReadOnly() && b.Writes || b.Op.ReadOnly() && a.Writes }

// ordered reports whether a barrier orders a before b.
func ordered(a, b *Access) bool { return a.Block == b.Block && b.seen[a.index] >= a.ends() }

// MorallyStrong reports whether both accesses are strong, each in the scope of the other, and to
// the same bytes (PTX ISA, "Morally-Strong Operations").
func MorallyStrong(a, b *Access) bool {
	return includes(a, b) && includes(b, a) && a.Offset == b.Offset && a.Bytes == b.Bytes
}

// includes reports whether an access is strong and its scope includes the thread of another (PTX
// ISA, "Strong Operations", "Scope"). By default atomics are relaxed at GPU scope, and volatile
// accesses are relaxed at system scope.
func includes(a, b *Access) bool {
	switch op := a.Op; {
	case op.Volatile || op.MMIO:
		return true
	case op.Class() != isa.ClassAtomic && op.Order <= isa.Weak:
		return false
	case op.Scope == isa.ScopeCTA:
		return a.Block == b.Block
	case op.Scope == isa.ScopeCluster:
		return a.Cluster == b.Cluster
	}
	return true
}

// Verdict is what launches show.
type Verdict struct{ Race, Divergence, Assertion bool }

// Verdict returns what the launch shows.
func (r *Report) Verdict() Verdict {
	if r.Excluded != nil {
		return Verdict{}
	}
	return Verdict{len(r.Races) > 0, len(r.Divergences) > 0, len(r.Failures) > 0}
}

// Or returns what either of two launches shows.
func (v Verdict) Or(w Verdict) Verdict {
	return Verdict{v.Race || w.Race, v.Divergence || w.Divergence, v.Assertion || w.Assertion}
}

func (v Verdict) String() string {
	switch {
	case v.Race:
		return "race"
	case v.Divergence:
		return "divergence"
	case v.Assertion:
		return "assertion"
	}
	return "verified"
}
