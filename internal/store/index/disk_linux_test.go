package index_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/muster-gpu/muster/internal/store/index"
)

// disk returns a folder on a file system of its own with the given size, where this process may
// mount one.
func disk(t *testing.T, size string) (dir string, remount func(flags uintptr)) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, size); err != nil {
		t.Skipf("no disk can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir, func(flags uintptr) {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|flags, size); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReadOnlyDisk: an index on a read-only disk answers questions.
func TestReadOnlyDisk(t *testing.T) {
	dir, remount := disk(t, "size=4m")
	name := filepath.Join(dir, "r.sqlite")
	x, err := index.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	load(t, x, campaign(t, t.TempDir()))
	want := ask(t, x, "summary 1 2")
	x.Close()
	remount(syscall.MS_RDONLY)
	reader, err := index.Ask(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if got := ask(t, reader, "summary 1 2"); got != want || got == "" {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestFullDisk: an import on a full disk does not claim to have stored what it could not; with more
// space the next import continues.
func TestFullDisk(t *testing.T) {
	dir, _ := disk(t, "size=192k")
	x, err := index.Open(t.Context(), filepath.Join(dir, "r.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	filler := filepath.Join(dir, "filler")
	file, err := os.Create(filler)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = file.Write(make([]byte, 4096))
	}
	file.Close()
	results := campaign(t, t.TempDir())
	if found, err := x.Import(t.Context(), []string{results}, func(err error) { t.Error(err) }); err == nil ||
		found.Records != 0 {
		t.Errorf("%d records taken in, error %v", found.Records, err)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	load(t, x, results)
	if ask(t, x, "summary 1 2") == "" {
		t.Error("no answer")
	}
}
