package plan

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/internal/engine/relop"
	"github.com/muster-gpu/muster/rel"
)

// A value is a set or a relation, as package rel has it.
type value struct {
	rel rel.Rel
	set rel.Set
}

func relation(r rel.Rel) value { return value{rel: r} }
func events(s rel.Set) value   { return value{set: s} }

// words is a value as a frame keeps it.
func (v value) words(set bool) []uint64 {
	if set {
		return []uint64{v.set.Word()}
	}
	return v.rel.Words()
}

// A world is what inputs, choices and recursive names are.
type world struct {
	n      int
	values map[string]value
}

// A scope is what makes nodes of terms: a builder, and the nodes of names.
type scope struct {
	*Builder
	names map[string]Node
}

// A term is an expression that a plan and package rel both evaluate.
type term struct {
	set   bool
	text  string
	node  func(*scope) Node
	value func(*world) value
}

// An operation is an operator on sets or on relations, with what package rel makes of the same
// operands.
type operation struct {
	op   relop.Op
	name string
	set  bool // of the result
	// a letter for each operand: s is a set, r a relation; big if the result shrinks with it
	args    string
	build   func(b *Builder, x []Node) Node
	compute func(n int, x []value) value
}

// operations are all operators.
var operations = func() (all []operation) {
	for o := relop.Union; o < relop.End; o++ {
		row := o.Row()
		for _, set := range []bool{false, true} {
			if row.Result != relop.Alike && set != (row.Result == relop.Set) {
				continue
			}
			op := operation{op: o, name: row.Text, set: set}
			for i := range row.Arity() {
				kind := "r"
				if row.Operands[i] == relop.Set || row.Operands[i] == relop.Alike && set {
					kind = "s"
				}
				if row.Sign[i] == relop.Falls {
					kind = strings.ToUpper(kind)
				}
				op.args += kind
			}
			op.build = func(b *Builder, x []Node) Node {
				x = append(x, 0, 0)
				return b.Apply(o, set, x[0], x[1])
			}
			op.compute = func(n int, x []value) value {
				var of [2]rel.Rel
				for i := range x {
					if of[i] = x[i].rel; strings.ToLower(op.args)[i] == 's' {
						of[i] = rel.Identity(x[i].set)
					}
				}
				r := row.Relate(n, set, of[0], of[1])
				if set {
					return events(r.Domain())
				}
				return relation(r)
			}
			all = append(all, op)
		}
	}
	return all
}()

// apply is the term of an operation.
func (o *operation) apply(args []*term) *term {
	t := &term{set: o.set, text: o.name}
	for i, arg := range args {
		t.text += []string{"(", ", "}[min(i, 1)] + arg.text
	}
	if len(args) > 0 {
		t.text += ")"
	}
	t.node = func(s *scope) Node {
		var x []Node
		for _, arg := range args {
			x = append(x, arg.node(s))
		}
		return o.build(s.Builder, x)
	}
	t.value = func(w *world) value {
		var x []value
		for _, arg := range args {
			x = append(x, arg.value(w))
		}
		return o.compute(w.n, x)
	}
	return t
}

// named is the term of an input, a choice or a recursive name.
func named(name string, set bool) *term {
	return &term{
		set: set, text: name,
		node:  func(s *scope) Node { return s.names[name] },
		value: func(w *world) value { return w.values[name] },
	}
}

// A drawer draws terms.
type drawer struct {
	*rapid.T
	leaves    []*term // inputs, and the choices so far
	recursive []*term // names of fixpoints around
	fixpoints int
}

func (d *drawer) below(n int, label string) int { return rapid.IntRange(0, n-1).Draw(d.T, label) }

// term draws a term with at most depth nested operations.
func (d *drawer) term(set bool, depth int) *term {
	if depth == 0 || d.below(5, "leaf") == 0 {
		return d.leaf(set)
	}
	if d.below(8, "fixpoint") == 0 && d.fixpoints < 4 {
		return d.fixpoint(set, depth-1)
	}
	o := d.operation(set)
	args := make([]*term, len(o.args))
	for i, kind := range o.args {
		args[i] = d.operand(kind, depth-1)
	}
	return o.apply(args)
}

