package cat

import (
	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/src"
)

// value is what an expression of a model denotes: setValue, relValue, emptyValue,
// universeValue, tupleValue, *closure or *builtin.
type value interface {
	kind() string
}

type (
	setValue struct{ rel.Set }
	relValue struct{ rel.Rel }

	// emptyValue is {}: the empty set or relation, by context.
	emptyValue struct{}

	// universeValue is _: the universal set or relation, by context.
	universeValue struct{}

	tupleValue []value

	closure struct {
		param syntax.Pat
		body  syntax.Expr
		env   *env
	}

	builtin struct {
		name string
		fn   func(ev *evaluator, arg value, at src.Span) value
		// part says that the result is part of the argument, so that what explains
		// an edge of the argument explains it in the result.
		part bool
	}
)

func (setValue) kind() string      { return "a set" }
func (relValue) kind() string      { return "a relation" }
func (emptyValue) kind() string    { return "the empty set" }
func (universeValue) kind() string { return "_" }
func (tupleValue) kind() string    { return "a tuple" }
func (*closure) kind() string      { return "a function" }
func (*builtin) kind() string      { return "a function" }

// env is a chain of bindings, innermost first.
type env struct {
	name  string
	value value
	def   *definition // where the value comes from; nil if it has no text
	outer *env
}

// definition is the expression that a name stands for.
type definition struct {
	expr syntax.Expr
	env  *env
	rec  bool // bound by let rec: env is that of the round before, nil in the first
}

func (e *env) lookup(name string) *env {
	for ; e != nil; e = e.outer {
		if e.name == name {
			return e
		}
	}
	return nil
}

// asSet reads v as a set of n events.
func asSet(v value, n int) (rel.Set, bool) {
	switch v := v.(type) {
	case setValue:
		return v.Set, true
	case emptyValue:
		return rel.NewSet(n), true
	case universeValue:
		return rel.Universe(n), true
	}
	return rel.Set{}, false
}

// asRel reads v as a relation over n events.
func asRel(v value, n int) (rel.Rel, bool) {
	switch v := v.(type) {
	case relValue:
		return v.Rel, true
	case emptyValue:
		return rel.New(n), true
	case universeValue:
		return rel.Full(n), true
	}
	return rel.Rel{}, false
}

// typeError stops an evaluation.
func typeError(at src.Span, format string, args ...any) {
	panic(src.Errorf(at, format, args...))
}

// builtins are the functions that every model can use, after herd's standard
// library.
var builtins = map[string]*builtin{
	"WW": filter("W", "W"), "WR": filter("W", "R"), "WM": filter("W", "M"),
	"RW": filter("R", "W"), "RR": filter("R", "R"), "RM": filter("R", "M"),
	"MW": filter("M", "W"), "MR": filter("M", "R"), "MM": filter("M", "M"),
	"domain": {fn: func(ev *evaluator, arg value, at src.Span) value {
		return setValue{ev.rel(arg, at).Domain()}
	}},
	"range": {fn: func(ev *evaluator, arg value, at src.Span) value {
		return setValue{ev.rel(arg, at).Range()}
	}},
	"toid": {fn: func(ev *evaluator, arg value, at src.Span) value {
		return relValue{rel.Identity(ev.set(arg, at))}
	}},
	"fencerel": {fn: func(ev *evaluator, arg value, at src.Span) value {
		po, fence := ev.baseRel("po", at), ev.set(arg, at)
		all := rel.Universe(ev.n)
		return relValue{po.Restrict(all, fence).Compose(po)}
	}},
}

// filter keeps the pairs of a relation that go from one set to the other.
func filter(from, to string) *builtin {
	return &builtin{part: true, fn: func(ev *evaluator, arg value, at src.Span) value {
		return relValue{ev.rel(arg, at).Restrict(ev.baseSet(from, at), ev.baseSet(to, at))}
	}}
}

func init() {
	for name, b := range builtins {
		b.name = name
	}
}
