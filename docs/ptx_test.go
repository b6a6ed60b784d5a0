package docs_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	litmustests "github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

const (
	ptxPage  = "ptx-models.md"
	cudaPage = "cuda.md"

	asyncFolder = "async"
	asyncPage   = "../litmus-tests/async/README.md"
	differPage  = "../litmus-tests/ptx/README.md"
)

// claims are the columns of tables that say something of the tests in them: what ptx
// says of those.
var claims = map[string]func(result) bool{
	"forbidden": func(r result) bool { return r.outcome == "forbidden" },
	"allowed":   func(r result) bool { return r.outcome == "allowed" },
	"race":      func(r result) bool { return slices.Contains(r.flags, "race") },
	"no race":   func(r result) bool { return !slices.Contains(r.flags, "race") },
}

// TestPTXClaims checks the tests in such columns.
func TestPTXClaims(t *testing.T) {
	results := resultsOf(t, shippedTests(t, "*"), "ptx")
	for page, columns := range map[string][]string{
		ptxPage:  {"forbidden", "allowed", "race", "no race"},
		cudaPage: {"forbidden", "allowed"},
	} {
		for _, column := range columns {
			names := testsUnder(t, page, column)
			if len(names) == 0 {
				t.Errorf("%s has no test under %q", page, column)
			}
			for _, name := range names {
				if r, ok := results[name]; !ok {
					t.Errorf("%s: there is no test %s", page, name)
				} else if !claims[column](r) {
					t.Errorf("%s has %s under %q; it is %s, flags %v", page, name, column, r.outcome, r.flags)
				}
			}
		}
	}
}

var testName = regexp.MustCompile("`([\\w.-]+(?:\\+[\\w.-]+)+)`")

// TestPTXNames checks that what looks like the name of a test is one, in tables and
// between them.
func TestPTXNames(t *testing.T) {
	tests := shippedTests(t, "*")
	for _, page := range []string{ptxPage, cudaPage, asyncPage, differPage} {
		for _, name := range testName.FindAllStringSubmatch(readPage(t, page), -1) {
			if tests[name[1]] == nil {
				t.Errorf("%s: there is no test %s", page, name[1])
			}
		}
	}
}

// TestPTXDifferences recomputes where the models of PTX differ, on tests without asynchronous
// operations: only one of the models covers these.
func TestPTXDifferences(t *testing.T) {
	tests := shippedTests(t, "*")
	for name := range shippedTests(t, asyncFolder) {
		delete(tests, name)
	}
	results := map[string]map[string]result{}
	of := func(model string) map[string]result {
		if results[model] == nil {
			name, variants, _ := strings.Cut(model, " ")
			results[model] = resultsOf(t, tests, name, strings.Fields(variants)...)
		}
		return results[model]
	}
	t.Run("numbers", func(t *testing.T) { checkNumbers(t, of) })
	t.Run("tests", func(t *testing.T) { checkDifferences(t, of) })
}

// checkNumbers compares the table whose rows and columns are models: its cells say how
// many tests have different verdicts, and how many of those are inside both models.
func checkNumbers(t *testing.T, of func(model string) map[string]result) {
	table := tableWith(t, ptxPage, "", "ptx")
	got, want := map[string]string{}, map[string]string{}
	for _, row := range table.rows {
		for i, cell := range row[1:] {
			if cell == "" {
				continue
			}
			pair := row[0] + ", " + table.header[i+1]
			want[pair] = cell
			all, inside := differences(of(row[0]), of(table.header[i+1]))
			got[pair] = fmt.Sprintf("%d, %d", all, inside)
		}
	}
	if n := len(table.header); len(want) != n*(n-1)/2 {
		t.Errorf("%s has numbers for %d pairs of %d models", ptxPage, len(want), n)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-page +corpus):\n%s", ptxPage, diff)
	}
}

func differences(a, b map[string]result) (all, inside int) {
	for name := range a {
		if a[name].outcome == b[name].outcome {
			continue
		}
		all++
		if !slices.Contains(a[name].flags, outside) && !slices.Contains(b[name].flags, outside) {
			inside++
		}
	}
	return all, inside
}

const outside = "outside-model"

