package verify_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/verify"
)

// TestParseDim: what is no size in full is none, and the error has it as it was typed.
func TestParseDim(t *testing.T) {
	for text, want := range map[string]verify.Dim{
		"64": {64, 1, 1}, "8,4": {8, 4, 1}, "8x4": {8, 4, 1}, "*,2,3": {verify.Any, 2, 3}, "[16, 16]": {16, 16, 1},
	} {
		if got, err := verify.ParseDim(text); err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", ",", "8,", ",8", "8,,8", "8,x", "x8", "8x", "8,8,8,8", "0", "0x10", "-1", "+8", "8 8", "[8", "8]", "[]", "8.0", "many"} {
		if got, err := verify.ParseDim(text); err == nil || !strings.HasPrefix(err.Error(), `"`+text+`" is no size`) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}
