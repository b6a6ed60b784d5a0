package launch_test

import (
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/src"
)

const folder = "../../verify/testdata/kernels/"

func load(t *testing.T, name string) *launch.Program {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := kernel.Parse(src.NewFile(filepath.Base(name), string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return launch.New(m)
}

// rows are the lines of a table, by the names of its columns.
func rows(t *testing.T, name string) (all []map[string]string) {
	t.Helper()
	f, err := os.Open(name)
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
		all = append(all, row)
	}
	return all
}

// dim reads 8, 8x8 or 4x4x2.
func dim(t *testing.T, s string) launch.Dim {
	t.Helper()
	d := [3]int{1, 1, 1}
	for i, part := range strings.Split(s, "x") {
		n, err := strconv.Atoi(part)
		if err != nil {
			t.Fatalf("%q is no extent: %v", s, err)
		}
		d[i] = n
	}
	return launch.Dim{X: d[0], Y: d[1], Z: d[2]}
}

// arguments reads the arguments of a launch: a number; [n], a buffer of n words with numbers that
// differ; [n=v], one of n words v; {n}, n words of shared memory; +n, bytes of dynamic shared memory.
func arguments(t *testing.T, text string, l *launch.Launch) {
	t.Helper()
	number := func(s string) int {
		n, err := strconv.ParseInt(s, 0, 64)
		if err != nil {
			t.Fatalf("argument %q: %v", text, err)
		}
		return int(n)
	}
	for _, s := range strings.Fields(text) {
		inside := strings.Trim(s, "[]{}+")
		switch s[0] {
		case '[':
			length, value, same := strings.Cut(inside, "=")
			b := &launch.Buffer{Name: string(rune('A' + len(l.Args)))}
			for i := range number(length) {
				v := (i*7 + 3) % number(length)
				if same {
					v = number(value)
				}
				b.Bytes = binary.LittleEndian.AppendUint32(b.Bytes, uint32(v))
			}
			l.Args = append(l.Args, launch.Arg{Buffer: b})
		case '{':
			l.Args = append(l.Args, launch.Arg{Shared: 4 * number(inside)})
		case '+':
			l.Dynamic = number(inside)
		default:
			l.Args = append(l.Args, launch.Arg{Value: uint64(number(inside))})
		}
	}
}

// schedules are those that each kernel runs under.
func schedules() []launch.Schedule {
	return []launch.Schedule{launch.InOrder(), launch.RoundRobin(), launch.Random(1), launch.Random(2), launch.InOrder(7, 3, 1)}
}

// TestKernels runs every kernel of the folder as its row says, under several schedules: brute force
// finds what is expected of it. A row is also that of the kernel as other compilers write it.
func TestKernels(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range rows(t, folder+"expected.csv") {
		files, err := filepath.Glob(folder + row["kernel"] + ".ptx")
		if err != nil || len(files) != 1 {
			t.Errorf("%s has no PTX", row["kernel"])
		}
		others, _ := filepath.Glob(folder + row["kernel"] + ".*.ptx")
		for _, file := range append(files, others...) {
			seen[file] = true
			t.Run(filepath.Base(file), func(t *testing.T) {
				var shown launch.Verdict
				for _, args := range strings.Split(row["arguments"], "|") {
					for i, s := range schedules() {
						l := launch.Launch{Grid: dim(t, row["grid"]), Block: dim(t, row["block"]), Schedule: s}
						arguments(t, args, &l)
						r, err := load(t, file).Run(t.Context(), l)
						if err != nil {
							t.Fatalf("schedule %d: %v", i, err)
						}
						shown = shown.Or(r.Verdict())
					}
				}
				if shown.String() != row["verdict"] {
					t.Errorf("brute force shows %v, not %s", shown, row["verdict"])
				}
			})
		}
	}
	all, _ := filepath.Glob(folder + "*.ptx")
	for _, file := range all {
		if !seen[file] {
			t.Errorf("%s has no row in expected.csv", file)
		}
	}
	if len(seen) < 60 {
		t.Error(fmt.Sprint(len(seen)), "kernels")
	}
}
