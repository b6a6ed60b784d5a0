package cat_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/vocab"
)

// stepsOf writes the steps of a violation like 0 –po→ 1 ←rf– 2, or its events.
func stepsOf(v cat.Violation) string {
	var b strings.Builder
	for i, s := range v.Steps {
		if i == 0 {
			fmt.Fprint(&b, s.From)
		}
		arrow := " –%s→ %d"
		if s.Inverse {
			arrow = " ←%s– %d"
		}
		fmt.Fprintf(&b, arrow, s.Label, s.To)
	}
	for _, e := range v.Events {
		fmt.Fprintf(&b, "{%d}", e)
	}
	return b.String()
}

// violation returns the only violation of a model on mp.
func violation(t *testing.T, model string) cat.Violation {
	t.Helper()
	vs, err := checked(t, model).Violations(mp, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(vs) != 1 {
		t.Fatalf("got %d violations, want 1, of:\n%s", len(vs), model)
	}
	return vs[0]
}

// mpCycle is the cycle that mp forbids.
const mpCycle = "0 –po→ 1 –rf→ 2 –po→ 3 –fr→ 0"

func TestExplainCycles(t *testing.T) {
	tests := []struct{ name, model, want string }{
		{"base relation", "acyclic ring", "0 –ring→ 1 –ring→ 2 –ring→ 3 –ring→ 0"},
		{"union", "acyclic po | rf | fr", mpCycle},
		{"names", "let com = rf | fr let hb = po | com acyclic hb", mpCycle},
		{"names that hide", "let po = po | rf let rf = fr acyclic po | rf", mpCycle},
		{"definitions side by side", "let a = po and b = rf acyclic a | b | fr", mpCycle},
		{"let in", "acyclic let a = po | rf in a | fr", mpCycle},
		{"function", "let f(a) = a | fr acyclic f(po | rf)", mpCycle},
		{"function of a function", "let f(a) = a | fr let g(b) = f(b | rf) acyclic g(po)", mpCycle},
		{"function of two", "let f(a, b) = a | b | fr acyclic f(po, rf)", mpCycle},
		{"one argument after the other", "let f = fun a -> fun b -> a | b | fr acyclic f po rf", mpCycle},
		{"two calls of a function", "let f(a) = a | rf acyclic f(po) | f(fr)", mpCycle},
		{"a function with its own names", "let a = po let f(b) = let a = b | rf in a acyclic f(a) | fr", mpCycle},
		{"tuple taken apart", "let (a, b) = (po, rf) acyclic a | b | fr", mpCycle},
		{"tuple handed on", "let f(a, b) = a | b | fr let p = (po, rf) acyclic f(p)", mpCycle},
		{"filters", "acyclic WW(po) | rf | RR(po) | fr", mpCycle},
		{"brackets take no step", "acyclic ([W]; po; [W]) | ([W]; rf; [R]) | po | fr", mpCycle},
		{"sequence", "acyclic (po; rf) | (po; fr)", mpCycle},
		{"one sequence", "acyclic po; rf; po; fr", mpCycle},
		{"closure", "acyclic (po | rf)+ | fr", mpCycle},
		{"or nothing", "acyclic (po; rf?) | fr", mpCycle},
		{"any number of times", "acyclic (po; rf*) | fr", mpCycle},
		{"twice inverse", "acyclic (po | rf | fr)^-1^-1", mpCycle},
		{"difference", `acyclic (po | rf | fr) \ id`, mpCycle},
		{"recursion", "let rec hb = po | rf | fr | (hb; hb) acyclic hb", mpCycle},
		{"recursion of two", "let rec a = po | (b; po) and b = rf | (a; rf) acyclic a | b | fr", mpCycle},
		{"inverse", "acyclic (po | rf | fr)^-1", "0 ←fr– 3 ←po– 2 ←rf– 1 ←po– 0"},
		{"inverse of a sequence", "acyclic (po; rf; po; fr)^-1", "0 ←fr– 3 ←po– 2 ←rf– 1 ←po– 0"},
		{"some inverse", "acyclic po | rf | addr | (p03^-1)", "0 –po→ 1 –rf→ 2 –po→ 3 ←p03– 0"},
		{"fences", "let mb = fencerel(F) acyclic mb | rf | addr | fr", "0 –fencerel(F)→ 1 –rf→ 2 –addr→ 3 –fr→ 0"},
		{
			"Fig. 15 and 16",
			`let dp = addr let rmo(fence) = dp | fence | rfe | co | fr
			 let cta-fence = membar.cta let rmo-cta = rmo(cta-fence) & cta acyclic rmo-cta as cta-constraint`,
			"0 –membar.cta→ 1 –rfe→ 2 –addr→ 3 –fr→ 0",
		},
		{"of two names for an edge the first", "acyclic rf | rfe | po | fr", mpCycle},
		{"loop", "acyclic po | p33", "3 –p33→ 3"},
		{
			"the fewest steps, not the fewest edges", "let long = p01; p12; p23; p30 acyclic long | p34 | p43",
			"3 –p34→ 4 –p43→ 3",
		},
		{"the fewest steps for each edge", "acyclic (p01; p12) | p02 | p20", "0 –p02→ 2 –p20→ 0"},
		{"in whatever order", "acyclic p02 | (p01; p12) | p20", "0 –p02→ 2 –p20→ 0"},
		{
			"the fewest steps of a sequence", "acyclic (p01 | p02); ((p13; p34; p40) | (p23; p30))",
			"0 –p02→ 2 –p23→ 3 –p30→ 0",
		},
		{
			"the fewest steps of a closure, over more events", "acyclic (p01; p13; p34; p40)+ | p41 | p12 | p24",
			"1 –p12→ 2 –p24→ 4 –p41→ 1",
		},
		{"a lighter way in a closure", "acyclic ((p01; p13; p34; p42) | p03 | p32)+; p20", "0 –p03→ 3 –p32→ 2 –p20→ 0"},
		{"the fewest steps of a closure", "acyclic ((p01; p13; p32) | p02 | p04 | p42)+; p20", "0 –p02→ 2 –p20→ 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkSteps(t, tt.model, tt.want, true)
		})
	}
}

