package launch_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/src"
)

// words returns a buffer of 32-bit numbers.
func words(n int, value func(i int) int) *launch.Buffer {
	b := &launch.Buffer{Name: "words"}
	for i := range n {
		b.Bytes = binary.LittleEndian.AppendUint32(b.Bytes, uint32(value(i)))
	}
	return b
}

func read(r *launch.Report, b *launch.Buffer, n int) (all []int) {
	for i := range n {
		all = append(all, int(int32(r.Read(b, int64(4*i), 4))))
	}
	return all
}

// TestResults: kernels without races leave the results that their sources compute, under every
// schedule.
func TestResults(t *testing.T) {
	mixed := func(i int) int { return i*37%64 - 20 }
	for _, test := range []struct {
		kernel      string
		grid, block launch.Dim
		in, out     int // words of the buffers; out is 0 if the result is in the input
		want        func(in []int) []int
	}{
		{
			"reduction",
			launch.Dim{X: 2},
			launch.Dim{X: 64},
			128, 2,
			func(in []int) []int { return []int{sum(in[:64]), sum(in[64:])} },
		},
		{
			"reduction.nvcc",
			launch.Dim{X: 2},
			launch.Dim{X: 64},
			128, 2,
			func(in []int) []int { return []int{sum(in[:64]), sum(in[64:])} },
		},
		{
			"reduction-interleaved",
			launch.Dim{X: 1},
			launch.Dim{X: 64},
			64, 1,
			func(in []int) []int { return []int{sum(in)} },
		},
		{
			"butterfly",
			launch.Dim{X: 1},
			launch.Dim{X: 32},
			32, 0,
			func(in []int) []int { return slices.Repeat([]int{sum(in)}, 32) },
		},
		{"odd-even-sort", launch.Dim{X: 1}, launch.Dim{X: 8}, 16, 0, sorted},
		{"bitonic-sort", launch.Dim{X: 1}, launch.Dim{X: 16}, 16, 0, sorted},
		{"bitonic-sort.nvcc", launch.Dim{X: 1}, launch.Dim{X: 16}, 16, 0, sorted},
		{"scan-two-buffers", launch.Dim{X: 1}, launch.Dim{X: 32}, 32, 0, func(in []int) (out []int) {
			for i := range in {
				out = append(out, sum(in[:i+1]))
			}
			return out
		}},
		{"scan-tree", launch.Dim{X: 1}, launch.Dim{X: 16}, 32, 0, func(in []int) (out []int) {
			for i := range in {
				out = append(out, sum(in[:i]))
			}
			return out
		}},
		{"transpose", launch.Dim{X: 2, Y: 2}, launch.Dim{X: 8, Y: 8}, 256, 256, transposed(16)},
		{"transpose.nvcc", launch.Dim{X: 2, Y: 2}, launch.Dim{X: 8, Y: 8}, 256, 256, transposed(16)},
		{"transpose-in-place", launch.Dim{X: 1}, launch.Dim{X: 8, Y: 8}, 64, 0, transposed(8)},
		{"reverse", launch.Dim{X: 1}, launch.Dim{X: 32}, 32, 0, func(in []int) []int { slices.Reverse(in); return in }},
		{"producer-consumer", launch.Dim{X: 1}, launch.Dim{X: 64}, 64, 0, func(in []int) []int {
			for i := range 32 {
				in[63-i] = in[i]
			}
			return in
		}},
		{"barrier-count", launch.Dim{X: 1}, launch.Dim{X: 32}, 32, 32, func(in []int) []int {
			n := 0
			for _, v := range in {
				if v > 5 {
					n++
				}
			}
			return slices.Repeat([]int{n}, 32)
		}},
		{"int4-copy.nvcc", launch.Dim{X: 2}, launch.Dim{X: 32}, 256, 256, func(in []int) []int { return in }},
	} {
		for i, s := range schedules() {
			in, out := words(test.in, mixed), words(test.out, mixed)
			args, result, n := []launch.Arg{{Buffer: in}, {Buffer: out}}, out, test.out
			if test.out == 0 {
				args, result, n = args[:1], in, test.in
			}
			r, err := load(t, testdata+"kernels/"+test.kernel+".ptx").Run(t.Context(),
				launch.Launch{Grid: test.grid, Block: test.block, Args: args, Schedule: s})
			if err != nil {
				t.Errorf("%s, schedule %d: %v", test.kernel, i, err)
				continue
			}
			before := read(r, in, 0)
			for j := range test.in {
				before = append(before, mixed(j))
			}
			if got, want := read(r, result, n), test.want(before); !slices.Equal(got, want) {
				t.Errorf("%s, schedule %d leaves\n%v, not\n%v", test.kernel, i, got, want)
			}
		}
	}
}

