package probe

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/muster-gpu/muster/internal/testkit/sample"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/internal/language/shrink"
	litmustests "github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// forStates returns the configuration that Keep needs.
func forStates() sim.Config {
	c := sim.Defaults()
	c.Want = sim.States
	return c
}

// shippedModels loads models by name, separated by spaces.
func shippedModels(t testing.TB, names string) (all []*cat.Model) {
	t.Helper()
	for _, name := range strings.Fields(names) {
		m, err := models.Load(name, models.Config{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m.Model)
	}
	return all
}

func loadText(t testing.TB, text string) *sim.Test {
	t.Helper()
	test, err := sim.Load(src.NewFile("test.litmus", text), forStates())
	if err != nil {
		t.Fatal(err)
	}
	return test
}

func shippedFile(t testing.TB, name string) *sim.Test {
	t.Helper()
	text, err := litmustests.FS.ReadFile(name + ".litmus")
	if err != nil {
		t.Fatal(err)
	}
	return loadText(t, string(text))
}

// minimize shrinks a test while the named models agree on it, as in shippedModels.
func minimize(t testing.TB, test *sim.Test, names string) *Minimized {
	t.Helper()
	kept, err := Keep(t.Context(), test, forStates(), false, shippedModels(t, names)...)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Minimize(t.Context(), test.Test, forStates(), kept.By)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMinimize has a small test for each kind of step. The expected results were derived by hand.
func TestMinimize(t *testing.T) {
	tests := []struct{ name, models, text, want, steps string }{
		{
			"a thread and a location that say nothing", "sc", `PTX SB+other
{ x=0; y=0; z=0; P2:r7=3; }
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 2,gpu 0 ;
 st.weak x, 1   | st.weak y, 1   | ld.weak r1, z  ;
 ld.weak r1, y  | ld.weak r1, x  |                ;
locations [2:r1; z;]
exists (0:r1=0 /\ 1:r1=0 /\ 2:r1=0)
`, `PTX SB+other-min
{
 x=0; y=0;
}
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;
 st.weak x, 1   | st.weak y, 1   ;
 ld.weak r1, y  | ld.weak r1, x  ;
exists (0:r1=0 /\ 1:r1=0)
`, `dropped P2
dropped the locations clause
dropped z, which nothing uses`,
		},
		{
			"orders and scopes", "ptx", `PTX MP
{ x=0; y=0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       ;
 st.volatile x, 1    | ld.acquire.sys r1, y ;
 fence.sc.sys        | ld.relaxed.sys r2, x ;
 st.release.sys y, 1 |                      ;
exists (1:r1=1 /\ 1:r2=0)
`, `PTX MP-min
{
 x=0; y=0;
}
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       ;
 st.weak x, 1        | ld.acquire.gpu r1, y ;
 st.release.gpu y, 1 | ld.weak r2, x        ;
exists (1:r1=1 /\ 1:r2=0)
`, `dropped fence.sc.sys of P0
weakened st.volatile x, 1 of P0 to st.weak
weakened st.release.sys y, 1 of P0 to st.release.gpu
weakened ld.acquire.sys r1, y of P1 to ld.acquire.gpu
weakened ld.relaxed.sys r2, x of P1 to ld.weak`,
		},
		{
			"fences", "ptx", `PTX MP+fences
{ x=0; y=0; }
 P0@cta 0,gpu 0      | P1@cta 0,gpu 0       ;
 st.weak x, 1        | ld.relaxed.gpu r1, y ;
 fence.sc.sys        | membar.sys           ;
 st.relaxed.gpu y, 1 | ld.weak r2, x        ;
exists (1:r1=1 /\ 1:r2=0)
`, `PTX MP+fences-min
{
 x=0; y=0;
}
 P0@cta 0,gpu 0      | P1@cta 0,gpu 0       ;
 st.weak x, 1        | ld.relaxed.cta r1, y ;
 fence.release.cta   | fence.acquire.cta    ;
 st.relaxed.cta y, 1 | ld.weak r2, x        ;
exists (1:r1=1 /\ 1:r2=0)
`, `weakened fence.sc.sys of P0 to fence.release.sys
weakened fence.release.sys of P0 to fence.release.cta
weakened st.relaxed.gpu y, 1 of P0 to st.relaxed.cta
weakened ld.relaxed.gpu r1, y of P1 to ld.relaxed.cta
weakened membar.sys of P1 to fence.acquire.sys
weakened fence.acquire.sys of P1 to fence.acquire.cta`,
		},
		{
			"what two models differ in", "ptx-6.0 ptx", `PTX CoWR+alias+more
{ x=0; z=0; y @ generic aliases x; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       ;
 st.relaxed.gpu x, 1 | ld.acquire.gpu r1, z ;
 fence.sc.gpu        |                      ;
 st.release.gpu z, 1 |                      ;
 ld.relaxed.gpu r1, y|                      ;
exists (0:r1=0 /\ 1:r1=1)
`, `PTX CoWR+alias+more-min
{
 x=0; y @ generic aliases x;
}
 P0@cta 0,gpu 0 ;
 st.weak x, 1   ;
 ld.weak r1, y  ;
exists (0:r1=0)
`, `dropped P1
dropped st.release.gpu z, 1 of P0
dropped fence.sc.gpu of P0
weakened st.relaxed.gpu x, 1 of P0 to st.weak
weakened ld.relaxed.gpu r1, y of P0 to ld.weak
dropped z, which nothing uses`,
		},
		{
			"the paper's dialect, registers, membar", "ptx-asplos15", `GPU_PTX mp
"message passing"
Source=nowhere
Cycle=Fre
Generator=by hand
{0:.reg .b64 r1 = x; 0:.reg .b64 r3 = y; 0:.reg .s32 r0; 1:.reg .b64 r3 = y; 1:.reg .b64 r4 = x;
 1:.reg .s32 r1; 1:.reg .s32 r2;}
 T0                | T1                      ;
 mov.s32 r0,1      | ld.volatile.s32 r1,[r3] ;
 st.cg.s32 [r1],r0 | membar.sys              ;
 membar.sys        | ld.cg.s32 r2,[r4]       ;
 st.cg.s32 [r3],r0 |                         ;
ScopeTree(grid(cta(warp T0)) (cta(warp T1)))
exists (1:r1=1 /\ 1:r2=0)
`, `GPU_PTX mp-min
Source=nowhere
{
 x=0; y=0;
 0:.reg .b64 r1 = x; 0:.reg .b64 r3 = y;
 1:.reg .b64 r3 = y; 1:.reg .b64 r4 = x; 1:.reg .s32 r1; 1:.reg .s32 r2;
}
 T0               | T1                ;
 st.cg.s32 [r1],1 | ld.cg.s32 r1,[r3] ;
 membar.gl        | membar.gl         ;
 st.cg.s32 [r3],1 | ld.cg.s32 r2,[r4] ;
ScopeTree (kernel (cta (warp T0)) (cta (warp T1)))
exists (1:r1=1 /\ 1:r2=0)
`, `replaced r0 by 1 in st.cg.s32 [r3],r0 of T0
replaced r0 by 1 in st.cg.s32 [r1],r0 of T0
dropped mov.s32 r0,1 of T0
weakened membar.sys of T0 to membar.gl
weakened ld.volatile.s32 r1,[r3] of T1 to ld.cg.s32
weakened membar.sys of T1 to membar.gl
dropped 0:r0, which nothing uses`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := minimize(t, loadText(t, test.text), test.models)
			if diff := cmp.Diff(test.want, m.Test.String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(test.steps, strings.Join(m.Steps, "\n")); diff != "" {
				t.Errorf("steps (-want +got)\n%s", diff)
			}
		})
	}
}

// TestMinimizeShipped shrinks tests with dependencies, branches, loops, atomics and barriers.
func TestMinimizeShipped(t *testing.T) {
	tests := []struct{ file, models, want string }{
		{"asplos15/mp+membar.cta+addr-and-inter-cta", "ptx-asplos15", // without the dependency
			` T0               | T1                ;
 st.cg.s32 [r1],1 | ld.cg.s32 r1,[r0] ;
 st.cg.s32 [r3],1 | ld.cg.s32 r5,[r4] ;`},
		{"asplos15/mp+membar.gl+addr-and-inter-cta", "ptx-asplos15", // with it
			` T0               | T1                       ;
 st.cg.s32 [r1],1 | ld.cg.s32 r1,[r0]        ;
 membar.gl        | and.b32 r2,r1,0x80000000 ;
 st.cg.s32 [r3],1 | cvt.u64.u32 r3,r2        ;
                  | add.u64 r4,r4,r3         ;
                  | ld.cg.s32 r5,[r4]        ;`},
		{"asplos15/cas-sl+fences", "ptx-asplos15", // a lock whose critical section is a load is MP
			` T0              | T1               ;
 st.cg.s32 [x],1 | ld.cg.b32 r1,[m] ;
 membar.gl       | membar.gl        ;
 st.cg.b32 [m],0 | ld.cg.s32 r3,[x] ;`},
		{"cuda/double-checked-init", "ptx", // the labels go with the branches
			` P0@cta 0,gpu 0          | P1@cta 1,gpu 0           ;
 st.weak obj, 1          | ld.acquire.gpu r1, ready ;
 st.release.gpu ready, 1 | ld.weak r2, obj          ;`},
		{"cuda/grid-barrier-release-acquire", "ptx", // one way of the grid barrier, with its loop
			` P0@cta 0,gpu 0 | P1@cta 0,gpu 0           | P2@cta 1,gpu 0           ;
 st.weak x, 1   | bar.cta.sync 0           | red.relaxed.gpu.add c, 1 ;
 bar.cta.sync 0 | red.release.gpu.add c, 1 | LC01:                    ;
                |                          | ld.acquire.gpu r1, c     ;
                |                          | bne r1, 2, LC01          ;
                |                          | ld.weak r2, x            ;`},
		{"cuda/double-buffer", "ptx", // the two barriers of the other buffer go together
			` P0@cta 0,gpu 0   | P1@cta 0,gpu 0 ;
 st.weak b1, 2    | bar.sync 2, 64 ;
 bar.arrive 2, 64 | ld.weak r1, b1 ;`},
		{"cuda/deque-push-steal+fences", "ptx", // not a value out of thin air, once the add is gone
			` P0@cta 0,gpu 0         | P1@cta 1,gpu 0          ;
 st.weak tasks, 1       | ld.relaxed.gpu r0, tail ;
 fence.release.gpu      | fence.acquire.gpu       ;
 st.relaxed.gpu tail, 1 | ld.weak r1, tasks       ;`},
		{"cuda/last-block-done+fence", "ptx", // one of two alternatives of the condition
			` P0@cta 0,gpu 0          | P1@cta 1,gpu 0           ;
 st.weak sum0, 1         | ld.relaxed.gpu r0, count ;
 fence.release.gpu       | fence.acquire.gpu        ;
 st.relaxed.gpu count, 1 | ld.weak r1, sum0         ;`},
		{"ptx/3.LB+datas+po", "ptx", // data dependencies that forbid nothing
			` P0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 2,gpu 0 ;
 ld.weak r1, x  | ld.weak r1, y  | ld.weak r1, z  ;
 st.weak y, 1   | st.weak z, 1   | st.weak x, 1   ;`},
		{"ptx/MP+indirect+weaks", "ptx", // addresses that the threads compute
			` P0@cta 0,gpu 0            | P1@cta 1,gpu 0              ;
 st.weak.global.u32 [x], 1 | ld.weak.global.u32 %r1, [y] ;
 st.weak.global.u32 [y], 1 | ld.weak.global.u32 %r2, [x] ;`},
	}
	for _, test := range tests {
		text := minimize(t, shippedFile(t, test.file), test.models).Test.String()
		_, program, _ := strings.Cut(text, "\n}\n")
		if !strings.HasPrefix(program, test.want+"\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", test.file, text, test.want)
		}
	}
}

// everyNth samples tests of the corpus.
var everyNth = sample.Of(5, 23)

// TestMinimal checks on a sample of the corpus that the result of Minimize has the property, admits
// no further step, does not shrink again, and leaves the input unchanged.
func TestMinimal(t *testing.T) {
	var files []string
	for _, folder := range []string{"asplos15", "cuda", "ptx"} { // Minimize cuts columns down, not functions
		inFolder, err := fs.Glob(litmustests.FS, folder+"/*.litmus")
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, inFolder...)
	}
	answers := []string{"ptx", "ptx-asplos15", "ptx-7.5 ptx"}
	for i := 0; i < len(files); i += everyNth {
		name := strings.TrimSuffix(files[i], ".litmus")
		t.Run(name, func(t *testing.T) { checkMinimal(t, shippedFile(t, name), answers[i%len(answers)]) })
	}
}