// checkSteps demands an explanation, the same one in each run.
func checkSteps(t *testing.T, model, want string, cycle bool) {
	t.Helper()
	for range 3 {
		v := violation(t, model)
		if got := stepsOf(v); got != want || v.Cycle() != cycle {
			t.Fatalf("%s\ngot  %s (cycle: %v)\nwant %s", model, got, v.Cycle(), want)
		}
	}
}

// TestExplainOwnNames tests models that rebind the names of base relations.
func TestExplainOwnNames(t *testing.T) {
	const byP30 = "0 –po→ 1 –rf→ 2 –po→ 3 –p30→ 0"
	tests := []struct{ name, model, want string }{
		{"redefined", "let rfe = po acyclic rfe | rf | fr", mpCycle},
		{"redefined, with more in it", "let rfe = rf | po acyclic rfe | fr", "0 –po→ 1 –rfe→ 2 –po→ 3 –fr→ 0"},
		{"redefined by a part", `let rfe = p12 acyclic rfe | po | fr`, "0 –po→ 1 –rfe→ 2 –po→ 3 –fr→ 0"},
		{"redefined by recursion", "let rec co = po | (co; rf) acyclic co | fr", mpCycle},
		{"redefined in a tuple", "let (co, fr) = (po, p30) acyclic co | rf | fr", mpCycle},
		{"a parameter", "let f(co) = co | rf acyclic f(po) | fr", mpCycle},
		{"a parameter for what has the pair too", "let f(fr) = fr | rf acyclic f(p30) | po", byP30},
		{"parameters", "let f(co, fr) = co | fr acyclic f(po, p30) | rf", byP30},
		{"parameters that a tuple is handed to", "let p = (po, p30) let f(co, fr) = co | fr acyclic f(p) | rf", byP30},
		{"a parameter of a procedure", "procedure p(fr) = acyclic po | rf | fr end call p(p30)", byP30},
		{
			"what a forall binds", "forall co in { po } do acyclic co | rf | fr end",
			"0 –the model's co→ 1 –rf→ 2 –the model's co→ 3 –fr→ 0",
		},
		{"what a forall binds to a part of it", "forall fr in { p30 } do acyclic po | rf | fr end", mpCycle},
		{
			"a name of the forall alone", "forall x in { p30 } do acyclic po | rf | x end",
			"0 –po→ 1 –rf→ 2 –po→ 3 –x→ 0",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkSteps(t, tt.model, tt.want, true) })
	}
}

