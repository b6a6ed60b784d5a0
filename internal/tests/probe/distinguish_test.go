package probe

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/sample"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/internal/language/shrink"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// strict is the paper's model without its relaxation of reads of one location.
const strict = "include \"asplos15-axioms.cat\"\nacyclic po-loc | com as sc-per-loc\n"

// telling returns a search between two models, given by shipped names or texts.
func telling(t *testing.T, size, marks int, names ...string) *Distinction {
	t.Helper()
	d, err := NewDistinction(nil, gen.Words{}, loadedModel(t, names[0]), loadedModel(t, names[1]), sim.Defaults(), 2)
	if err != nil {
		t.Fatal(err)
	}
	d.Marks, d.Cycles.Size.Max = marks, size
	return d
}

func modelOf(t *testing.T, name string) *cat.Model { return loadedModel(t, name).Model }

// loadedModel returns the model with its description, which a model from a text lacks.
func loadedModel(t *testing.T, name string) *models.Model {
	t.Helper()
	if strings.ContainsRune(name, '\n') {
		find := func(_ *src.File, file string) (*src.File, error) {
			return models.Open(strings.TrimSuffix(file, ".cat"))
		}
		m, err := cat.Load(src.NewFile("model.cat", name), cat.Config{Find: find})
		if err != nil {
			t.Fatal(err)
		}
		return &models.Model{Model: m}
	}
	m, err := models.Load(name, models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSmallest finds known differences between models from the literature.
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
			"", "CoRR+membar.cta.loc LB+membar.ctas LB+addr+membar.cta LB+data+membar.cta " +
				"LB+ctrl+membar.cta S+membar.ctas " +
				"MP+membar.ctas S+membar.cta+addr MP+membar.cta+addr S+membar.cta+ctrl MP+membar.cta+ctrl " +
				"R+membar.ctas SB+membar.ctas 2+2W+membar.ctas",
		}},
	} {
		t.Run(fmt.Sprintf("%.12s %.12s", tt.first, tt.second), func(t *testing.T) {
			if len(tt.want[0])+len(tt.want[1]) > 100 {
				sample.Long(t)
			}
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

// TestEachDifferenceIsFound tries all cycles of a small vocabulary with the slow engine. Cycles on
// which models differ shrink to what the search finds; what it finds differs and does not shrink
// further.
func TestEachDifferenceIsFound(t *testing.T) {
	for _, names := range [][]string{{"tso", "rmo"}, {"ptx-asplos15", "sc"}, {"ptx-asplos15", strict}} {
		d := telling(t, 4, 4, names...)
		d.Cycles = gen.Generator{ISA: gen.GPUPTX, Size: gen.Range{Max: 4}}
		if err := d.Cycles.Add(
			gen.Words{Edges: "Rfe Fre Coe Pod** PosRR Membar.* DpAddr", Accesses: "cg", Levels: "gpu"}); err != nil {
			t.Fatal(err)
		}
		found, err := d.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var known [2][]string
		for side, differences := range found.Allowed {
			for _, diff := range differences {
				known[side] = append(known[side], shrink.Likeness(diff.Test.Test))
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
			if side >= 0 && !slices.Contains(known[side], shrink.Likeness(minimal(t, d, test.Test).Test.Test)) {
				t.Errorf("%v differ on %s, which shrinks to none of what was found", names, test)
			}
		}
		if tried < 80 {
			t.Errorf("only %d tests tried", tried)
		}
	}
}

// allowedBy returns the model that alone allows a test, or -1.
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
	return onlyOneAllows(outcomes)
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

// TestVocabularies: models get the vocabulary that they mention.
func TestVocabularies(t *testing.T) {
	for _, tt := range []struct{ first, second, isa string }{
		{"sc", "tso", "gpu_ptx"},
		{"sc", "coherence", "gpu_ptx"},
		{"ptx", "ptx-6.0", "ptx"},
		{"ptx", "sc", "ptx"},
		{"ptx", "ptx-asplos15", "gpu_ptx"},
		{"ptx", "rc11", "ptx"},
		{"rc11", "c11-partial-sc", "c11"},
		{"opencl", "rc11-scoped", "opencl"},
		{"rc11", "rc11-scoped", "cuda"},
		{"rc11-scoped", "rc11-scoped", "cuda"},
		{"sc", "opencl", "opencl"},
		{"sc", "empty M \\ NA as atomic\n", "c11"},
		{"sc", "acyclic po & swg as of-groups\n", "opencl"},
		{"rc11", "acyclic po & membar.gl as fenced\n", "gpu_ptx"},
	} {
		if isa := telling(t, 1, 0, tt.first, tt.second).Cycles.ISA; isa.Name != tt.isa {
			t.Errorf("%s and %s get %s tests, want %s", tt.first, tt.second, isa.Name, tt.isa)
		}
	}
	words := gen.GPUPTX.WordsFor(modelOf(t, "sc").Mentions)
	want := gen.Words{Edges: "Rfe Fre Coe Rfi Fri Coi Pod** Pos**", Accesses: "cg atom.exch atom.add", Levels: "gpu"}
	for _, field := range [][2]string{
		{words.Edges, want.Edges}, {words.Accesses, want.Accesses}, {words.Levels, want.Levels},
	} {
		if got := strings.Join(strings.Fields(field[0]), " "); got != field[1] {
			t.Errorf("sc gets %q, want %q", got, field[1])
		}
	}
}

// TestAsynchronousWords: asynchronous operations tell apart two models that both mention them, but
// are not used if only one does.
func TestAsynchronousWords(t *testing.T) {
	for _, tt := range []struct {
		second string
		with   bool
	}{{"ptx", true}, {"ptx-7.5", false}} {
		d, err := NewDistinction(nil, gen.Words{}, loadedModel(t, "ptx"), loadedModel(t, tt.second), sim.Defaults(), 1)
		if err != nil {
			t.Fatal(err)
		}
		d.Cycles.Size.Max = 2
		asynchronous := 0
		for c := range d.Cycles.Cycles(t.Context()) {
			asynchronous += strings.Count(c.String(), "[bulk.load]")
		}
		if (asynchronous > 0) != tt.with {
			t.Errorf("ptx and %s are told apart by %d copies", tt.second, asynchronous)
		}
	}
}

// TestProgressCountsEveryCycle: the announced number of cycles is the number that is tried.
func TestProgressCountsEveryCycle(t *testing.T) {
	const size = 4
	marks := sample.Of(2, 1)
	d := telling(t, size, marks, "sc", "rmo")
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
	if n := d.countCycles(t.Context(), &atomic.Bool{}); found.cycles != int(n) || last.Size != size ||
		last.Marks != marks {
		t.Errorf("%d cycles were looked at, the last of them in %+v; counted before: %d", found.cycles, last, n)
	}
}

// TestEnoughIsKept: a search forgets cycles on which the models differ in the same way as on enough
// others; there are very many of large sizes.
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
