package cat

import (
	"slices"

	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/internal/engine/relop"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/src"
)

// Step is an edge of an explanation: (From, To) is in the base relation Label, or (To, From) is if
// Inverse is set.
type Step struct {
	From, To int
	Label    string
	Inverse  bool
}

// Violation explains why a check rejects a candidate.
type Violation struct {
	Failure
	At src.Span // of the check
	// Steps is a path in base relations: a cycle if the check is acyclic or irreflexive, else a
	// path between an offending pair.
	Steps []Step
	// Events are the offending events if the check is about a set, or if an event is related to
	// itself only by an identity, which has no step.
	Events []int
}

// Cycle reports whether the steps end where they start.
func (v *Violation) Cycle() bool {
	return len(v.Steps) > 0 && v.Steps[0].From == v.Steps[len(v.Steps)-1].To
}

// violation explains a failed check. A negated check has no witness to show.
func (x *explainer) violation(f Failure, in *env) Violation {
	v := Violation{Failure: f, At: f.Check.Span()}
	if x.looks = 0; !f.Check.Negated {
		x.witness(&v, in)
	}
	return v
}

// raised returns a flag with the pairs or events that it is about.
func (x *exec) raised(f Failure, in *env) Raised {
	r := Raised{Failure: f}
	if f.Check.Test != syntax.IsEmpty || f.Check.Negated != (f.Check.Role == syntax.Flag) {
		return r
	}
	v := x.eval(f.Check.X, in)
	if set, ok := asSet(v, x.n); ok {
		r.Events = set.Elems()
		return r
	}
	if pairs, ok := asRel(v, x.n); ok {
		for a, b := range pairs.Pairs() {
			if a > b && pairs.Has(b, a) {
				continue
			}
			r.Pairs = append(r.Pairs, [2]int{min(a, b), max(a, b)})
		}
	}
	return r
}

// explainer decomposes edges of a relation into edges of base relations, along the expression that
// defines the relation. It keeps what it finds for one check for the next.
type explainer struct {
	*evaluator
	found map[edge][]Step
	looks int // number of edges visited for this violation
}

// maxLooks bounds the work on one explanation. Edges beyond it are not decomposed: a relation that
// is composed with itself repeatedly has too many paths.
const maxLooks = 200_000

type edge struct {
	site
	a, b int
}

func newExplainer(ev *evaluator) *explainer {
	ev.memo = newMemo()
	return &explainer{evaluator: ev, found: map[edge][]Step{}}
}

func (x *explainer) at(s site) value { return x.eval(s.expr, s.env) }

func (x *explainer) relAt(s site) rel.Rel { return x.rel(x.at(s), s.expr.Span()) }

// witness fills in the steps or events of a violation.
func (x *explainer) witness(v *Violation, in *env) {
	s := site{v.Check.X, in}
	switch value := x.at(s).(type) {
	case setValue:
		v.Events = value.Elems()
		return
	case eventValue:
		v.Events = []int{int(value)}
		return
	case setOfValue, tagValue:
		return
	}
	r := x.relAt(s)
	switch v.Check.Test {
	case syntax.Acyclic:
		cycle := r.ShortestCycle(func(a, b int) int { return len(x.edge(s, a, b)) })
		for i, a := range cycle {
			v.Steps = append(v.Steps, x.edge(s, a, cycle[(i+1)%len(cycle)])...)
		}
	case syntax.Irreflexive:
		v.Steps = x.shortest(s, r.Inter(rel.Identity(rel.Universe(x.n))))
	case syntax.IsEmpty:
		v.Steps = x.thereAndBack(s, x.shortest(s, r))
	}
	if len(v.Steps) == 0 {
		v.Events = rel.SetOf(x.n, func(e int) bool { return r.Has(e, e) && len(x.edge(s, e, e)) == 0 }).Elems()
	}
}

