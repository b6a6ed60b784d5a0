package ptx

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

func parse(t *testing.T, name, text string) *litmus.Test {
	t.Helper()
	test, err := litmus.Parse(src.NewFile(name, text), Formats())
	if err != nil {
		t.Fatal(err)
	}
	return test
}

// reread reads the program of a test, some of whose columns may have been read in another.
func reread(test *litmus.Test, shared *frontend.Shared) (*Program, error) {
	return New(test, frontend.Options{Unroll: frontend.DefaultUnroll, Shared: shared})
}

// TestShared: the program of a test is the same whether its columns have been read in another test
// or not. Some of the shipped tests differ only in the places of their threads, in what they
// observe, or in registers.
func TestShared(t *testing.T) {
	var shared frontend.Shared
	found := 0
	tests := corpus(t)
	for _, test := range slices.Concat(tests, tests) {
		p, err := reread(test, &shared)
		if err != nil {
			t.Fatal(err)
		}
		q, err := reread(test, nil)
		if err != nil {
			t.Fatal(err)
		}
		prop := test.Cond.Prop
		if !reflect.DeepEqual(p.Paths, q.Paths) || !reflect.DeepEqual(p.Locs, q.Locs) || !reflect.DeepEqual(p.Domain(), q.Domain()) ||
			p.Normalize(prop).String() != q.Normalize(prop).String() {
			t.Errorf("%s: another program when columns are shared", test.File.Name)
		}
		for i, code := range p.code {
			if len(code.code) > 0 && code.code[0].At.File != test.File {
				found++
			}
			for _, in := range p.Code(i) {
				if in.At.File != test.File {
					t.Fatalf("%s: an instruction is in %s", test.File.Name, in.At.File.Name)
				}
			}
		}
	}
	if found < len(tests)/2 {
		t.Errorf("%d columns of %d tests were shared", found, len(tests))
	}
}

const sharedStore = `PTX first
{ x=0; y=0; }
 P0@cta 0     | P1@cta 1      ;
 st.b32 [x],1 | ld.b32 r0,[y] ;
 st.b32 [y],1 | ld r1,[r0]    ;
exists (1:r0=0)`

// TestSharedErrors: what is wrong is said where this test has it, although its columns have been
// read in another.
func TestSharedErrors(t *testing.T) {
	for _, change := range [][2]string{{"(1:r0=0)", "(1:r9=0)"}, {"ld.b32 r0", "ld.b64 r0"}, {"ld.b32 r0", "ld.b31 r0"}, {"st.b32 [x],1", "st.b64 [y],1"}} {
		second := strings.Replace("\n"+sharedStore, change[0], change[1], 1)
		var shared frontend.Shared
		if _, err := reread(parse(t, "first.litmus", sharedStore), &shared); err != nil {
			t.Fatal(err)
		}
		test := parse(t, "second.litmus", second)
		_, want := reread(test, nil)
		_, got := reread(test, &shared)
		if got == nil || want == nil || got.Error() != want.Error() {
			t.Errorf("%v, without sharing %v", got, want)
		}
	}
}

// TestSharedFault: so is what turns out to have no meaning.
func TestSharedFault(t *testing.T) {
	var shared frontend.Shared
	for _, name := range []string{"first.litmus", "second.litmus"} {
		p, err := reread(parse(t, name, sharedStore), &shared)
		if err != nil {
			t.Fatal(err)
		}
		at, found := p.Locate(&event.Fault{Thread: 1, X: p.Paths[1][0].Events[1].Addr, Address: true})
		if !found || at.File != p.Test.File || at.Text() != "ld r1,[r0]" {
			t.Errorf("%s: the access is found at %v, %v", name, at, found)
		}
	}
}

// TestSharedParameter: what a kernel is given is read as other threads access it, so the column is
// not shared.
func TestSharedParameter(t *testing.T) {
	const text = `PTX x
{ p=0x1ffffffff; }
 P0@cta 0            ;
 ld.param.b32 r0,[p] ;
exists (0:r0=-1)`
	var shared frontend.Shared
	for range 2 {
		p, err := reread(parse(t, "x.litmus", text), &shared)
		if err != nil {
			t.Fatal(err)
		}
		if p.code[0].code[0].At.File != p.Test.File {
			t.Error("a column that loads a parameter is shared")
		}
	}
}

// TestSharedAddresses: code that depends on where other threads are is not shared.
func TestSharedAddresses(t *testing.T) {
	const text = `PTX x
{ shared s; x=0; }
P0@cta 0,cluster 0,gpu 0          | P1@cta 1,cluster 0,gpu 0 | P2@cta 2,cluster 0,gpu 0 ;
st.u32 [x],VALUE                  | st.shared.u32 [s],1      | ld.u32 r0,[x]            ;
mapa.shared::cluster.u64 r1, s, 1 |                          |                          ;
forall (true)`
	var shared frontend.Shared
	for _, value := range []string{"5", "6"} {
		p, err := reread(parse(t, "x.litmus", strings.ReplaceAll(text, "VALUE", value)), &shared)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Paths[0][0].Events[0].Data; got != event.Expr(event.Const(event.Int(int64(value[0]-'0')))) {
			t.Errorf("%v is written, want %s", got, value)
		}
	}
}
