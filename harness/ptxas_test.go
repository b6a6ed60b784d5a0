package harness_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/optcheck"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	litmustests "github.com/muster-gpu/muster/litmus-tests"
)

// assembled is the number of tests of each preset that are assembled for each target.
const assembled = 3

// TestAssembles assembles kernels for every target with ptxas, if it is installed.
func TestAssembles(t *testing.T) {
	tools := optcheck.FindTools()
	if tools.Ptxas == "" {
		t.Skip("no ptxas: kernels are not assembled; `pip download nvidia-cuda-nvcc-cu12` has one, for " +
			"PATH or $MUSTER_CUDA_BIN")
	}
	assemble := func(t *testing.T, p *harness.Plan, target harness.Target) {
		t.Helper()
		if _, err := tools.Assemble(t.Context(), p.Kernels(), target, 3); err != nil {
			t.Errorf("%s for %s: %v", p.Test.Name.Text, target, err)
		}
	}
	for i, target := range harness.Targets {
		t.Run(target.String(), func(t *testing.T) {
			t.Parallel()
			if err := tools.Knows(t.Context(), target); err != nil {
				t.Skip(err) // ptxas 13 has no sm_70
			}
			for _, text := range []string{
				mp, scoped, aliases, kernels, gpus, ctasWithBarriers, looped, vectors, images, wide,
			} {
				p, err := plan(t, parse(t, text), target)
				var unable *harness.Unable
				switch {
				case err == nil:
					assemble(t, p, target)
				case !errors.As(err, &unable) || target.Clusters():
					t.Error(err)
				}
			}
			for _, preset := range gen.Presets {
				for test, err := range gen.Sample(gen.Distinct(preset.Cycles(t.Context()), &gen.Counts{}),
					assembled, uint64(i)) {
					if err != nil {
						t.Fatal(err)
					}
					if p, err := plan(t, test.Test, target); err == nil {
						assemble(t, p, target)
					}
				}
			}
		})
	}
}

// TestAssemblesForNewer assembles kernels for GPUs that are newer than all targets: kernels for the
// newest target run there.
func TestAssemblesForNewer(t *testing.T) {
	tools := optcheck.FindTools()
	for _, target := range []harness.Target{100, 103, 110, 120} {
		if _, err := tools.Assemble(t.Context(), target.Trial(), target, 0); err != nil {
			t.Logf("no ptxas for %s: nothing is assembled for it", target)
			continue
		}
		for _, text := range append([]string{mp, scoped, gpus, images}, ranked(t)...) {
			p, err := plan(t, parse(t, text), target)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tools.Assemble(t.Context(), p.Kernels(), target, 3); err != nil {
				t.Errorf("%s for %s: %v", p.Test.Name.Text, target, err)
			}
		}
	}
}

// TestOpaqueKeepsLoads: a separator stands between two loads without an order, which a compiler may
// reorder.
func TestOpaqueKeepsLoads(t *testing.T) {
	s := harness.Usual()
	s.Opaque = true
	for loads, want := range map[string]int{
		"ld.weak r1,y | ld.weak r2,x":               1,
		"ld.relaxed.gpu r1,y | ld.relaxed.gpu r2,x": 0,
		"ld.weak r1,y | st.weak x,2":                0,
	} {
		first, second, _ := strings.Cut(loads, " | ")
		text := "PTX loads\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x,1 | " + first +
			" ;\n st.weak y,1 | " + second + " ;\nexists (P1:r1=1)\n"
		p, err := plan(t, parse(t, text), harness.SM90)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(p.As(s).Kernels(), "pmevent.mask"); n != want {
			t.Errorf("%s: %d between them, want %d", loads, n, want)
		}
	}
}

// TestOpaque: transformations that ptxas applies to tests at its default level cannot be applied to
// their opaque kernels, in which it does not see that two addresses are equal or that a load is
// unused.
func TestOpaque(t *testing.T) {
	checker := optcheck.Checker{Tools: optcheck.FindTools(), Target: harness.SM90, Optimize: 3}
	if err := checker.Missing(); err != nil {
		t.Skip(err, "; opaque kernels are not compared with their tests")
	}
	for name, text := range map[string]string{
		"coRR": `PTX coRR
{ x=0; y=0; }
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;
 ld.weak r1,x   | st.weak x,1    ;
 ld.weak r2,x   | ld.weak r1,x   ;
 ld.weak r3,y   |                ;
exists (P0:r1=1 /\ P0:r2=0)
`,
		"a dependency, and both state spaces": `PTX dependency
{ shared x=0; y=0; }
 P0@cta 0,gpu 0  | P1@cta 0,gpu 0 ;
 ld.weak r1,x    | st.weak y,1    ;
 xor.b32 r2,r1,r1 | ld.weak r1,x  ;
 st.weak y,r2    |                ;
exists (P0:r1=1 /\ y=1)
`,
		"a load of what nobody writes": `PTX nc
{ x=0; f=0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0           ;
 st.weak x,1          | ld.acquire.gpu.u32 r0, [f] ;
 st.release.gpu f,1   | fence.proxy.async        ;
                      | ld.global.nc.u32 r1, [x] ;
exists (P1:r0=1 /\ P1:r1=0)
`,
	} {
		for opaque, want := range map[bool]optcheck.Verdict{false: optcheck.Failed, true: optcheck.Passed} {
			p, err := plan(t, parse(t, text), checker.Target)
			if err != nil {
				t.Fatal(err)
			}
			checker.Settings.Opaque = opaque
			if r, err := checker.Check(t.Context(), p); err != nil || r.Verdict != want {
				t.Errorf("%s, opaque %t: %v, want %s\n%s", name, opaque, err, want, r)
			}
		}
	}
}

