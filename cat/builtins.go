package cat

import (
	"iter"

	"github.com/muster-gpu/muster/internal/engine/relop"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/src"
)

// builtin is a function that is predefined in every model, a primitive or a function of the
// standard library of herd.
type builtin struct {
	name   string
	params []typeKind // one, or several for a tuple
	result typ
	// define computes a function of one argument from operators, for the evaluator and the compiler
	// alike. A builtin has either define or fn, which only the evaluator calls.
	define func(m operators, x operand) value
	fn     func(ev *evaluator, args []value, at src.Span) value

	// part reports whether the result is a subset of the (first) argument. An edge of the result is
	// then explained as an edge of the argument.
	part bool
	// opaque reports whether the result may shrink when an argument grows. Recursive definitions
	// must not pass through such a function.
	opaque bool
}

// call checks the number of arguments and applies the function.
func (b *builtin) call(ev *evaluator, arg value, at src.Span) value {
	if b.define != nil {
		return b.define(ev, operand{arg, at})
	}
	args := []value{arg}
	if len(b.params) > 1 {
		t, ok := asTuple(arg)
		if !ok || len(t) != len(b.params) {
			typeError(at, "%s takes %d arguments", b.name, len(b.params))
		}
		args = t
	}
	return b.fn(ev, args, at)
}

var builtins = map[string]*builtin{
	"WW": partOf(filter("W", "W")), "WR": partOf(filter("W", "R")), "WM": partOf(filter("W", "M")),
	"RW": partOf(filter("R", "W")), "RR": partOf(filter("R", "R")), "RM": partOf(filter("R", "M")),
	"MW": partOf(filter("M", "W")), "MR": partOf(filter("M", "R")), "MM": partOf(filter("M", "M")),

	"domain":   {params: []typeKind{kindRel}, result: setType, define: operator(relop.Domain)},
	"range":    {params: []typeKind{kindRel}, result: setType, define: operator(relop.Range)},
	"toid":     {params: []typeKind{kindSet}, result: relType, define: operator(relop.Identity)},
	"fencerel": {params: []typeKind{kindSet}, result: relType, define: separatedBy},
	"fromto":   {params: []typeKind{kindSet}, result: relType, define: separatedBy},

	"different-values": partOf(operator(relop.Diff, sameValue)),
	"same-oa":          partOf(operator(relop.Inter, "loc")),

	"classes":     opaque(onRel(setOf(setType), (*evaluator).classes)),
	"partition":   opaque(onSet(setOf(setType), (*evaluator).byLocation)),
	"classes-loc": opaque(onSet(setOf(setType), (*evaluator).byLocation)),
	"linearisations": opaque(&builtin{
		params: []typeKind{kindSet, kindRel}, result: setOf(relType),
		fn: func(ev *evaluator, args []value, at src.Span) value {
			r, s := ev.rel(args[1], at), ev.set(args[0], at)
			return ev.orders(func(stop func() bool) iter.Seq[rel.Rel] { return r.Linearisations(s, stop) }, at)
		},
	}),
	"partial-orders": ordersOf(rel.PartialOrders),
	"completions":    ordersOf(rel.Completions),
	"orientations": opaque(onRel(setOf(relType), func(ev *evaluator, r rel.Rel, at src.Span) value {
		return ev.orders(r.Orientations, at)
	})),

	"tag2scope":  onTag(relType, (*evaluator).scopeOf),
	"tag2events": onTag(setType, (*evaluator).taggedBy),
	"tag2instrs": onTag(setType, (*evaluator).taggedBy),
	"loc2events": onTag(setType, func(ev *evaluator, tag string, at src.Span) value {
		s, ok := ev.Located(tag)
		if !ok {
			typeError(at, "the test has no location %s", tag)
		}
		return setValue{s}
	}),

	"lift":         {params: []typeKind{kindSetOf, kindRel}, result: typ{kind: kindClassRel}, fn: lift},
	"delift":       {params: []typeKind{kindClassRel}, result: relType, fn: delift},
	"bisimulation": {params: []typeKind{kindRel, kindRel}, result: relType, opaque: true, fn: bisimulation},

	"fail": {params: []typeKind{kindAny}, result: anyType, fn: func(_ *evaluator, _ []value, at src.Span) value {
		panic(failure{at})
	}},
}

func init() {
	for name, b := range builtins {
		b.name = name
	}
}

func opaque(b *builtin) *builtin {
	b.opaque = true
	return b
}

func onRel(result typ, fn func(*evaluator, rel.Rel, src.Span) value) *builtin {
	return &builtin{
		params: []typeKind{kindRel},
		result: result,
		fn: func(ev *evaluator, args []value, at src.Span) value {
			return fn(ev, ev.rel(args[0], at), at)
		},
	}
}

func onSet(result typ, fn func(*evaluator, rel.Set, src.Span) value) *builtin {
	return &builtin{
		params: []typeKind{kindSet},
		result: result,
		fn: func(ev *evaluator, args []value, at src.Span) value {
			return fn(ev, ev.set(args[0], at), at)
		},
	}
}

