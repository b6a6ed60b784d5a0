package plan

import "github.com/muster-gpu/muster/internal/engine/relop"

// Frame holds the values of a plan's nodes over n events. It is reused from one program to
// the next, so that running a plan allocates nothing. It belongs to one goroutine.
//
// For each program: Reset, perhaps Guard, fill the inputs (Rel, Set), then run stage after
// stage. Once the
// stages that are the same for all candidate executions have run, Specialize leaves out of the
// others what they decide.
type Frame struct {
	plan   *Plan
	n      int
	all    uint64 // the set of all events
	values []uint64
	code   [][]instr // of each stage: the plan's, or what Specialize has left of it
	kept   [][]instr // memory for what it leaves
	fresh  []bool    // by stage: its code for reports has run since its other code has

	// See Specialize.
	settled []bool // by slot: the value is there and stays
	void    []bool // by slot: it is settled and empty
	dead    []bool // by check: sure to hold, or disabled

	guards   Guards // nil if all checks are required
	forgiven []int  // by stage: the group that failed when it ran; 0 for none
}

// NewFrame makes a frame for a plan.
func (p *Plan) NewFrame() *Frame {
	return &Frame{
		plan: p, fresh: make([]bool, len(p.stages)), forgiven: make([]int, len(p.stages)),
		code: make([][]instr, len(p.stages)), kept: make([][]instr, len(p.stages)),
		settled: make([]bool, p.slots), void: make([]bool, p.slots), dead: make([]bool, len(p.Checks)),
	}
}

// Reset makes all values empty, over n events; n is at most MaxEvents.
func (f *Frame) Reset(n int) {
	f.n, f.all = n, ^uint64(0)>>(MaxEvents-n)
	size := f.plan.rels*n + f.plan.slots - f.plan.rels
	if cap(f.values) < size {
		f.values = make([]uint64, size)
	}
	f.values = f.values[:size]
	clear(f.values)
	for i, s := range f.plan.stages {
		f.code[i] = s.code
	}
	clear(f.fresh)
	clear(f.dead)
	f.guards = nil
	clear(f.forgiven)
}

// Guard says which checks must hold until the next Reset. The group that may fail is that of the
// first check that fails as stage after stage is run.
func (f *Frame) Guard(g Guards) {
	f.guards = g
	for check, guard := range g {
		f.dead[check] = guard == Disabled
	}
}

// Forgiven returns the group that has failed in the stages that have run; 0 for none.
func (f *Frame) Forgiven() int { return f.forgivenUpTo(len(f.forgiven)) }

func (f *Frame) forgivenUpTo(stage int) int {
	for _, g := range f.forgiven[:stage] {
		if g != 0 {
			return g
		}
	}
	return 0
}

// forgives reports whether a check of a stage may fail, and notes its group.
func (f *Frame) forgives(stage, check int) bool {
	group := f.guards.Group(check)
	if group == 0 {
		return false
	}
	if g := f.forgivenUpTo(stage + 1); g != 0 {
		return g == group
	}
	f.forgiven[stage] = group
	return true
}

// Rel is the rows of a relation: n words, to read and, of an input or a choice, to fill.
func (f *Frame) Rel(s Slot) []uint64 { return f.values[int(s)*f.n : int(s+1)*f.n : int(s+1)*f.n] }

// Set is a set: a single word.
func (f *Frame) Set(s Slot) *uint64 {
	return &f.values[f.plan.rels*f.n+int(s)-f.plan.rels]
}

// Input is an input: n words or one.
func (f *Frame) Input(in Input) []uint64 { return f.value(in.Slot) }

// Clear makes an input empty.
func (f *Frame) Clear(in Input) { clear(f.value(in.Slot)) }

// value is a relation or a set: n words or one.
func (f *Frame) value(s Slot) []uint64 {
	if int(s) < f.plan.rels {
		return f.Rel(s)
	}
	at := f.plan.rels*f.n + int(s) - f.plan.rels
	return f.values[at : at+1 : at+1]
}

// Passed says that no check failed.
const Passed = -1

// Run runs the code of a stage. It returns the first check that fails, or Passed. Variables
// in partial are known in part, by lower bounds of what they can become: then only checks
// count that fail for all that they can become.
func (f *Frame) Run(stage int, partial Vars) int {
	f.fresh[stage], f.forgiven[stage] = false, 0
	return f.run(stage, partial)
}

// Compute runs the code of a stage without its checks.
func (f *Frame) Compute(stage int) {
	f.fresh[stage] = false
	f.compute(f.code[stage])
}

