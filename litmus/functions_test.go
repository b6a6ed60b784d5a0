package litmus

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/src"
)

// functionFormats are formats whose threads are functions.
var functionFormats = []*Format{
	{Arch: "C", Layout: Functions{}, Machine: GPU},
	{Arch: "OPENCL", Layout: Functions{}, Machine: openCLMachine()},
}

// openCLMachine is GPU in the words of OpenCL.
func openCLMachine() Machine {
	m := GPU
	m.Levels = slices.Clone(m.Levels)
	m.Levels[CTA].Header, m.Levels[Device].Header = "wg", "dev"
	return m
}

func parseFunctions(t *testing.T, text string) *Test {
	t.Helper()
	test, err := Parse(src.NewFile("test.litmus", text), functionFormats)
	if err != nil {
		t.Fatalf("%v\n---\n%s", err, text)
	}
	return test
}

const openCL = `OPENCL mp
"message passing"
{ [x] = 0; int *p = &x; }
P0@wg 0, dev 0 (global atomic_int* x, int (*p)) {
  /* a } in a comment */ atomic_store(x, 1); // another }
  if (*p) { *p = '}'; }
}

P1@wg 1,dev 0 (global atomic_int* x)
{
  int r0 = atomic_load(x);
}
locations [x;]
exists (1:r0=1 /\ x=1)
`

