package clike

// findJoins finds where the ways of each branch meet again, and the control dependency ends: at the nearest of the
// instructions that every way from the branch to the end of the thread passes (its immediate postdominator).
func (c Code) findJoins() {
	for pc, in := range c {
		b, ok := in.(*Branch)
		if !ok {
			continue
		}
		b.Join = len(c) // of a branch that no way leads from to the end, too
		for _, b.Join = range c.wayToEnd(pc, len(c)) {
			if c.wayToEnd(pc, b.Join) == nil {
				break
			}
		}
	}
}

// wayToEnd is the instructions of a shortest way from one to the end of the thread, without the first and past none that is
// to be avoided; the end is the last of them. It is nil if there is no such way.
func (c Code) wayToEnd(from, avoided int) (way []int) {
	cameFrom := map[int]int{from: from}
	for next := []int{from}; len(next) > 0; next = next[1:] {
		pc := next[0]
		if pc == len(c) {
			for ; pc != from; pc = cameFrom[pc] {
				way = append([]int{pc}, way...)
			}
			return way
		}
		for _, to := range c.Successors(pc) {
			if _, seen := cameFrom[to]; !seen && (to != avoided || to == len(c)) {
				cameFrom[to] = pc
				next = append(next, to)
			}
		}
	}
	return nil
}
