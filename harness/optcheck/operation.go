package optcheck

import (
	"fmt"
	"iter"
	"math/bits"
	"strings"
)

// operation is a memory operation of a control path, of the test or of the machine code.
type operation struct {
	kind     kind
	bits     int // of an access
	space    space
	strength strength
	orMore   bool // for a fence of the test: the driver may choose a wider scope
	// for an atomic or reduction: ADD; for a fence: SC or ALL; for an asynchronous operation: its
	// name
	function string
	place    accessPlace
	addr     deps
	data     deps
	ctrl     deps
	text     string // the instruction
	index    int    // index of the instruction in its code
	waits    deps   // loads whose values the machine code has waited for since the previous operation
}

// kind is what an operation does.
type kind uint8

const (
	load kind = iota
	store
	atomic
	reduction // an atomic without a result
	fence
	invalidation // of the L1 cache: the second half of an acquire
	barrier
	// an asynchronous operation, a wait for one, or one on an mbarrier: the function tells which
	asynchronous
)

func (k kind) String() string {
	return [...]string{
		"load", "store", "atomic", "reduction", "fence", "invalidation of L1", "barrier", "operation issued",
	}[k]
}

func (k kind) isAccess() bool { return k <= reduction }

// space is the state space of an access. Tests access shared memory of other CTAs of the cluster as
// such; machine code has generic accesses for that, whose address tells the memory (PTX ISA,
// "Generic Addressing").
type space uint8

const (
	inGlobal space = iota
	inShared
	inCluster // of a test: in the shared memory of another CTA
	generic   // of machine code
)

func (s space) String() string {
	return [...]string{"global", "shared", "shared::cluster", "generic"}[s]
}

// fits reports whether machine code may have this space where a test has another.
func (s space) fits(test space) bool {
	return s == test || s == generic && test != inShared
}

// strength is the scope of an access or fence. Clusters have no strength of their own: they use
// that of the GPU.
type strength uint8

const (
	weak strength = iota
	cta
	gpu
	system
	mmio
)

func (s strength) String() string { return [...]string{"weak", "CTA", "GPU", "SYS", "MMIO"}[s] }

// accessPlace is the memory that an access reaches, as far as that can be traced.
type accessPlace struct {
	traced bool
	slot   int    // the array or scalar of the test
	offset uint32 // in it; for shared memory of machine code, from an unknown origin
	varies bool   // the address depends on a value that was read
	rest   string // the rest of the address: the same for all accesses to a slot
}

// deps is a set of operations of a path, by their numbers.
type deps uint64

// maxOperations bounds the operations that a set of dependencies can hold.
const maxOperations = 60

// each yields the members.
func (d deps) each(yield func(int) bool) {
	for d != 0 {
		n := bits.TrailingZeros64(uint64(d))
		if !yield(n) {
			return
		}
		d &^= 1 << n
	}
}

// difference is a difference between an operation of the machine code and one of the test.
type difference struct {
	what          string
	machine, test any // the values of the two, or nil
}

func (d difference) String() string {
	if d.machine == nil {
		return d.what
	}
	return fmt.Sprintf("%s %v in the machine code, %v in the test", d.what, d.machine, d.test)
}

// differences yields the differences between an operation of the machine code and one of the test.
func (o *operation) differences(test *operation) iter.Seq[difference] {
	return func(yield func(difference) bool) {
		if !o.implements(test) {
			yield(difference{"kind", o.kind, test.kind})
			return
		}
		access := o.kind.isAccess()
		otherStrength := test.space != inShared && o.strength != test.strength &&
			!(test.orMore && o.strength > test.strength)
		if o.function != test.function && !yield(difference{"function", o.function, test.function}) {
			return
		}
		if access && o.bits != test.bits && !yield(difference{"width", o.bits, test.bits}) {
			return
		}
		if access && o.space != test.space && !o.space.fits(test.space) &&
			!yield(difference{"state space", o.space, test.space}) {
			return
		}
		if otherStrength && !yield(difference{"strength", o.strength, test.strength}) {
			return
		}
		if o.elsewhere(test) {
			yield(difference{what: "it accesses another location in the machine code"})
		}
	}
}

// is reports whether there are no differences.
func (o *operation) is(test *operation) bool {
	for range o.differences(test) {
		return false
	}
	return true
}

// implements reports whether the kinds fit: an atomic whose result is not used may be a reduction,
// and there are no reductions of the shared memory of other CTAs.
func (o *operation) implements(test *operation) bool {
	return o.kind == test.kind || o.kind == reduction && test.kind == atomic ||
		o.kind == atomic && test.kind == reduction && test.space == inCluster
}

// elsewhere reports whether the two certainly access different memory.
func (o *operation) elsewhere(test *operation) bool {
	if !o.place.traced || !test.place.traced {
		return false
	}
	if o.place.slot != test.place.slot {
		return true
	}
	exact := !o.place.varies && !test.place.varies && test.space == inGlobal
	return exact && o.place.offset != test.place.offset
}

// String describes the operation.
func (o *operation) String() string {
	var words []string
	switch {
	case o.kind == fence:
		words = append(words, o.function, o.strength.String())
	case o.kind == asynchronous:
		return o.function
	case o.kind.isAccess():
		words = append(words, fmt.Sprintf("%d-bit", o.bits))
		if o.space != inShared {
			words = append(words, o.strength.String())
		}
		if o.space == inShared || o.space == inCluster {
			words = append(words, o.space.String())
		}
		if o.function != "" {
			words = append(words, o.function)
		}
	}
	return strings.Join(append(words, o.kind.String()), " ")
}

// path is the sequence of operations of a thread on one control path.
type path struct {
	ops []operation
	cut bool // it goes on, but is long enough
}

// add appends an operation. Of two consecutive fences, the weaker one is redundant; some versions
// of the assembler write such pairs for one fence.
func (p *path) add(o operation) {
	last := p.last()
	switch {
	case last != nil && last.coversFence(&o):
		return
	case last != nil && o.coversFence(last):
		p.ops = p.ops[:len(p.ops)-1]
	}
	p.ops = append(p.ops[:len(p.ops):len(p.ops)], o)
}

// last returns the last operation, or nil.
func (p *path) last() *operation {
	if len(p.ops) == 0 {
		return nil
	}
	return &p.ops[len(p.ops)-1]
}

// grows reports whether an operation makes the path longer.
func (p *path) grows(o operation) bool {
	last := p.last()
	return last == nil || !last.coversFence(&o) && !o.coversFence(last)
}

// coversFence reports whether a fence is at least as strong as another.
func (o *operation) coversFence(other *operation) bool {
	return o.kind == fence && other.kind == fence && other.strength <= o.strength &&
		(other.function == o.function || o.function == "SC")
}
