package verify_test

import (
	"context"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/verify"
)

// many are the modules of testdata/many, and their launches. Kernels there are named wrong_… or
// right_….
var many = []struct{ module, grid, block string }{
	{"threads", "1", "64"},
	{"grids", "2,2", "8,4,2"},
	{"rounds", "2", "16"},
	{"streams", "4", "32"},
	{"images", "4,4", "16,16"},
	{"memory", "2", "64"},
	{"groups", "2", "64"},
	{"places", "4", "64"},
	{"named", "2", "128"},
	{"lanes", "2", "128"},
	{"teams", "2", "128"},
	{"roles", "2", "64"},
	{"pipelines", "1", "160"},
}

// unseen are kernels that are right, and not seen to be.
var unseen = map[string]string{
	"right_two_ahead": "that two rounds follow, of numbers that may be near 2^31, takes too many conflicts",
}

// lengthy are kernels that take more than a quarter of a second.
var lengthy = map[string]bool{
	"right_vol": true, "right_chunks": true, "right_lu_col": true, "wrong_chunk_zero": true, "wrong_mod7": true, "wrong_collatz": true, "right_hist_local_merge": true, "right_two_ahead": true,
}

// TestMany: wrong kernels are not verified, and right ones are. They have features that are easily
// mistaken: masks of half a warp, accesses of several sizes, indices that wrap around, and barriers
// in loops that threads leave early.
func TestMany(t *testing.T) {
	for _, m := range many {
		module := readModule(t, "testdata/many/"+m.module+".ptx")
		launch := verify.Launch{Grid: dim(t, m.grid), Block: dim(t, m.block)}
		for i, f := range module.Funcs {
			if f.Entry && (sample.All() || i%2 == 0 && !lengthy[f.Name]) {
				t.Run(f.Name, func(t *testing.T) { rightly(t, module, f, launch) })
			}
		}
	}
}

// rightly verifies a kernel if, and only if, it is right.
func rightly(t *testing.T, module *kernel.Module, f *kernel.Function, launch verify.Launch) {
	t.Helper()
	r, err := verify.Verify(context.Background(), module, f, verify.Config{Launch: launch, Alarms: 1})
	if err != nil {
		t.Fatal(err)
	}
	right := strings.HasPrefix(f.Name, "right_") && unseen[f.Name] == ""
	if verified := r.Verdict == verify.Verified; verified != right {
		t.Errorf("%s, with %v %v", said(r), r.Alarms, r.Open)
	}
}
