package cat

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/src"
)

// Verdict is a model's answer for a candidate, for one way to make the choices of the model (with …
// from …).
type Verdict struct {
	Rejected  *syntax.Check // the first check that rejects it; nil if the model allows it
	Flags     []string      // flags that it raises, if the model allows it
	Undefined []string      // undefined_unless tests that fail, if the model allows it
	Choices   []Choice      // in the order of the model
	Failures  []Failure     // set by Judge: all checks that reject it, in the order of the model
	// Incomplete is set by Judge if the verdict ends at a choice from an empty set. A check before
	// that choice fails.
	Incomplete bool
}

// Choice is the element that a with statement chose.
type Choice struct {
	Name  string
	Index int     // index of the element in the set; -1 if unknown
	Rel   rel.Rel // the element, if it is a relation; else the zero Rel

	value value
}

// ChooseRel returns the choice of a relation, whatever its index in the set.
func ChooseRel(name string, r rel.Rel) Choice {
	return Choice{Name: name, Index: -1, Rel: r, value: relValue{r}}
}

// Allowed reports whether no check rejects the candidate.
func (v *Verdict) Allowed() bool { return v.Rejected == nil }

// Choice returns the relation that the model chose for a name.
func (v *Verdict) Choice(name string) (rel.Rel, bool) {
	for _, c := range v.Choices {
		if c.Name == name {
			return c.Rel, true
		}
	}
	return rel.Rel{}, false
}

// Shown is a relation or set of events that the model wants drawn or hidden.
type Shown struct {
	Name   string
	Rel    rel.Rel // a set of events is its identity relation
	Hidden bool    // by unshow
}

// state is the position of an execution of a model. It is copied where the model branches.
type state struct {
	env     *env
	verdict Verdict
	prefix  string // names of the calls around, a prefix of the names of checks
}

// exec executes statements. It passes the statements that follow as a continuation, because with
// statements branch. A continuation reports whether to try further branches.
type exec struct {
	*evaluator
	follow    []Choice // choices to make again; nil to make all choices
	following bool
	beyond    bool                // after those choices, look whether the next choice has an element
	thorough  bool                // do not stop at the first check that fails
	asked     func(Failure) bool  // reports whether a check matters; nil if all do
	failed    func(Failure, *env) // called for each failed check; may be nil
	flagged   func(Failure, *env) // called for each flag that is raised; may be nil
	shown     *[]Shown            // collects the results of show statements; may be nil
	yield     func(*Verdict) bool
}

// run executes the whole model.
func (x *exec) run(m *Model) {
	x.block(m.stmts, state{env: m.prelude}, func(s state) bool { return x.yield(&s.verdict) })
}

// block executes statements in order, and then the continuation.
func (x *exec) block(stmts []syntax.Stmt, s state, then func(state) bool) bool {
	if len(stmts) == 0 {
		return then(s)
	}
	x.enter(stmts[0].Span())
	defer func() { x.depth-- }()
	for i, stmt := range stmts {
		x.spend(1, stmt.Span())
		rest := func(s state) bool { return x.block(stmts[i+1:], s, then) }
		switch stmt := stmt.(type) {
		case *syntax.LetStmt:
			s.env = x.bind(stmt.Rec, stmt.Bindings, s.env)
			if stmt.When != nil && !x.check(stmt.When, &s) {
				return x.yield(&s.verdict)
			}
		case *syntax.Check:
			if !x.check(stmt, &s) {
				return x.yield(&s.verdict)
			}
		case *syntax.ProcStmt:
			p := &procedure{def: stmt, env: s.env}
			s.env = &env{name: stmt.Name.Text, value: p, outer: s.env}
			if stmt.Rec {
				p.env = s.env
			}
		case *syntax.EnumStmt:
			s.env = x.enum(stmt, s.env)
		case *syntax.ShowStmt:
			x.show(stmt, s.env)
		case *syntax.UnshowStmt:
			x.unshow(stmt)
		case *syntax.DebugStmt:
			x.eval(stmt.X, s.env)
		case *syntax.IncludeStmt:
			return x.block(x.model.included[stmt], s, rest)
		case *syntax.IfStmt:
			return x.block(branch(stmt, x.cond(stmt.Cond, s.env)), s, rest)
		case *syntax.MatchStmt:
			return x.block(x.clause(stmt, s.env), s, rest)
		case *syntax.CallStmt:
			return x.call(stmt, s, rest)
		case *syntax.ForallStmt:
			es := x.elements(x.eval(stmt.In, s.env), stmt.In.Span())
			return x.forall(stmt, es, s, rest)
		case *syntax.WithStmt:
			return x.choose(stmt, s, rest)
		}
	}
	return then(s)
}

