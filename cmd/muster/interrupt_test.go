package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/muster-gpu/muster/bench"
	"github.com/muster-gpu/muster/internal/cli/console"
)

// TestInterrupt: an interrupt ends a run as a limit does. What is known of the running test is
// printed.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes cannot be interrupted there")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	family, _ := bench.Named("reader")
	for name, n := range map[string]int{"1-small": 3, "2-large": 12} {
		text := family.Program(n).PTX()
		if err := os.WriteFile(filepath.Join(dir, name+".litmus"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := &exec.Cmd{Path: self, Args: []string{"muster", "run", "-j", "1", "-m", "sc", dir}}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var records strings.Builder
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		records.WriteString(lines.Text() + "\n")
		if strings.HasPrefix(lines.Text(), "Hash=") && strings.Count(records.String(), "Hash=") == 1 {
			if err := cmd.Process.Signal(os.Interrupt); err != nil { // the large test is running
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != exitLimit {
		t.Errorf("exit status %d, want %d", got, exitLimit)
	}
	if !strings.Contains(records.String(), "Test reader-12 Allowed\n") {
		t.Errorf("what is known of the large test is not printed:\n%s", records.String())
	}
	for _, want := range []string{"reader-12: incomplete: stopped after an interrupt\n", "muster: interrupted\n"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("standard error does not say %q:\n%s", want, stderr.String())
		}
	}
}

// TestInterruptedVerbs: every verb that is interrupted exits with the status of a limit and the
// same message.
func TestInterruptedVerbs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes cannot be interrupted there")
	}
	tests, settings := t.TempDir(), filepath.Join(t.TempDir(), "s.json")
	text := "PTX %s\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x,1 | ld.weak r1,x ;\nexists (P1:r1=1)\n"
	for i := range 3000 {
		name := fmt.Sprintf("t%04d", i)
		if err := os.WriteFile(filepath.Join(tests, name+".litmus"), fmt.Appendf(nil, text, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	long := `{"ctas":1,"threads":32,"tests":{"t0001":{"ctas":1,"threads":32,"loopBound":1,"lines":1,"lineStride":4,"preRounds":1048576}}}`
	if err := os.WriteFile(settings, []byte(long), 0o600); err != nil {
		t.Fatal(err)
	}
	slow := []string{"--machine", "interpreter", "--settings", settings, "--kernel-timeout", "1h", "-n", "10", tests}
	for _, verb := range []struct {
		args []string
		out  string // the file whose appearance shows that the work has begun; "" for standard output
	}{
		{append([]string{"hw", "run"}, slow...), ""},
		{append([]string{"hw", "record", "-o", "OUT"}, slow...), "records.jsonl"},
		{[]string{"hw", "emit", "-o", "OUT", tests}, "programs/"},
		{[]string{"draw", "-o", "OUT", tests}, "pictures/"},
	} {
		t.Run(strings.Join(verb.args[:2], " "), func(t *testing.T) {
			interruptVerb(t, verb.args, verb.out)
		})
	}
}

// interruptVerb starts a verb and interrupts it once it has written something.
func interruptVerb(t *testing.T, args []string, out string) {
	t.Helper()
	dir := t.TempDir()
	to := filepath.Join(dir, out)
	for i, arg := range args {
		if arg == "OUT" {
			args[i] = to + strings.Repeat("/", strings.Count(out, "/"))
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := os.Create(filepath.Join(dir, "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	if out == "" {
		to = stdout.Name()
	}
	var stderr bytes.Buffer
	cmd := &exec.Cmd{Path: self, Args: append([]string{"muster"}, args...), Stdout: stdout, Stderr: &stderr}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for begun := false; !begun; time.Sleep(time.Millisecond) {
		select {
		case <-ended:
			t.Fatalf("it ended before it had written anything:\n%s", stderr.String())
		default:
		}
		info, err := os.Stat(to)
		begun = err == nil && info.Size() > 0
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-ended
	if got := cmd.ProcessState.ExitCode(); got != exitLimit ||
		!strings.HasSuffix(stderr.String(), "muster: interrupted\n") {
		t.Errorf("exit status %d, want %d; standard error:\n%s", got, exitLimit, stderr.String())
	}
}

// TestFullDisk: a full disk ends the invocation and is reported once.
func TestFullDisk(t *testing.T) {
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		var stderr bytes.Buffer
		ctx, stop := context.WithCancelCause(t.Context())
		c := console.New(os.Stdout, os.Stderr)
		c.Stop = stop
		a := &app{console: c, out: io.Discard, err: &stderr, seen: map[int]bool{}}
		for range 3 {
			a.report(&fs.PathError{Op: "write", Path: "x.svg", Err: full})
			a.incomplete("mp", context.Cause(ctx))
		}
		if want := "write x.svg: " + full.Error() + "\n"; stderr.String() != want || ctx.Err() == nil ||
			a.exit() != exitBadInput {
			t.Errorf("%q, want %q; %v, exit status %d", stderr.String(), want, ctx.Err(), a.exit())
		}
	}
}
