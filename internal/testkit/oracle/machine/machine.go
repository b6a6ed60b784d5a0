package machine

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// machine is the state of a program between two steps. A step is an instruction, or a store that
// leaves a buffer. Without buffers the runs are those of sequential consistency, with buffers those
// of total store order.
type machine struct {
	pc       [maxThreads]int
	regs     [maxThreads][registers]int32
	pointers [maxThreads][Pointers]int
	mem      [locations]int32
	buffers  [maxThreads]buffer
	jumps    [maxThreads][maxInstrs]int // number of times that each backward branch was taken
	barriers barrierState
	cut      bool // a thread was stopped at the unroll bound
}

// buffer holds the stores of a thread that have not reached memory, oldest first: a location and a
// value each. It is a string so that machines can be compared.
type buffer string

const stored = 5 // bytes for each store

func (b *buffer) push(location int, v int32) {
	*b += buffer(binary.LittleEndian.AppendUint32([]byte{byte(location)}, uint32(v)))
}

// at returns the i-th store.
func (b buffer) at(i int) (location int, v int32) {
	return int(b[i*stored]), int32(binary.LittleEndian.Uint32([]byte(b[i*stored+1:])))
}

func (b buffer) len() int { return len(b) / stored }

// Semantics is a way to run programs.
type Semantics struct {
	Unroll   int
	Buffered bool
}

// Runs runs a program in every way. It returns the final states in the format of logs, whether a
// run was cut at the unroll bound, and whether a thread may wait at a barrier forever.
func (sem Semantics) Runs(p *Program) (states map[string]bool, cut, hangs bool) {
	start := machine{mem: p.Init}
	for t := range start.pointers {
		start.pointers[t] = [Pointers]int{0, 1}
	}
	states = map[string]bool{}
	todo, seen := []machine{start}, map[machine]bool{}
	for len(todo) > 0 {
		m := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[m] {
			continue
		}
		seen[m] = true
		next := sem.successors(p, &m)
		todo = append(todo, next...)
		switch {
		case len(next) > 0:
		case m.cut:
			cut = true
		case m.waiting(p):
			hangs = true
		default:
			states[p.show(&m)] = true
		}
	}
	return states, cut, hangs
}

// waiting reports whether some thread has not ended.
func (m *machine) waiting(p *Program) bool {
	for t, thread := range p.Threads {
		if m.barriers.waits[t] > 0 || m.pc[t] < len(thread) {
			return true
		}
	}
	return false
}

func (sem Semantics) successors(p *Program, m *machine) (next []machine) {
	for t, thread := range p.Threads {
		if b := m.buffers[t]; b != "" {
			drained := *m
			l, v := b.at(0)
			drained.mem[l], drained.buffers[t] = v, b[stored:]
			next = append(next, drained)
		}
		after := *m
		switch {
		case m.barriers.waits[t] > 0:
			if after.barriers.leave(t) {
				next = append(next, after)
			}
		case m.pc[t] < len(thread) && m.ready(p, t, &thread[m.pc[t]]):
			after.step(p, t, sem)
			next = append(next, after)
		}
	}
	return next
}

// ready reports whether thread t can take its next step.
func (m *machine) ready(p *Program, t int, in *Instr) bool {
	switch {
	case !in.Guard.holds(&m.regs[t]):
		return true
	case in.waitsForStores() && m.buffers[t] != "":
		return false
	}
	return in.Op != "barrier.cluster.wait" || m.barriers.clusterArrived(p, t)
}

// show returns the final state of a machine in the format of logs.
func (p *Program) show(m *machine) string {
	var b strings.Builder
	for t := range p.Threads {
		for i, l := range m.pointers[t] {
			fmt.Fprintf(&b, "%d:p%d=%s; ", t, i, locationNames[l])
		}
		for i, v := range m.regs[t] {
			fmt.Fprintf(&b, "%d:r%d=%d; ", t, i, v)
		}
	}
	fmt.Fprintf(&b, "[q]=%s; [x]=%d; [y]=%d;", locationNames[m.mem[Q]], m.mem[0], m.mem[1])
	return b.String()
}