func sum(all []int) (n int) {
	for _, v := range all {
		n += v
	}
	return n
}

func sorted(all []int) []int { slices.Sort(all); return all }

func transposed(n int) func([]int) []int {
	return func(in []int) (out []int) {
		for i := range in {
			out = append(out, in[i%n*n+i/n])
		}
		return out
	}
}

const head = ".version 8.0\n.target sm_90\n.address_size 64\n"

// one runs a kernel k with a buffer of 256 bytes and a number as its arguments.
func one(t *testing.T, before, body string, l launch.Launch) (*launch.Report, *launch.Buffer, error) {
	t.Helper()
	text := head + before +
		".visible .entry k(.param .u64 A, .param .u32 n) {\n" +
		".reg .pred %p<4>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .reg .f64 %d<9>;\n" +
		"ld.param.u64 %rd1, [A]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n" + body + "\n}\n"
	m, err := kernel.Parse(src.NewFile("k.ptx", text))
	if err != nil {
		t.Fatal(err)
	}
	b := &launch.Buffer{Name: "A", Size: 256}
	l.Args = []launch.Arg{{Buffer: b}, {Value: 5}}
	r, err := launch.New(m).Run(t.Context(), l)
	return r, b, err
}

// TestInstructions: the result that single instructions leave in the first word of memory.
func TestInstructions(t *testing.T) {
	const device = ".visible .func (.param .b32 out) twice(.param .b32 in) {\n.reg .b32 %r<3>;\n" +
		"ld.param.u32 %r1, [in]; shl.b32 %r1, %r1, 1; st.param.b32 [out], %r1; ret;\n}\n" +
		".const .align 4 .u32 table[3] = {7, 8, 9};\n.global .align 4 .u32 cell = 11;\n" +
		".global .align 8 .u64 to = generic(cell);\n"
	for _, test := range []struct {
		body string
		want int
	}{
		{"mov.u32 %r3, -7; shr.s32 %r3, %r3, 1; st.global.u32 [%rd1], %r3;", -4},
		{"mov.u32 %r3, -7; shr.u32 %r3, %r3, 1; shr.u32 %r3, %r3, 30; st.global.u32 [%rd1], %r3;", 1},
		{"mul.wide.s32 %rd2, %r1, -3; shr.s64 %rd2, %rd2, 1; st.global.u32 [%rd1], %rd2;", -8},
		{"mad.lo.s32 %r3, %r1, %r1, -1; st.u32 [%rd1], %r3;", 24},
		{"st.global.u8 [%rd1+4], 200; ld.global.s8 %r3, [%rd1+4]; st.global.u32 [%rd1], %r3;", -56},
		{"st.global.u8 [%rd1+4], 200; ld.global.u8 %r3, [%rd1+4]; st.global.u32 [%rd1], %r3;", 200},
		{"mov.b64 %rd2, {%r1, 9}; mov.b64 {%r3, %r4}, %rd2; sub.s32 %r3, %r4, %r3; st.global.u32 [%rd1], %r3;", 4},
		{
			"mov.u32 %r3, 1; mov.u32 %r4, 2; st.global.v2.u32 [%rd1+8], {%r3, %r4}; ld.global.v2.u32 {_, %r5}, " +
				"[%rd1+8]; st.global.u32 [%rd1], %r5;", 2,
		},
		{"setp.lt.u32 %p1|%p2, %r1, 4; selp.u32 %r3, 1, 2, %p2; st.global.u32 [%rd1], %r3;", 1},
		{"setp.lt.u32 %p1, %r1, 4; @%p1 bra E; st.global.u32 [%rd1], 3; E: ret;", 3},
		{"setp.gt.u32 %p1, %r1, 4; @!%p1 bra E; @%p1 bra E; st.global.u32 [%rd1], 3; E: ret;", 0},
		{
			"mov.f32 %f1, 0f3FC00000; mov.f32 %f2, 2.0; mul.f32 %f1, %f1, %f2; cvt.rzi.s32.f32 %r3, %f1; " +
				"st.global.u32 [%rd1], %r3;", 3,
		},
		{
			"cvt.rn.f64.s32 %d1, -5; div.rn.f64 %d1, %d1, 0d4000000000000000; cvt.rni.s32.f64 %r3, %d1; " +
				"st.global.u32 [%rd1], %r3;", -2,
		},
		{"mov.f32 %f1, 0fC0600000; cvt.rmi.s32.f32 %r3, %f1; st.global.u32 [%rd1], %r3;", -4},
		{"setp.leu.f32 %p1, 0f7FC00000, 0f00000000; selp.u32 %r3, 1, 2, %p1; st.global.u32 [%rd1], %r3;", 1},
		{"atom.global.add.u32 %r3, [%rd1], 5; atom.global.add.u32 %r3, [%rd1], 5; red.global.add.u32 [%rd1], %r3;", 15},
		{"atom.global.cas.b32 %r3, [%rd1], 0, 5; atom.global.cas.b32 %r3, [%rd1], 4, 6;", 5},
		{"atom.global.inc.u32 %r3, [%rd1], 1; atom.global.inc.u32 %r3, [%rd1], 1;", 0},
		{"lop3.b32 %r3, %r1, 3, 4, 0x96; st.global.u32 [%rd1], %r3;", 2},
		{"ld.const.u32 %r3, [table+4]; st.global.u32 [%rd1], %r3;", 8},
		{"ld.global.u64 %rd2, [to]; ld.u32 %r3, [%rd2]; st.global.u32 [%rd1], %r3;", 11},
		{
			".shared .align 4 .b8 s[8]; mov.u64 %rd2, s; st.shared.u32 [%rd2+4], %r1; cvta.shared.u64 %rd2, %rd2; " +
				"ld.u32 %r3, [%rd2+4]; st.global.u32 [%rd1], %r3;", 5,
		},
		{
			".shared .align 4 .b8 s[8]; mov.u32 %r3, s; st.shared.u32 [%r3], %r1; ld.shared.u32 %r4, [s]; " +
				"st.global.u32 [%rd1], %r4;", 5,
		},
		{
			".local .align 4 .b8 d[8]; mov.u64 %rd2, d; cvta.local.u64 %rd2, %rd2; st.u32 [%rd2+4], %r1; " +
				"ld.local.u32 %r3, [d+4]; isspacep.local %p1, %rd2; @%p1 st.global.u32 [%rd1], %r3;", 5,
		},
		{
			"{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), twice, (a); ld.param.b32 %r3, [r]; } " +
				"st.global.u32 [%rd1], %r3;", 10,
		},
		{
			"mov.u64 %rd2, twice; { .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; P: .callprototype (.param " +
				".b32 _) _ (.param .b32 _); call (r), %rd2, (a), P; ld.param.b32 %r3, [r]; } st.global.u32 " +
				"[%rd1], %r3;", 10,
		},
		{"mov.u32 %r3, %ntid.x; mad.lo.u32 %r3, %r3, 10, %r2; st.global.u32 [%rd1], %r3;", 10},
		{"activemask.b32 %r3; st.global.u32 [%rd1], %r3;", 1},
		{"mov.u32 %r3, WARP_SZ; mad.lo.u32 %r3, %r3, WARP_SZ-1, %r2; st.global.u32 [%rd1], %r3;", 32 * 31},
		{"mov.u32 %r3, %tid.w; mov.u32 %r4, %ntid.w; add.u32 %r3, %r3, %r4; st.global.u32 [%rd1], %r3;", 0},
		{"{ .reg .b32 %r1; mov.u32 %r1, 7; st.global.u32 [%rd1], %r1; } st.global.u32 [%rd1], %r1;", 5},
		{
			"mov.u32 %r3, 0; { L: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 3; @%p1 bra L; } { L: add.u32 %r3, %r3, " +
				"4; setp.lt.u32 %p1, %r3, 9; @%p1 bra L; } st.global.u32 [%rd1], %r3;", 11,
		},
		{"add.cc.u32 %r3, -1, %r1; addc.u32 %r4, 0, 0; st.global.u32 [%rd1], %r4;", 1},
	} {
		r, b, err := one(t, device, test.body, launch.Launch{})
		if err != nil {
			t.Errorf("%s\n%v", test.body, err)
			continue
		}
		if got := read(r, b, 1)[0]; got != test.want {
			t.Errorf("%s\nleaves %d, not %d", test.body, got, test.want)
		}
	}
}