func (d *drawer) operation(set bool) *operation {
	for {
		if o := &operations[d.below(len(operations), "operation")]; o.set == set {
			return o
		}
	}
}

// operand draws an operand. Recursive names have no place where the result would shrink
// with them.
func (d *drawer) operand(kind rune, depth int) *term {
	around := d.recursive
	if kind == 'R' || kind == 'S' {
		d.recursive = nil
	}
	defer func() { d.recursive = around }()
	return d.term(kind == 's' || kind == 'S', depth)
}

func (d *drawer) leaf(set bool) *term {
	var fit []*term
	for _, leaf := range slices.Concat(d.leaves, d.recursive, d.recursive) {
		if leaf.set == set {
			fit = append(fit, leaf)
		}
	}
	return fit[d.below(len(fit), "name")]
}

// fixpoint draws one of one or two sets or relations that recur on each other.
func (d *drawer) fixpoint(set bool, depth int) *term {
	d.fixpoints++
	sets := []bool{set}
	if d.below(2, "two") == 1 {
		sets = append(sets, rapid.Bool().Draw(d.T, "set"))
	}
	var names []string
	around := d.recursive
	for i, s := range sets {
		names = append(names, fmt.Sprintf("x%d.%d", d.fixpoints, i))
		d.recursive = append(d.recursive[:len(d.recursive):len(d.recursive)], named(names[i], s))
	}
	var bodies []*term
	for _, s := range sets {
		bodies = append(bodies, d.term(s, depth))
	}
	d.recursive = around
	return least(sets, names, bodies)
}

// least is the first of the least sets and relations that their bodies make of them.
func least(sets []bool, names []string, bodies []*term) *term {
	t := &term{set: sets[0], text: "least"}
	for i, b := range bodies {
		t.text += fmt.Sprintf("[%s = %s]", names[i], b.text)
	}
	t.node = func(s *scope) Node {
		results, ok := s.Fixpoint(sets, func(vars []Node) []Node {
			var next []Node
			for i, name := range names {
				s.names[name] = vars[i]
			}
			for _, b := range bodies {
				next = append(next, b.node(s))
			}
			return next
		})
		if !ok {
			panic("too many fixpoints")
		}
		return results[0]
	}
	t.value = func(w *world) value {
		for _, name := range names {
			w.values[name] = value{rel.New(w.n), rel.NewSet(w.n)}
		}
		for changed := true; changed; {
			var next []value
			for _, b := range bodies {
				next = append(next, b.value(w))
			}
			changed = false
			for i, name := range names {
				old := w.values[name]
				changed = changed || !slices.Equal(old.words(sets[i]), next[i].words(sets[i]))
				w.values[name] = next[i]
			}
		}
		return w.values[names[0]]
	}
	return t
}

// sizes are the numbers of events that relations are drawn over: few, or about as many as
// a word has bits.
var sizes = rapid.OneOf(rapid.IntRange(0, 12), rapid.IntRange(60, MaxEvents))

// drawRel draws a relation, often an empty one.
func drawRel(t *rapid.T, n int, label string) rel.Rel {
	r := rel.New(n)
	if n == 0 {
		return r
	}
	event := rapid.IntRange(0, n-1)
	for _, a := range rapid.SliceOfN(event, 0, 8).Draw(t, label) {
		r.Add(a, event.Draw(t, label))
	}
	return r
}

func drawSet(t *rapid.T, n int, label string) rel.Set {
	if n == 0 {
		return rel.NewSet(n)
	}
	return rel.NewSet(n, rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 8).Draw(t, label)...)
}

// multiplyChecks makes rapid draw more often in a test: models are cheap here, and faults
// of plans show in few of them.
func multiplyChecks(t *testing.T, by int) {
	checks := flag.Lookup("rapid.checks").Value
	before := checks.String()
	n, err := strconv.Atoi(before)
	if err == nil {
		err = checks.Set(strconv.Itoa(n * by))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = checks.Set(before) })
}
