package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestInterruptedTune: an interrupted search prints the best settings so far and reports the
// interrupt, not the GPU's error. Several interrupts at once count as one.
func TestInterruptedTune(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes cannot be interrupted there")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{
		Path: self,
		Args: []string{"muster", "hw", "tune", "--machine", "weak", "--draws", "100000", "mp-inter-cta"},
	}
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var last string
	lines := bufio.NewScanner(stderr)
	for n := 0; lines.Scan(); n++ {
		last = lines.Text()
		if n == 1 {
			for range 3 { // timeout(1) interrupts a process and then its group
				if err := cmd.Process.Signal(os.Interrupt); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Millisecond)
			}
		}
	}
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != exitLimit || last != "muster: interrupted" ||
		!strings.HasPrefix(stdout.String(), `{"oneInstance":`) {
		t.Errorf("exit status %d, %q, standard output %q", got, last, stdout.String())
	}
}
