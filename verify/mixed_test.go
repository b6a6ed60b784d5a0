package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// spelling is an access as PTX writes it, and what the memory model says of it: the memory
// operations that it is modelled as, of one size each, its scope, and whether it writes. %s is the
// address.
type spelling struct {
	text   string
	size   int    // bytes of each operation
	n      int    // operations
	scope  string // "" of a weak access
	writes bool
}

var spellings = []spelling{
	{"ld.global.u8 %%r1, [%s];", 1, 1, "", false},
	{"st.global.u32 [%s], %%r1;", 4, 1, "", true},
	{"ld.volatile.global.u16 %%rs1, [%s];", 2, 1, "sys", false},
	{"ld.volatile.global.v2.u16 {%%rs1, %%rs2}, [%s];", 2, 2, "sys", false},
	{"st.volatile.global.u32 [%s], %%r1;", 4, 1, "sys", true},
	{"ld.mmio.relaxed.sys.global.u32 %%r1, [%s];", 4, 1, "sys", false},
	{"ld.relaxed.gpu.global.b32 %%r1, [%s];", 4, 1, "gpu", false},
	{"ld.acquire.cta.global.b64 %%rd2, [%s];", 8, 1, "cta", false},
	{"ld.acquire.cluster.global.u16 %%rs1, [%s];", 2, 1, "cluster", false},
	{"st.release.sys.global.u16 [%s], %%rs1;", 2, 1, "sys", true},
	{"st.relaxed.cluster.global.v2.b32 [%s], {%%r1, %%r2};", 4, 2, "cluster", true},
	{"st.relaxed.gpu.global.v4.b32 [%s], {%%r1, %%r2, %%r3, %%r4};", 4, 4, "gpu", true},
	{"st.relaxed.gpu.global.v2.b64 [%s], {%%rd2, %%rd3};", 8, 2, "gpu", true},
	{"atom.global.add.u32 %%r1, [%s], %%r2;", 4, 1, "gpu", true},
	{"atom.global.cta.cas.b16 %%rs1, [%s], %%rs2, %%rs3;", 2, 1, "cta", true},
	{"atom.global.sys.cas.b32 %%r1, [%s], %%r2, %%r3;", 4, 1, "sys", true},
	{"atom.acq_rel.cluster.global.exch.b64 %%rd2, [%s], %%rd3;", 8, 1, "cluster", true},
	{"red.global.gpu.add.f32 [%s], %%f1;", 4, 1, "gpu", true},
	{"red.global.gpu.add.f64 [%s], %%fd1;", 8, 1, "gpu", true},
	{"atom.global.add.noftz.f16 %%rs1, [%s], %%rs2;", 2, 1, "gpu", true},
	{"red.release.sys.global.add.noftz.bf16 [%s], %%rs2;", 2, 1, "sys", true},
	{"atom.global.add.noftz.f16x2 %%r1, [%s], %%r2;", 2, 2, "gpu", true},
	{"red.relaxed.cluster.global.add.noftz.bf16x2 [%s], %%r2;", 2, 2, "cluster", true},
	{"atom.global.v2.f32.add {%%f1, %%f2}, [%s], {%%f3, %%f4};", 4, 2, "gpu", true},
	{"red.global.gpu.add.v4.f32 [%s], {%%f1, %%f2, %%f3, %%f4};", 4, 4, "gpu", true},
	{"red.global.sys.min.noftz.v4.f16 [%s], {%%rs1, %%rs2, %%rs3, %%rs4};", 2, 4, "sys", true},
	{"atom.global.max.noftz.v8.bf16 {%%rs1, %%rs2, %%rs3, %%rs4, %%rs5, %%rs6, %%rs7, %%rs8}, [%s], {%%rs1, %%rs2, %%rs3, %%rs4, %%rs5, %%rs6, %%rs7, %%rs8};", 2, 8, "gpu", true},
	{"red.global.add.noftz.v2.bf16x2 [%s], {%%r1, %%r2};", 2, 4, "gpu", true},
}

// includes reports whether a scope has the thread of another block, of the same cluster or of
// another.
func (s spelling) includes(sameBlock, sameCluster bool) bool {
	switch s.scope {
	case "":
		return false
	case "cta":
		return sameBlock
	case "cluster":
		return sameCluster
	}
	return true
}

