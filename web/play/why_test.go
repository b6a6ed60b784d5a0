package play

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/docs/lessons"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/wire"
)

// long is a timeout of answers in milliseconds: enumerating all candidates would take hours, and
// what is found by then suffices.
const long = 5_000

// TestEveryForbiddenHasItsReason opens shipped tests as the page does: where the model of a test
// forbids the outcome, an execution of the table's row, or the answer, says why, as package sim
// does. An edited copy of the model gives the same.
func TestEveryForbiddenHasItsReason(t *testing.T) {
	var e Engine
	edited := map[string]wire.ModelRef{}
	forbidden := 0
	for i, name := range corpus.Shipped().Names() {
		if i%sample.Of(1, 9) > 0 {
			continue
		}
		text := shipped(t, name)
		own := e.load(wireReading(text)).Format.Model
		if _, ok := edited[own]; !ok {
			edited[own] = edit(t, &e, own, "\n(* edited *)\n")
		}
		for _, ref := range []wire.ModelRef{{Name: own}, edited[own]} {
			if why(t, &e, text, ref) {
				forbidden++
			}
		}
	}
	if forbidden < 60 {
		t.Errorf("only %d answers were that the model forbids it", forbidden)
	}
}

func wireReading(text string) reading {
	r := request{Request: wire.Request{Test: text, Timeout: patient}}
	return r.reading()
}

// edit returns a shipped model with some text appended to its first file.
func edit(t *testing.T, e *Engine, name, more string) wire.ModelRef {
	t.Helper()
	file := ask[wire.ModelText](t, e, wire.Request{Verb: "model", Model: &wire.ModelRef{Name: name}}).Files[0]
	return wire.ModelRef{Name: name, Edits: map[string]string{file.Name: file.Text + more}}
}

// why asks for the reason of a forbidden outcome. It reports whether the model forbids it.
func why(t *testing.T, e *Engine, text string, ref wire.ModelRef) bool {
	t.Helper()
	about := wire.Request{Verb: "run", Test: text, Models: []wire.ModelRef{ref}, Model: &ref, Timeout: long}
	ran := ask[wire.Ran](t, e, about)
	answer := ran.Answers[0]
	if len(ran.Diagnostics) > 0 || !answer.Usable {
		t.Errorf("%s, %s: %+v", ran.Test.Name, ref.Name, ran.Diagnostics)
	}
	if answer.Outcome != sim.Forbidden.String() {
		return false
	}
	asked := slices.IndexFunc(ran.States, func(s wire.Row) bool { return s.Satisfies != (ran.Test.Kind == "Required") })
	x := explained(t, e, text, ref)
	if asked < 0 {
		if answer.Reason == "" || len(x.Outcomes) > 0 || !strings.HasPrefix(answer.Reason, x.Absence.String()) {
			t.Errorf("%s, %s: no state is as asked, because %q; sim says %q and explains %d", ran.Test.Name, ref.Name,
				answer.Reason, x.Absence, len(x.Outcomes))
		}
		return true
	}
	if x.Absence != sim.Present {
		t.Errorf("%s, %s: %s is listed, and sim says: %s", ran.Test.Name, ref.Name, ran.States[asked].Key, x.Absence)
	}
	about.Verb, about.State = "executions", ran.States[asked].Key
	found := ask[wire.Executions](t, e, about)
	if len(found.Executions) == 0 {
		t.Errorf("%s, %s: no execution of %s shows why it is forbidden: %q", ran.Test.Name, ref.Name,
			about.State, found.Reason)
		return true
	}
	about.Verb = "draw"
	d := ask[wire.Drawn](t, e, about)
	if d.Allowed || len(d.Violations) == 0 || d.Violations[0].Sentence == "" || d.Violations[0].Line == 0 ||
		d.Picture == "" {
		t.Errorf("%s, %s: %s is drawn with %+v", ran.Test.Name, ref.Name, about.State, d.Violations)
	}
	compareReasons(t, &ran, about.State, &d, x)
	return true
}

