//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package observe_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRecorderWaits holds the lock, as another recorder does while it writes, while a recorder
// writes. On a busy machine the recorder may not have reached the lock when it is checked: then the
// test shows less, but does not fail.
func TestRecorderWaits(t *testing.T) {
	name := filepath.Join(t.TempDir(), "runs.jsonl")
	other, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := syscall.Flock(int(other.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- recordMany(name, 1) }()
	time.Sleep(20 * time.Millisecond)
	if info, err := other.Stat(); err != nil || info.Size() != 0 {
		t.Errorf("the recorder wrote although another has the lock: %v, %v", info, err)
	}
	if _, err := other.WriteString("{\n"); err != nil {
		t.Error(err)
	}
	if err := syscall.Flock(int(other.Fd()), syscall.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	got, errs := readRecords(t, name)
	if diff := cmp.Diff([]string{"runs.jsonl:1:2: this record is cut short"}, errs); diff != "" || len(got) != many {
		t.Errorf("%d records, errors (-want +got)\n%s", len(got), diff)
	}
}
