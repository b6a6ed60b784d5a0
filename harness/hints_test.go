package harness_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/optcheck"
	litmustests "github.com/muster-gpu/muster/litmus-tests"
)

// TestHints: the elected thread is the one that stands for its warp, a policy is the register that
// the test has put it into, and ptxas assembles both.
func TestHints(t *testing.T) {
	tools := optcheck.FindTools()
	for name, want := range map[string]string{
		"tma-load-hints":  "[%d_0_at_0], %d_0_policy;",
		"tma-three-stage": "setp.eq.u32 %p_0_lead, %r_role, %r_role;",
	} {
		text, err := litmustests.FS.ReadFile("async/" + name + ".litmus")
		if err != nil {
			t.Fatal(err)
		}
		for _, opaque := range []bool{false, true} {
			p, err := plan(t, parse(t, string(text)), harness.SM90)
			if err != nil {
				t.Fatal(err)
			}
			p = p.As(harness.Settings{Opaque: opaque})
			if kernels := p.Kernels(); !strings.Contains(kernels, want) || strings.Contains(kernels, "setmaxnreg") {
				t.Errorf("%s, opaque %t: no %s in\n%s", name, opaque, want, kernels)
			}
			if tools.Ptxas == "" {
				continue
			}
			if _, err := tools.Assemble(t.Context(), p.Kernels(), harness.SM90, 3); err != nil {
				t.Errorf("%s, opaque %t: %v", name, opaque, err)
			}
		}
	}
}

// TestNoHints: a kernel refuses a hint that would change the test.
func TestNoHints(t *testing.T) {
	for code, want := range map[string]string{
		"elect.sync r0|p, 0xffffffff": "kernels set one register with an instruction",
		"prefetch.global.L2 [r1]":     "kernels fetch locations of global memory ahead",
		"createpolicy.fractional.L2::evict_first.b64 r2, 1.0": "it is for sm_80 and newer, and " +
			"kernels are made for sm_70",

		"createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 r2, [x], 16, 32": "kernels have policies " +
			"for fractions of accesses only",
	} {
		_, err := plan(t,
			parse(t, "PTX hint\n{ x=0; P0:r1=x; }\n P0@cta 0,gpu 0 ;\n "+code+" ;\n st.weak x,1 ;\nexists (x=1)\n"),
			harness.SM70)
		var unable *harness.Unable
		if !errors.As(err, &unable) || !strings.HasSuffix(unable.Why, want) {
			t.Errorf("%s: got %v, want %s", code, err, want)
		}
	}
	_, err := plan(t,
		parse(t, "PTX both\n{ x=0; }\n P0 | P1 ;\n elect.sync _|p, 0xffffffff | st.weak x,1 ;\nScopeTree (cta (warp "+
			"P0 P1))\nexists (x=1)\n"), harness.SM70)
	if err == nil || !strings.Contains(err.Error(), "its warp has several threads of the test") {
		t.Errorf("two threads of a warp: %v", err)
	}
}

// TestHintsAreNotCompared: machine code that has an instruction for a hint, or none for an
// election, does not make a test void.
func TestHintsAreNotCompared(t *testing.T) {
	for _, code := range []string{"elect.sync _|p, 0xffffffff", "prefetch.global.L2 [x]"} {
		p, err := plan(t,
			parse(t, "PTX hint\n{ x=0; }\n P0@cta 0,gpu 0 ;\n "+code+" ;\n st.weak x,1 ;\nexists (x=1)\n"),
			harness.SM90)
		if err != nil {
			t.Fatal(err)
		}
		if r := optcheck.Check(t.Context(), p, ""); r.Verdict != optcheck.NotChecked ||
			!strings.Contains(r.String(), strings.Fields(code)[0]) {
			t.Errorf("%s: %s", code, r)
		}
	}
}
