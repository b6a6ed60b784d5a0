package sat

// order is a heap of variables by activity. Ties go to the variable made first.
type order struct {
	heap     []int
	at       []int // position of each variable in the heap, or -1
	activity []float64
}

func (o *order) before(v, w int) bool {
	return o.activity[v] > o.activity[w] || o.activity[v] == o.activity[w] && v < w
}

// add adds a variable, possibly a new one, unless it is in the heap.
func (o *order) add(v int) {
	if v == len(o.at) {
		o.at, o.activity = append(o.at, -1), append(o.activity, 0)
	}
	if o.at[v] >= 0 {
		return
	}
	o.at[v] = len(o.heap)
	o.heap = append(o.heap, v)
	o.up(o.at[v])
}

// pop removes and returns the most active variable.
func (o *order) pop() (v int, ok bool) {
	if len(o.heap) == 0 {
		return 0, false
	}
	v = o.heap[0]
	last := len(o.heap) - 1
	o.place(o.heap[last], 0)
	o.heap, o.at[v] = o.heap[:last], -1
	if last > 0 {
		o.down(0)
	}
	return v, true
}

// raise increases the activity of a variable.
func (o *order) raise(v int, by float64) {
	o.activity[v] += by
	if o.at[v] >= 0 {
		o.up(o.at[v])
	}
}

func (o *order) rescale(factor float64) {
	for v := range o.activity {
		o.activity[v] *= factor
	}
}

func (o *order) place(v, at int) { o.heap[at], o.at[v] = v, at }

func (o *order) up(at int) {
	v := o.heap[at]
	for at > 0 {
		parent := (at - 1) / 2
		if !o.before(v, o.heap[parent]) {
			break
		}
		o.place(o.heap[parent], at)
		at = parent
	}
	o.place(v, at)
}

func (o *order) down(at int) {
	v := o.heap[at]
	for {
		child := 2*at + 1
		if child >= len(o.heap) {
			break
		}
		if other := child + 1; other < len(o.heap) && o.before(o.heap[other], o.heap[child]) {
			child = other
		}
		if !o.before(o.heap[child], v) {
			break
		}
		o.place(o.heap[child], at)
		at = child
	}
	o.place(v, at)
}
