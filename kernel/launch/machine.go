package launch

import (
	"cmp"
	"context"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// machine is the state of a running launch.
type machine struct {
	*Program
	launch    Launch
	global    objects
	private   objects // the parameters of the kernel, which all threads share
	named     map[string]*Object
	vars      map[*kernel.Variable]*Object // variables that belong neither to a block nor to a call
	blocks    []*block
	threads   map[int]*thread // by number
	ready     []int           // numbers of the threads that can go on, sorted
	report    *Report
	meetings  int
	taken     int   // bytes of memory in use
	exhausted error // a *MemoryError if that exceeds the limit
	broken    error // an error in an exchange between lanes
	over      bool  // the launch ends: a precondition does not hold, or Watch or Rounds returned true

	evaluator isa.Evaluator[int64]
	operands  []int64 // of the instruction in execution
}

// block is a running block.
type block struct {
	at      Dim
	shared  objects
	vars    map[*kernel.Variable]*Object
	threads []*thread
	waiting []*arrival // arrivals at barriers
	running int        // number of threads that neither wait nor have ended
}

// thread is a running thread.
type thread struct {
	*block
	number  int // in the grid
	index   int // in its block
	at      Dim
	frames  []*frame
	private objects
	clock   uint32 // number of its meetings with other threads
	seen    clocks // what barriers have ordered before it
	quiet   bool   // its loads belong to an annotation
	carry   int64
	copies  []*flight             // asynchronous copies that it has started
	groups  int                   // number of groups of cp.async that it has committed
	calls   map[*kernel.Instr]int // number of calls so far, for Launch.Returns
}

// frame is a call in execution.
type frame struct {
	*code
	pc      int
	regs    []int64
	vars    map[*kernel.Variable]*Object
	rounds  []int     // iteration of each loop
	call    *step     // the call instruction
	returns []*Object // objects of the caller that take its results
	below   int       // number of private objects of its callers
}

func newMachine(p *Program, f *kernel.Function, l Launch) (*machine, error) {
	m := &machine{
		Program:   p,
		launch:    l,
		threads:   map[int]*thread{},
		named:     map[string]*Object{},
		vars:      map[*kernel.Variable]*Object{},
		report:    &Report{Launch: l, Kernel: f},
		evaluator: isa.Evaluator[int64]{Domain: domain{}},
	}
	if err := m.variables(); err != nil {
		return nil, err
	}
	if l.Blocks == nil {
		for i := range l.Grid.Count() {
			m.addBlock(i)
		}
	}
	for _, i := range l.Blocks {
		m.addBlock(i)
	}
	err := m.arguments(f)
	for _, b := range m.blocks {
		for _, t := range b.threads {
			t.private = slices.Clone(m.private)
			m.enter(t, m.codes[f], nil)
			m.ready = append(m.ready, t.number)
		}
	}
	slices.Sort(m.ready)
	if m.exhausted != nil || err != nil {
		return nil, cmp.Or(m.exhausted, err)
	}
	return m, nil
}

func (m *machine) addBlock(i int) {
	b := &block{at: m.launch.Grid.At(i), vars: map[*kernel.Variable]*Object{}, running: m.launch.Block.Count()}
	m.blocks = append(m.blocks, b)
	for j := range b.running {
		t := &thread{
			block:  b,
			number: i*b.running + j,
			index:  j,
			at:     m.launch.Block.At(j),
			clock:  1,
			seen:   newClocks(b.running),
		}
		b.threads = append(b.threads, t)
		m.threads[t.number] = t
	}
	dynamic := &Object{Name: "dynamic shared memory", Space: isa.Shared, Block: i, data: make([]byte, m.launch.Dynamic)}
	m.eachVariable(func(v *kernel.Variable) {
		switch {
		case v.Space != isa.Shared:
		case v.Size() == 0: // extern: the launch gives its size
			b.vars[v] = dynamic
		default:
			o := m.newVariable(v)
			o.Block = i
			m.place(&b.shared, o, uint64(v.Align), sharedStride)
			b.vars[v] = o
		}
	})
	m.place(&b.shared, dynamic, 16, sharedStride)
}

// eachVariable visits the variables that exist once for a launch or once for each block.
func (m *machine) eachVariable(visit func(*kernel.Variable)) {
	for _, v := range m.module.Vars {
		visit(v)
	}
	for _, f := range m.module.Funcs {
		for _, v := range f.Vars {
			visit(v)
		}
	}
}

// variables allocates the variables of global and constant memory.
func (m *machine) variables() error {
	m.eachVariable(func(v *kernel.Variable) {
		if v.Space != isa.Global && v.Space != isa.Const || m.vars[v] != nil {
			return
		}
		o := m.newVariable(v)
		m.vars[v], m.named[v.Name] = o, o
		m.place(&m.global, o, uint64(v.Align), stride)
	})
	for _, o := range m.global {
		if err := m.initialise(o); err != nil {
			return err
		}
	}
	return nil
}

// arguments allocates the parameters and the buffers that they point to.
func (m *machine) arguments(f *kernel.Function) error {
	buffers := map[*Buffer]*Object{}
	for i, v := range f.Params {
		a := m.launch.Args[i]
		value := binary.LittleEndian.AppendUint64(nil, a.Value)
		switch {
		case a.Buffer != nil:
			value = binary.LittleEndian.AppendUint64(nil, m.buffer(buffers, a.Buffer))
		case a.Shared > 0:
			value = binary.LittleEndian.AppendUint64(nil, m.sharedArgument(v, a.Shared))
		case a.Bytes != nil:
			value = a.Bytes
		}
		o := m.newVariable(v)
		if len(value) < len(o.data) {
			return src.Errorf(v.At, "parameter %s has %d bytes, the argument %d", v.Name, len(o.data), len(value))
		}
		copy(o.data, value)
		for _, at := range slices.Sorted(maps.Keys(a.Pointers)) {
			o.store(int64(at), 8, m.buffer(buffers, a.Pointers[at]))
		}
		m.place(&m.private, o, uint64(v.Align), gap)
		m.vars[v] = o
	}
	return nil
}

// buffer returns the address of a buffer, and allocates it on first use.
func (m *machine) buffer(known map[*Buffer]*Object, b *Buffer) uint64 {
	o := known[b]
	if o == nil {
		o = newBuffer(b)
		known[b] = o
		m.place(&m.global, o, 1, stride)
		m.report.buffers = append(m.report.buffers, o)
	}
	return o.base
}

// sharedArgument allocates, in each block, the shared memory that a parameter points to, at the
// same address.
func (m *machine) sharedArgument(v *kernel.Variable, bytes int) uint64 {
	at := uint64(0)
	for i, b := range m.blocks {
		o := &Object{Name: v.Name, Space: isa.Shared, Variable: v, Block: i, data: make([]byte, bytes)}
		m.place(&b.shared, o, 16, sharedStride)
		at = o.base
	}
	return at
}

// enter begins a call.
func (m *machine) enter(t *thread, c *code, call *step) *frame {
	var regs []int64
	if n := len(c.f.Registers); m.take(bytesOfRegister*n, c.f.At) {
		regs = make([]int64, n)
	}
	f := &frame{
		code: c, regs: regs, vars: map[*kernel.Variable]*Object{},
		rounds: make([]int, c.loops), call: call, below: len(t.private),
	}
	t.frames = append(t.frames, f)
	t.arriveAt(f, 0)
	return f
}

// variable returns the memory of a variable that a thread refers to.
func (m *machine) variable(t *thread, v *kernel.Variable) *Object {
	f := t.top()
	for _, vars := range []map[*kernel.Variable]*Object{f.vars, t.vars, m.vars} {
		if o := vars[v]; o != nil {
			return o
		}
	}
	if v.Space != isa.Local && v.Space != isa.Param {
		return nil
	}
	o := m.newVariable(v)
	m.place(&t.private, o, uint64(v.Align), gap)
	f.vars[v] = o
	return o
}

// bytesOfRegister is the size of a register.
const bytesOfRegister = 8

// leave ends the current call of a thread and frees its memory.
func (m *machine) leave(t *thread) {
	f := t.top()
	for _, o := range t.private[f.below:] {
		m.taken -= len(o.data)
	}
	m.taken -= bytesOfRegister * len(f.regs)
	t.private, t.frames = t.private[:f.below], t.frames[:len(t.frames)-1]
}

func (t *thread) top() *frame { return t.frames[len(t.frames)-1] }

func (t *thread) done() bool { return len(t.frames) == 0 }

// arriveAt sets the next instruction of a frame and counts iterations of loops: a loop that is
// entered from outside is in its first.
func (t *thread) arriveAt(f *frame, pc int) {
	if pc < len(f.steps) {
		if loop := f.steps[pc].head; loop >= 0 {
			if f.pc < len(f.steps) && slices.Contains(f.steps[f.pc].within, loop) && f.rounds[loop] > 0 {
				f.rounds[loop]++
			} else {
				f.rounds[loop] = 1
			}
		}
	}
	f.pc = pc
}

// run executes threads until all have ended.
func (m *machine) run(ctx context.Context) error {
	for len(m.ready) > 0 && !m.over {
		number, steps := m.launch.Schedule.Next(m.ready)
		t := m.threads[number]
		for ; steps > 0 && !m.over; steps-- {
			if m.report.Steps++; m.report.Steps > m.launch.MaxSteps {
				return src.Errorf(t.top().where(), "%s has not ended after %d instructions", m.report.Kernel.Name,
					m.launch.MaxSteps).
					WithHint("thread %v of block %v is here; a loop may wait for what never happens", t.at, t.block.at)
			}
			if m.report.Steps%1024 == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			goes, err := m.step(t)
			if m.exhausted != nil || err != nil {
				return cmp.Or(m.exhausted, err)
			}
			if !goes {
				m.stop(t)
				break
			}
		}
		if m.broken != nil {
			return m.broken
		}
	}
	return nil
}

// where returns the position of a frame's current instruction.
func (f *frame) where() src.Span {
	if f.pc < len(f.steps) {
		return f.steps[f.pc].At
	}
	return f.f.At
}

// stop removes a thread from those that can go on, because it waits or has ended.
func (m *machine) stop(t *thread) {
	if i, ok := slices.BinarySearch(m.ready, t.number); ok {
		m.ready = slices.Delete(m.ready, i, i+1)
	}
	t.running--
	if t.done() {
		m.unawaited(t)
	}
	m.settle(t.block)
}

// wake resumes a thread.
func (m *machine) wake(t *thread) {
	i, _ := slices.BinarySearch(m.ready, t.number)
	m.ready = slices.Insert(m.ready, i, t.number)
	t.running++
}
