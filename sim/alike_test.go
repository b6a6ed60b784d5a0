package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// mostMapped bounds the locations of a test that are tried in each region.
const mostMapped = 2

// elsewhere returns the texts of a test with its threads in several placements, in every memory map
// of its first locations, starting with all of them shared.
func elsewhere(t *testing.T, test *litmus.Test) (texts []string) {
	t.Helper()
	for _, places := range [][]litmus.Place{test.Places(), apart(test, 1), apart(test, 2), test.Places()} {
		placed, err := frontends.Shipped().Parse(src.NewFile("placed.litmus", test.Moved(places)))
		if err != nil {
			t.Fatal(err)
		}
		n := min(mostMapped, len(test.Locations))
		for as := 1<<n - 1; as >= 0; as-- {
			moved := placed.Clone()
			for i := range n {
				l := *moved.Locations[i]
				l.Region = litmus.Region(as >> i & 1)
				moved.Locations[i] = &l
			}
			texts = append(texts, moved.String())
		}
	}
	return texts
}

// apart places threads in CTAs, together threads in each, and CTAs in pairs on a GPU.
func apart(test *litmus.Test, together int) (places []litmus.Place) {
	for i := range test.Threads {
		cta := i / together
		places = append(places, litmus.Place{cta / 2, cta / 2, cta, cta, i})
	}
	return places
}

// says returns the answer for a test as text: its record and the locations of the executions shown,
// or the error.
func says(t *testing.T, text string, m *cat.Model, c sim.Config) string {
	t.Helper()
	test, err := sim.Load(src.NewFile("mapped.litmus", text), c)
	if err != nil {
		return err.Error()
	}
	r, err := test.Run(t.Context(), m)
	if err != nil {
		return err.Error()
	}
	rec := r.Record()
	rec.Untimed = true
	var b strings.Builder
	if _, err := rec.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	for _, s := range r.States {
		w := s.Witness()
		fmt.Fprintln(&b, w.Rf, w.Co, w.Val)
		for _, l := range w.Locs {
			fmt.Fprint(&b, l.Name, " ", l.Region, " ", l.Home, " ")
		}
		for _, e := range w.Events {
			fmt.Fprint(&b, e.Kind, " ", e.Tags, " ")
		}
	}
	return b.String()
}

// everything returns a model that reports whether each set and relation is empty, including those
// that depend on regions if it sees regions.
func everything(seesRegions bool) string {
	var b strings.Builder
	fmt.Fprintln(&b, "acyclic po | rf | co | fr")
	for i, n := range sim.Vocabulary().Names() {
		if !n.Chosen && (seesRegions || !n.Regions) {
			fmt.Fprintf(&b, "flag ~empty %s as has-%d\n", n.Name, i)
		}
	}
	return b.String()
}

// seated is a test whose code reads the positions of its threads.
const seated = `GPU_PTX seated
{ x=0; }
 T0               | T1               ;
 mov.u32 r0,%tid.x | mov.u32 r0,%tid.x ;
 st.cg [x],r0      | st.cg [x],r0      ;
ScopeTree (cta (warp T0) (warp T1))
exists ([x]=1)
`

// TestAlike checks that the cache of similar tests does not change an answer, wherever threads and
// locations are, for models that see regions and for models that do not.
func TestAlike(t *testing.T) {
	asked := map[*cat.Model]sim.Want{
		simtest.LoadModel(t, "ptx-asplos15"): sim.Counts, simtest.LoadModel(t, "ptx"): sim.Verdict,
		simtest.NewModel(t, everything(false)): sim.States, simtest.NewModel(t, everything(true)): sim.States,
	}
	for i, f := range append(simtest.Corpus(t), src.NewFile("seated.litmus", seated)) {
		if i%sample.Of(4, 16) > 0 && f.Text != seated {
			continue
		}
		test, err := frontends.Shipped().Parse(f)
		if err != nil {
			t.Fatal(err)
		}
		if _, table := test.Layout.(litmus.Columns); !table {
			continue
		}
		for m, effort := range asked {
			c := sim.Defaults()
			c.Want = effort
			for _, text := range elsewhere(t, test) {
				fresh := sim.Defaults()
				fresh.Want = effort
				if with, without := says(t, text, m, c), says(t, text, m, fresh); with != without {
					t.Errorf("%s, %v:\n%s\nalone:\n%s\nof\n%s", f.Name, effort, with, without, text)
				}
			}
		}
	}
}
