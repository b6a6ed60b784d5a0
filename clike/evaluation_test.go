package clike_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestEvaluation runs programs that depend on the order in which C evaluates operands, with every
// engine. None is cut short.
func TestEvaluation(t *testing.T) {
	expectations(t, "testdata/evaluation.txtar")
	a, err := txtar.ParseFile("testdata/evaluation.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		test, err := sim.Load(src.NewFile(f.Name, string(f.Data)), sim.Defaults())
		if err != nil {
			t.Fatal(err)
		}
		for _, model := range []string{cmp.Or(meta(test, "Under"), test.Format.Model), "sc", "rc11", "c11-partial-sc"} {
			m := simtest.LoadModel(t, model)
			simtest.CompareEngines(t, string(f.Data), sim.Defaults(), model, m)
			simtest.CompareLearning(t, string(f.Data), sim.Defaults(), model, m)
			if r := simtest.Run(t, test, m); r.Limit != nil {
				t.Errorf("%s under %s: %v", f.Name, model, r.Limit)
			}
		}
	}
}

// called is a call of a random expression.
type called struct {
	text string // with %s for its argument, if it has one
	arg  *called
	name string // of the variable that a program of statements keeps its value in
}

// calls lists an operand and its arguments.
func (o *called) calls() []*called {
	if o.arg == nil {
		return []*called{o}
	}
	return append(o.arg.calls(), o)
}

// in returns the call with its argument as an expression, or as the variable that holds it.
func (o *called) in(expression bool) string {
	switch {
	case o.arg == nil:
		return o.text
	case expression:
		return fmt.Sprintf(o.text, o.arg.in(true))
	}
	return fmt.Sprintf(o.text, o.arg.name)
}

// drawOperands draws the operands of a sum.
func drawOperands(t *rapid.T) (all []*called) {
	texts := []string{
		"atomic_load_explicit(x, memory_order_acquire)", "atomic_load_explicit(y, memory_order_relaxed)", "atomic_load(y)",
		"atomic_fetch_add_explicit(x, 1, memory_order_acq_rel)", "atomic_exchange_explicit(y, 3, memory_order_release)",
	}
	n := 0
	draw := func(with string) *called {
		n++
		return &called{text: cmp.Or(with, rapid.SampledFrom(texts).Draw(t, "call")), name: fmt.Sprintf("v%d", n)}
	}
	for range rapid.IntRange(2, 3).Draw(t, "operands") {
		o := draw("")
		if n < 3 && rapid.Bool().Draw(t, "nested") {
			o.arg = draw("")
			o.text = "atomic_fetch_add_explicit(z, %s, memory_order_relaxed)"
		}
		all = append(all, o)
	}
	return all
}

// orders lists the orders of calls in which each comes behind its argument.
func orders(all []*called) (found [][]*called) {
	var extend func(so []*called)
	extend = func(so []*called) {
		if len(so) == len(all) {
			found = append(found, slices.Clone(so))
			return
		}
		for _, o := range all {
			if !slices.Contains(so, o) && (o.arg == nil || slices.Contains(so, o.arg)) {
				extend(append(so, o))
			}
		}
	}
	extend(nil)
	return found
}

