package cat

import (
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/src"
)

// value is what an expression of a model denotes.
type value interface {
	kind() string
}

type (
	setValue   struct{ rel.Set } // a set of events
	relValue   struct{ rel.Rel }
	eventValue int
	pairValue  struct{ from, to int }
	tagValue   string

	// emptyValue is {}: the empty set or relation, by context.
	emptyValue struct{}

	// universeValue is _: the universal set or relation, by context.
	universeValue struct{}

	tupleValue []value

	// setOfValue is a set of tags, sets or relations. No two elements are equal.
	setOfValue []value

	// classRel is a relation between sets of events, the result of lift.
	classRel struct {
		classes []rel.Set
		rel     rel.Rel // between indices of classes
	}

	closure struct {
		name  string // "" for fun
		param syntax.Pat
		body  syntax.Expr
		env   *env
	}

	procedure struct {
		def *syntax.ProcStmt
		env *env
	}
)

func (setValue) kind() string      { return "a set" }
func (relValue) kind() string      { return "a relation" }
func (eventValue) kind() string    { return "an event" }
func (pairValue) kind() string     { return "a pair of events" }
func (tagValue) kind() string      { return "a tag" }
func (emptyValue) kind() string    { return "the empty set" }
func (universeValue) kind() string { return "_" }
func (tupleValue) kind() string    { return "a tuple" }
func (setOfValue) kind() string    { return "a set of values" }
func (classRel) kind() string      { return "a relation between classes" }
func (*closure) kind() string      { return "a function" }
func (*builtin) kind() string      { return "a function" }
func (*procedure) kind() string    { return "a procedure" }

// env is a chain of bindings, innermost first.
type env struct {
	name  string
	value value
	def   *definition // the expression it comes from, or nil
	outer *env
}

// definition is the expression that a name stands for.
type definition struct {
	expr syntax.Expr
	env  *env
	rec  bool // bound by let rec: env is that of the previous round, nil in the first
	arg  bool // the argument of a parameter
}

// argument returns the definition of a parameter, or of a tuple of parameters.
func argument(x syntax.Expr, in *env) *definition { return &definition{expr: x, env: in, arg: true} }

func (e *env) lookup(name string) *env {
	for ; e != nil; e = e.outer {
		if e.name == name {
			return e
		}
	}
	return nil
}

// asSet converts v to a set of n events. An event counts as a singleton.
func asSet(v value, n int) (rel.Set, bool) {
	switch v := v.(type) {
	case setValue:
		return v.Set, true
	case eventValue:
		return rel.NewSet(n, int(v)), true
	case emptyValue:
		return rel.NewSet(n), true
	case universeValue:
		return rel.Universe(n), true
	}
	return rel.Set{}, false
}

// asRel converts v to a relation over n events. A pair counts as a relation of one pair.
func asRel(v value, n int) (rel.Rel, bool) {
	switch v := v.(type) {
	case relValue:
		return v.Rel, true
	case pairValue:
		return rel.Of(n, [2]int{v.from, v.to}), true
	case tupleValue:
		if p, ok := asPair(v); ok {
			return rel.Of(n, [2]int{p.from, p.to}), true
		}
	case emptyValue:
		return rel.New(n), true
	case universeValue:
		return rel.Full(n), true
	}
	return rel.Rel{}, false
}

// asPair converts v to a pair of events. A tuple of two events is a pair.
func asPair(v value) (pairValue, bool) {
	switch v := v.(type) {
	case pairValue:
		return v, true
	case tupleValue:
		if len(v) == 2 {
			a, okA := v[0].(eventValue)
			b, okB := v[1].(eventValue)
			return pairValue{int(a), int(b)}, okA && okB
		}
	}
	return pairValue{}, false
}

// elements lists the elements of a set: events or pairs in order, or the values of a setOfValue.
func elements(v value) ([]value, bool) {
	var all []value
	switch v := v.(type) {
	case setValue:
		for e := range v.All() {
			all = append(all, eventValue(e))
		}
	case relValue:
		for a, b := range v.Pairs() {
			all = append(all, pairValue{a, b})
		}
	case eventValue, pairValue:
		all = []value{v}
	case setOfValue:
		all = v
	case emptyValue:
	default:
		return nil, false
	}
	return all, true
}

