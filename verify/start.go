package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/kernels/contract"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/prove"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/spec"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Start is the contents of memory at the begin of a launch of an alarm. It satisfies the
// preconditions and assumptions of the contract of the kernel: the caller guarantees them, and a
// launch that violates them shows nothing.
type Start struct {
	Reads []Read // the reads of the alarm that may be initial contents of memory
	Cells []Cell // what the contract speaks of; they come before Reads where the two overlap
}

// Cell is the contents of an array at an offset.
type Cell struct {
	Array  string // Array.Name
	Offset int64  // in bytes
	Size   int    // in bytes
	Bits   uint64
}

// Bounds on the questions about the start of a launch.
const (
	startThreads = 4096 // threads of the launch
	startValues  = 256  // values of a quantifier
	startTerms   = 100_000
)

// Start finds what memory may hold when a launch of an alarm begins: what the threads of the alarm
// read, as far as the contract lets it. Values that atomics find are given up before others:
// another thread may have left them. It is an error if no such memory is found.
func (r *Result) Start(ctx context.Context, a *Alarm) (Start, error) {
	start := Start{Reads: a.Reads}
	s := starting{of: r, alarm: a, Prover: prove.New(), known: map[*term.Term]bool{}}
	s.Until(func() bool { return ctx.Err() != nil })
	if err := s.requires(); err != nil || len(s.cells) == 0 && len(s.required) == 0 {
		return start, err
	}
	unchanged := slices.DeleteFunc(slices.Clone(a.Reads), func(read Read) bool {
		op, err := isa.Decode(read.Instr.Opcode)
		return err != nil || op.Class() == isa.ClassAtomic
	})
	for _, start.Reads = range [][]Read{a.Reads, unchanged, nil} {
		answer := s.Check(DefaultBudget, append(s.reads(start.Reads), s.required...)...)
		if answer.Result == sat.Sat {
			start.Cells = s.hold(answer.Model)
			return start, nil
		}
	}
	return start, fmt.Errorf("no memory was found with which a launch with these arguments keeps what the contract requires")
}

// starting is the start of a launch as terms: memory is a function of the offset, for each array
// and size.
type starting struct {
	*prove.Prover
	of       *Result
	alarm    *Alarm
	required []*term.Term
	cells    []*cellTerm
	known    map[*term.Term]bool // what the cells hold
}

// cellTerm is an element that the contract speaks of.
type cellTerm struct {
	array  string
	size   int
	offset *term.Term
	held   *term.Term
}

// requires records the preconditions and assumptions of the contract for each thread of the launch.
func (s *starting) requires() (err error) {
	c := s.of.Config.Contract
	if c == nil {
		return nil
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *trace.Refusal:
			err = r
		default:
			panic(r)
		}
	}()
	threads := s.threads()
	for _, clause := range c.Clauses {
		if clause.Where != spec.Kernel || clause.Word == spec.Ensures {
			continue
		}
		about := threads
		if !ofThread(clause.What) {
			about = threads[:1]
		}
		for _, t := range about {
			e := &contract.Evaluation{Terms: s.Builder, Subject: t, Read: t.First, Finite: true, Most: startValues}
			if holds := e.Assumed(clause.What); !slices.Contains(s.required, holds) {
				s.required = append(s.required, holds)
			}
		}
	}
	return nil
}

// ofThread reports whether an expression depends on the place of the thread.
func ofThread(n *spec.Node) bool {
	return n.Any(func(n *spec.Node) bool {
		return n.Kind == spec.Special && (strings.HasPrefix(n.Name, "%tid") || strings.HasPrefix(n.Name, "%ctaid"))
	})
}

// threads returns the threads of the blocks of the alarm.
func (s *starting) threads() (all []*startingThread) {
	l := s.alarm.Launch
	var blocks [][3]uint64
	for _, p := range s.alarm.Points {
		if !slices.Contains(blocks, p.Block) {
			blocks = append(blocks, p.Block)
		}
	}
	if n := l.Block.least() * len(blocks); n > startThreads {
		panic(&trace.Refusal{Why: fmt.Sprintf("whether a launch of %d threads keeps what the contract requires is not looked at", n)})
	}
	for _, block := range blocks {
		for z := range l.Block[2] {
			for y := range l.Block[1] {
				for x := range l.Block[0] {
					all = append(all, s.thread(block, [3]uint64{uint64(x), uint64(y), uint64(z)}))
				}
			}
		}
	}
	return all
}