// step executes the next instruction of thread t.
func (m *machine) step(p *Program, t int, sem Semantics) {
	pc, r := m.pc[t], &m.regs[t]
	in := &p.Threads[t][pc]
	m.pc[t]++
	if !in.Guard.holds(r) {
		return
	}
	arg := func(i int) int32 {
		if in.Args[i].Reg {
			return r[in.Args[i].Value]
		}
		return in.Args[i].Value
	}
	name, op, _ := strings.Cut(in.Op, ".")
	switch name {
	case "ld":
		r[in.Dst] = m.load(t, m.location(t, in.At))
	case "st":
		m.store(t, m.location(t, in.At), arg(0), sem)
	case "mov":
		r[in.Dst] = arg(0)
	case "setp":
		r[in.Dst] = truth(compare(op, in.Unsigned, arg(0), arg(1)))
	case "selp":
		r[in.Dst] = choose(arg(2) != 0, arg(0), arg(1))
	case "ptr":
		m.pointer(t, in, op, arg, sem)
	case "atom", "red":
		m.atomic(t, in, op, arg)
	case "membar":
	case "bra":
		m.branch(t, pc, in.Target, len(p.Threads[t]), sem.Unroll)
	case "bar":
		m.barriers.arrive(p, t, in)
	case "barrier":
		if op == "cluster.wait" {
			m.barriers.waited[t]++
		} else {
			m.barriers.turns[t]++
		}
	default:
		r[in.Dst] = compute(name, in.Unsigned, arg(0), arg(1))
	}
}

// load returns the value that a thread reads: that of its newest buffered store to the location, or
// the one in memory.
func (m *machine) load(t, location int) int32 {
	for i := m.buffers[t].len() - 1; i >= 0; i-- {
		if l, v := m.buffers[t].at(i); l == location {
			return v
		}
	}
	return m.mem[location]
}

func (m *machine) store(t, location int, v int32, sem Semantics) {
	if sem.Buffered {
		m.buffers[t].push(location, v)
	} else {
		m.mem[location] = v
	}
}

func (m *machine) location(t int, a Address) int {
	if a.Pointer {
		return m.pointers[t][a.N]
	}
	return a.N
}

// pointer executes an instruction on a pointer.
func (m *machine) pointer(t int, in *Instr, op string, arg func(int) int32, sem Semantics) {
	p := &m.pointers[t]
	switch op {
	case "mov":
		p[in.Dst] = m.location(t, in.At)
	case "selp":
		p[in.Dst] = p[truth(arg(0) == 0)]
	case "ld":
		p[in.Dst] = int(m.load(t, Q))
	case "st":
		m.store(t, Q, int32(p[in.Dst]), sem)
	}
}

// branch jumps. A thread that takes a backward branch too often stops.
func (m *machine) branch(t, pc, target, end, unroll int) {
	m.pc[t] = target
	if target > pc {
		return
	}
	if m.jumps[t][pc]++; m.jumps[t][pc] > unroll {
		m.cut = true
		m.pc[t] = end
	}
}

// atomic executes atom or red (PTX ISA, "atom").
func (m *machine) atomic(t int, in *Instr, op string, arg func(int) int32) {
	cell := &m.mem[m.location(t, in.At)]
	old, bound := *cell, uint32(1<<32-1)
	if (op == "inc" || op == "dec") && len(in.Args) > 0 {
		bound = uint32(arg(0))
	}
	switch op {
	case "cas":
		if old == arg(0) {
			*cell = arg(1)
		}
	case "exch":
		*cell = arg(0)
	case "inc":
		*cell = choose(uint32(old) >= bound, 0, old+1)
	case "dec":
		*cell = choose(old == 0 || uint32(old) > bound, int32(bound), old-1)
	default:
		*cell = compute(op, in.Unsigned, old, arg(0))
	}
	if strings.HasPrefix(in.Op, "atom") {
		m.regs[t][in.Dst] = old
	}
}

func compute(op string, unsigned bool, a, b int32) int32 {
	switch op {
	case "add":
		return a + b
	case "sub":
		return a - b
	case "and":
		return a & b
	case "or":
		return a | b
	case "xor":
		return a ^ b
	case "min":
		return choose(compare("lt", unsigned, a, b), a, b)
	case "max":
		return choose(compare("lt", unsigned, a, b), b, a)
	}
	panic("no operation " + op)
}

func compare(op string, unsigned bool, a, b int32) bool {
	less, greater := a < b, a > b
	if unsigned {
		less, greater = uint32(a) < uint32(b), uint32(a) > uint32(b)
	}
	return map[string]bool{
		"eq": a == b, "ne": a != b, "lt": less, "le": !greater, "gt": greater, "ge": !less,
	}[op]
}

func truth(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

func choose(first bool, a, b int32) int32 {
	if first {
		return a
	}
	return b
}