func onTag(result typ, fn func(ev *evaluator, tag string, at src.Span) value) *builtin {
	return &builtin{
		params: []typeKind{kindTag},
		result: result,
		fn: func(ev *evaluator, args []value, at src.Span) value {
			return fn(ev, ev.tag(args[0], at), at)
		},
	}
}

// ordersOf returns a builtin whose result is a set of orders. Its arguments are the pairs that may
// be ordered and those that must be.
func ordersOf(all func(may, must rel.Rel, stop func() bool) iter.Seq[rel.Rel]) *builtin {
	return opaque(&builtin{
		params: []typeKind{kindRel, kindRel}, result: setOf(relType),
		fn: func(ev *evaluator, args []value, at src.Span) value {
			may, must := ev.rel(args[0], at), ev.rel(args[1], at)
			return ev.orders(func(stop func() bool) iter.Seq[rel.Rel] { return all(may, must, stop) }, at)
		},
	})
}

// partOf returns a builtin that keeps some pairs of a relation.
func partOf(define func(m operators, x operand) value) *builtin {
	return &builtin{params: []typeKind{kindRel}, result: relType, part: true, define: define}
}

// classes returns the equivalence classes of r, which must be symmetric and transitive.
func (ev *evaluator) classes(r rel.Rel, _ src.Span) value {
	var all []value
	done := rel.NewSet(ev.n)
	for e := range r.Domain().All() {
		if !done.Has(e) {
			class := r.Row(e).Clone()
			class.Add(e)
			done = done.Union(class)
			all = append(all, setValue{class})
		}
	}
	return setOfValue(all).orEmpty()
}

// byLocation partitions a set of accesses by location.
func (ev *evaluator) byLocation(s rel.Set, at src.Span) value {
	return ev.classes(ev.baseRel("loc", at).Restrict(s, s), at)
}

// maxOrders bounds how many orders a primitive yields: n events have up to n! orders.
const maxOrders = 50_000

// manyOrders advises what to do when maxOrders is exceeded.
const manyOrders = "the slow engine lists those of each candidate execution: a program with fewer stages or rounds " +
	"has fewer (--unroll); muster run --stats says why the slow engine was asked"

// orders collects a set of relations, up to maxOrders. The search yields each relation once, so
// they are not compared.
func (ev *evaluator) orders(all func(stop func() bool) iter.Seq[rel.Rel], at src.Span) value {
	var set setOfValue
	stop := func() bool {
		ev.ask(1 + ev.n*ev.n/pairsAStep)
		return false
	}
	for r := range all(stop) {
		if len(set) == maxOrders {
			panic(&LimitError{src.Errorf(at, "there are more than %d orders", maxOrders).WithHint(manyOrders)})
		}
		ev.spend(1, at)
		set = append(set, relValue{r})
	}
	return set.orEmpty()
}

// scopeOf returns the scope relation that a tag names: 'cta is cta.
func (ev *evaluator) scopeOf(tag string, at src.Span) value {
	v, ok := ev.lookupBase(tag).(relValue)
	if !ok {
		typeError(at, "tests define no scope relation %s", tag)
	}
	return v
}

// taggedBy returns the set of events with the annotation that a tag names: 'acq is ACQ. Case is
// ignored.
func (ev *evaluator) taggedBy(tag string, at src.Span) value {
	for _, name := range tagNames(tag) {
		if v, ok := ev.lookupBase(name).(setValue); ok {
			return v
		}
	}
	typeError(at, "tests define no set of events for the tag '%s", tag)
	return nil
}

// lift relates classes of events: C to D if r relates an event of C to one of D.
func lift(ev *evaluator, args []value, at src.Span) value {
	var c classRel
	for _, v := range ev.elements(args[0], at) {
		c.classes = append(c.classes, ev.set(v, at))
	}
	r := ev.rel(args[1], at)
	c.rel = rel.Where(len(c.classes), func(i, j int) bool {
		return !r.Restrict(c.classes[i], c.classes[j]).Empty()
	})
	return c
}

// delift relates the events of related classes.
func delift(ev *evaluator, args []value, at src.Span) value {
	c, ok := args[0].(classRel)
	if !ok {
		typeError(at, "delift takes a relation that lift made, found %s", args[0].kind())
	}
	r := rel.New(ev.n)
	for i, j := range c.rel.Pairs() {
		r = r.Union(rel.Product(c.classes[i], c.classes[j]))
	}
	return relValue{r}
}

// bisimulation implements bisimulation(t, e): the greatest subset of the equivalence e that is a
// bisimulation of the transitions t, so that related events step to related events.
func bisimulation(ev *evaluator, args []value, at src.Span) value {
	t, e := ev.rel(args[0], at), ev.rel(args[1], at)
	for {
		next := rel.Where(ev.n, func(a, b int) bool {
			return e.Has(a, b) && matches(t, e, a, b) && matches(t, e.Inverse(), b, a)
		})
		if next.Equal(e) {
			return relValue{e}
		}
		e = next
	}
}

// matches reports whether b can follow every step of a.
func matches(t, e rel.Rel, a, b int) bool {
	for next := range t.Row(a).All() {
		if t.Row(b).Inter(e.Row(next)).Empty() {
			return false
		}
	}
	return true
}
