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
	orMore   bool   // of a fence of the test: the driver decides whether it reaches further
	function string // of an atomic or reduction: ADD; of a fence: SC or ALL; of an asynchronous operation: its name
	place    place
	addr     deps
	data     deps
	ctrl     deps
	text     string // the instruction
	index    int    // of the instruction in its code
	waits    deps   // loads whose value the machine code has waited for since the operation before
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
	asynchronous // and what is about such operations, or about mbarriers: the function says what
)

func (k kind) String() string {
	return [...]string{
		"load", "store", "atomic", "reduction", "fence", "invalidation of L1", "barrier", "operation issued",
	}[k]
}

func (k kind) isAccess() bool { return k <= reduction }

// space is the state space of an access. Tests reach shared memory of other CTAs of the cluster as such; machine code has
// generic accesses for that, whose address says which memory it is (PTX ISA, "Generic Addressing").
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

// fits reports that machine code may have a space where a test has another.
func (s space) fits(test space) bool {
	return s == test || s == generic && test != inShared
}

// strength is how far an access or fence reaches. Clusters have none of their own: they use that
// of the GPU.
type strength uint8

const (
	weak strength = iota
	cta
	gpu
	system
	mmio
)

func (s strength) String() string { return [...]string{"weak", "CTA", "GPU", "SYS", "MMIO"}[s] }

// place is the memory that an access reaches, as far as that can be traced.
type place struct {
	traced bool
	slot   int    // the array or scalar of the test
	offset uint32 // in it; for shared memory of machine code, from an unknown origin
	varies bool   // what was read is part of the address
	rest   string // of the address: the same for all accesses to a slot
}

// deps is a set of operations of a path, by their numbers.
type deps uint64

// maxOperations is how many operations a set of dependencies can tell apart.
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

// difference is one between an operation of the machine code and one of the test.
type difference struct {
	what          string
	machine, test any // what the two have; nil if what says all
}

func (d difference) String() string {
	if d.machine == nil {
		return d.what
	}
	return fmt.Sprintf("%s %v in the machine code, %v in the test", d.what, d.machine, d.test)
}

// differences are those between an operation of the machine code and one of the test.
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

// is reports that there are none.
func (o *operation) is(test *operation) bool {
	for range o.differences(test) {
		return false
	}
	return true
}

// implements reports that the kinds fit: an atomic whose result nobody needs may be a
// reduction, and there are no reductions of the shared memory of other CTAs.
func (o *operation) implements(test *operation) bool {
	return o.kind == test.kind || o.kind == reduction && test.kind == atomic ||
		o.kind == atomic && test.kind == reduction && test.space == inCluster
}

// elsewhere reports that the two are sure to access different memory.
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

// String is the operation in words.
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

// path is what a thread does on one control path.
type path struct {
	ops []operation
	cut bool // it goes on, but is long enough
}

// add appends an operation. Of two fences in a row, the weaker one is useless; some versions of the assembler write such pairs for one
// fence.
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

// last is the last operation; nil if there is none.
func (p *path) last() *operation {
	if len(p.ops) == 0 {
		return nil
	}
	return &p.ops[len(p.ops)-1]
}

// grows reports that the path becomes longer by an operation.
func (p *path) grows(o operation) bool {
	last := p.last()
	return last == nil || !last.coversFence(&o) && !o.coversFence(last)
}

// coversFence reports that a fence does all that another does.
func (o *operation) coversFence(other *operation) bool {
	return o.kind == fence && other.kind == fence && other.strength <= o.strength &&
		(other.function == o.function || o.function == "SC")
}
