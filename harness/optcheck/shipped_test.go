package optcheck_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/optcheck"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/tests/campaign"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/sim"
)

// release is the assembler of docs/hardware.md; another version may break other tests.
const release = "ptxas 12.9"

// sentence is the statement of docs/hardware.md about the shipped tests.
var sentence = regexp.MustCompile(`Of the (\d+) shipped tests whose machine code is compared, ` + "`ptxas -O3`" +
	` \(12\.9, for sm_90\) breaks (\d+)\. Of their opaque kernels it breaks none\.`)

// part returns n if one in n of them is checked. Disassembling all of them takes a quarter of an
// hour.
func part() int {
	if sample.Nightly() {
		return 1
	}
	return sample.Of(30, 100)
}

// TestShipped checks the shipped tests, and the statement of docs/hardware.md: the assembler breaks
// those of testdata/broken.txt, and no opaque kernel.
func TestShipped(t *testing.T) {
	broken, compared := documented(t)
	checker := optcheck.Checker{Tools: optcheck.FindTools(), Target: harness.SM90, Optimize: 3}
	if err := checker.Missing(); err != nil {
		t.Skip(err, "; the shipped tests are not assembled")
	}
	if found := checker.Tools.Assembler(t.Context()); !strings.HasPrefix(found, release) {
		t.Skipf("%s: what is documented is what %s does", found, release)
	}
	var mu sync.Mutex
	counts := map[bool]map[optcheck.Verdict]int{false: {}, true: {}}
	check := func(ctx context.Context, test *sim.Test, p *harness.Plan) error {
		name := test.Name.Text
		for _, opaque := range []bool{false, true} {
			c := checker
			c.Settings.Opaque = opaque
			report, err := c.Check(ctx, p)
			if err != nil {
				return err
			}
			if isBroken := !opaque && slices.Contains(broken, name); (report.Verdict == optcheck.Failed) != isBroken {
				t.Errorf("%s, opaque %t: broken: want %t\n%s", name, opaque, isBroken, report)
			}
			mu.Lock()
			counts[opaque][report.Verdict]++
			mu.Unlock()
		}
		return nil
	}
	tests := campaign.Tests{
		Found: shipped(part()), Config: sim.Defaults(), Target: checker.Target, GPUs: harness.MaxGPUs,
		Prepare: check, Ahead: 2, Report: func(error) {}, // tests without a kernel are not checked
	}
	if err := tests.Each(t.Context(), func(*sim.Test, *harness.Plan) error { return nil }); err != nil {
		t.Fatal(err)
	}
	t.Logf("%v, of opaque kernels %v", counts[false], counts[true])
	for opaque, n := range counts {
		if got := n[optcheck.Passed] + n[optcheck.Failed]; part() == 1 && got != compared {
			t.Errorf("opaque %t: %d tests are compared, docs/hardware.md says %d", opaque, got, compared)
		}
	}
}

// shipped yields every n-th of the shipped tests.
func shipped(n int) iter.Seq[corpus.Test] {
	return func(yield func(corpus.Test) bool) {
		i := 0
		for test := range (corpus.Finder{}).Tests("asplos15", "ptx", "async", "c", "cpp", "cuda", "opencl") {
			if i++; i%n == 0 && !yield(test) {
				return
			}
		}
	}
}

// documented returns the tests that the assembler breaks, and the number of tests that are
// compared, according to the documents.
func documented(t *testing.T) (broken []string, compared int) {
	t.Helper()
	list, err := os.ReadFile("testdata/broken.txt")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/hardware.md")
	if err != nil {
		t.Fatal(err)
	}
	broken = strings.Fields(string(list))
	says, n := sentence.FindStringSubmatch(strings.Join(strings.Fields(string(page)), " ")), 0
	if says == nil {
		t.Fatalf("docs/hardware.md does not say %s", sentence)
	}
	if _, err := fmt.Sscan(says[1]+" "+says[2], &compared, &n); err != nil || n != len(broken) {
		t.Fatalf("docs/hardware.md says that %d tests are broken, testdata/broken.txt has %d: %v", n, len(broken), err)
	}
	return broken, compared
}
