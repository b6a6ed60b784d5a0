package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/muster-gpu/muster/bench"
	litmustests "github.com/muster-gpu/muster/litmus-tests"
)

// suite is a list of command lines about inputs that it writes into a folder. The command lines run
// in that folder.
type suite struct {
	name, about string
	cases       func(folder string) (commands [][]string, err error)
}

var suites = []suite{
	{"shipped", "the shipped tests: models × efforts × engines", shipped},
	{"explain", "explanations and drawings of the shipped tests", explain},
	{"grown", "programs that grow with a parameter", grown},
	{"random", "random programs and models, from fixed seeds", random},
	{"kernels", "the kernels of verify/testdata in their launches", kernels(launched(""))},
	{"kernels-lockstep", "the same, each warp in lockstep", kernels(launched("--warps lockstep"))},
	{"kernels-nowrap", "the same, no index overflows", kernels(launched("--index-arithmetic nowrap"))},
	{"kernels-threads", "the same, one block of four threads as a whole", kernels(few)},
	{"kernels-open", "the kernels of verify/testdata with blocks of 64 threads in any grid", openKernels},
	{"kernels-contracts", "the kernels of verify/testdata that have contracts", contracts},
	{"kernels-peers", "GPUVerify's test suite, if ../shared/peer-tests has it", peers},
}

// ptxModels are the models under which the PTX tests are judged.
var ptxModels = []string{"ptx", "ptx-7.5", "ptx-6.0", "sc", "tso", "rmo"}

// cModels are the models under which the tests in C, OpenCL C and CUDA C++ are judged.
var cModels = []string{"rc11", "rc11-scoped", "sc", "ptx"}

// folders are the folders of the shipped tests, by language.
var folders = []struct {
	name   string
	models []string
}{
	{"asplos15", []string{"ptx-asplos15", "sc", "tso", "rmo"}},
	{"ptx", ptxModels},
	{"cuda", ptxModels},
	{"async", []string{"ptx"}},
	{"c", cModels},
	{"opencl", append([]string{"opencl"}, cModels...)},
	{"cpp", cModels},
}

// shipped asks for verdicts, states and counts of the shipped tests.
func shipped(folder string) (commands [][]string, err error) {
	for _, f := range folders {
		for _, model := range f.models {
			for _, effort := range []string{"", "--states", "--quick", "--engine=learning"} {
				if effort != "" && model == "rmo" {
					continue
				}
				commands = append(commands, words("run --json --no-time -j 1 -m", model, effort, f.name))
			}
			commands = append(commands, words("run --no-time --show -j 1 -m", model, f.name))
		}
		commands = append(commands, words("run --json --no-time -j 1 --engine=naive --max-candidates 200", f.name))
	}
	return commands, writeShipped(folder)
}

// explain asks for explanations and for drawings as text.
func explain(folder string) (commands [][]string, err error) {
	for _, f := range folders {
		for _, model := range f.models[:min(2, len(f.models))] {
			commands = append(commands, words("explain --json -j 1 -m", model, f.name))
		}
		commands = append(commands, words("explain -j 1", f.name), words("draw -T txt -j 1", f.name))
	}
	return commands, writeShipped(folder)
}

// words splits texts at blanks into the words of a command line.
func words(texts ...string) []string { return strings.Fields(strings.Join(texts, " ")) }

// writeShipped writes the shipped tests into a folder, without their tables.
func writeShipped(folder string) error {
	return fs.WalkDir(litmustests.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".litmus" {
			return err
		}
		text, err := fs.ReadFile(litmustests.FS, name)
		if err != nil {
			return err
		}
		return write(filepath.Join(folder, filepath.FromSlash(name)), text)
	})
}

func write(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o666)
}

// growth is a program of package bench and its sizes, lists of "n" or "n,rounds", at which a second
// or two suffice to count its executions, to find its states, and to find its verdict, under the
// model ptx.
type growth struct{ name, counts, states, quick string }

