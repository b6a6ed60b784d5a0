// Package sim runs one litmus test against one model, by whichever engine knows how: muster's verbs, the playground
// and package muster ask it.
//
//	Config      bounds, limits and readings of the instruction set
//	Test        a litmus test whose program has been read
//	Result      verdict, states with their counts, flags
//	Outcome     allowed, forbidden, or cut short
//	Explanation why the model forbids what the condition asks for
//
// Load a test, Run it; Explain it when the evidence matters. Each final state comes with a
// Witness.
package sim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/vocab"
)

// Config has the options of a simulation. The zero Config unrolls nothing; start from Defaults.
type Config struct {
	// Languages are those in which tests may be written; nil for those that muster ships.
	Languages *frontend.Registry
	Reading   frontend.Options // of the program
	Limits    enumerate.Options
	Timeout   time.Duration // for one test; 0 for none
	// MaxMemory is how many bytes may live on the heap of the process, after a garbage
	// collection, while a test runs; 0 for no bound. What runs by then is cut short.
	MaxMemory Bytes
	Engine    Engine
	Want      Want
	// Hangs has a search that is to find the verdict only look for an execution that never ends, too, as far as that is cheap.
	Hangs bool
	// Covered has Run look at no execution of a test that the model does not cover (Uncovered): the result has the flag, and no states.
	Covered bool
	// State is a final state to ask about in place of the condition: see litmus.Test.Asking. "" for none.
	State string
	// Cores are those that tests may share; nil if each has one.
	Cores *Cores
	// Tolerant leaves out consistent executions in which the program computes what has no meaning, such as an arrival at an
	// mbarrier that is not initialised, and notes the first (Result.Meaningless). Without it, that is an error of the test.
	Tolerant bool
	// Alike, unless it is nil, is tests that went before.
	Alike *Alike

	progress *Progress // of the simulation; nil if nobody wants to know
}

// Engine is how consistent executions are found. All engines find the same.
type Engine uint8

// The engines.
const (
	// Fast visits few candidates (package fast). Run falls back on Naive for models that
	// cannot be compiled and programs of more than plan.MaxEvents events.
	Fast  Engine = iota
	Naive        // visits every candidate, and defines what the answer is (package enumerate)
	// Learning asks for states and counts none (package axiomatic). Where it knows too little, it has Fast
	// look.
	Learning
)

// Defaults is the configuration of the command line. Tests that are loaded with one such configuration, or
// copies of it, share what they have in common.
func Defaults() Config {
	return Config{Reading: frontend.Options{Unroll: frontend.DefaultUnroll, Shared: &frontend.Shared{}}, Alike: &Alike{}}
}

// Test is a litmus test ready to run.
type Test struct {
	*litmus.Test
	Program frontend.Program
	config  Config

	prop, filter litmus.Prop // of the condition, with constants as values look; filter may be nil
	observables  []litmus.Ref
	goal         *goal
	content      *content
	group        *group       // of tests alike; nil if there is none
	sources      [][]src.Span // of a translation, for each thread what its rows come from
	oneOrder     bool         // it is a translation with one of several orders of evaluation
	original     []int        // of a translation, by what states of the test that it is one of show, where its own states have that
}

// content is what a test says, with the words of its condition, and the hash of that, each of which is found once, when it is asked for.
type content struct {
	of                *litmus.Test
	like              *content // of a test that says the same with threads or locations elsewhere; nil if there is none
	printing, hashing sync.Once
	is                litmus.Content
	condition, hash   string
}

// printed is the content when it has been printed: that of the test that this one is like, if there is one.
func (c *content) printed() *content {
	if c.like != nil {
		return c.like.printed()
	}
	c.printing.Do(func() { c.is, c.condition = c.of.Content(), c.of.Cond.String() })
	return c
}

// Hash is that of litmus.Test.Hash, which it asks once.
func (t *Test) Hash() string {
	c := t.content
	c.hashing.Do(func() {
		if is := c.printed().is; c.like != nil {
			c.hash = is.HashElsewhere(c.of)
		} else {
			c.hash = is.Hash()
		}
	})
	return c.hash
}

