package harness_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/optcheck"
	litmustests "github.com/muster-gpu/muster/litmus-tests"
)

// ranked returns shipped tests that name CTAs of their cluster, that compute addresses of shared
// memory with 32 bits, or that are for the newest GPUs or for a single target.
func ranked(t *testing.T) (all []string) {
	for _, name := range []string{
		"tma-multicast-refill", "tma-multicast-mask", "st-async-refill", "tma-loop-two-stage", "st-async-release",
		"red-async-release", "tensor-store",
	} {
		text, err := litmustests.FS.ReadFile("async/" + name + ".litmus")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return all
}

// TestAssemblesRanked assembles these tests with ptxas for the GPUs that have clusters, and checks
// for which they are.
func TestAssemblesRanked(t *testing.T) {
	tools := optcheck.FindTools()
	for _, text := range ranked(t) {
		for _, target := range []harness.Target{harness.SM80, harness.SM90, harness.SM100, 103, 120} {
			p, err := plan(t, parse(t, text), target)
			if newest := strings.Contains(text, "async.release"); target < harness.SM90 ||
				newest && target < harness.SM100 {
				if err == nil {
					t.Errorf("%s is made for %s", p.Test.Name.Text, target)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", target, err)
				continue
			}
			if tools.Ptxas == "" {
				continue
			}
			if _, err := tools.Assemble(t.Context(), p.Kernels(), target, 3); err != nil {
				t.Errorf("%s for %s: %v", p.Test.Name.Text, target, err)
			}
		}
	}
}

// TestRanksUnable: kernels do not guess ranks and addresses that are unknown before they run.
func TestRanksUnable(t *testing.T) {
	const head = "PTX ranks\n{ shared s=0; shared full; g=1; x=0; 0:r1=1; }\n P0@cta 0,cluster 0,gpu 0 | " +
		"P1@cta 1,cluster 0,gpu 0 ;\n"
	for name, tt := range map[string]struct{ text, want string }{
		"a mask of CTAs without the location": {
			"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [g], 16, " +
				"[full], 3 | st.weak x,1 ;\n",
			"the CTA of rank 1 has no s",
		},
		"a mask in a register": {
			"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [g], 16, " +
				"[full], r1 | st.weak x,1 ;\n",
			"its CTAs are not known before it runs",
		},
		"an address in 32 bits": {
			"mov.u32 r2,s | st.weak x,1 ;\n setp.eq.u32 p,r2,r2 | ;\n",
			"an address has 64 bits in kernels, and is computed here with 32",
		},
	} {
		_, err := plan(t, parse(t, head+" "+tt.text+"exists (x=1)\n"), harness.SM90)
		if err == nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}