// TestOrdersOfCalls compares an expression with the programs that make its calls one after the
// other, in every order.
func TestOrdersOfCalls(t *testing.T) {
	const around = `C orders
{ x=0; y=0; z=0; }
P0 (atomic_int* x, atomic_int* y, atomic_int* z) { %s }
P1 (atomic_int* x, atomic_int* y) { atomic_store_explicit(y, 1, memory_order_relaxed); atomic_store_explicit(x, 2, memory_order_release); }
locations [x; y; z; 0:t;]
exists (0:t=0)
`
	rapid.Check(t, func(rt *rapid.T) {
		operands := drawOperands(rt)
		var calls []*called
		var sum, later []string
		for i, o := range operands {
			calls = append(calls, o.calls()...)
			weight := fmt.Sprintf("%d * ", 1<<(4*i))
			sum, later = append(sum, weight+o.in(true)), append(later, weight+o.name)
		}
		of := func(model, body string) map[string]bool {
			test, err := sim.Load(src.NewFile("orders", fmt.Sprintf(around, body)), sim.Defaults())
			if err != nil {
				rt.Fatal(err)
			}
			all := map[string]bool{}
			for _, s := range simtest.Run(t, test, simtest.LoadModel(t, model)).States {
				all[s.State().Format(test.Observables())] = true
			}
			return all
		}
		model := rapid.SampledFrom([]string{"rc11", "sc", "c11-partial-sc"}).Draw(rt, "model")
		got, want := of(model, "int t = "+strings.Join(sum, " + ")+";"), map[string]bool{}
		for _, order := range orders(calls) {
			var body strings.Builder
			for _, o := range order {
				fmt.Fprintf(&body, "int %s = %s; ", o.name, o.in(false))
			}
			maps.Copy(want, of(model, body.String()+"int t = "+strings.Join(later, " + ")+";"))
		}
		if !maps.Equal(got, want) {
			rt.Fatalf("under %s, %s\nhas the states %v\nand in some order %v", model, strings.Join(sum, " + "), slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
	})
}

// TestLinearisation: a plain access beside a call has no order, as for herd and Dartagnan. With an
// order, an acquire load would let the plain one see the write that it needs for itself (Vafeiadis
// et al., "Common Compiler Optimisations are Invalid in the C11 Memory Model", POPL 2015, on
// expression linearisation).
func TestLinearisation(t *testing.T) {
	const c11 = `"C11 of 2011, as far as non-atomic reads go"
let sw = [REL]; rf; [ACQ]
let hb = (po | sw | IW * (M \ IW))+
irreflexive hb; (rf | co | fr)+ as coherence
let visible = (W * R) & loc & hb \ (hb & loc; [W]; hb & loc)
empty (rf; [R & NA]) \ visible as non-atomic-reads
`
	const around = `C linearisation
{ w=0; x=0; y=0; z=0; }
P0 (atomic_int* w, atomic_int* x, int* y) {
  %s
  if (t == 2) atomic_store_explicit(w, 1, memory_order_relaxed);
}
P1 (atomic_int* w, atomic_int* z) {
  if (atomic_load_explicit(w, memory_order_relaxed)) atomic_store_explicit(z, 1, memory_order_relaxed);
}
P2 (atomic_int* x, int* y, atomic_int* z) {
  if (atomic_load_explicit(z, memory_order_relaxed)) { *y = 1; atomic_store_explicit(x, 1, memory_order_release); }
}
exists (w=1)
`
	m, err := cat.Load(src.NewFile("c11.cat", c11), cat.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]sim.Outcome{
		"int t = atomic_load_explicit(x, memory_order_acquire) + *y;":        sim.Forbidden,
		"int t = *y + atomic_load_explicit(x, memory_order_acquire);":        sim.Forbidden,
		"int t = atomic_load_explicit(x, memory_order_acquire); t = t + *y;": sim.Allowed,
	} {
		if got := simtest.Run(t, simtest.Load(t, fmt.Sprintf(around, body), sim.Defaults()), m).Outcome(); got != want {
			t.Errorf("%s is %s, want %s", body, got, want)
		}
	}
}

// drawExpression draws an expression over x, y and the variable i, of calls and plain accesses.
func drawExpression(t *rapid.T, depth int) string {
	leaves := []string{"*x", "*y", "i", "i++", "++i", "(i = 2)", "(*x = 1)", "(*y)++", "atomicAdd(x, 1)", "atomicExch(y, 2)", "3"}
	inner := []string{
		"(%s + 2 * %s)", "(%s << %s)", "(%s, %s)", "(%s && %s)", "(%s ? %s : 1)", "atomicAdd(x, %s + %s)", "atomicCAS(y, %s, %s)", "(i += %s - %s)", "(*x += %s * %s)",
	}
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		return rapid.SampledFrom(leaves).Draw(t, "access")
	}
	return fmt.Sprintf(rapid.SampledFrom(inner).Draw(t, "operator"), drawExpression(t, depth-1), drawExpression(t, depth-1))
}

// TestEnginesOnExpressions compares the engines on random expressions.
func TestEnginesOnExpressions(t *testing.T) {
	const around = `%s expressions
{ x=0; y=0; }
P0%s (int* x, int* y) { int i = 1; int t = %s; }
P1%s (int* x, int* y) { atomicExch(y, 5); *x = 4; }
locations [x; y; 0:t; 0:i;]
exists (0:t=3)
`
	rapid.Check(t, func(rt *rapid.T) {
		places := []string{"", ""}
		header := rapid.SampledFrom([]string{"C", "CUDA"}).Draw(rt, "header")
		if header == "CUDA" {
			places = []string{"@cta 0,gpu 0", "@cta 1,gpu 0"}
		}
		text := fmt.Sprintf(around, header, places[0], drawExpression(rt, 2), places[1])
		if _, err := sim.Load(src.NewFile("expressions", text), sim.Defaults()); err != nil {
			rt.Fatal(err)
		}
		model := rapid.SampledFrom([]string{"rc11", "sc", "rc11-scoped"}).Draw(rt, "model")
		m := simtest.LoadModel(t, model)
		simtest.CompareEngines(t, text, simtest.AtRandom(), model, m)
		simtest.CompareLearning(t, text, simtest.AtRandom(), model, m)
	})
}

// evaluationTest is one of the programs of TestEvaluation.
func evaluationTest(t *testing.T, name string) *sim.Test {
	t.Helper()
	a, err := txtar.ParseFile("testdata/evaluation.txtar")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == name+".litmus" })
	return simtest.Load(t, string(a.Files[i].Data), sim.Defaults())
}

