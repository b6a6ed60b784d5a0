package play

import (
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/wire"
)

// patient is a timeout that no test reaches, in milliseconds.
const patient = 3_600_000

// ask makes an engine answer a request, through JSON both ways as a page does. Without a timeout in
// the request, a slow machine has as much time as it needs.
func ask[T any](t *testing.T, e *Engine, r wire.Request) T {
	t.Helper()
	r.Timeout = cmp.Or(r.Timeout, patient)
	request, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	answer := e.Answer(request)
	var failed struct{ Error string }
	var v T
	if err := errors.Join(json.Unmarshal(answer, &failed), json.Unmarshal(answer, &v)); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	if failed.Error != "" {
		t.Fatalf("%s: %s", request, failed.Error)
	}
	return v
}

func shipped(t *testing.T, name string) string {
	t.Helper()
	file, ok := corpus.Shipped().Find(name)
	if !ok {
		t.Fatalf("no test %s", name)
	}
	f, err := corpus.Shipped().Open(file)
	if err != nil {
		t.Fatal(err)
	}
	return f.Text
}

// TestRunIsSim compares the page's answers with those of package sim, on a sample of the corpus.
func TestRunIsSim(t *testing.T) {
	var e Engine
	models := []wire.ModelRef{{Name: "sc"}, {Name: "coherence"}}
	cuda := []wire.ModelRef{{Name: "rc11-scoped"}, {Name: "ptx"}}
	compared := 0
	for i, name := range corpus.Shipped().Names() {
		if i%sample.Of(3, 12) > 0 {
			continue
		}
		text, models := shipped(t, name), models
		if strings.HasPrefix(text, "CUDA") {
			models = cuda
		}
		refs, wants := simulated(t, text, models)
		if wants == nil {
			continue
		}
		compared++
		ran := ask[wire.Ran](t, &e, wire.Request{Verb: "run", Test: text, Models: models})
		if len(ran.Diagnostics) > 0 || ran.Test.Name != name {
			t.Fatalf("%s: %+v", name, ran)
		}
		for i, want := range wants {
			compareAnswer(t, &ran, i, refs, want)
		}
	}
	if compared < 50 {
		t.Errorf("only %d tests were compared", compared)
	}
}

// simulated returns the answers of package sim about a test under each model, with its observables;
// nil for a test with too many candidates, which would take long and show nothing else about the
// page.
func simulated(t *testing.T, text string, models []wire.ModelRef) ([]litmus.Ref, []*sim.Result) {
	t.Helper()
	config := sim.Defaults()
	config.Limits.MaxCandidates = 1000
	test, err := sim.Load(src.NewFile(testFile, text), config)
	if err != nil {
		t.Fatal(err)
	}
	results := make([]*sim.Result, len(models))
	for i, ref := range models {
		m := loaded(t, ref.Name)
		as, err := test.For(m.Target)
		if err != nil {
			t.Fatal(err)
		}
		results[i], err = as.Run(t.Context(), m.Model)
		if err != nil {
			t.Fatal(err)
		}
		if results[i].Limit != nil && !sim.IsBound(results[i].Limit) {
			return nil, nil
		}
	}
	return test.Observables(), results
}

// compareAnswer checks that the page's answer for its i-th model is that of package sim.
func compareAnswer(t *testing.T, ran *wire.Ran, i int, refs []litmus.Ref, want *sim.Result) {
	t.Helper()
	got := ran.Answers[i]
	if got.Outcome != want.Outcome().String() || got.Positive != want.Positive || got.Negative != want.Negative ||
		!slices.Equal(got.Flags, want.Flags) {
		t.Errorf("%s, %s: %+v", ran.Test.Name, got.Model, got)
	}
	counts := map[string]int{}
	for _, s := range want.States {
		counts[want.Test.Original(s.State()).Format(refs)] = s.Count
	}
	for _, s := range ran.States {
		// for example of a program with a race
		unknown := counts[s.Key] == 0 && want.NotFound() != sim.Forbidden
		if unknown != (s.Counts[i] == nil) || !unknown && *s.Counts[i] != counts[s.Key] {
			t.Errorf("%s, %s: %s has the count %v, want %d", ran.Test.Name, got.Model, s.Key,
				s.Counts[i], counts[s.Key])
		}
		delete(counts, s.Key)
	}
	if len(counts) > 0 {
		t.Errorf("%s, %s: the states %v are missing", ran.Test.Name, got.Model, counts)
	}
}

