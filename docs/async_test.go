package docs_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAsyncTable computes the table of patterns anew: each test of asynchronous operations stands in it once, with the
// verdict and the flags of ptx.
func TestAsyncTable(t *testing.T) {
	table := tableWith(t, ptxPage, "pattern", "left out or changed")
	want := map[string]string{}
	for _, row := range table.rows {
		name := row[slices.Index(table.header, "test")]
		if want[name] != "" {
			t.Errorf("%s has %s in two rows", ptxPage, name)
		}
		want[name] = row[slices.Index(table.header, "verdict")] + ": " + row[slices.Index(table.header, "flags")]
	}
	got := map[string]string{}
	for name, r := range resultsOf(t, shippedTests(t, asyncFolder), "ptx") {
		got[name] = r.outcome + ": " + strings.Join(r.flags, " ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-page +corpus):\n%s", ptxPage, diff)
	}
}

// TestAsyncPatterns: each pattern begins with a test from which nothing is left out, and has one that lacks something.
func TestAsyncPatterns(t *testing.T) {
	lacking := map[string]int{}
	pattern := ""
	for _, row := range tableWith(t, ptxPage, "pattern", "left out or changed").rows {
		if row[0] != "" {
			pattern = row[0]
			lacking[pattern] = 0
		}
		whole := strings.HasPrefix(row[1], "nothing")
		if row[0] != "" && !whole {
			t.Errorf("%s: %s begins with what lacks %s", ptxPage, pattern, row[1])
		}
		if !whole {
			lacking[pattern]++
		}
	}
	for _, pattern := range slices.Sorted(maps.Keys(lacking)) {
		if lacking[pattern] == 0 {
			t.Errorf("%s: nothing is left out of %s", ptxPage, pattern)
		}
	}
}

// TestWarVariant: the common reading of pipelines changes what ptx says of those alone that have no proxy fence between
// the load of a stage and the copy that fills it again.
func TestWarVariant(t *testing.T) {
	tests := shippedTests(t, asyncFolder)
	letter, common := resultsOf(t, tests, "ptx"), resultsOf(t, tests, "ptx", "war")
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		if diff := cmp.Diff(letter[name], common[name], cmp.AllowUnexported(result{})); diff != "" {
			changed = append(changed, name)
		}
		if common[name].outcome == "allowed" && letter[name].outcome == "forbidden" {
			t.Errorf("%s is allowed by the common reading alone", name)
		}
	}
	want := []string{
		"sync-restrict-proxy-acquire-generic", "sync-restrict-proxy-generic", "sync-restrict-proxy-release-generic",
		"sync-restrict-proxy-release-twice", "tma-two-stage-fence.global", "tma-two-stage-no-proxy-fence",
	}
	if diff := cmp.Diff(want, changed); diff != "" {
		t.Errorf("tests that the variant war changes (-want +got):\n%s", diff)
	}
}
