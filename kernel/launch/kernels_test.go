package launch_test

import (
	"path/filepath"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel/launch"
)

const testdata = "../../verify/testdata/"

func load(t *testing.T, file string) *launch.Program {
	t.Helper()
	m, err := examples.Module(file)
	if err != nil {
		t.Fatal(err)
	}
	return launch.New(m)
}

// schedules returns those that each kernel runs under.
func schedules() []launch.Schedule {
	return []launch.Schedule{
		launch.InOrder(), launch.RoundRobin(), launch.Random(1), launch.Random(2),
		launch.InOrder(7, 3, 1),
	}
}

// TestKernels runs the kernels of the folders as their rows say, under several schedules, and
// compares the findings with the expected ones. In -short mode it runs one kernel of three.
func TestKernels(t *testing.T) {
	runKernels(t, testdata+"kernels/", 60)
	runKernels(t, testdata+"loops/", 30)
	runKernels(t, testdata+"local/", 31)
	runKernels(t, testdata+"opencl/", 30)
	runKernels(t, testdata+"master/", 16)
	runKernels(t, testdata+"async/", 26)
}

func runKernels(t *testing.T, folder string, least int) {
	t.Helper()
	all, err := examples.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, e := range all {
		for _, file := range e.Files {
			seen[file] = true
			if i%sample.Of(1, 3) != 0 {
				continue
			}
			t.Run(filepath.Base(file), func(t *testing.T) {
				program := load(t, file)
				var shown launch.Verdict
				for _, l := range e.Launches {
					for i, s := range schedules() {
						l.Schedule = s
						r, err := program.Run(t.Context(), l)
						if err != nil {
							t.Fatalf("schedule %d: %v", i, err)
						}
						shown = shown.Or(r.Verdict())
					}
				}
				if shown.String() != e.Verdict() {
					t.Errorf("brute force shows %v, not %s", shown, e.Verdict())
				}
			})
		}
	}
	files, _ := filepath.Glob(folder + "*.ptx")
	for _, file := range files {
		if !seen[filepath.Clean(file)] {
			t.Errorf("%s has no row in expected.csv", file)
		}
	}
	if len(all) < least {
		t.Errorf("%d kernels are too few", len(all))
	}
}
