// Package sim runs one litmus test against one model and chooses the engine. The verbs of muster,
// the playground and package muster call it.
//
//	Config      bounds, limits and readings of the instruction set
//	Test        a litmus test whose program has been read
//	Result      verdict, states with their counts, flags
//	Outcome     allowed, forbidden, undefined, or unknown
//	Explanation why the model forbids what the condition asks for
//
// Load a test and Run it; Explain gives the evidence. Each final state comes with a Witness.
package sim

import (
	"context"
	"errors"
	"fmt"
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
	// Languages are the languages of tests; nil for those that muster ships.
	Languages *frontend.Registry
	Reading   frontend.Options // of the program
	Limits    enumerate.Options
	Timeout   time.Duration // bounds one test; 0 for no bound
	// MaxMemory bounds the live bytes on the heap of the process, after a garbage collection, while
	// a test runs; 0 for no bound. A test that runs when they exceed it is cut short.
	MaxMemory Bytes
	Engine    Engine
	Want      Want
	// Hangs makes a run with Want == Verdict also look for an execution that never ends, if that is
	// cheap.
	Hangs bool
	// Covered makes Run skip all executions of a test that the model does not cover (Uncovered).
	// The result then has the flag and no states.
	Covered bool
	// State is a final state to ask about in place of the condition (litmus.Test.Asking), or "".
	State string
	// Cores is the pool of cores that tests share; nil gives each test one core.
	Cores *Cores
	// Tolerant ignores consistent executions with a meaningless computation, such as an arrival at
	// an uninitialised mbarrier, and records the first one (Result.Meaningless). Without it, such
	// an execution is an error of the test.
	Tolerant bool
	// Alike, if not nil, caches the results of similar tests.
	Alike *Alike

	progress *Progress // of the simulation, or nil
}

// Engine is a way to find consistent executions. All engines give the same answer.
type Engine uint8

// The engines.
const (
	// Fast visits few candidates (package fast). Run falls back on Naive for models that
	// cannot be compiled and programs of more than plan.MaxEvents events.
	Fast  Engine = iota
	Naive        // visits every candidate, and defines what the answer is (package enumerate)
	// Learning finds states without counts (package axiomatic). It falls back on Fast for
	// structures that it does not support.
	Learning
)

// Defaults returns the configuration of the command line. Tests loaded with the same such
// configuration, or copies of it, share caches.
func Defaults() Config {
	return Config{Reading: frontend.Options{Unroll: frontend.DefaultUnroll, Shared: &frontend.Shared{}}, Alike: &Alike{}}
}

// Test is a litmus test ready to run.
type Test struct {
	*litmus.Test
	Program frontend.Program
	config  Config

	// of the condition, with constants in the form of values; filter may be nil
	prop, filter litmus.Prop
	observables  []litmus.Ref
	goal         *goal
	content      *content
	group        *group       // of similar tests, or nil
	sources      [][]src.Span // of a translation: the source of each row, by thread
	// of a translation: the source leaves an order of evaluation open, and this test has one of
	// them
	oneOrder bool
	// of a translation: by observable of the original test, the index of the same value in its own
	// states
	original []int
}

// content is the printed form of a test and of its condition, and the hash. Each is computed once,
// on demand.
type content struct {
	of *litmus.Test
	// of a test that differs only in where threads and locations are, or nil
	like              *content
	printing, hashing sync.Once
	is                litmus.Content
	condition, hash   string
}

// printed returns the content, printed: that of like, if there is one.
func (c *content) printed() *content {
	if c.like != nil {
		return c.like.printed()
	}
	c.printing.Do(func() { c.is, c.condition = c.of.Content(), c.of.Cond.String() })
	return c
}

// Hash returns litmus.Test.Hash, computed once.
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

// Observables lists the registers and locations in the final states of the test
// (litmus.Test.Observables). The caller must not modify it.
func (t *Test) Observables() []litmus.Ref { return t.observables }

// Load parses a test and its program. The error is a src.Diagnostics with all errors, or a limit
// that the program exceeds (IsLimit).
func Load(f *src.File, c Config) (*Test, error) {
	t, err := c.languages().Parse(f)
	if err != nil {
		return nil, err
	}
	return Read(t, c)
}

// ReadWithin is Read within the limits of the configuration (Limited) and of the context.
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

// read reads the program of a test without the cache of similar tests.
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

// Vocabulary returns the names that executions of tests in the shipped languages define for models.
func Vocabulary() *vocab.Vocabulary { return frontends.Shipped().Vocabulary() }

// Vocabulary returns the names that executions of the test define for models. Names of the other
// languages of its configuration are included, with empty values.
func (t *Test) Vocabulary() *vocab.Vocabulary { return t.config.languages().Vocabulary() }

// languages returns the languages of tests.
func (c Config) languages() *frontend.Registry {
	if c.Languages != nil {
		return c.Languages
	}
	return frontends.Shipped()
}

// failed adds the name of the test to an evaluation error of the model. The error's position is in
// the model, and other tests may have passed there. Limits are returned unchanged.
func (t *Test) failed(err error) error {
	var d *src.Diagnostic
	if !errors.As(err, &d) || IsLimit(err) {
		return err
	}
	return fmt.Errorf("test %s: %w", t.Name.Text, err)
}

