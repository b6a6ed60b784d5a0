package verify_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// counted returns a kernel counted(A, n, m, s) that begins with the places of the thread: the
// thread and block in %r1 and %r2, their numbers in %r3 and %r4, and n, m and s in %r5 to %r7.
// Indices may be negative.
func counted(code string) string {
	return `.version 8.0
.target sm_70
.address_size 64
.visible .entry counted(.param .u64 A, .param .u32 n, .param .u32 m, .param .u32 s) {
.reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<9>;
ld.param.u64 %rd1, [A]; add.s64 %rd1, %rd1, 4096; ld.param.u32 %r5, [n]; ld.param.u32 %r6, [m]; ld.param.u32 %r7, [s];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %nctaid.x;
mad.lo.s32 %r8, %r2, %r3, %r1; mul.lo.s32 %r9, %r3, %r4;
` + code + "\nret;\n}\n"
}

// storeAt stores where an index of 32 bits says that is widened.
func storeAt(index, sign string) string {
	return fmt.Sprintf("mul.wide.%s32 %%rd2, %s, 4; add.s64 %%rd2, %%rd1, %%rd2; st.global.u32 [%%rd2], %%r1;", sign, index)
}

func parseCounted(t *testing.T, code string) *kernel.Module {
	t.Helper()
	m, err := kernel.Parse(src.NewFile("counted.ptx", counted(code)))
	if err != nil {
		t.Fatalf("%v\n%s", err, counted(code))
	}
	return m
}

// TestNowrapCompared: numbers that are compared as signed do not overflow, provided that the
// comparison is sure to have happened.
func TestNowrapCompared(t *testing.T) {
	inner := "setp.lt.s32 %p1, %r1, 1; @%p1 ret; sub.s32 %r10, %r5, 1; "
	row := "mad.lo.s32 %r11, %r2, %r5, %r1; " + storeAt("%r11", "s")
	strided := "mov.u32 %r10, %r8; LOOP: setp.ge.s32 %p1, %r10, %r5; @%p1 ret; " + storeAt("%r10", "s") + " add.s32 %r10, %r10, "
	largest := func(combined, unless string) string { // all threads write to one place if n is the largest number, so that n + 1 overflows
		return "add.s32 %r10, %r5, 1; setp.lt.s32 %p1, %r10, %r6; setp.lt.s32 %p2, %r7, 5; " + combined + ".pred %p3, %p2, %p1; @" + unless + "%p3 ret; setp.ne.s32 %p4, %r5, 0x7fffffff; @%p4 ret; st.global.u32 [%rd1], %r1;"
	}
	only := func(number, compared string) string { // all threads write to one place if n is a number, and it is compared
		return compared + " @!%p1 ret; setp.ne.s32 %p4, %r5, " + number + "; @%p4 ret; st.global.u32 [%rd1], %r1;"
	}
	for _, c := range []struct {
		name, code string
		want       verify.Verdict
	}{
		{"the largest number that is one less", only("0x7ffffffe", "add.s32 %r10, %r5, 1; setp.le.s32 %p1, %r10, %r6;"), verify.Alarmed},
		{"the largest number", only("0x7fffffff", "add.s32 %r10, %r5, 1; setp.le.s32 %p1, %r10, %r6;"), verify.Verified},
		{"the largest number, as unsigned", only("0x7fffffff", "add.s32 %r10, %r5, 1; setp.le.u32 %p1, %r10, %r6;"), verify.Alarmed},
		{"the least number that is one more", only("0x80000001", "sub.s32 %r10, %r5, 1; setp.le.s32 %p1, %r10, %r6;"), verify.Alarmed},
		{"the least number", only("0x80000000", "sub.s32 %r10, %r5, 1; setp.le.s32 %p1, %r10, %r6;"), verify.Verified},
		{"the least number, equal", only("0x80000000", "sub.s32 %r10, %r5, 1; setp.ne.s32 %p1, %r10, %r6;"), verify.Alarmed},
		{"inside of a border", inner + "setp.ge.s32 %p2, %r1, %r10; @%p2 ret; " + row, verify.Verified},
		{"inside of a border, predicated", inner + "setp.lt.s32 %p2, %r1, %r10; mad.lo.s32 %r11, %r2, %r5, %r1; mul.wide.s32 %rd2, %r11, 4; add.s64 %rd2, %rd1, %rd2; @%p2 st.global.u32 [%rd2], %r1;", verify.Verified},
		{"both at once", inner + "setp.lt.s32 %p2, %r1, %r10; setp.lt.s32 %p3, %r2, %r6; and.pred %p2, %p2, %p3; @!%p2 ret; " + row, verify.Verified},
		{"compared as unsigned", inner + "setp.ge.u32 %p2, %r1, %r10; @%p2 ret; " + row, verify.Alarmed},
		{"across the border", inner + "add.s32 %r10, %r10, 3; setp.ge.s32 %p2, %r1, %r10; @%p2 ret; " + row, verify.Alarmed},
		{"where both hold", largest("and", "!"), verify.Verified},
		{"where not both hold, of which one may not have been compared", largest("and", ""), verify.Alarmed},
		{"where neither holds", largest("or", ""), verify.Verified},
		{"where one holds, and the other may not have been compared", largest("or", "!"), verify.Alarmed},
		{"every so many elements", strided + "%r9; bra LOOP;", verify.Verified},
		{"every so many elements of a block", strided + "%r3; bra LOOP;", verify.Alarmed},
	} {
		m := parseCounted(t, c.code)
		for _, indices := range []verify.Indices{verify.NoOverflow, verify.WrapAround} {
			if indices == verify.WrapAround && c.name != "every so many elements" {
				continue // these take long, and find races
			}
			r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{
				Launch: verify.Launch{Grid: verify.Dim{verify.Any, 1, 1}, Block: verify.Dim{8, 1, 1}}, Indices: indices, Alarms: 1, Budget: 3_000,
			})
			if err != nil {
				t.Fatal(err)
			}
			if good := r.Verdict == c.want || indices == verify.WrapAround && r.Verdict != verify.Verified; !good {
				t.Errorf("%s, indices %v: %v, want %v; %v", c.name, indices, r.Verdict, c.want, r.Open)
			}
		}
	}
}

