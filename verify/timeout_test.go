package verify_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// choosing returns a kernel that branches on n numbers that it reads, and then on whether a number
// of the first half and its partner in the other half are both 0. Each of these conditions is twice
// as large as the one before.
func choosing(n int) string {
	var s strings.Builder
	s.WriteString(".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 A) {\n")
	fmt.Fprintf(&s, ".reg .pred %%p<%d>; .reg .b32 %%r<%d>; .reg .b64 %%rd<4>;\nld.param.u64 %%rd1, [A];\n", n+2, n)
	for i := range n {
		fmt.Fprintf(&s, "ld.volatile.global.u32 %%r%d, [%%rd1+%d]; setp.eq.u32 %%p%d, %%r%d, 0;\n", i, 4*i, i, i)
		fmt.Fprintf(&s, "@%%p%d bra L%d; st.volatile.global.u32 [%%rd1], %%r%d;\nL%d:\n", i, i, i, i)
	}
	fmt.Fprintf(&s, "setp.ne.u32 %%p%d, %%r0, %%r0;\n", n)
	for i := range n / 2 {
		fmt.Fprintf(&s, "and.pred %%p%d, %%p%d, %%p%d; or.pred %%p%d, %%p%d, %%p%d;\n", n+1, i, n/2+i, n, n, n+1)
		fmt.Fprintf(&s, "@%%p%d bra M%d; st.volatile.global.u32 [%%rd1], %%r%d;\nM%d:\n", n, i, i, i)
	}
	s.WriteString("ret;\n}\n")
	return s.String()
}

// TestTimeout: the timeout also applies to the construction of path conditions, which may take much
// longer than the number of instructions suggests.
func TestTimeout(t *testing.T) {
	m, err := kernel.Parse(src.NewFile("k.ptx", choosing(34)))
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []time.Duration{time.Microsecond, 50 * time.Millisecond} {
		ctx, stop := context.WithTimeout(t.Context(), limit)
		begin := time.Now()
		r, err := verify.Verify(ctx, m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{32, 1, 1}}})
		took := time.Since(begin)
		stop()
		if err != nil {
			t.Fatal(err)
		}
		if took > 20*time.Second {
			t.Errorf("it takes %v, and has %v", took, limit)
		}
		if r.Verdict != verify.Undecided || len(r.Open) != 1 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "it had come to") {
			t.Errorf("it is %v, because of %v, with %v; want one that had no time, and a place", r.Verdict, r.Open, r.Notes)
		}
	}
}

// passing returns a kernel that n times increments a counter, combines the result with the value
// that it passes on in shared memory, and receives the value of another thread.
func passing(n int) string {
	var s strings.Builder
	s.WriteString(".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 A) {\n.shared .align 4 .b8 s[256];\n.reg .b32 %r<9>; .reg .b64 %rd<4>;\n")
	s.WriteString("ld.param.u64 %rd1, [A]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; mov.u64 %rd3, s; add.u64 %rd2, %rd2, %rd3; mov.u32 %r2, 0;\n")
	for range n {
		s.WriteString("atom.global.add.u32 %r3, [%rd1], 1; xor.b32 %r2, %r2, %r3; st.shared.u32 [%rd2], %r2; bar.sync 0; ld.shared.u32 %r3, [s]; add.u32 %r2, %r2, %r3; bar.sync 0;\n")
	}
	s.WriteString("ret;\n}\n")
	return s.String()
}

// TestTimeoutOfMasters: the timeout also applies to the search for values that one thread of a
// block hands out, among many pairs of writes and reads.
func TestTimeoutOfMasters(t *testing.T) {
	m, err := kernel.Parse(src.NewFile("k.ptx", passing(300)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	begin := time.Now()
	r, err := verify.Verify(ctx, m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{2, 1, 1}, Block: verify.Dim{64, 1, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("it takes %v, and has a second: %v", took, r.Verdict)
	}
}