func loaded(t *testing.T, name string) *models.Model {
	t.Helper()
	var e Engine
	m := e.loadModel(wire.ModelRef{Name: name})
	if m.err != nil {
		t.Fatal(m.err)
	}
	return m.Model
}

// TestForbiddenStates: a state that no model allows is listed, too, with counts of 0.
func TestForbiddenStates(t *testing.T) {
	var e Engine
	ran := ask[wire.Ran](t, &e,
		wire.Request{
			Verb:   "run",
			Test:   shipped(t, "mp-inter-cta"),
			Models: []wire.ModelRef{{Name: "sc"}, {Name: "rmo"}},
		})
	for _, s := range ran.States {
		if s.Key == "1:r1=1; 1:r2=0;" {
			if *s.Counts[0] != 0 || *s.Counts[1] == 0 || !s.Satisfies ||
				s.Values[1] != (wire.Value{Name: "1:r2", Value: "0"}) {
				t.Errorf("%+v", s)
			}
			return
		}
	}
	t.Errorf("the weak state is not there: %+v", ran.States)
}

// TestPlaces: places count in UTF-16, in the text that has the error.
func TestPlaces(t *testing.T) {
	var e Engine
	at := func(text, what string) int { return units(text[:strings.Index(text, what)]) }

	test := strings.Replace(shipped(t, "mp-inter-cta"), `"Message passing`, `"𝄞 é`, 1)
	test = strings.Replace(test, "ld.cg.s32 r2", "ld.xx.s32 r2", 1)
	ran := ask[wire.Ran](t, &e, wire.Request{Verb: "run", Test: test, Models: []wire.ModelRef{{Name: "sc"}}})
	if len(ran.Diagnostics) != 1 {
		t.Fatalf("%+v", ran.Diagnostics)
	}
	if d := ran.Diagnostics[0]; d.Of != "test" || d.From != at(test, ".xx") || d.To != d.From+3 || d.Line != 8 ||
		ran.Test != nil {
		t.Errorf("the error of the test is at %+v, want %d", d, at(test, ".xx"))
	}

	model := "(* é 𝄞 *) include \"fences.cat\"\nacyclic po | nothing as x"
	fences := "let wrong = missing"
	ref := wire.ModelRef{Name: "mine", Edits: map[string]string{"mine.cat": model, "fences.cat": fences}}
	row := strings.Replace(shipped(t, "mp-inter-cta"), " ;\n", " ;𝄞\n", 1)
	ran = ask[wire.Ran](t, &e, wire.Request{Verb: "run", Test: row})
	if d := ran.Diagnostics[0]; d.From != at(row, "𝄞") || d.To != d.From+2 {
		t.Errorf("the error of the row is at %+v, want %d", d, at(row, "𝄞"))
	}

	ran = ask[wire.Ran](t, &e,
		wire.Request{Verb: "run", Test: shipped(t, "mp-inter-cta"), Models: []wire.ModelRef{{Name: "sc"}, ref}})
	var files []string
	for _, d := range ran.Diagnostics {
		files = append(files, d.File)
		text, what := model, "nothing"
		if d.File == "fences.cat" {
			text, what = fences, "missing"
		}
		if d.Of != "model" || d.Model != 1 || d.From != at(text, what) {
			t.Errorf("%+v", d)
		}
	}
	if !slices.Equal(files, []string{"fences.cat", "mine.cat"}) || !ran.Answers[0].Usable || ran.Answers[1].Usable {
		t.Errorf("diagnostics in %v, answers %+v", files, ran.Answers)
	}
}

// TestNoFiles: no name of a model makes the engine access the disk.
func TestNoFiles(t *testing.T) {
	var e Engine
	for _, name := range []string{
		"run_test.cat", "../../models/sc", "../../models/sc.cat", "/etc/passwd", "nothing", "",
	} {
		ran := ask[wire.Ran](t, &e,
			wire.Request{Verb: "run", Test: shipped(t, "mp-inter-cta"), Models: []wire.ModelRef{{Name: name}}})
		if len(ran.Diagnostics) != 1 || ran.Answers[0].Usable {
			t.Errorf("%q: %+v", name, ran)
		}
	}
}

