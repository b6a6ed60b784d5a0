package probe

import (
	"testing"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestKeep: what Keep preserves of some tests.
func TestKeep(t *testing.T) {
	tests := []struct {
		file, models     string
		want             []sim.Outcome
		weak, impossible bool
	}{
		{"ptx/SB+rel-acq.gpus", "ptx", []sim.Outcome{sim.Allowed}, true, false},
		{"ptx/SB+fence.sc.gpus", "ptx", []sim.Outcome{sim.Forbidden}, false, false},
		{"ptx/SB+fence.sc.gpus", "ptx sc", []sim.Outcome{sim.Forbidden, sim.Forbidden}, false, false},
		{"ptx/SB+rel-acq.gpus", "ptx tso", []sim.Outcome{sim.Allowed, sim.Allowed}, true, false},
		{"ptx/SB+rel-acq.gpus", "ptx sc", []sim.Outcome{sim.Allowed, sim.Forbidden}, false, false},
		{"ptx/CoWW+weaks+final2", "ptx", []sim.Outcome{sim.Allowed}, false, false},  // sc allows it too
		{"ptx/CoWW+weaks+final0", "ptx", []sim.Outcome{sim.Forbidden}, false, true}, // initial writes come first
		{"ptx/MP+bar.sync.count-short-intra-cta", "ptx", []sim.Outcome{sim.Forbidden}, false, true},
		{"cuda/grid-barrier-relaxed", "ptx", []sim.Outcome{sim.Allowed}, true, false}, // sc has barriers
	}
	for _, test := range tests {
		kept, err := Keep(t.Context(), shippedFile(t, test.file), forStates(), false, shippedModels(t, test.models)...)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range kept.Outcomes {
			if o != test.want[i] {
				t.Errorf("%s under %s: %v, want %v", test.file, test.models, kept.Outcomes, test.want)
			}
		}
		if kept.Weak != test.weak || kept.Impossible != test.impossible {
			t.Errorf("%s under %s: weak %t, impossible %t", test.file, test.models, kept.Weak, kept.Impossible)
		}
	}
}

// TestBy: whether another test preserves the answers about a test.
func TestBy(t *testing.T) {
	const lb = "PTX LB\n{ x; y; }\n P0@cta 0 | P1@cta 1 ;\n ld r1, x | ld r1, y ;\n"
	const exists = "\nexists (0:r1=1 /\\ 1:r1=1)"
	tests := []struct {
		name, models, of, by string
		flags, want          bool
	}{
		{
			"another verdict", "ptx",
			lb + " st y, r1 | st x, r1 ;" + exists,
			lb + " st y, r1 | st x, 1 ;" + exists, false, false,
		},
		{
			"a weak outcome that is weak no more", "ptx",
			"PTX CoRR\n{x;}\n P0@cta 0 | P1@cta 1 ;\n st x, 1 | ld r1, x ;\n | ld r2, x ;\nexists (1:r1=1 /\\ 1:r2=0)",
			"PTX R\n{x;}\n P0@cta 0 | P1@cta 1 ;\n st x, 1 | ld r1, x ;\n | ld r2, x ;\nexists (1:r1=0 /\\ 1:r2=0)",
			false, false,
		},
		{
			"an outcome that nothing can have", "ptx",
			"PTX CoWR\n{x;}\n P0 ;\n st x, 1 ;\n ld r1, x ;\nexists (0:r1=0)",
			"PTX CoWR\n{x;}\n P0 ;\n st x, 1 ;\n ld r1, x ;\nexists (0:r1=2)", false, false,
		},
		{
			"forbidden because of coherence, where it was because of fences", "ptx",
			"PTX SB\n{x;y;}\n P0@cta 0 | P1@cta 1 ;\n st x, 1 | st y, 1 ;\n fence.sc.gpu | fence.sc.gpu ;\n ld r1, y " +
				"| ld r1, x ;\nexists (0:r1=0 /\\ 1:r1=0)",
			"PTX CoWR\n{x;}\n P0 ;\n st x, 1 ;\n ld r1, x ;\nexists (0:r1=0)", false, false,
		},
		{
			"forbidden because of coherence both times", "ptx",
			"PTX CoWR\n{x;y;}\n P0 ;\n st x, 1 ;\n ld r1, x ;\n ld r2, y ;\nexists (0:r1=0)",
			"PTX CoWR\n{x;}\n P0 ;\n st x, 1 ;\n ld r1, x ;\nexists (0:r1=0)", false, true,
		},
		{
			"a flag that need not stay", "ptx",
			"PTX race\n{x;}\n P0@cta 0 | P1@cta 1 ;\n st x, 1 | st x, 2 ;\nexists (x=1)",
			"PTX no race\n{x;}\n P0@cta 0 | P1@cta 1 ;\n st x, 1 | ;\nexists (x=1)", false, true,
		},
		{
			"a flag that must stay", "ptx",
			"PTX race\n{x;}\n P0@cta 0 | P1@cta 1 ;\n st x, 1 | st x, 2 ;\nexists (x=1)",
			"PTX no race\n{x;}\n P0@cta 0 | P1@cta 1 ;\n st x, 1 | ;\nexists (x=1)", true, false,
		},
		{
			"a test that begins to hang", "ptx",
			"PTX bar\n{x;}\n P0@cta 0 | P1@cta 0 ;\n bar.cta.sync 0, 0, 2 | bar.cta.sync 0, 0, 2 ;\n L: ld " +
				"r1, x | ;\nexists (0:r1=1)",
			"PTX bar\n{x;}\n P0@cta 0 | P1@cta 0 ;\n bar.cta.sync 0, 0, 2 | ;\n L: ld r1, x | ;\nexists (0:r1=1)",
			false, false,
		},
		{
			"a program that reads beside memory", "sc",
			"PTX a\n{a[2];}\n P0 ;\n ld r1, a ;\nexists (0:r1=1)",
			"PTX a\n{a[2];}\n P0 ;\n ld r2, a[1] ;\n add r2, r2, a ;\n add r2, r2, 8 ;\n ld r1, [r2] " +
				";\nexists (0:r1=1)", false, false,
		},
		{
			"a loop that goes on", "sc",
			"PTX loop\n{x;}\n P0 ;\n L: atom.add r1, x, 1 ;\nexists (0:r1=9)",
			"PTX loop\n{x;}\n P0 ;\n L: atom.add r1, x, 1 ;\n blt r1, 9, L ;\nexists (0:r1=9)", false, false,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			kept, err := Keep(t.Context(), loadText(t, test.of), forStates(), test.flags,
				shippedModels(t, test.models)...)
			if err != nil {
				t.Fatal(err)
			}
			if ok, err := kept.By(t.Context(), loadText(t, test.of)); !ok || err != nil {
				t.Errorf("the test does not stand for itself: %v", err)
			}
			if ok, err := kept.By(t.Context(), loadText(t, test.by)); ok != test.want || err != nil {
				t.Errorf("got %t, %v; want %t", ok, err, test.want)
			}
		})
	}
}