// checkDifferences compares the table that has a column of verdicts for each model, and
// in its first column every test about which some of them differ.
func checkDifferences(t *testing.T, of func(model string) map[string]result) {
	table := tableWith(t, differPage, "test", "ptx")
	columns := table.header[1 : len(table.header)-1] // between the test and the reason
	want := map[string]string{}
	for _, row := range table.rows {
		for _, name := range strings.Fields(row[0]) {
			if want[name] != "" {
				t.Errorf("%s has %s in two rows", differPage, name)
			}
			want[name] = strings.Join(row[1:len(row)-1], " ")
		}
	}
	letters := map[string]string{"allowed": "A", "forbidden": "F"}
	got := map[string]string{}
	for name := range of("ptx") {
		var verdicts []string
		for _, model := range columns {
			verdicts = append(verdicts, letters[of(model)[name].outcome])
		}
		if len(slices.Compact(slices.Clone(verdicts))) > 1 {
			got[name] = strings.Join(verdicts, " ")
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-page +corpus):\n%s", differPage, diff)
	}
}

// TestCudaPage checks that the page has every test of its folder, once, and no other, and
// that the texts of PTX agree on them.
func TestCudaPage(t *testing.T) {
	tests := shippedTests(t, "cuda")
	shipped := slices.Sorted(maps.Keys(tests))
	named := slices.Sorted(slices.Values(slices.Concat(testsUnder(t, cudaPage, "allowed"), testsUnder(t, cudaPage, "forbidden"))))
	if diff := cmp.Diff(shipped, named); diff != "" {
		t.Errorf("%s (-corpus +page):\n%s", cudaPage, diff)
	}
	newest := resultsOf(t, tests, "ptx")
	for _, model := range []string{"ptx-6.0", "ptx-7.5"} {
		for name, r := range resultsOf(t, tests, model) {
			if r.outcome != newest[name].outcome {
				t.Errorf("%s: %s by %s, %s by ptx", name, r.outcome, model, newest[name].outcome)
			}
		}
	}
}

// result is what a model says of a test.
type result struct {
	outcome string // allowed, forbidden or unknown
	flags   []string
}

// resultsOf runs tests under a shipped model.
func resultsOf(t *testing.T, tests map[string]*sim.Test, model string, variants ...string) map[string]result {
	t.Helper()
	m, err := models.Load(model, models.Config{Variants: variants})
	if err != nil {
		t.Fatal(err)
	}
	results := map[string]result{}
	for name, test := range tests {
		r, err := test.Run(context.Background(), m.Model)
		if err != nil {
			t.Fatal(err)
		}
		results[name] = result{r.Outcome().String(), r.Flags}
	}
	return results
}

// shippedTests loads the tests of a folder of the corpus, or of all ("*").
func shippedTests(t *testing.T, folder string) map[string]*sim.Test {
	t.Helper()
	files, err := fs.Glob(litmustests.FS, folder+"/*.litmus")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests (%v)", err)
	}
	tests := map[string]*sim.Test{}
	for _, file := range files {
		text, err := litmustests.FS.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		test, err := sim.Load(src.NewFile(file, string(text)), sim.Defaults())
		if err != nil {
			t.Fatal(err)
		}
		if test.Arch != "PTX" && test.Arch != "GPU_PTX" {
			continue // the models of PTX say nothing of other languages
		}
		tests[test.Name.Text] = test
	}
	return tests
}

// table is a table of a page, its cells without backquotes.
type table struct {
	header []string
	rows   [][]string
}

// tablesOf reads the tables of a page: lines "| cell | cell |". The first line of a table is its
// header, the second a rule.
func tablesOf(t *testing.T, page string) []table {
	t.Helper()
	var tables []table
	inside := false
	for line := range strings.Lines(readPage(t, page)) {
		line = strings.ReplaceAll(strings.TrimSpace(line), "`", "")
		line, isRow := strings.CutPrefix(line, "|")
		cells := strings.Split(strings.TrimSuffix(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch last := len(tables) - 1; {
		case !isRow:
		case !inside:
			tables = append(tables, table{header: cells})
		case len(cells) != len(tables[last].header):
			t.Fatalf("%s: a row of %d cells, not %d: %s", page, len(cells), len(tables[last].header), line)
		case cells[0] != "---":
			tables[last].rows = append(tables[last].rows, cells)
		}
		inside = isRow
	}
	return tables
}

// tableWith is the table whose header begins with one cell and has another.
func tableWith(t *testing.T, page, first, cell string) table {
	t.Helper()
	for _, table := range tablesOf(t, page) {
		if table.header[0] == first && slices.Contains(table.header, cell) {
			return table
		}
	}
	t.Fatalf("%s has no table | %s | … %s …", page, first, cell)
	return table{}
}

// testsUnder is the tests that tables of a page have in the columns of that name.
func testsUnder(t *testing.T, page, column string) []string {
	t.Helper()
	var names []string
	for _, table := range tablesOf(t, page) {
		if i := slices.Index(table.header, column); i >= 0 {
			for _, row := range table.rows {
				names = append(names, strings.Fields(row[i])...)
			}
		}
	}
	return names
}

func readPage(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
