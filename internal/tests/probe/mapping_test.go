package probe_test

import (
	"iter"
	"slices"
	"testing"

	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/internal/language/translate"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/tests/probe"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// mapping returns a mapping from a source model to ptx.
func mapping(t *testing.T, source ...string) *probe.Mapping {
	t.Helper()
	all, err := models.LoadAll(append(source, "ptx"), models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return &probe.Mapping{Source: all[0], Target: all[1], Editions: translate.Editions()}
}

// ask returns the answers of a mapping about a generated test.
func ask(t *testing.T, m *probe.Mapping, test *gen.Test) *probe.Mapped {
	t.Helper()
	c := sim.Defaults()
	c.Want = sim.States
	loaded, err := sim.Load(src.NewFile(test.Name.Text, test.String()), c)
	if err != nil {
		t.Fatal(err)
	}
	all, err := m.Ask(t.Context(), loaded)
	if err != nil {
		t.Fatalf("%s: %v", test, err)
	}
	return all
}

// unsound lists the editions that are unsound on a test.
func unsound(m *probe.Mapping, all *probe.Mapped) (names []string) {
	for i, e := range m.Editions {
		if all.Unsound(i) {
			names = append(names, e)
		}
	}
	return names
}

// TestWitnesses: the smallest tests whose translations do what rc11-scoped forbids. RC11 itself
// forbids load buffering without dependencies, so that no value comes out of thin air; the variant
// load-buffering forbids it only along dependencies. A seq_cst load, as the Hopper guide maps it,
// does not acquire.
func TestWitnesses(t *testing.T) {
	for _, c := range []struct {
		cycle, source string
		want          []string
	}{
		{"PodRW Rfe PodRW Rfe", "rc11-scoped", []string{"current", "12.8", "hopper"}},
		{"PodRW Rfe PodRW Rfe", "rc11-scoped:load-buffering", nil},
		{"DpDatadW Rfe DpAddrdW Rfe", "rc11-scoped", nil},
		{"DpDatadW Rfe DpAddrdW Rfe", "rc11-scoped:load-buffering", nil},
		{"PodWW [release.device] Rfe [seq_cst.device] PodRR Fre", "rc11-scoped", []string{"hopper"}},
		{"PodWW [seq_cst.device] Rfe [seq_cst.device] PodRR Fre", "rc11-scoped", []string{"hopper"}},
		{"PodWW [release.device] Rfe [acquire.device] PodRR Fre", "rc11-scoped", nil},
		{"[seq_cst.device] PodWR [seq_cst.device] Fre [seq_cst.device] PodWR [seq_cst.device] Fre", "rc11-scoped", nil},
		{"PodWW [release.block] Rfe [acquire.block] PodRR Fre", "rc11-scoped", nil}, // it races
	} {
		p, err := gen.Parse(src.NewFile("cycle", c.cycle), gen.CUDA)
		if err != nil {
			t.Fatal(err)
		}
		err = p.Cycles(t.Context(), nil, nil, func(cycle *gen.Cycle) bool {
			test, err := cycle.Test()
			if err != nil {
				t.Fatal(err)
			}
			m := mapping(t, c.source)
			if got := unsound(m, ask(t, m, test)); !slices.Equal(got, c.want) {
				t.Errorf("%s under %s: %v, not %v", c.cycle, c.source, got, c.want)
			}
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// mapped are vocabularies of tests in CUDA C++, with the numbers of tests that docs/cuda.md states.
var mapped = []struct {
	name, edges, accesses, levels string
	size, threads                 gen.Range
	tests                         int
}{
	{
		"two threads", "Fence.acq_rel.device Fence.seq_cst.device DpAddr DpData DpCtrl",
		"plain relaxed.device acquire.device release.device seq_cst.device", "gpu",
		gen.Range{Min: 4, Max: 4},
		gen.Range{Min: 2, Max: 2},
		6000,
	},
	{
		"scopes", "Fence.seq_cst.block Fence.seq_cst.device Fence.acq_rel.block",
		"relaxed.block seq_cst.block seq_cst.device release.block acquire.block", "cta gpu",
		gen.Range{Min: 4, Max: 4},
		gen.Range{Min: 2, Max: 2},
		5000,
	},
	{
		"atomics",
		"Fence.seq_cst.device Fence.acq_rel.device Rmw.relaxed.device.exch Rmw.seq_cst.device.add " +
			"Rmw.acq_rel.device.cas",
		"relaxed.device seq_cst.device", "gpu",
		gen.Range{Min: 4, Max: 5},
		gen.Range{Min: 2, Max: 3},
		3000,
	},
	{
		"more threads", "Fence.seq_cst.device Threadfence.device",
		"seq_cst.device release.device acquire.device relaxed.device", "gpu",
		gen.Range{Min: 5, Max: 6},
		gen.Range{Min: 3, Max: 4},
		5000,
	},
	{
		"barriers", "Syncthreads", "plain relaxed.block volatile", "cta",
		gen.Range{Min: 4, Max: 5},
		gen.Range{Min: 2, Max: 3},
		1000,
	},
}

// TestMappingIsSound: for race-free tests, translations by today's table and by that of CUDA 12.8
// allow no more than the source (Lustig, Sahasrabuddhe, Giroux, ASPLOS 2019). Those of the Hopper
// guide allow more where a seq_cst load reads a value that a release wrote.
func TestMappingIsSound(t *testing.T) {
	m := mapping(t, "rc11-scoped:load-buffering")
	found := map[string]int{}
	for _, v := range mapped {
		g := &gen.Generator{ISA: gen.CUDA, Size: v.size, Threads: v.threads, Events: 2}
		if err := g.Add(
			gen.Words{Edges: "Rfe Fre Coe Pod** " + v.edges, Accesses: v.accesses, Levels: v.levels}); err != nil {
			t.Fatal(err)
		}
		tests := gen.Distinct(g.Cycles(t.Context()), &gen.Counts{})
		if sample.All() {
			tests = gen.Sample(tests, sample.Rounds(v.tests, v.tests/4, 0), 1)
		} else {
			tests = some(tests, 30, 37)
		}
		asked := 0
		for test, err := range tests {
			if err != nil {
				t.Fatal(err)
			}
			asked++
			for _, e := range unsound(m, ask(t, m, test)) {
				found[e]++
				if e != "hopper" {
					t.Errorf("%s: %s does what rc11-scoped forbids\n%s", v.name, e, test)
				}
			}
		}
		if asked < 30 {
			t.Errorf("%s: only %d tests", v.name, asked)
		}
	}
	if found["hopper"] == 0 {
		t.Error("no seq_cst load of the Hopper guide lacks an acquire")
	}
}

// some yields n tests, one out of every in.
func some(tests iter.Seq2[*gen.Test, error], n, in int) iter.Seq2[*gen.Test, error] {
	return func(yield func(*gen.Test, error) bool) {
		i := 0
		for test, err := range tests {
			if i%in == 0 && !yield(test, err) {
				return
			}
			if i++; i == n*in {
				return
			}
		}
	}
}