// TestUndefinedStays: a smaller test must be undefined if and only if the original is.
func TestUndefinedStays(t *testing.T) {
	m, err := cat.Load(src.NewFile("test.cat", "undefined_unless empty W & WEAK as plain-write"), cat.Config{})
	if err != nil {
		t.Fatal(err)
	}
	const defined, not = "PTX a\n{x;}\n P0 ;\n st.relaxed.gpu x, 1 ;\nexists (x=1)",
		"PTX a\n{x;}\n P0 ;\n st.weak x, 1 ;\nexists (x=1)"
	kept, err := Keep(t.Context(), loadText(t, defined), forStates(), false, m)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := kept.By(t.Context(), loadText(t, not)); ok || err != nil {
		t.Errorf("undefined behaviour stands for defined behaviour: %v", err)
	}
}

// TestKeepNothingUnknown: Keep refuses an answer that a limit cuts short.
func TestKeepNothingUnknown(t *testing.T) {
	c := forStates()
	c.Limits.MaxCandidates = 1
	text := src.NewFile("test.litmus",
		"PTX SB\n{}\n P0@cta 0 | P1@cta 1 ;\n st x, 1 | st y, 1 ;\n ld r1, y | ld r1, x ;\nexists (0:r1=7)")
	test, err := sim.Load(text, c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Keep(t.Context(), test, c, false, shippedModels(t, "ptx")...); !sim.IsLimit(err) {
		t.Errorf("got %v", err)
	}
}