func TestExplainIrreflexive(t *testing.T) {
	tests := []struct{ name, model, want string }{
		{"sequence", "irreflexive po; rf; po; fr", mpCycle},
		{"closure", "irreflexive (po | rf | fr)+", mpCycle},
		{"brackets", "irreflexive fr; [W]; po; [W]; rf; [R]; addr", "3 –fr→ 0 –po→ 1 –rf→ 2 –addr→ 3"},
		{"inverse", "irreflexive rf^-1; po^-1; fr^-1; po^-1", "2 ←rf– 1 ←po– 0 ←fr– 3 ←po– 2"},
		{"base relation", "irreflexive ext | p22", "2 –p22→ 2"},
		{"the fewest steps", "irreflexive (p01; p10) | p33", "3 –p33→ 3"},
		{"not a longer cycle of several edges", "irreflexive p01 | p10 | (p23; p34; p42)", "2 –p23→ 3 –p34→ 4 –p42→ 2"},
		{"recursion", "let rec a = po | rf | fr | (a; a) irreflexive a", mpCycle},
		{"recursion from the left", "let rec a = po | (a; b) and b = rf | po | fr irreflexive a", mpCycle},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkSteps(t, tt.model, tt.want, true) })
	}
}

func TestExplainEmpty(t *testing.T) {
	tests := []struct{ name, model, want string }{
		{"base relation", "empty rf", "1 –rf→ 2"},
		{"sequence", "empty rf; addr; fr", "1 –rf→ 2 –addr→ 3 –fr→ 0"},
		{"the pair with the fewest steps", "empty (po; rf) | (fr; po) | addr", "2 –addr→ 3"},
		{"the way with the fewest steps", "empty (p01; p12; p23 | p04; p43) & _ * e3", "0 –p04→ 4 –p43→ 3"},
		{"atomicity", "let rmw = p23 empty rmw & (p20; p03) as atomicity", "2 –p20→ 0 –p03→ 3 ←p23– 2"},
		{"atomicity, turned round", "empty (p20; p03) & p23", "2 –p20→ 0 –p03→ 3 ←p23– 2"},
		{"atomicity by name", "let lost = p23 & (p20; p03) empty lost as atomicity", "2 –p20→ 0 –p03→ 3 ←p23– 2"},
		{"atomicity in brackets", "empty [R]; (p23 & (p20; p03)); [M]", "2 –p20→ 0 –p03→ 3 ←p23– 2"},
		{"atomicity of some", "empty int & (p23 & (p20; p03)) \\ addr^-1", "2 –p20→ 0 –p03→ 3 ←p23– 2"},
		{"atomicity of one or the other", "empty (p01 & p12) | (p23 & (p20; p03))", "2 –p20→ 0 –p03→ 3 ←p23– 2"},
		{"atomicity of one and the other", "empty (p23 & (p20; p03)) | p23", "2 –p23→ 3"},
		{"atomicity of the other and one", "empty p23 | (p23 & (p20; p03))", "2 –p23→ 3"},
		{"atomicity behind a step to itself", "empty p22; (p23 & (p20; p03))", "2 –p22→ 2 –p23→ 3"},
		{"atomicity before a step to itself", "empty (p23 & (p20; p03)); p33", "2 –p23→ 3 –p33→ 3"},
		{"atomicity behind a step beside an identity", "empty ([R] | p24); (p43 & p43)", "2 –p24→ 4 –p43→ 3"},
		{
			"atomicity before a step beside an identity", "empty (_ * e3) & ((p24 & p24); ([M] | p43))",
			"2 –p24→ 4 –p43→ 3",
		},
		{
			"atomicity behind the identity of others", "empty ([W] | p24); (p43 | (p23 & (p20; p03)))",
			"2 –p24→ 4 –p43→ 3",
		},
		{
			"atomicity behind a step or the identity of others",
			"empty (p24 | [W]); (p43 | (p23 & (p20; p03)))", "2 –p24→ 4 –p43→ 3",
		},
		{
			"atomicity before a step or the identity of others",
			"empty (p24 | (p23 & (p20; p03))); (p43 | [W])", "2 –p24→ 4 –p43→ 3",
		},
		{
			"atomicity by a function", "let between(a, r) = a & r empty between(p23, p20; p03)",
			"2 –p20→ 0 –p03→ 3 ←p23– 2",
		},
		{"restricted by one thread or another", "empty (po | po^-1 | ext) & rf", "1 –rf→ 2"},
		{"restricted by a function", "let near(r) = r & (int | ext) empty near(ext) & rf", "1 –rf→ 2"},

		{"restricted to the left", "empty rf & ext", "1 –rf→ 2"},
		{"restricted to the right", "empty ext & rf", "1 –rf→ 2"},
		{"restricted twice", "empty ext & loc & rf", "1 –rf→ 2"},
		{"restricted twice, in brackets", "empty (ext & loc) & rf", "1 –rf→ 2"},
		{"restricted by one or another", "empty (int | ext) & rf", "1 –rf→ 2"},
		{"restricted by a difference", `empty (cta \ int) & rf`, "1 –rf→ 2"},
		{"restricted by a difference from anything", `empty (ext \ addr) & rf`, "1 –rf→ 2"},
		{"restricted by a name", "let near = cta & loc empty near & rf", "1 –rf→ 2"},
		{"restricted by an inverse", "empty ext^-1 & rf", "1 –rf→ 2"},
		{"restricted by a complement", "empty ~int & rf", "1 –rf→ 2"},
		{"restricted by the complement of anything", "empty ~addr & rf", "1 –rf→ 2"},
		{"restricted by sets", "empty (W * R) & rf", "1 –rf→ 2"},
		{"restricted by everything", "empty _ & rf", "1 –rf→ 2"},
		{"a name that is not what it was", "let ext = rf empty ext & addr^-1^-1 | ext & rfe", "1 –rf→ 2 ←rfe– 1"},
		{"restricted in a function", "let at(s, x) = s & x empty at(cta, rf)", "1 –rf→ 2"},
		{"nothing but restrictions", "empty ext & loc", "0 –ext→ 3"},
		{"both sides tell something", "empty rf & r", "1 –rf→ 2 ←r– 1"},

		{"complement", "empty ~(~rf)", "1 –~~rf→ 2"},
		{"product", "empty W * R", "0 –W * R→ 2"},
		{"all", "empty _", "0 –_→ 0"},
		{"identity by name", "empty id & W * W", "0 –id→ 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			first, last := tt.want[:1], tt.want[len(tt.want)-1:]
			checkSteps(t, tt.model, tt.want, first == last)
		})
	}
}

