package docs_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/sim"
)

// TestAsyncTable computes the table of patterns anew: each test of asynchronous operations stands in it once, with the
// verdict and the flags of ptx.
func TestAsyncTable(t *testing.T) {
	table := tableWith(t, asyncPage, "pattern", "left out or changed")
	want := map[string]string{}
	for _, row := range table.rows {
		name := row[slices.Index(table.header, "test")]
		if want[name] != "" {
			t.Errorf("%s has %s in two rows", asyncPage, name)
		}
		want[name] = row[slices.Index(table.header, "verdict")] + ": " + row[slices.Index(table.header, "flags")]
	}
	got := map[string]string{}
	for name, r := range resultsOf(t, shippedTests(t, asyncFolder), "ptx") {
		got[name] = r.outcome + ": " + strings.Join(r.flags, " ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-page +corpus):\n%s", asyncPage, diff)
	}
}

// TestAsyncPatterns: each pattern begins with a test from which nothing is left out, and has one that lacks something.
func TestAsyncPatterns(t *testing.T) {
	lacking := map[string]int{}
	pattern := ""
	for _, row := range tableWith(t, asyncPage, "pattern", "left out or changed").rows {
		if row[0] != "" {
			pattern = row[0]
			lacking[pattern] = 0
		}
		whole := strings.HasPrefix(row[1], "nothing")
		if row[0] != "" && !whole {
			t.Errorf("%s: %s begins with what lacks %s", asyncPage, pattern, row[1])
		}
		if !whole {
			lacking[pattern]++
		}
	}
	for _, pattern := range slices.Sorted(maps.Keys(lacking)) {
		if lacking[pattern] == 0 {
			t.Errorf("%s: nothing is left out of %s", asyncPage, pattern)
		}
	}
}

// TestAsyncVariants: other readings of the text change what ptx says of those tests alone that tell them apart: with the
// variant war, pipelines that have no proxy fence between the load of a stage and the copy that fills it again.
func TestAsyncVariants(t *testing.T) {
	all := shippedTests(t, asyncFolder)
	letter := resultsOf(t, all, "ptx")
	for variant, of := range map[string]struct {
		about string // other tests than those that say this have no such question
		tests []string
	}{
		"war": {"async", []string{
			"sync-restrict-proxy-acquire-elsewhere", "sync-restrict-proxy-acquire-generic", "sync-restrict-proxy-before", "sync-restrict-proxy-generic",
			"sync-restrict-proxy-other-cta", "sync-restrict-proxy-release-generic", "sync-restrict-proxy-release-twice",
			"tma-loop-no-proxy-fence", "tma-multicast-refill-fence-readers", "tma-multicast-refill-fence.cta", "tma-multicast-refill-no-proxy-fence", "tma-three-stage-no-proxy-fence", "tma-two-stage-fence.global", "tma-two-stage-no-proxy-fence",
		}},
		"relaxed-wait": {".relaxed", []string{"st-async-relaxed-wait", "tcgen05-commit-relaxed-no-after", "tma-load-relaxed-wait", "tma-loop-two-stage-relaxed-wait"}},
		"bare-read":    {"wait_group.read", []string{"tma-store-epilogue-reuse", "tma-store-reuse-other", "tma-store-reuse-wait.read"}},
		"local-fence": {"shared::cluster", []string{
			"cluster-copy", "cluster-copy-reuse", "tma-multicast", "tma-multicast-refill", "tma-multicast-refill-no-arrive",
		}},
		"bare-commit": {"tcgen05.commit", []string{"tcgen05-commit", "tcgen05-commit-relaxed", "tcgen05-epilogue", "tcgen05-gemm"}},
		"scoped-arrivals": {"shared::cluster", []string{
			"mbarrier-remote-cta-arrivals", "tma-multicast-refill", "tma-multicast-refill-fence-readers", "tma-multicast-refill-fence.cta",
			"tma-multicast-refill-no-proxy-fence",
		}},
		"remote-fence": {"fence", []string{
			"cluster-store-fence.cluster", "sync-restrict-proxy-acquire-elsewhere", "tensormap-other-cta-handed-on-elsewhere",
			"tma-load-acquired-source+fence-writer", "tma-multicast-refill-fence-readers",
		}},
	} {
		tests := maps.Clone(all)
		maps.DeleteFunc(tests, func(_ string, test *sim.Test) bool { return !strings.Contains(test.File.Text, of.about) })
		other := resultsOf(t, tests, "ptx", variant)
		var changed []string
		for _, name := range slices.Sorted(maps.Keys(tests)) {
			if diff := cmp.Diff(letter[name], other[name], cmp.AllowUnexported(result{})); diff != "" {
				changed = append(changed, name)
			}
		}
		if diff := cmp.Diff(of.tests, changed); diff != "" {
			t.Errorf("tests that the variant %s changes (-want +got):\n%s", variant, diff)
		}
	}
}
