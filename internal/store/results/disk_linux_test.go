package results_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/muster-gpu/muster/internal/store/results"
)

// smallDisk returns a folder on a file system of 64 KiB, where this process may mount one.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("no disk can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestFullDisk fills a disk: the failure is reported, written records stay, and with more space the
// same run continues.
func TestFullDisk(t *testing.T) {
	dir := smallDisk(t)
	name := filepath.Join(dir, "r.jsonl")
	f := open(t, name)
	written := 0
	var err error
	for err == nil {
		if err = f.Add(sample(fmt.Sprint("test", written))); err == nil {
			written++
		}
	}
	if f.Added() != written {
		t.Errorf("%d records are said to be added, of %d", f.Added(), written)
	}
	f.Close()
	if !errors.Is(err, syscall.ENOSPC) ||
		!strings.HasSuffix(err.Error(), "r.jsonl stays, and the same command goes on with it") {
		t.Errorf("got %v", err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=128k"); err != nil {
		t.Fatal(err)
	}
	if f, err = results.Open(name, func(error) {}); err != nil {
		t.Fatal(err)
	}
	if f.Len() != written || written < 50 {
		t.Errorf("%d records are there, of %d", f.Len(), written)
	}
	add(t, f, sample("another"))
	f.Close()
	if got, errs := lines(t, name); len(got) != written+1 || errs != nil {
		t.Errorf("%d records, errors %q", len(got), errs)
	}
}

// TestReadOnlyDisk: a read-only disk is reported before any test runs.
func TestReadOnlyDisk(t *testing.T) {
	dir := smallDisk(t)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "size=64k"); err != nil {
		t.Fatal(err)
	}
	if _, err := results.Open(filepath.Join(dir, "r.jsonl"), func(error) {}); !errors.Is(err, syscall.EROFS) {
		t.Errorf("got %v, want %v", err, syscall.EROFS)
	}
}