// Observables lists what the final states of the test are about (litmus.Test.Observables). The
// caller must not change it.
func (t *Test) Observables() []litmus.Ref { return t.observables }

// Load parses a test and its program. The error is a src.Diagnostics with all that
// is wrong, or a limit that the program exceeds (IsLimit).
func Load(f *src.File, c Config) (*Test, error) {
	t, err := c.languages().Parse(f)
	if err != nil {
		return nil, err
	}
	return Read(t, c)
}

// ReadWithin is Read within the limits of the configuration (Limited), as long as the context allows.
func ReadWithin(ctx context.Context, t *litmus.Test, c Config) (*Test, error) {
	if c.State == "" {
		if joined := c.Alike.joined(t, c); joined != nil {
			return joined, nil
		}
	}
	ctx = c.Limited(ctx)
	c.Reading.Stop = func() error { return context.Cause(ctx) }
	return Read(t, c)
}

// Read is Load for a test that has been parsed.
func Read(t *litmus.Test, c Config) (_ *Test, err error) {
	if c.State != "" {
		if t, err = t.Asking(src.NewFile("--state", c.State)); err != nil {
			return nil, err
		}
	}
	return c.Alike.read(t, c)
}

// read reads the program of a test, whatever went before.
func read(t *litmus.Test, c Config) (*Test, error) {
	p, err := c.languages().Read(t, c.Reading)
	switch {
	case err == nil:
	case IsLimit(err):
		return nil, fmt.Errorf("%s: test %s: %w", t.File.Name, t.Name.Text, err)
	default:
		return nil, err
	}
	return &Test{
		Test: t, Program: p, config: c, prop: p.Normalize(t.Cond.Prop), filter: p.Normalize(t.Filter), observables: t.Observables(),
		goal: new(goal), content: &content{of: t},
	}, nil
}

// Vocabulary is the names that executions of tests in the shipped languages define for models.
func Vocabulary() *vocab.Vocabulary { return frontends.Shipped().Vocabulary() }

// Vocabulary is the names that executions of the test define for models, and those of tests in the
// other languages of its configuration, with nothing in them.
func (t *Test) Vocabulary() *vocab.Vocabulary { return t.config.languages().Vocabulary() }

// languages are those in which tests may be written.
func (c Config) languages() *frontend.Registry {
	if c.Languages != nil {
		return c.Languages
	}
	return frontends.Shipped()
}

// judged is a candidate execution with what the model says of it, for one way to make
// the choices of the model.
type judged struct {
	*event.Execution
	*cat.Verdict
}

// candidates enumerates the test's candidate executions and has the model judge each.
// It stops at an error, or when visit returns false. left, which may be nil, notes what a tolerant simulation leaves out.
func (q question) candidates(ctx context.Context, m *cat.Model, stats *enumerate.Stats, left *leftOut, visit func(judged) bool) error {
	return q.judge(ctx, m, m.Eval, stats, left, visit)
}

// judge is candidates with a choice of evaluation: how is cat.Model.Eval or Judge.
func (q question) judge(ctx context.Context, m *cat.Model, how judging, stats *enumerate.Stats, left *leftOut, visit func(judged) bool) error {
	t, limits := q.test, q.limits
	limits.OpenCo = m.Chooses("co")
	wrong := false // the model allows an execution in which the program has no meaning
	verdicts := 0  // one for each way to make the choices of the model
	limits.Begins = func(x *event.Execution) (bool, error) {
		allowed, err := begins(ctx, m, x)
		return allowed, t.failed(err)
	}
	for x, err := range enumerate.Executions(ctx, q.program, limits, stats) {
		if err != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return t.locate(err)
		}
		more := true
		err := how(ctx, x, func(v *cat.Verdict) bool {
			if verdicts++; limits.MaxLooks > 0 && verdicts > limits.MaxLooks {
				return false
			}
			if x.Wrong == nil {
				more = ctx.Err() == nil && visit(judged{complete(x, v), v})
				return more
			}
			wrong = wrong || v.Allowed() && !slices.Contains(v.Flags, OutsideModel) // see fast.Engine
			return !wrong
		})
		if wrong && t.config.Tolerant {
			left.note(x.Wrong)
			wrong = false
		}
		switch {
		case err != nil:
			return t.failed(err)
		case wrong:
			return t.locate(x.Wrong)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case limits.MaxLooks > 0 && verdicts > limits.MaxLooks:
			return enumerate.TooManyLooks(limits.MaxLooks)
		}
		if !more {
			return nil
		}
	}
	return nil
}

