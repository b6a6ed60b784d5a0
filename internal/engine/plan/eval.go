package plan

import "github.com/muster-gpu/muster/rel"

// Domain is what a plan can be evaluated over: the values of its nodes, and what operators make of
// them.
type Domain[V any] interface {
	Input(in Input) V
	Choice(number int) V
	// Apply returns what the operator of a step makes of its operands. Those that it lacks are
	// zero.
	Apply(s *Step, x, y V) V
	// Bottom returns what a fixpoint has reached of a value before its first round.
	Bottom(s Slot) V
	Equal(x, y V) bool
}

// Eval finds the values of a plan over a domain when they are asked for.
type Eval[V any] struct {
	plan   *Plan
	domain Domain[V]
	known  []bool // by slot
	values []V    // by slot
}

// NewEval returns an Eval that has found no value yet.
func NewEval[V any](p *Plan, d Domain[V]) *Eval[V] {
	return &Eval[V]{p, d, make([]bool, p.slots), make([]V, p.slots)}
}

// Value returns a value. It stays the same, but for those inside of a fixpoint that is being
// computed.
func (e *Eval[V]) Value(s Slot) *V {
	switch owner := e.plan.owners[s]; {
	case e.known[s]:
	case owner == nil:
		e.set(s, e.domain.Input(e.plan.inputs[s]))
	default:
		e.compute(owner)
	}
	return &e.values[s]
}

func (e *Eval[V]) set(s Slot, v V) { e.values[s], e.known[s] = v, true }

func (e *Eval[V]) compute(s *Step) {
	switch s.Op {
	case OpFixpoint:
		e.fixpoint(s)
	case OpChoice:
		e.set(s.Dst, e.domain.Choice(int(s.X)))
	default:
		var x, y V
		if s.X >= 0 {
			x = *e.Value(s.X)
		}
		if s.Y >= 0 {
			y = *e.Value(s.Y)
		}
		e.set(s.Dst, e.domain.Apply(s, x, y))
	}
}

// fixpoint computes values from below: the body grows with what has been reached.
func (e *Eval[V]) fixpoint(s *Step) {
	for _, r := range s.Reached {
		e.set(r, e.domain.Bottom(r))
	}
	for changed := true; changed; {
		changed = false
		for i := range s.Body {
			e.compute(&s.Body[i])
		}
		for i, r := range s.Reached {
			next := *e.Value(s.Next[i])
			changed = changed || !e.domain.Equal(next, e.values[r])
			e.values[r] = next
		}
	}
}

// Execution has the sets and relations that the inputs of a plan name.
type Execution interface {
	N() int
	Set(name string) (rel.Set, bool)
	Rel(name string) (rel.Rel, bool)
}

// Values are the sets and relations of a plan for one execution. A set is the identity on its
// elements.
type Values struct {
	*Eval[rel.Rel]
	of     Execution
	choose func(v *Values, choice int) rel.Rel
}

// Of returns the values of a plan for an execution; choose makes its choices.
func (p *Plan) Of(x Execution, choose func(v *Values, choice int) rel.Rel) *Values {
	v := &Values{of: x, choose: choose}
	v.Eval = NewEval(p, Domain[rel.Rel](relations{v}))
	return v
}

// Passes reports whether a check passes.
func (v *Values) Passes(c *Check) bool { return c.Passes(*v.Value(c.X)) }

// relations is the domain of Values.
type relations struct{ *Values }

func (d relations) Input(in Input) rel.Rel {
	if in.Set {
		s, _ := d.of.Set(in.Name)
		return rel.Identity(s)
	}
	r, _ := d.of.Rel(in.Name)
	return r
}

func (d relations) Choice(number int) rel.Rel { return d.choose(d.Values, number) }

func (d relations) Apply(s *Step, x, y rel.Rel) rel.Rel {
	return s.Op.Row().Relate(d.of.N(), s.Set, x, y)
}

func (d relations) Bottom(Slot) rel.Rel { return rel.New(d.of.N()) }

func (d relations) Equal(x, y rel.Rel) bool { return x.Equal(y) }