func TestModel(t *testing.T) {
	var e Engine
	got := ask[wire.ModelText](t, &e,
		wire.Request{
			Verb:  "model",
			Model: &wire.ModelRef{Name: "ptx", Edits: map[string]string{"since-6.0.cat": "let edited = po"}},
		})
	var names []string
	for _, f := range got.Files {
		names = append(names, f.Name)
		if f.Edited != (f.Name == "since-6.0.cat") {
			t.Errorf("%s: edited is %t", f.Name, f.Edited)
		}
	}
	if names[0] != "ptx.cat" || !slices.Contains(names, "ptx-patterns.cat") || got.Title == "" {
		t.Errorf("%v, %+v", names, got.Model)
	}
}

// TestExecutions: the number of listed executions is the number counted, and each of them can be
// drawn with every axiom that rejects it.
func TestExecutions(t *testing.T) {
	var e Engine
	for _, c := range []struct{ test, model string }{
		{"mp-inter-cta", "sc"},
		{"mp-inter-cta", "ptx-asplos15"},
		{"SB+fence.sc.gpus", "ptx"},
		{"RMWs+default-adds", "sc"},
		{"MP+bar.sync-hang-intra-cta", "ptx"},
	} {
		ref := &wire.ModelRef{Name: c.model}
		about := wire.Request{Test: shipped(t, c.test), Model: ref, Models: []wire.ModelRef{*ref}}
		about.Verb = "run"
		ran := ask[wire.Ran](t, &e, about)
		for _, s := range append(ran.States, wire.Row{}) {
			about.State, about.Verb = s.Key, "executions"
			found := ask[wire.Executions](t, &e, about)
			if s.Key != "" && found.Allowed != *s.Counts[0] {
				t.Errorf("%s, %s, %s: %d executions, %d counted", c.test, c.model, s.Key, found.Allowed, *s.Counts[0])
			}
			for i, x := range found.Executions {
				if x.Index != i || x.Allowed != (i < found.Allowed) || x.Allowed != (len(x.Axioms) == 0) {
					t.Errorf("%s, %s, %s: %+v", c.test, c.model, s.Key, x)
				}
				for _, axiom := range append(x.Axioms, "") {
					drawn(t, &e, about, x, axiom)
				}
			}
		}
	}
}

// drawn checks the picture of an execution with the violation of an axiom.
func drawn(t *testing.T, e *Engine, about wire.Request, x wire.Listing, axiom string) {
	t.Helper()
	about.Verb, about.Drawing = "draw", wire.Drawing{Index: x.Index, Axiom: axiom, Prefix: "p-"}
	d := ask[wire.Drawn](t, e, about)
	var axioms []string
	for _, v := range d.Violations {
		axioms = append(axioms, v.Axiom)
		if v.Sentence == "" || v.Line == 0 || v.Text == "" {
			t.Errorf("%+v", v)
		}
	}
	if !slices.Equal(axioms, x.Axioms) && len(axioms)+len(x.Axioms) > 0 || !slices.Equal(d.States, x.States) {
		t.Errorf("listed with %v and %v, drawn with %v and %v", x.Axioms, x.States, axioms, d.States)
	}
	if axiom != "" && d.Axiom != axiom || x.Allowed == strings.Contains(d.Picture, `class="band"`) ||
		!strings.Contains(d.Picture, `id="p-event-`) {
		t.Errorf("%s of %+v: the picture highlights %q\n%s", axiom, x, d.Axiom, d.Picture)
	}
	wellFormed(t, d.Picture)
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
}

// TestShowHide adds relations to a picture and removes others.
func TestShowHide(t *testing.T) {
	var e Engine
	draw := func(format string, show, hide []string) wire.Drawn {
		r := wire.Request{
			Verb:  "draw",
			Test:  shipped(t, "MP+rel.gpu+acq.gpu"),
			Model: &wire.ModelRef{Name: "ptx"},
			State: "P1:r1=1; P1:r2=1;",
		}
		r.State = ask[wire.Ran](t, &e,
			wire.Request{Verb: "run", Test: r.Test, Models: []wire.ModelRef{*r.Model}}).States[3].Key
		r.Drawing = wire.Drawing{Show: show, Hide: hide, Format: format}
		return ask[wire.Drawn](t, &e, r)
	}
	relation := func(d wire.Drawn, name string) wire.Relation {
		for _, r := range d.Relations {
			if r.Name == name {
				return r
			}
		}
		t.Fatalf("no relation %s in %+v", name, d.Relations)
		return wire.Relation{}
	}
	d := draw("svg", []string{"cause", "scta", "unknown"}, []string{"po"})
	if r := relation(d, "cause"); !r.Drawn || r.File != "ptx.cat" || r.Definition != "cause = ppbc | obs; ppbc" {
		t.Errorf("%+v", r)
	}
	if r := relation(d, "po"); r.Drawn || r.Definition == "" || r.File != "" {
		t.Errorf("%+v", r)
	}
	if strings.Contains(d.Picture, `data-rel="po"`) || !strings.Contains(d.Picture, "cause") {
		t.Error(d.Picture)
	}
	if r := relation(draw("svg", nil, nil), "sw"); !r.Drawn || r.Kind != "sync" {
		t.Errorf("%+v: the model shows it", r)
	}
	if r := relation(draw("svg", nil, []string{"sw"}), "sw"); r.Drawn {
		t.Errorf("%+v: it was to be left out", r)
	}
	if d := draw("dot", nil, nil); !strings.HasPrefix(d.Picture, "digraph") {
		t.Error(d.Picture)
	}
	if d := draw("txt", nil, nil); !strings.Contains(d.Picture, "P0") {
		t.Error(d.Picture)
	}
}

