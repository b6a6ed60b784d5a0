package sim_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine/symmetry"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/sim"
)

// drawTwins draws a program of two or three threads with the same code, or of two and another.
func drawTwins(t *rapid.T) (text string, threads int) {
	d := &drawer{T: t}
	code := d.twin()
	columns := [][]string{code, code}
	for range d.below(2, "more") {
		if d.oneIn(2, "other") {
			code = d.twin()
		}
		columns = append(columns, code)
	}
	var b strings.Builder
	b.WriteString("PTX twins\n{ x=0; y=0; ")
	for i := range columns {
		fmt.Fprintf(&b, "P%d:r0=0; P%[1]d:r1=0; P%[1]d:r2=0; ", i)
	}
	b.WriteString("}\n")
	for i := range columns {
		cta := pick(d, "cta", i, i, i, 0)
		fmt.Fprintf(&b, "%s P%d@cta %d,gpu 0 ", bar(i), i, cta)
	}
	for row := range slices.MaxFunc(columns, func(x, y []string) int { return len(x) - len(y) }) {
		b.WriteString(";\n")
		for i, column := range columns {
			cell := ""
			if row < len(column) {
				cell = column[row]
			}
			b.WriteString(bar(i) + " " + cell + " ")
		}
	}
	b.WriteString(";\n")
	return b.String(), len(columns)
}

// twin draws the code of a thread, which may leave out what comes last.
func (d *drawer) twin() (cells []string) {
	instructions := []string{
		"ld.relaxed.gpu.u32 r%d,[%s]", "ld.acquire.gpu.u32 r%d,[%s]", "ld.weak.u32 r%d,[%s]", "atom.relaxed.gpu.add.u32 r%d,[%s],1",
		"atom.acq_rel.gpu.exch.b32 r%d,[%s],2", "atom.relaxed.cta.add.u32 r%d,[%s],1", "atom.relaxed.gpu.cas.b32 r%d,[%s],0,1",
	}
	stores := []string{"st.relaxed.gpu.u32 [%s],1", "st.release.gpu.u32 [%s],r0", "st.weak.u32 [%s],2", "fence.sc.gpu"}
	for i := range 1 + d.below(3, "instructions") {
		location := pick(d, "location", "x", "x", "y")
		if i > 0 && d.oneIn(3, "store") {
			text, _, _ := strings.Cut(fmt.Sprintf(pick(d, "store", stores...), location), "%!")
			cells = append(cells, text)
		} else {
			cells = append(cells, fmt.Sprintf(pick(d, "instruction", instructions...), i, location))
		}
		if i == 0 {
			compare := "setp.eq.u32 p,r0," + pick(d, "if", "0", "1")
			switch branch := pick(d, "branch", "none", "out", "out", "back"); {
			case branch == "out":
				cells = append(cells, compare, "@p bra E")
			case branch == "back" && strings.HasPrefix(cells[0], "ld"):
				cells = append([]string{"L: " + cells[0]}, compare, "@p bra L")
			}
		}
	}
	return append(cells, "E:")
}

// someOf draws a condition of some of the values of a state, one of which may be another.
func (d *drawer) someOf(state string) string {
	var atoms []string
	for atom := range strings.SplitSeq(strings.TrimSuffix(state, ";"), "; ") {
		if d.oneIn(3, "asked") {
			atoms = append(atoms, atom)
		}
	}
	if len(atoms) == 0 {
		return "true"
	}
	if d.oneIn(4, "another") {
		i := d.below(len(atoms), "atom")
		name, _, _ := strings.Cut(atoms[i], "=")
		atoms[i] = fmt.Sprintf("%s=%d", name, d.below(3, "value"))
	}
	return strings.Join(atoms, pick(d, "connective", ` /\ `, ` /\ `, ` \/ `))
}

