package sim_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// A machine is the state of a program between two steps: an instruction, which
// happens at once, or a store that leaves a buffer. Without buffers, its runs are
// what sequential consistency means; with them, total store order.
type machine struct {
	pc       [maxThreads]int
	regs     [maxThreads][registers]int32
	pointers [maxThreads][pointers]int
	mem      [locations]int32
	buffers  [maxThreads]buffer
	jumps    [maxThreads][maxInstrs]int // how often each backward branch was taken
	lobby    lobby
	cut      bool // some thread was stopped at the unroll bound
}

// A buffer holds the stores of a thread that have not reached memory, oldest first:
// a location and a value each. It is a string so that machines can be compared.
type buffer string

const stored = 5 // bytes for each store

func (b *buffer) push(location int, v int32) {
	*b += buffer(binary.LittleEndian.AppendUint32([]byte{byte(location)}, uint32(v)))
}

// at reads the i-th store.
func (b buffer) at(i int) (location int, v int32) {
	return int(b[i*stored]), int32(binary.LittleEndian.Uint32([]byte(b[i*stored+1:])))
}

func (b buffer) len() int { return len(b) / stored }

// A semantics is a way to run programs.
type semantics struct {
	unroll   int
	buffered bool
}

// runs runs a program in every way. It returns the final states, as a log shows
// them, whether some run was cut at the unroll bound, and whether some thread may wait at a
// barrier for ever.
func (sem semantics) runs(p *program) (states map[string]bool, cut, hangs bool) {
	start := machine{mem: p.init}
	for t := range start.pointers {
		start.pointers[t] = [pointers]int{0, 1}
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

// waiting reports that some thread has not ended.
func (m *machine) waiting(p *program) bool {
	for t, thread := range p.threads {
		if m.lobby.waits[t] > 0 || m.pc[t] < len(thread) {
			return true
		}
	}
	return false
}

func (sem semantics) successors(p *program, m *machine) (next []machine) {
	for t, thread := range p.threads {
		if b := m.buffers[t]; b != "" {
			drained := *m
			l, v := b.at(0)
			drained.mem[l], drained.buffers[t] = v, b[stored:]
			next = append(next, drained)
		}
		after := *m
		switch {
		case m.lobby.waits[t] > 0:
			if after.lobby.leave(t) {
				next = append(next, after)
			}
		case m.pc[t] < len(thread) && m.ready(p, t, &thread[m.pc[t]]):
			after.step(p, t, sem)
			next = append(next, after)
		}
	}
	return next
}

// ready says whether thread t can make its next step.
func (m *machine) ready(p *program, t int, in *instr) bool {
	switch {
	case !in.guard.holds(&m.regs[t]):
		return true
	case in.waitsForStores() && m.buffers[t] != "":
		return false
	}
	return in.op != "barrier.cluster.wait" || m.lobby.clusterArrived(p, t)
}

// waitsForStores says whether an instruction needs the buffer empty.
func (in *instr) waitsForStores() bool {
	name, _, _ := strings.Cut(in.op, ".")
	return name == "membar" || name == "atom" || name == "red" || in.isBarrier()
}

func (g guard) holds(r *[registers]int32) bool {
	return !g.present || (r[g.reg] != 0) != g.negated
}

func (p *program) show(m *machine) string {
	var b strings.Builder
	for t := range p.threads {
		for i, l := range m.pointers[t] {
			fmt.Fprintf(&b, "%d:p%d=%s; ", t, i, locationNames[l])
		}
		for i, v := range m.regs[t] {
			fmt.Fprintf(&b, "%d:r%d=%d; ", t, i, v)
		}
	}
	fmt.Fprintf(&b, "[q]=%s; [x]=%d; [y]=%d;", locationNames[m.mem[q]], m.mem[0], m.mem[1])
	return b.String()
}

// step runs the next instruction of thread t.
func (m *machine) step(p *program, t int, sem semantics) {
	pc, r := m.pc[t], &m.regs[t]
	in := &p.threads[t][pc]
	m.pc[t]++
	if !in.guard.holds(r) {
		return
	}
	arg := func(i int) int32 {
		if in.args[i].reg {
			return r[in.args[i].value]
		}
		return in.args[i].value
	}
	name, op, _ := strings.Cut(in.op, ".")
	switch name {
	case "ld":
		r[in.dst] = m.load(t, m.location(t, in.at))
	case "st":
		m.store(t, m.location(t, in.at), arg(0), sem)
	case "mov":
		r[in.dst] = arg(0)
	case "setp":
		r[in.dst] = truth(compare(op, in.unsigned, arg(0), arg(1)))
	case "selp":
		r[in.dst] = choose(arg(2) != 0, arg(0), arg(1))
	case "ptr":
		m.pointer(t, in, op, arg, sem)
	case "atom", "red":
		m.atomic(t, in, op, arg)
	case "membar":
	case "bra":
		m.branch(t, pc, in.target, len(p.threads[t]), sem.unroll)
	case "bar":
		m.lobby.arrive(p, t, in)
	case "barrier":
		if op == "cluster.wait" {
			m.lobby.waited[t]++
		} else {
			m.lobby.turns[t]++
		}
	default:
		r[in.dst] = compute(name, in.unsigned, arg(0), arg(1))
	}
}

// load finds the newest store of the thread to the location.
func (m *machine) load(t, location int) int32 {
	for i := m.buffers[t].len() - 1; i >= 0; i-- {
		if l, v := m.buffers[t].at(i); l == location {
			return v
		}
	}
	return m.mem[location]
}

func (m *machine) store(t, location int, v int32, sem semantics) {
	if sem.buffered {
		m.buffers[t].push(location, v)
	} else {
		m.mem[location] = v
	}
}

func (m *machine) location(t int, a address) int {
	if a.pointer {
		return m.pointers[t][a.n]
	}
	return a.n
}

// pointer runs an instruction on a pointer.
func (m *machine) pointer(t int, in *instr, op string, arg func(int) int32, sem semantics) {
	p := &m.pointers[t]
	switch op {
	case "mov":
		p[in.dst] = m.location(t, in.at)
	case "selp":
		p[in.dst] = p[truth(arg(0) == 0)]
	case "ld":
		p[in.dst] = int(m.load(t, q))
	case "st":
		m.store(t, q, int32(p[in.dst]), sem)
	}
}

// branch jumps; a thread that takes a backward branch too often stops.
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

// atomic is atom or red (PTX ISA, "atom").
func (m *machine) atomic(t int, in *instr, op string, arg func(int) int32) {
	cell := &m.mem[m.location(t, in.at)]
	old, bound := *cell, uint32(1<<32-1)
	if (op == "inc" || op == "dec") && len(in.args) > 0 {
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
		*cell = compute(op, in.unsigned, old, arg(0))
	}
	if strings.HasPrefix(in.op, "atom") {
		m.regs[t][in.dst] = old
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

// The comparison.

const randomUnroll = 2

// maxIterations is how often loops of random programs go round that count.
const maxIterations = randomUnroll + 2

// loadRandom reads a program as muster does. A candidate limit keeps the few
// programs with very many executions from taking long.
func loadRandom(t *rapid.T, p *program) *sim.Test {
	test, err := sim.Load(src.NewFile("random.litmus", p.String()), sim.Config{
		Reading: frontend.Options{
			Unroll:        randomUnroll,
			CASFailWrites: rapid.Bool().Draw(t, "a failed cas writes"),
		},
		Limits: enumerate.Options{MaxCandidates: 2000},
	})
	if err != nil {
		t.Fatalf("%v\n%v", err, p)
	}
	return test
}

// TestSCIsInterleaving compares the final states that the model sc allows with those
// of a machine that runs one instruction after the other. To look longer:
//
//	go test ./sim -run 'Interleaving|StoreBuffers|Inclusions' -rapid.checks=10000
func TestSCIsInterleaving(t *testing.T) {
	testAgainstMachine(t, "sc", semantics{unroll: randomUnroll}, drawProgram)
}

// TestTSOIsStoreBuffers compares the model tso with a machine that has a store buffer
// for each thread (Owens, Sarkar, Sewell, "A better x86 memory model: x86-TSO", 2009).
func TestTSOIsStoreBuffers(t *testing.T) {
	testAgainstMachine(t, "tso", semantics{unroll: randomUnroll, buffered: true}, drawProgram)
}

// TestSCIsInterleavingAtBarriers has threads wait for each other.
func TestSCIsInterleavingAtBarriers(t *testing.T) {
	multiplyChecks(t, 8, 100)
	testAgainstMachine(t, "sc", semantics{unroll: randomUnroll}, drawBarrierProgram)
}

// TestTSOIsStoreBuffersAtBarriers has threads wait for each other, with empty buffers.
func TestTSOIsStoreBuffersAtBarriers(t *testing.T) {
	multiplyChecks(t, 8, 100)
	testAgainstMachine(t, "tso", semantics{unroll: randomUnroll, buffered: true}, drawBarrierProgram)
}

func testAgainstMachine(t *testing.T, model string, sem semantics, draw func(*rapid.T) *program) {
	m := loadModel(t, model)
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t)
		result, err := loadRandom(t, p).Run(context.Background(), m)
		if err != nil {
			t.Fatalf("%v\n%v", err, p)
		}
		compareWithMachine(t, model, sem, p, result)
		if t.Failed() {
			t.Logf("the program:\n%v", p)
		}
	})
}

func compareWithMachine(t *rapid.T, model string, sem semantics, p *program, result *sim.Result) {
	want, _, _ := sem.runs(p)
	further := sem
	further.unroll += maxIterations
	all, cut, hangs := further.runs(p)
	refs := result.Test.Observables()
	for _, s := range result.States {
		state := s.State().Format(refs)
		if !all[state] && !p.contested() {
			t.Errorf("%s allows a state that no run of the machine has:\n%s", model, state)
		}
		delete(want, state)
		delete(all, state)
	}
	if hitLimit(result) {
		return
	}
	if !result.Loop() && !spins(result.Test) { // loops that count may go on beyond the bound
		want = all
		if cut {
			t.Errorf("a run goes on beyond the unroll bound, and the result does not say so")
		}
	}
	for _, state := range slices.Sorted(maps.Keys(want)) {
		t.Errorf("%s forbids a state that a run of the machine has:\n%s", model, state)
	}
	if flagged := slices.Contains(result.Flags, "hang"); !cut && !result.Loop() && !p.contested() && flagged != hangs {
		t.Errorf("%s says that a thread may wait for ever: %v; the machine: %v", model, flagged, hangs)
	}
}

// spins reports that some thread can go round a loop without a trace, however often: such
// rounds count against no bound.
func spins(test *sim.Test) bool {
	for s := range test.Program.Structures(context.Background()) {
		if s.Stuck {
			return true
		}
	}
	return false
}
