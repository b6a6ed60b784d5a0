package path

import "slices"

// loops are the loops of a thread. Each has a point at which its iterations are compared: its head,
// or a later point behind a test that may leave the loop, if fewer of the registers that the loop
// sets are live there. If a loop reads before it begins and again at the end of each iteration, the
// registers that its test uses differ at the head but are dead behind the test.
type loops[R comparable] struct {
	head  map[int]int        // by backward branch
	last  map[int]int        // by head, the last backward branch to it
	point map[int]int        // by head
	live  map[int]map[R]bool // by point: the registers that may be read before they are set, or are observed at the end
}

// flow is the part of an instruction that loops depend on.
type flow[R comparable] struct {
	next        []int
	sets, reads []R
}

type flows[R comparable] []flow[R]

// findLoops finds the loops of a thread whose registers are observed.
func findLoops[R comparable](t Thread[R], observed map[R]bool) *loops[R] {
	l := &loops[R]{map[int]int{}, map[int]int{}, map[int]int{}, map[int]map[R]bool{}}
	code := make(flows[R], t.Len())
	for pc := range code {
		code[pc].next = t.Next(pc)
		for _, to := range code[pc].next {
			if to <= pc {
				l.head[pc], l.last[to] = to, pc
			}
		}
	}
	if len(l.head) == 0 {
		return l
	}
	for pc := range code {
		if code[pc].next == nil {
			code[pc].next = []int{pc + 1}
		}
		code[pc].sets, code[pc].reads = t.Uses(pc)
	}
	live := code.liveness(observed)
	for head, last := range l.last {
		point := code.pointOf(head, last, live)
		l.point[head], l.live[point] = point, live[point]
	}
	return l
}

// pointOf returns the point of the loop of the instructions from its head to the last.
func (code flows[R]) pointOf(head, last int, live []map[R]bool) (point int) {
	varies := func(pc int) (n int) {
		for r := range live[pc] {
			sets := func(f flow[R]) bool { return slices.Contains(f.sets, r) }
			if slices.ContainsFunc(code[head:last+1], sets) {
				n++
			}
		}
		return n
	}
	point = head
	for pc, least := head, varies(head); least > 0; {
		var inside []int
		next := code[pc].next
		for _, to := range next {
			if head <= to && to <= last {
				inside = append(inside, to)
			}
		}
		if len(inside) != 1 || inside[0] <= pc { // another test, or round again
			break
		}
		if pc = inside[0]; len(next) > 1 && varies(pc) < least {
			point, least = pc, varies(pc)
		}
	}
	return point
}

// liveness returns the registers that are live before each instruction, and at the end: the usual
// backward analysis, to its fixpoint.
func (code flows[R]) liveness(observed map[R]bool) []map[R]bool {
	live := make([]map[R]bool, len(code)+1)
	for pc := range code {
		live[pc] = map[R]bool{}
	}
	live[len(code)] = observed
	for changed := true; changed; {
		changed = false
		for pc := len(code) - 1; pc >= 0; pc-- {
			before := len(live[pc])
			for _, next := range code[pc].next {
				for r := range live[next] {
					if !slices.Contains(code[pc].sets, r) {
						live[pc][r] = true
					}
				}
			}
			for _, r := range code[pc].reads {
				live[pc][r] = true
			}
			changed = changed || len(live[pc]) > before
		}
	}
	return live
}