// TestMeetingsCanBeHidden: the bands of barriers are hidden, and shown again, by the name of their
// relation.
func TestMeetingsCanBeHidden(t *testing.T) {
	var e Engine
	r := wire.Request{Verb: "draw", Test: shipped(t, "cl-barrier-two-turns"), Model: &wire.ModelRef{Name: "opencl"}}
	for _, hide := range [][]string{nil, {"syncbar"}} {
		r.Hide = hide
		d := ask[wire.Drawn](t, &e, r)
		i := slices.IndexFunc(d.Relations, func(x wire.Relation) bool { return x.Name == "syncbar" })
		shown := hide == nil
		if i < 0 || d.Relations[i].Drawn != shown || strings.Contains(d.Picture, `<g class="meeting"`) != shown {
			t.Errorf("hiding %v: %+v\n%s", hide, d.Relations, d.Picture)
		}
	}
}

// TestAllCanBeShown adds each relation that a picture offers, and hides each that it has.
func TestAllCanBeShown(t *testing.T) {
	var e Engine
	for i, info := range models.List() {
		if i%sample.Of(1, 4) != 0 {
			continue
		}
		r := wire.Request{Verb: "draw", Test: shipped(t, "SB+fence.sc.gpus"), Model: &wire.ModelRef{Name: info.Name}}
		for _, offered := range ask[wire.Drawn](t, &e, r).Relations {
			r.Show, r.Hide = []string{offered.Name}, nil
			if offered.Drawn {
				r.Show, r.Hide = r.Hide, r.Show
			}
			d := ask[wire.Drawn](t, &e, r)
			if offered.Drawn && strings.Contains(d.Picture, `data-rel="`+offered.Name+`"`) {
				t.Errorf("%s: %s is still drawn", info.Name, offered.Name)
			}
		}
	}
}

// TestTooManyLines: a relation between all pairs of many events is not drawn, which would take
// minutes.
func TestTooManyLines(t *testing.T) {
	var e Engine
	request, err := json.Marshal(
		wire.Request{
			Verb:    "draw",
			Test:    bigTest(),
			Model:   &wire.ModelRef{Name: "sc"},
			Timeout: 100,
			Drawing: wire.Drawing{Show: []string{"sys"}},
		})
	if err != nil {
		t.Fatal(err)
	}
	if answer := e.Answer(request); !strings.Contains(string(answer), "with sys, the picture would have ") {
		t.Errorf("%s", answer)
	}
}

// TestSentences: the sentences for executions with few events.
func TestSentences(t *testing.T) {
	var e Engine
	for _, c := range []struct{ test, want string }{
		{"Race+elements", "Allowed: nothing is read, and no write of a thread overwrites another."},
		{"MP+bar.sync-hang-intra-cta", "Allowed, and it never ends: P1 waits for ever at b1:bar.cta.sync 0."},
	} {
		d := ask[wire.Drawn](t, &e,
			wire.Request{Verb: "draw", Test: shipped(t, c.test), Model: &wire.ModelRef{Name: "ptx"}})
		if d.Sentence != c.want {
			t.Errorf("%s: %s", c.test, d.Sentence)
		}
	}
}

