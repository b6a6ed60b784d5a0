package fast

import (
	"math"
	"testing"
)

// TestWords: words come back, one after the other, whatever bytes they have.
func TestWords(t *testing.T) {
	words := []uint64{0, 1, 1 << 63, math.MaxUint64, 0xff00ff, 0x0100000000000080}
	var packed []byte
	for _, w := range words {
		packed = appendWord(packed, w)
	}
	for _, want := range words {
		var got uint64
		if got, packed = cutWord(packed); got != want {
			t.Errorf("%#x comes back as %#x", want, got)
		}
	}
	if len(packed) > 0 {
		t.Errorf("%d bytes are left over", len(packed))
	}
}
