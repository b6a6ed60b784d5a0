package modules_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/modules"
)

// ending is a context that ends after its state has been polled a given number of times.
type ending struct {
	context.Context
	end  context.CancelCauseFunc
	left atomic.Int32
}

var errReason = errors.New("stopped after an interrupt")

func (e *ending) Err() error {
	if e.left.Add(-1) < 0 {
		e.end(errReason)
	}
	return e.Context.Err()
}

// TestEnded: a module whose verification was interrupted says why: for the kernels that were not
// begun, and for the one in progress.
func TestEnded(t *testing.T) {
	in := modules.Input{Config: verify.Config{Budget: verify.DefaultBudget}}
	const name = "../testdata/kernels/add-neighbour-barrier.ptx"
	for asked := range int32(12) {
		ctx, cancel := context.WithCancelCause(t.Context())
		e := &ending{Context: ctx, end: cancel}
		e.left.Store(asked)
		m := in.Verify(e, name)
		switch {
		case asked == 0:
			if m.Err == nil || m.Err.Error() != name+": "+errReason.Error() {
				t.Errorf("before the kernel: %v", m.Err)
			}
		case m.Err != nil || len(m.Results) != 1:
			t.Errorf("asked %d times: %d results, %v", asked, len(m.Results), m.Err)
		default:
			r := m.Results[0]
			if r.Verdict == verify.Verified ||
				r.Verdict == verify.Undecided && !slices.Equal(r.Open, []verify.Reason{{Why: errReason.Error()}}) {
				t.Errorf("asked %d times: %v, %v", asked, r.Verdict, r.Open)
			}
		}
		cancel(nil)
	}
}

// slowAndQuick are two kernels. The first races if 2^61-1, a prime number, is a product of two
// numbers above 1, which is infeasible to decide.
const slowAndQuick = `
.version 6.0
.target sm_70
.address_size 64
.visible .entry slow(.param .u64 a, .param .u32 p, .param .u32 q)
{
	.reg .pred %p<4>;
	.reg .b32 %r<3>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [a];
	ld.param.u32 %r1, [p];
	ld.param.u32 %r2, [q];
	mul.wide.u32 %rd2, %r1, %r2;
	setp.gt.u32 %p1, %r1, 1;
	setp.gt.and.u32 %p2, %r2, 1, %p1;
	setp.eq.and.u64 %p3, %rd2, 2305843009213693951, %p2;
	@%p3 st.global.u32 [%rd1], %r1;
	ret;
}
.visible .entry quick(.param .u64 a)
{
	.reg .b32 %r1;
	.reg .b64 %rd<4>;
	mov.u32 %r1, %tid.x;
	ld.param.u64 %rd1, [a];
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r1;
	ret;
}
`

// TestTimeout: a kernel that takes too long is abandoned in time, with a message, and the others
// are still verified; also if a block of a few threads is verified as a whole.
func TestTimeout(t *testing.T) {
	file := filepath.Join(t.TempDir(), "both.ptx")
	if err := os.WriteFile(file, []byte(slowAndQuick), 0o600); err != nil {
		t.Fatal(err)
	}
	const limit, late = 250 * time.Millisecond, 10 * time.Second // for a busy machine; otherwise 10 ms
	for _, in := range []modules.Input{
		{
			Timeout: limit,
			Config: verify.Config{
				Budget: 1 << 30,
				Launch: verify.Launch{Grid: verify.Dim{verify.Any, 1, 1}, Block: verify.Dim{128, 1, 1}},
			},
		},
		{Timeout: limit, Config: verify.Config{Budget: 1 << 30}, Few: modules.Few{Threads: 64, Engine: "schedules"}},
	} {
		m := in.Verify(t.Context(), file)
		if m.Err != nil || len(m.Results) != 2 {
			t.Fatalf("%d results: %v", len(m.Results), m.Err)
		}
		slow := m.Results[0]
		if want := []verify.Reason{{Why: "stopped after 250ms (see --timeout)"}}; slow.Verdict != verify.Undecided ||
			!slices.Equal(slow.Open, want) {
			t.Errorf("%d threads: %v, %v: want %v", in.Few.Threads, slow.Verdict, slow.Open, want)
		}
		if m.Results[1].Verdict == verify.Undecided {
			t.Errorf("the kernel behind it is undecided: %v", m.Results[1].Open)
		}
		if m.Times[0] > limit+late {
			t.Errorf("it takes %v until a kernel ends that has %v", m.Times[0], limit)
		}
	}
}
