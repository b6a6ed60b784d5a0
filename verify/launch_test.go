package verify_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// TestParseDim: a text that is not completely a size is an error that quotes it.
func TestParseDim(t *testing.T) {
	for text, want := range map[string]verify.Dim{
		"64": {64, 1, 1}, "8,4": {8, 4, 1}, "8x4": {8, 4, 1}, "*,2,3": {verify.Any, 2, 3}, "[16, 16]": {16, 16, 1},
	} {
		if got, err := verify.ParseDim(text); err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", ",", "8,", ",8", "8,,8", "8,x", "x8", "8x", "8,8,8,8", "0", "0x10", "-1", "+8", "8 8", "[8", "8]", "[]", "8.0", "many"} {
		if got, err := verify.ParseDim(text); err == nil || !strings.HasPrefix(err.Error(), `"`+text+`" is no size`) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

// TestLimits: only possible launches go wrong: those with at most the threads that a block can
// have, in each dimension and in all, and with whole clusters.
func TestLimits(t *testing.T) {
	const any = verify.Any
	for _, test := range []struct {
		name, says, body string
		block, grid      verify.Dim
		least            int // the number of threads with which two of them race
		want             verify.Verdict
	}{
		{"at most 64", ".maxntid 64", "and.b32 %r4, %r1, 63;", verify.Dim{}, verify.Dim{1, 1, 1}, 0, verify.Verified},
		{"at most 8 times 8", ".maxntid 8, 8", "and.b32 %r4, %r1, 63;", verify.Dim{any, 1, 1}, verify.Dim{1, 1, 1}, 0, verify.Verified},
		{"at most 65", ".maxntid 65", "and.b32 %r4, %r1, 63;", verify.Dim{}, verify.Dim{1, 1, 1}, 65, verify.Alarmed},
		{"at most 64, in three dimensions", ".maxntid 64", "add.u32 %r4, %r1, %r2;", verify.Dim{any, any, any}, verify.Dim{1, 1, 1}, 4, verify.Alarmed},
		{"64 required", ".reqntid 64", "and.b32 %r4, %r1, 63;", verify.Dim{any, 1, 1}, verify.Dim{1, 1, 1}, 0, verify.Verified},
		{"8 times 8 required", ".reqntid 8, 8", "mad.lo.u32 %r4, %r2, 8, %r1;", verify.Dim{any, 1, 1}, verify.Dim{1, 1, 1}, 0, verify.Verified},
		{"1024 in all", "", "add.u32 %r4, %r1, %r2; setp.lt.u32 %p1, %r1, 512; setp.lt.u32 %p2, %r2, 2; or.pred %p1, %p1, %p2; @%p1 ret;", verify.Dim{any, any, 1}, verify.Dim{1, 1, 1}, 0, verify.Verified},
		{"1024 in all, and some race", "", "add.u32 %r4, %r1, %r2; setp.lt.u32 %p1, %r1, 500; @%p1 ret;", verify.Dim{any, any, 1}, verify.Dim{1, 1, 1}, 1002, verify.Alarmed},
		{"clusters of 2", ".reqnctapercluster 2", "mov.u32 %r4, %nctaid.x; and.b32 %r4, %r4, 1; setp.eq.u32 %p1, %r4, 0; @%p1 ret;", verify.Dim{2, 1, 1}, verify.Dim{any, 1, 1}, 0, verify.Verified},
		{"clusters of 3", ".reqnctapercluster 3", "mov.u32 %r4, %nctaid.x; and.b32 %r4, %r4, 1; setp.eq.u32 %p1, %r4, 0; @%p1 ret;", verify.Dim{2, 1, 1}, verify.Dim{any, 1, 1}, 2, verify.Alarmed},
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", head+`.entry k(.param .u64 a) `+test.says+` { .reg .pred %p<4>; .reg .b32 %r<5>; .reg .b64 %rd<4>;
			ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; `+test.body+`
			mul.wide.u32 %rd3, %r4, 4; add.s64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], %r1; ret; }`))
		if err != nil {
			t.Fatal(err)
		}
		r := expect(t, test.name, m, verify.Config{Launch: verify.Launch{Grid: test.grid, Block: test.block}}, test.want)
		for _, a := range r.Alarms {
			if n := a.Launch.Block[0] * a.Launch.Block[1] * a.Launch.Block[2]; n < test.least || n > 1024 || test.says == ".reqnctapercluster 3" && a.Launch.Grid[0]%3 != 0 {
				t.Errorf("%s: %v", test.name, a.Launch)
			}
		}
	}
}

// TestNoSuchLaunch: launches that a kernel cannot have are errors.
func TestNoSuchLaunch(t *testing.T) {
	for _, test := range []struct {
		says        string
		block, grid verify.Dim
		want        string
	}{
		{".maxntid 64", verify.Dim{65, 1, 1}, verify.Dim{1, 1, 1}, "at most 64 threads a block (.maxntid), not 65"},
		{".maxntid 64", verify.Dim{verify.Any, 65, 1}, verify.Dim{1, 1, 1}, "at most 64 threads a block (.maxntid), not *,65"},
		{".reqntid 64", verify.Dim{32, 1, 1}, verify.Dim{1, 1, 1}, "requires blocks of 64 threads (.reqntid), not 32"},
		{".reqntid 8, 8", verify.Dim{verify.Any, 4, 1}, verify.Dim{1, 1, 1}, "requires blocks of 8,8 threads (.reqntid), not *,4"},
		{"", verify.Dim{verify.Any, 2000, 1}, verify.Dim{1, 1, 1}, "beyond the limit of 1024 threads"},
		{".reqnctapercluster 2", verify.Dim{64, 1, 1}, verify.Dim{3, 1, 1}, "clusters of 2 blocks (.reqnctapercluster), into which a grid of 3 cannot be divided"},
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx", head+`.entry k() `+test.says+` { ret; }`))
		if err != nil {
			t.Fatal(err)
		}
		_, err = verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: test.grid, Block: test.block}})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v; want %s", test.says, err, test.want)
		}
	}
}
