package corpus

import (
	"io"
	"slices"
	"testing"
)

// TestStreamsAreNotReadToCountThem: that nobody knows how many tests a stream has is known before a byte
// of it is read, so counting waits for no one.
func TestStreamsAreNotReadToCountThem(t *testing.T) {
	wasRead := false
	f := Finder{Stdin: readerFunc(func([]byte) (int, error) {
		wasRead = true
		return 0, io.EOF
	})}
	inputs, total := f.Counted("sb-inter-cta", "-")
	if total != UnknownTotal || wasRead {
		t.Errorf("%d tests, the stream was read: %v", total, wasRead)
	}
	if n := len(slices.Collect(inputs)); n != 2 || !wasRead {
		t.Errorf("%d inputs, the stream was read: %v", n, wasRead)
	}
	if _, total := f.Counted("sb-inter-cta", "asplos15"); total != 99 {
		t.Errorf("%d tests without a stream, want 99", total)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(into []byte) (int, error) { return f(into) }