func TestPlace(t *testing.T) {
	var e Engine
	test := shipped(t, "mp-inter-cta")
	moved := ask[struct{ Text string }](t, &e,
		wire.Request{Verb: "place", Test: test, Places: []wire.Place{{}, {Warp: 1}}})
	ran := ask[wire.Ran](t, &e, wire.Request{Verb: "run", Test: moved.Text})
	if p := ran.Test.Places; p[0].CTA != p[1].CTA || p[0].Warp == p[1].Warp || len(ran.Test.Levels) != 5 {
		t.Errorf("%+v", ran.Test)
	}
}

// TestRunsC: tests in C are judged by the model of their header, and by models of PTX, too.
func TestRunsC(t *testing.T) {
	var e Engine
	for _, c := range []struct{ test, model, observation string }{
		{"c-mp+rel+acq", "rc11", "Never"},
		{"cl-sb+rel+acq", "opencl", "Sometimes"},
		{"cpp-lb-relaxed", "rc11-scoped", "Never"},
		{"cpp-lb-relaxed", "ptx", "Sometimes"},
		{"c-mp+rel+acq", "ptx", "Never"},
		{"cl-sb+rel+acq", "ptx", "Sometimes"},
	} {
		tests := []wire.Named{{Name: c.test, Text: shipped(t, c.test)}}
		got := ask[wire.Verdicts](t, &e,
			wire.Request{Verb: "verdicts", Tests: tests, Model: &wire.ModelRef{Name: c.model}}).Verdicts[0]
		if got.Error != "" || got.Observation != c.observation {
			t.Errorf("%s under %s: %+v, want %s", c.test, c.model, got, c.observation)
		}
		ran := ask[wire.Ran](t, &e,
			wire.Request{Verb: "run", Test: tests[0].Text, Models: []wire.ModelRef{{Name: c.model}}})
		if len(ran.Answers) != 1 || ran.Answers[0].Observation != c.observation {
			t.Errorf("%s under %s: %+v, want %s", c.test, c.model, ran.Answers, c.observation)
		}
	}
}

// TestVacuous: the page says the same as the verbs of the command about a forall over no final
// state.
func TestVacuous(t *testing.T) {
	var e Engine
	test := "PTX spins\n{ x=0; }\nP0 ;\nA: ;\nld.relaxed.gpu r0, x ;\nbeq r0, 0, A ;\nforall (0:r0=1)\n"
	a := ask[wire.Ran](t, &e, wire.Request{Verb: "run", Test: test, Models: []wire.ModelRef{{Name: "ptx"}}}).Answers[0]
	if !a.Vacuous || a.Verdict != "Undef" || a.Outcome != "undefined" || !slices.Equal(a.Flags, []string{"hang"}) {
		t.Errorf("%+v", a)
	}
	v := ask[wire.Verdicts](t, &e,
		wire.Request{Verb: "verdicts", Tests: []wire.Named{{Name: "spins", Text: test}}}).Verdicts[0]
	if v.Outcome != "undefined" {
		t.Errorf("%+v", v)
	}
}

func TestVerdicts(t *testing.T) {
	var e Engine
	tests := []wire.Named{
		{Name: "a", Text: shipped(t, "mp-inter-cta")},
		{Name: "b", Text: "nonsense"},
		{Name: "c", Text: shipped(t, "SB+fence.sc.gpus")},
	}
	got := ask[wire.Verdicts](t, &e, wire.Request{Verb: "verdicts", Tests: tests}).Verdicts
	if got[0].Model != "ptx-asplos15" || got[0].Outcome != "allowed" || got[1].Error == "" || got[2].Model != "ptx" ||
		got[2].Observation != "Never" {
		t.Errorf("%+v", got)
	}
	got = ask[wire.Verdicts](t, &e,
		wire.Request{Verb: "verdicts", Tests: tests[:1], Model: &wire.ModelRef{Name: "sc"}}).Verdicts
	if got[0].Outcome != "forbidden" {
		t.Errorf("%+v", got)
	}
}

