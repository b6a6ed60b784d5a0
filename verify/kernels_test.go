package verify_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/kerneltest"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/verify"
)

// The helpers of kernels' tests, by the names that they have here.
var (
	readTable  = kerneltest.Rows
	readModule = kerneltest.Read
	parsed     = kerneltest.Parse
	dim        = kerneltest.Dim
	said       = kerneltest.Said
	first      = kerneltest.First
	ask        = kerneltest.Verdict
	expect     = kerneltest.Expect
)

const head = kerneltest.Head

// falseAlarms are kernels that are right, and are not seen to be.
var falseAlarms = map[string]string{
	"work-queue": "that a counter gives each thread another value",
}

// otherAlarms are the alarms that verify finds in kernels with a second error that a launch does
// not look for: a thread arrives at a barrier again before others have come.
var otherAlarms = map[string]string{"producer-consumer-reuse": "divergence"}

// TestKernels compares with what is known of the kernels in testdata, by whichever compiler: what
// goes wrong in a launch that was run is an alarm, and what is right is verified.
func TestKernels(t *testing.T) {
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
				r, err := verify.Verify(context.Background(), m, f, verify.Config{
					Launch: verify.Launch{Grid: dim(t, row["grid"]), Block: dim(t, row["block"])},
				})
				if err != nil {
					t.Errorf("%s: %v", file, err)
					continue
				}
				if got := said(r); got != row["verdict"] && got != otherAlarms[row["kernel"]] && falseAlarms[row["kernel"]] == "" {
					t.Errorf("%s: %s, want %s: %s; %v", file, got, row["verdict"], row["why"], r.Open)
				}
			}
		}
	}
}