// TestNowrapKept: a second computation of the same number loses nothing that is known about the
// first. Here an iteration of a loop adds 0 at first.
func TestNowrapKept(t *testing.T) {
	tile := func(row string) string {
		return "shl.b32 %r10, %r2, 3; add.s32 %r10, %r10, %r1; mul.lo.s32 %r11, %r10, %r5; shl.b32 %r13, %r5, 2; mov.u32 %r12, 0; LOOP: setp.gt.s32 %p1, %r12, 7; @%p1 ret; " +
			"add.s32 %r14, %r10, %r12; setp.ge.s32 %p2, %r14, %r6; @%p2 bra NEXT; " + storeAt("%r11", "s") + " NEXT: add.s32 %r12, %r12, " + row + "; add.s32 %r11, %r11, %r13; bra LOOP;"
	}
	for code, want := range map[string]verify.Verdict{
		"setp.lt.s32 %p3, %r5, 1; @%p3 ret; " + tile("4"): verify.Verified,
		tile("4"): verify.Alarmed, // n may be 0
		"setp.lt.s32 %p3, %r5, 1; @%p3 ret; " + strings.ReplaceAll(tile("4"), "shl.b32 %r10, %r2, 3", "shl.b32 %r10, %r2, 2"): verify.Alarmed,
	} {
		m := parseCounted(t, code)
		r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{
			Launch: verify.Launch{Grid: verify.Dim{verify.Any, 1, 1}, Block: verify.Dim{4, 1, 1}}, Indices: verify.NoOverflow, Alarms: 1, Budget: 3_000,
		})
		if err != nil || r.Verdict != want {
			t.Errorf("%v %v %v, want %v:\n%s", r.Verdict, r.Open, err, want, code)
		}
	}
}

// TestNowrapDown: a subtraction in each iteration makes a number less, even if it is widened as
// unsigned. Thread 1 reaches the places of thread 0 many iterations later.
func TestNowrapDown(t *testing.T) {
	m := parseCounted(t, "setp.lt.s32 %p1, %r7, 1; @%p1 ret; setp.gt.s32 %p1, %r7, 100; @%p1 ret; mul.lo.s32 %r10, %r1, 10000; add.s32 %r10, %r10, 1000000; "+
		"LOOP: setp.lt.u32 %p2, %r10, 1000; @%p2 ret; "+storeAt("%r10", "u")+" sub.s32 %r10, %r10, %r7; bra LOOP;")
	r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{
		Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{4, 1, 1}}, Indices: verify.NoOverflow, Alarms: 1, Budget: 300,
	})
	if err != nil || r.Verdict == verify.Verified {
		t.Errorf("%v, %v", r.Verdict, err)
	}
}

