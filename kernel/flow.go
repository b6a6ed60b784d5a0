package kernel

import "strings"

// Flow is the control flow of a function: its basic blocks, and the order in which a walk over all
// paths visits them, loops nested.
type Flow struct {
	Blocks []Block
	Order  []Loop
}

// Block is a basic block: the instructions [First, End), and its successors. The targets of a
// branch come first; the fall-through of a guarded branch comes last.
type Block struct {
	First, End int
	Next       []int
}

// Loop is an element of a weak topological order (Bourdoncle, "Efficient chaotic iteration
// strategies with widenings", 1993): a block and, if a path leads back to it, the blocks on such
// paths.
type Loop struct {
	Head int
	Back bool // a path leads back to the head
	Body []Loop
}

// Name returns the opcode without its modifiers.
func (in *Instr) Name() string {
	name, _, _ := strings.Cut(in.Opcode, ".")
	return name
}

// leaves reports whether the next instruction executed may not be the one that follows.
func (in *Instr) leaves() bool {
	switch in.Name() {
	case "bra", "brx", "ret", "exit", "trap":
		return true
	}
	return false
}

// Flow returns the control flow of a function with a body. If the function ends without ret, the
// last block has no successor.
func (f *Function) Flow() *Flow {
	flow := &Flow{}
	at := f.leaders()
	for i := range f.Instrs {
		if at[i] < 0 {
			continue
		}
		b := Block{First: i, End: i + 1}
		for !f.Instrs[b.End-1].leaves() && b.End < len(f.Instrs) && at[b.End] < 0 {
			b.End++
		}
		last := f.Instrs[b.End-1]
		for _, t := range last.Targets() {
			b.Next = append(b.Next, at[t])
		}
		if (!last.leaves() || last.Guard != nil) && b.End < len(f.Instrs) {
			b.Next = append(b.Next, at[b.End])
		}
		flow.Blocks = append(flow.Blocks, b)
	}
	flow.order()
	return flow
}

// Targets returns the instructions that a branch may go to. Those of brx.idx are in the order of
// its table.
func (in *Instr) Targets() (all []int) {
	if name := in.Name(); name != "bra" && name != "brx" {
		return nil
	}
	for _, o := range in.Ops {
		switch o.Kind {
		case Label:
			all = append(all, o.Target)
		case Table:
			for _, l := range o.List {
				all = append(all, l.Target)
			}
		}
	}
	return all
}

// leaders returns, for each instruction, the number of the block that it begins, or -1.
func (f *Function) leaders() []int {
	first := make([]bool, len(f.Instrs)+1)
	first[0] = true
	for i, in := range f.Instrs {
		if in.leaves() {
			first[i+1] = true
		}
		for _, t := range in.Targets() {
			first[t] = true
		}
	}
	at := make([]int, len(f.Instrs))
	n := 0
	for i := range at {
		if at[i] = -1; first[i] {
			at[i] = n
			n++
		}
	}
	return at
}

// order computes Order by Bourdoncle's algorithm, after Tarjan's for strongly connected components.
func (flow *Flow) order() {
	if len(flow.Blocks) == 0 {
		return
	}
	w := &walk{flow: flow, number: make([]int, len(flow.Blocks))}
	w.visit(0, &flow.Order)
	reverse(flow.Order)
}

type walk struct {
	flow   *Flow
	number []int // in the order of visits; 0 if not visited, done if placed
	count  int
	stack  []int
}

const done = int(^uint(0) >> 1)

// visit puts the component of a block in front of a partition, which is built in reverse.
func (w *walk) visit(v int, partition *[]Loop) (head int) {
	w.stack = append(w.stack, v)
	w.count++
	w.number[v] = w.count
	head = w.count
	loop := false
	for _, next := range w.flow.Blocks[v].Next {
		least := w.number[next]
		if least == 0 {
			least = w.visit(next, partition)
		}
		if least <= head {
			head, loop = least, true
		}
	}
	if head != w.number[v] {
		return head
	}
	w.number[v] = done
	element := w.pop()
	if loop {
		for element != v {
			w.number[element] = 0
			element = w.pop()
		}
		*partition = append(*partition, w.component(v))
	} else {
		*partition = append(*partition, Loop{Head: v})
	}
	return head
}

func (w *walk) pop() int {
	last := w.stack[len(w.stack)-1]
	w.stack = w.stack[:len(w.stack)-1]
	return last
}

// component returns the loop with the given head.
func (w *walk) component(v int) Loop {
	l := Loop{Head: v, Back: true}
	for _, next := range w.flow.Blocks[v].Next {
		if w.number[next] == 0 {
			w.visit(next, &l.Body)
		}
	}
	reverse(l.Body)
	return l
}

func reverse(l []Loop) {
	for i, j := 0, len(l)-1; i < j; i, j = i+1, j-1 {
		l[i], l[j] = l[j], l[i]
	}
}
