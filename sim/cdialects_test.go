package sim_test

import (
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestDialectsOfC reads and runs tests in the dialects of herd, Dartagnan, OpenCL C and CUDA C++: each is about a
// construct, and says what the model of its header makes of it.
func TestDialectsOfC(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/dialects.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		test, err := sim.Load(src.NewFile(f.Name, string(f.Data)), sim.Defaults())
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		i := slices.IndexFunc(test.Meta, func(m litmus.Meta) bool { return m.Key == "Expect" })
		if i < 0 {
			t.Errorf("%s does not say what to expect", f.Name)
			continue
		}
		r := run(t, test, loadModel(t, test.Format.Model))
		got := r.Record().Observation.String()
		if len(r.Undefined) > 0 {
			got = "Undef"
		}
		if want := test.Meta[i].Value; got != want {
			t.Errorf("%s: %s, want %s (limit %v, undefined %v, states %s)", f.Name, got, want, r.Limit, r.Undefined, states(r))
		}
	}
}
