package gen_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/src"
)

// FuzzParse generates tests from any text: each is a test, or an error says why it has no test.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"Rfe PodRR Fre PodWW", "Rfe@cta DpAddr Fre Membar.*", "[shared] PodWR Fre@cta [volatile] PodWR Fre",
		"Coe [atom.add] Fre",
		"Rmw.exch Rfe Rmw.cas Coi", "[", "]", "[]", "[[", "@", "Rfe@", "**", "Po*", "Dp*", "[red.add] Rfe PosRW Rfe",
	} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, text string, scoped bool) {
		if len(text) > 60 {
			return // wildcards stand for very many cycles
		}
		isa := gen.GPUPTX
		if scoped {
			isa = gen.PTX
		}
		p, err := gen.Parse(src.NewFile("cycle", text), isa)
		if err == nil {
			n := 0
			err = p.Cycles(t.Context(), nil, nil, func(c *gen.Cycle) bool {
				if _, err := c.Test(); err != nil {
					t.Errorf("%s: %v", c, err)
				}
				n++
				return n < 100
			})
		}
		var diags src.Diagnostics
		var unsuitable *gen.Unsuitable
		if err != nil && !errors.As(err, &diags) && !errors.As(err, &unsuitable) {
			t.Errorf("%q: %v", text, err)
		}
	})
}

// TestMarksOfLevels: what edges say of the levels that threads share must hold together, and must
// place all threads.
func TestMarksOfLevels(t *testing.T) {
	for cycle, want := range map[string]string{
		"Rfe@sys PodRR Fre PodWW":                    "",
		"Rfe@sys PodRR Fre@sys PodWR Fre PodWW":      "",
		"Rfe@sys PodRR Fre PodWR Fre PodWW":          "the edges without a level do not say which: mark them too",
		"Rfe@sys PodRR Fre@cta PodWW":                "cannot be on the level",
		"Rfe@sys PodRR Fre@cta PodWR Fre@cta PodWW":  "cannot be on the level",
		"Rfe@cta PodRR Fre@warp PodWR Fre@cta PodWW": "",
	} {
		p, err := gen.Parse(src.NewFile("cycle", cycle), gen.PTX)
		if err == nil {
			err = p.Cycles(t.Context(), nil, nil, func(c *gen.Cycle) bool {
				_, err := c.Test()
				return err == nil
			})
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", cycle, err, want)
		}
	}
}

// TestSample: the choice depends on the seed and on the tests, not on their order.
func TestSample(t *testing.T) {
	sample := func(edges string, n int, seed uint64) []string {
		var names []string
		for test, err := range gen.Sample(gen.Distinct(generator(t, gen.GPUPTX, edges, 4, 4).Cycles(t.Context()),
			&gen.Counts{}), n, seed) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, test.Name.Text)
		}
		return names
	}
	const edges, turned = "Rfe Fre Coe Pod** Membar.*d**", "Membar.*d** Pod** Coe Fre Rfe"
	one := sample(edges, 20, 1)
	if len(one) != 20 || !slices.Equal(one, sample(edges, 20, 1)) {
		t.Errorf("twice the same sample: %v", one)
	}
	if slices.Equal(one, sample(edges, 20, 2)) {
		t.Errorf("the same sample by two seeds: %v", one)
	}
	other := sample(turned, 20, 1)
	slices.Sort(one)
	slices.Sort(other)
	if !slices.Equal(one, other) {
		t.Errorf("another order of edges gives another sample:\n%v\n%v", one, other)
	}
	if all := sample("Rfe Fre Coe Pod**", 20, 1); strings.Join(all, " ") !=
		strings.Join(sample("Rfe Fre Coe Pod**", 1000, 9), " ") {
		t.Errorf("a sample of more than all: %v", all)
	}
}

// TestWeaker: each cycle has the expected weaker ones.
func TestWeaker(t *testing.T) {
	for cycle, want := range map[string]string{
		"Rfe PodRR Fre PodWW":    "",
		"Rfe DpAddrdR Fre PodWW": "PodWW Rfe PodRR Fre",
		"Rfe PodRR Fre Fence.acq_rel.clusterdWW": "Fence.acq_rel.ctadWW Rfe PodRR Fre; Fence.acquire.clusterdWW Rfe PodRR Fre; " +
			"Fence.acquire.ctadWW Rfe PodRR Fre; Fence.release.clusterdWW Rfe PodRR Fre; Fence.release.ctadWW Rfe " +
			"PodRR Fre; PodWW Rfe PodRR Fre",
		"Rfe [acquire.cluster] PodRR Fre PodWW": "PodWW Rfe PodRR Fre; PodWW Rfe [acquire.cta] PodRR Fre; " +
			"PodWW Rfe [relaxed.cluster] PodRR Fre; PodWW Rfe [relaxed.cta] PodRR Fre",
	} {
		var got []string
		for w := range tests(t, gen.PTX, cycle)[0].Cycle.Weaker() {
			got = append(got, w.String())
		}
		slices.Sort(got)
		if strings.Join(got, "; ") != want {
			t.Errorf("%s:\ngot  %s\nwant %s", cycle, strings.Join(got, "; "), want)
		}
	}
}

// BenchmarkPresets measures the time for a test, from the vocabulary to the text.
func BenchmarkPresets(b *testing.B) {
	for _, p := range gen.Presets {
		b.Run(p.Name, func(b *testing.B) {
			made := 0
			for b.Loop() {
				for range gen.Distinct(p.Cycles(b.Context()), &gen.Counts{}) {
					made++
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(made), "ns/test")
			b.ReportMetric(float64(made)/float64(b.N), "tests")
		})
	}
}
