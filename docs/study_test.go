package docs_test

import (
	"encoding/csv"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/harness"
	litmustests "github.com/muster-gpu/muster/litmus-tests"
)

// cells are the cells of a row of a table in Markdown.
func cells(line string) (all []string) {
	for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
		all = append(all, strings.TrimSpace(cell))
	}
	return all
}

// TestStudy: the page of the study names tests that there are, the chips as their table does, and incantations by the words of the command
// line in the order of the paper's columns.
func TestStudy(t *testing.T) {
	text, err := os.ReadFile("study.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := regexp.MustCompile("`((?:cl-)?(?:coRR|mp|lb|sb|dlb|cas|exch|sl)[-+][^`]*)`").FindAllStringSubmatch(string(text), -1)
	if len(tests) < 25 {
		t.Errorf("only %d names of tests", len(tests))
	}
	for _, m := range tests {
		if found, err := fs.Glob(litmustests.FS, "*/"+m[1]+".litmus"); err != nil || len(found) != 1 {
			t.Errorf("%s: %v, %v", m[1], found, err)
		}
	}
	table, err := litmustests.FS.ReadFile("asplos15/devices.csv")
	if err != nil {
		t.Fatal(err)
	}
	devices, err := csv.NewReader(strings.NewReader(string(table))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := 0
	for line := range strings.Lines(string(text)) {
		row := cells(strings.TrimSpace(line))
		if words, ok := strings.CutPrefix(row[0], "incantations "); ok && len(row) == 2 {
			some, err := harness.ParseIncantations(strings.Split(row[1], ","))
			want := harness.Incantations{Stress: column&8 > 0, Conflicts: column&4 > 0, Sync: column&2 > 0, Randomize: column&1 > 0}
			if column++; err != nil || some != want {
				t.Errorf("column %s is %s, %v", words, row[1], err)
			}
		}
		for i, d := range devices[1:] {
			if d[0] == row[0] {
				devices = slices.Delete(devices, i+1, i+2)
				if got := strings.Join(row[1:3], ", "); got != d[3]+", "+d[2] || row[4] != "" && !strings.HasPrefix(d[5], row[4]+", "+row[3]) {
					t.Errorf("%s is %v, the table says %v", d[0], row, d)
				}
				break
			}
		}
	}
	if column != 16 || len(devices) > 1 {
		t.Errorf("%d columns of incantations; not there: %v", column, devices[1:])
	}
}
