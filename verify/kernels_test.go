package verify_test

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// readTable reads the rows of a table, by the names of its columns.
func readTable(t *testing.T, file string) (rows []map[string]string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, column := range lines[0] {
			row[column] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// readModule reads a module of PTX.
func readModule(t testing.TB, file string) *kernel.Module {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := kernel.Parse(src.NewFile(file, string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func dim(t *testing.T, s string) verify.Dim {
	t.Helper()
	d, err := verify.ParseDim(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// said is what a result says, in the words of testdata/kernels/expected.csv.
func said(r *verify.Result) string {
	if r.Verdict == verify.Alarmed {
		return map[verify.AlarmKind]string{
			verify.Race: "race", verify.Divergence: "divergence", verify.Assertion: "assertion",
		}[r.Alarms[0].Kind]
	}
	return r.Verdict.String()
}

// falseAlarms are kernels that are right, and are not seen to be.
var falseAlarms = map[string]string{
	"work-queue": "that a counter gives each thread another value",
}

// otherAlarms are what verify says of kernels in which something else is wrong, too, which a launch does not look for: that one arrives
// at a barrier again before others have come.
var otherAlarms = map[string]string{"producer-consumer-reuse": "divergence"}

// TestKernels compares with what is known of the kernels in testdata, by whichever compiler: what
// goes wrong in a launch that was run must be an alarm, or undecided.
func TestKernels(t *testing.T) {
	decided, total := 0, 0
	for i, row := range readTable(t, "testdata/kernels/expected.csv") {
		if i%sample.Of(1, 4) != 0 {
			continue
		}
		files, err := filepath.Glob("testdata/kernels/" + row["kernel"] + ".*ptx")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no PTX: %v", row["kernel"], err)
		}
		for _, file := range files {
			m := readModule(t, file)
			for _, f := range m.Funcs {
				if !f.Entry {
					continue
				}
				total++
				r, err := verify.Verify(context.Background(), m, f, verify.Config{
					Launch: verify.Launch{Grid: dim(t, row["grid"]), Block: dim(t, row["block"])},
				})
				if err != nil {
					t.Errorf("%s: %v", file, err)
					continue
				}
				switch got := said(r); got {
				case row["verdict"], otherAlarms[row["kernel"]]:
					decided++
				case "undecided":
					t.Logf("%s: %v", file, r.Open)
				default:
					if falseAlarms[row["kernel"]] != "" && row["verdict"] == "verified" {
						continue
					}
					t.Errorf("%s: %s, want %s: %s", file, got, row["verdict"], row["why"])
				}
			}
		}
	}
	if 100*decided < 90*total {
		t.Errorf("%d of %d are decided", decided, total)
	}
}
