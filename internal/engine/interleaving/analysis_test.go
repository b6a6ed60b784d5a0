package interleaving

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/src"
)

// drawStructure draws a structure of two or three threads with few accesses of one location.
func drawStructure(t *rapid.T) *event.Structure {
	accesses := []string{
		"ld.relaxed.gpu.u32 r%d,[x]", "st.relaxed.gpu.u32 [x],%d", "atom.relaxed.gpu.add.u32 r%d,[x],1", "atom.acq_rel.gpu.exch.b32 r%d,[x],7", "st.weak.u32 [x],%d", "fence.sc.gpu // %d",
	}
	threads, left := rapid.IntRange(2, 3).Draw(t, "threads"), 6
	var head, rows []string
	for i := range threads {
		head = append(head, fmt.Sprintf("P%d@cta %d,gpu 0", i, rapid.IntRange(0, i).Draw(t, "cta")))
	}
	for row := range 2 {
		var cells []string
		for range threads {
			cell := ""
			if row == 0 || rapid.Bool().Draw(t, "more") {
				cell, _, _ = strings.Cut(fmt.Sprintf(rapid.SampledFrom(accesses).Draw(t, "access"), row), " //")
			}
			n := 1 + strings.Count(cell, "atom.")
			if left -= n; left < 0 {
				cell = ""
			}
			cells = append(cells, cell)
		}
		rows = append(rows, strings.Join(cells, " | "))
	}
	text := "PTX one\n{ x=0; }\n" + strings.Join(head, " | ") + " ;\n" + strings.Join(rows, " ;\n") + " ;\nexists (x=1)\n"
	test, err := frontends.Shipped().Parse(src.NewFile("one.litmus", text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	p, err := frontends.Shipped().Read(test, frontend.Options{Unroll: frontend.DefaultUnroll})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for s, err := range p.Structures(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	return nil
}

// drawRelation draws a relation as a model writes it, of names that are known everywhere and
// others.
func drawRelation(t *rapid.T, depth int, others ...string) string {
	names := strings.Fields("po rf co fr po rf co fr po-loc rmw loc ext int id [W] [R] [M] [F] [IW] [RMW] rfe coe fre co^-1")
	if depth == 0 {
		return rapid.SampledFrom(append(names, others...)).Draw(t, "name")
	}
	form := rapid.SampledFrom([]string{
		"%s | %s", "%s | %s", "%s & %s", `%s \ %s`, "%s ; %s", "%s ; %s", "%s ; %s", "%s+", "%s?", "%s^-1", "[W] ; %s", "%s ; [R]", "[range(%s)]", "[domain(%s)] ; %s", "%s & id", "%s & (W * R)",
	}).Draw(t, "form")
	var args []any
	for range strings.Count(form, "%s") {
		args = append(args, drawRelation(t, depth-1-rapid.IntRange(0, depth-1).Draw(t, "less"), others...))
	}
	return "(" + fmt.Sprintf(form, args...) + ")"
}

// drawModel draws a model: most have interleavings of one location, or more.
func drawModel(t *rapid.T) string {
	own := func(depth int) string { return drawRelation(t, depth, "r", "q") }
	lines := []string{"let r = " + drawRelation(t, 1)}
	if rapid.IntRange(0, 3).Draw(t, "recursive") == 0 {
		recursion := "let rec q = %s | (q ; %s)"
		if rapid.Bool().Draw(t, "mutual") {
			recursion = rapid.SampledFrom([]string{"let rec q = w ; %s and w = %s | q", "let rec q = %s | w and w = q ; %s", "let rec w = q ; %s and q = %s | w | w^-1"}).Draw(t, "names")
		}
		lines = append(lines, fmt.Sprintf(recursion, drawRelation(t, 1, "r"), drawRelation(t, 1, "r")))
	} else {
		lines = append(lines, "let q = "+drawRelation(t, 2, "r"))
	}
	often := func(check string) {
		if rapid.IntRange(0, 9).Draw(t, "often") > 0 {
			lines = append(lines, check)
		}
	}
	often(rapid.SampledFrom([]string{"acyclic po-loc | rf | co | fr", "acyclic po-loc | rf | co | fr", "acyclic po-loc | rf | co | fr", "acyclic po | rf | co | fr", "acyclic (po & loc) | rf | co | fr | r", "acyclic po-loc | rf | co | (rf^-1 ; co)", "acyclic po-loc | rfe | co | fr", "acyclic po-loc | rf | co", "acyclic po-loc | rf | fr", "acyclic rf | co | fr", "acyclic po-loc | co | fr"}).Draw(t, "coherent"))
	often(rapid.SampledFrom([]string{"empty rmw & (fre ; coe)", "empty rmw & (fr ; co)", "empty rmw & ((fr & ext) ; (co & ext))", "empty rmw & (fr ; r ; co)", "empty rmw & (fre ; co)"}).Draw(t, "atomic"))
	for range rapid.IntRange(0, 2).Draw(t, "checks") {
		check := rapid.SampledFrom([]string{
			"empty rmw & (%s ; %s)", "empty rmw & (q ; %s)", "acyclic %s", "irreflexive %s", "empty %s", "empty rmw & %s", "flag empty %s as f", `empty %s \ (po | rf | co | fr)`,
		}).Draw(t, "check")
		var args []any
		for range strings.Count(check, "%s") {
			args = append(args, own(2))
		}
		lines = append(lines, fmt.Sprintf(check, args...))
	}
	return strings.Join(lines, "\n") + "\n"
}

// candidates visits the executions of a structure of one location: all that reads can read from,
// and all orders of the writes.
func (sh *shape) candidates(visit func(rf []event.ID, co rel.Rel)) {
	writes := append([]event.ID{sh.init}, sh.writes...)
	var reads []event.ID
	for _, e := range sh.accesses {
		if sh.Events[e].Kind == event.Read {
			reads = append(reads, e)
		}
	}
	for _, order := range permutations(sh.writes) {
		co := rel.New(sh.N())
		for i, w := range order {
			co.Add(sh.init, w)
			for _, v := range order[:i] {
				co.Add(v, w)
			}
		}
		for choice := range power(len(writes), len(reads)) {
			rf := slices.Clone(sh.execution().Rf)
			for _, r := range reads {
				rf[r], choice = writes[choice%len(writes)], choice/len(writes)
			}
			visit(rf, co)
		}
	}
}

func power(n, by int) int {
	if by == 0 {
		return 1
	}
	return n * power(n, by-1)
}

func permutations(all []event.ID) [][]event.ID {
	if len(all) == 0 {
		return [][]event.ID{nil}
	}
	var found [][]event.ID
	for i, e := range all {
		rest := slices.Delete(slices.Clone(all), i, i+1)
		for _, p := range permutations(rest) {
			found = append(found, append([]event.ID{e}, p...))
		}
	}
	return found
}

// candidate is an execution with the values of a plan.
type candidate struct {
	*plan.Values
	rf, co, fr rel.Rel
	after      rel.Rel // what comes before what; nothing if it is no interleaving
	interleave bool
}

// of is a candidate of an analysis.
func (a *analysis) of(rf []event.ID, co rel.Rel) *candidate {
	x := a.execution()
	x.Rf, x.Co = rf, co
	c := &candidate{co: co, rf: rel.New(a.N)}
	for r, w := range rf {
		if w >= 0 {
			c.rf.Add(w, r)
		}
	}
	c.fr = c.rf.Inverse().Compose(co)
	c.after = a.first.Union(c.rf).Union(co).Union(c.fr).Plus()
	c.interleave = c.after.Irreflexive()
	for r, w := range a.Rmw.Pairs() {
		for _, v := range a.writes { // nothing is between the two accesses of an atomic
			c.interleave = c.interleave && (v == w || !c.fr.Has(r, v) || !co.Has(v, w))
		}
	}
	c.Values = a.Plan.Of(x, func(*plan.Values, int) rel.Rel { return co })
	return c
}

// TestAnalysis compares what is known of the values of a model with what they are in all candidate
// executions of a structure: that a value has a pair for sure, may have it in an interleaving, and
// which way it leads. Where consistent executions are said to be interleavings, they are; where all
// interleavings are said to be consistent, they are.
func TestAnalysis(t *testing.T) {
	chained, allowed := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		s := drawStructure(rt)
		for range 4 {
			isChained, allows := compareAnalysis(rt, s, drawModel(rt))
			if isChained {
				chained++
			}
			if isChained && allows {
				allowed++
			}
		}
	})
	if t.Logf("%d are interleavings, of which %d are consistent", chained, allowed); chained < 110 || allowed < 75 {
		t.Error("too few models have interleavings")
	}
}

// compareAnalysis compares what is known of a structure under a model with its candidates. It
// reports what was shown of them: that those which are consistent are interleavings, and that all
// interleavings are consistent.
func compareAnalysis(t *rapid.T, s *event.Structure, text string) (chained, allows bool) {
	m, err := cat.Load(src.NewFile("drawn.cat", text), cat.Config{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if _, err := m.Check(frontends.Shipped().Vocabulary()); err != nil {
		return false, false
	}
	p, err := m.Compile(frontends.Shipped().Vocabulary())
	if err != nil {
		return false, false
	}
	sh, ok := shapeOf(s)
	if !ok {
		return false, false
	}
	a := newAnalysis(engine.NewBudget(engine.Forever), p, sh)
	if a.beyond {
		return false, false
	}
	chained, allows = a.chained(), a.allows()
	raised, known := a.raised()
	sh.candidates(func(rf []event.ID, co rel.Rel) {
		c := a.of(rf, co)
		consistent := !slices.ContainsFunc(p.Checks, func(check plan.Check) bool { return !c.Passes(&check) })
		switch {
		case chained && consistent && !c.interleave:
			t.Fatalf("rf %v and co %v are consistent, and no interleaving\n%s", c.rf, co, text)
		case allows && c.interleave && !consistent:
			t.Fatalf("rf %v and co %v are an interleaving, and not consistent\n%s", c.rf, co, text)
		}
		for i := range p.Reports {
			if c.interleave && known && raised[i] != (c.Passes(&p.Reports[i]) != p.Reports[i].Undefined) {
				t.Fatalf("rf %v and co %v raise another report\n%s", c.rf, co, text)
			}
		}
		a.compare(t, c, text)
	})
	return chained, allows
}

// compare compares the values of a plan in an execution with what is known of them.
func (a *analysis) compare(t *rapid.T, c *candidate, text string) {
	between := rel.New(a.N)
	for r, w := range a.Rmw.Pairs() {
		for _, v := range a.writes {
			if a.Events[v].Thread != a.Events[w].Thread && c.fr.Has(r, v) && c.co.Has(v, w) {
				between.Add(r, w)
			}
		}
	}
	has := basics{c.rf, c.co, c.fr, between}
	for slot := range a.Plan.Slots() {
		v := a.known(plan.Slot(slot))
		if v.may.N() == 0 {
			continue // nothing is known of a step within a fixpoint that was not looked at
		}
		is, span := *c.Value(plan.Slot(slot)), a.Span(plan.Slot(slot))
		if !span.Lo.SubsetOf(is) || !is.SubsetOf(span.Hi) {
			t.Fatalf("value %d is %v, and not between %v and %v: rf %v, co %v\n%s", slot, is, span.Lo, span.Hi, c.rf, c.co, text)
		}
		for b := range numBasic {
			if forced := v.by[b].Inter(has[b]); !forced.SubsetOf(is) {
				t.Fatalf("value %d has not %v, of kind %d, but %v: rf %v, co %v\n%s", slot, forced, b, is, c.rf, c.co, text)
			}
		}
		if !c.interleave {
			continue
		}
		forward := is.Diff(v.loose).Diff(rel.Identity(rel.Universe(a.N)))
		switch {
		case !is.SubsetOf(v.may):
			t.Fatalf("value %d is %v, and may be no more than %v: rf %v, co %v\n%s", slot, is, v.may, c.rf, c.co, text)
		case !forward.Union(c.after).Acyclic():
			t.Fatalf("value %d is %v, which does not lead forward but for %v: rf %v, co %v\n%s", slot, is, v.loose, c.rf, c.co, text)
		}
	}
}

// TestBeyond: what is not known here is left to others: more than one location, names of one, and
// vectors; models that choose more than coherence, or a coherence of their own.
func TestBeyond(t *testing.T) {
	const sc = "acyclic po | rf | co | fr\nempty rmw & (fre ; coe)\n"
	const own = "let fr = rf^-1 ; co\nacyclic po | rf | co | fr\nempty rmw & ((fr & ext) ; (co & ext))\n"
	const adds = "P0@cta 0 | P1@cta 1 ;\natom.add.u32 r0,[x],1 | atom.add.u32 r0,[x],1 ;\nld.relaxed.gpu.u32 r1,[x] | st.relaxed.gpu.u32 [x],5 ;\n"
	for _, c := range []struct {
		name, init, program, model string
		known                      bool
	}{
		{"two threads that add", "x=0;", adds, sc, true},
		{"a location beside it, which nobody uses", "x=0; y=0;", adds, sc, true},
		{"another location", "x=0; y=0;", strings.Replace(adds, "r1,[x]", "r1,[y]", 1), sc, false},
		{"two names", "x=0; y=x;", adds, sc, true},
		{"two names in use", "x=0; y=x;", strings.Replace(adds, "r1,[x]", "r1,[y]", 1), sc, false},
		{"a vector", "x[2]={0,0};", "P0@cta 0 | P1@cta 1 ;\nst.v2.u32 [x],{1,1} | ld.u32 r0,[x] ;\n", sc, false},
		{"no check of atomics", "x=0;", adds, "acyclic po | rf | co | fr\n", false},
		{"no check of cycles", "x=0;", adds, "empty rmw & (fre ; coe)\n", false},
		{"another choice", "x=0;", adds, sc + "with o from linearisations(W, po & (W * W))\nirreflexive o ; po ; rf\n", false},
		{"a coherence that is partial", "x=0;", adds, "with co from partial-orders(loc & (W * W), co0)\n" + sc, false},
		{"a coherence of the writes of each thread", "x=0;", adds, "with co from completions(loc & int & (W * W), co0)\n" + own, false},
		{"a coherence of the writes of different threads", "x=0;", adds, "with co from completions(loc & ext & (W * W), co0)\n" + own, false},
		{"a coherence of writes in program order and of different threads", "x=0;", adds, "with co from completions(loc & (po | ext) & (W * W), co0)\n" + own, true},
		{"the same against program order", "x=0;", adds, "with co from completions(loc & (po^-1 | ext) & (W * W), co0)\n" + own, true},
		{"a coherence that contains program order", "x=0;", adds, "with co from completions(loc & ext & (W * W), co0 | (po & loc & (W * W)))\n" + own, true},
		{"no read is looked at", "x=0;", adds, "acyclic po | co\nempty rmw & (fre ; coe)\n", false},
		{"initial writes in any place", "x=0;", adds, "with co from completions(loc & (W * W), 0)\n" + sc, false},
		{"initial writes in any place, by the names of the model", "x=0;", adds, "with co from completions(loc & (W * W), 0)\n" + own, false},
		{"its own coherence", "x=0;", adds, "with co from completions(loc & (W * W), co0)\n" + own, true},
		{"a coherence that is partial, by the names of the model", "x=0;", adds, "with co from partial-orders(loc & (W * W), co0)\n" + own, false},
	} {
		test, err := frontends.Shipped().Parse(src.NewFile("t.litmus", "PTX t\n{ "+c.init+" }\n"+c.program+"forall (true)\n"))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		p, err := frontends.Shipped().Read(test, frontend.Options{Unroll: frontend.DefaultUnroll})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		m, err := cat.Load(src.NewFile("t.cat", c.model), cat.Config{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		compiled, err := m.Compile(frontends.Shipped().Vocabulary())
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for s, err := range p.Structures(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			q := &Query{}
			if _, far, err := Explore(engine.NewBudget(engine.Forever), compiled, q, 0, s); far.Answered() != c.known || err != nil {
				t.Errorf("%s: %v, and known is %v", c.name, err, c.known)
			}
			break
		}
	}
}
