package batch

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/muster-gpu/muster/internal/cli/progress"
	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// Simulator runs tests under models.
type Simulator struct {
	Config  sim.Config
	Workers int
	Models  []*models.Model // empty for the default model of each test's format
	// Kept, unless nil, reports whether the answer of a model about a test is known already. Run
	// then skips it.
	Kept func(*sim.Test, *models.Model) bool
	// Watch, unless nil, is called when a test begins to run, with a function that reports its
	// progress. The function that it returns is called when the test has ended.
	Watch func(name string, far func() progress.Part) (end func())

	byFormat map[*litmus.Format]*models.Model // used if Models is empty
}

// Meant returns the given references to models, or without any the default models of the test
// formats.
func Meant(refs []string) []string {
	if len(refs) > 0 {
		return refs
	}
	for _, f := range frontends.Shipped().Formats() {
		refs = append(refs, f.Model)
	}
	return refs
}

// NewSimulator loads and checks models, so that errors are reported before any test runs. It calls
// warn about possible mistakes.
func NewSimulator(refs []string, reading models.Config, warn func(format string, args ...any)) (*Simulator, error) {
	all, err := models.LoadAll(Meant(refs), reading)
	if err != nil {
		return nil, err
	}
	for i, ref := range refs {
		if slices.Contains(refs[:i], ref) {
			warn("model %s is given twice", ref)
		}
	}
	for _, m := range all {
		summary, err := m.Check(sim.Vocabulary())
		if err != nil {
			return nil, err
		}
		if len(summary.Absent) > 0 {
			warn("%s: no test of muster has %s: they are empty (muster cat says where)", m.Name,
				strings.Join(summary.Absent, ", "))
		}
		if len(summary.Checks)+len(summary.Flags) == 0 {
			warn("%s has no checks: it allows every candidate execution", m.Name)
		}
	}
	if len(refs) > 0 {
		return &Simulator{Models: all}, nil
	}
	s := &Simulator{byFormat: map[*litmus.Format]*models.Model{}}
	for i, f := range frontends.Shipped().Formats() {
		s.byFormat[f] = all[i]
	}
	return s, nil
}

// Loaded returns all models that may be used.
func (s *Simulator) Loaded() []*models.Model {
	if len(s.Models) > 0 {
		return s.Models
	}
	return slices.Collect(maps.Values(s.byFormat))
}

// ModelsFor returns the models under which a test runs.
func (s *Simulator) ModelsFor(t *sim.Test) []*models.Model {
	if len(s.Models) > 0 {
		return s.Models
	}
	return []*models.Model{s.byFormat[t.Format]}
}

// ModelFor returns the model of a test, where there is only one.
func (s *Simulator) ModelFor(t *sim.Test) *models.Model { return s.ModelsFor(t)[0] }

// Load reads a test within the limits of the configuration.
func (s *Simulator) Load(ctx context.Context, in corpus.Test) (*sim.Test, error) {
	return Load(ctx, in, s.Config)
}

// Ask reads each test and calls ask on it, several at a time. It calls take with each answer or
// error, in the order of the tests.
func Ask[T any](
	ctx context.Context, s *Simulator, tests iter.Seq[corpus.Test],
	ask func(context.Context, *sim.Test) (T, error), take func(T, error),
) error {
	type answer struct {
		answer T
		err    error
	}
	work := func(in corpus.Test) (a answer) {
		t, err := s.Load(ctx, in)
		if err != nil {
			return answer{err: err}
		}
		a.answer, a.err = ask(ctx, t)
		return a
	}
	return Each(ctx, s.Workers, tests, work, func(a answer) { take(a.answer, a.err) })
}

// Load reads a test within the limits of a configuration.
func Load(ctx context.Context, in corpus.Test, c sim.Config) (*sim.Test, error) {
	t, err := in.Parse()
	if err != nil {
		return nil, err
	}
	return sim.ReadWithin(ctx, t, c)
}

// Answer is the result of a model about a test, or the error that prevented it.
type Answer struct {
	Result  *sim.Result
	Model   *models.Model
	Err     error
	Kept    bool          // the answer is known already: there is no result
	Reading time.Duration // the time to read the test, in the first answer only
}

// Step returns the progress step of a test with these answers.
func Step(answers []Answer) progress.Step {
	step := progress.Skipped
	for _, ans := range answers {
		switch {
		case ans.Err != nil:
			return progress.Failed
		case !ans.Kept:
			step = progress.Done
		}
	}
	return step
}

// Run reads a test and runs it under each of its models.
func (s *Simulator) Run(ctx context.Context, in corpus.Test) []Answer {
	began := time.Now()
	t, err := s.Load(ctx, in)
	reading := time.Since(began)
	if err != nil {
		return []Answer{{Err: err, Reading: reading}}
	}
	var all []Answer
	for _, m := range s.ModelsFor(t) {
		t, err := t.For(m.Target)
		if err != nil {
			all = append(all, Answer{Model: m, Err: err, Reading: reading})
			reading = 0
			continue
		}
		if s.Kept != nil && s.Kept(t, m) {
			all = append(all, Answer{Model: m, Kept: true, Reading: reading})
			reading = 0
			continue
		}
		t, end := s.watched(t)
		r, err := t.Run(ctx, m.Model)
		end()
		all = append(all, Answer{Result: r, Model: m, Err: err, Reading: reading})
		reading = 0
	}
	return all
}

// watched returns the test with progress reporting, and a function to call at its end.
func (s *Simulator) watched(t *sim.Test) (*sim.Test, func()) {
	if s.Watch == nil {
		return t, func() {}
	}
	p := &sim.Progress{}
	end := s.Watch(t.Name.Text, func() progress.Part {
		now := p.Now()
		return progress.Part{Done: now.Done, Total: now.Total, States: now.States, Conflicts: now.Conflicts}
	})
	return t.Watched(p), end
}

// RunOne is Run for a single model.
func (s *Simulator) RunOne(ctx context.Context, in corpus.Test) Answer { return s.Run(ctx, in)[0] }

// Explained is the explanation of a test, or the error that prevented it.
type Explained struct {
	*sim.Explanation
	Model *models.Model
	Err   error
}

// Explain reads a test and explains the answer of its model.
func (s *Simulator) Explain(ctx context.Context, in corpus.Test) Explained {
	t, err := s.Load(ctx, in)
	if err != nil {
		return Explained{Err: err}
	}
	m := s.ModelFor(t)
	if t, err = t.For(m.Target); err != nil {
		return Explained{Err: err}
	}
	e, err := t.Explain(ctx, m.Model)
	return Explained{e, m, err}
}

// Suited returns a predicate for the shipped tests that a model is asked about when no test is
// named: the tests whose format has it as default model; or else those that the model
// declares, or all. ref is the reference to the model.
func Suited(ref string, m models.Info) func(*sim.Test) bool {
	isDefault := slices.ContainsFunc(frontends.Shipped().Formats(), func(f *litmus.Format) bool {
		return f.Model == ref
	})
	return func(t *sim.Test) bool {
		if isDefault {
			return t.Format.Model == ref
		}
		return m.Tests == "" || m.For(t.Format.Arch)
	}
}
