// Package muster tells which outcomes of litmus tests a memory model allows, explains why it
// forbids the others, and draws the executions.
//
//	Model  a memory model: a shipped one, or a .cat file
//	Test   a litmus test: a shipped one, a file, or a text
//
//	Run      the result of a model for a test: its verdict and its final states
//	Explain  why it forbids what the condition of the test asks for
//	Compare  the results of several models
//	Draw     an execution, as SVG, PNG, PDF, DOT or text
//
// This is the stable part of muster. Package wire has the types of the answers, which docs/json.md
// explains; errors in tests and models are src.Diagnostics, with file, line and column. For more,
// such as other limits for each test or the executions themselves, use package sim, which may
// change.
package muster

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/muster-gpu/muster/internal/cli/report"
	"github.com/muster-gpu/muster/internal/render/gallery"
	"github.com/muster-gpu/muster/internal/render/picture"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/internal/tests/probe"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/wire"
)

// The outcomes under a model.
const (
	Allowed   = "allowed"
	Forbidden = "forbidden"
	Undefined = "undefined" // the behaviour of the program is undefined: a data race in C, for example
	Unknown   = "unknown"   // none was found, but a limit was exceeded
)

// Model is a memory model.
type Model struct{ m *models.Model }

// Load loads a model: the name of a shipped one, or the path of a .cat file, perhaps with variants
// behind a colon, as in ptx-7.5:dartagnan.
func Load(name string) (*Model, error) {
	all, err := models.LoadAll([]string{name}, models.Config{})
	if err != nil {
		return nil, err
	}
	return checked(all[0])
}

// ParseModel parses a model from its text in the .cat language.
func ParseModel(name, text string) (*Model, error) {
	m, err := models.Load(name, models.Config{Files: map[string]string{name + ".cat": text}})
	if err != nil {
		return nil, err
	}
	return checked(m)
}

func checked(m *models.Model) (*Model, error) {
	if _, err := m.Check(sim.Vocabulary()); err != nil {
		return nil, err
	}
	return &Model{m}, nil
}

// Models describes the shipped models, sorted by name.
func Models() []wire.Model {
	var all []wire.Model
	for _, info := range models.List() {
		all = append(all, wire.Model(info))
	}
	return all
}

// Info returns a description of the model.
func (m *Model) Info() wire.Model { return wire.Model(m.m.Info) }

// Test is a litmus test.
type Test struct{ t *sim.Test }

// Shipped returns the test with this name that muster ships.
func Shipped(name string) (*Test, error) {
	shipped := corpus.Shipped()
	file, ok := shipped.Find(name)
	if !ok {
		return nil, corpus.NoSuchTest(name)
	}
	f, err := shipped.Open(file)
	if err != nil {
		return nil, err
	}
	return load(f)
}

// Open reads the test in a file.
func Open(file string) (*Test, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, string(text))
}

// Parse parses a test from its text; name is the file name for messages.
func Parse(name, text string) (*Test, error) { return load(src.NewFile(name, text)) }

func load(f *src.File) (*Test, error) {
	t, err := sim.Load(f, sim.Defaults())
	if err != nil {
		return nil, err
	}
	return &Test{t}, nil
}

// Name returns the name in the header of the test.
func (t *Test) Name() string { return t.t.Name.Text }

// Condition returns the condition of the test: exists, ~exists or forall, and a proposition about
// final states.
func (t *Test) Condition() string { return t.t.Cond.String() }

// String returns the text of the test in canonical form.
func (t *Test) String() string { return t.t.Test.String() }

// Result is the result of a model for a test.
type Result struct {
	wire.Result
	r *sim.Result
}

// Run simulates a test under a model; for a test in C and a model of PTX it simulates the
// translation. When ctx is done, the result is what is known by then; Incomplete says so.
func Run(ctx context.Context, t *Test, m *Model) (*Result, error) {
	as, err := t.t.For(m.m.Target)
	if err != nil {
		return nil, err
	}
	r, err := as.Run(sim.Known(ctx), m.m.Model)
	if err != nil {
		return nil, err
	}
	return &Result{report.ResultJSON(r, m.m.Name), r}, nil
}

// String returns the result in the format of herd's log.
func (r *Result) String() string {
	var b strings.Builder
	_, _ = r.r.Record().WriteTo(&b)
	return b.String()
}

// Explanation says why a model forbids what the condition of a test asks for.
type Explanation struct {
	wire.Explanation
	e *sim.Explanation
}

// Explain explains each final state that the condition asks for. If the model forbids it, the
// reasons are axioms without which it would be allowed, each with a cycle.
func Explain(ctx context.Context, t *Test, m *Model) (*Explanation, error) {
	as, err := t.t.For(m.m.Target)
	if err != nil {
		return nil, err
	}
	e, err := as.Explain(ctx, m.m.Model)
	if err != nil {
		return nil, err
	}
	return &Explanation{report.ExplanationJSON(e, m.m.Name), e}, nil
}

// String returns the explanation as muster explain prints it.
func (e *Explanation) String() string {
	var b strings.Builder
	(&report.Text{Out: &b}).Explanation(&report.Explained{Explanation: e.e, Model: e.Model})
	return b.String()
}

// Comparison holds the results of several models for a test.
type Comparison struct {
	Results []*Result // by model
	// Differ says that one model allows what another forbids, Open that they may differ, since some
	// outcome is unknown.
	Differ, Open bool
}

// Compare runs a test under models.
func Compare(ctx context.Context, t *Test, ms ...*Model) (*Comparison, error) {
	var asked []*models.Model
	for _, m := range ms {
		asked = append(asked, m.m)
	}
	c, err := probe.Compare(ctx, t.t, asked...)
	if err != nil {
		return nil, err
	}
	all := &Comparison{Differ: c.Differs(false)}
	all.Open = !all.Differ && c.Open(false)
	for i, r := range c.Results {
		all.Results = append(all.Results, &Result{report.ResultJSON(r, ms[i].m.Name), r})
	}
	return all, nil
}

// Draw draws the execution that the condition of a test is about, as svg, png, pdf, dot or txt: one
// that the model allows, or else one that it rejects, with the cycle highlighted.
func Draw(ctx context.Context, w io.Writer, format string, t *Test, m *Model) error {
	g := gallery.Usual()
	g.Stdout, g.Format, g.Engine = w, format, "muster"
	if err := g.Open(); err != nil {
		return err
	}
	e, err := Explain(ctx, t, m)
	if err != nil {
		return err
	}
	drawn, err := picture.Telling(e.e, m.m.Name, "", m.m.Model, nil)
	if err != nil {
		return err
	}
	if err := g.Hang(t.Name(), drawn, nil); err != nil {
		return err
	}
	return g.Close(ctx)
}
