package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/muster-gpu/muster/internal/cli/console"
)

// onTerminal runs muster with a pseudo-terminal as standard error, and perhaps as standard output,
// and returns what was written to it.
func onTerminal(t *testing.T, outToo bool, env []string, args ...string) string {
	t.Helper()
	screen, tty, err := pty.Open()
	if err != nil {
		t.Skipf("there is no pseudo-terminal: %v", err)
	}
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{Path: self, Args: append([]string{"muster"}, args...), Stderr: tty}
	cmd.Env = append(os.Environ(), append([]string{"TERM=xterm", "NO_COLOR="}, env...)...)
	if outToo {
		cmd.Stdout = tty
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	written := make(chan string)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, screen) // ends in an error when the other side is closed
		written <- b.String()
	}()
	_ = cmd.Wait()
	if err := tty.Close(); err != nil {
		t.Fatal(err)
	}
	text := <-written
	_ = screen.Close()
	return text
}

// enoughTests is enough tests for a bar.
var enoughTests = []string{"asplos15", "ptx", "cuda"}

// TestProgressBar: a bar is drawn on a terminal, with colours or without, and what is said
// meanwhile stays whole.
func TestProgressBar(t *testing.T) {
	args := append(append([]string{"run", "--states"}, enoughTests...), "nosuchtest")
	for _, tt := range []struct {
		env  string
		want bool
	}{{"A=1", true}, {"NO_COLOR=1", true}, {"TERM=dumb", false}} {
		got := onTerminal(t, false, []string{tt.env}, args...)
		if strings.Contains(got, "simulating ") != tt.want || strings.Contains(got, " [===") != tt.want {
			t.Errorf("%s: a bar is wanted: %v, got %q", tt.env, tt.want, got)
		}
		if !strings.Contains(got, "nosuchtest: no such file or folder, and no shipped test of that name; `muster tests` lists the shipped ones\r\n") {
			t.Errorf("%s: no error about nosuchtest in %q", tt.env, got)
		}
	}
	if got := onTerminal(t, true, nil, append([]string{"compare", "-m", "sc", "-m", "tso"}, enoughTests...)...); !strings.Contains(got, "comparing ") {
		t.Errorf("no bar of compare: %q", got)
	}
}

// TestProgressOfStream: nobody knows how many tests a stream has.
func TestProgressOfStream(t *testing.T) {
	var stream strings.Builder
	for range console.Few {
		stream.WriteString("GPU_PTX a\n{ x; }\n P0 ;\n st.cg [x],1 ;\n(cta P0)\nexists (x=1)\n")
	}
	name := filepath.Join(t.TempDir(), "tests")
	if err := os.WriteFile(name, []byte(stream.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := onTerminal(t, false, nil, "minimize", name); !strings.Contains(got, "minimizing ") {
		t.Errorf("no bar: %q", got)
	}
}

// TestColours: alarms are red on a terminal, but not if no colours are wanted.
func TestColours(t *testing.T) {
	const red = "\x1b[1;31mUNSOUND"
	for env, want := range map[string]bool{"A=1": true, "NO_COLOR=1": false, "TERM=dumb": false} {
		if got := onTerminal(t, true, []string{env}, "check", "-m", "sc", "../../litmus-tests/asplos15"); strings.Contains(got, red) != want {
			t.Errorf("%s: red is wanted: %v", env, want)
		}
	}
}
