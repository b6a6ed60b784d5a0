package sim_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// TestOwnCoherence compares every shipped model with the same model behind cos.cat, which
// chooses co in the model: they must give the same log of every test.
func TestOwnCoherence(t *testing.T) {
	for _, info := range models.List() {
		if !info.For("GPU_PTX") {
			continue
		}
		t.Run(info.Name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "own.cat")
			text := fmt.Sprintf("include \"cos.cat\"\ninclude \"%s.cat\"\n", info.Name)
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			given, own := loadModel(t, info.Name), loadModel(t, file)
			if given.Chooses("co") {
				t.Skip("the model has a coherence order of its own")
			}
			if !own.Chooses("co") {
				t.Fatal("cos.cat does not choose co")
			}
			for _, f := range corpus(t) {
				if !strings.HasPrefix(f.Name, "asplos15/") {
					continue // the order of writes has nothing to do with what else PTX has
				}
				test, err := sim.Load(f, sim.Defaults())
				if err != nil {
					t.Fatal(err)
				}
				want, got := untimed(run(t, test, given)), untimed(run(t, test, own))
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: (-given +own):\n%s", f.Name, diff)
				}
			}
		})
	}
}

// untimed is the record of a result without the time that it took.
func untimed(r *sim.Result) *litmus.Record {
	rec := r.Record()
	rec.Time = 0
	return rec
}