// TestTwins compares the learning engine, which changes places of threads where a verdict is all that is wanted, with the fast one.
func TestTwins(t *testing.T) {
	all := everyModel(t, "PTX")
	names := slices.Sorted(maps.Keys(all))
	if !sample.All() { // partial orders are most of the time
		names = slices.DeleteFunc(names, func(name string) bool { return strings.Contains(name, "partial") })
	}
	outcomes, changes := map[sim.Outcome]int{}, 0
	searching, asking := atRandom(), atRandom()
	searching.Want, searching.Limits.MaxCandidates = sim.States, 500
	asking.Engine, asking.Want = sim.Learning, sim.Verdict
	multiplyChecks(t, 2, 50)
	rapid.Check(t, func(rt *rapid.T) {
		d := &drawer{T: rt}
		text, threads := drawTwins(rt)
		name := rapid.SampledFrom(names).Draw(rt, "model")
		compareLearning(t, text+fmt.Sprintf("locations [x; y; %d:r0]\nexists (x=1)", d.below(threads, "observed")), atRandom(), name, all[name])
		text += "locations [x; y"
		for i := range threads {
			text += fmt.Sprintf("; %d:r0; %[1]d:r1; %[1]d:r2", i)
		}
		text += "]\n"
		found, err := load(t, text+"exists (true)", searching).Run(context.Background(), all[name])
		if err != nil || hitLimit(found) || len(found.States) == 0 {
			return
		}
		changes += changePlaces(rt, found.Test)
		for range sample.Of(4, 2) {
			state := found.States[d.below(len(found.States), "state")].State().Format(found.Test.Observables())
			asked := text + pick(d, "quantifier", "exists", "~exists", "forall") + " (" + d.someOf(state) + ")"
			want := run(t, load(t, asked, searching), all[name])
			got := run(t, load(t, asked, asking), all[name])
			if hitLimit(want) || hitLimit(got) {
				continue
			}
			if outcomes[got.Outcome()]++; got.Outcome() != want.Outcome() {
				rt.Fatalf("under %s: %v, want %v\n%s", name, got.Outcome(), want.Outcome(), asked)
			}
		}
	})
	t.Logf("%d changes of places, outcomes %v", changes, outcomes)
	if !t.Failed() && (changes == 0 || outcomes[sim.Allowed] == 0 || outcomes[sim.Forbidden] == 0) {
		t.Error("too little is compared")
	}
}

// TestChangePlaces: where threads of a shipped test may change places, models see no difference.
func TestChangePlaces(t *testing.T) {
	changes := 0
	for i, f := range corpus(t) {
		if i%sample.Of(1, 10) == 0 {
			changes += changePlaces(t, load(t, f.Text, sim.Defaults()))
		}
	}
	t.Logf("%d changes", changes)
	if changes == 0 {
		t.Error("no threads may change places")
	}
}

// changePlaces changes places of threads in some candidates of a test, and demands that each set and relation that models see
// is what it was, of the events that have changed places. It returns how often it did.
func changePlaces(t rapid.TB, test *sim.Test) (changes int) {
	const candidates = 4
	seen, options := 0, enumerate.Options{MaxCandidates: 200}
	for x, err := range enumerate.Executions(context.Background(), test.Program, options, &enumerate.Stats{}) {
		if seen++; err != nil || seen > candidates {
			return changes
		}
		if x.Wrong != nil || !symmetry.Apart(x.Structure) {
			continue
		}
		for v, class := range symmetry.Of(x.Structure, func(int, int) bool { return true }) {
			for u := range v {
				if class == u && symmetry.Same(x.Paths[u], x.Paths[v]) {
					changes++
					sameNames(t, test, x, u, v)
				}
			}
		}
	}
	return changes
}

// sameNames compares what models see of an execution, and of that in which threads u and v have changed places.
func sameNames(t rapid.TB, test *sim.Test, x *event.Execution, u, v int) {
	to := make([]event.ID, x.N())
	for e := range to {
		to[e] = e
	}
	for i := range x.Paths[u].Events {
		to[x.First[u]+i], to[x.First[v]+i] = x.First[v]+i, x.First[u]+i
	}
	moved := func(r rel.Rel) rel.Rel {
		m := rel.New(x.N())
		for a, b := range r.Pairs() {
			m.Add(to[a], to[b])
		}
		return m
	}
	y := *x
	y.Loc, y.Val, y.Rf, y.Via, y.Co = slices.Clone(x.Loc), slices.Clone(x.Val), slices.Clone(x.Rf), slices.Clone(x.Via), moved(x.Co)
	for e, f := range to {
		y.Loc[f], y.Val[f], y.Rf[f] = x.Loc[e], x.Val[e], x.Rf[e]
		if x.Rf[e] >= 0 {
			y.Rf[f] = to[x.Rf[e]]
		}
		if x.Via != nil {
			y.Via[f] = x.Via[e]
		}
	}
	for _, name := range x.Vocab().Sets() {
		before, _ := x.Set(name)
		after, _ := y.Set(name)
		if !moved(rel.Identity(before)).Equal(rel.Identity(after)) {
			t.Fatalf("%s: %s is %v and %v", test.Name.Text, name, before, after)
		}
	}
	for _, name := range x.Vocab().Rels() {
		before, ok := x.Rel(name)
		after, _ := y.Rel(name)
		if ok && !moved(before).Equal(after) {
			t.Fatalf("%s: %s is %v and %v", test.Name.Text, name, before, after)
		}
	}
}