func TestFunctions(t *testing.T) {
	test := parseFunctions(t, openCL)
	var got [][]string
	for _, th := range test.Threads {
		got = append(got, []string{th.Name.Text, strings.TrimSpace(th.Params.Text()), strings.TrimSpace(BlankComments(th.Body.Text()))})
	}
	want := [][]string{
		{"P0", "global atomic_int* x, int (*p)", "atomic_store(x, 1);" + strings.Repeat(" ", len(" // another }")) + "\n  if (*p) { *p = '}'; }"},
		{"P1", "global atomic_int* x", "int r0 = atomic_load(x);"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if p := test.Places(); p[0][Device] != p[1][Device] || p[0][CTA] == p[1][CTA] {
		t.Errorf("the threads are at %v", p)
	}
	text := test.String()
	if !strings.Contains(text, "P0@wg 0,dev 0 (") {
		t.Errorf("the placement is printed in other words:\n%s", text)
	}
	again := parseFunctions(t, text)
	if again.String() != text {
		t.Errorf("printed again:\n%s\nwant\n%s", again, text)
	}
	if again.Hash() != test.Hash() {
		t.Error("the printed test has another hash")
	}
}

// TestFunctionsWithSemicolons: a semicolon may follow what ends with a brace.
func TestFunctionsWithSemicolons(t *testing.T) {
	test := parseFunctions(t, "C test\n{ x=0; };\nP0@wg 0,dev 0 (int *x) { *x = 1; };\nP1@wg 1,dev 0 (int *x) { *x = 2; };\nexists (x=1)")
	if len(test.Threads) != 2 {
		t.Errorf("%d threads, not 2", len(test.Threads))
	}
}

// TestFunctionHash: comments and the amount of blanks say nothing, single blanks and words do.
func TestFunctionHash(t *testing.T) {
	hash := func(body string) string {
		return parseFunctions(t, "C test\n{}\nP0 (int *x) {"+body+"}\nexists (x=1)").Hash()
	}
	if hash(" *x\n = /* one */ 1; // done\n") != hash("*x = 1;") {
		t.Error("comments and blanks change the hash")
	}
	if hash("*x = a - -1;") == hash("*x = a--1;") {
		t.Error("two programs have the same hash")
	}
}

// TestThreadsWithOneFunction: threads before one function all have it, each at its place; the test
// is that with a function for each.
func TestThreadsWithOneFunction(t *testing.T) {
	one := parseFunctions(t, "C x\n{}\nvoid P0@cta 0,gpu 0 | P3@cta 1,gpu 0 (int *x) { *x = 1; }\nP1@cta 1,gpu 0 (int *x) {}\nexists (x=1)")
	each := parseFunctions(t, "C x\n{}\nP0@cta 0,gpu 0 (int *x) { *x = 1; }\nP3@cta 1,gpu 0 (int *x) { *x = 1; }\nP1@cta 1,gpu 0 (int *x) {}\nexists (x=1)")
	if one.String() != each.String() || one.Hash() != each.Hash() || len(one.Threads) != 3 {
		t.Errorf("one function:\n%s\none each:\n%s", one, each)
	}
	places := one.Places()
	if places[0][CTA] == places[1][CTA] || places[1][CTA] != places[2][CTA] || one.Threads[0].Body != one.Threads[1].Body {
		t.Errorf("places %v", places)
	}
}

// TestInitialStateWithoutEnd: where the program begins, the initial state has no end, and no more
// is said.
func TestInitialStateWithoutEnd(t *testing.T) {
	for _, program := range []string{"P0@cta 0,gpu 0 (int* x) { *x = 1; }", "P0 (int* x) { *x = 1; }", "P0 | P1 (int* x) { *x = 1; }"} {
		_, err := Parse(src.NewFile("x", "C x\n{ x=0;\n"+program+"\nexists (x=1)"), functionFormats)
		if err == nil || err.Error() != "x:2:1: this { is never closed\n    { x=0;\n    ^\n    end the initial state with }" {
			t.Errorf("%s: %v", program, err)
		}
	}
	parseFunctions(t, "C x\n{ x=0;\n T1 @ texture aliases x; P0 = 1; }\nP0 (int* x) {}\nexists (x=1)")
}

// TestWordsBeforeFunctions: what CUDA C++ and OpenCL C have before the name of a function says
// nothing here.
func TestWordsBeforeFunctions(t *testing.T) {
	for _, words := range []string{
		"__global__ void", "extern \"C\" __global__ void __launch_bounds__(32, 1)", "__device__ __noinline__ int",
		"__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void",
	} {
		test := parseFunctions(t, "C x\n{}\n"+words+" P0 (int *x) { *x = 1; }\n"+words+" P1 (int *x) {}\n(cta P0 P1)\nexists (x=1)")
		if len(test.Threads) != 2 || test.Threads[1].Name.Text != "P1" {
			t.Errorf("%s: threads %v", words, test.Threads)
		}
	}
}

func TestFunctionErrors(t *testing.T) {
	tests := []struct{ program, want string }{
		{"", "expected the program: a function for each thread"},
		{"P0 { }", "expected ( and the parameters of P0, found {"},
		{"P0 (int *x) ;", "expected { and the body of P0, found ;"},
		{"P0@cta 0, P1@cta 1 (int *x) { }", "expected cta, cluster or gpu and a number, found P1\n    P0@cta 0, P1@cta 1 (int *x) { }\n              ^^\n    between threads stands |"},
		{"P0 | (int *x) { }", "expected the name of a thread, such as P0, found ("},
		{"P0 (int *x", "this ( is never closed"},
		{"P0 () { if (1) { }", "this { is never closed"},
		{"P0 () { }\nP0 () { }", "P0 and P0 have the same number"},
		{"P0 | P1 ;\n__threadfence() | *x = 1 ;", "a test in C has a function for each thread, not a column\n    P0 | P1 ;\n            ^\n    write P0 (int *x) { … }, and so on"},
		{"P0@cta 0 | P1@cta 1 ;", "a test in C has a function for each thread, not a column"},
		{"P0@wg 0,lane 1 () { }", "expected cta, cluster or gpu and a number, found lane"},
	}
	for _, tt := range tests {
		_, err := Parse(src.NewFile("test.litmus", "C test\n{}\n"+tt.program+"\nexists (x=1)"), functionFormats)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %s", tt.program, err, tt.want)
		}
	}
}
