package clike_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNamesAreAddresses: in C a condition compares a register with the address of a location that
// it names, as herd does.
func TestNamesAreAddresses(t *testing.T) {
	p, err := read("test", "C test\n{ int *p = &x; int x; }\nP0 (int** p) { int *r0 = *p; }\nexists (0:r0=x)\n")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("exists (0:r0=&x)", p.Test.Cond.String()); diff != "" {
		t.Error(diff)
	}
	if _, err := read("test", "CUDA test\n{ }\nP0@cta 0,gpu 0 (int* x) { int* r0 = x; }\nexists (0:r0=x)\n"); err == nil {
		t.Error("a name is an address in CUDA C++, which herd does not read")
	}
}

// TestTypesInNamespaces: initial states may have the types of C++.
func TestTypesInNamespaces(t *testing.T) {
	p, err := read("test", `CUDA test
{ cuda::atomic<int, cuda::thread_scope_device> f = 2, g; __device__ cuda::std::atomic<int> *p = &f; std::atomic<unsigned> h = 1; }
P0@cta 0,gpu 0 (cuda::atomic<int, cuda::thread_scope_device>* f) { f->store(1); }
exists (f=1 /\ h=1 /\ g=0)
`)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, l := range p.Test.Locations {
		names = append(names, l.Name.Text)
	}
	if diff := cmp.Diff([]string{"f", "g", "p", "h"}, names); diff != "" {
		t.Error(diff)
	}
}
