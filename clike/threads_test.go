package clike

import (
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	litmustests "github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/src"
)

// shipped returns the shipped tests in C.
func shipped(t *testing.T) (tests []*litmus.Test) {
	t.Helper()
	names, err := fs.Glob(litmustests.FS, "*/*.litmus")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(litmustests.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		if header, _, _ := strings.Cut(string(text), " "); header == "PTX" || header == "GPU_PTX" {
			continue
		}
		test, err := litmus.Parse(src.NewFile(name, string(text)), Frontend().Formats)
		if err != nil {
			t.Fatal(err)
		}
		tests = append(tests, test)
	}
	return tests
}

// TestSharedThreads: the program of a test is the same whether its threads have been read in
// another test or not.
func TestSharedThreads(t *testing.T) {
	var shared frontend.Shared
	tests, found := shipped(t), 0
	for _, test := range slices.Concat(tests, tests) {
		read := func(s *frontend.Shared) *Program {
			p, err := New(test, frontend.Options{Unroll: frontend.DefaultUnroll, Shared: s})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		p, alone := read(&shared), read(nil)
		prop := test.Cond.Prop
		if !reflect.DeepEqual(p.Paths, alone.Paths) || !reflect.DeepEqual(p.Locs, alone.Locs) || !reflect.DeepEqual(p.Domain(), alone.Domain()) ||
			p.Normalize(prop).String() != alone.Normalize(prop).String() {
			t.Errorf("%s is another program when threads are shared", test.File.Name)
		}
		for i, code := range p.Code {
			if code.key == nil || code.Name != alone.Code[i].Name {
				t.Errorf("%s: thread %s is called %s", test.File.Name, alone.Code[i].Name, code.Name)
			}
			if part, _ := shared.Find(code.key); part != code {
				found++
			}
			for j, in := range code.Code {
				if here := alone.Code[i].At(alone.Code[i].Code[j]); code.At(in) != here {
					t.Errorf("%s: an instruction is at %v, and not at %v", test.File.Name, code.At(in), here)
				}
			}
		}
	}
	if found < len(tests) {
		t.Errorf("%d threads of %d tests were shared", found, 2*len(tests))
	}
}

// TestThreadsThatDiffer: what another test says elsewhere can change the meaning of a thread, and
// then it is not shared.
func TestThreadsThatDiffer(t *testing.T) {
	const thread = "P0@cta 0,gpu 0 (int* x, cuda::barrier<cuda::thread_scope_block>* b) { int r0 = *x; b->arrive_and_wait(); }\n"
	for name, pair := range map[string][2]string{
		"the count of a barrier": {"CUDA a\n{ x=0; b=1; }\n" + thread + "exists (x=1)", "CUDA b\n{ x=0; b=2; }\n" + thread + "exists (x=1)"},
		"which location":         {"CUDA a\n{ x=0; b=1; }\n" + thread + "exists (x=1)", "CUDA b\n{ b=1; x=0; }\n" + thread + "exists (x=1)"},
		"an address":             {"CUDA a\n{ x=0; b=1; y=0; }\n" + thread + "exists (x=1)", "CUDA b\n{ x=0; b=1; y=0; 0:x=y; }\n" + thread + "exists (x=1)"},
		"what is observed":       {"CUDA a\n{ x=0; b=1; }\n" + thread + "exists (x=1)", "CUDA b\n{ x=0; b=1; }\n" + thread + "exists (0:r0=1)"},
		"the width of accesses": {
			"CUDA a\n{ x=0; b=1; y=0; }\n" + thread + "P1@cta 0,gpu 0 (int* y) { *y = 1; }\nexists (x=1)",
			"CUDA b\n{ x=0; b=1; y=0; }\n" + thread + "P1@cta 0,gpu 0 (char* y) { *y = 1; }\nexists (x=1)",
		},
	} {
		var shared frontend.Shared
		var programs [2]*Program
		for i, text := range pair {
			test, err := litmus.Parse(src.NewFile(name, text), Frontend().Formats)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range []*frontend.Shared{nil, &shared} {
				p, err := New(test, frontend.Options{Unroll: frontend.DefaultUnroll, Shared: s})
				if err != nil {
					t.Fatal(err)
				}
				if s != nil && (!reflect.DeepEqual(p.Paths, programs[i].Paths) || !reflect.DeepEqual(p.Code[0].Observed, programs[i].Code[0].Observed)) {
					t.Errorf("%s: the second test has the thread of the first", name)
				}
				programs[i] = p
			}
		}
	}
}

// TestTypesOfInitialStates: the initial state may give locations every type that parameters may
// have.
func TestTypesOfInitialStates(t *testing.T) {
	inner := []string{"auto", "void", "flag", "t", "schar", "llong", "ullong"} // of no location, or only behind atomic_
	for word := range integers {
		if slices.Contains(inner, word) {
			continue
		}
		text := "C types\n{ " + word + " x = 1; }\nP0 (" + word + "* x) { int r0 = *x; }\nexists (0:r0=1)\n"
		test, err := litmus.Parse(src.NewFile(word, text), Frontend().Formats)
		if err == nil {
			_, err = New(test, frontend.Options{Unroll: frontend.DefaultUnroll})
		}
		if err != nil {
			t.Error(err)
		}
	}
}