// TestLimits: work that takes too long is cut short with a message, and what is known is shown.
func TestLimits(t *testing.T) {
	var e Engine
	test := bigTest()
	slow := wire.ModelRef{
		Name: "slow",
		Edits: map[string]string{
			"slow.cat": "\"slow\"\nacyclic rf | co | fr | po-loc as coherence\nlet classed = " +
				"classes(loc)\nflag ~empty classed as c",
		},
	}
	ran := ask[wire.Ran](t, &e, wire.Request{Verb: "run", Test: test, Models: []wire.ModelRef{slow}, Timeout: 30})
	if len(ran.Diagnostics) > 0 || ran.Answers[0].Incomplete == "" {
		t.Fatalf("%+v", ran)
	}
	for _, s := range ran.States {
		if c := s.Counts[0]; c != nil && *c == 0 {
			t.Errorf("%s is said to be forbidden, but the run was cut short", s.Key)
		}
	}
	r := wire.Request{Verb: "executions", Test: test, Model: &wire.ModelRef{Name: "coherence"}, Timeout: 30}
	found := ask[wire.Executions](t, &e, r)
	for found.Incomplete != "" && len(found.Executions) == 0 { // a machine may be slow
		r.Timeout *= 2
		found = ask[wire.Executions](t, &e, r)
	}
	if found.Incomplete == "" || len(found.Executions) > 2*mostListed {
		t.Errorf("%d of %d and %d, %q", len(found.Executions), found.Allowed, found.Forbidden, found.Incomplete)
	}
}

// TestSharedTime: models in one request share the time of one answer.
func TestSharedTime(t *testing.T) {
	var e Engine
	const timeout = 1000
	ran := ask[wire.Ran](t, &e,
		wire.Request{
			Verb:    "run",
			Test:    bigTest(),
			Models:  []wire.ModelRef{{Name: "sc"}, {Name: "tso"}},
			Timeout: timeout,
		})
	var given time.Duration
	for _, a := range ran.Answers {
		limit, err := time.ParseDuration(strings.TrimPrefix(a.Incomplete, "stopped after "))
		if err != nil {
			t.Fatalf("%+v: %v", a, err)
		}
		given += limit
	}
	if given > (timeout+20)*time.Millisecond { // shares are rounded
		t.Errorf("the models were given %v together", given)
	}
}

// TestMorePatience: a test that took too long to read is read again with more time.
func TestMorePatience(t *testing.T) {
	var e Engine
	test := manyPaths(13)
	r := wire.Request{Verb: "run", Test: test, Models: []wire.ModelRef{{Name: "sc"}}, Timeout: 1}
	if ran := ask[wire.Ran](t, &e, r); len(ran.Diagnostics) != 1 || ran.Diagnostics[0].Message != "stopped after 1ms" {
		t.Errorf("%+v", ran.Diagnostics)
	}
	r.Timeout = patient
	if ran := ask[wire.Ran](t, &e, r); len(ran.Diagnostics) != 0 || ran.Test == nil {
		t.Errorf("%+v", ran.Diagnostics)
	}
}

// manyStates has 6561 final states.
const manyStates = `GPU_PTX many
{ x=0; }
 T0              | T1              | T2              | T3              | T4              ;
 st.cg.s32 [x],1 | ld.cg.s32 r1,[x] | ld.cg.s32 r1,[x] | ld.cg.s32 r1,[x] | ld.cg.s32 r1,[x] ;
 st.cg.s32 [x],2 | ld.cg.s32 r2,[x] | ld.cg.s32 r2,[x] | ld.cg.s32 r2,[x] | ld.cg.s32 r2,[x] ;
ScopeTree (cta (warp T0) (warp T1) (warp T2) (warp T3) (warp T4))
locations [1:r1; 1:r2; 2:r1; 2:r2; 3:r1; 3:r2; 4:r1; 4:r2;]
exists (1:r1=2 /\ 1:r2=2 /\ 2:r1=2 /\ 2:r2=2 /\ 3:r1=2 /\ 3:r2=2 /\ 4:r1=2 /\ 4:r2=2)
`

// TestManyStates: of very many final states some are listed, among them those that the condition
// asks about; all are counted.
func TestManyStates(t *testing.T) {
	for _, c := range []struct {
		test           string
		states, having int // that rmo allows
		asked          bool
		differsFromSC  int
	}{
		{manyStates, 6561, 1, true, 6561 - 1296},
		{strings.Replace(manyStates, "exists (", "forall ~(", 1), 6561, 6560, false, 6561 - 1296},
	} {
		var e Engine
		ran := ask[wire.Ran](t, &e,
			wire.Request{Verb: "run", Test: c.test, Models: []wire.ModelRef{{Name: "sc"}, {Name: "rmo"}}})
		if len(ran.States) != mostStates || ran.All != 6561 || len(ran.Diagnostics) != 1 ||
			ran.Diagnostics[0].Severity != "warning" {
			t.Errorf("%d of %d states, %+v", len(ran.States), ran.All, ran.Diagnostics)
		}
		if a := ran.Answers[1]; a.States != c.states || a.Having != c.having || ran.Differing != c.differsFromSC {
			t.Errorf("the models differ on %d states, rmo says %+v", ran.Differing, a)
		}
		if !slices.ContainsFunc(ran.States, func(s wire.Row) bool { return s.Satisfies == c.asked }) {
			t.Errorf("what is asked about is not listed")
		}
	}
}

