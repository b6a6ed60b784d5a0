package optcheck

import (
	"fmt"
	"maps"
	"slices"
)

// flow finds the values of registers at the beginning of a role, by following definitions
// backwards. A value that has several definitions is an atom.
type flow struct {
	*Listing
	*atoms
	before    [][]int          // by instruction: those that may run immediately before it
	writes    [][]string       // by instruction: what it may write
	functions map[int]function // by call
	effectAt  map[int]effect
	values    map[use]value
	truths    map[use]condition
}

// use is a register or predicate before an instruction.
type use struct {
	at   int
	name string
}

// entry stands for the definition of a register that nothing defines.
const entry = -1

func newFlow(l *Listing) *flow {
	f := &flow{
		Listing:   l,
		atoms:     &atoms{numbers: map[string]int{}},
		before:    make([][]int, len(l.instrs)),
		writes:    make([][]string, len(l.instrs)),
		functions: map[int]function{}, effectAt: map[int]effect{}, values: map[use]value{}, truths: map[use]condition{},
	}
	for i, in := range l.instrs {
		for _, next := range l.next(i) {
			f.before[next] = append(f.before[next], i)
		}
		f.writes[i] = in.written()
		if in.opcode == "CALL" {
			f.functions[i] = l.function(i)
			f.writes[i] = slices.Collect(maps.Keys(f.functions[i].writes))
		}
	}
	return f
}

// next lists the instructions that may run after one. Calls return.
func (l *Listing) next(i int) (all []int) {
	in := l.instrs[i]
	conditional := in.guard != ""
	comesBack, isJump := jumps[in.opcode]
	switch {
	case isJump && !comesBack:
		if to, ok := l.target(in); ok {
			all = append(all, to)
		}
		conditional = conditional || len(in.operands) > 1
	case in.opcode == "EXIT" || in.opcode == "RET":
	default:
		conditional = true
	}
	if conditional && i+1 < len(l.instrs) {
		all = append(all, i+1)
	}
	return all
}

// function is what the code of a callee may write and read.
type function struct{ writes, reads map[string]bool }

func (l *Listing) function(call int) function {
	f := function{map[string]bool{}, map[string]bool{}}
	to, ok := l.target(l.instrs[call])
	if !ok {
		return f
	}
	seen := map[int]bool{}
	work := []int{to}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[i] {
			continue
		}
		seen[i] = true
		in := l.instrs[i]
		work = append(work, l.next(i)...)
		if to, ok := l.target(in); ok && in.opcode == "CALL" {
			work = append(work, to)
		}
		for _, name := range in.written() {
			f.writes[name] = true
		}
		for _, name := range anyRegister.FindAllString(in.text, -1) {
			f.reads[name] = true
		}
	}
	return f
}

// written lists the registers and predicates that an instruction writes.
func (in *instruction) written() (names []string) {
	writes, _ := in.split()
	for _, w := range writes {
		switch {
		case w == "PR": // R2P: all of them
			names = append(names, predicates...)
		case predicateName.MatchString(w):
			names = append(names, w)
		default:
			for n := range in.registers() {
				names = append(names, following(w, n))
			}
		}
	}
	return names
}

// predicates are all predicates of a thread.
var predicates = []string{"P0", "P1", "P2", "P3", "P4", "P5", "P6"}

// definitions lists the instructions whose result a register may hold before an instruction.
func (f *flow) definitions(u use) (all []int) {
	seen := map[int]bool{}
	work := []int{u.at}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if at == 0 {
			all = append(all, entry)
		}
		for _, i := range f.before[at] {
			if seen[i] {
				continue
			}
			seen[i] = true
			if slices.Contains(f.writes[i], u.name) {
				all = append(all, i)
				if f.instrs[i].guard == "" {
					continue
				}
			}
			work = append(work, i)
		}
	}
	slices.Sort(all)
	return all
}

// value returns the value of a register before an instruction.
func (f *flow) value(u use) value {
	v, ok := f.values[u]
	if ok {
		return v
	}
	effect, defs := f.onlyDefinition(u)
	if v, ok = effect.registers[u.name]; !ok {
		v = f.atom(fmt.Sprintf("%s of %v", u.name, defs), 0)
	}
	f.values[u] = v
	return v
}

// truth returns the value of a predicate before an instruction.
func (f *flow) truth(u use) condition {
	c, ok := f.truths[u]
	if ok {
		return c
	}
	effect, defs := f.onlyDefinition(u)
	if c, ok = effect.predicates[u.name]; !ok {
		c = question(fmt.Sprintf("%s of %v", u.name, defs), 0)
	}
	f.truths[u] = c
	return c
}

// onlyDefinition returns the effect of the only instruction that may have set a register, or an
// empty effect if there are several.
func (f *flow) onlyDefinition(u use) (effect, []int) {
	defs := f.definitions(u)
	if len(defs) != 1 || defs[0] == entry || f.instrs[defs[0]].opcode == "CALL" {
		return effect{}, defs
	}
	return f.effect(defs[0]), defs
}

// effect returns what an instruction before the roles writes. What it reads from memory is an atom.
func (f *flow) effect(i int) effect {
	if e, ok := f.effectAt[i]; ok {
		return e
	}
	eval := &evaluator{
		f.atoms,
		func(name string) value { return f.value(use{i, name}) },
		func(name string) condition { return f.truth(use{i, name}) },
	}
	e := eval.effects(f.instrs[i])
	if f.instrs[i].isLoad() {
		for name := range e.registers {
			e.registers[name] = f.atom(fmt.Sprintf("%s loaded at %d", name, i), 0)
		}
	}
	f.effectAt[i] = e
	return e
}
