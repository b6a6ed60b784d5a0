package harness_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/harness"
)

// compiled compiles an emitted program, with a fake driver.
func compiled(t *testing.T, program string) (file string) {
	t.Helper()
	compiler, err := exec.LookPath("g++")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("no g++: emitted programs are not run; it comes with the package g++")
	}
	folder := t.TempDir()
	source, driver, file := filepath.Join(folder, "emitted.cu"), filepath.Join(folder, "libcuda.so"),
		filepath.Join(folder, "emitted")
	if err := os.WriteFile(source, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{
			"-shared", "-fPIC", "-x", "c", filepath.Join("cuda", "testdata", "fakecuda.c"), "-o",
			driver, "-lm", "-lpthread",
		},
		{"-x", "c++", "-Wall", "-Wextra", "-Werror", "-Itestdata", source, "-o", file, "-x", "none", driver},
	} {
		cmd := exec.Command(map[bool]string{true: "gcc", false: compiler}[args[0] == "-shared"], args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return file
}

// launchesOf returns the launches of the test by an emitted program, each with its parameters by
// name.
func launchesOf(t *testing.T, file string) (all []map[string]int) {
	t.Helper()
	told := filepath.Join(t.TempDir(), "l")
	cmd := exec.Command(file, "500000", "7")
	cmd.Env = append(os.Environ(), "FAKECUDA=memory 4000000000\ncounts zeros\nlaunches "+told)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Histogram (1 states)") {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(told)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if words[0] != harness.TestEntry {
			continue
		}
		one := map[string]int{}
		for _, w := range words[1:] {
			name, value, _ := strings.Cut(w, "=")
			one[name], _ = strconv.Atoi(value)
		}
		all = append(all, one)
	}
	return all
}

// TestEmittedLaunches: the launches of an emitted program vary as those of a run do, and each has
// consistent parameters.
func TestEmittedLaunches(t *testing.T) {
	s := harness.Usual()
	s.VaryThreads, s.InTurns = true, 30
	for name, text := range map[string]string{
		"mp":       mp,
		"all":      scoped,
		"barriers": ctasWithBarriers,
		"kernels":  kernels,
	} {
		p, err := plan(t, parse(t, text), harness.SM90)
		if err != nil {
			t.Fatal(err)
		}
		program, err := p.Emit(s)
		if err != nil {
			t.Fatal(err)
		}
		values := map[string]map[int]bool{}
		launches := launchesOf(t, compiled(t, program))
		for _, l := range launches {
			for what, v := range l {
				if values[what] == nil {
					values[what] = map[int]bool{}
				}
				values[what][v] = true
			}
			checkLaunch(t, name, s, l)
		}
		if len(launches) < 8 {
			t.Errorf("%s: %d launches", name, len(launches))
		}
		for _, what := range []string{
			"stride", "grid", "block", "instances", "lines", "slot1_mul", "slot1_add", "launch", "pre_rounds",
			"stress_rounds", "patience", "cluster_mul",
		} {
			// barriers leave few warps
			fixed := what == "block" && name != "mp" && name != "kernels" || what == "launch" && name == "kernels"
			if len(values[what]) < 2 && !fixed {
				t.Errorf("%s: %s is %v in all launches", name, what, values[what])
			}
		}
		// a thread at a barrier waits for the others
		if turns := name == "mp" || name == "kernels"; values["together"][0] != turns {
			t.Errorf("%s: together is %v", name, values["together"])
		}
	}
}

// checkLaunch checks the relations between the parameters of a launch.
func checkLaunch(t *testing.T, name string, s harness.Settings, l map[string]int) {
	t.Helper()
	for what, right := range map[string]bool{
		"grid": l["grid"] == l["places"]*l["ctas"] && l["places"] >= l["clusters"] &&
			l["places"] <= l["clusters"]+s.StressCTAs,
		"block":     l["block"] == 32*l["warps"],
		"instances": l["instances"] == l["clusters"]*l["ctas"]*l["warps"]*l["lanes"] && l["playing"] == l["instances"],
		"stride":    l["stride"]%4 == 0 && l["stride"] <= max(s.Stride, 64),
		"lines":     1 <= l["lines"] && l["lines"] <= s.Lines,
		"patience":  l["patience"] == 0 || l["patience"] == s.Patience && l["together"] == 1,
		"conflicts": l["conflicts_at"] <= l["shared"],
	} {
		if !right {
			t.Errorf("%s: %s of a launch with %v", name, what, l)
		}
	}
	for _, permuted := range []string{"slot0", "slot1", "cluster", "warp"} {
		of := map[string]int{"cluster": l["places"], "warp": l["warps"]}[permuted]
		if of == 0 {
			of = l["instances"]
		}
		if mul, add := l[permuted+"_mul"], l[permuted+"_add"]; gcd(mul, of) != 1 || add >= of {
			t.Errorf("%s: %s", name, fmt.Sprint(permuted, mul, add, of))
		}
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
