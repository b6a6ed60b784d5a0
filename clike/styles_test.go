package clike_test

import (
	"io/fs"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestStylesOfModelsInC reads models of C in the styles in which they are published: definitions by
// products or by composition, one event for a read-modify-write (herd) or two (Dartagnan), orders
// that the model chooses, locks, tags, procedures. Each says the same as one of ours of all tests
// that it is for.
func TestStylesOfModelsInC(t *testing.T) {
	for _, c := range []struct{ model, ours, folder string }{
		{"partial", "c11-partial-sc", "c"},
		{"total", "c11-partial-sc", "c"},
		{"own-co", "c11-partial-sc", "c"},
		{"one-event", "rc11", "c"},
		{"scopes", "opencl", "opencl"},
	} {
		t.Run(c.model, func(t *testing.T) {
			model, ours := simtest.LoadModel(t, "testdata/styles/"+c.model+".cat"), simtest.LoadModel(t, c.ours)
			paths, err := fs.Glob(litmustests.FS, c.folder+"/*.litmus")
			if err != nil || len(paths) == 0 {
				t.Fatalf("no tests (%v)", err)
			}
			for i, path := range paths {
				if i%4 != 0 && !sample.Nightly() {
					continue
				}
				text, err := fs.ReadFile(litmustests.FS, path)
				if err != nil {
					t.Fatal(err)
				}
				test, err := sim.Load(src.NewFile(path, string(text)), sim.Defaults())
				if err != nil {
					t.Fatal(err)
				}
				got, want := simtest.Run(t, test, model), simtest.Run(t, test, ours)
				if simtest.States(got) != simtest.States(want) || (len(got.Undefined) > 0) != (len(want.Undefined) > 0) {
					t.Errorf("%s: %s, undefined: %v; %s says %s, undefined: %v",
						path, simtest.States(got), got.Undefined, c.ours, simtest.States(want), want.Undefined)
				}
			}
		})
	}
}

// TestOneEventIsForC: what makes one event of a read-modify-write changes no test of PTX.
func TestOneEventIsForC(t *testing.T) {
	const text = `"ordered by releases"
acyclic po-loc | rf | co | fr as coherence
acyclic [REL]; po | po; [ACQ] | rf as order
`
	test := simtest.Load(t, "PTX adds\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n atom.relaxed.gpu.add r0, x, 1 | atom.relaxed.gpu.add r0, x, 1 ;\n"+
		"exists (P0:r0=0 /\\ P1:r0=0)\n", sim.Defaults())
	if r := simtest.Run(t, test, simtest.NewModel(t, text)); r.Positive == 0 {
		t.Error("a model without atomicity forbids that two additions read the same")
	}
}