func checkMinimal(t *testing.T, test *sim.Test, names string) {
	before := test.String()
	kept, err := Keep(t.Context(), test, forStates(), false, shippedModels(t, names)...)
	if err != nil {
		t.Fatal(err)
	}
	small, err := Minimize(t.Context(), test.Test, forStates(), kept.By)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, test.String()); diff != "" {
		t.Errorf("the input has changed (-before +after)\n%s", diff)
	}
	result := loadText(t, small.Test.String())
	if ok, err := kept.By(t.Context(), result); !ok || err != nil {
		t.Errorf("%s does not stand for the test: %v", result, err)
	}
	further, err := shrink.Smaller(result.Test)
	if err != nil {
		t.Fatal(err)
	}
	for s := range further.Steps {
		m := minimizer{config: forStates()}
		smaller := m.try(s)
		if smaller == nil {
			continue
		}
		if ok, err := kept.By(t.Context(), smaller); ok || err != nil {
			t.Errorf("%s could still be %s: %v", result, s.Words, err)
		}
	}
	again, err := Minimize(t.Context(), result.Test, forStates(), kept.By)
	if err != nil || len(again.Steps) > 0 || again.Test.String() != small.Test.String() {
		t.Errorf("minimized again: %v, %v\n%s", err, again.Steps, again.Test)
	}
}