// failed names the test on which the evaluation of a model has failed: the place of the error is in the model, which others of many tests
// may have passed. Limits are told of a test as they are.
func (t *Test) failed(err error) error {
	var d *src.Diagnostic
	if !errors.As(err, &d) || IsLimit(err) {
		return err
	}
	return fmt.Errorf("test %s: %w", t.Name.Text, err)
}

// OutsideModel is the flag by which a model says that a test uses what it does not cover.
const OutsideModel = plan.OutsideModel

// judging is a way to evaluate a model on a candidate.
type judging = func(context.Context, cat.Candidate, func(*cat.Verdict) bool) error

// begins reports whether the model allows a candidate of truncated paths. A forbidden prefix has no allowed
// extension, because axioms forbid and never require.
func begins(ctx context.Context, m *cat.Model, x *event.Execution) (allowed bool, err error) {
	err = m.Eval(ctx, x, func(v *cat.Verdict) bool {
		allowed = allowed || v.Allowed()
		return !allowed
	})
	return allowed, err
}

// complete gives an execution the coherence order that the model has chosen for it, if
// it has.
func complete(x *event.Execution, v *cat.Verdict) *event.Execution {
	co, ok := v.Choice("co")
	if !ok {
		return x
	}
	y := *x
	y.Co = co
	return &y
}

// locate gives an error of the program a place: that of the instruction, or else that of the test.
func (t *Test) locate(err error) error {
	var fault *event.Fault
	if errors.As(err, &fault) {
		if at, ok := t.Program.Locate(fault); ok {
			return src.Errorf(at, "%v", fault)
		}
	}
	var d *src.Diagnostic
	if IsLimit(err) || errors.As(err, &d) {
		return err
	}
	return src.Errorf(t.Name.Span, "%v", err)
}

// Result is what a model says of a test.
type Result struct {
	Test   *Test
	States []StateCount // sorted
	// Positive and Negative count the ways in which consistent executions end, with
	// states that satisfy the proposition of the condition and with others; engine.Most if there are
	// more (Saturated).
	Positive, Negative int
	Uncounted          bool     // counts are not known: each state counts once
	Uncovered          bool     // no execution was looked at, because the model does not cover the test (Config.Covered)
	Flags              []string // sorted; raised by some consistent execution
	// Undefined names the undefined_unless tests that some consistent execution fails:
	// then the behaviour of the program is undefined.
	Undefined []string
	// Vacuous says that a forall is about nothing, because no execution that the model allows has a final state. A program that always
	// hangs satisfies nothing that one can rely on.
	Vacuous bool
	// Meaningless is why the first consistent execution that was left out has no meaning (Config.Tolerant), a diagnostic at an
	// instruction of the test; nil if there is none. Since the program may do anything there, a state that was not found is not forbidden.
	Meaningless error
	Stats       enumerate.Stats
	Work        Work
	Limit       error // what cut the answer short, the unroll bound too (IsLimit); nil if it is complete
	Elapsed     time.Duration

	hang func() *Witness // an execution that never ends, of the hybrid search; nil if there is none
	race func() *Witness // likewise, an execution that makes the behaviour undefined
}

// ThinAirFlag is raised when a model without an axiom against it allows a value out
// of thin air.
const ThinAirFlag = "thin-air"

// HangFlag is raised when an execution that the model allows never ends: threads wait at
// a barrier that others never reach, or spin on what nothing will change.
const HangFlag = "hang"