// TestNotFoundNotForbidden: an outcome that a later iteration of a loop, or an undefined program,
// may have is unknown; more iterations may decide it.
func TestNotFoundNotForbidden(t *testing.T) {
	const loop = `GPU_PTX loop
{ x=0; }
 T0             | T1          ;
 mov r1,0       | st.cg [x],1 ;
 L:             |             ;
 add r1,r1,1    |             ;
 ld.cg r0,[x]   |             ;
 setp.eq p,r0,0 |             ;
 @p bra L       |             ;
ScopeTree (cta (warp T0)) (cta (warp T1))
exists (0:r1=5)
`
	undefined := wire.ModelRef{
		Name: "mine",
		Edits: map[string]string{
			"mine.cat": "acyclic po | rf | co | fr as sc\nundefined_unless empty RMW as no-atomics",
		},
	}
	for _, c := range []struct {
		test    string
		model   wire.ModelRef
		unroll  int
		outcome string
	}{
		{loop, wire.ModelRef{Name: "sc"}, 0, "unknown"},
		{loop, wire.ModelRef{Name: "sc"}, 6, "allowed"},
		{shipped(t, "cas-sl"), undefined, 0, "undefined"},
		{shipped(t, "cas-sl"), wire.ModelRef{Name: "sc"}, 0, "forbidden"},
	} {
		var e Engine
		ran := ask[wire.Ran](t, &e,
			wire.Request{Verb: "run", Test: c.test, Models: []wire.ModelRef{c.model}, Unroll: c.unroll})
		if got := ran.Answers[0].Outcome; got != c.outcome {
			t.Errorf("%s, unrolled %d times: %s, want %s", c.model.Name, c.unroll, got, c.outcome)
		}
		for _, s := range ran.States {
			if isForbidden := s.Counts[0] != nil && *s.Counts[0] == 0; isForbidden &&
				(c.outcome == "unknown" || c.outcome == "undefined") {
				t.Errorf("%s: %s is called forbidden", c.model.Name, s.Key)
			}
		}
	}
}

// TestNoSuchModel: a page has no disk in which models could be looked up.
func TestNoSuchModel(t *testing.T) {
	for name, want := range map[string]string{
		"nosuch":   `there is no model "nosuch": choose `,
		"mine.cat": "mine.cat is a path, not the name of a model",
		"../mine":  "../mine is a path, not the name of a model",
	} {
		var e Engine
		ran := ask[wire.Ran](t, &e,
			wire.Request{Verb: "run", Test: shipped(t, "mp-inter-cta"), Models: []wire.ModelRef{{Name: name}}})
		if len(ran.Diagnostics) != 1 || !strings.HasPrefix(ran.Diagnostics[0].Message, want) || ran.Answers[0].Usable {
			t.Errorf("%s: %+v", name, ran)
		}
	}
}

// TestNoVariables: a condition without variables has one final state, without values.
func TestNoVariables(t *testing.T) {
	var e Engine
	request, err := json.Marshal(
		wire.Request{
			Verb:   "run",
			Test:   "PTX t\n{ x=0; }\n P0 ;\n st.weak x, 1 ;\nexists (true)\n",
			Models: []wire.ModelRef{{Name: "ptx"}},
		})
	if err != nil {
		t.Fatal(err)
	}
	if answer := e.Answer(request); !bytes.Contains(answer, []byte(`"values":[]`)) {
		t.Errorf("%s", answer)
	}
}

