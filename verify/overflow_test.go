package verify_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// rows has a thread for each element of an image: it writes to column x of row y, if both are in
// the image.
const rows = `.version 7.0
.target sm_70
.address_size 64
.visible .entry rows(.param .u64 A, .param .u32 w, .param .u32 h)
{
	.reg .pred %p<3>;
	.reg .b32 %r<10>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [A];
	ld.param.u32 %r1, [w];
	ld.param.u32 %r2, [h];
	mov.u32 %r3, %ctaid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r3, 8, %r4;
	mov.u32 %r6, %ctaid.y;
	mov.u32 %r7, %tid.y;
	mad.lo.s32 %r8, %r6, 8, %r7;
	setp.ge.s32 %p1, %r5, %r1;
	@%p1 bra DONE;
	setp.ge.s32 %p2, %r8, %r2;
	@%p2 bra DONE;
	mad.lo.s32 %r9, %r8, %r1, %r5;
	mul.wide.s32 %rd2, %r9, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r5;
DONE:
	ret;
}
`

// TestIndices verifies a kernel on an image of unknown size, with one thread for each element or
// with any number: its rows overlap only if indices wrap around.
func TestIndices(t *testing.T) {
	crossing := strings.Replace(rows, "setp.ge.s32 %p1, %r5, %r1", "setp.gt.s32 %p1, %r5, %r1", 1)
	for _, c := range []struct {
		name, text string
		indices    verify.Indices
		want       verify.Verdict
	}{
		{"wrap", rows, verify.WrapAround, verify.Alarmed},
		{"nowrap", rows, verify.NoOverflow, verify.Verified},
		{"a column too many", crossing, verify.NoOverflow, verify.Alarmed},
		{"a column too many, wrap", crossing, verify.WrapAround, verify.Alarmed},
	} {
		m, err := kernel.Parse(src.NewFile("rows.ptx", c.text))
		if err != nil {
			t.Fatal(err)
		}
		for _, grid := range []verify.Dim{{16, 16, 1}, {verify.Any, verify.Any, 1}} {
			r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{
				Launch: verify.Launch{Grid: grid, Block: verify.Dim{8, 8, 1}}, Indices: c.indices,
			})
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != c.want {
				t.Errorf("%s, grid %s: %s, want %s; %v", c.name, grid, r.Verdict, c.want, r.Open)
			}
			blamed := strings.Contains(strings.Join(r.Notes, "\n"), "mad.lo.s32 %r9, %r8, %r1, %r5")
			if blamed != (c.name == "wrap") {
				t.Errorf("%s, grid %s: notes %q", c.name, grid, r.Notes)
			}
			assumed := strings.Contains(strings.Join(r.Assumptions, "\n"), "no index overflows: mad.lo.s32 %r9")
			if assumed != (c.indices == verify.NoOverflow) {
				t.Errorf("%s, grid %s: assuming %q", c.name, grid, r.Assumptions)
			}
		}
	}
}

// TestIndicesAtRandom compares with brute force, whose numbers are too small to overflow: a kernel
// that it shows to go wrong is verified with neither kind of arithmetic.
func TestIndicesAtRandom(t *testing.T) {
	verified := 0
	for seed := range uint64(sample.Of(400, 60)) {
		k := examples.RandomKernel(seed, examples.Kind{Loops: seed%2 == 0})
		m, err := kernel.Parse(src.NewFile("random.ptx", k.Text))
		if err != nil {
			t.Fatal(err)
		}
		r, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], verify.Config{
			Launch: verify.Launch{Grid: verify.Dim{k.Grid.X, 1, 1}, Block: verify.Dim{k.Block.X, max(1, k.Block.Y), 1}},
			Budget: 1000, Indices: verify.NoOverflow, Alarms: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != verify.Verified {
			continue
		}
		verified++
		if brute := shown(t, &k, m, seed); brute != (launch.Verdict{}) {
			t.Errorf("seed %d: verified, but brute force shows %+v\n%s", seed, brute, k.Text)
		}
	}
	if verified == 0 {
		t.Error("nothing is verified")
	}
}

// TestGuessesTogether: guesses that are easy to prove one by one, but not all together, are proved
// one by one, and only once. The search once did not end.
func TestGuessesTogether(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	text, err := os.ReadFile("testdata/loops/chunk-part.ptx")
	if err != nil {
		t.Fatal(err)
	}
	m, err := kernel.Parse(src.NewFile("chunk-part.ptx", string(text)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Verify(ctx, m, m.Funcs[len(m.Funcs)-1], verify.Config{
		Launch: verify.Launch{Grid: verify.Dim{verify.Any, 1, 1}, Block: verify.Dim{64, 1, 1}}, Indices: verify.NoOverflow,
	})
	if err != nil || r.Verdict != verify.Verified {
		t.Errorf("%v, %v: %v", r.Verdict, r.Open, err)
	}
}
