package few_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/spec"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/few"
)

const folder = "../testdata/contracts/"

func read(t testing.TB, name string) *kernel.Module {
	t.Helper()
	text, err := os.ReadFile(folder + name + ".ptx")
	if err != nil {
		t.Fatal(err)
	}
	m, err := kernel.Parse(src.NewFile(name+".ptx", string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func contractOf(t testing.TB, m *kernel.Module, text string) *spec.Contract {
	t.Helper()
	read, err := spec.Read(src.NewFile("kernel.verify", text))
	if err != nil {
		t.Fatal(err)
	}
	c, err := spec.Bind(m, m.Funcs[0], read)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sum returns the contract of the reduction for n threads.
func sum(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("old(in[%d])", i))
	}
	return "kernel reduce(s32 in[], s32 out[]) { ensures out[0] == s32(" + strings.Join(all, " + ") + "); }"
}

// sorted returns the contract of the sort.
func sorted(int) string {
	return "kernel sort(s32 A[]) { ensures forall i in 0 .. ntid - 1: A[i] <= A[i + 1]; }"
}

func verifyFew(t testing.TB, name string, n int, engine few.Engine, contract string, budget int) *verify.Result {
	t.Helper()
	m := read(t, name)
	r, err := few.Verify(context.Background(), m, m.Funcs[0], few.Config{
		Block: verify.Dim{n}, Engine: engine, Contract: contractOf(t, m, contract), Budget: budget, Alarms: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func textOf(t testing.TB, r *verify.Result) string {
	t.Helper()
	var text strings.Builder
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// cells are the table of the paper: each of its programs, correct and with a missing barrier, for
// two and for four threads.
var cells = []struct {
	kernel   string
	contract func(n int) string
	verdict  verify.Verdict
	paper    map[int][2]string // seconds for n threads: with all schedules, and with partial-order reduction
}{
	{"sum", sum, verify.Verified, map[int][2]string{2: {"0.46", "< 0.1"}, 4: {"> 600", "2.84"}}},
	{"sum-no-barrier", sum, verify.Alarmed, map[int][2]string{2: {"0.35", "< 0.1"}, 4: {"240", "0.16"}}},
	{"bitonic", sorted, verify.Verified, map[int][2]string{2: {"560", "< 0.1"}, 4: {"> 600", "3.7"}}},
	{"bitonic-no-barrier", sorted, verify.Alarmed, map[int][2]string{2: {"1.29", "< 0.1"}, 4: {"> 600", "0.45"}}},
}

// TestTable recomputes the table of README.md: the verdict of each engine, with at most as
// many conflicts of the solver as the table gives. Conflicts do not depend on the machine; seconds
// do, and are not compared.
func TestTable(t *testing.T) {
	doc, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		for _, n := range []int{2, 4} {
			row := regexp.MustCompile(fmt.Sprintf(`(?m)^\| `+"`%s`"+
				` \| %d \| (\w+) \| ([^|]*) \| [^|]* \| ([\d,]+) \| ([^|]*) \| [^|]* \| ([\d,]+) \|$`, c.kernel,
				n)).FindStringSubmatch(string(doc))
			if row == nil {
				t.Errorf("README.md has no row for %s with %d threads", c.kernel, n)
				continue
			}
			for i, engine := range []few.Engine{few.Schedules, few.Intervals} {
				r := verifyFew(t, c.kernel, n, engine, c.contract(n), 0)
				most, _ := strconv.Atoi(strings.ReplaceAll(row[3+2*i], ",", ""))
				if r.Verdict != c.verdict || row[1] != r.Verdict.String() || row[2+2*i] != c.paper[n][i] ||
					r.Stats.Conflicts > most {
					t.Errorf("%s, %d threads: %d conflicts; the row is %q, the result\n%s", c.kernel, n,
						r.Stats.Conflicts, row[0], textOf(t, r))
				}
			}
		}
	}
}

// TestAlarms: each engine names the threads and accesses that race, and the consequence of a wrong
// statement.
func TestAlarms(t *testing.T) {
	for _, engine := range []few.Engine{few.Intervals, few.Schedules} {
		for kernel, c := range map[string]struct{ contract, says string }{
			"sum-no-barrier":     {sum(2), "write 0  sum-no-barrier.cu:7:12"},
			"bitonic-no-barrier": {sorted(2), "read     bitonic-no-barrier.cu:18:12"},
			"bitonic-backwards": {
				sorted(2),
				"assertion: ensures forall i in 0 .. ntid - 1: A[i] <= A[i + 1] (kernel.verify:1)",
			},
		} {
			if text := textOf(t, verifyFew(t, kernel, 2, engine, c.contract, 0)); !strings.Contains(text, c.says) {
				t.Errorf("%s is not said:\n%s", c.says, text)
			}
		}
	}
}

// TestEight: the reduction is correct for eight threads, and wrong sums are found.
func TestEight(t *testing.T) {
	if r := verifyFew(t, "sum", 8, few.Intervals, sum(8), 0); r.Verdict != verify.Verified {
		t.Error(textOf(t, r))
	}
	if r := verifyFew(t, "sum", 8, few.Intervals, sum(7), 0); r.Verdict != verify.Alarmed {
		t.Error(textOf(t, r))
	}
}

// TestAside: clauses that the engine ignores are listed.
func TestAside(t *testing.T) {
	const contract = "kernel reduce(s32 in[], s32 out[]) { loop invariant false; }"
	if text := textOf(t, verifyFew(t, "sum", 2, few.Intervals, contract, 0)); !strings.Contains(text,
		"note: of the contract, only what the kernel requires") {
		t.Error(text)
	}
}

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		x, y string
		want verify.Verdict
		says string
	}{
		{"bitonic", "bitonic", verify.Verified, "compared with sort"},
		{"bitonic", "bitonic-backwards", verify.Alarmed, "sort of bitonic.ptx leaves"},
		{"sum", "sum-pairs", verify.Verified, "compared with reduce"},
		{"sum", "sum-no-barrier", verify.Alarmed, "race"},
	} {
		for _, engine := range []few.Engine{few.Intervals, few.Schedules} {
			x, y := read(t, c.x), read(t, c.y)
			n := 4
			if engine == few.Schedules {
				n = 2
			}
			r, err := few.Equal(context.Background(), x, x.Funcs[0], few.Other{Module: y, Kernel: y.Funcs[0]},
				few.Config{Block: verify.Dim{n}, Engine: engine})
			if err != nil {
				t.Fatal(err)
			}
			if text := textOf(t, r); r.Verdict != c.want || !strings.Contains(text, c.says) {
				t.Errorf("%s and %s: want %s, %q, got\n%s", c.x, c.y, c.want, c.says, text)
			}
		}
	}
}

// kernelOf returns a kernel that does something with the thread's element of an array: %rd3 is its
// address, %r1 the thread.
func kernelOf(t testing.TB, name, vars, body string) *kernel.Module {
	t.Helper()
	m, err := kernel.Parse(src.NewFile(name, fmt.Sprintf(`.version 7.0
.target sm_70
.address_size 64
%s
.visible .entry k(.param .align 8 .b8 A[16])
{
	.reg .pred %%p<2>;
	.reg .b32 %%r<4>;
	.reg .b64 %%rd<6>;
	ld.param.u64 %%rd1, [A];
	mov.u32 %%r1, %%tid.x;
	mul.wide.u32 %%rd2, %%r1, 4;
	add.s64 %%rd3, %%rd1, %%rd2;
	setp.eq.u32 %%p1, %%r1, 0;
	%s
	ret;
}
`, vars, body)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestUnlike: kernels differ if they leave different contents in any memory that outlives them;
// values that two launches may read differently do not make them equal.
func TestUnlike(t *testing.T) {
	const (
		leave  = "@%p1 st.global.u32 [g], "
		fill   = "ld.global.u32 %r2, [g]; st.global.u32 [%rd3], %r2;"
		second = "ld.param.u64 %rd4, [A+8]; add.s64 %rd5, %rd4, %rd2; st.global.u32 [%rd5], "
	)
	for _, c := range []struct {
		varsX, x, varsY, y string
		want               verify.Verdict
		says               string
	}{
		{
			"", "mov.u32 %r2, %clock; st.global.u32 [%rd3], %r2;", "",
			"mov.u32 %r2, %clock; st.global.u32 [%rd3], %r2;",
			verify.Alarmed, "k of x.ptx leaves",
		},
		{
			".shared .u32 s;", "ld.shared.u32 %r2, [s]; st.global.u32 [%rd3], %r2;", ".shared .u32 s;",
			"ld.shared.u32 %r2, [s]; st.global.u32 [%rd3], %r2;", verify.Alarmed, "in the array of parameter 1+0 at",
		},
		{".global .u32 g;", leave + "1;", ".global .u32 g;", leave + "1;", verify.Verified, ""},
		{
			".global .u32 g;", leave + "1;", ".global .u32 g;", leave + "2;", verify.Alarmed,
			"k of x.ptx leaves 1 in g at byte 0, and k of y.ptx 2",
		},
		{".global .u32 g;", leave + "1;", "", "", verify.Undecided, "this writes to g, which y.ptx has not"},
		{".global .u32 g = 1;", fill, ".global .u32 g = 1;", fill, verify.Verified, ""},
		{".global .u32 g = 1;", fill, ".global .u32 g = 2;", fill, verify.Alarmed, "leaves"},
		{"", second + "1;", "", second + "1;", verify.Verified, ""},
		{"", second + "1;", "", second + "2;", verify.Alarmed, "leaves 1 in the array of parameter 1+8 at"},
	} {
		x, y := kernelOf(t, "x.ptx", c.varsX, c.x), kernelOf(t, "y.ptx", c.varsY, c.y)
		for _, engine := range []few.Engine{few.Intervals, few.Schedules} {
			r, err := few.Equal(context.Background(), x, x.Funcs[0], few.Other{Module: y, Kernel: y.Funcs[0]},
				few.Config{Block: verify.Dim{2}, Engine: engine})
			if err != nil {
				t.Fatal(err)
			}
			if text := textOf(t, r); r.Verdict != c.want || !strings.Contains(text, c.says) {
				t.Errorf("%s | %s: want %s, %q, got\n%s", c.x, c.y, c.want, c.says, text)
			}
		}
	}
}

// TestRefused: a kernel is not verified if a part of it was not examined, or if no launch is like
// the configuration.
func TestRefused(t *testing.T) {
	const right = "st.global.u32 [%rd3], 1;"
	for _, c := range []struct{ body, contract, says string }{
		{
			"ld.global.u64 %rd4, [%rd1]; st.global.u32 [%rd4], %r1;", "",
			"which array this address points into is not known",
		},
		{"@%p1 vote.sync.any.pred %p1, %p1, 3;", "", "what lanes of a warp do together"},
		{"@%p1 bar.warp.sync 0xffffffff;", "", "what lanes of a warp do together"},
		{"bar.red.popc.u32 %r2, 0, %p1; st.global.u32 [%rd3], %r2;", "", "what a barrier tells all threads"},
		{right, "requires ntid == 3;", "no launch is as the contract takes for granted"},
		{right, "requires tid == 0;", "no launch is as the contract takes for granted"},
	} {
		m := kernelOf(t, "k.ptx", "", c.body)
		for _, engine := range []few.Engine{few.Intervals, few.Schedules} {
			r, err := few.Verify(context.Background(), m, m.Funcs[0],
				few.Config{Block: verify.Dim{2}, Engine: engine, Contract: contractOf(t, m, c.contract)})
			if err != nil {
				t.Fatal(err)
			}
			if text := textOf(t, r); r.Verdict != verify.Undecided || !strings.Contains(text, c.says) {
				t.Errorf("%s %s: %q is not said:\n%s", c.body, c.contract, c.says, text)
			}
		}
	}
}

// TestRandom: both engines agree on random kernels (Theorem 2.1 of the paper): if no two accesses
// of an interval conflict in one schedule, no schedule has a race.
func TestRandom(t *testing.T) {
	counts := map[verify.Verdict]int{}
	for seed := range uint64(300) {
		k := examples.RandomKernel(seed, examples.Kind{Reads: seed%2 == 0})
		m, err := kernel.Parse(src.NewFile("random.ptx", k.Text))
		if err != nil {
			t.Fatal(err)
		}
		ask := func(engine few.Engine) *verify.Result {
			r, err := few.Verify(context.Background(), m, m.Funcs[len(m.Funcs)-1],
				few.Config{Block: verify.Dim{2}, Engine: engine, Budget: 20_000, Alarms: 1})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		one, all := ask(few.Intervals), ask(few.Schedules)
		if counts[one.Verdict]++; one.Verdict != all.Verdict && one.Verdict != verify.Undecided &&
			all.Verdict != verify.Undecided {
			t.Errorf("seed %d\n%s\none schedule: %s\nall schedules: %s", seed, k.Text, textOf(t, one), textOf(t, all))
		}
	}
	t.Log(counts)
	if counts[verify.Verified] < 30 || counts[verify.Alarmed] < 30 {
		t.Errorf("%v: too few of one kind", counts)
	}
}