// check evaluates a check. It returns false if the check rejects the candidate and the execution is
// not thorough.
func (x *exec) check(c *syntax.Check, s *state) bool {
	if x.asked != nil && !x.asked(Failure{c, s.prefix + CheckName(c)}) {
		return true
	}
	holds := x.holds(c, s.env)
	if x.flagged != nil && (c.Role == syntax.Flag && holds || c.Role == syntax.UndefinedUnless && !holds) {
		x.flagged(Failure{c, s.prefix + CheckName(c)}, s.env)
	}
	switch {
	case c.Role == syntax.Flag && holds:
		s.verdict.Flags = appendOnce(s.verdict.Flags, s.prefix+CheckName(c))
	case c.Role == syntax.UndefinedUnless && !holds:
		s.verdict.Undefined = appendOnce(s.verdict.Undefined, s.prefix+CheckName(c))
	case c.Role == syntax.Assert && !holds && s.verdict.Rejected == nil:
		typeError(c.Span(), "this assertion fails: %s", CheckName(c))
	case c.Role == syntax.Require && !holds:
		if s.verdict.Rejected == nil {
			s.verdict.Rejected = c
		}
		if !x.thorough {
			s.verdict.Flags, s.verdict.Undefined = nil, nil
			return false
		}
		f := Failure{c, s.prefix + CheckName(c)}
		s.verdict.Failures = append(slices.Clip(s.verdict.Failures), f)
		if x.failed != nil {
			x.failed(f, s.env)
		}
	}
	return true
}

// appendOnce appends an element that the list lacks, to a copy, because branches share the slice.
func appendOnce(list []string, name string) []string {
	for _, n := range list {
		if n == name {
			return list
		}
	}
	return append(list[:len(list):len(list)], name)
}

// holds reports whether the test of a check holds.
func (x *exec) holds(c *syntax.Check, in *env) bool {
	v := x.eval(c.X, in)
	if c.Test == syntax.IsEmpty {
		return x.empty(v, c.X.Span()) != c.Negated
	}
	return planTests[c.Test].Holds(x.rel(v, c.X.Span())) != c.Negated
}

// empty reports whether a set or a relation has no elements.
func (x *exec) empty(v value, at src.Span) bool {
	if r, ok := asRel(v, x.n); ok {
		return r.Empty()
	}
	if s, ok := asSet(v, x.n); ok {
		return s.Empty()
	}
	return len(x.elements(v, at)) == 0
}

// enum binds the name of an enumeration to the set of its tags.
func (x *exec) enum(e *syntax.EnumStmt, outer *env) *env {
	var tags []value
	for _, t := range e.Tags {
		tags = append(tags, tagValue(t.Text))
	}
	return &env{name: e.Name.Text, value: setOfValue(tags).orEmpty(), outer: outer}
}

// clause returns the statements of the clause that matches.
func (x *exec) clause(m *syntax.MatchStmt, in *env) []syntax.Stmt {
	t := x.tag(x.eval(m.X, in), m.X.Span())
	for _, c := range m.Clauses {
		if c.Tag == nil || c.Tag.Text == t {
			return c.Body
		}
	}
	typeError(m.Span(), "no clause matches the tag '%s", t)
	return nil
}

// call executes the body of a procedure. Its bindings stay inside; its checks count.
func (x *exec) call(c *syntax.CallStmt, s state, then func(state) bool) bool {
	b := s.env.lookup(c.Name.Text)
	p, ok := procedureOf(b)
	if !ok {
		typeError(c.Name.Span(), "%s is not a procedure", c.Name.Text)
	}
	inner := s
	inner.env = x.match(p.def.Param, x.eval(c.Arg, s.env), argument(c.Arg, s.env), p.env)
	if c.As != nil {
		inner.prefix += c.As.Text + "."
	}
	return x.block(p.def.Body, inner, func(after state) bool {
		after.env, after.prefix = s.env, s.prefix
		return then(after)
	})
}