// OneOrderFlag is raised for the translation of a test that leaves an order of evaluation open. The translation has one order, as
// a compiler chooses one, so another may do what it does not.
const OneOrderFlag = "one-order"

// Run simulates the test under a model that Check accepts. A limit is not an error:
// see Result.Limit.
func (t *Test) Run(ctx context.Context, m *cat.Model) (*Result, error) {
	t.config.Cores.take()
	defer t.config.Cores.give()
	start := time.Now()
	if t.config.Covered {
		if by := t.uncoveredBy(ctx, m); by != nil {
			return t.uncovered(by), nil
		}
	}
	m, err := m.After(t.Program.Rules())
	if err != nil {
		return nil, err
	}
	if r := t.group.answer(t, m); r != nil {
		r.tellOrder()
		r.Elapsed = time.Since(start)
		return r, nil
	}
	ctx = t.config.Limited(ctx)
	r, err := t.question().under(m).answer(ctx)
	if t.cutShort(ctx, err, &r.Stats) == nil {
		err = t.checkVacuous(ctx, m, r)
	}
	if err == nil && t.config.Hangs && t.config.Want == Verdict {
		t.lookForHang(ctx, m, r)
	}
	if err != nil && !IsLimit(err) {
		return nil, err
	}
	r.Limit = t.cutShort(ctx, err, &r.Stats)
	t.group.keep(r, m)
	r.tellOrder()
	r.Elapsed = time.Since(start)
	return r, nil
}

// tellOrder raises OneOrderFlag where it belongs.
func (r *Result) tellOrder() {
	if r.Test.oneOrder {
		r.Flags = slices.Sorted(slices.Values(append(slices.Clip(r.Flags), OneOrderFlag)))
	}
}

// naive judges every candidate.
func (w means) naive(ctx context.Context, r *Result) (engine.Extent, error) {
	r.Work = Work{Engine: Naive, Reason: w.reason}
	c, left := newCollector(w.ask, w.model), &leftOut{test: w.ask.test}
	err := w.ask.candidates(ctx, w.model, &r.Stats, left, func(j judged) bool {
		c.add(j)
		return !c.decided()
	})
	c.finish(r)
	r.Meaningless = left.first()
	if c.race != nil {
		r.race = func() *Witness { return c.race }
	}
	return engine.Done, err
}

// collector gathers the final states of consistent executions.
type collector struct {
	ask       question
	model     *cat.Model
	refs      []litmus.Ref
	states    map[string]*StateCount
	flags     map[string]bool
	undefined map[string]bool
	found     bool     // a state that the condition asks for
	race      *Witness // that makes the behaviour undefined; nil if there is none
}

func newCollector(q question, m *cat.Model) *collector {
	return &collector{
		ask: q, model: m, refs: q.test.Observables(),
		states: map[string]*StateCount{}, flags: map[string]bool{}, undefined: map[string]bool{},
	}
}

func (c *collector) add(j judged) {
	if !j.Allowed() || j.Stuck && !j.Hangs() {
		return
	}
	ends := c.ask.test.ends(j.Execution, c.refs)
	if !j.Stuck && len(ends) == 0 {
		return
	}
	for _, f := range j.Flags {
		c.flags[f] = true
	}
	for _, u := range j.Undefined {
		c.undefined[u] = true
	}
	if c.race == nil && len(j.Undefined) > 0 {
		c.race = &Witness{j.Execution, j.Choices}
	}
	if !j.ThinAir.Empty() {
		c.flags[ThinAirFlag] = true
	}
	if j.Stuck {
		c.flags[HangFlag] = true
	}
	for _, state := range ends {
		c.end(state, j)
	}
}

// decided reports that the verdict is known, if only that is wanted (Verdict).
func (c *collector) decided() bool {
	return c.ask.want == Verdict && (c.race != nil || c.found && !c.model.MayLeaveUndefined())
}

