package verify_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
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

// TestGridOfClusters: clusters divide a grid.
func TestGridOfClusters(t *testing.T) {
	m, err := kernel.Parse(src.NewFile("k.ptx", ".version 8.0 .target sm_90 .address_size 64 .entry k() .reqnctapercluster 2 { ret; }"))
	if err != nil {
		t.Fatal(err)
	}
	for grid, right := range map[verify.Dim]bool{{4, 1, 1}: true, {verify.Any, 1, 1}: true, {}: true, {3, 1, 1}: false} {
		_, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: grid, Block: verify.Dim{32, 1, 1}}})
		if right != (err == nil) || err != nil && !strings.Contains(err.Error(), "clusters of 2 blocks") {
			t.Errorf("grid %v: %v", grid, err)
		}
	}
}