func (s *starting) thread(block, at [3]uint64) *startingThread {
	t := &startingThread{starting: s}
	for i := range 3 {
		t.shape.Thread[i], t.shape.Block[i] = s.Const(at[i], 32), s.Const(block[i], 32)
		t.shape.Threads[i], t.shape.Blocks[i] = s.Const(uint64(s.alarm.Launch.Block[i]), 32), s.Const(uint64(s.alarm.Launch.Grid[i]), 32)
	}
	return t
}

// held returns what an array holds at an offset.
func (s *starting) held(array string, offset *term.Term, size int) *term.Term {
	return s.App(fmt.Sprintf("%s:%d", array, size), 8*size, offset)
}

// reads returns the condition that memory holds what was read, where the contract speaks of
// elements of that size of the array.
func (s *starting) reads(all []Read) (conditions []*term.Term) {
	for _, read := range all {
		if slices.ContainsFunc(s.cells, func(c *cellTerm) bool { return c.array == read.Array.Name && c.size == read.Size }) {
			conditions = append(conditions, s.Eq(s.held(read.Array.Name, s.Const(uint64(read.Offset), 64), read.Size), s.Const(read.Bits, 8*read.Size)))
		}
	}
	return conditions
}

// hold returns the contents of memory in a model.
func (s *starting) hold(m *term.Model) (all []Cell) {
	value := m.Evaluator()
	for _, c := range s.cells {
		all = append(all, Cell{c.array, int64(value(c.offset)), c.size, value(c.held)})
	}
	return all
}

// startingThread is a thread before it begins, as the subject of a contract.
type startingThread struct {
	*starting
	shape trace.Shape
}

var _ contract.Subject = &startingThread{}

// Special returns the place of the thread, or the size of the launch.
func (t *startingThread) Special(name string) *term.Term {
	for i, axis := range []string{".x", ".y", ".z"} {
		for of, is := range map[string]*term.Term{"%tid": t.shape.Thread[i], "%ntid": t.shape.Threads[i], "%ctaid": t.shape.Block[i], "%nctaid": t.shape.Blocks[i]} {
			if of+axis == name {
				return is
			}
		}
	}
	t.Refuse("", "%s is not modelled in contracts", name)
	return nil
}

// Param returns an argument as the alarm has it, or any if nothing depends on it.
func (t *startingThread) Param(v *kernel.Variable) *term.Term {
	for _, p := range t.alarm.Params {
		if p.Name == v.Name && p.Offset == 0 && p.Size == v.Size() {
			return t.Const(p.Bits, 8*v.Size())
		}
	}
	return t.Var(v.Name, 8*v.Size())
}

// Register is refused: registers have no values yet.
func (t *startingThread) Register(r *kernel.Register) *term.Term {
	t.Refuse("", "what %s holds before the kernel begins is not known", r.Name)
	return nil
}

// Region returns an array by the name that alarms have for it.
func (t *startingThread) Region(v *kernel.Variable, _ bool) *trace.Region {
	return &trace.Region{Name: v.Name, Space: v.Space, Variable: v}
}

// First returns what an array holds.
func (t *startingThread) First(r *trace.Region, offset *term.Term, size int) *term.Term {
	if t.Len() > startTerms {
		t.Refuse("", "the contract speaks of so much memory that no launch was sought which keeps it")
	}
	held := t.held(r.Name, offset, size)
	if !t.known[held] {
		t.known[held] = true
		t.cells = append(t.cells, &cellTerm{r.Name, size, offset, held})
	}
	return held
}

// Shape returns the launch, and the place of the thread.
func (t *startingThread) Shape() *trace.Shape { return &t.shape }

// Fresh returns a variable with any value.
func (t *startingThread) Fresh(name string, width int) *term.Term {
	return t.Var(fmt.Sprintf("%s#%d", name, t.Len()), width)
}

// Other is refused: preconditions are about one thread.
func (t *startingThread) Other(*term.Term) *term.Term {
	t.Refuse("", "a condition about two threads is not looked at in a launch")
	return nil
}

// Refuse ends the questions.
func (t *startingThread) Refuse(_, format string, args ...any) {
	panic(&trace.Refusal{Why: fmt.Sprintf(format, args...)})
}