// races reports whether two unordered accesses race (PTX ISA, "Conflict and Data-races", "Morally
// Strong Operations"). The second is apart bytes behind the first.
func (s spelling) races(o spelling, apart int, sameBlock, sameCluster bool) bool {
	if !s.writes && !o.writes {
		return false
	}
	strong := s.includes(sameBlock, sameCluster) && o.includes(sameBlock, sameCluster)
	for i := range s.n {
		for j := range o.n {
			x, y := i*s.size, apart+j*o.size
			if overlap := x < y+o.size && y < x+s.size; overlap && !(strong && x == y && s.size == o.size) {
				return true
			}
		}
	}
	return false
}

// meeting returns a kernel of two threads with one access each. The second access is apart bytes
// behind the first.
func (s spelling) meeting(o spelling, apart int, other string) string {
	return `.version 8.8
.target sm_100
.address_size 64
.visible .entry k(.param .u64 p) .reqnctapercluster 2
{
.reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .b64 %rd<9>;
ld.param.u64 %rd8, [p];
cvta.to.global.u64 %rd1, %rd8;
mov.u32 %r5, %tid.x;
mov.u32 %r6, %ctaid.x;
or.b32 %r7, %r5, %r6;
setp.eq.u32 %p1, %r7, 0;
` + other + `
@%p1 bra A;
@%p2 bra B;
ret;
A:
` + fmt.Sprintf(s.text, "%rd1") + `
ret;
B:
` + fmt.Sprintf(o.text, fmt.Sprintf("%%rd1+%d", apart)) + `
ret;
}
`
}

// TestMixedSizes: any two accesses of whatever sizes, vectors, packed types, atomics, orders and
// scopes, by threads of one block, of one cluster, and of two. What verify says, and what a launch
// shows, is what the memory model says.
func TestMixedSizes(t *testing.T) {
	where := []struct {
		name, other            string
		sameBlock, sameCluster bool
	}{
		{"one block", "setp.eq.u32 %p3, %r5, 1; setp.eq.and.u32 %p2, %r6, 0, %p3;", true, true},
		{"one cluster", "setp.eq.u32 %p3, %r5, 0; setp.eq.and.u32 %p2, %r6, 1, %p3;", false, true},
		{"two clusters", "setp.eq.u32 %p3, %r5, 0; setp.eq.and.u32 %p2, %r6, 2, %p3;", false, false},
	}
	n, races := 0, 0
	for i, a := range spellings {
		for j, b := range spellings {
			for k, at := range where {
				for _, apart := range []int{0, 2, 4, 8} {
					n++
					if apart%(b.size*b.n) != 0 || !sample.All() && n%7 != (i+j+k)%7 {
						continue
					}
					right := a.races(b, apart, at.sameBlock, at.sameCluster)
					if right {
						races++
					}
					text := a.meeting(b, apart, at.other)
					if err := judge(t, text, right); err != nil {
						t.Errorf("%s: %s and, %d bytes behind, %s: %v", at.name, a.text, apart, b.text, err)
					}
				}
			}
		}
	}
	if races < 300 {
		t.Errorf("only %d races", races)
	}
}

// judge compares what verify says of a kernel, and what a launch shows, with whether it has a race.
func judge(t *testing.T, text string, right bool) error {
	t.Helper()
	m, err := kernel.Parse(src.NewFile("k.ptx", text))
	if err != nil {
		return err
	}
	r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{4, 1, 1}, Block: verify.Dim{32, 1, 1}}})
	if err != nil {
		return err
	}
	if r.Verdict == verify.Undecided || (r.Verdict == verify.Alarmed) != right {
		return fmt.Errorf("verify says %v %v, want a race: %t", r.Verdict, r.Open, right)
	}
	report, err := launch.New(m).Run(t.Context(), launch.Launch{
		Grid: launch.Dim{X: 4}, Block: launch.Dim{X: 32}, Args: []launch.Arg{{Buffer: &launch.Buffer{Name: "p", Size: 64}}},
	})
	if err != nil {
		return fmt.Errorf("%s", strings.SplitN(err.Error(), "\n", 2)[0])
	}
	if shown := len(report.Races) > 0; shown != right {
		return fmt.Errorf("a launch shows a race: %t, want %t", shown, right)
	}
	return nil
}
