package corpus

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// wild are names of tests that are unsafe or clash as file names. Each must get a file of its own
// inside the folder.
var wild = []string{"../../evil", "same", "same-2", "same", "Same", "", ".hidden", "a:b"}

func TestFileNames(t *testing.T) {
	var names FileNames
	for i, test := range wild {
		want := []string{"_._.._evil", "same", "same-2", "same-3", "Same-4", "_", "_hidden", "a_b"}[i]
		if got := names.Of(test); got != want {
			t.Errorf("%q: got %q, want %q", test, got, want)
		}
	}
}

// TestSinks writes tests with such names to folders and archives: each gets a file of its own, in
// the folder.
func TestSinks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "tests")
	var archive bytes.Buffer
	for _, s := range []Sink{NewFolder(dir, 0), NewTar(&archive)} {
		for _, name := range wild {
			if err := s.Write(name, "test "+name); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var inFolder, inTar []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		inFolder = append(inFolder, e.Name())
	}
	for r := tar.NewReader(&archive); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		inTar = append(inTar, h.Name)
	}
	if len(inFolder) != len(wild)+1 || !slices.Contains(inFolder, listName) {
		t.Errorf("%d tests are %q in a folder", len(wild), inFolder)
	}
	slices.Sort(inTar)
	if want := slices.DeleteFunc(inFolder, func(name string) bool {
		return name == listName
	}); !slices.Equal(inTar, want) {
		t.Errorf("in a folder %q, in an archive %q", want, inTar)
	}
	if outside, _ := filepath.Glob(filepath.Join(dir, "..", "..", "*")); len(outside) != 1 {
		t.Errorf("outside of the folder: %q", outside)
	}
}

// TestEnded: the error for a folder that would get too many files gives their number, and says that
// there are more if the collection was cut short.
func TestEnded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	fill := func(tests int) error {
		s := NewFolder(dir, 2)
		for i := range tests {
			if err := s.Write(string(rune('a'+i)), "text"); err != nil {
				t.Fatal(err)
			}
		}
		return s.Close()
	}
	const rest = " tests would be as many files in "
	advice := dir + ", and nothing is written: --files 0 writes them, -o " + dir + ".tar makes one file of them"
	for _, tt := range []struct {
		tests int
		cause error
		want  string
	}{
		{3, nil, "3" + rest + advice},
		{3, context.Canceled, "context canceled\nmore than 3" + rest + advice},
		{2, context.Canceled, "context canceled"},
	} {
		if got := Ended(fill(tt.tests), tt.cause); got == nil || got.Error() != tt.want {
			t.Errorf("%d tests, %v: got %q, want %q", tt.tests, tt.cause, got, tt.want)
		}
	}
	if err := Ended(fill(2), nil); err != nil {
		t.Error(err)
	}
}