// explained returns the explanation of package sim for a test under a model of a request.
func explained(t *testing.T, e *Engine, text string, ref wire.ModelRef) *sim.Explanation {
	t.Helper()
	test, err := sim.Load(src.NewFile(testFile, text), sim.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	m := e.loadModel(ref)
	if m.err != nil {
		t.Fatal(m.err)
	}
	as, err := test.For(m.Target)
	if err != nil {
		t.Fatal(err)
	}
	x, err := as.Explain(t.Context(), m.Model.Model)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// compareReasons checks that an axiom that rejects the drawn execution is one of those with which
// package sim explains the state, if sim has looked at all candidates.
func compareReasons(t *testing.T, ran *wire.Ran, state string, d *wire.Drawn, x *sim.Explanation) {
	t.Helper()
	if x.Partial {
		return
	}
	axioms := map[string]bool{}
	for _, o := range x.Outcomes {
		if len(x.Refs) != len(ran.States[0].Values) || o.State.Format(x.Refs) != state {
			continue // a translation has other states
		}
		for _, r := range o.Reasons {
			axioms[r.Name] = true
		}
	}
	if len(axioms) > 0 && !slices.ContainsFunc(d.Violations, func(v wire.Violation) bool { return axioms[v.Axiom] }) {
		t.Errorf("%s: %s is forbidden by %+v, and sim names %v", ran.Test.Name, state, d.Violations,
			slices.Sorted(maps.Keys(axioms)))
	}
}

// TestModelThatOrdersTooLittle removes an axiom, so that the model allows tests to arrive at
// mbarriers that are not initialised. The tests keep their verdicts, and the warning is about the
// model.
func TestModelThatOrdersTooLittle(t *testing.T) {
	var e Engine
	file := ask[wire.ModelText](t, &e, wire.Request{Verb: "model", Model: &wire.ModelRef{Name: "ptx"}}).Files[0]
	less := strings.Replace(file.Text, "irreflexive fr; cause as causality-fr", "", 1)
	ref := wire.ModelRef{Name: "ptx", Edits: map[string]string{file.Name: less}}
	warned := 0
	for i, name := range corpus.Shipped().Names() {
		text := shipped(t, name)
		if i%sample.Of(1, 9) > 0 || !strings.HasPrefix(text, "PTX ") {
			continue
		}
		ran := ask[wire.Ran](t, &e, wire.Request{Verb: "run", Test: text, Models: []wire.ModelRef{ref}, Timeout: long})
		if !ran.Answers[0].Usable || ran.Answers[0].Outcome == "" {
			t.Errorf("%s: %+v", name, ran)
		}
		for _, d := range ran.Diagnostics {
			if d.Of != ofModel || d.File != file.Name || d.Severity != src.Warning.String() ||
				!strings.Contains(d.Message, name) {
				t.Errorf("%s: %+v", name, d)
			}
			warned++
		}
	}
	if warned < 5 {
		t.Errorf("only %d tests use what has no meaning", warned)
	}
}

// TestWrongUseIsOfTheTest: executions that are meaningless under the shipped model of a test are an
// error of the test, even if the model was edited.
func TestWrongUseIsOfTheTest(t *testing.T) {
	var e Engine
	text := strings.Replace(shipped(t, "mbarrier-arrive-count"), "mbarrier.init.shared::cta.b64 [full], 2 ",
		"st.shared.u32 [x], 5                    ", 1)
	for _, ref := range []wire.ModelRef{{Name: "ptx"}, edit(t, &e, "ptx", "\n(* edited *)\n")} {
		ran := ask[wire.Ran](t, &e, wire.Request{Verb: "run", Test: text, Models: []wire.ModelRef{ref}})
		if len(ran.Diagnostics) != 1 || ran.Answers[0].Usable {
			t.Fatalf("%s: %+v", ref.Name, ran)
		}
		if d := ran.Diagnostics[0]; d.Of != ofTest || d.Line != 9 ||
			!strings.Contains(d.Message, "this is no mbarrier") {
			t.Errorf("%s: %+v", ref.Name, d)
		}
	}
}

// TestLessonsClaimWhatThePageShows opens the tests of lessons under the models of their claims.
func TestLessonsClaimWhatThePageShows(t *testing.T) {
	var e Engine
	for _, l := range lessons.List() {
		for _, c := range l.Claims {
			i := slices.IndexFunc(l.Tests, func(t lessons.Test) bool { return t.Name == c.Test })
			text := ""
			if i >= 0 {
				text = l.Tests[i].File.Text
			} else {
				text = shipped(t, c.Test)
			}
			ran := ask[wire.Ran](t, &e,
				wire.Request{Verb: "run", Test: text, Models: []wire.ModelRef{{Name: c.Model}}, Timeout: long})
			answer := ran.Answers[0]
			shows := map[string]lessons.Verdict{
				"forbidden": lessons.Never,
				"undefined": lessons.Undefined,
			}[answer.Outcome]
			if shows == "" {
				shows = lessons.Verdict(answer.Observation)
			}
			if shows != c.Verdict {
				t.Errorf("%s claims that %s is %s under %s, and the page shows %s", l.Slug, c.Test,
					c.Verdict, c.Model, shows)
			}
		}
	}
}
