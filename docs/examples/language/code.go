package main

import (
	"maps"
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend/path"
	"github.com/muster-gpu/muster/src"
)

// walk is a thread on its way along one control path. Registers go by their names.
type walk = path.Walk[string]

// instruction is one instruction of a thread.
type instruction struct {
	operation
	at     src.Span
	sets   string   // the register that it sets; "" for none
	reads  []string // the registers that it reads
	loc    event.Loc
	values []value // its other operands, in their order
	target int     // where it jumps to
}

// value is a register, or a number.
type value struct {
	register string // "" for a number
	number   int64
}

// operation is what an instruction does.
type operation struct {
	operands string // r: a register that it sets, l: a location, v: a register or a number, t: a label
	step     func(*walk, *instruction) error
}

// operations are all there are, by name. This table is the language.
var operations = map[string]operation{
	"get":         {"rl", get},
	"put":         {"lv", put},
	"add":         {"rvv", add},
	"zero":        {"vt", zero},
	"flush.chip":  {"", flushing(toChip, "flush.chip")},
	"flush.board": {"", flushing(toBoard, "flush.board")},
}

func opcodes() []string { return slices.Sorted(maps.Keys(operations)) }

// get reads a location.
func get(w *walk, in *instruction) error {
	w.Set(in.sets, w.Read(event.Event{}, address(w, in)))
	return nil
}

// put writes a location.
func put(w *walk, in *instruction) error {
	w.Write(event.Event{}, address(w, in), held(w, in.values[0]), nil)
	return nil
}

// add computes a sum.
func add(w *walk, in *instruction) error {
	a, b := held(w, in.values[0]), held(w, in.values[1])
	sum, err := event.Apply(arith.Add, arith.S64, a.Value, b.Value)
	if err != nil {
		return src.Errorf(in.at, "%v", err)
	}
	w.Note(sum, false)
	w.Set(in.sets, path.Held{Value: sum, From: a.From.Union(b.From)})
	return nil
}

// zero jumps if a value is 0.
func zero(w *walk, in *instruction) error {
	w.Branch(held(w, in.values[0]), false, in.target, path.Never)
	return nil
}

func flushing(tag event.Tags, name string) func(*walk, *instruction) error {
	return func(w *walk, _ *instruction) error {
		w.Fence(event.Event{Tags: tag, Mnemonic: name})
		return nil
	}
}

// address is that of the location of an access.
func address(w *walk, in *instruction) path.Held {
	at := path.Held{Value: event.Const(event.AddressOf(in.loc))}
	w.Note(at.Value, true)
	return at
}

// held is what an operand holds. A register that nothing has set holds 0.
func held(w *walk, v value) path.Held {
	if h, set := w.Get(v.register); set {
		return h
	}
	return path.Held{Value: event.Const(event.Int(v.number))}
}

// code is the instructions of a thread.
type code []*instruction

// Len returns how many there are.
func (c code) Len() int { return len(c) }

// Next returns the instructions that may follow one; nil for the next one.
func (c code) Next(pc int) []int {
	if c[pc].operands == "vt" {
		return []int{pc + 1, c[pc].target}
	}
	return nil
}

// Uses returns the registers that an instruction sets and reads.
func (c code) Uses(pc int) (sets, reads []string) {
	if c[pc].sets != "" {
		sets = []string{c[pc].sets}
	}
	return sets, c[pc].reads
}

// Step does what an instruction does.
func (c code) Step(w *walk, pc int) error { return c[pc].step(w, c[pc]) }
