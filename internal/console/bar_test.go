package console

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/muster-gpu/muster/internal/progress"
)

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
