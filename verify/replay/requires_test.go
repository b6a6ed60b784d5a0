package replay_test

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/kernel/spec"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/replay"
)

// TestReplaysKeepRequires: the initial memory in the launch of an alarm satisfies the contract,
// whether or not the launch shows the alarm.
func TestReplaysKeepRequires(t *testing.T) {
	const (
		head = ".version 7.0\n.target sm_70\n.address_size 64\n" +
			".entry k(.param .u64 .ptr .global a, .param .u64 .ptr .global b, .param .u32 n) {.reg .pred %p<3>; .reg " +
			".b32 %r<9>; .reg .b64 %rd<9>; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r1, [n]; " +
			"mov.u32 %r2, %tid.x; mul.wide.u32 %rd3, %r2, 4; "
		scatter = "add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r3, [%rd4]; mul.wide.s32 %rd5, %r3, 4; add.s64 %rd5, " +
			"%rd2, %rd5; st.global.u32 [%rd5], %r2; ret; }"
		once   = "mov.u32 %r4, %ctaid.x; setp.eq.u32 %p1, %r2, 0; @%p1 st.global.u32 [%rd2], %r4; ret; }"
		ticket = "atom.global.add.u32 %r3, [%rd1], 1; mul.wide.u32 %rd5, %r3, 4; add.s64 %rd5, %rd2, %rd5; " +
			"st.global.u32 [%rd5], %r2; ld.global.u32 %r4, [%rd2]; ret; }"
	)
	for _, test := range []struct {
		name, body, contract string
		holds                func(a func(i int) int32, n int32) bool
		shown                bool
	}{
		{
			"values in a range", scatter, "requires forall i in 0 .. 32: 3 <= a[i] < 9;",
			func(a func(int) int32, _ int32) bool {
				return !slices.ContainsFunc(numbers(32), func(i int) bool { return a(i) < 3 || a(i) >= 9 })
			}, true,
		},
		{
			"a bound of each thread", scatter, "requires a[tid] >= 5 && a[tid] < n; requires n == 7;",
			func(a func(int) int32, n int32) bool {
				return n == 7 && !slices.ContainsFunc(numbers(32), func(i int) bool { return a(i) < 5 || a(i) >= n })
			}, true,
		},
		{
			"what each block asks for", once, "requires a[ctaid + 8] == ctaid + 3; requires a[tid + 16] == tid;",
			func(a func(int) int32, _ int32) bool { return a(8) == 3 && a(9) == 4 && a(16) == 0 && a(47) == 31 }, true,
		},
		{
			"neighbours that differ", scatter,
			"requires forall i in 0 .. 31: a[i] != a[i + 1]; requires forall i in 0 .. 32: 0 <= a[i] < 4;",
			func(a func(int) int32, _ int32) bool {
				return !slices.ContainsFunc(numbers(31), func(i int) bool {
					return a(i) == a(i+1) || a(i) < 0 || a(i) > 3
				})
			}, true,
		},
		{
			"values that other values lead to", scatter,
			"requires a[a[0]] == 3; requires a[0] == n; requires 1 < n; requires n < 5; requires a[1] == a[2];",
			func(a func(int) int32, n int32) bool {
				return a(int(a(0))) == 3 && a(0) == n && 1 < n && n < 5 && a(1) == a(2)
			}, true,
		},
		{
			"a counter that begins behind what is read", ticket, "requires a[0] == n; requires n == 64;",
			func(a func(int) int32, n int32) bool { return a(0) == 64 && n == 64 }, false,
		},
		{
			"a counter that begins at what is read", ticket, "assume a[0] == n; assume n == 0;",
			func(a func(int) int32, n int32) bool { return a(0) == 0 && n == 0 }, true,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := parse(t, head+test.body)
			text, err := spec.Read(src.NewFile("k.verify", "kernel k(s32 a[], s32 b[], s32 n) { "+test.contract+" }"))
			if err != nil {
				t.Fatal(err)
			}
			c, err := spec.Bind(m, m.Funcs[0], text)
			if err != nil {
				t.Fatal(err)
			}
			r, err := verify.Verify(t.Context(), m, m.Funcs[0],
				verify.Config{
					Launch:   verify.Launch{Grid: verify.Dim{2, 1, 1}, Block: verify.Dim{32, 1, 1}},
					Contract: c,
				})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Alarms) == 0 {
				t.Fatalf("%v %v", r.Verdict, r.Open)
			}
			for _, a := range r.Alarms {
				again, err := replay.Run(t.Context(), r, a)
				if err != nil {
					t.Fatal(err)
				}
				bytes := again.Launch.Contents(&launch.Object{Name: "a"})
				element := func(i int) (v int32) {
					for k := range 4 {
						v |= int32(bytes[int64(4*i+k)]) << (8 * k)
					}
					return v
				}
				n := again.Launch.Args[2].Bytes
				if !test.holds(element, int32(n[0])|int32(n[1])<<8|int32(n[2])<<16|int32(n[3])<<24) {
					t.Errorf("the launch breaks the contract: %v with n = %v; %v", bytes, n, again)
				}
				if again.Shown() != test.shown {
					t.Errorf("%v: %v", a.Kind, again)
				}
			}
		})
	}
}

// TestReplaysKeepSettings: stores of one value are no race in launches where that is tolerated, and
// lanes in lockstep run in lockstep.
func TestReplaysKeepSettings(t *testing.T) {
	const head = ".version 7.0\n.target sm_70\n.address_size 64\n" +
		".entry k(.param .u64 .ptr .global a, .param .u64 .ptr .global b) {.reg .pred %p<3>; .reg .b32 %r<9>; .reg " +
		".b64 %rd<9>; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd3, %r2, 4; "
	for _, test := range []struct {
		name, body string
		config     verify.Config
		shown      bool
	}{
		{"values that differ", "st.global.u32 [%rd2], %r2; ret; }", verify.Config{SameValue: true}, true},
		{
			"values from memory that may differ",
			"add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r3, [%rd4]; st.global.u32 [%rd2], %r3; ret; }",
			verify.Config{SameValue: true},
			true,
		},
		{"lanes of a warp", "st.global.u32 [%rd2], %r2; ret; }", verify.Config{Lockstep: 32}, true},
	} {
		m := parse(t, head+test.body)
		test.config.Launch = verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{32, 1, 1}}
		r, err := verify.Verify(t.Context(), m, m.Funcs[0], test.config)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Alarms) == 0 {
			t.Errorf("%s: %v %v", test.name, r.Verdict, r.Open)
		}
		for _, a := range r.Alarms {
			again, err := replay.Run(t.Context(), r, a)
			if err != nil {
				t.Fatal(err)
			}
			if again.Launch.Lockstep != test.config.Lockstep || again.Shown() != test.shown {
				t.Errorf("%s: %v", test.name, again)
			}
			if race := again.Race; race != nil && test.config.SameValue && race.First.Value == race.Second.Value {
				t.Errorf("%s: both write %d", test.name, race.First.Value)
			}
		}
	}
}

// numbers returns the numbers below n.
func numbers(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}