// Raised reports that a report raises its flag, or finds the behaviour undefined. All
// stages have run.
func (f *Frame) Raised(report int) bool {
	c := &f.plan.Reports[report]
	for s := range c.Of.stage() + 1 {
		if !f.fresh[s] {
			f.compute(f.plan.stages[s].reports)
			f.fresh[s] = true
		}
	}
	return f.holds(c) != c.Undefined
}

// Holds evaluates a check on the values as they are.
func (f *Frame) Holds(check int) bool { return f.dead[check] || f.holds(&f.plan.Checks[check]) }

// Dead reports whether a check is sure to hold, since Specialize, or disabled, or of the group that
// has failed.
func (f *Frame) Dead(check int) bool {
	group := f.guards.Group(check)
	return f.dead[check] || group != 0 && group == f.Forgiven()
}

func (f *Frame) holds(c *Check) bool {
	x := f.value(c.X)
	var ok bool
	switch c.Test {
	case Acyclic:
		ok = acyclic(x, f.all)
	case Irreflexive:
		ok = !HasLoop(x)
	case IsEmpty:
		ok = empty(x)
	}
	return ok != c.Negated
}

// run is the inner loop of the fast engine.
func (f *Frame) run(stage int, partial Vars) int {
	code := f.code[stage]
	for i := 0; i < len(code); {
		if code[i].op != opCheck {
			i += f.next(code[i:])
			continue
		}
		check := int(code[i].x)
		if c := &f.plan.Checks[check]; c.Falls&partial == 0 && !f.Holds(check) && !f.forgives(stage, check) {
			return check
		}
		i++
	}
	return Passed
}

func (f *Frame) compute(code []instr) {
	for i := 0; i < len(code); {
		i += f.next(code[i:])
	}
}

// next executes one step, or a fixpoint, and returns how many steps that is.
func (f *Frame) next(code []instr) int {
	in := &code[0]
	switch in.op {
	case opCheck:
	case OpFixpoint:
		f.iterate(&f.plan.loops[in.fix], code[1:1+in.inner])
		return 1 + int(in.inner)
	default:
		f.step(in)
	}
	return 1
}

// iterate runs the body of a fixpoint until nothing is added.
func (f *Frame) iterate(l *loop, body []instr) {
	for _, s := range l.reached {
		clear(f.value(s))
	}
	for changed := true; changed; {
		changed = false
		f.compute(body)
		for i, s := range l.reached {
			reached, next := f.value(s), f.value(l.next[i])
			for a := range reached {
				changed = changed || reached[a] != next[a]
				reached[a] = next[a]
			}
		}
	}
}

// step computes one node.
func (f *Frame) step(in *instr) {
	dst := f.value(in.dst)
	switch in.op {
	case relop.Union:
		x, y := f.value(in.x)[:len(dst)], f.value(in.y)[:len(dst)]
		for a := range dst {
			dst[a] = x[a] | y[a]
		}
	case relop.Inter:
		x, y := f.value(in.x)[:len(dst)], f.value(in.y)[:len(dst)]
		for a := range dst {
			dst[a] = x[a] & y[a]
		}
	case relop.Diff:
		x, y := f.value(in.x)[:len(dst)], f.value(in.y)[:len(dst)]
		for a := range dst {
			dst[a] = x[a] &^ y[a]
		}
	case relop.Complement:
		x := f.value(in.x)
		for a := range dst {
			dst[a] = f.all &^ x[a]
		}
	case relop.Seq:
		compose(dst, f.value(in.x), f.value(in.y))
	case relop.Plus:
		copy(dst, f.value(in.x))
		Close(dst)
	case relop.Inverse:
		inverse(dst, f.value(in.x))
	case relop.Identity:
		identity(dst, *f.Set(in.x))
	case relop.Product:
		from(dst, *f.Set(in.x), *f.Set(in.y))
	case relop.From:
		x, s := f.value(in.x), *f.Set(in.y)
		for a := range dst {
			dst[a] = x[a] & -(s >> a & 1)
		}
	case relop.To:
		x, s := f.value(in.x), *f.Set(in.y)
		for a := range dst {
			dst[a] = x[a] & s
		}
	case relop.Domain:
		dst[0] = domain(f.value(in.x))
	case relop.Range:
		dst[0] = union(f.value(in.x))
	case relop.Empty:
		clear(dst)
	case relop.Full:
		for a := range dst {
			dst[a] = f.all
		}
	}
}