// collect makes a set of values: a set of events, a relation, or a setOfValue.
func (ev *evaluator) collect(elems []value, at src.Span) value {
	events, pairs := rel.NewSet(ev.n), rel.New(ev.n)
	nEvents, nPairs := 0, 0
	for _, v := range elems {
		if e, ok := v.(eventValue); ok {
			events.Add(int(e))
			nEvents++
		} else if p, ok := asPair(v); ok {
			pairs.Add(p.from, p.to)
			nPairs++
		}
	}
	switch {
	case len(elems) == 0:
		return emptyValue{}
	case nEvents == len(elems):
		return setValue{events}
	case nPairs == len(elems):
		return relValue{pairs}
	case nEvents+nPairs > 0:
		typeError(at, "the elements of a set are of one sort")
	}
	var set setOfValue
	for _, e := range elems {
		if !set.has(ev.n, e) {
			set = append(set, e)
		}
	}
	return set
}

// orEmpty returns the set as a value: {} if it has no elements.
func (s setOfValue) orEmpty() value {
	if len(s) == 0 {
		return emptyValue{}
	}
	return s
}

func (s setOfValue) filter(keep func(value) bool) setOfValue {
	var kept setOfValue
	for _, v := range s {
		if keep(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

func (s setOfValue) has(n int, v value) bool {
	return slices.ContainsFunc(s, func(e value) bool { return equal(n, e, v) })
}

// fewValues is the size up to which comparing each value is faster than a lookup.
const fewValues = 16

// finder returns the method has, made fast for many values.
func (s setOfValue) finder(n int) func(value) bool {
	if len(s) <= fewValues {
		return func(v value) bool { return s.has(n, v) }
	}
	keys := map[string]bool{}
	for _, v := range s {
		keys[key(n, v)] = true
	}
	return func(v value) bool { return keys[key(n, v)] }
}

// key returns text that is the same for two values exactly if equal reports that they are equal.
func key(n int, v value) string {
	if s, ok := asSet(v, n); ok && !isPolymorphic(v) {
		return keyOf('S', n, s.Len(), s.All())
	}
	if r, ok := asRel(v, n); ok {
		var pairs []int
		for a, b := range r.Pairs() {
			pairs = append(pairs, a*n+b)
		}
		return keyOf('R', n*n, len(pairs), slices.Values(pairs))
	}
	switch v := v.(type) {
	case tagValue:
		return "'" + string(v)
	case tupleValue:
		keys := make([]string, len(v))
		for i, elem := range v {
			keys[i] = key(n, elem)
		}
		return "(" + strings.Join(keys, ",") + ")"
	case setOfValue:
		keys := make([]string, len(v))
		for i, elem := range v {
			keys[i] = key(n, elem)
		}
		slices.Sort(keys)
		return "{" + strings.Join(keys, ",") + "}"
	}
	return fmt.Sprintf("%p", v)
}

// keyOf returns the key of a set of count elements out of size. Empty and universal sets have the
// keys of {} and _.
func keyOf(sort byte, size, count int, elems iter.Seq[int]) string {
	switch count {
	case 0:
		return "{}"
	case size:
		return "_"
	}
	k := []byte{sort}
	for e := range elems {
		k = binary.AppendUvarint(k, uint64(e))
	}
	return string(k)
}

// equal compares two values over n events. {} and _ equal a set or a relation that is empty or
// universal.
func equal(n int, a, b value) bool {
	if s, ok := asSet(a, n); ok {
		if t, ok := asSet(b, n); ok {
			return s.Equal(t)
		}
	}
	if r, ok := asRel(a, n); ok {
		if s, ok := asRel(b, n); ok {
			return r.Equal(s)
		}
	}
	switch a := a.(type) {
	case tagValue:
		return a == b
	case tupleValue:
		t, ok := b.(tupleValue)
		return ok && slices.EqualFunc(a, t, func(x, y value) bool { return equal(n, x, y) })
	}
	return subset(n, a, b) && subset(n, b, a)
}

// subset reports whether every element of a is an element of b.
func subset(n int, a, b value) bool {
	if s, ok := asSet(a, n); ok {
		if t, ok := asSet(b, n); ok {
			return s.SubsetOf(t)
		}
	}
	if r, ok := asRel(a, n); ok {
		if s, ok := asRel(b, n); ok {
			return r.SubsetOf(s)
		}
	}
	as, okA := elements(a)
	bs, okB := elements(b)
	if !okA || !okB {
		return false
	}
	inB := setOfValue(bs).finder(n)
	return !slices.ContainsFunc(as, func(v value) bool { return !inB(v) })
}

// typeError ends an evaluation with an error in the model.
func typeError(at src.Span, format string, args ...any) {
	panic(src.Errorf(at, format, args...))
}
