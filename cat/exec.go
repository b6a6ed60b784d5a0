package cat

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/src"
)

// Verdict is what a model says of a candidate, for one way to make the choices of
// the model (with … from …).
type Verdict struct {
	Rejected  *syntax.Check // the first check that rejects it; nil if the model allows it
	Flags     []string      // the flags that it raises, if the model allows it
	Undefined []string      // the undefined_unless tests that fail, if the model allows it
	Choices   []Choice      // in the order of the model
	Failures  []Failure     // of Judge: every check that rejects it, in the order of the model
	// Incomplete says of a verdict of Judge that it ends at a choice for which there is nothing to
	// choose, because the candidate is as it is: some check before it fails.
	Incomplete bool
}

// Choice is what a with statement chose.
type Choice struct {
	Name  string
	Index int     // which element of the set; -1 if that is not known
	Rel   rel.Rel // the element, if it is a relation; else the zero Rel

	value value
}

// ChooseRel is the choice of a relation, wherever it stands in its set.
func ChooseRel(name string, r rel.Rel) Choice {
	return Choice{Name: name, Index: -1, Rel: r, value: relValue{r}}
}

// Allowed reports that no check rejects the candidate.
func (v *Verdict) Allowed() bool { return v.Rejected == nil }

// Choice returns the relation that the model chose under a name.
func (v *Verdict) Choice(name string) (rel.Rel, bool) {
	for _, c := range v.Choices {
		if c.Name == name {
			return c.Rel, true
		}
	}
	return rel.Rel{}, false
}

// Shown is a relation or set of events that the model wants drawn, or left out.
type Shown struct {
	Name   string
	Rel    rel.Rel // a set of events as its identity
	Hidden bool    // unshow
}

// state is where an execution of a model stands. It is copied where the model
// branches.
type state struct {
	env     *env
	verdict Verdict
	prefix  string // names of the calls around, for names of checks
}

// exec executes statements. What follows a statement is a continuation, because with
// statements branch; each continuation reports whether to go on with other branches.
type exec struct {
	*evaluator
	follow    []Choice // choices to follow; nil to make them all
	following bool
	beyond    bool                // see whether there is anything to choose after those
	thorough  bool                // do not stop at the first check that fails
	asked     func(Failure) bool  // which checks matter; nil if all do
	failed    func(Failure, *env) // callback for each failed check; may be nil
	flagged   func(Failure, *env) // callback for each flag that is raised; may be nil
	shown     *[]Shown            // collects the results of show statements; may be nil
	yield     func(*Verdict) bool
}

// run executes the whole model.
func (x *exec) run(m *Model) {
	x.block(m.stmts, state{env: m.prelude}, func(s state) bool { return x.yield(&s.verdict) })
}

// block executes statements one after the other.
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

// check evaluates a check. It returns false if the candidate is rejected and the execution is not
// thorough.
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

// appendOnce appends a missing element to a copy, because branches share the slice.
func appendOnce(list []string, name string) []string {
	for _, n := range list {
		if n == name {
			return list
		}
	}
	return append(list[:len(list):len(list)], name)
}

// holds evaluates the test of a check.
func (x *exec) holds(c *syntax.Check, in *env) bool {
	v := x.eval(c.X, in)
	if c.Test == syntax.IsEmpty {
		return x.empty(v, c.X.Span()) != c.Negated
	}
	return planTests[c.Test].Holds(x.rel(v, c.X.Span())) != c.Negated
}

// empty reports that a set of anything, or a relation, has no elements.
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

// clause picks the statements of a match.
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

// call executes the body of a procedure: what it binds stays inside, what it checks
// counts.
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

// forall executes the body for each element.
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

// choose goes on with each element of a set in turn. Each has steps of its own. When
// following choices, it goes on with the one that was made, if there is one: if not, the
// candidate had been rejected by then.
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

// show notes what to draw.
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

// unshow takes back what was to be drawn, or hides a relation that is drawn unasked.
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

// CheckName is what a check is called: its name, or its text, which is that of the test for a flag.
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

// LimitError says that the evaluation of a model on a candidate was cut short.
type LimitError struct{ *src.Diagnostic }

// Unwrap is where in the model, and what was exceeded.
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
