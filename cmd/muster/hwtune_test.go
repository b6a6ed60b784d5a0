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

// TestInterruptedTune: a search that is interrupted prints the best so far, and says that it was interrupted, not what the GPU was doing. Interrupts that come at once are one.
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
			for range 3 { // as timeout interrupts a process, and then its group
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
