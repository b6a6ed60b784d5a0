package kernel_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

func parse(t *testing.T, text string) *kernel.Module {
	t.Helper()
	m, err := kernel.Parse(src.NewFile("test.ptx", text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSuite reads the compiled kernels of GPUVerify's suite.
func TestSuite(t *testing.T) {
	files, err := filepath.Glob("../../shared/peer-tests/gpuverify/*/kernel.ptx")
	if err != nil || len(files) == 0 {
		t.Skip("GPUVerify's suite is not at ../shared/peer-tests/gpuverify: its kernels are not read")
	}
	instrs := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := kernel.Parse(src.NewFile(name, string(text)))
		if err != nil {
			t.Errorf("%.600v", err)
			continue
		}
		for _, f := range m.Funcs {
			instrs += len(f.Instrs)
		}
		if len(m.Funcs) == 0 && strings.Contains(string(text), ".entry") {
			t.Errorf("%s: no function", name)
		}
	}
	t.Logf("%d modules, %d instructions", len(files), instrs)
}

const sample = `// as nvcc writes it
.version 8.3
.target sm_90a, debug
.address_size 64
.file 1 "src" "add.cu"
.extern .func (.param .b32 r) helper (.param .b64 p0, .param .b32 p1);
.global .align 4 .u32 counter = 7;
.const .align 8 .b8 table[2][3] = {{1, 2, 3}, {0xff, -1}};
.global .u64 pointer = generic(counter)+4;
.extern .shared .align 16 .b8 smem[];
.visible .entry add(
	.param .u64 .ptr .global .align 4 add_param_0,
	.param .align 8 .b8 add_param_1[16]
)
.reqntid 256, 1, 1
.minnctapersm 2
{
	.local .align 8 .b8 __local_depot0[24];
	.reg .pred %p<3>;
	.reg .b32 %r<10>;
	.reg .b64 %rd<4>;
	.reg .v4 .f32 %v;
	.shared .align 4 .u32 tile[32];
	.loc 1 12 5
$L__BB0_1:
	ld.param.u64 %rd1, [add_param_0];
	mov.u32 %r1, %tid.x; mov.u32 %r2, tile+8;
	.loc 1 20 7, function_name $L__info_string0, inlined_at 1 13 2
	@!%p1 ld.global.nc.L1::evict_last.v2.u32 {%r3, _}, [%rd1+-8];
	setp.lt.and.u32 %p1|%p2, %r1, -5, !%p2;
	fma.rn.f32 %v.x, %v.y, 0f3F800000, 0dBFF0000000000000;
	{ // callseq 0
	.reg .b32 temp;
	.param .b64 param0;
	.param .b32 retval0;
	st.param.b64 [param0+0], %rd1;
	call.uni (retval0), /* quirk */
	helper,
Ltmp1:
	(
	param0, param1
	);
	ld.param.b32 temp, [retval0];
	}
	@%p1 bra $L__BB0_1;
	bra.uni DONE;
	/* never */ trap;
DONE:
	ret;
}
`

// TestModule checks that all parts of a module are read, bound and positioned.
func TestModule(t *testing.T) {
	m := parse(t, strings.Replace(sample, "param0, param1", "param0, 3", 1))
	if m.Version != "8.3" || strings.Join(m.Target, " ") != "sm_90a debug" || m.AddressSize != 64 ||
		m.Sources[1] != "src/add.cu" {
		t.Errorf("version %s, target %v, address size %d, sources %v", m.Version, m.Target, m.AddressSize, m.Sources)
	}
	for i, want := range []struct {
		name  string
		space isa.Space
		size  int
		init  []kernel.Init
	}{
		{"counter", isa.Global, 4, []kernel.Init{{Bits: 7}}},
		{"table", isa.Const, 6, []kernel.Init{{Bits: 1}, {Bits: 2}, {Bits: 3}, {Bits: 255}, {Bits: ^uint64(0)}}},
		{"pointer", isa.Global, 8, []kernel.Init{{Name: "counter", Bits: 4}}},
		{"smem", isa.Shared, 0, nil},
	} {
		v := m.Vars[i]
		if v.Name != want.name || v.Space != want.space || v.Size() != want.size || cmp.Diff(want.init, v.Init) != "" {
			t.Errorf("variable %d is %+v, want %+v", i, v, want)
		}
	}
	f := m.Funcs[1]
	if !f.Entry || f.Linkage != kernel.Visible || f.Launch.Required != [3]int{256, 1, 1} || len(f.Params) != 2 {
		t.Errorf("the kernel is %+v", f)
	}
	if p := f.Params[0]; !p.Pointer || p.Points != isa.Global || p.PtrAlign != 4 || p.Align != 0 {
		t.Errorf("its first parameter is %+v", p)
	}
	if p := f.Params[1]; p.Size() != 16 || p.Align != 8 {
		t.Errorf("its second parameter is %+v", p)
	}
	var text strings.Builder
	if err := f.Format(&text); err != nil {
		t.Fatal(err)
	}
	want := `$L__BB0_1:
   0  ld.param.u64 %rd1, [add_param_0];  // 1:12:5
   1  mov.u32 %r1, %tid.x;  // 1:12:5
   2  mov.u32 %r2, tile+8;  // 1:12:5
   3  @!%p1 ld.global.nc.L1::evict_last.v2.u32 {%r3, _}, [%rd1-8];  // 1:20:7
   4  setp.lt.and.u32 %p1|%p2, %r1, -5, !%p2;  // 1:20:7
   5  fma.rn.f32 %v.x, %v.y, 0f3F800000, 0dBFF0000000000000;  // 1:20:7
   6  st.param.b64 [param0], %rd1;  // 1:20:7
Ltmp1:
   7  call.uni (retval0), helper, (param0, 3);  // 1:20:7
   8  ld.param.b32 temp, [retval0];  // 1:20:7
   9  @%p1 bra $L__BB0_1;  // 1:20:7
  10  bra.uni DONE;  // 1:20:7
  11  trap;  // 1:20:7
DONE:
  12  ret;  // 1:20:7
`
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Error(diff)
	}
	if in := f.Instrs[3].Place.Inlined; in == nil || in.Line != 13 {
		t.Errorf("instruction 3 was inlined at %+v", in)
	}
	if back, on := f.Instrs[9].Ops[0].Target, f.Instrs[10].Ops[0].Target; back != 0 || on != 12 {
		t.Errorf("the branches go to %d and %d", back, on)
	}
}

// TestScopes: equal names of consecutive blocks denote different things.
func TestScopes(t *testing.T) {
	f := parse(t, `.version 7.0
.target sm_70
.func f() {
	.reg .b32 x;
	{ .reg .b64 x; .param .b32 a; mov.u64 x, 1; st.param.b32 [a], 2; }
	{ .param .b64 a; mov.u32 x, 1; st.param.b32 [a], 2; }
}`).Funcs[0]
	inner, outer := f.Instrs[0].Ops[0].Register, f.Instrs[2].Ops[0].Register
	if inner == outer || inner.Type != "b64" || outer.Type != "b32" {
		t.Errorf("x is %+v, then %+v", inner, outer)
	}
	first, second := f.Instrs[1].Ops[0].List[0].Variable, f.Instrs[3].Ops[0].List[0].Variable
	if first == second || first.Type != "b32" || second.Type != "b64" {
		t.Errorf("a is %+v, then %+v", first, second)
	}
	if len(f.Registers) != 2 || inner.Index != 0 || outer.Index != 1 {
		t.Errorf("the registers are %+v", f.Registers)
	}
}

// TestErrors: each error points at its position and says what to do, and the rest is read.
func TestErrors(t *testing.T) {
	const head = ".version 7.0\n.target sm_70\n"
	for text, want := range map[string]string{
		"add":             "1:1: expected a directive",
		head + ".entri k": "3:1: unknown directive .entri",
		head +
			".entry k() { .reg .b32 %r<3>; mov.u32 %r3, 1; ret; }": "3:39: register %r3 is not declared",
		head +
			".entry k() { .reg .b32 %r<3>; mov.u32 %r1 1; ret; }": "3:43: expected , or ; after an operand of mov.u32",
		head + ".entry k() { bra NEXT; NXT: ret; }": "3:18: NEXT is not declared",
		head +
			".entry k() { L: ret; L: ret; }": "3:22: label L is defined twice in k",
		head +
			".entry k() { ret; ": "3:12: the block that begins here never ends",
		head + ".entry k() { ret; } /* on":                     "3:21: this comment never ends",
		head + ".entry k() { ret; } .entry k() { ret; }":       "3:28: k is defined twice",
		head + ".entry k() { ld.global.u32 %r1, [%rd1; ret; }": "register %r1 is not declared",
		head +
			".global .b99 x;": "3:9: .b99 is not known in a declaration",
		head + ".global .b8 x[99999999999999];":                              "expected a number of elements",
		head + ".section .debug { .b8 1":                                     "this section never ends",
		head + ".entry k() { .reg .b32 r; mov.u32 r, 0x123456789abcdef01; }": "is no number of 64 bits",
		head + ".entry k() " + strings.Repeat("{", 1000) +
			strings.Repeat("}", 1000): "more than 200 brackets within each other",
	} {
		_, err := kernel.Parse(src.NewFile("k.ptx", text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.70q: %v, want %q", text, err, want)
		}
	}
	m, err := kernel.Parse(src.NewFile("k.ptx",
		head+".entry k() { .reg .b32 r; frob r r; mov.u32 r, 1; oops; mov.u32 q, 2; ret; }\n.entry l() { ret; }"))
	if all, ok := err.(src.Diagnostics); !ok || len(all) != 2 {
		t.Errorf("%v, want two errors", err)
	}
	if len(m.Funcs) != 2 || len(m.Funcs[0].Instrs) != 4 {
		t.Errorf("the rest was not read: %v", m.Funcs[0].Instrs)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Add(".func (.reg .b32 r) f(.reg .b32 s) { ret; }")
	f.Add(".version 7.0\n.target sm_70\n.func f() { bra L; { .reg .b32 r; mov.u32 r, [1+2]; } L: ret; }")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := kernel.Parse(src.NewFile("fuzz.ptx", text))
		if err != nil {
			_ = err.Error()
		}
		for _, fn := range m.Funcs {
			var s strings.Builder
			if err := fn.Format(&s); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// BenchmarkParse reads a module of about a megabyte.
func BenchmarkParse(b *testing.B) {
	body := sample[strings.Index(sample, ".visible .entry"):]
	var text strings.Builder
	text.WriteString(sample[:strings.Index(sample, ".visible .entry")])
	for i := range 800 {
		text.WriteString(strings.ReplaceAll(strings.Replace(body, "param0, param1", "param0, 3", 1), "add",
			fmt.Sprint("add", i)))
	}
	f := src.NewFile("big.ptx", text.String())
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := kernel.Parse(f); err != nil {
			b.Fatal(err)
		}
	}
}

// TestNamed: functions are found by name and by prefix.
func TestNamed(t *testing.T) {
	m, err := kernel.Parse(src.NewFile("k.ptx",
		".version 7.0\n.target sm_70\n.address_size 64\n.func b2() { ret; }\n.func b();\n.func a() { ret; }\n"+
			".func b1() { ret; }\n.func b() { ret; }\n"))
	if err != nil {
		t.Fatal(err)
	}
	if f := m.Func("b"); f == nil || f.Declared || m.Func("c") != nil || m.Func("b11") != nil {
		t.Errorf("b is %v", f)
	}
	var names []string
	for _, f := range m.Named("b") {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "b b1 b2" || len(m.Named("c")) > 0 || len(m.Named("")) != 4 {
		t.Errorf("those that begin with b are %s", got)
	}
}

// TestGiant: a function larger than compilers emit is rejected before it exhausts memory.
func TestGiant(t *testing.T) {
	_, err := kernel.Parse(src.NewFile("k.ptx",
		".version 8.0\n.target sm_70\n.address_size 64\n.entry k() { "+strings.Repeat("ret;", 1<<19+1)+
			" }\n.entry l() { ret; }"))
	if err == nil || strings.Count(err.Error(), "k.ptx:") != 1 ||
		!strings.Contains(err.Error(), "k.ptx:4:8: k has more than 524288 instructions") {
		t.Errorf("%v", err)
	}
}
