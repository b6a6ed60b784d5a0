package console

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/muster-gpu/muster/internal/cli/progress"
)

// TestBarText: nothing is said of a rate that is not known yet, and a slow one is not 0.
func TestBarText(t *testing.T) {
	for want, s := range map[string]progress.State{
		" 1MiB":                            {Memory: 1 << 20},
		" 0.25/s, 8s left, 1MiB":           {Rate: 0.25, ETA: 8, Memory: 1 << 20},
		" 1234/s, 2s left, 1 failed, 1MiB": {Rate: 1234.4, ETA: 2, Failed: 1, Memory: 1 << 20},
	} {
		if got := barText(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestOneLongTest: on a terminal a bar comes for a single test, too, if it takes long, and says how far that is.
func TestOneLongTest(t *testing.T) {
	t.Setenv("TERM", "xterm")
	screen, tty, err := pty.Open()
	if err != nil {
		t.Skipf("there is no pseudo-terminal: %v", err)
	}
	defer screen.Close()
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 150}); err != nil {
		t.Fatal(err)
	}
	none, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer none.Close()
	for _, begin := range []func(c *Console) *Bar{
		func(c *Console) *Bar { return c.Progress("simulating", 1) },
		func(c *Console) *Bar { return c.ProgressBeside(true, WatchBar, "simulating", Few) },
	} {
		bar := begin(New(none, tty))
		end := bar.Begin("lock", func() progress.Part {
			return progress.Part{Done: 17, Total: 68, States: 3, Conflicts: 210}
		})
		want := ", 25% of 68 combinations of paths, 3 states, 210 conflicts"
		shown := ""
		for text := bufio.NewReader(screen); !strings.Contains(shown, want); { // the bar is drawn again and again
			line, err := text.ReadString('\r')
			if shown += line; err != nil {
				t.Fatalf("%v, after %q", err, shown)
			}
		}
		end()
		bar.Next()
		bar.Done()
	}
}

// TestTerminalsOfAnyWidth: a terminal that does not tell its width, as in a container, has bars, too; a line is never longer than
// the terminal is wide, or it could not be taken away.
func TestTerminalsOfAnyWidth(t *testing.T) {
	t.Setenv("TERM", "xterm")
	for width, most := range map[uint16]int{0: 80, 30: 30, 40: 40, 200: 200} {
		screen, tty, err := pty.Open()
		if err != nil {
			t.Skipf("there is no pseudo-terminal: %v", err)
		}
		if err := pty.Setsize(tty, &pty.Winsize{Cols: width}); err != nil {
			t.Fatal(err)
		}
		none, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		console := New(none, tty)
		live := console.Live()
		live.Show("%s", strings.Repeat("é", 300))
		live.Show("%d more", 7)
		live.Clear()
		bar := console.Progress("simulating", Few)
		shown := ""
		for text := bufio.NewReader(screen); !strings.Contains(shown, "sim"); {
			line, err := text.ReadString('m')
			if shown += line; err != nil {
				t.Fatalf("width %d: %v, after %q", width, err, shown)
			}
		}
		bar.Done()
		lines := strings.Split(shown, "\r\x1b[K")
		if n := len([]rune(lines[1])); n < most-2 || n >= most || lines[2] != "7 more" {
			t.Errorf("width %d: %d letters, then %q", width, n, lines[2])
		}
		_ = none.Close()
		_ = tty.Close()
		_ = screen.Close()
	}
}
