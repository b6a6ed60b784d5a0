package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/bench"
)

// TestInterrupt: an interrupt ends a run as a limit does. What is known of the test that is
// running is printed.
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