// TestOrderIsExplained: an explanation says which order an execution takes, and where accesses are
// unsequenced.
func TestOrderIsExplained(t *testing.T) {
	test := evaluationTest(t, "sum")
	x, err := test.Explain(t.Context(), simtest.LoadModel(t, "rc11"))
	if err != nil || len(x.Outcomes) != 1 {
		t.Fatalf("%v, error %v", x, err)
	}
	const want = "P0 evaluates atomic_load_explicit(y, memory_order_relaxed), then atomic_load_explicit(x, memory_order_acquire) (line 4)"
	if orders := test.Orders(x.Outcomes[0].Witness.Execution); len(orders) != 1 || orders[0].String() != want {
		t.Errorf("orders %v, want %s", orders, want)
	}
	test = evaluationTest(t, "read-and-write")
	if x, err = test.Explain(t.Context(), simtest.LoadModel(t, "sc")); err != nil || x.Race == nil {
		t.Fatalf("no undefined behaviour, error %v", err)
	}
	var places []string
	for _, e := range x.Race.Flags[0].Pairs[0] {
		at, _ := test.Source(&x.Race.Witness.Events[e])
		places = append(places, at.Text())
	}
	if slices.Sort(places); x.Race.Flags[0].Name != "unsequenced" || !slices.Equal(places, []string{"*x", "*x = 3"}) {
		t.Errorf("%s of %q", x.Race.Flags[0].Name, places)
	}
}

// TestOrderOfTranslations: a translation that has one of several orders says so, and what is
// undefined has no translation.
func TestOrderOfTranslations(t *testing.T) {
	for name, want := range map[string]bool{"sum-cuda": true, "shift-cuda": false, "sum-in-two-statements": false, "calls-on-one-object": true} {
		translated, err := evaluationTest(t, name).Translated("ptx", "")
		if err != nil {
			t.Fatal(err)
		}
		flags := simtest.Run(t, translated, simtest.LoadModel(t, "ptx")).Flags
		if slices.Contains(flags, sim.OneOrderFlag) != want || strings.Contains(translated.String(), "Order=") != want {
			t.Errorf("%s: flags %q\n%s", name, flags, translated)
		}
	}
	for _, name := range []string{"read-and-write", "assignment-c", "variables", "arguments-c"} {
		if _, err := evaluationTest(t, name).Translated("ptx", ""); err == nil || !strings.Contains(err.Error(), "nothing sequences this and ") {
			t.Errorf("%s is translated, error %v", name, err)
		}
	}
}

// TestManyOrders: too many orders are an error that says what helps.
func TestManyOrders(t *testing.T) {
	text := "C many\n{}\nP0 (atomic_int* x) { int t = atomic_load(x)" + strings.Repeat(" + atomic_load(x)", 8) + "; }\nexists (0:t=0)\n"
	if _, err := sim.Load(src.NewFile("many", text), sim.Defaults()); !sim.IsLimit(err) || !strings.HasSuffix(err.Error(), "fewer calls in one expression help, because C makes them in any order") {
		t.Errorf("error %v", err)
	}
}
