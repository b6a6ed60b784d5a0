package ask

import (
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
)

// Rule recognises one way in which threads synchronise, or in which their values are related.
type Rule struct {
	Name string
	// Late rules are recognised when the true guesses about loops are known; Twice rules, before
	// that as well. Other rules are recognised only before, and then ask nothing.
	Late, Twice bool
	// Off reports whether the rule is off for a trace that has something it does not handle. It may
	// be nil.
	Off func(*trace.Trace) bool
	// Recognise returns the instance that it finds, or nil. It may ask questions, with the facts of
	// the rules before it. It reports whether it understands everything that it has found; if not,
	// pairs of accesses are not asked about, since their order is unknown.
	Recognise func(*Asker) (instance Instance, understood bool)
}

// Instance is what a rule has recognised in a trace. It implements some of the interfaces below.
type Instance any

// Orders is an instance that orders accesses of different threads.
type Orders interface {
	// Unordered returns the condition that the rule does not order two accesses. It is a conjunct
	// of the question.
	Unordered(Pair) *term.Term
}

// Decides is an instance that alone decides, for some accesses, whether they are ordered.
type Decides interface {
	// Together returns the condition that two accesses may happen at the same time, and the note
	// about them if they race. It returns false if other rules decide.
	Together(Pair) (together *term.Term, what string, decides bool)
}

// Places is an instance to which it matters where in the program an access is: others that ask the
// same are not left out for it.
type Places interface {
	Placed(*trace.Access) bool
}

// Casts is an instance that adds candidates for the other thread of a pair.
type Casts interface {
	// Actors returns further candidates for the other thread besides those of the block and of the
	// grid.
	Actors(first, other *trace.Access) []*Thread
	// Apart returns the condition that the two threads do not share one action. It is a conjunct of
	// the question.
	Apart(Pair) *term.Term
}

// Relates is an instance that relates what two threads hold.
type Relates interface {
	// Relate adds facts about the terms that a question mentions by then. It is called for
	// questions about two threads.
	Relate(*Conjunction, *Question)
}

// Tells is an instance that knows what each thread holds.
type Tells interface {
	// Tell adds facts about the terms that a question mentions by then, for the first thread and
	// for the other, if it is not nil.
	Tell(c *Conjunction, other *Thread)
}

// Refines is an instance that knows more of functions than that they are functions. It is called
// for what may become an alarm, and not for guesses.
type Refines interface {
	// Bound adds simple facts about them.
	Bound(*Conjunction)
	// Define adds their definitions, for questions that bounds do not decide. It reports whether
	// there are any.
	Define(*Conjunction) bool
}

// Owes is an instance whose order holds only if threads meet as it says.
type Owes interface {
	// Duties asks whether they may not.
	Duties()
}

// Races is an instance that asks about pairs of accesses itself.
type Races interface {
	Races()
}

// Assumes is an instance that takes something for granted.
type Assumes interface {
	Assumptions() []string
}

// instances are the recognised instances in the order of the rules: all, and those that implement
// each interface.
type instances struct {
	all     []Instance // one for each rule; nil for nothing
	orders  []Orders
	decides []Decides
	places  []Places
	casts   []Casts
	relates []Relates
	tells   []Tells
	refines []Refines
	owes    []Owes
	races   []Races
	assumes []Assumes
}

// sorted returns the instances by the interfaces that they implement.
func sorted(all []Instance) instances {
	s := instances{all: all}
	for _, r := range all {
		if r == nil {
			continue
		}
		add(&s.orders, r)
		add(&s.decides, r)
		add(&s.places, r)
		add(&s.casts, r)
		add(&s.relates, r)
		add(&s.tells, r)
		add(&s.refines, r)
		add(&s.owes, r)
		add(&s.races, r)
		add(&s.assumes, r)
	}
	return s
}

// add adds an instance to those of a kind, if it is one.
func add[T any](kind *[]T, r Instance) {
	if t, ok := r.(T); ok {
		*kind = append(*kind, t)
	}
}

// Find returns the instance of a type among those recognised so far.
func Find[T any](a *Asker) (found T, ok bool) {
	for _, r := range a.rules.all {
		if found, ok = r.(T); ok {
			return found, true
		}
	}
	return found, false
}

// recognise finds the instances of the rules, at first or late: see Rule.
func (a *Asker) recognise(late bool) {
	for i, rule := range a.Config.Rules {
		if late != rule.Late && !rule.Twice || rule.Off != nil && rule.Off(a.trace) {
			continue
		}
		instance, understood := rule.Recognise(a)
		a.unordered = a.unordered || !understood
		if a.rules.all[i] = instance; late && instance != nil {
			a.rules = sorted(a.rules.all)
		}
	}
	if !late {
		a.rules = sorted(a.rules.all)
	}
}