// TestWhyIncomplete: what cut an answer short, as one line.
func TestWhyIncomplete(t *testing.T) {
	var e Engine
	endless := wire.ModelRef{
		Name: "endless",
		Edits: map[string]string{"endless.cat": "flag ~empty classes(loc) as c\nlet f0 r = r; r | po\n" + doubled(20) +
			"empty f20(po) as x"},
	}
	loop := "GPU_PTX loop\n{ x=0; }\n T0 ;\n mov.s32 r1,0 ;\n L: ;\n ld.cg.s32 r0,[x] ;\n add.s32 r1,r1,1 ;\n " +
		"setp.eq.s32 p0,r0,0 ;\n" +
		" @p0 bra L ;\n ScopeTree (cta (warp T0))\nexists (0:r0=0)\n"
	for _, c := range []struct {
		test  string
		model wire.ModelRef
		want  string
	}{
		{shipped(t, "mp-inter-cta"), endless, "the model takes more than 2000000 steps on one candidate"},
		{loop, wire.ModelRef{Name: "sc"}, "a loop goes on after 2 iterations or more"},
	} {
		ran := ask[wire.Ran](t, &e, wire.Request{Verb: "run", Test: c.test, Models: []wire.ModelRef{c.model}})
		if got := ran.Answers[0].Incomplete; got != c.want {
			t.Errorf("%s: %q %+v", c.model.Name, got, ran)
		}
		found := ask[wire.Executions](t, &e, wire.Request{Verb: "executions", Test: c.test, Model: &c.model})
		if found.Incomplete != c.want {
			t.Errorf("%s: %q", c.model.Name, found.Incomplete)
		}
	}
}

// doubled returns functions that each apply the previous one twice.
func doubled(n int) (text string) {
	for i := range n {
		text += fmt.Sprintf("let f%d r = f%d(f%d(r))\n", i+1, i, i)
	}
	return text
}

// bigTest has far more candidate executions than can be visited.
func bigTest() string {
	const threads, rows = 6, 5
	cells := func(cell string) string { return strings.Repeat(cell+" | ", threads-1) + cell + " ;\n" }
	header := make([]string, threads)
	for i := range header {
		header[i] = "P" + string(rune('0'+i)) + "@cta 0,gpu 0"
	}
	text := "PTX big\n{ x=0; }\n" + strings.Join(header, " | ") + " ;\n"
	for range rows {
		text += cells("st.relaxed.gpu x, 1") + cells("ld.relaxed.gpu r1, x")
	}
	return text + "exists (P0:r1=7)\n"
}

// TestBadRequests: the answer to an invalid request is an object with an error.
func TestBadRequests(t *testing.T) {
	var e Engine
	for _, r := range []string{
		``, `{`, `[]`, `{}`, `{"verb":"fly"}`, `{"verb":"draw"}`,
		`{"verb":"executions","test":"x"}`, `{"verb":"model"}`,
		`{"verb":"place","test":"x"}`, `{"verb":"draw","test":"","model":{"name":"sc"},"index":-1}`,
	} {
		var answer struct{ Error string }
		if err := json.Unmarshal(e.Answer([]byte(r)), &answer); err != nil || answer.Error == "" {
			t.Errorf("%s: %+v, %v", r, answer, err)
		}
	}
}

// TestMeanings: the page can explain every name that tests define.
func TestMeanings(t *testing.T) {
	v := sim.Vocabulary()
	for _, name := range append(v.Sets(), v.Rels()...) {
		if v.Get(name).Meaning == "" {
			t.Errorf("%s has no meaning", name)
		}
	}
	var e Engine
	got := ask[wire.Languages](t, &e, wire.Request{Verb: "languages"})
	if !slices.Contains(got.Words.C, "atomic_work_item_fence") ||
		!slices.Contains(got.Words.C, "memory_order_acquire") || slices.Contains(got.Words.C, "ld") {
		t.Errorf("words of C: %s", got.Words.C)
	}
	if !slices.Contains(got.Words.PTX, "ld") || !slices.Contains(got.Words.Relations, "po") || len(got.Models) < 9 {
		t.Errorf("%+v", got.Words)
	}
}

// TestManyPaths: a program with too many control paths is cut short, too.
func TestManyPaths(t *testing.T) {
	var e Engine
	ran := ask[wire.Ran](t, &e, wire.Request{Verb: "run", Test: manyPaths(24), Models: []wire.ModelRef{{Name: "sc"}}})
	if len(ran.Diagnostics) != 1 || !strings.HasPrefix(ran.Diagnostics[0].Message, "thread T0 has more than ") {
		t.Errorf("%+v", ran)
	}
}

// manyPaths has many consecutive branches.
func manyPaths(branches int) string {
	test := "GPU_PTX paths\n{ x=0; }\n T0 ;\n"
	for i := range branches {
		test += fmt.Sprintf("ld.cg r1,[x] ;\nsetp.eq p0,r1,0 ;\n@p0 bra L%d ;\nmov r2,1 ;\nL%d: ;\n", i, i)
	}
	return test + "exists (0:r2=0)\n"
}
