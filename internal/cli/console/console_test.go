package console

import (
	"os"
	"testing"
)

// TestNoTerminal: a character device need not be a terminal.
func TestNoTerminal(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if c := New(null, null); c.OnScreen() || c.ErrOnScreen() {
		t.Errorf("%s is taken for a terminal", os.DevNull)
	}
}
