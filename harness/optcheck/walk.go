package optcheck

import (
	"errors"
	"fmt"
	"maps"
)

// walker follows one control path of the machine code of a role, from its first marker to its
// second.
type walker struct {
	*flow
	all    *paths
	end    int // the number of the event of the second marker
	start  int // the instruction behind the first
	pc     int
	regs   map[string]value
	preds  map[string]condition
	facts  facts
	ctrl   deps // what the branches taken depend on
	path   path
	issue  issue
	idle   map[int]int // how often instructions have run since the last operation
	locate func(address value, in space) accessPlace
}

// paths collects control paths.
type paths struct {
	found []path
	seen  map[string]bool
	most  int // bounds the operations of a path
	begun int // number of paths that were followed, counted from forks
}

// maxPaths bounds the paths that are followed, and maxIdle how often an instruction runs without a
// memory operation in between.
const (
	maxPaths = 10_000
	maxIdle  = 3
)

// begin counts a path.
func (p *paths) begin() error {
	if p.begun++; p.begun > maxPaths {
		return fmt.Errorf("it has more than %d control paths", maxPaths)
	}
	return nil
}

// add keeps a path, unless it is known.
func (p *paths) add(x path) {
	key := fmt.Sprint(x.cut)
	for _, o := range x.ops {
		key += fmt.Sprint("|", o.index, o.place, o.addr, o.data, o.ctrl)
	}
	if !p.seen[key] {
		p.seen[key] = true
		p.found = append(p.found, x)
	}
}

// machinePaths finds the control paths of a role of the machine code.
func (f *flow) machinePaths(role, most int, locate func(value, space) accessPlace) ([]path, error) {
	all := &paths{seen: map[string]bool{}, most: most}
	starts := f.marker(2 * role)
	if len(starts) == 0 {
		return nil, fmt.Errorf("the machine code has no marker of it (PMTRIG %#x)", 1<<(2*role))
	}
	for _, at := range starts {
		w := &walker{
			flow: f, all: all, end: 2*role + 1, start: at + 1, pc: at + 1, locate: locate,
			regs: map[string]value{}, preds: map[string]condition{}, idle: map[int]int{},
		}
		if err := w.walk(); err != nil {
			return nil, err
		}
	}
	return all.found, nil
}

func (w *walker) fork() *walker {
	other := *w
	other.regs, other.preds, other.idle = maps.Clone(w.regs), maps.Clone(w.preds), maps.Clone(w.idle)
	return &other
}

func (w *walker) evaluator() *evaluator {
	return &evaluator{
		w.atoms,
		func(name string) value {
			if v, ok := w.regs[name]; ok {
				return v
			}
			return w.value(use{w.start, name})
		},
		func(name string) condition {
			if c, ok := w.preds[name]; ok {
				return c
			}
			return w.truth(use{w.start, name})
		},
	}
}

// walk follows the path to its end.
func (w *walker) walk() error {
	if err := w.all.begin(); err != nil {
		return err
	}
	for {
		if w.pc >= len(w.instrs) {
			return errors.New("the machine code ends before its second marker")
		}
		in := w.instrs[w.pc]
		if in.isMarker(w.end) {
			w.all.add(w.path)
			return nil
		}
		if in.opcode == "PMTRIG" && !in.isSeparator() {
			return fmt.Errorf("the machine code comes to the marker %s before its second one", in.text)
		}
		if w.idle[w.pc]++; w.idle[w.pc] > maxIdle {
			return nil
		}
		w.issue.wait(in.control)
		guard, runs, err := w.guard(in)
		if err != nil {
			return err
		}
		if !runs {
			w.skip(in, guard)
			w.pc++
			continue
		}
		if in.isOperation() && len(w.path.ops) >= w.all.most && w.path.grows(in.operation()) {
			w.path.cut = true
			w.all.add(w.path)
			return nil
		}
		if w.pc, err = w.step(in, guard); err != nil {
			return err
		}
	}
}

// guard decides whether an instruction runs. If that is undecided, the path forks.
func (w *walker) guard(in *instruction) (c condition, runs bool, err error) {
	if in.guard == "" {
		return truth(true), true, nil
	}
	if c = w.evaluator().condition(in.guard); in.negated {
		c = c.not()
	}
	if in.isControl() {
		w.ctrl |= c.from
	}
	runs, known := w.facts.decide(c)
	if known {
		return c, runs, nil
	}
	other := w.fork()
	other.facts = w.facts.assume(c.not())
	other.skip(in, c)
	other.pc++
	w.facts = w.facts.assume(c)
	return c, true, other.walk()
}

// skip skips an instruction. Its registers depend on the guard nevertheless.
func (w *walker) skip(in *instruction, guard condition) {
	eval := w.evaluator()
	for _, name := range in.written() {
		if predicateName.MatchString(name) {
			w.preds[name] = eval.condition(name).with(guard.from)
		} else {
			w.regs[name] = eval.get(name).with(guard.from)
		}
	}
}

// step runs an instruction and returns the next one.
func (w *walker) step(in *instruction, guard condition) (next int, err error) {
	switch {
	case in.isSpill():
		return 0, errors.New("it keeps registers in local memory, which is not followed")
	case in.opcode == "BRA" || in.opcode == "JMP":
		return w.branch(in)
	case in.opcode == "CALL":
		w.call()
	case in.isControl():
		return 0, fmt.Errorf("the machine code leaves it by %s", in.text)
	case in.isOperation():
		w.access(in, guard.from)
	default:
		w.compute(in, guard)
	}
	return w.pc + 1, nil
}

// branch returns the target of a branch. Besides its guard a branch may have a predicate as an
// operand, or ask whether the threads of the warp have converged.
func (w *walker) branch(in *instruction) (next int, err error) {
	to, ok := w.target(in)
	if !ok {
		return 0, fmt.Errorf("the machine code goes to an unknown place by %s", in.text)
	}
	for _, o := range in.operands[:len(in.operands)-1] {
		c := question(fmt.Sprintf("%s at %d", o, w.pc), 0)
		if predicateName.MatchString(o) {
			c = w.evaluator().condition(o)
		}
		w.ctrl |= c.from
		taken, known := w.facts.decide(c)
		if !known {
			other := w.fork()
			other.facts = w.facts.assume(c.not())
			other.pc++
			if err := other.walk(); err != nil {
				return 0, err
			}
			w.facts, taken = w.facts.assume(c), true
		}
		if !taken {
			return w.pc + 1, nil
		}
	}
	return to, nil
}

// call forgets the registers that the function may write. Its results depend on everything that it
// may read.
func (w *walker) call() {
	eval := w.evaluator()
	var from deps
	for name := range w.functions[w.pc].reads {
		from |= eval.get(name).from
	}
	for name := range w.functions[w.pc].writes {
		what := fmt.Sprintf("%s called at %d after %d", name, w.pc, len(w.path.ops))
		w.regs[name], w.preds[name] = w.atom(what, from), question(what, from)
	}
}

// compute writes registers.
func (w *walker) compute(in *instruction, guard condition) {
	result := w.evaluator().effects(in)
	for name, v := range result.registers {
		w.regs[name] = v.with(guard.from)
	}
	for name, c := range result.predicates {
		w.preds[name] = c.with(guard.from)
	}
}