// TestExplainWithoutSteps tests violations without steps: sets of events, and events that are
// related to themselves only by an identity.
func TestExplainWithoutSteps(t *testing.T) {
	tests := []struct{ model, want string }{
		{"empty A", "{0}{1}{2}"},
		{`let a = A \ W empty a`, "{2}"},
		{"empty [A]", "{0}{1}{2}"},
		{"empty [W] | po", "{0}{1}"},
		{"empty po | [F]", "{4}"},
		{"acyclic [A]", "{0}{1}{2}"},
		{"acyclic po?", "{0}{1}{2}{3}{4}"},
		{"irreflexive po | [F]", "{4}"},
		{"irreflexive (ring+ & e0 * e0) | [F]", "{4}"},
		{"~empty 0", ""},
		{"~empty none", ""},
		{"~acyclic po", ""},
		{"~irreflexive po", ""},
	}
	for _, tt := range tests {
		checkSteps(t, tt.model, tt.want, false)
	}
}

// TestViolations explains each check that fails, and no flags.
func TestViolations(t *testing.T) {
	const model = `
acyclic po | rf | fr as sc
flag ~empty rf as reads
flag empty rf as reads-nothing
acyclic po as fine
let po = po \ (W * W)
acyclic po | rf | fr as relaxed
empty rf`
	vs, err := checked(t, model).Violations(mp, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, v := range vs {
		got[v.Name] = stepsOf(v)
	}
	want := map[string]string{
		"sc":       mpCycle,
		"relaxed":  "0 –po→ 4 –po→ 1 –rf→ 2 –po→ 3 –fr→ 0",
		"empty rf": "1 –rf→ 2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFailures: Failures and Violations name a check after the calls around it, each time that it
// fails.
func TestFailures(t *testing.T) {
	const model = `
procedure coherent(order) =
  acyclic order | rf | fr as coherence
  empty none & W as fine
end
procedure both(order) = call coherent(order) as inner end
call coherent(po) as plain
call coherent(po) as strong
call both(po) as outer
call coherent(po)
call coherent(0) as nothing
forall r in { po, po | r } do acyclic r | rf | fr as each end`
	m := checked(t, model)
	failures, err := m.Failures(mp, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range failures {
		got = append(got, f.Name)
	}
	want := []string{"plain.coherence", "strong.coherence", "outer.inner.coherence", "coherence", "each", "each"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	vs, err := m.Violations(mp, nil)
	if err != nil ||
		!slices.EqualFunc(vs, failures, func(v cat.Violation, f cat.Failure) bool { return v.Failure == f }) {
		t.Errorf("%v are not the violations of %v (%v)", vs, failures, err)
	}
}

// ladder is a candidate with that number of events in one long order.
type ladder int

func (l ladder) N() int { return int(l) }

func (l ladder) Set(string) (rel.Set, bool) { return rel.Set{}, false }

func (l ladder) Vocab() *vocab.Vocabulary { return nil }

func (l ladder) Located(string) (rel.Set, bool) { return rel.Set{}, false }

func (l ladder) Rel(name string) (rel.Rel, bool) {
	up := func(a, b int) bool { return a < b }
	down := func(a, b int) bool { return a == l.N()-1 && b == 0 }
	return rel.Where(l.N(), map[string]func(a, b int) bool{"up": up, "down": down}[name]), true
}

// TestExplainAtLength: an edge of a relation with very many paths is left undecomposed, rather than
// decomposed for minutes.
func TestExplainAtLength(t *testing.T) {
	composed := "acyclic " + strings.Repeat("up; ", 30) + "down"
	for events, want := range map[ladder]bool{31: false, 200: true} {
		vs, err := load(t, composed).Violations(events, nil)
		if err != nil || len(vs) != 1 {
			t.Fatalf("%d violations, %v", len(vs), err)
		}
		isWhole := func(s cat.Step) bool { return s.Label != "up" && s.Label != "down" }
		if got := slices.ContainsFunc(vs[0].Steps, isWhole); got != want {
			t.Errorf("%d events: %s", events, stepsOf(vs[0]))
		}
	}
}

func TestViolationsOfAllowed(t *testing.T) {
	vs, err := checked(t, "acyclic po flag ~empty po as f").Violations(mp, nil)
	if err != nil || vs != nil {
		t.Errorf("got %v, error %v", vs, err)
	}
}

// TestFlags: flags report the pairs of a relation, whichever way round, and the events of a set; a
// flag that an empty set raises reports none.
func TestFlags(t *testing.T) {
	raised, err := checked(t,
		"let ends = (po | po^-1) & (W * W) flag ~empty ends as pair flag ~empty R as set flag empty co as none "+
			"undefined_unless empty rf as ub flag ~acyclic po | rf | fr as cycle flag empty po as no empty po as "+
			"axiom flag ~empty p20 | p31 | p13 as back").Flags(mp, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range raised {
		got = append(got, fmt.Sprintf("%s %v %v", r.Name, r.Pairs, r.Events))
	}
	want := []string{
		"pair [[0 1]] []", "set [] [2 3]", "none [] []", "ub [[1 2]] []", "cycle [] []",
		"back [[1 3] [0 2]] []",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := load(t, "flag ~acyclic A as a").Flags(mp, nil); err == nil {
		t.Error("an unknown name is no error")
	}
}

func TestViolationsError(t *testing.T) {
	if _, err := load(t, "acyclic ring acyclic A").Violations(mp, nil); err == nil {
		t.Error("no error in a check behind one that fails")
	}
}