// end counts a way in which an execution ends.
func (c *collector) end(state litmus.State, j judged) {
	key, want := state.Format(c.refs), c.ask.want
	s := c.states[key]
	if s == nil {
		w := &Witness{j.Execution, j.Choices}
		s = &StateCount{
			Satisfies: c.ask.test.prop.Eval(state.Lookup(c.refs)),
			ending:    &judgedEnding{state, w},
		}
		c.states[key] = s
		c.found = c.found || c.ask.asksFor(state, c.refs)
	}
	if want == Counts || s.Count == 0 {
		s.Count++
	}
}

// ends is the final states of an execution that the filter lets through: none if a
// thread never ends.
func (t *Test) ends(x *event.Execution, refs []litmus.Ref) []litmus.State {
	if x.Stuck {
		return nil
	}
	states := frontend.States(t.Program, x, refs)
	if t.filter == nil {
		return states
	}
	return slices.DeleteFunc(states, func(s litmus.State) bool { return !t.filter.Eval(s.Lookup(refs)) })
}

func (c *collector) finish(r *Result) {
	for _, s := range c.states {
		r.States = append(r.States, *s)
	}
	r.sum()
	r.Flags = slices.Sorted(maps.Keys(c.flags))
	r.Undefined = slices.Sorted(maps.Keys(c.undefined))
}

// Outcome is what a model says about the outcome that a condition asks for.
type Outcome uint8

// The outcomes.
const (
	Forbidden Outcome = iota // no consistent execution has it
	Allowed                  // some has
	Undefined                // the behaviour of the program is undefined, as that of a race of C, or a forall is about nothing
	Unknown                  // none was found, but a limit was hit
)

// Outcomes are all outcomes, in the order in which totals tell them.
var Outcomes = []Outcome{Allowed, Forbidden, Undefined, Unknown}

func (o Outcome) String() string {
	return [...]string{"forbidden", "allowed", "undefined", "unknown"}[o]
}

// Verb is what the model does.
func (o Outcome) Verb() string { return [...]string{"forbids", "allows", "undefined", "?"}[o] }

// Contradict reports that two of the outcomes are not the same. One that is unknown may be any.
func Contradict(outcomes ...Outcome) bool {
	known := slices.DeleteFunc(slices.Clone(outcomes), func(o Outcome) bool { return o == Unknown })
	slices.Sort(known)
	return len(slices.Compact(known)) > 1
}

// Outcome reports whether the outcome that the condition asks about can happen: the
// proposition of exists and ~exists, the negation of that of forall. Where the behaviour is undefined, or a forall is about no final state,
// that is the answer.
func (r *Result) Outcome() Outcome {
	n := r.Positive
	if r.Test.Cond.Quant == litmus.Forall {
		n = r.Negative
	}
	switch {
	case n > 0 && len(r.Undefined) == 0:
		return Allowed
	case r.Vacuous:
		return Undefined
	}
	return r.NotFound()
}

// NotFound is the outcome when no execution was found. It is Unknown if a limit or the unroll bound
// cut the search short, or if none was looked for.
func (r *Result) NotFound() Outcome {
	switch {
	case len(r.Undefined) > 0 || r.Meaningless != nil:
		return Undefined
	case r.Limit != nil, r.Uncovered:
		return Unknown
	}
	return Forbidden
}

// Holds reports whether the condition holds: herd's Ok. A forall over no final state does not.
func (r *Result) Holds() bool {
	return !r.Vacuous && r.Test.Cond.Quant.Holds(int64(r.Positive), int64(r.Negative))
}

// Saturated reports that there are more executions than counts say.
func (r *Result) Saturated() bool { return r.Positive == engine.Most || r.Negative == engine.Most }

// Loop reports that the unroll bound cut some execution off.
func (r *Result) Loop() bool { return r.Stats.Truncated > 0 }

// Incomplete says what cut the answer short; "" if nothing did.
func (r *Result) Incomplete() string {
	if r.Limit == nil {
		return ""
	}
	return r.Limit.Error()
}

// Incomplete says what cut an enumeration of the test's candidates short; "" if nothing did.
func (t *Test) Incomplete(limit error, stats *enumerate.Stats) string {
	if err := t.cutShort(t.config.Limited(context.Background()), limit, stats); err != nil {
		return err.Error()
	}
	return ""
}
