package terminal

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/muster-gpu/muster/internal/cli/console"
	"github.com/muster-gpu/muster/internal/cli/progress"
)

// TestOneLongTest: on a terminal a bar appears even for a single test if it takes long, and shows
// its progress.
func TestOneLongTest(t *testing.T) {
	t.Setenv("TERM", "xterm")
	screen, tty := open(t, pty.Winsize{Rows: 24, Cols: 150})
	none, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer none.Close()
	for _, begin := range []func(c *console.Console) *console.Bar{
		func(c *console.Console) *console.Bar { return c.Progress("simulating", 1) },
		func(c *console.Console) *console.Bar {
			return c.ProgressBeside(true, console.WatchBar, "simulating", console.Few)
		},
	} {
		bar := begin(console.New(none, tty))
		end := bar.Begin("lock", func() progress.Part {
			return progress.Part{Done: 17, Total: 68, States: 3, Conflicts: 210}
		})
		want := ", 25% of 68 combinations of paths, 3 states, 210 conflicts"
		shown := ""
		// the bar is redrawn repeatedly
		for text := bufio.NewReader(screen); !strings.Contains(shown, want); {
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

// TestTerminalsOfAnyWidth: a terminal that does not report its width, as in a container, has bars,
// too. A line is never wider than the terminal, because it could not be removed.
func TestTerminalsOfAnyWidth(t *testing.T) {
	t.Setenv("TERM", "xterm")
	for width, most := range map[uint16]int{0: 80, 30: 30, 40: 40, 200: 200} {
		screen, tty := open(t, pty.Winsize{Cols: width})
		none, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		c := console.New(none, tty)
		live := c.Live()
		live.Show("%s", strings.Repeat("é", 300))
		live.Show("%d more", 7)
		live.Clear()
		bar := c.Progress("simulating", console.Few)
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
	}
}