// thereAndBack explains an offending pair of an intersection by both operands, as a cycle, the
// longer explanation first: empty rmw & (fre; coe) fails because of a write between the read and
// the write of an atomic.
func (x *explainer) thereAndBack(s site, steps []Step) []Step {
	if len(steps) == 0 {
		return nil
	}
	other := x.other(s, steps[0].From, steps[len(steps)-1].To)
	if len(other) > len(steps) {
		steps, other = other, steps
	}
	return slices.Concat(steps, reverse(other))
}

// other explains a pair by the operand of an intersection that edge did not use. The intersection
// may have a name, or be restricted.
func (x *explainer) other(s site, a, b int) []Step {
	switch e := s.expr.(type) {
	case *syntax.Ident:
		if bound := s.env.lookup(e.Text); bound != nil && bound.def != nil && !bound.def.rec {
			return x.other(site{bound.def.expr, bound.def.env}, a, b)
		}
	case *syntax.App:
		if f, ok := x.eval(e.Fun, s.env).(*closure); ok && !f.callsItself() {
			return x.other(site{f.body, x.frame(e, s.env, f)}, a, b)
		}
	case *syntax.Binary:
		return x.otherOf(e, site{e.X, s.env}, site{e.Y, s.env}, a, b)
	}
	return nil
}

func (x *explainer) otherOf(e *syntax.Binary, left, right site, a, b int) []Step {
	switch {
	case e.Op == syntax.OpInter && x.restricts(left):
		return x.other(right, a, b)
	case e.Op == syntax.OpInter && x.restricts(right), e.Op == syntax.OpDiff:
		return x.other(left, a, b)
	case e.Op == syntax.OpInter:
		return x.edge(right, a, b)
	case e.Op == syntax.OpSeq && x.stays(left, a) && x.relAt(right).Has(a, b):
		return x.other(right, a, b)
	case e.Op == syntax.OpSeq && x.stays(right, b) && x.relAt(left).Has(a, b):
		return x.other(left, a, b)
	case e.Op == syntax.OpUnion && x.relAt(left).Has(a, b) && !x.relAt(right).Has(a, b):
		return x.other(left, a, b)
	case e.Op == syntax.OpUnion && !x.relAt(left).Has(a, b):
		return x.other(right, a, b)
	}
	return nil
}

// stays reports whether a relation relates an event to itself by an identity only.
func (x *explainer) stays(s site, a int) bool {
	return x.relAt(s).Has(a, a) && len(x.edge(s, a, a)) == 0
}

// shortest returns the explanation of the pair of r whose explanation is shortest.
func (x *explainer) shortest(s site, r rel.Rel) []Step {
	var best []Step
	found := false
	for a, b := range r.Pairs() {
		if steps := x.edge(s, a, b); !found || len(steps) < len(best) {
			best, found = steps, true
		}
	}
	return best
}

// edge explains why (a, b) is in the relation at s. An edge of the identity has no steps.
func (x *explainer) edge(s site, a, b int) []Step {
	key := edge{s, a, b}
	steps, ok := x.found[key]
	if x.looks++; !ok && x.looks > maxLooks {
		return x.leaf(s, a, b)
	}
	if !ok {
		steps = x.explain(s, a, b)
		x.found[key] = steps
	}
	return steps
}

func (x *explainer) explain(s site, a, b int) []Step {
	switch e := s.expr.(type) {
	case *syntax.Ident:
		return x.name(e, s.env, a, b)
	case *syntax.Unary, *syntax.Binary:
		return x.operationEdge(s, a, b)
	case *syntax.App:
		return x.appEdge(e, s.env, a, b)
	case *syntax.LetExpr:
		return x.edge(site{e.Body, x.within(e, s.env)}, a, b)
	case *syntax.IfExpr:
		if x.cond(e.Cond, s.env) {
			return x.edge(site{e.Then, s.env}, a, b)
		}
		return x.edge(site{e.Else, s.env}, a, b)
	}
	return x.leaf(s, a, b)
}

