package ptx

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/src"
)

// load reads a whole test.
func load(t testing.TB, text string) *Program {
	t.Helper()
	test, err := litmus.Parse(src.NewFile("test.litmus", text), Formats())
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(test, frontend.Options{Unroll: frontend.DefaultUnroll})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestStructures: one structure for each choice of paths, those of the last thread
// vary fastest.
func TestStructures(t *testing.T) {
	p := load(t, `GPU_PTX x
{ x=3; shared y; }
 P0           | P1            ;
 ld r0,[x]    | ld r0,[x]     ;
 @r0 st [y],1 | @!r0 st [y],2 ;
(device (kernel (cta P0 P1)))
forall (true)`)
	var got []string
	for s := range p.Structures(t.Context()) {
		events := ""
		for i := range s.Events {
			events += fmt.Sprintf("%d%v ", s.Events[i].Thread, s.Events[i].Kind)
		}
		got = append(got, fmt.Sprintf("%s%v", events, s.Conds))
	}
	want := []string{
		"-1W -1W 0R 0W 1R 1W [{0 wrap(v0) true} {1 wrap(v0) false}]",
		"-1W -1W 0R 0W 1R [{0 wrap(v0) true} {1 wrap(v0) true}]",
		"-1W -1W 0R 1R 1W [{0 wrap(v0) false} {1 wrap(v0) false}]",
		"-1W -1W 0R 1R [{0 wrap(v0) false} {1 wrap(v0) true}]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for range p.Structures(t.Context()) {
		break // stopping early must be possible
	}
}

func TestLocationsAndThreads(t *testing.T) {
	p := load(t, `GPU_PTX x
{ x=3; shared y; p=x; a[2]={7}; }
 T0         | T5         ;
 ld r0,[x]  | st [y],1   ;
            | st [new],1 ;
(device (kernel (cta T0))) (device (kernel (cta T5)))
forall (true)`)
	for s := range p.Structures(t.Context()) {
		want := []event.Location{
			{Name: "x", Init: event.Int(3)},
			{Name: "y", Region: litmus.Shared, Init: event.Int(0), Home: 2, HomeLevel: litmus.CTA},
			{Name: "p", Init: event.AddressOf(0)},
			{Name: "a[0]", Elems: 2, Init: event.Int(7)},
			{Name: "a[1]", Elems: 1, Init: event.Int(0)},
			{Name: "new", Init: event.Int(0)},
		}
		if diff := cmp.Diff(want, s.Locs); diff != "" {
			t.Error(diff)
		}
		if len(s.Threads) != 2 || s.Threads[0].Name != "T0" || s.Threads[1].Name != "T5" {
			t.Fatalf("threads are %+v", s.Threads)
		}
		a, b := s.Threads[0], s.Threads[1]
		for level := range a.At {
			if a.At[level] == b.At[level] {
				t.Errorf("%+v and %+v share the level %d", a, b, level)
			}
		}
	}
	for ref, want := range map[string]event.Loc{"x 0": 0, "a 0": 3, "a 1": 4, "new 0": 5, "a 2": -1, "a -1": -1, "x 1": -1, "z 0": -1} {
		var name string
		var index int
		if _, err := fmt.Sscan(ref, &name, &index); err != nil {
			t.Fatal(err)
		}
		if l, ok := p.Loc(name, index); l != want || ok != (want >= 0) {
			t.Errorf("Loc(%s) = %d, %v, want %d", ref, l, ok, want)
		}
	}
}

func TestFenceRelations(t *testing.T) {
	p := load(t, `GPU_PTX x
{ x; }
 P0         ;
 st [x],1   ;
 membar.cta ;
 st [x],2   ;
 membar.sys ;
 membar.gl  ;
 st [x],3   ;
forall (true)`)
	// Events: 0 init, 1 st, 2 cta, 3 st, 4 sys, 5 gl, 6 st.
	want := map[string]rel.Rel{
		"membar.cta": rel.Of(7, [2]int{1, 3}, [2]int{1, 6}),
		"membar.gl":  rel.Of(7, [2]int{1, 6}, [2]int{3, 6}),
		"membar.sys": rel.Of(7, [2]int{1, 6}, [2]int{3, 6}),
		"awaited":    rel.New(7),
		"syncbar":    rel.New(7),
	}
	for s := range p.Structures(t.Context()) {
		x := &event.Execution{Structure: s}
		for name := range want {
			if got, ok := x.Rel(name); !ok || !got.Equal(want[name]) {
				t.Errorf("%s = %v, %v, want %v", name, got, ok, want[name])
			}
		}
	}
}

// TestSharedWithinACTA: a location in shared memory may be reached from one CTA.
func TestSharedWithinACTA(t *testing.T) {
	load(t, `GPU_PTX x
{ shared s; 0:.reg .b64 r1 = s; }
 P0        | P1        | P2       ;
 ld r0,[s] | mov r0,s  | mov r0,1 ;
(device (kernel (cta P0 P1) (cta P2)))
forall (true)`)
}

func TestDomain(t *testing.T) {
	p := load(t, `GPU_PTX x
{ x=3; p=y; y; 0:.reg .s32 r5=9; 0:r6=10; 0:.reg .b64 r7=x; 0:.reg .u32 r8=0xfffffff0; }
 P0                    | P1                ;
 mov.s32 r0,0xffffffff | atom.cas r0,[x],21,22 ;
 st [x+0],11           | setp.eq q,r0,23   ;
 mov.u64 r1,0xffffffff | mov.b64 r2,x      ;
(device (kernel (cta P0 P1)))
filter (~(0:r0=31))
exists (x=32 /\ p=&y+4 \/ 33=1:r0)`)
	var got []string
	for _, v := range p.Domain() {
		got = append(got, p.Value(v).String())
	}
	want := strings.Fields("-16 -1 0 3 9 10 11 21 22 23 31 32 33 4294967295 x y y+4")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestDomainIsSorted has the values farthest apart.
func TestDomainIsSorted(t *testing.T) {
	var code strings.Builder
	for _, i := range []int64{math.MaxInt64, math.MinInt64, 1, -1, math.MaxInt64 - 1, math.MinInt64 + 1} {
		fmt.Fprintf(&code, "mov.s64 r0,%d\n", i)
	}
	for range 10 { // a map is behind it
		var got []int64
		for _, v := range program(t, "", code.String(), frontend.Options{}).Domain() {
			got = append(got, v.Int)
		}
		want := []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	}
}

// TestFinal reads final values off an execution, in the words of the test.
func TestFinal(t *testing.T) {
	p := load(t, `GPU_PTX x
{ x=3; a[2]; p=a; 0:.reg .b64 r1=a; 0:.reg .b64 r2=x; 0:.reg .pred q; }
 P0              ;
 ld.b64 r3,[p]  ;
 add.u64 r4,r3,4 ;
 st [a+4],6     ;
 @q mov r5,1     ;
locations [0:r1; 0:r2; 0:r3; 0:r4; 0:r5; x; a; p; ]
exists (0:r1=&a /\ 0:r3=&a /\ 0:r4=&a+4)`)
	for s := range p.Structures(t.Context()) {
		x := complete(s)
		if err := x.Validate(); err != nil {
			t.Fatal(err)
		}
		refs := p.Test.Observables()
		const want = "0:r1=a; 0:r2=x; 0:r3=a; 0:r4=a+4; 0:r5=0; a[0]=0; a[1]=6; [p]=a; [x]=3;"
		states := frontend.States(p, x, refs)
		if len(states) != 1 || states[0].Format(refs) != want {
			t.Fatalf("the states are %v, want %s", states, want)
		}
		if !p.Test.Cond.Prop.Eval(states[0].Lookup(refs)) {
			t.Errorf("%v does not hold", p.Test.Cond)
		}
	}
}

// complete completes a structure with one read of p (event 3 is its initial write)
// and one write of a[1] (event 2).
func complete(s *event.Structure) *event.Execution {
	x := &event.Execution{
		Structure: s, Loc: []event.Loc{0, 1, 2, 3, 3, 2}, Rf: []event.ID{-1, -1, -1, -1, 3, -1},
		Co: rel.Of(6, [2]int{2, 5}), ThinAir: rel.NewSet(6),
	}
	for l := range s.Locs {
		x.Val = append(x.Val, s.Locs[l].Init)
	}
	x.Val = append(x.Val, s.Locs[3].Init, event.Int(6))
	return x
}

func TestLimits(t *testing.T) {
	loop := "L: st [x],1\nbra L"
	forks := strings.Repeat("ld r0,[x]\n@r0 mov r1,1\n", 15)
	for code, want := range map[string]string{
		loop:  "thread T0 has more than 16384 instructions on a control path; a smaller unroll bound helps",
		forks: "thread T0 has more than 16384 control paths; a smaller unroll bound helps",
	} {
		_, err := tryProgram("0:.reg .s32 r0", code, frontend.Options{Unroll: math.MaxInt})
		var limit *frontend.PathLimitError
		if !errors.As(err, &limit) || err.Error() != want {
			t.Errorf("%T %v, want %s", err, err, want)
		}
	}
}

// TestExponentialValue doubles a register so often that the value it ends with could
// not be written down.
func TestExponentialValue(t *testing.T) {
	_, err := tryProgram("", "ld r0,[x]\n"+strings.Repeat("add r0,r0,r0\n", 40)+"st [x],r0", frontend.Options{})
	if err == nil || !strings.Contains(err.Error(), "more than 16384 operations") {
		t.Errorf("%v, want an error", err)
	}
}
