package supervise_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/muster-gpu/muster/internal/cli/supervise"
)

// TestMain is also the child of the tests. It breaks down twice while it does something, hangs
// once, breaks down after reporting that nothing has begun, and then ends.
func TestMain(m *testing.M) {
	if child := supervise.Aboard(); child != nil {
		os.Exit(live(child))
	}
	os.Exit(m.Run())
}

// live is the behaviour of a child. It returns the exit status.
func live(child *supervise.Child) int {
	in, err := io.ReadAll(os.Stdin)
	if text, ok := strings.CutPrefix(string(in), idle); ok && err == nil {
		if text == "" || child.Attempt() == 1 {
			time.Sleep(time.Hour)
		}
		return 7
	}
	if err != nil || string(in) != input || supervise.Can() {
		return 9
	}
	var far int
	if err := child.Before(&far); err != nil || far != 10*(child.Attempt()-1) {
		return 9
	}
	switch child.Attempt() {
	case 3:
		_ = child.Doing("what has no end", 3)
		for {
			time.Sleep(time.Hour)
		}
	case 4:
		_ = child.Doing(nil, 4)
		return 8
	case 5:
		_ = child.Ends(5)
		return 7
	}
	if self, err := os.FindProcess(os.Getpid()); err != nil || self.Signal(os.Interrupt) != nil {
		return 9
	}
	_ = child.Doing("something else", nil)
	_ = child.Doing(fmt.Sprint("attempt ", child.Attempt()), child.Attempt())
	return 1
}

const input = "read by each child\n"

// idle is the input of a child that reports nothing and does not end. With more input behind it,
// only the first child behaves so.
const idle = "idle\n"

func keep(t *testing.T, text string) *os.File {
	t.Helper()
	f, err := supervise.Keep(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestRun(t *testing.T) {
	if !supervise.Can() {
		t.Skip("processes cannot be started anew on this system")
	}
	var was []string
	far, status, err := supervise.Run(t.Context(), keep(t, input), nil, time.Second,
		func(b supervise.Broken) (any, error) {
			var late *supervise.LateError
			if last := string(b.Doing) == `"what has no end"`; errors.As(b.How, &late) != last {
				t.Errorf("%s ended with %v", b.Doing, b.How)
			}
			was = append(was, fmt.Sprintf("%s at %s", b.Doing, b.Far))
			return 10 * len(was), nil // children read it
		})
	const want = `"attempt 1" at 1, "attempt 2" at 2, "what has no end" at 3,  at 4`
	if got := strings.Join(was, ", "); err != nil || status != 7 || string(far) != "5" || got != want {
		t.Errorf("status %d at %s, %v, broken at %s, want %s", status, far, err, got, want)
	}
	enough := errors.New("enough")
	far, _, err = supervise.Run(t.Context(), keep(t, input), nil, time.Hour, func(supervise.Broken) (any, error) {
		return 17, enough
	})
	if !errors.Is(err, enough) || string(far) != "17" {
		t.Errorf("the error is %v at %s", err, far)
	}
}

// TestIdle: a child that is silent for too long is killed, and a second one is tried.
func TestIdle(t *testing.T) {
	if !supervise.Can() {
		t.Skip("processes cannot be started anew on this system")
	}
	broken := func(b supervise.Broken) (any, error) {
		return nil, fmt.Errorf("it was doing %s, and ended with %w", b.Doing, b.How)
	}
	if _, status, err := supervise.Run(t.Context(), keep(t, idle+"once"), nil, time.Second, broken); err != nil ||
		status != 7 {
		t.Errorf("status %d, %v", status, err)
	}
	var late *supervise.LateError
	if _, _, err := supervise.Run(t.Context(), keep(t, idle), nil, 100*time.Millisecond, broken); !errors.As(err,
		&late) || strings.Contains(err.Error(), "doing") {
		t.Errorf("the error is %v", err)
	}
}

// TestNoChild: a process that is not a child reports nothing.
func TestNoChild(t *testing.T) {
	child := supervise.Aboard()
	if child != nil || child.Attempt() != 0 || child.Doing("something", nil) != nil || child.Before(nil) != nil {
		t.Error("this is a child")
	}
}
