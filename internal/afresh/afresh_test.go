package afresh_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/muster-gpu/muster/internal/afresh"
)

// TestMain is the child, too: it breaks down twice in the midst of something, does not come back from something else, and then ends.
func TestMain(m *testing.M) {
	if child := afresh.Aboard(); child != nil {
		os.Exit(live(child))
	}
	os.Exit(m.Run())
}

// live is the life of a child, which ends with its status.
func live(child *afresh.Child) int {
	in, err := io.ReadAll(os.Stdin)
	if text, ok := strings.CutPrefix(string(in), idle); ok && err == nil {
		if text == "" || child.Attempt() == 1 {
			time.Sleep(time.Hour)
		}
		return 7
	}
	if err != nil || string(in) != input || afresh.Can() {
		return 9
	}
	switch child.Attempt() {
	case 3:
		_ = child.Doing("what has no end")
		for {
			time.Sleep(time.Hour)
		}
	case 4:
		_ = child.Doing(nil)
		return 7
	}
	if self, err := os.FindProcess(os.Getpid()); err != nil || self.Signal(os.Interrupt) != nil {
		return 9
	}
	_ = child.Doing("something else")
	_ = child.Doing(fmt.Sprint("attempt ", child.Attempt()))
	return 1
}

const input = "read by each child\n"

// idle is the input of a child that tells nothing and does not end; with something behind it, of a first one only.
const idle = "idle\n"

func keep(t *testing.T, text string) *os.File {
	t.Helper()
	f, err := afresh.Keep(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestRun(t *testing.T) {
	if !afresh.Can() {
		t.Skip("processes cannot be started anew on this system")
	}
	var was []string
	status, err := afresh.Run(t.Context(), keep(t, input), time.Second, func(doing json.RawMessage, how error, _ int) error {
		var what string
		var late *afresh.LateError
		if err := json.Unmarshal(doing, &what); err != nil || errors.As(how, &late) != (what == "what has no end") || late == nil && how.Error() != "exit status 1" {
			t.Errorf("%s ended with %v, %v", doing, how, err)
		}
		was = append(was, what)
		return nil
	})
	if err != nil || status != 7 || strings.Join(was, ", ") != "attempt 1, attempt 2, what has no end" {
		t.Errorf("status %d, %v, broken at %q", status, err, was)
	}
	enough := errors.New("enough")
	if _, err := afresh.Run(t.Context(), keep(t, input), time.Hour, func(json.RawMessage, error, int) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("the error is %v", err)
	}
}

// TestIdle: a child that does nothing for too long is killed. The second has a try.
func TestIdle(t *testing.T) {
	if !afresh.Can() {
		t.Skip("processes cannot be started anew on this system")
	}
	broken := func(doing json.RawMessage, how error, _ int) error {
		return fmt.Errorf("it was doing %s, and ended with %w", doing, how)
	}
	if status, err := afresh.Run(t.Context(), keep(t, idle+"once"), time.Second, broken); err != nil || status != 7 {
		t.Errorf("status %d, %v", status, err)
	}
	var late *afresh.LateError
	if _, err := afresh.Run(t.Context(), keep(t, idle), 100*time.Millisecond, broken); !errors.As(err, &late) || strings.Contains(err.Error(), "doing") {
		t.Errorf("the error is %v", err)
	}
}

// TestNoChild: what is no child tells nobody anything.
func TestNoChild(t *testing.T) {
	child := afresh.Aboard()
	if child != nil || child.Attempt() != 0 || child.Doing("something") != nil {
		t.Error("this is a child")
	}
}
