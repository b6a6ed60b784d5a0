// Package plan is a model made ready to run fast: straight-line code over sets and
// relations of at most 64 events.
//
//	Builder  makes a plan: nodes (operations on other nodes, shared if
//	         they are equal) and checks on them
//	Plan     the code, stage by stage
//	Frame    the values of a plan's nodes for one program, reused from one to the next
//	Eval     the values of a plan's nodes over any Domain, found when they are asked for
//	Values   those of one execution
//
// What a node depends on says when it is computed. The variables are, in the order in which
// they become known: where the accesses go, what they read from (rf), and the choices of
// the model. The code of a stage is what depends on its variable and none after it: what the
// program alone decides is computed once, and not for every candidate execution.
//
// Code can also run while variables are known in part. If a node can only grow with a
// variable, its value for a part of the variable is a lower bound of all that it can become;
// a check that a lower bound fails, fails (Frame.Run). Of locations, what is known in part is
// the locations of some accesses (placed.go).
//
// The package knows no syntax, no events and no search. Rows are words: row a of a relation
// holds the events that a is related to.
package plan

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/muster-gpu/muster/rel"
)

// OutsideModel is the flag by which a model says that a test uses what it does not cover.
const OutsideModel = "outside-model"

// MaxEvents is how many events a relation can have: rows are single words.
const MaxEvents = 64

// Var is what a node may depend on, in the order in which the variables become known.
type Var uint8

// The variables that every plan has. Those after them are the choices of the model.
const (
	Places Var = iota // the locations of accesses
	Rf                // what reads read from, and the values that follow
	FirstChoice
)

// Vars is a set of variables, one bit each.
type Vars uint64

func (v Var) bit() Vars { return 1 << v }

// Has reports that a variable is in the set.
func (vs Vars) Has(v Var) bool { return vs&v.bit() != 0 }

// From is the variable and all those after it.
func (v Var) From() Vars { return ^(v.bit() - 1) }

// stage is the stage in which what depends on vs is computed: 0 if the program decides it,
// else one more than the last variable.
func (vs Vars) stage() int { return bits.Len64(uint64(vs)) }

// Stage is the number of the stage that begins when a variable is known.
func (v Var) Stage() int { return int(v) + 1 }

// Plan is a compiled model. It is immutable and may be shared.
type Plan struct {
	// Pool keeps the engines that run the plan from one run to the next.
	Pool sync.Pool

	Inputs  []Input
	Choices []Choice
	Checks  []Check // that reject, in the order of the model
	Reports []Check // that raise a flag, or say that the behaviour is undefined

	stages []stage
	loops  []loop
	rels   int // how many slots are relations; they come first
	slots  int // of relations and sets

	steps  []Step
	defs   []*Step // by slot: the step that defines the value; nil of inputs
	owners []*Step // by slot: that step, or the outermost fixpoint that it is part of
	inputs []Input // by slot
}

// Raised returns the names of reports that are raised: flags, and what leaves the behaviour
// undefined. raised is by report; it may be nil.
func (p *Plan) Raised(raised []bool) (flags, undefined []string) {
	for i, is := range raised {
		switch report := &p.Reports[i]; {
		case !is:
		case report.Undefined:
			undefined = append(undefined, report.Name)
		default:
			flags = append(flags, report.Name)
		}
	}
	return flags, undefined
}

// stage is the code of a stage. What only reports need comes apart: it is run for
// consistent executions only.
type stage struct {
	code    []instr
	reports []instr
}

// Input is a set or relation that comes from outside.
type Input struct {
	Name string
	Slot Slot
	Set  bool
	Of   Vars // what decides it; none for the program
}

// Slot is where a Frame keeps the value of a node.
type Slot int32

// none is no slot.
const none Slot = -1

// Family is what a choice is made from.
type Family uint8

// The families, after the primitives of the same name.
const (
	Completions    Family = iota // Args are what to relate, and what must be
	PartialOrders                // Args are what may be related, and what must be
	Orientations                 // Args[0] are the pairs
	Linearisations               // Args are what must be, and the set to put in order
)

// Choice is a variable of the model: a relation out of a family.
type Choice struct {
	Name   string
	Family Family
	Args   [2]Slot
	Slot   Slot    // of the relation that is chosen
	Of     [2]Vars // what each argument depends on
	Falls  Vars    // what the arguments can shrink with
}

// Bounded reports that lower bounds of the arguments, with these variables known in part, hold
// for every relation of the family: it contains what must be.
func (c *Choice) Bounded(partial Vars) bool {
	return c.Falls&partial == 0 && (c.Family == Completions || c.Family == PartialOrders)
}

// Known reports that the choice is a completion of what is known once locations are.
func (c *Choice) Known() bool { return c.PairsKnown() && c.Of[1]&^Places.bit() == 0 }

// PairsKnown reports that the choice is a completion, of pairs that are known once locations
// are.
func (c *Choice) PairsKnown() bool { return c.Family == Completions && c.Of[0]&^Places.bit() == 0 }

// Test is the property that a check asks for.
type Test uint8

// The tests.
const (
	Acyclic Test = iota
	Irreflexive
	IsEmpty
)

// Holds reports whether a set or relation has the property. A set is the identity on its elements.
func (t Test) Holds(x rel.Rel) bool {
	switch t {
	case Acyclic:
		return x.Acyclic()
	case Irreflexive:
		return x.Irreflexive()
	}
	return x.Empty()
}

// Check is a test of a node.
type Check struct {
	Name    string
	Test    Test
	Negated bool
	X       Slot
	Set     bool // X is a set
	Of      Vars // what it depends on
	// Falls are the variables that it can also pass again by: for a lower bound of one of
	// these, failing says nothing.
	Falls Vars
	// Undefined says of a report that failing it makes the behaviour undefined; passing
	// another raises a flag.
	Undefined bool
	// Src and Dst say how pairs of the last choice become part of X, if X is the union of
	// what each pair adds: a pair (a, b) adds pairs from the events that Src relates a to, to
	// those that Dst relates b to, and perhaps not all of them. none if that is not so.
	Src, Dst Slot
}

// Passes reports whether the check passes for a value of X.
func (c *Check) Passes(x rel.Rel) bool { return c.Test.Holds(x) != c.Negated }

// Linear reports that X is the union of what each pair of the last choice adds to it.
func (c *Check) Linear() bool { return c.Src != none }

// Stages is the number of stages: one for the program and one for each variable.
func (p *Plan) Stages() int { return len(p.stages) }

// Coherence is the choice that is coherence: the first of that name, if a model makes several; -1
// if it makes none.
func (p *Plan) Coherence() int {
	return slices.IndexFunc(p.Choices, func(c Choice) bool { return c.Name == "co" })
}
