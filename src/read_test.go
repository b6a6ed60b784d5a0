package src_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/src"
)

// forever is an endless text.
type forever struct{}

func (forever) Read(b []byte) (int, error) { return copy(b, "y\n"), nil }

// TestRead: Read reads a whole text, but not more than its bound.
func TestRead(t *testing.T) {
	if _, err := src.Read(forever{}, 1000); err == nil || err.Error() != "a text with more than 1000 bytes" {
		t.Errorf("without end: %v", err)
	}
	const text = "let a = po\n"
	if got, err := src.Read(strings.NewReader(text), int64(len(text))); got != text || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	name := filepath.Join(t.TempDir(), "model.cat")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := src.ReadFile(name, int64(len(text))); got != text || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := src.ReadFile(name, 3); err == nil || err.Error() != "read "+name+": a text with more than 3 bytes" {
		t.Errorf("too long: %v", err)
	}
	if _, err := src.ReadFile(name+"x", 3); !os.IsNotExist(err) {
		t.Errorf("not there: %v", err)
	}
	if _, err := os.Stat("/dev/zero"); err == nil {
		if _, err := src.ReadFile("/dev/zero", 1<<20); err == nil {
			t.Error("a device has an end")
		}
	}
}