// counting draws a loop over the elements of rows, from a first index and by strides up or down,
// with and without the usual mistakes. It also draws whether numbers are widened as unsigned.
func counting(r *rand.Rand) (code string, unsigned bool) {
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	unsigned = r.IntN(4) == 0
	sign := "s"
	if unsigned {
		sign = "u"
	}
	var b strings.Builder
	add := func(lines ...string) {
		for _, l := range lines {
			b.WriteString(l + "\n")
		}
	}
	add(one("", "setp.lt.s32 %p1, %r7, 1; @%p1 ret;", "setp.lt.s32 %p1, %r7, 1; @%p1 ret;"))
	add("mov.u32 %r10, " + one("%r1", "%r1", "%r8", "%r8", "%r2", "0") + ";")
	add("sub.s32 %r11, %r5, 1;", "mul.lo.s32 %r12, %r7, %r3;", "shl.b32 %r13, %r7, 1;")
	bound := one("%r5", "%r5", "%r5", "%r11", "%r6")
	stride := one("%r3", "%r3", "%r9", "%r9", "%r9", "%r7", "%r12", "%r13", "4", "1")
	if r.IntN(3) == 0 { // down
		add("add.s32 %r14, "+one("%r5", "%r6", "%r3")+", %r10;", "LOOP: setp."+one("le", "lt")+".s32 %p2, %r14, "+one("0", "%r6", "3")+"; @%p2 bra END;")
		add(storeAt("%r14", sign), "sub.s32 %r14, %r14, "+stride+";", "bra LOOP;", "END:")
		return b.String(), unsigned
	}
	add("LOOP: setp." + one("ge", "ge", "ge", "gt") + ".s32 %p2, %r10, " + bound + "; @%p2 bra END;")
	if r.IntN(3) == 0 {
		add("add.s32 %r15, %r10, "+one("1", "-1")+"; setp.lt.s32 %p3, %r15, "+one("%r11", "%r6", "0")+";", one("", "setp.lt.and.s32 %p3, %r7, %r6, %p3;"), one("@%p3", "@!%p3")+" bra NEXT;")
	}
	add(one("mad.lo.s32 %r16, %r2, %r5, %r10;", "mad.lo.s32 %r16, %r2, %r5, %r10;", "mov.u32 %r16, %r10;", "mov.u32 %r16, %r10;", "mad.lo.s32 %r16, %r10, %r6, %r2;", "mad.lo.s32 %r16, %r1, %r5, %r10;"))
	add(storeAt("%r16", sign))
	add("NEXT:", one("add.s32 %r10, %r10, "+stride+";", "add.s32 %r10, %r10, "+stride+";", "mad.lo.s32 %r10, %r3, %r4, %r10;"), "bra LOOP;", "END:")
	return b.String(), unsigned
}

// TestNowrapRandom: a random loop that is verified without overflow goes wrong in no launch whose
// numbers are too small to overflow.
func TestNowrapRandom(t *testing.T) {
	n := sample.Rounds(2_000, 12, 6)
	verified, shownWrong := 0, 0
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 31))
		code, unsigned := counting(r)
		m := parseCounted(t, code)
		grid := verify.Dim{3, 1, 1}
		if seed%2 == 0 {
			grid[0] = verify.Any
		}
		said, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{
			Launch: verify.Launch{Grid: grid, Block: verify.Dim{4, 1, 1}}, Indices: verify.NoOverflow, Alarms: 1, Budget: 200,
		})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, code)
		}
		shown := ""
		for i := 0; i < 40 && shown == ""; i++ {
			shown = raceOf(t, m, r, unsigned)
		}
		switch {
		case said.Verdict == verify.Verified && shown != "":
			t.Errorf("seed %d: verified, and %s goes wrong\n%s", seed, shown, code)
		case said.Verdict == verify.Verified:
			verified++
		case shown != "":
			shownWrong++
		}
	}
	t.Logf("%d kernels: %d verified, %d of the others go wrong in a launch", n, verified, shownWrong)
	if verified < n/20 || shownWrong < n/5 {
		t.Error("too few of a kind")
	}
}

// raceOf launches a kernel with small numbers, and returns the numbers if it goes wrong. A loop
// that does not end counts as right.
func raceOf(t *testing.T, m *kernel.Module, r *rand.Rand, unsigned bool) string {
	t.Helper()
	args, least := make([]int, 3), -2
	if unsigned { // as such, numbers less than 0 overflow
		least = 0
	}
	launched := launch.Launch{
		Kernel: "counted", Grid: launch.Dim{X: 3, Y: 1, Z: 1}, Block: launch.Dim{X: 4, Y: 1, Z: 1}, Unbounded: true, MaxSteps: 4_000,
		Args: []launch.Arg{{Buffer: &launch.Buffer{Name: "A", Bytes: make([]byte, 1<<13)}}},
	}
	for i := range args {
		args[i] = least + r.IntN(14)
		launched.Args = append(launched.Args, launch.Arg{Value: uint64(uint32(args[i]))})
	}
	got, err := launch.New(m).Run(t.Context(), launched)
	if err != nil || got.Verdict() == (launch.Verdict{}) {
		return ""
	}
	return fmt.Sprint("n, m, s = ", args)
}
