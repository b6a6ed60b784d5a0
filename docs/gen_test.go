package docs_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestSuite generates the suite of the paper's vocabulary again, runs it under the paper's
// model, and compares the tables of docs/generate.md with what comes out.
func TestSuite(t *testing.T) {
	sample.Long(t)
	text, err := os.ReadFile("generate.md")
	if err != nil {
		t.Fatal(err)
	}
	m, err := models.Load("ptx-asplos15", models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	verdicts, families := map[string][2]int{}, map[string]int{}
	config := sim.Defaults()
	config.Want = sim.Verdict
	for test, err := range gen.Distinct(gen.FindPreset("asplos15").Cycles(t.Context()), &gen.Counts{}) {
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := sim.Load(src.NewFile(test.Name.Text, test.String()), config)
		if err != nil {
			t.Fatal(err)
		}
		r, err := loaded.Run(context.Background(), m.Model)
		if err != nil {
			t.Fatal(err)
		}
		families[observe.Family(test.Name.Text)]++
		for _, fences := range []string{fencesOf(test.Cycle), "all"} {
			for _, placement := range []string{placementOf(test.Cycle), "all"} {
				n := verdicts[fences+" "+placement]
				n[outcomes[r.Outcome()]]++
				verdicts[fences+" "+placement] = n
			}
		}
	}
	var rows []string
	for _, fences := range []string{"none", "membar.cta", "membar.gl", "membar.sys", "several", "all"} {
		row := "| " + fences + " |"
		for _, placement := range []string{"intra-CTA", "inter-CTA", "both", "all"} {
			n := verdicts[fences+" "+placement]
			row += fmt.Sprintf(" %d / %d |", n[0], n[1])
		}
		rows = append(rows, row)
	}
	wantLines(t, string(text), rows)
	var names []string
	for name, n := range families {
		names = append(names, fmt.Sprintf("%s %d", name, n))
	}
	slices.Sort(names)
	wantLines(t, strings.Join(strings.Fields(string(text)), " "), []string{strings.Join(names, ", ")})
}

// wantLines demands that a text has some lines.
func wantLines(t *testing.T, text string, lines []string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(text, line) {
			t.Errorf("generate.md should say:\n%s", strings.Join(lines, "\n"))
			return
		}
	}
}

var outcomes = map[sim.Outcome]int{sim.Allowed: 0, sim.Forbidden: 1}

// fencesOf says which fences a cycle has.
func fencesOf(c *gen.Cycle) string {
	var kinds []string
	for _, e := range c.Edges {
		if e.Kind == gen.Fence && !slices.Contains(kinds, e.Instr) {
			kinds = append(kinds, e.Instr)
		}
	}
	switch len(kinds) {
	case 0:
		return "none"
	case 1:
		return kinds[0]
	}
	return "several"
}

// placementOf says where the threads of a cycle are.
func placementOf(c *gen.Cycle) string {
	var near, far bool
	for _, e := range c.Edges {
		if e.External {
			near, far = near || e.Level == gen.SameCTA, far || e.Level == gen.SameGPU
		}
	}
	switch {
	case near && far:
		return "both"
	case near:
		return "intra-CTA"
	}
	return "inter-CTA"
}
