package docs_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// sightingRow is a row of docs/hopper.md: tests, what ptx says of the outcome that they ask for, and how often it came on the H100 and on the H200.
var sightingRow = regexp.MustCompile("(?m)^\\| (`[^|]*`) \\| (allows|forbids) \\| ([0-9,]+) \\| ([0-9,]+) \\|$")

// TestHopper counts again what docs/hopper.md says was seen.
func TestHopper(t *testing.T) {
	page, err := os.ReadFile("hopper.md")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(command(t), "check", "--observations", "h100", "--observations", "h200", "-m", "ptx", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	type sighting struct {
		Test     string
		AskedFor bool
		Outcome  string
		Devices  []struct {
			Device string
			Count  int64
		}
	}
	seen, allowed := map[string]map[string]int64{}, map[string]bool{}
	for line := range bytes.Lines(out) {
		if !bytes.HasPrefix(line, []byte(`{"type":"outcome"`)) {
			continue
		}
		var s sighting
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		if !s.AskedFor {
			continue
		}
		if seen[s.Test] == nil {
			seen[s.Test] = map[string]int64{}
		}
		for _, d := range s.Devices {
			seen[s.Test][strings.Fields(d.Device)[1]] += d.Count
		}
		allowed[s.Test] = allowed[s.Test] || s.Outcome == "allowed"
	}
	rows := sightingRow.FindAllStringSubmatch(string(page), -1)
	if len(rows) < 15 {
		t.Fatalf("docs/hopper.md has %d rows with counts", len(rows))
	}
	for _, row := range rows {
		for name := range strings.SplitSeq(row[1], ", ") {
			name = strings.Trim(name, "`")
			if seen[name] == nil || allowed[name] != (row[2] == "allows") {
				t.Errorf("%s: ptx allows it: %t; docs/hopper.md says that it %s it", name, allowed[name], row[2])
			}
			for i, chip := range []string{"H100", "H200"} {
				want, err := strconv.ParseInt(strings.ReplaceAll(row[3+i], ",", ""), 10, 64)
				if err != nil || seen[name][chip] != want {
					t.Errorf("%s came %d times on the %s, docs/hopper.md says %s", name, seen[name][chip], chip, row[3+i])
				}
			}
		}
	}
}
