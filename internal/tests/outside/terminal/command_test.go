// Package terminal tests the command and the console on a pseudo-terminal.
package terminal

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"

	"github.com/muster-gpu/muster/internal/cli/console"
)

// open opens a pseudo-terminal: what is written to tty is read from screen. Both are closed when
// the test ends.
func open(t *testing.T, size pty.Winsize) (screen, tty *os.File) {
	t.Helper()
	screen, tty, err := pty.Open()
	if err != nil {
		t.Skipf("there is no pseudo-terminal: %v", err)
	}
	t.Cleanup(func() { _, _ = tty.Close(), screen.Close() })
	if err := pty.Setsize(tty, &size); err != nil {
		t.Fatal(err)
	}
	return screen, tty
}

// root is the folder of the project.
const root = "../../../.."

// folder is the folder in which the command is built.
var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "muster-terminal-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// command returns the file of the command, which the first call builds.
var command = sync.OnceValues(func() (string, error) {
	file := filepath.Join(folder, "muster")
	build := exec.Command("go", "build", "-o", file, "./cmd/muster")
	build.Dir, build.Stderr = root, os.Stderr
	return file, build.Run()
})

// onTerminal runs muster with a pseudo-terminal as standard error and, if outToo, as standard
// output. It returns what was written to it.
func onTerminal(t *testing.T, outToo bool, env []string, args ...string) string {
	t.Helper()
	screen, tty := open(t, pty.Winsize{Rows: 24, Cols: 100})
	file, err := command()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(file, args...)
	cmd.Stderr = tty
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
	_ = cmd.Wait() // fails where a test of the command does
	if err := tty.Close(); err != nil {
		t.Fatal(err)
	}
	return <-written
}

// enoughTests are enough tests for a bar.
var enoughTests = []string{"asplos15", "ptx", "cuda"}

// TestProgressBar: a bar is drawn on a terminal, with or without colours, and messages in between
// are not garbled.
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
		if !strings.Contains(got,
			"nosuchtest: no such file or folder, and no shipped test of that name; `muster tests` "+
				"lists the shipped ones\r\n") {
			t.Errorf("%s: no error about nosuchtest in %q", tt.env, got)
		}
	}
	if got := onTerminal(t, true, nil,
		append([]string{"compare", "-m", "sc", "-m", "tso"}, enoughTests...)...); !strings.Contains(got, "comparing ") {
		t.Errorf("no bar of compare: %q", got)
	}
}

// TestProgressOfStream: a bar is drawn for a stream, whose length is unknown.
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

// TestColours: alarms are red on a terminal, unless NO_COLOR is set.
func TestColours(t *testing.T) {
	const red = "\x1b[1;31mUNSOUND"
	for env, want := range map[string]bool{"A=1": true, "NO_COLOR=1": false, "TERM=dumb": false} {
		if got := onTerminal(t, true, []string{env}, "check", "-m", "sc",
			root+"/litmus-tests/asplos15"); strings.Contains(got, red) != want {
			t.Errorf("%s: red is wanted: %v", env, want)
		}
	}
}
