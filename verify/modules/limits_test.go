package modules_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/modules"
)

const head = ".version 8.0\n.target sm_90\n.address_size 64\n"

// verified returns the result for a kernel of one block with a contract, or none.
func verified(t *testing.T, body, contract string, block int, limit time.Duration) *verify.Result {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "k.ptx")
	for name, text := range map[string]string{file: head + body, filepath.Join(dir, "k.verify"): contract} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := modules.Input{
		Config:  verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{block, 1, 1}}},
		Timeout: limit,
	}
	m := in.Verify(t.Context(), file)
	if m.Err != nil || len(m.Results) != 1 {
		t.Fatalf("%d results, %v", len(m.Results), m.Err)
	}
	return m.Results[0]
}

// TestPermissionsAtBarriers: passing permissions on at barriers does not multiply them, for any
// number of barriers.
func TestPermissionsAtBarriers(t *testing.T) {
	barriers := func(n int) int {
		body := ".entry k(.param .u64 a, .param .u32 n)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .pred %p<2>;\n" +
			"ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, 0;\n" +
			strings.Repeat("setp.eq.u32 %p1, %r1, %r2; add.u32 %r2, %r2, 1; @%p1 bra L; bar.sync 0;\n", n) +
			"L: ret;\n}\n"
		return verified(t, body, "kernel k(u32 a[], u32 n) { requires perm(a[n], 50); }", 8, 0).Stats.Terms
	}
	if few, many := barriers(8), barriers(32); many > 40*few {
		t.Errorf("%d terms for 8 barriers, %d for 32", few, many)
	}
}

// TestManyQuantifiers: a contract with the maximal number of variables is checked in time.
func TestManyQuantifiers(t *testing.T) {
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprint("i", i))
	}
	contract := "kernel k(u32 n) { requires forall " + strings.Join(names, ", ") + " in 0 .. 3: n == 1; }"
	if r := verified(t, ".entry k(.param .u32 n) { ret; }", contract, 4, 0); r.Verdict != verify.Verified {
		t.Errorf("%v, %v", r.Verdict, r.Open)
	}
}

// TestLimitIsKept: a verification beyond its limit says so, wherever its time is spent.
func TestLimitIsKept(t *testing.T) {
	const registers = ".reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .f32 %f<4>; .reg .pred %p<2>;\n"
	for name, c := range map[string]struct{ body, contract string }{
		"sums": {registers + "mov.u32 %r1, %tid.x;\n" +
			strings.Repeat("mov.u32 %r2, %clock; add.u32 %r1, %r1, %r2;\n", 20_000) + "st.global.u32 [%rd1], %r1;", ""},
		"products": {"", "kernel k(u32 n) { requires " + strings.Repeat("n * ", 3000) + "n == 1; }"},
	} {
		const limit = 300 * time.Millisecond
		began := time.Now()
		r := verified(t, ".entry k(.param .u32 n)\n{\n"+c.body+"\nret;\n}\n", c.contract, 32, limit)
		if r.Verdict != verify.Undecided || len(r.Open) == 0 ||
			!strings.Contains(fmt.Sprint(r.Open), "stopped after 300ms (see --timeout)") {
			t.Errorf("%s: %v, %.200v", name, r.Verdict, r.Open)
		}
		t.Logf("%s: %v for a limit of %v", name, time.Since(began), limit)
	}
}

// TestReplayIsBounded: a launch that would take too much memory is not made, and the alarm says so.
func TestReplayIsBounded(t *testing.T) {
	const body = ".entry k(.param .u64 p)\n{\n.local .b8 q[524288]; .reg .b32 %r<4>; .reg .b64 %rd<4>;\n" +
		"ld.param.u64 %rd1, [p]; mov.u64 %rd2, q; mov.u32 %r1, 1;\nst.local.u32 [%rd2], %r1;\nbar.sync 0;\n" +
		"st.global.u32 [%rd1], %r1;\nret;\n}\n"
	r := verified(t, body, "", 1024, 0)
	if len(r.Alarms) == 0 || !strings.HasPrefix(r.Alarms[0].Replay, "not replayed: ") ||
		!strings.Contains(r.Alarms[0].Replay, "more than 256 MiB of memory") {
		t.Fatalf("%d alarms, %+v", len(r.Alarms), r.Alarms)
	}
	if r = verified(t, body, "", 32, 0); len(r.Alarms) == 0 || !strings.HasPrefix(r.Alarms[0].Replay, "replayed: ") {
		t.Fatalf("32 threads: %d alarms, %+v", len(r.Alarms), r.Alarms)
	}
}