// TestAssemblesAsync assembles the shipped tests with asynchronous operations with ptxas, if it is
// installed, for the targets that have them.
func TestAssemblesAsync(t *testing.T) {
	tools := optcheck.FindTools()
	if tools.Ptxas == "" {
		t.Skip("no ptxas: kernels with asynchronous operations are not assembled")
	}
	files, err := litmustests.FS.ReadDir("async")
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		if !strings.HasSuffix(f.Name(), ".litmus") || i%sample.Of(1, 16) != 0 {
			continue
		}
		text, err := litmustests.FS.ReadFile("async/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range []harness.Target{harness.SM80, harness.SM90} {
			p, err := plan(t, parse(t, string(text)), target)
			var unable *harness.Unable
			if errors.As(err, &unable) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tools.Assemble(t.Context(), p.Kernels(), target, 3); err != nil {
				t.Errorf("%s for %s: %v", f.Name(), target, err)
			}
		}
	}
}

// TestNotUnrolled: the loops of stress are not unrolled. Unrolled, a kernel of three roles would be
// half as large again, and take longer to compile accordingly.
func TestNotUnrolled(t *testing.T) {
	tools := optcheck.FindTools()
	if tools.Ptxas == "" {
		t.Skip("no ptxas: kernels are not assembled; `pip download nvidia-cuda-nvcc-cu12` has one, for " +
			"PATH or $MUSTER_CUDA_BIN")
	}
	p, err := plan(t, parse(t, mp), harness.SM90)
	if err != nil {
		t.Fatal(err)
	}
	const pragma = "\t.pragma \"nounroll\";\n"
	if !strings.Contains(p.Kernels(), pragma) {
		t.Fatal("there is no pragma")
	}
	cubins := assembleWithout(t, tools, p, pragma)
	if with, without := len(cubins[true]), len(cubins[false]); with >= without {
		t.Errorf("%d bytes, and %d without the pragma", with, without)
	}
}

// assembleWithout assembles kernels as they are (true), and without some text (false).
func assembleWithout(t *testing.T, tools optcheck.Tools, p *harness.Plan, text string) map[bool][]byte {
	t.Helper()
	cubins := map[bool][]byte{}
	for with, kernels := range map[bool]string{true: p.Kernels(), false: strings.ReplaceAll(p.Kernels(), text, "")} {
		cubin, err := tools.Assemble(t.Context(), kernels, harness.SM90, 3)
		if err != nil {
			t.Fatal(err)
		}
		cubins[with] = cubin
	}
	return cubins
}

// again is a tensor store after which its map is rewritten, when the map has been read.
const again = "PTX again\n{ shared s=0; g=0; h=0; t=g; }\n P0@cta 0 ;\n st.shared.u32 [s], 1 ;\n " +
	"fence.proxy.async.shared::cta ;\n" +
	" cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [t, {0, 0}], [s] ;\n cp.async.bulk.commit_group ;\n " +
	"cp.async.bulk.wait_group.read 0 ;\n" +
	" tensormap.replace.tile.global_address.global.b1024.b64 [t], h ;\nexists (h=1)\n"

// TestMapsAreWrittenInOrder: ptxas does not move the store to a tensor map before the wait for the
// copy that reads it. Without the separators between them it does.
func TestMapsAreWrittenInOrder(t *testing.T) {
	tools := optcheck.FindTools()
	if tools.Ptxas == "" || !tools.CanList() {
		t.Skip("no ptxas or no nvdisasm: nothing is assembled; `pip download nvidia-cuda-nvcc-cu12 " +
			"nvidia-cuda-nvdisasm-cu12` has both, for PATH or $MUSTER_CUDA_BIN")
	}
	p, err := plan(t, parse(t, again), harness.SM90)
	if err != nil {
		t.Fatal(err)
	}
	const separator = "\tpmevent.mask 3;\n"
	for with, cubin := range assembleWithout(t, tools, p, separator) {
		listing, err := tools.Disassemble(t.Context(), cubin)
		if err != nil {
			t.Fatal(err)
		}
		_, role, _ := strings.Cut(listing, "UTMASTG")
		wait, store := strings.Index(role, "DEPBAR.LE"), strings.Index(role, "STG.E.64")
		if wait < 0 || store < 0 || (wait < store) != with {
			t.Errorf("with a separator: %t: the wait is at %d, the store at %d", with, wait, store)
		}
	}
}

// TestTimeLimits: a wait with a time limit does not use it in a kernel, where a loop of waits times
// out after a number of iterations.
func TestTimeLimits(t *testing.T) {
	p, err := plan(t,
		parse(t, "PTX wait\n{ shared full; x=0; }\n P0@cta 0 ;\n mbarrier.init.shared::cta.b64 [full], 1 ;\n"+
			" wait: mbarrier.try_wait.parity.shared::cta.b64 p, [full], 0, 0x989680 ;\n @!p bra wait ;\n "+
			"ld.global.u32 r0, [x] ;\nexists (P0:r0=0)\n"), harness.SM90)
	if err != nil {
		t.Fatal(err)
	}
	if text := p.Kernels(); strings.Contains(text, "0x989680") || !strings.Contains(text, ", 0, 1000;") {
		t.Error("the wait takes ten milliseconds")
	}
}