// TestNothingToDrop: a minimal test is unchanged, with its name and metadata.
func TestNothingToDrop(t *testing.T) {
	text := `PTX SB
"store buffering"
Cycle=PodWR Fre PodWR Fre
{
 x=0; y=0;
}
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;
 st.weak x, 1   | st.weak y, 1   ;
 ld.weak r1, y  | ld.weak r1, x  ;
exists (0:r1=0 /\ 1:r1=0)
`
	m := minimize(t, loadText(t, text), "tso")
	if diff := cmp.Diff(text, m.Test.String()); diff != "" || m.Steps != nil || m.Before != 4 || m.After != 4 {
		t.Errorf("%d → %d by %v (-want +got)\n%s", m.Before, m.After, m.Steps, diff)
	}
}

// TestShrunkTestsSayNothingOfTheWhole: a shrunk test loses the metadata that described the
// original.
func TestShrunkTestsSayNothingOfTheWhole(t *testing.T) {
	m := minimize(t, loadText(t, `PTX SB+extra
"Two threads, and a third that looks on."
"It never sees anything."
Source=a book
Clause=order of looking on
Idiom=onlooker
{ }
 P0@cta 0 | P1@cta 1 | P2@cta 2 ;
 st x, 1  | st y, 1  | ld r3, x ;
 ld r1, y | ld r1, x |          ;
exists (0:r1=0 /\ 1:r1=0)
`), "tso")
	want := "PTX SB+extra-min\nSource=a book\n{"
	if got := m.Test.String(); m.Steps == nil || !strings.HasPrefix(got, want) {
		t.Errorf("want it to begin with\n%s\ngot\n%s", want, got)
	}
}

