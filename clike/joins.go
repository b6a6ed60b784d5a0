package clike

// findJoins finds the join of each branch, where its ways meet again and the control dependency
// ends. It is the nearest instruction that every way from the branch to the end of the thread
// passes (its immediate postdominator).
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

// wayToEnd returns the instructions of a shortest way from an instruction, exclusive, to the end of
// the thread, inclusive, that does not pass avoided. It returns nil if there is no such way.
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
