package optcheck

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/internal/tests/corpus"
)

// asynchronousTests are shipped tests with the finding about their assembled code, or "".
var asynchronousTests = map[string]string{
	"cp-async-three-stage":         "",
	"cp-async-mbarrier-inc":        "",
	"mbarrier-split-barrier":       "",
	"mbarrier-arrive-drop":         "",
	"mbarrier-arrive-count":        "",
	"cluster-copy-reuse":           "",
	"st-async-refill":              "",
	"red-async":                    "",
	"tma-multicast":                "",
	"tma-reduce-publish":           "",
	"tma-load-expect-after-arrive": "",
	"tensor-reduce":                "",
	"tensormap-other-cta-fence":    "",
	// A relaxed load may be moved behind a later copy, and a store to global memory behind a fence
	// for shared memory.
	"cp-async-after-relaxed":              "ld.relaxed.gpu.global.u32 r0, [f]: not in the order of the test",
	"tma-load-stored-source+fence.shared": "st.global.u32 [g], 1: not in the order of the test",
	// The copy is not awaited, and loads around it are merged.
	"cp-async-two-stage-no-wait": "merged with the load before it",
}

// TestAsynchronous: asynchronous tests are compared with their machine code, and a missing
// operation is noticed.
func TestAsynchronous(t *testing.T) {
	tools(t)
	tried := 0
	for test := range (corpus.Finder{}).Tests("ptx", "async") {
		parsed, err := test.Parse()
		if err != nil {
			t.Fatal(err)
		}
		says, listed := asynchronousTests[parsed.Name.Text]
		if !listed {
			continue
		}
		tried++
		t.Run(parsed.Name.Text, func(t *testing.T) {
			t.Parallel()
			plan := planFor(t, parsed.String(), harness.SM90)
			text := disassembled(t, plan, 3)
			r := Check(t.Context(), plan, text)
			if want := map[bool]Verdict{true: Passed, false: Failed}[says == ""]; r.Verdict != want ||
				!strings.Contains(r.String(), says) {
				t.Fatalf("want %s: %q\n%s", want, says, r)
			}
			if says != "" {
				return
			}
			for broken, what := range sabotaged(text) {
				if r := Check(t.Context(), plan, broken); r.Verdict != Failed {
					t.Errorf("without %s\n%s", what, r)
				}
			}
		})
	}
	if tried != len(asynchronousTests) {
		t.Errorf("%d of %d tests are shipped", tried, len(asynchronousTests))
	}
}
