package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/wire"
)

// loadedTest is a test, or the error of its text.
type loadedTest struct {
	*sim.Test
	err error
}

// maxCandidates bounds every simulation in addition to its time.
const maxCandidates = 20_000_000

// reading is everything on which the program of a test depends. With a later timeout and a higher
// unroll bound more of its control paths are followed.
type reading struct {
	text     string
	patience time.Duration
	unroll   int
	state    string // a final state to ask about; "" for the condition
}

// load reads a test.
func (e *Engine) load(r reading) *loadedTest {
	return e.tests.get(r, func() *loadedTest {
		c := sim.Defaults()
		c.Limits = enumerate.Options{MaxCandidates: maxCandidates}
		c.Reading.Unroll, c.State, c.Tolerant = r.unroll, r.state, true
		ctx := within(r.patience)
		c.Reading.Stop = func() error { return context.Cause(ctx) }
		t, err := sim.Load(src.NewFile(testFile, r.text), c)
		return &loadedTest{t, err}
	})
}

// ask runs the test under a model; if the test is in C and the model is for PTX, its translation.
// If the model allows an execution in which the program has no meaning, that is an error of the
// test if its shipped model agrees; else the result omits such executions.
func (e *Engine) ask(ctx context.Context, t *loadedTest, ref wire.ModelRef, m *loadedModel) (*sim.Result, error) {
	r, err := t.ask(ctx, m)
	if err != nil || r.Meaningless == nil {
		return r, err
	}
	own := wire.ModelRef{Name: t.Format.Model}
	if ref.Name == own.Name && len(ref.Edits) == 0 {
		return nil, t.here(r.Meaningless)
	}
	if by := e.loadModel(own); by.err == nil {
		if says, err := t.ask(ctx, by); err == nil && says.Meaningless != nil {
			return nil, t.here(says.Meaningless)
		}
	}
	return r, nil
}

func (t *loadedTest) ask(ctx context.Context, m *loadedModel) (*sim.Result, error) {
	as, err := t.For(m.Target)
	if err != nil {
		return nil, err
	}
	r, err := as.Run(ctx, m.Model.Model)
	return r, t.here(err)
}

// here moves an error of a translation to the name of the test, because the page does not have the
// text of the translation.
func (t *loadedTest) here(err error) error {
	var d *src.Diagnostic
	if at := (src.Span{}); !errors.As(err, &d) || d.Span == at || d.Span.File == t.File ||
		strings.HasSuffix(d.Span.File.Name, ".cat") {
		return err
	}
	return src.Errorf(t.Name.Span, "%s", d.Message)
}

// loadedModel is a model with its files, or the error of loading it.
type loadedModel struct {
	*models.Model // nil if err is not
	summary       *cat.Summary
	files         []*src.File // the model first, then included files, in order
	err           error
}

// info returns the description of the model, even if the model has errors.
func (m *loadedModel) info(ref wire.ModelRef) models.Info {
	if m.Model != nil {
		return m.Model.Info
	}
	for _, info := range models.List() {
		if info.Name == ref.Name {
			return info
		}
	}
	return models.Info{Name: ref.Name}
}

// loadModel reads a model and checks it. Each name in show is shown in addition.
func (e *Engine) loadModel(ref wire.ModelRef, show ...string) *loadedModel {
	key, err := json.Marshal(struct {
		Ref  wire.ModelRef
		Show []string
	}{ref, show})
	if err != nil {
		panic(err) // strings can be written
	}
	return e.models.get(string(key), func() *loadedModel { return newModel(ref, show) })
}

func newModel(ref wire.ModelRef, show []string) *loadedModel {
	m := &loadedModel{}
	if m.err = check(ref); m.err != nil {
		return m
	}
	note := func(name, text string) string {
		i := slices.IndexFunc(m.files, func(f *src.File) bool { return f.Name == path.Base(name) })
		if i < 0 {
			i, m.files = len(m.files), append(m.files, nil)
		}
		m.files[i] = src.NewFile(path.Base(name), text)
		if i == 0 {
			for _, name := range show {
				text += "\nshow " + name + " as " + name
			}
		}
		return text
	}
	m.Model, m.err = models.Load(ref.Name, models.Config{Files: ref.Edits, Edit: note})
	if m.err == nil {
		m.summary, m.err = m.Check(sim.Vocabulary())
	}
	if m.err != nil {
		m.Model = nil
	}
	return m
}

// check refuses references that models.Load would look up on the disk, which a page does not have.
func check(ref wire.ModelRef) error {
	if strings.HasSuffix(ref.Name, ".cat") || strings.ContainsAny(ref.Name, `/\`) {
		return fmt.Errorf("%s is a path, not the name of a model", ref.Name)
	}
	if _, ok := ref.Edits[ref.Name+".cat"]; ok {
		return nil
	}
	var names []string
	for _, info := range models.List() {
		names = append(names, info.Name)
	}
	if !slices.Contains(names, ref.Name) {
		return fmt.Errorf("there is no model %q: choose %s, or a new one", ref.Name, strings.Join(names, ", "))
	}
	return nil
}

// leftOut warns that a model allows executions in which the test has no meaning: its order is too
// weak for the test.
func leftOut(m *loadedModel, r *sim.Result, model int) []wire.Diagnostic {
	all := diagnose(r.Meaningless, ofModel, model)
	for i := range all {
		d := &all[i]
		d.Severity = src.Warning.String()
		d.Message = fmt.Sprintf(
			"the model allows executions of %s in which line %d of the test has no meaning, and they are left out: %s",
			r.Test.Name.Text, d.Line, d.Message)
		d.Range = wire.Range{File: m.files[0].Name, Line: 1, Col: 1}
	}
	return all
}

// diagnostics returns the errors and warnings about the model's text.
func (m *loadedModel) diagnostics(model int) []wire.Diagnostic {
	all := diagnose(m.err, ofModel, model)
	if m.summary != nil && m.err == nil {
		all = append(all, diagnose(m.summary.Warnings, ofModel, model)...)
	}
	return all
}
