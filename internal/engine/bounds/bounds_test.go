package bounds

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/engine/relop"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/rel"
)

const events = 4

// drawer draws terms of the inputs r and q, which are relations, and s, which is a set.
type drawer struct {
	*rapid.T
	*plan.Builder
	falls bool // the value of some operator falls with an operand
}

func (d *drawer) term(depth int, set bool) plan.Node {
	if depth == 0 || rapid.IntRange(0, 4).Draw(d.T, "leaf") == 0 {
		if set {
			return d.Builder.Input("s", true, 0)
		}
		return d.Builder.Input(rapid.SampledFrom([]string{"r", "q"}).Draw(d.T, "input"), false, 0)
	}
	if !set && rapid.IntRange(0, 3).Draw(d.T, "recursive") == 0 {
		base, step := d.term(depth-1, false), d.term(depth-1, false)
		shape := rapid.IntRange(0, 2).Draw(d.T, "shape")
		all, _ := d.Fixpoint([]bool{false}, func(x []plan.Node) []plan.Node {
			more := []plan.Node{d.Seq(x[0], step), d.Seq(x[0], x[0]), d.Union(step, d.Inverse(x[0]))}[shape]
			return []plan.Node{d.Union(base, more)}
		})
		return all[0]
	}
	var ops []relop.Op
	for o := relop.Union; o < relop.End; o++ {
		if of := o.Row().Result; of == relop.Alike || (of == relop.Set) == set {
			ops = append(ops, o)
		}
	}
	o := rapid.SampledFrom(ops).Draw(d.T, "operator")
	row := o.Row()
	var x [2]plan.Node
	for i := range row.Arity() {
		d.falls = d.falls || row.Sign[i] == relop.Falls
		x[i] = d.term(depth-1, row.Operands[i] == relop.Set || row.Operands[i] == relop.Alike && set)
	}
	return d.Apply(o, set, x[0], x[1])
}

// drawRel draws a relation that has all pairs of one, and of others those of another.
func drawRel(t *rapid.T, lo, hi rel.Rel) rel.Rel {
	some := rapid.SliceOfN(rapid.Bool(), events*events, events*events).Draw(t, "pairs")
	return rel.Where(events, func(a, b int) bool { return lo.Has(a, b) || hi.Has(a, b) && some[events*a+b] })
}

// chosen is the domain of values where the inputs are known, of the pairs that are there.
type chosen struct {
	inputs map[string]rel.Rel
	there  rel.Rel
}

func (c chosen) Input(in plan.Input) rel.Rel { return c.inputs[in.Name].Inter(c.there) }
func (c chosen) Choice(int) rel.Rel          { return rel.New(events) }
func (c chosen) Bottom(plan.Slot) rel.Rel    { return rel.New(events) }
func (c chosen) Equal(x, y rel.Rel) bool     { return x.Equal(y) }
func (c chosen) Apply(s *plan.Step, x, y rel.Rel) rel.Rel {
	return s.Op.Row().Relate(events, s.Set, x, y).Inter(c.there)
}

// valueOf is the value of a plan's only check.
func valueOf(p *plan.Plan, c chosen) rel.Rel {
	return *plan.NewEval(p, plan.Domain[rel.Rel](c)).Value(p.Checks[0].X)
}

// TestSpans: whatever the inputs are between their bounds and whichever events are there, the value
// of a random term is between the bounds of the term. Where all operators rise and all events are
// there, these are its values at the bounds of the inputs.
func TestSpans(t *testing.T) {
	sample.Checks(t, 100, 1000)
	apart, open := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		d := &drawer{T: r, Builder: plan.NewBuilder()}
		d.Check("", plan.IsEmpty, false, d.term(4, false))
		p := d.Builder.Plan()

		// Events with one number are there together, and not with those of the other; those of
		// number 0 always are.
		group := rapid.SampledFrom([][events]int{{}, {0, 1, 1, 2}, {1, 1, 2, 2}, {0, 0, 1, 2}}).Draw(r, "groups")
		present := rapid.IntRange(1, 2).Draw(r, "there")
		compatible := rel.Where(events, func(a, b int) bool { return group[a] == 0 || group[b] == 0 || group[a] == group[b] })
		with := rel.Where(events, func(a, b int) bool { return group[b] == 0 || group[a] == group[b] })
		all := group == [events]int{}
		there := rel.Where(events, func(a, b int) bool {
			return (group[a] == 0 || group[a] == present) && (group[b] == 0 || group[b] == present)
		})

		id, spans := rel.Identity(rel.Universe(events)), map[string]Span{}
		values, least, most := chosen{map[string]rel.Rel{}, there}, chosen{map[string]rel.Rel{}, there}, chosen{map[string]rel.Rel{}, there}
		for _, in := range []struct {
			name  string
			whole rel.Rel
		}{{"r", rel.Product(rel.Universe(events), rel.Universe(events))}, {"q", id.Complement()}, {"s", id}} {
			hi := drawRel(r, rel.New(events), in.whole)
			lo := drawRel(r, rel.New(events), hi)
			spans[in.name] = Span{lo, hi}
			least.inputs[in.name], most.inputs[in.name], values.inputs[in.name] = lo, hi, drawRel(r, lo, hi)
		}
		b := New(p, events)
		b.Input = func(in plan.Input) Span { return spans[in.Name] }
		if !all {
			b.With, b.Compatible = &with, &compatible
			apart++
		}
		got, is := b.Span(p.Checks[0].X), valueOf(p, values)
		if !got.Lo.Inter(there).Diff(is).Empty() || !is.Diff(got.Hi).Empty() {
			r.Fatalf("inputs %v of %v, there %v: the value %v is not between %v and %v", values.inputs, spans, there, is, got.Lo, got.Hi)
		}
		if lo, hi := valueOf(p, least), valueOf(p, most); all && !d.falls {
			if !got.Lo.Equal(lo) || !got.Hi.Equal(hi) {
				r.Fatalf("inputs %v: bounds %v and %v, want %v and %v", spans, got.Lo, got.Hi, lo, hi)
			}
			if !lo.Equal(hi) {
				open++
			}
		}
	})
	if apart == 0 || open == 0 {
		t.Errorf("%d terms with events that may be absent, %d with bounds apart", apart, open)
	}
}

// TestFixpoints: a fixpoint is reached when both bounds are, whichever is first.
func TestFixpoints(t *testing.T) {
	b := plan.NewBuilder()
	r := b.Input("r", false, 0)
	closure, _ := b.Fixpoint([]bool{false}, func(x []plan.Node) []plan.Node { return []plan.Node{b.Union(r, b.Seq(x[0], r))} })
	b.Check("", plan.IsEmpty, false, closure[0])
	chain, all := rel.Of(events, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 3}), rel.Product(rel.Universe(events), rel.Universe(events))
	for _, of := range []Span{{chain, all}, {rel.New(events), chain}, Exact(chain)} {
		bounds := New(b.Plan(), events)
		bounds.Input = func(plan.Input) Span { return of }
		if got := bounds.Span(bounds.Plan.Checks[0].X); !got.Lo.Equal(of.Lo.Plus()) || !got.Hi.Equal(of.Hi.Plus()) {
			t.Errorf("between %v and %v, want between %v and %v", got.Lo, got.Hi, of.Lo.Plus(), of.Hi.Plus())
		}
	}
}
