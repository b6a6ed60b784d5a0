package fast_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// ownCoherence are the ways in which models written for herd choose the order of the writes of each
// location.
var ownCoherence = map[string]string{
	"cos": "include \"cos.cat\"\n",
	"generate_cos": `include "cross.cat"
with co from generate_cos(co0)
let coi = co & int and coe = co & ext and fr = rf^-1; co
let fri = fr & int and fre = fr & ext
`,
}

// TestOwnCoherenceModels compares every shipped model with the same model behind a choice of co:
// they must give the same log of every test, and without the slow engine.
func TestOwnCoherenceModels(t *testing.T) {
	for _, info := range models.List() {
		if !info.For("GPU_PTX") {
			continue
		}
		for way, text := range ownCoherence {
			t.Run(info.Name+"/"+way, func(t *testing.T) {
				t.Parallel()
				given := simtest.LoadModel(t, info.Name)
				if given.Chooses("co") {
					t.Skip("the model has a coherence order of its own")
				}
				own := behind(t, text, info.Name)
				if !own.Chooses("co") {
					t.Fatal("the model does not choose co")
				}
				if _, err := own.Compile(sim.Vocabulary()); err != nil {
					t.Fatalf("left to the slow engine: %v", err)
				}
				for _, f := range simtest.Corpus(t) {
					if !strings.HasPrefix(f.Name, "asplos15/") {
						continue // the order of writes has nothing to do with what else PTX has
					}
					test, err := sim.Load(f, sim.Defaults())
					if err != nil {
						t.Fatal(err)
					}
					want, got := untimed(simtest.Run(t, test, given)), untimed(simtest.Run(t, test, own))
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s: (-given +own):\n%s", f.Name, diff)
					}
				}
			})
		}
	}
}

// TestOwnCoherenceEngines compares what the engines say of models that choose co, on tests with
// several writes to a location.
func TestOwnCoherenceEngines(t *testing.T) {
	for way, text := range ownCoherence {
		t.Run(way, func(t *testing.T) {
			own, given := behind(t, text, "sc"), simtest.LoadModel(t, "sc")
			for _, f := range fewWrites(t) {
				for _, engine := range []sim.Engine{sim.Fast, sim.Learning, sim.Naive} {
					config := sim.Defaults()
					config.Engine, config.Want = engine, sim.States
					test := simtest.Load(t, f.Text, config)
					if want, got := simtest.States(simtest.Run(t, test, given)), simtest.States(simtest.Run(t, test, own)); got != want {
						t.Errorf("%s, engine %d: %s, want %s", f.Name, engine, got, want)
					}
				}
			}
		})
	}
}

// fewWrites are tests that the slow engine soon has done.
func fewWrites(t *testing.T) []*src.File {
	names := []string{"asplos15/coRR-inter-cta.litmus", "asplos15/mp-inter-cta.litmus", "asplos15/cas-sl.litmus"}
	all := slices.DeleteFunc(simtest.Corpus(t), func(f *src.File) bool { return !slices.Contains(names, f.Name) })
	twice := src.NewFile("twice.litmus", `GPU_PTX twice
{ x=0; y=0; }
 T0               | T1               ;
 st.cg.s32 [x],1  | st.cg.s32 [y],1  ;
 st.cg.s32 [y],2  | st.cg.s32 [x],2  ;
 ld.cg.s32 r0,[x] | ld.cg.s32 r0,[y] ;
ScopeTree (cta (warp T0)) (cta (warp T1))
exists (x=1 /\ y=1)`)
	if all = append(all, twice); len(all) != len(names)+1 {
		t.Fatalf("%d tests of %v", len(all)-1, names)
	}
	return all
}

// behind is a shipped model behind statements.
func behind(t *testing.T, text, model string) *cat.Model {
	t.Helper()
	file := filepath.Join(t.TempDir(), "own.cat")
	text += fmt.Sprintf("include \"%s.cat\"\n", model)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return simtest.LoadModel(t, file)
}

// untimed is the record of a result without the time that it took.
func untimed(r *sim.Result) *litmus.Record {
	rec := r.Record()
	rec.Time = 0
	return rec
}