// TestSuffixOnce: a name that already has the suffix does not get it again.
func TestSuffixOnce(t *testing.T) {
	m := minimize(t, loadText(t, "PTX SB-min\n{}\n P0@cta 0 | P1@cta 1 ;\n st x, 1 | st y, 1 ;\n fence.sc.cta | ;\n"+
		" ld r1, y | ld r1, x ;\nexists (0:r1=0 /\\ 1:r1=0)"), "ptx")
	if m.Test.Name.Text != "SB-min" || len(m.Steps) != 1 {
		t.Errorf("%s after %v", m.Test.Name.Text, m.Steps)
	}
}

// TestOwnProperty shrinks a test with a property of the caller's.
func TestOwnProperty(t *testing.T) {
	test := shippedFile(t, "cuda/double-buffer")
	hasBarrier := func(_ context.Context, t *sim.Test) (bool, error) {
		return strings.Contains(t.String(), "bar.sync"), nil
	}
	m, err := Minimize(t.Context(), test.Test, forStates(), hasBarrier)
	if err != nil {
		t.Fatal(err)
	}
	if m.After > 2 { // one for the condition
		t.Errorf("one barrier is enough:\n%s", m.Test)
	}
}

func TestPropertyFails(t *testing.T) {
	test := shippedFile(t, "cuda/double-buffer")
	failure := errors.New("no more")
	_, err := Minimize(t.Context(), test.Test, forStates(), func(context.Context, *sim.Test) (bool, error) {
		return false, failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
}

// TestLimit stops after some steps: the result so far has the property.
func TestLimit(t *testing.T) {
	test := shippedFile(t, "cuda/ticket-lock+fences")
	kept, err := Keep(t.Context(), test, forStates(), false, shippedModels(t, "ptx")...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	limit, asked := &enumerate.LimitError{Limit: "the patience of a test"}, 0
	m, err := Minimize(ctx, test.Test, forStates(), func(ctx context.Context, t *sim.Test) (bool, error) {
		if asked++; asked == 50 {
			cancel(limit)
		}
		return kept.By(ctx, t)
	})
	if err != nil || !errors.Is(m.Limit, limit) || m.Tried != 50 {
		t.Fatalf("after %d tries: %v, %v", asked, m, err)
	}
	if ok, err := kept.By(t.Context(), m.Test); !ok || err != nil || len(m.Steps) == 0 {
		t.Errorf("after %v: %v\n%s", m.Steps, err, m.Test)
	}
}

// TestCanceled: the error is that of a context that was cancelled, not ended by a limit.
func TestCanceled(t *testing.T) {
	test := shippedFile(t, "cuda/ticket-lock+fences")
	all := func(context.Context, *sim.Test) (bool, error) { return true, nil }
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Minimize(ctx, test.Test, forStates(), all); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestNoTime: without time the test is unchanged, because the timeout is for all steps together.
func TestNoTime(t *testing.T) {
	test := shippedFile(t, "ptx/SB+fence.sc.gpus")
	c := forStates()
	c.Timeout = time.Nanosecond
	m, err := Minimize(t.Context(), test.Test, c, func(context.Context, *sim.Test) (bool, error) { return true, nil })
	if err != nil || !sim.IsLimit(m.Limit) || m.Steps != nil {
		t.Errorf("got %v, %v", m, err)
	}
}