// leaf returns an edge that is not decomposed further. Its label is the text of the expression.
func (x *explainer) leaf(s site, a, b int) []Step {
	label := syntax.Print(s.expr)
	if name, ok := s.expr.(*syntax.Ident); ok && x.belies(name.Text, s.env, a, b) {
		label = "the model's " + label
	}
	return []Step{{From: a, To: b, Label: label}}
}

// belies reports whether the model rebinds the name of a base relation to one with (a, b), which
// the base relation lacks.
func (x *explainer) belies(name string, in *env, a, b int) bool {
	base, ok := x.lookupBase(name).(relValue)
	return ok && in.lookup(name) != nil && !base.Has(a, b)
}

// name explains an edge of a named relation by its definition.
func (x *explainer) name(e *syntax.Ident, in *env, a, b int) []Step {
	bound := in.lookup(e.Text)
	if bound == nil || bound.def == nil {
		return x.leaf(site{e, in}, a, b)
	}
	// Models with their own coherence order must define the communication relations. They usually
	// mean the base relations.
	if x.Vocab().Get(e.Text).Family.Communicates() && !bound.def.arg && !x.belies(e.Text, in, a, b) {
		return x.leaf(site{e, in}, a, b)
	}
	if bound.def.rec {
		bound = firstRound(bound, a, b)
	}
	return x.edge(site{bound.def.expr, bound.def.env}, a, b)
}

// firstRound returns the round of a recursion that found (a, b). Its operands were found in earlier
// rounds, so the explanation terminates. A later round may have a shorter one.
func firstRound(bound *env, a, b int) *env {
	for {
		before := bound.def.env.lookup(bound.name)
		if r, ok := before.value.(relValue); !ok || !r.Has(a, b) {
			return bound
		}
		bound = before
	}
}

// operands returns the operator of an expression and the sites of its operands; the operator is 0
// if the expression is not a relational operation.
func (s site) operands() (relop.Op, []site) {
	o, xs := operation(s.expr)
	sites := make([]site, len(xs))
	for i, x := range xs {
		sites[i] = site{x, s.env}
	}
	return o, sites
}

// operationEdge explains an edge of an operation by the operands that the operator's row names.
func (x *explainer) operationEdge(s site, a, b int) []Step {
	o, of := s.operands()
	row := o.Row()
	if row.Reflexive && a == b {
		return nil
	}
	switch row.Tells {
	case relop.Nothing:
		return nil
	case relop.First:
		return x.edge(of[0], a, b)
	case relop.Stronger:
		if x.restricts(of[0]) && !x.restricts(of[1]) {
			return x.edge(of[1], a, b)
		}
		return x.edge(of[0], a, b)
	case relop.Either:
		return x.unionEdge(of[0], of[1], a, b)
	case relop.Backward:
		return reverse(x.edge(of[0], b, a))
	case relop.InTurn:
		return x.seqEdge(of[0], of[1], a, b)
	case relop.Path:
		return x.path(of[0], a, b)
	}
	return x.leaf(s, a, b)
}

// path explains an edge of a transitive closure.
func (x *explainer) path(s site, a, b int) []Step {
	weight := func(a, b int) int { return len(x.edge(s, a, b)) }
	events := x.relAt(s).ShortestPath(a, b, weight)
	var steps []Step
	for i, from := range events {
		to := b
		if i+1 < len(events) {
			to = events[i+1]
		}
		steps = append(steps, x.edge(s, from, to)...)
	}
	return steps
}

// reverse returns a path in the other direction.
func reverse(steps []Step) []Step {
	rev := make([]Step, 0, len(steps))
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		rev = append(rev, Step{s.To, s.From, s.Label, !s.Inverse})
	}
	return rev
}

