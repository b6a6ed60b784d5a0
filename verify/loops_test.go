package verify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// TestLoops compares with the known verdicts of kernels whose loops iterate as often as their
// arguments say. It uses the launch of brute force (kernel/launch) or the sizes in the table, in
// turn, and both at night. Kernels that are right are verified, with few exceptions.
func TestLoops(t *testing.T) {
	loops(t, "testdata/loops", "chunk-filter-pointer", "wrap-in-chunk", "tree-up")
}

// TestLocal is TestLoops for unoptimised kernels: their variables are in local memory, and
// functions are called.
func TestLocal(t *testing.T) {
	loops(t, "testdata/local")
}

// loops compares the kernels of a folder with its table. The kernels in open are right, and may be
// undecided.
func loops(t *testing.T, folder string, open ...string) {
	t.Helper()
	for i, e := range readExamples(t, folder) {
		if i%sample.Of(1, 5) != sample.Of(0, 3) {
			continue
		}
		for j, size := range [][2]string{{e.Row["grid"], e.Row["block"]}, sizes(e.Row["sizes"])} {
			if !sample.Nightly() && j != i/5%2 {
				continue
			}
			m := readModule(t, e.Files[0])
			r, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], verify.Config{
				Launch: verify.Launch{Grid: dim(t, size[0]), Block: dim(t, size[1])}, Budget: 2000,
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := said(r); got != e.Verdict() && (got != "undecided" || !slices.Contains(open, e.Name)) {
				t.Errorf("%s, %v: %s, want %s: %s; %v", e.Name, size, got, e.Verdict(), e.Row["why"], r.Open)
			}
		}
	}
}

// sizes returns a grid and a block.
func sizes(s string) (all [2]string) {
	copy(all[:], strings.Fields(s))
	return all
}

func readExamples(t *testing.T, folder string) []examples.Example {
	t.Helper()
	all, err := examples.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestDelayLine: an invariant says that cells, which each get the old value of the next, change
// one after the other.
func TestDelayLine(t *testing.T) {
	const cells = 40
	text := ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry line(.param .u64 .ptr a, .param .u32 n) {\n" +
		".local .align 4 .b8 kept[160]; .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<4>;\n" +
		"ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd1, %rd1, %rd2; mov.u32 %r3, 0;\n"
	for i := range cells {
		text += fmt.Sprintf("st.local.u32 [kept+%d], 0;\n", 4*i)
	}
	text += "L: setp.ge.u32 %p1, %r3, %r1; @%p1 bra X;\n"
	for i := range cells - 1 {
		text += fmt.Sprintf("ld.local.u32 %%r4, [kept+%d]; st.local.u32 [kept+%d], %%r4;\n", 4*(i+1), 4*i)
	}
	text += fmt.Sprintf("st.local.u32 [kept+%d], %%r3; add.u32 %%r3, %%r3, 1; bra L;\nX: ld.local.u32 %%r5, [kept]; st.global.u32 [%%rd1], %%r5; ret; }\n", 4*(cells-1))
	m, err := kernel.Parse(src.NewFile("line.ptx", text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Verify(t.Context(), m, m.Func("line"), verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{32, 1, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := said(r); got != "verified" {
		t.Errorf("%s: %v", got, r.Open)
	}
}

// strided is a grid-stride loop over any number of elements by any number of threads: neither its
// iterations nor its stride are known.
const strided = `.version 6.0
.target sm_70
.address_size 64
.visible .entry strided(.param .u64 a, .param .u64 n)
{
	.reg .pred %p<2>;
	.reg .b32 %r<5>;
	.reg .b64 %rd<9>;
	ld.param.u64 %rd1, [a];
	ld.param.u64 %rd2, [n];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mov.u32 %r4, %nctaid.x;
	mul.wide.u32 %rd3, %r1, %r2;
	cvt.u64.u32 %rd4, %r3;
	add.s64 %rd5, %rd3, %rd4;
	mul.wide.u32 %rd6, %r2, %r4;
NEXT:
	setp.ge.s64 %p1, %rd5, %rd2;
	@%p1 bra DONE;
	shl.b64 %rd7, %rd5, 2;
	add.s64 %rd8, %rd1, %rd7;
	st.global.u32 [%rd8], %r3;
	add.s64 %rd5, %rd5, %rd6;
	bra NEXT;
DONE:
	ret;
}
`

// TestDoubtfulAlarm: the search for a small launch follows only alarms that are certain, not alarms
// in an iteration that may never happen. It once took 60,000 conflicts of the solver.
func TestDoubtfulAlarm(t *testing.T) {
	sample.Long(t)
	m, err := kernel.Parse(src.NewFile("strided.ptx", strided))
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{verify.Any, 1, 1}, Block: verify.Dim{128, 1, 1}}})
	if err != nil || r.Verdict == verify.Verified { // it goes wrong where a sum exceeds 2^63
		t.Fatalf("%v, %v", r.Verdict, err)
	}
	if r.Stats.Conflicts > 20_000 {
		t.Errorf("%d conflicts of the solver", r.Stats.Conflicts)
	}
}

// TestTooManyRounds: the note about a loop that is not unrolled says whether its number of
// iterations is unknown or too large.
func TestTooManyRounds(t *testing.T) {
	for bound, want := range map[string]string{"1300": "too many rounds", "%r6": "is not known"} {
		m, err := kernel.Parse(src.NewFile("k.ptx", head+`.entry k(.param .u32 n) { .reg .pred %p<4>; .reg .b32 %r<9>; .shared .align 4 .b8 s[256];
			ld.param.u32 %r6, [n]; mov.u32 %r1, %tid.x; mov.u32 %r2, 0; L: setp.ge.s32 %p1, %r2, `+bound+`; @%p1 bra E;
			setp.eq.u32 %p2, %r2, 1200; setp.eq.and.u32 %p3, %r1, 5, %p2; selp.u32 %r3, 6, %r1, %p3; shl.b32 %r4, %r3, 2; mov.u32 %r5, s; add.s32 %r5, %r5, %r4;
			st.shared.u32 [%r5], %r2; bar.sync 0; add.s32 %r2, %r2, 1; bra L; E: ret; }`))
		if err != nil {
			t.Fatal(err)
		}
		r := expect(t, bound, m, verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{64, 1, 1}}}, verify.Undecided)
		if len(r.Open) != 1 || !strings.Contains(r.Open[0].Why, want) {
			t.Errorf("%s: %v, want %s", bound, r.Open, want)
		}
	}
}
