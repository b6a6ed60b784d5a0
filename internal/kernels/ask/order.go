package ask

import (
	"iter"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/kernel"
)

type pairs = iter.Seq2[*trace.Access, *trace.Access]

// inOrder returns the pairs of accesses to one array, in program order.
func inOrder(regions []*trace.Region, of map[*trace.Region][]*trace.Access) pairs {
	return func(yield func(a, b *trace.Access) bool) {
		for _, r := range regions {
			for i, a := range of[r] {
				for _, b := range of[r][i:] {
					if !yield(a, b) {
						return
					}
				}
			}
		}
	}
}

// byTurns returns the same pairs: the first of each two instructions, then the second of each, and
// so on. Unrolled loops have many pairs, behind which those of other instructions would come too
// late.
func byTurns(regions []*trace.Region, of map[*trace.Region][]*trace.Access) pairs {
	var all []*executions
	for _, r := range regions {
		all = append(all, executionsOf(of[r])...)
	}
	return func(yield func(a, b *trace.Access) bool) {
		for more := true; more; {
			more = false
			for _, e := range all {
				if a, b, ok := e.next(); ok {
					if more = true; !yield(a, b) {
						return
					}
				}
			}
		}
	}
}

// executions are the accesses of two instructions to one array, and how far their pairs have been
// enumerated.
type executions struct {
	first, second []placed
	i, j          int // which come next
}

// placed is an access and its index among all to its array.
type placed struct {
	access *trace.Access
	place  int
}

// executionsOf returns the executions of each two instructions.
func executionsOf(accesses []*trace.Access) (all []*executions) {
	of := map[*kernel.Instr][]placed{}
	var order []*kernel.Instr
	for i, a := range accesses {
		if of[a.Instr] == nil {
			order = append(order, a.Instr)
		}
		of[a.Instr] = append(of[a.Instr], placed{a, i})
	}
	for i, a := range order {
		for _, b := range order[i:] {
			all = append(all, &executions{first: of[a], second: of[b]})
		}
	}
	return all
}

// next returns the next pair (x, y), where x is no later than y.
func (e *executions) next() (a, b *trace.Access, ok bool) {
	for e.i < len(e.first) {
		x, y := e.first[e.i], e.second[e.j]
		if e.j++; e.j == len(e.second) {
			e.i, e.j = e.i+1, 0
		}
		switch {
		case x.place <= y.place:
			return x.access, y.access, true
		case x.access.Instr != y.access.Instr:
			return y.access, x.access, true
		}
	}
	return nil, nil, false
}