func procedureOf(b *env) (*procedure, bool) {
	if b == nil {
		return nil, false
	}
	p, ok := b.value.(*procedure)
	return p, ok
}

// forall executes the body for each element in turn.
func (x *exec) forall(f *syntax.ForallStmt, elems []value, s state, then func(state) bool) bool {
	if len(elems) == 0 {
		return then(s)
	}
	x.enter(f.Span())
	defer func() { x.depth-- }()
	inner := s
	inner.env = bindName(f.Var, elems[0], s.env)
	return x.block(f.Body, inner, func(after state) bool {
		after.env = s.env
		return x.forall(f, elems[1:], after, then)
	})
}

// choose continues with each element of a set in turn, each with its own budget of steps. An exec
// that follows choices continues with the recorded one. Without one, the candidate was
// rejected before this choice.
func (x *exec) choose(w *syntax.WithStmt, s state, then func(state) bool) bool {
	made := len(s.verdict.Choices)
	goOn := func(c Choice) bool {
		next := s
		next.env = bindName(w.Var, c.value, s.env)
		next.verdict.Choices = append(s.verdict.Choices[:made:made], c)
		return then(next)
	}
	if x.following && (made < len(x.follow) || !x.beyond) {
		return made < len(x.follow) && goOn(x.follow[made])
	}
	elems := x.elements(x.eval(w.From, s.env), w.From.Span())
	if x.thorough && len(elems) == 0 && s.verdict.Rejected != nil {
		s.verdict.Incomplete = true
		return x.yield(&s.verdict)
	}
	if x.following {
		return false
	}
	steps := x.steps
	for i, v := range elems {
		x.steps = steps
		c := Choice{Name: w.Var.Text, Index: i, value: v}
		if r, ok := v.(relValue); ok {
			c.Rel = r.Rel
		}
		if !goOn(c) {
			return false
		}
	}
	return true
}

// show records what to draw.
func (x *exec) show(stmt *syntax.ShowStmt, in *env) {
	if x.shown == nil {
		return
	}
	for _, item := range stmt.Items {
		v := x.eval(item.X, in)
		r, ok := asRel(v, x.n)
		if s, isSet := asSet(v, x.n); isSet && !ok {
			r, ok = rel.Identity(s), true
		}
		if ok {
			x.remove(item.As.Text)
			*x.shown = append(*x.shown, Shown{Name: item.As.Text, Rel: r})
		}
	}
}

// unshow removes names from what is drawn, or hides relations that are drawn by default.
func (x *exec) unshow(stmt *syntax.UnshowStmt) {
	if x.shown == nil {
		return
	}
	for _, name := range stmt.Names {
		x.remove(name.Text)
		*x.shown = append(*x.shown, Shown{Name: name.Text, Hidden: true})
	}
}

func (x *exec) remove(name string) {
	kept := (*x.shown)[:0]
	for _, s := range *x.shown {
		if s.Name != name {
			kept = append(kept, s)
		}
	}
	*x.shown = kept
}

// CheckName returns the name of a check. Without a name it is the text of the check; that of a flag
// omits the word flag.
func CheckName(c *syntax.Check) string {
	if c.As != nil {
		return c.As.Text
	}
	if c.Role == syntax.Flag {
		test := *c
		test.Role = syntax.Require
		c = &test
	}
	return strings.Join(strings.Fields(syntax.Print(c)), " ")
}

// LimitError reports that a bound cut the evaluation of a model on a candidate short.
type LimitError struct{ *src.Diagnostic }

// Unwrap returns the position in the model and the bound.
func (e *LimitError) Unwrap() error { return e.Diagnostic }

// catch turns the panic of an evaluation into an error.
func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case *src.Diagnostic:
		*err = r
	case *LimitError:
		*err = r
	case stopped:
		*err = r.why
	case failure:
		*err = src.Errorf(r.at, "fail, and no try around it")
	default:
		panic(r)
	}
}