var growths = []growth{
	{"spin-lock", "2 2,2", "2,3 3", "3,2 4"},
	{"ttas-lock", "2", "2", "2,2"},
	{"ticket-lock", "2", "2 3", "4"},
	{"grid-barrier", "2 3", "4", "5 6"},
	{"grid-sync", "2", "2 3", "4"},
	{"tree-sum", "2 4", "4 8", "16"},
	{"scan", "2 3", "3", "8"},
	{"pipeline", "1,2 1,4", "2,4", "4,8"},
	{"lost-pipeline", "1,2", "1,4 2,3", "2,8"},
	{"relax", "2,2", "3,2", "4,4"},
	{"ring", "2", "4", "8"},
	{"deque", "1", "2", "3"},
	{"counter", "2,2 3,2", "3,2 4,2", "6,2"},
	{"tally", "2 3", "3 4", "4,2"},
	{"chain", "2 4", "4 8", "20"},
	{"latch", "2 3", "3 5", "10"},
	{"mbarrier-pipeline", "1,2", "1,3", "2,6"},
	{"bulk-pipeline", "1,2", "1,4", "1,10"},
	{"look-back", "2", "3", "5"},
	{"halo", "2,2", "3", "4,3"},
	{"dekker", "2", "2", "2,2"},
	{"last-block", "2 3", "3 4", "6"},
}

// familySizes are the sizes of the straight-line families of package bench. States and counts are
// asked for up to mostCounted.
var familySizes = []int{2, 3, 4, 5, 8, 12}

const mostCounted = 8

// grown asks about programs that grow: with few events and many, with one path and thousands.
func grown(folder string) (commands [][]string, err error) {
	ask := func(name, effort string, models ...string) {
		for _, model := range models {
			commands = append(commands, words("run --json --no-time -j 1 -m", model, effort, name))
		}
	}
	for _, g := range growths {
		for _, want := range []struct{ effort, sizes string }{
			{"", g.counts},
			{"--states", g.states},
			{"--quick", g.quick},
		} {
			for _, size := range strings.Fields(want.sizes) {
				name, err := writeKernel(folder, g.name, size)
				if err != nil {
					return nil, err
				}
				ask(name, want.effort, "ptx")
				if want.effort == "" {
					ask(name, "", "sc")
					ask(name, "--states", "ptx", "sc")
					ask(name, "--quick", "ptx", "sc")
					ask(name, "--engine=learning", "ptx", "sc")
					commands = append(commands, words("explain --json -j 1", name))
				}
			}
		}
	}
	for _, f := range bench.Families {
		for _, n := range familySizes {
			if n < f.From {
				continue
			}
			name := fmt.Sprintf("%s-%d.litmus", f.Name, n)
			if err := write(filepath.Join(folder, name), []byte(f.Program(n).PTX())); err != nil {
				return nil, err
			}
			ask(name, "--quick", "ptx", "sc")
			if n <= mostCounted {
				ask(name, "", "ptx", "sc")
				ask(name, "--states", "ptx", "sc")
			}
		}
	}
	more, err := askLarge(folder)
	if err != nil {
		return nil, err
	}
	commands = append(commands, more...)
	for _, fsys := range []fs.FS{bench.Pointers, bench.Languages} {
		names, err := fs.Glob(fsys, "*/*.litmus")
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := fs.ReadFile(fsys, name)
			if err != nil {
				return nil, err
			}
			if err := write(filepath.Join(folder, filepath.FromSlash(name)), text); err != nil {
				return nil, err
			}
			commands = append(commands, words("run --json --no-time -j 1 --quick", name))
		}
	}
	return commands, nil
}

// writeKernel writes a program of package bench into a folder and returns its file name. A size is
// "n" or "n,rounds".
func writeKernel(folder, name, size string) (file string, err error) {
	k, ok := bench.KernelNamed(name)
	if !ok {
		return "", fmt.Errorf("package bench has no kernel %q", name)
	}
	n, rounds := 0, 1
	if _, err := fmt.Sscanf(size, "%d,%d", &n, &rounds); n == 0 {
		return "", fmt.Errorf("%s: size %q: %w", name, size, err)
	}
	file = fmt.Sprintf("%s-%d-%d.litmus", name, n, rounds)
	return file, write(filepath.Join(folder, file), []byte(k.Make(n, rounds)))
}
