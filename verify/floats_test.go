package verify_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/replay"
)

// floating returns a kernel whose threads write where r4 says, if p1 holds.
func floating(t *testing.T, body string) *kernel.Module {
	t.Helper()
	m, err := kernel.Parse(src.NewFile("k.ptx", head+`.entry k(.param .u64 a, .param .u32 n) { .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .f32 %f<9>; .reg .f64 %d<9>;
		ld.param.u64 %rd1, [a]; ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x; mov.u32 %r4, %r1; setp.eq.u32 %p1, %r1, %r1; `+body+`
		mul.wide.u32 %rd2, %r4, 4; add.s64 %rd2, %rd1, %rd2; @%p1 st.global.u32 [%rd2], %r1; ret; }`))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return m
}

// TestFloats: the results of integers in floating point are known as long as they are small. An
// alarm that depends on anything else must be shown by a launch.
func TestFloats(t *testing.T) {
	const to, from = "cvt.rn.f32.u32 %f1, %r1; ", "cvt.rzi.u32.f32 %r4, %f1; "
	for _, test := range []struct {
		name, body string
		want       verify.Verdict
	}{
		{"there and back", to + from, verify.Verified},
		{"by doubles", "cvt.rn.f64.u32 %d1, %r1; cvt.f64.f64 %d1, %d1; cvt.rzi.s32.f64 %r4, %d1; ", verify.Verified},
		{"twice and one", to + "fma.rn.f32 %f1, %f1, 0f40000000, 0f3F800000; " + from, verify.Verified},
		{"by bytes", "cvt.rn.f32.u32 %f1, %r1; cvt.rzi.sat.u8.f32 %r4, %f1; ", verify.Verified},
		{"saturated", "cvt.rn.sat.f32.u32 %f1, %r1; " + from, verify.Alarmed},
		{"above what is exact", "add.u32 %r3, %r1, 0x1000000; cvt.rn.f32.u32 %f1, %r3; " + from, verify.Alarmed},
		{"half", to + "mul.f32 %f1, %f1, 0f3F000000; " + from, verify.Alarmed},
		{"half of the double", "shl.b32 %r3, %r1, 1; cvt.rn.f32.u32 %f1, %r3; mul.f32 %f1, %f1, 0f3F000000; " + from, verify.Undecided},
		{"and a parameter", "add.u32 %r3, %r1, %r2; cvt.rn.f32.u32 %f1, %r3; " + from, verify.Undecided},
		{"one of them", to + "setp.eq.f32 %p1, %f1, 0f40000000; mov.u32 %r4, 0; ", verify.Verified},
		{"two of them", to + "setp.lt.f32 %p1, %f1, 0f40000000; mov.u32 %r4, 0; ", verify.Alarmed},
		{"the last two", to + "setp.ge.f32 %p1, %f1, 0f42780000; mov.u32 %r4, 0; ", verify.Alarmed}, // 62
		{"the last one", to + "setp.gtu.f32 %p1, %f1, 0f42780000; mov.u32 %r4, 0; ", verify.Verified},
		{"the first two", to + "setp.le.f32 %p1, %f1, 0f3F800000; mov.u32 %r4, 0; ", verify.Alarmed},
		{"none is no number", to + "setp.nan.f32 %p1, %f1, %f1; mov.u32 %r4, 0; ", verify.Verified},
		{"a video instruction", "vadd.u32.u32.u32 %r4, %r1, %r1; ", verify.Undecided},
	} {
		m := floating(t, test.body)
		r, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{64, 1, 1}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := replay.All(t.Context(), r, ""); err != nil || r.Verdict != test.want {
			t.Errorf("%s: %v %v, %v; want %v", test.name, r.Verdict, r.Open, err, test.want)
		}
	}
}

// TestRandomFloats: a kernel of random computations with integers in floating point is not verified
// if a launch shows a race. An alarm that does not depend on anything unmodelled is shown by a
// launch.
func TestRandomFloats(t *testing.T) {
	n := sample.Of(2_000, 60)
	verified, alarmed := 0, 0
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 37))
		one := func(of ...string) string { return of[r.IntN(len(of))] }
		number := func() string {
			return fmt.Sprintf("0f%08X", math.Float32bits(float32([]float64{0, 1, 2, 3, 100, 1 << 20, 1 << 23, 0.5, -1}[r.IntN(9)])))
		}
		body := one("", "add.u32 %r1, %r1, 0xfffff0; ", "sub.u32 %r1, %r1, 5; ", "shl.b32 %r1, %r1, 19; ") + "cvt.rn.f32." + one("u32", "s32") + " %f1, %r1; "
		for range r.IntN(4) {
			body += one("add", "mul", "sub", "min") + ".f32 %f1, %f1, " + number() + "; "
		}
		body += one("", "cvt.f64.f32 %d1, %f1; cvt.rn.f32.f64 %f1, %d1; ", "setp."+one("lt", "ge", "eq", "neu", "gtu", "nan")+".f32 %p1, %f1, "+number()+"; ")
		body += one("cvt.rzi.s32.f32 %r4, %f1; ", "cvt.rni.u32.f32 %r4, %f1; ", "mov.u32 %r4, 0; ", "cvt.rzi.u8.f32 %r4, %f1; ")
		m := floating(t, body)
		said, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{64, 1, 1}}, Alarms: 1})
		if err != nil {
			t.Fatal(err)
		}
		got, err := launch.New(m).Run(t.Context(), launch.Launch{
			Kernel: "k", Block: launch.Dim{X: 64, Y: 1, Z: 1}, Grid: launch.Dim{X: 1, Y: 1, Z: 1}, Unbounded: true,
			Args: []launch.Arg{{Buffer: &launch.Buffer{Name: "a"}}, {}},
		})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, body)
		}
		shown := len(got.Races) > 0
		switch {
		case said.Verdict == verify.Verified:
			verified++
			if shown {
				t.Errorf("seed %d: verified, and a launch goes wrong\n%s", seed, body)
			}
		case said.Verdict == verify.Alarmed && said.Alarms[0].Unmodelled == "":
			alarmed++
			if !shown {
				t.Errorf("seed %d: an alarm, and no launch goes wrong\n%s", seed, body)
			}
		}
	}
	t.Logf("%d kernels: %d verified, %d alarms without what is not modelled", n, verified, alarmed)
	if verified < n/20 || alarmed < n/20 {
		t.Errorf("too few of a kind")
	}
}
