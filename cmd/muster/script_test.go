package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/muster-gpu/muster/internal/testkit/sample"
)

var update = flag.Bool("update", false, "rewrite the expected output in the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"muster": main, "endless": endless})
}

// endless LINE COMMAND… runs a command whose standard input never ends: it repeats the line or, for
// "zeros", consists of zero bytes without a line break. The command must end nevertheless.
func endless() {
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = repeated(os.Args[1]+"\n"), os.Stdout, os.Stderr
	if os.Args[1] == "zeros" {
		cmd.Stdin = repeated("\x00")
	}
	_ = cmd.Run()
	os.Exit(cmd.ProcessState.ExitCode())
}

// repeated is a text that a reader repeats without end.
type repeated string

func (r repeated) Read(b []byte) (int, error) {
	n := 0
	for n+len(r) <= len(b) {
		n += copy(b[n:], r)
	}
	return n, nil
}

// TestScripts runs the scripts of testdata/script. Lines behind [all] run only in make test-all.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			repo, err := filepath.Abs(filepath.Join("..", ".."))
			e.Setenv("REPO", repo)
			e.Setenv("NL", "\n")
			return err
		},
		Condition: func(condition string) (bool, error) {
			if condition != "all" {
				return false, fmt.Errorf("unknown condition [%s]", condition)
			}
			return sample.All(), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":  status,
			"untimed": untimed,
			"noise":   noise,
			"sum":     sum,
		},
	})
}

// status runs a command and checks its exit status: status 2 muster run nosuch.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE COMMAND [ARG…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s: exit status %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

var times = regexp.MustCompile(`(?m)^(Time \S+) [0-9.]+$`)

// untimed compares the standard output with a file, except for times.
func untimed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: untimed FILE")
	}
	got := times.ReplaceAllString(ts.ReadFile("stdout"), "$1 0.00")
	if diff := cmp.Diff(ts.ReadFile(args[0]), got); diff != "" {
		ts.Fatalf("standard output differs from %s (-want +got):\n%s", args[0], diff)
	}
}

// noise writes a file of random bytes: noise FILE SIZE. The seed is fixed, so that failures repeat.
func noise(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: noise FILE SIZE")
	}
	size, err := strconv.Atoi(args[1])
	ts.Check(err)
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o666))
}

// sum checks that the records of files together equal those of another file, in any order: sum
// FILE… is FILE.
func sum(ts *testscript.TestScript, neg bool, args []string) {
	n := len(args)
	if neg || n < 3 || args[n-2] != "is" {
		ts.Fatalf("usage: sum FILE… is FILE")
	}
	var parts []string
	for _, name := range args[:n-2] {
		parts = append(parts, recordsIn(ts, name)...)
	}
	slices.Sort(parts)
	want := recordsIn(ts, args[n-1])
	slices.Sort(want)
	if diff := cmp.Diff(want, parts); diff != "" {
		ts.Fatalf("the records of %s differ from those of %s (-want +got):\n%s",
			strings.Join(args[:n-2], " "), args[n-1], diff)
	}
}

// recordsIn returns the lines of a file of results except those that mark the end of a run.
func recordsIn(ts *testscript.TestScript, name string) []string {
	return slices.DeleteFunc(strings.Split(ts.ReadFile(name), "\n"), func(line string) bool {
		return line == "" || strings.Contains(line, `"end":`)
	})
}
