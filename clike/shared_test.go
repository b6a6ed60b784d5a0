package clike_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/clike"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// TestSharedTrees: tests that share what was read of their threads have the code that they have
// alone, at their own places, and their own errors.
func TestSharedTrees(t *testing.T) {
	const thread = "P0 (atomic_int* x, int* y) { int r0 = atomic_load(x); *y = r0 + 1; }\n"
	shared := &frontend.Shared{}
	read := func(name, text string, s *frontend.Shared) (*clike.Program, error) {
		test, err := litmus.Parse(src.NewFile(name, text), clike.Frontend().Formats)
		if err != nil {
			t.Fatal(err)
		}
		return clike.New(test, frontend.Options{Unroll: frontend.DefaultUnroll, Shared: s})
	}
	places := func(p *clike.Program) (all []string) {
		for _, in := range p.Code[0].Code {
			all = append(all, fmt.Sprint(p.Code[0].At(in).File.Name, p.Code[0].At(in).Pos(), p.Code[0].At(in).Text()))
		}
		return all
	}
	for _, text := range []string{
		"C one\n{ x=0; y=0; }\n" + thread + "exists (y=1)\n",
		"C two\n{ x=2; y=0; }\n\n" + thread + "exists (0:r0=2)\n",
	} {
		name := strings.Fields(text)[1]
		together, err := read(name, text, shared)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := read(name, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(places(alone), places(together)); diff != "" {
			t.Errorf("(-alone +together):\n%s", diff)
		}
	}
	_, err := read("three", "C three\n{}\nP0 (atomic_int* x, int* y) { int r0 = atomic_load(x); *y = r0 + 1; }\nP1 (atomic_int* x, int* y) { z = r1; }\nexists (y=1)\n", shared)
	_, alone := read("three", "C three\n{}\nP0 (atomic_int* x, int* y) { int r0 = atomic_load(x); *y = r0 + 1; }\nP1 (atomic_int* x, int* y) { z = r1; }\nexists (y=1)\n", nil)
	if err == nil || err.Error() != alone.Error() || !strings.Contains(err.Error(), "three:4:") {
		t.Errorf("together: %v\nalone: %v", err, alone)
	}
}
