package unwind

// Code is the instructions of a thread, as far as loops are concerned. The number behind the last
// instruction is the end.
type Code[R comparable] interface {
	Len() int
	// Back is where a backward branch leads to; false for other instructions.
	Back(pc int) (head int, ok bool)
	// Successors are the instructions that may follow.
	Successors(pc int) []int
	// Sets reports that the instruction gives a register another value, whatever it held before.
	Sets(pc int, r R) bool
	// EachRead visits the registers that the instruction looks at.
	EachRead(pc int, visit func(R))
}

// Loops are the loops of a thread, each with a point in it where the rounds are told apart: its head, or, where fewer registers that the
// loop sets are live there, behind a test on the way from there that leaves it. Where a loop reads before it begins, and again at the end of each
// round, what its test looks at differs from round to round at the head; behind the test nothing does.
type Loops[R comparable] struct {
	head  map[int]int        // by backward branch
	last  map[int]int        // by head, the last backward branch to it
	point map[int]int        // by head
	live  map[int]map[R]bool // by point: the registers that may be read before they are set, or are observed at the end
}

// FindLoops finds the loops of a thread whose registers are observed.
func FindLoops[R comparable](code Code[R], observed map[R]bool) *Loops[R] {
	l := &Loops[R]{map[int]int{}, map[int]int{}, map[int]int{}, map[int]map[R]bool{}}
	for pc := range code.Len() {
		if head, ok := code.Back(pc); ok {
			l.head[pc], l.last[head] = head, pc
		}
	}
	if len(l.head) == 0 {
		return l
	}
	live := liveness(code, observed)
	for head, last := range l.last {
		point := pointOf(code, head, last, live)
		l.point[head], l.live[point] = point, live[point]
	}
	return l
}

// pointOf is the point of the loop of the instructions from its head to the last.
func pointOf[R comparable](code Code[R], head, last int, live []map[R]bool) (point int) {
	varies := func(pc int) (n int) {
		for r := range live[pc] {
			for at := head; at <= last; at++ {
				if code.Sets(at, r) {
					n++
					break
				}
			}
		}
		return n
	}
	point = head
	for pc, least := head, varies(head); least > 0; {
		var inside []int
		next := code.Successors(pc)
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

// liveness is the registers that are live before each instruction, and at the end: the usual
// backward analysis, to its fixpoint.
func liveness[R comparable](code Code[R], observed map[R]bool) []map[R]bool {
	n := code.Len()
	live := make([]map[R]bool, n+1)
	for pc := range n {
		live[pc] = map[R]bool{}
	}
	live[n] = observed
	for changed := true; changed; {
		changed = false
		for pc := n - 1; pc >= 0; pc-- {
			before := len(live[pc])
			for _, next := range code.Successors(pc) {
				for r := range live[next] {
					if !code.Sets(pc, r) {
						live[pc][r] = true
					}
				}
			}
			code.EachRead(pc, func(r R) { live[pc][r] = true })
			changed = changed || len(live[pc]) > before
		}
	}
	return live
}