// OutsideModel is the flag of a model for tests with features that it does not cover.
const OutsideModel = plan.OutsideModel

// locate adds a position to an error of the program: that of the instruction, or else that of the
// test.
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

// Result is the answer of a model about a test.
type Result struct {
	Test   *Test
	States []StateCount // sorted
	// Positive and Negative count the pairs of a consistent execution and a final state that do, or
	// do not, satisfy the proposition of the condition. The value engine.Most means that there may
	// be more (Saturated).
	Positive, Negative int
	Uncounted          bool // the counts are unknown: each state counts once
	// no execution was examined, because the model does not cover the test (Config.Covered)
	Uncovered bool
	Flags     []string // sorted; raised by some consistent execution
	// Undefined names the undefined_unless tests that some consistent execution fails. If there are
	// any, the behaviour of the program is undefined.
	Undefined []string
	// Vacuous reports that the condition is a forall and no allowed execution has a final state. A
	// program that always hangs does not satisfy a forall.
	Vacuous bool
	// Meaningless is the error of the first consistent execution that was ignored
	// (Config.Tolerant), a diagnostic at an instruction of the test, or nil. If it is set, a state
	// that was not found is not forbidden, because the program may do anything there.
	Meaningless error
	Stats       enumerate.Stats
	Work        Work
	// the limit that cut the answer short, including the unroll bound (IsLimit), or nil
	Limit   error
	Elapsed time.Duration

	// returns an execution that never ends, found by the hybrid search; may be nil
	hang func() *Witness
	// returns an execution that makes the behaviour undefined; may be nil
	race func() *Witness
}

// ThinAirFlag is raised when a model without an axiom against it allows a value out
// of thin air.
const ThinAirFlag = "thin-air"

// HangFlag is raised when an allowed execution never ends: threads wait at a barrier that others
// never reach, or spin on a value that no write changes any more.
const HangFlag = "hang"

// OneOrderFlag is raised for the translation of a test that leaves an order of evaluation open. A
// translation fixes one order, as a compiler does, so another compilation may behave differently.
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

// tellOrder raises OneOrderFlag if the test is a translation that fixes one order of evaluation.
func (r *Result) tellOrder() {
	if r.Test.oneOrder {
		r.Flags = slices.Sorted(slices.Values(append(slices.Clip(r.Flags), OneOrderFlag)))
	}
}

// Outcome is the answer of a model about the condition.
type Outcome uint8

// The outcomes.
const (
	Forbidden Outcome = iota // no consistent execution satisfies it
	Allowed                  // some consistent execution satisfies it
	// the behaviour of the program is undefined, as of a C program with a race, or a forall is
	// vacuous
	Undefined
	Unknown // none was found, but a limit was hit
)

// Outcomes lists all outcomes, in the order in which totals print them.
var Outcomes = []Outcome{Allowed, Forbidden, Undefined, Unknown}

func (o Outcome) String() string {
	return [...]string{"forbidden", "allowed", "undefined", "unknown"}[o]
}

// Verb returns what the model does, as a verb.
func (o Outcome) Verb() string { return [...]string{"forbids", "allows", "undefined", "?"}[o] }

// Contradict reports whether two of the outcomes differ. Unknown agrees with every outcome.
func Contradict(outcomes ...Outcome) bool {
	known := slices.DeleteFunc(slices.Clone(outcomes), func(o Outcome) bool { return o == Unknown })
	slices.Sort(known)
	return len(slices.Compact(known)) > 1
}

// Outcome returns whether the outcome that the condition asks about can happen: the proposition of
// exists and ~exists, the negation of that of forall. It returns Undefined if the behaviour is
// undefined or a forall is vacuous.
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

// NotFound returns the outcome if no execution was found. It is Unknown if a limit or the unroll
// bound cut the search short, or if no search was made.
func (r *Result) NotFound() Outcome {
	switch {
	case len(r.Undefined) > 0 || r.Meaningless != nil:
		return Undefined
	case r.Limit != nil, r.Uncovered:
		return Unknown
	}
	return Forbidden
}

// Holds reports whether the condition holds (herd's Ok). A vacuous forall does not hold.
func (r *Result) Holds() bool {
	return !r.Vacuous && r.Test.Cond.Quant.Holds(int64(r.Positive), int64(r.Negative))
}

// Saturated reports whether there may be more executions than counted.
func (r *Result) Saturated() bool { return r.Positive == engine.Most || r.Negative == engine.Most }

// Loop reports whether the unroll bound cut some execution off.
func (r *Result) Loop() bool { return r.Stats.Truncated > 0 }

// Incomplete returns the limit that cut the answer short, as text, or "".
func (r *Result) Incomplete() string {
	if r.Limit == nil {
		return ""
	}
	return r.Limit.Error()
}

// Incomplete returns the limit that cut an enumeration of the candidates short, as text, or "".
func (t *Test) Incomplete(limit error, stats *enumerate.Stats) string {
	if err := t.cutShort(t.config.Limited(context.Background()), limit, stats); err != nil {
		return err.Error()
	}
	return ""
}