// unionEdge explains an edge by the operand that needs fewer steps.
func (x *explainer) unionEdge(left, right site, a, b int) []Step {
	inLeft, inRight := x.relAt(left).Has(a, b), x.relAt(right).Has(a, b)
	switch {
	case !inLeft:
		return x.edge(right, a, b)
	case !inRight:
		return x.edge(left, a, b)
	}
	l, r := x.edge(left, a, b), x.edge(right, a, b)
	if len(r) < len(l) {
		return r
	}
	return l
}

// seqEdge explains an edge of r;s by the intermediate event that makes it shortest.
func (x *explainer) seqEdge(left, right site, a, b int) []Step {
	var best []Step
	found := false
	s := x.relAt(right)
	for mid := range x.relAt(left).Row(a).All() {
		if !s.Has(mid, b) {
			continue
		}
		l, r := x.edge(left, a, mid), x.edge(right, mid, b)
		if !found || len(l)+len(r) < len(best) {
			best, found = append(append([]Step{}, l...), r...), true
		}
	}
	return best
}

func (x *explainer) appEdge(e *syntax.App, in *env, a, b int) []Step {
	switch f := x.eval(e.Fun, in).(type) {
	case *builtin:
		if f.part && len(f.params) == 1 {
			return x.edge(site{e.Arg, in}, a, b)
		}
	case *closure:
		return x.edge(site{f.body, x.frame(e, in, f)}, a, b)
	}
	return x.leaf(site{e, in}, a, b)
}

// restricts reports whether a relation tells where events are (their thread, scope or location) and
// not how they are ordered. In an intersection, the other operand then explains more.
func (x *explainer) restricts(s site) bool {
	switch e := s.expr.(type) {
	case *syntax.Universal:
		return true
	case *syntax.Ident:
		b := s.env.lookup(e.Text)
		if b == nil {
			return x.Vocab().Get(e.Text).Restricts
		}
		return b.def != nil && !b.def.rec && x.restricts(site{b.def.expr, b.def.env})
	case *syntax.Unary, *syntax.Binary:
		o, of := s.operands()
		switch o.Row().Tells {
		case relop.Itself, relop.Nothing:
			return true
		case relop.Either:
			return x.restrictsEither(s, nil)
		case relop.Stronger, relop.InTurn:
			return x.restricts(of[0]) && x.restricts(of[1])
		case relop.First, relop.Backward, relop.Path:
			return x.restricts(of[0])
		}
	case *syntax.App:
		f, ok := x.eval(e.Fun, s.env).(*closure)
		return ok && !f.callsItself() && x.restricts(site{f.body, x.frame(e, s.env, f)})
	}
	return false
}

// callsItself reports whether a function is, or may be, recursive.
func (f *closure) callsItself() bool {
	bound := f.env.lookup(f.name)
	return bound != nil && bound.value == value(f)
}

// restrictsEither reports whether each operand of a union restricts, or has its inverse among the
// other operands: po | po^-1 relates the events of one thread.
func (x *explainer) restrictsEither(s site, beside []syntax.Expr) bool {
	if u, ok := s.expr.(*syntax.Binary); ok && u.Op == syntax.OpUnion {
		left, right := site{u.X, s.env}, site{u.Y, s.env}
		return x.restrictsEither(left, append(beside, u.Y)) && x.restrictsEither(right, append(beside, u.X))
	}
	return x.restricts(s) ||
		slices.ContainsFunc(beside, func(other syntax.Expr) bool { return hasInverse(other, s.expr) })
}

// hasInverse reports whether an operand of a union is the inverse of the expression, or the other
// way round.
func hasInverse(union, of syntax.Expr) bool {
	if u, ok := union.(*syntax.Binary); ok && u.Op == syntax.OpUnion {
		return hasInverse(u.X, of) || hasInverse(u.Y, of)
	}
	inverts := func(a, b syntax.Expr) bool {
		u, ok := a.(*syntax.Unary)
		return ok && u.Op == syntax.OpInverse && syntax.Print(u.X) == syntax.Print(b)
	}
	return inverts(union, of) || inverts(of, union)
}
