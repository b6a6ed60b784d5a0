package probe

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/internal/frontends"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// strict is the paper's model without its relaxation of reads of one location.
const strict = "include \"asplos15-axioms.cat\"\nacyclic po-loc | com as sc-per-loc\n"

// telling is a search between two models, by shipped name, or by text.
func telling(t *testing.T, size, marks int, names ...string) *Distinction {
	t.Helper()
	d := &Distinction{Marks: marks, Config: sim.Defaults(), Workers: 2}
	for i, name := range names {
		d.Models[i] = modelOf(t, name)
	}
	d.Cycles.ISA = ISAFor(d.Models[:]...)
	d.Cycles.Size.Max = size
	if err := d.Cycles.Add(WordsFor(d.Cycles.ISA, d.Models[:]...)); err != nil {
		t.Fatal(err)
	}
	return d
}

func modelOf(t *testing.T, name string) *cat.Model {
	t.Helper()
	if strings.ContainsRune(name, '\n') {
		find := func(_ *src.File, file string) (*src.File, error) {
			return models.Open(strings.TrimSuffix(file, ".cat"))
		}
		m, err := cat.Load(src.NewFile("model.cat", name), cat.Config{Find: find})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m, err := models.Load(name, models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return m.Model
}

// TestSmallest finds what the literature knows of the differences between models.
func TestSmallest(t *testing.T) {
	for _, tt := range []struct {
		first, second string
		size          int
		want          [2]string // the tests that only the first allows, and only the second
	}{
		{"sc", "tso", 4, [2]string{"", "R SB"}},
		{"tso", "sc", 4, [2]string{"R SB", ""}},
		{"sc", "sc", 4, [2]string{}},
		{"coherence", "sc", 4, [2]string{"CoWU+cg+exch LB S MP R SB 2+2W", ""}},
		{"tso", "rmo", 4, [2]string{"", "CoRR CoWU+cg+exch LB S MP 2+2W R+po+membar.cta"}},
		{"ptx-asplos15", strict, 3, [2]string{"CoRR", ""}},
		{"rmo", "ptx-asplos15", 4, [2]string{
			"", "CoRR+membar.cta.loc LB+membar.ctas LB+addr+membar.cta LB+data+membar.cta LB+ctrl+membar.cta S+membar.ctas " +
				"MP+membar.ctas S+membar.cta+addr MP+membar.cta+addr S+membar.cta+ctrl MP+membar.cta+ctrl " +
				"R+membar.ctas SB+membar.ctas 2+2W+membar.ctas",
		}},
	} {
		t.Run(fmt.Sprintf("%.12s %.12s", tt.first, tt.second), func(t *testing.T) {
			t.Parallel()
			found, err := telling(t, tt.size, 2, tt.first, tt.second).Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for side, want := range tt.want {
				var got []string
				for _, d := range found.Allowed[side] {
					if !strings.HasSuffix(d.Test.Name.Text, suffix) && !strings.HasPrefix(d.Test.Name.Text, "CoU+U") {
						got = append(got, d.Test.Name.Text)
					}
				}
				if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
					t.Errorf("allowed by model %d only:\n%s", side+1, diff)
				}
			}
		})
	}
}

// TestEachDifferenceIsFound tries all cycles of a small vocabulary under the slow engine. Those
// on which models differ shrink to what the search finds; what it finds differs and does not
// shrink.
func TestEachDifferenceIsFound(t *testing.T) {
	for _, names := range [][]string{{"tso", "rmo"}, {"ptx-asplos15", "sc"}, {"ptx-asplos15", strict}} {
		d := telling(t, 4, 4, names...)
		d.Cycles = gen.Generator{ISA: gen.GPUPTX, Size: gen.Range{Max: 4}}
		if err := d.Cycles.Add(gen.Words{Edges: "Rfe Fre Coe Pod** PosRR Membar.* DpAddr", Accesses: "cg", Levels: "gpu"}); err != nil {
			t.Fatal(err)
		}
		found, err := d.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var known [2][]string
		for side, differences := range found.Allowed {
			for _, diff := range differences {
				known[side] = append(known[side], likeness(diff.Test.Test))
				if now := allowedBy(t, d.Models, diff.Test.Test); now != side {
					t.Errorf("%s is allowed by model %d alone, not %d", diff.Test, now, side)
				}
				if again := minimal(t, d, diff.Test.Test); again.Steps != nil {
					t.Errorf("%s shrinks: %v", diff.Test, again.Steps)
				}
			}
		}
		tried := 0
		for test, err := range gen.Distinct(d.Cycles.Cycles(t.Context()), &gen.Counts{}) {
			if err != nil {
				t.Fatal(err)
			}
			tried++
			side := allowedBy(t, d.Models, test.Test)
			if side >= 0 && !slices.Contains(known[side], likeness(minimal(t, d, test.Test).Test.Test)) {
				t.Errorf("%v differ on %s, which shrinks to none of what was found", names, test)
			}
		}
		if tried < 80 {
			t.Errorf("only %d tests tried", tried)
		}
	}
}

// allowedBy is the model that alone allows a test, or -1.
func allowedBy(t *testing.T, all [2]*cat.Model, test *litmus.Test) int {
	t.Helper()
	config := sim.Defaults()
	config.Engine = sim.Naive
	loaded, err := sim.Load(test.File, config)
	if err != nil {
		t.Fatal(err)
	}
	var outcomes [2]sim.Outcome
	for i, m := range all {
		r, err := loaded.Run(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		outcomes[i] = r.Outcome()
	}
	return slices.Index(onlyOneAllows, outcomes)
}

func minimal(t *testing.T, d *Distinction, test *litmus.Test) *Minimized {
	t.Helper()
	loaded, err := sim.Load(test.File, d.Config)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := Keep(t.Context(), loaded, d.Config, false, d.Models[:]...)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Minimize(t.Context(), test, d.Config, kept.By)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestVocabularies checks that each vocabulary can be read, and that models get the one that
// they speak of.
func TestVocabularies(t *testing.T) {
	for isa, needs := range vocabularies {
		for _, n := range needs {
			if err := (&gen.Generator{ISA: isa}).Add(n.words); err != nil {
				t.Errorf("%s: %v", isa.Name, err)
			}
		}
	}
	for _, tt := range []struct{ first, second, isa string }{
		{"sc", "tso", "gpu_ptx"},
		{"sc", "coherence", "gpu_ptx"},
		{"ptx", "ptx-6.0", "ptx"},
		{"ptx", "sc", "ptx"},
		{"ptx", "ptx-asplos15", "gpu_ptx"},
	} {
		if isa := ISAFor(modelOf(t, tt.first), modelOf(t, tt.second)); isa.Name != tt.isa {
			t.Errorf("%s and %s get %s tests, want %s", tt.first, tt.second, isa.Name, tt.isa)
		}
	}
	words := WordsFor(gen.GPUPTX, modelOf(t, "sc"))
	want := gen.Words{Edges: "Rfe Fre Coe Rfi Fri Coi Pod** Pos**", Accesses: "cg atom.exch atom.add", Levels: "gpu"}
	for _, field := range [][2]string{{words.Edges, want.Edges}, {words.Accesses, want.Accesses}, {words.Levels, want.Levels}} {
		if got := strings.Join(strings.Fields(field[0]), " "); got != field[1] {
			t.Errorf("sc gets %q, want %q", got, field[1])
		}
	}
}

// TestLikeness knows tests again under other names, and tells others apart.
func TestLikeness(t *testing.T) {
	const mp = `GPU_PTX MP
{ x=0; y=0; }
 T0              | T1               ;
 st.cg.s32 [x],1 | ld.cg.s32 r0,[y] ;
 st.cg.s32 [y],1 | ld.cg.s32 r1,[x] ;
ScopeTree (cta (warp T0)) (cta (warp T1))
exists (1:r0=1 /\ 1:r1=0)
`
	same := []string{
		`GPU_PTX renamed
{ a=0; b=0; }
 T0              | T1               ;
 ld.cg.s32 r7,[b] | st.cg.u32 [a],5 ;
 ld.cg.b32 r2,[a] | st.cg.s32 [b],3 ;
ScopeTree (cta (warp T0)) (cta (warp T1))
exists (0:r2=0 /\ 0:r7=3)
`,
	}
	others := []string{
		strings.Replace(mp, "1:r0=1", "1:r0=0", 1),
		strings.Replace(mp, "(warp T0)) (cta (warp T1))", "(warp T0) (warp T1))", 1),
		strings.Replace(mp, "exists", "~exists", 1),
		strings.Replace(mp, "st.cg.s32 [y],1", "st.wt.s32 [y],1", 1),
		strings.Replace(mp, "{ x=0;", "{ x=1;", 1),
		strings.Replace(mp, "exists", "x: shared, y: global\nexists", 1),
	}
	likenessOf := func(text string) string {
		test, err := frontends.Parse(src.NewFile("test", text))
		if err != nil {
			t.Fatal(err)
		}
		return likeness(test)
	}
	want := likenessOf(mp)
	for _, text := range same {
		if got := likenessOf(text); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
	for _, text := range others {
		if likenessOf(text) == want {
			t.Errorf("%s\nlooks like MP", text)
		}
	}
	seen := map[string]string{}
	for _, p := range gen.Presets {
		for test, err := range gen.Sample(gen.Distinct(p.Cycles(t.Context()), &gen.Counts{}), 2000, 1) {
			if err != nil {
				t.Fatal(err)
			}
			like := likeness(test.Test)
			if seen[like] != "" {
				t.Errorf("%s\nlooks like\n%s", test, seen[like])
			}
			seen[like] = test.String()
		}
	}
}

// TestProgressCountsEveryCycle checks that what the search is told to come is what comes.
func TestProgressCountsEveryCycle(t *testing.T) {
	d := telling(t, 4, 2, "sc", "rmo")
	var last Progress
	d.Progress = func(p Progress) {
		if p.Tried < last.Tried || p.Size < last.Size {
			t.Errorf("%+v comes after %+v", p, last)
		}
		last = p
	}
	found, err := d.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := d.countCycles(t.Context(), &atomic.Bool{}); found.cycles != int(n) || last.Size != 4 || last.Marks != 2 {
		t.Errorf("%d cycles were looked at, the last of them in %+v; counted before: %d", found.cycles, last, n)
	}
}

// TestEnoughIsKept checks that a search keeps nothing about cycles on which the models differ
// as they do on enough others: of large sizes these are very many.
func TestEnoughIsKept(t *testing.T) {
	d := telling(t, 4, 1, "sc", "rmo")
	d.Enough = 1
	found := &Distinguished{}
	g := d.Cycles
	differ, err := d.try(t.Context(), &g, found, func() {})
	if err != nil || len(differ[1]) == 0 {
		t.Fatalf("%d cycles differ, error %v", len(differ[1]), err)
	}
	found.Allowed[1] = []*Difference{{}}
	if differ, err = d.try(t.Context(), &g, found, func() {}); err != nil || len(differ[1]) > 0 {
		t.Errorf("%d cycles are kept, error %v", len(differ[1]), err)
	}
}
