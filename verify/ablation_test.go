package verify_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/verify"
)

// verdictWithout returns the verdict on a kernel without guesses of some families, and the number
// of guesses that held.
func verdictWithout(t *testing.T, e *examples.Example, m *kernel.Module, without ...string) (verify.Verdict, int) {
	t.Helper()
	r, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], verify.Config{
		Launch: verify.Launch{Grid: dim(t, e.Row["grid"]), Block: dim(t, e.Row["block"])}, Budget: 2000, Without: without,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.Verdict, r.Stats.Invariants
}

// TestKInduction: in kernels whose registers take turns in a loop, k-induction alone verifies those
// that are right, and no others.
func TestKInduction(t *testing.T) {
	for _, e := range readExamples(t, "testdata/loops") {
		if !strings.HasPrefix(e.Name, "leapfrog") && !strings.HasPrefix(e.Name, "rotate") {
			continue
		}
		m := readModule(t, e.Files[0])
		with, _ := verdictWithout(t, &e, m)
		without, _ := verdictWithout(t, &e, m, verify.KInduction)
		if right := e.Verdict() == "verified"; (with == verify.Verified) != right || without == verify.Verified {
			t.Errorf("%s, which is %s: %v, and %v without k-induction", e.Name, e.Verdict(), with, without)
		}
	}
}

// TestFamilies recomputes a table of testdata/loops/README.md: the kernels that are verified
// without guesses about loops, and the families of guesses that the others need.
func TestFamilies(t *testing.T) {
	sample.Long(t)
	text, err := os.ReadFile("testdata/loops/README.md")
	if err != nil {
		t.Fatal(err)
	}
	need := map[string][]string{}
	alone := 0
	for _, e := range readExamples(t, "testdata/loops") {
		if e.Verdict() != "verified" {
			continue
		}
		m := readModule(t, e.Files[0])
		verdict, guessed := verdictWithout(t, &e, m)
		switch {
		case verdict != verify.Verified:
			continue
		case guessed == 0:
			alone++
			continue
		}
		some := false
		for _, family := range verify.Families() {
			if left, _ := verdictWithout(t, &e, m, family); left != verify.Verified {
				need[family], some = append(need[family], "`"+e.Name+"`"), true
			}
		}
		if !some {
			need["any of several"] = append(need["any of several"], "`"+e.Name+"`")
		}
	}
	rows := []string{fmt.Sprintf("| none | %d kernels |", alone)}
	for _, family := range append(verify.Families(), "any of several") {
		if kernels := need[family]; len(kernels) > 0 {
			slices.Sort(kernels)
			rows = append(rows, fmt.Sprintf("| %s | %s |", family, strings.Join(kernels, ", ")))
		}
	}
	for _, row := range rows {
		t.Log(row)
		if !strings.Contains(string(text), row+"\n") {
			t.Errorf("testdata/loops/README.md does not have this row: %s", row)
		}
	}
}