// TestClusters: the coordinates of a block in its cluster and of the cluster, which is one block
// unless the kernel gives its size.
func TestClusters(t *testing.T) {
	const rank = "mov.u32 %r3, %clusterid.x; mov.u32 %r4, %cluster_ctaid.x; mov.u32 %r5, %cluster_nctarank; mov.u32 " +
		"%r6, %nclusterid.x; mad.lo.u32 %r3, %r3, 10, %r4; mad.lo.u32 %r3, %r3, 10, %r5; mad.lo.u32 %r3, %r3, 10, " +
		"%r6; mov.u32 %r4, %ctaid.x; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r3;"
	for clusters, want := range map[string][]int{
		"":                     {14, 1014, 2014, 3014},
		".reqnctapercluster 2": {22, 122, 1022, 1122},
	} {
		m, err := kernel.Parse(src.NewFile("k.ptx",
			head+".entry k(.param .u64 A) "+clusters+" { .reg .b32 %r<9>; .reg .b64 %rd<9>; ld.param.u64 %rd1, [A]; "+
				rank+" ret; }"))
		if err != nil {
			t.Fatal(err)
		}
		b := words(4, func(int) int { return 0 })
		r, err := launch.New(m).Run(t.Context(), launch.Launch{Grid: launch.Dim{X: 4}, Args: []launch.Arg{{Buffer: b}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := read(r, b, 4); !slices.Equal(got, want) {
			t.Errorf("%q: %d, want %d", clusters, got, want)
		}
	}
}

// TestErrors: errors of a kernel, and unmodelled instructions, are reported at their position if a
// thread reaches it.
func TestErrors(t *testing.T) {
	for _, test := range []struct{ body, at, want string }{
		{"ld.global.u32 %r3, [%rd1+256];", "ld.global.u32", "out of bounds: 4 bytes at byte 256 of A, which has 256"},
		{"ld.global.u32 %r3, [%rd1+-4];", "ld.global.u32", "out of bounds: 4 bytes at byte -4 of A, which has 256"},
		{"ld.global.u32 %r3, [%rd1+2];", "ld.global.u32", "no multiple of 4"},
		{"ld.global.u32 %r3, [%r1];", "ld.global.u32", "no multiple of 4"},
		{"st.u32 [0], %r3;", "st.u32", "no memory is at address 0x0"},
		{"L: bra L;", "bra", "k has not ended after 5000 instructions"},
		{"div.u32 %r3, %r1, 0;", "div.u32", "division by zero"},
		{"redux.sync.min.f32 %r3, %r1, -1;", "redux.sync.min.f32", "redux.sync.min.f32 is not modelled"},
		{"frobnicate.u32 %r3, %r1;", "frobnicate.u32", "PTX has no instruction frobnicate"},
		{"mov.u32 %r3, %envreg3;", "%envreg3", "%envreg3 is not modelled"},
		{
			"ld.global.b16 %h1, [%rd1]; add.bf16 %h1, %h1, %h1;", "add.bf16",
			"numbers of the type .bf16 are not modelled",
		},
		{"setp.eq.u32 %p1, %r1, 4; @%p1 frobnicate.u32 %r3, %r1;", "", ""},
		{"trap;", "trap", "trap is not modelled"},
	} {
		_, _, err := one(t, "", test.body, launch.Launch{MaxSteps: 5000})
		if test.want == "" {
			if err != nil {
				t.Errorf("%s: %v", test.body, err)
			}
			continue
		}
		var d *src.Diagnostic
		if !errors.As(err, &d) || !strings.Contains(d.Message, test.want) || d.Span.Text() != test.at {
			t.Errorf("%s: %v, want %q at %s", test.body, err, test.want, test.at)
		}
	}
	_, err := load(t, testdata+"kernels/"+"reduction.ptx").Run(t.Context(), launch.Launch{})
	if err == nil || !strings.Contains(err.Error(), "takes 2 arguments, not 0") {
		t.Errorf("without arguments: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	l := launch.Launch{
		Block: launch.Dim{X: 64},
		Args: []launch.Arg{
			{Buffer: words(64, func(int) int { return 0 })},
			{Buffer: words(1, func(int) int { return 0 })},
		},
	}
	if _, err := load(t, testdata+"kernels/"+"reduction.ptx").Run(ctx, l); err == nil || err.Error() != "enough" {
		t.Errorf("stopped: %v", err)
	}
}

// TestSchedules: a schedule decides who comes last.
func TestSchedules(t *testing.T) {
	for _, test := range []struct {
		schedule launch.Schedule
		want     int
	}{{launch.InOrder(), 3}, {launch.InOrder(3, 2, 1), 0}, {launch.InOrder(2), 3}, {launch.RoundRobin(), 3}} {
		r, b, err := one(t, "", "st.global.u32 [%rd1], %r2;",
			launch.Launch{Block: launch.Dim{X: 4}, Schedule: test.schedule})
		if err != nil || read(r, b, 1)[0] != test.want {
			t.Errorf("%v: %v, %v", test.schedule, read(r, b, 1), err)
		}
	}
	seen := map[int]bool{}
	for seed := range uint64(40) {
		r, b, err := one(t, "", "st.global.u32 [%rd1], %r2;",
			launch.Launch{Block: launch.Dim{X: 4}, Schedule: launch.Random(seed)})
		if err != nil {
			t.Fatal(err)
		}
		seen[read(r, b, 1)[0]] = true
	}
	if len(seen) != 4 {
		t.Errorf("random schedules leave %v", seen)
	}
}

// TestExchanges tests the exchange of values between lanes of a warp.
func TestExchanges(t *testing.T) {
	const each = "mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd1, %rd2; and.b32 %r1, %r2, 1; "
	for _, test := range []struct {
		body string
		want []int
	}{
		{"match.any.sync.b32 %r3, %r1, 0xf;", []int{5, 10, 5, 10}},
		{"match.all.sync.b32 %r3, %r1, 0xf;", []int{0, 0, 0, 0}},
		{"match.all.sync.b32 %r3, 7, 0xf;", []int{15, 15, 15, 15}},
		{"redux.sync.add.u32 %r3, %r2, 0xf;", []int{6, 6, 6, 6}},
		{"redux.sync.max.s32 %r3, %r2, 0xf;", []int{3, 3, 3, 3}},
		{"redux.sync.xor.b32 %r3, %r1, 0xf;", []int{0, 0, 0, 0}},
	} {
		r, b, err := one(t, "", each+test.body+" st.global.u32 [%rd2], %r3;", launch.Launch{Block: launch.Dim{X: 4}})
		if err != nil || !slices.Equal(read(r, b, 4), test.want) {
			t.Errorf("%s: %v, %v, want %v", test.body, read(r, b, 4), err, test.want)
		}
	}
}

// TestReport: a race is reported with both accesses, a divergence with the positions of the
// threads.
func TestReport(t *testing.T) {
	r, _, err := one(t, "",
		"mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd1, %rd2; ld.global.u32 %r3, [%rd2+4]; st.global.u32 [%rd2], %r3;",
		launch.Launch{Block: launch.Dim{X: 3}})
	if err != nil || len(r.Races) != 1 {
		t.Fatalf("%v: %v", r, err)
	}
	a, b := r.Races[0].First, r.Races[0].Second
	if got := fmt.Sprint(a.Thread, a.Instr, a.Object.Name, a.Offset, a.Bytes, a.Writes, b.Thread, b.Instr,
		b.Writes); got !=
		"0 ld.global.u32 %r3, [%rd2+4];A4 4 false 1 st.global.u32 [%rd2], %r3; true" {
		t.Error(got)
	}
	r, _, err = one(t, "", "setp.eq.u32 %p1, %r2, 2; @%p1 ret; bar.sync 0;", launch.Launch{Block: launch.Dim{X: 3}})
	if err != nil || len(r.Divergences) != 1 {
		t.Fatalf("%v: %v", r, err)
	}
	if d := r.Divergences[0]; d.Thread != 0 || d.Other != 2 || d.At.Opcode != "bar.sync" || d.Elsewhere != nil {
		t.Errorf("%+v", d)
	}
	r, _, err = one(t, "", "setp.eq.u32 %p1, %r2, 2; @%p1 bar.sync 1, 2; ret;", launch.Launch{Block: launch.Dim{X: 3}})
	if err != nil || len(r.Divergences) != 1 || r.Divergences[0].Thread != 2 {
		t.Fatalf("a barrier that nobody completes: %+v, %v", r.Divergences, err)
	}
	if d := r.Divergences[0]; d.Count != 2 || d.Come != 1 || d.Other == d.Thread || len(d.Waits) != 1 {
		t.Errorf("a barrier that nobody completes: %+v", d)
	}
	r, _, err = one(t, "", "bar.arrive 1, 64; bar.arrive 1, 64; ret;", launch.Launch{Block: launch.Dim{X: 32}})
	if err != nil || len(r.Divergences) != 1 || !r.Divergences[0].Again {
		t.Fatalf("a thread that arrives again: %+v, %v", r.Divergences, err)
	}
	for _, body := range []string{
		"bar.sync 16;", "bar.sync 1, 8;", "bar.warp.sync 1;",
		"shfl.sync.idx.b32 %r3, %r1, 0, 31, 1;",
	} {
		if r, _, err = one(t, "", body, launch.Launch{Block: launch.Dim{X: 8}}); err != nil || len(r.Failures) == 0 ||
			!r.Verdict().Assertion {
			t.Errorf("%s: %+v, %v", body, r.Failures, err)
		}
	}
	r, _, err = one(t, ".extern .func __requires(.param .b32 p);\n.extern .func __assert(.param .b32 p);\n",
		"{ .param .b32 p; st.param.b32 [p], %r2; call.uni __assert, (p); } { .param .b32 p; sub.u32 %r3, 2, %r2; "+
			"st.param.b32 [p], %r3; call.uni __requires, (p); } ret;",
		launch.Launch{Block: launch.Dim{X: 2}})
	if err != nil || len(r.Failures) != 1 || r.Failures[0].Thread != 0 || r.Failures[0].Name != "__assert" ||
		r.Excluded != nil || !r.Verdict().Assertion {
		t.Fatalf("%+v, %v", r, err)
	}
	r, _, err = one(t, ".extern .func __requires(.param .b32 p);\n",
		"{ .param .b32 p; st.param.b32 [p], %r2; call.uni __requires, (p); } st.global.u32 [%rd1], 1;",
		launch.Launch{Block: launch.Dim{X: 2}})
	if err != nil || r.Excluded == nil || r.Verdict() != (launch.Verdict{}) {
		t.Fatalf("%+v, %v", r, err)
	}
}
