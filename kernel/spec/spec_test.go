package spec_test

import (
	"os"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/spec"
	"github.com/muster-gpu/muster/src"
)

// sortModule returns a kernel with two loops, three barriers and a shared array.
func sortModule(t *testing.T) *kernel.Module {
	t.Helper()
	const file = "../../verify/testdata/kernels/bitonic-sort.ptx"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := kernel.Parse(src.NewFile(file, string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func bind(t *testing.T, m *kernel.Module, text string) (*spec.Contract, error) {
	t.Helper()
	read, err := spec.Read(src.NewFile("sort.verify", text))
	if err != nil {
		return nil, err
	}
	return spec.Bind(m, m.Funcs[0], read)
}

// TestSaysNothing: a kernel that a text does not mention has no contract, so it is verified as
// without the text.
func TestSaysNothing(t *testing.T) {
	for _, text := range []string{"", "// nothing", "kernel other { requires false; }", "function u32 f(u32 n);"} {
		if c, err := bind(t, sortModule(t), text); c != nil || err != nil {
			t.Errorf("%q: %v, %v", text, c, err)
		}
	}
}

func TestContract(t *testing.T) {
	m := sortModule(t)
	c, err := bind(t, m, `
function u32 binom(u32 n, u32 k); // Pascal's triangle
lemma (u32 n, u32 k) 0 < k && k < n ==> binom(n, k) == u32(binom(n - 1, k - 1) + binom(n - 1, k));
kernel sort(s32 A[16]) {
  array s32 s[16];
  requires ntid == 16 && nctaid.x == 1;
  requires A[0] >= -1 ** perm(A[tid], w);
  assume forall i in 0 .. 16: A[i] < (i == 0 ? 7 : 0x10);
  loop 1 invariant %r20 >= 2 && (%r20 & (%r20 - 1)) == 0;
  loop at LBB0_3: invariant 0 <= %r21 < 16;
  barrier 2 { requires s[tid] == 0; ensures s[(tid + 1) mod ntid] == old(A[3]) ** perm(s[tid], 100); }
  barrier at ptx line 27 invariant forall x, y: x != y ==> s[x] != s[y];
  at line 18 { assert s[tid.x] <= s[15]; assume !%p6; }
  ensures forall i in 0 .. 15: A[i] <= A[i + 1];
}
kernel other { requires false; }
`)
	if err != nil {
		t.Fatal(err)
	}
	type want struct {
		word  spec.Word
		where spec.Where
		line  int // line of the PTX
	}
	var got []want
	for _, c := range c.Clauses {
		line := 0
		if c.Instr != nil {
			line = c.Instr.At.Pos().Line
		}
		got = append(got, want{c.Word, c.Where, line})
	}
	wanted := []want{
		{spec.Requires, spec.Kernel, 0},
		{spec.Requires, spec.Kernel, 0},
		{spec.Assume, spec.Kernel, 0},
		{spec.Invariant, spec.Loop, 35},
		{spec.Invariant, spec.Loop, 52},
		{spec.Requires, spec.Barrier, 45},
		{spec.Ensures, spec.Barrier, 45},
		{spec.Invariant, spec.Barrier, 27},
		{spec.Assert, spec.Point, 88},
		{spec.Assume, spec.Point, 88},
		{spec.Ensures, spec.Kernel, 0},
	}
	if len(got) != len(wanted) {
		t.Fatalf("%d clauses: %v", len(got), got)
	}
	for i, w := range wanted {
		if got[i] != w {
			t.Errorf("clause %d is %v, want %v", i, got[i], w)
		}
	}
	if len(c.Arrays) != 2 || c.Arrays[1].Variable.Name != "_ZZ4sortE1s" || !c.Arrays[0].Pointer ||
		c.Arrays[1].Pointer || len(c.Lemmas) != 1 {
		t.Errorf("%d arrays, %d lemmas", len(c.Arrays), len(c.Lemmas))
	}
}

// TestMistakes: each mistake is reported at its position, with a correction.
func TestMistakes(t *testing.T) {
	m := sortModule(t)
	for _, c := range []struct{ text, at, want string }{
		{"kernel sort { requires ntid = 16; }", "1:29", "two values are compared by =="},
		{"kernel sort { requires ntid == 16 }", "1:33", "expected ; after this, found }"},
		{"kernel sort { require ntid == 16; }", "1:15", "did you mean requires?"},
		{"kernel sort { requires ntdi == 16; }", "1:24", "did you mean ntid?"},
		{"kernel sort(s32 A[]) {\n  requires B[0] == 1;\n}", "2:12", "nothing is called B"},
		{"kernel sort { requires s[0] == 1; }", "1:24", "array s32 s[]; for a variable"},
		{"kernel sort { array s32 sort_param[]; }", "1:15", "did you mean sort_param_0?"},
		{"kernel sort(s32 n) { requires n > 0; }", "1:13", "the parameter has 8 bytes in the module"},
		{"kernel sort(s32 A[], s32 n) { }", "1:1", "sort has 2 parameters here, and 1 in the module"},
		{"kernel sort { requires ntid; }", "1:24", "expected a truth value, found a number"},
		{"kernel sort { requires ntid == (1 < 2); }", "1:33", "expected a number, found a truth value"},
		{"kernel sort { assert ntid == 1; }", "1:15", "say where"},
		{"kernel sort { loop 3 invariant true; }", "1:15", "sort has 2 loops"},
		{"kernel sort { loop invariant true; }", "1:15", "say which"},
		{"kernel sort { loop at LBB0_2 invariant true; }", "1:23", "did you mean LBB0_1?"},
		{"kernel sort { loop 1 requires true; }", "1:22", "requires is not said of a loop"},
		{"kernel sort { at line 18 assert %r200 == 0; }", "1:33", "did you mean %r20?"},
		{"kernel sort { requires ntid%ntid == 0; }", "1:28", "with a space after it, % is the remainder"},
		{"kernel sort { requires (1 & 2 | 3) == 0; }", "1:25", "write the parentheses"},
		{"kernel sort(s32 A[]) { requires !perm(A[tid], w); }", "1:34", "a permission is no condition"},
		{"kernel sort(s32 A[]) { requires perm(A[tid], x); }", "1:33", "r reads, w writes and reads"},
		{"kernel sort { requires f(1) == 1; }", "1:24", "function u32 f(u32 n); declares one"},
		{"function u32 f(u32 n); kernel sort { requires f(1, 2) == 1; }", "1:47", "f has 1 parameters"},
		{"kernel sort { requires tid.w == 1; }", "1:24", "tid has the parts x, y and z"},
		{"kernel sort { requires tid and ntid; }", "1:26", "expected ; after this, found and"},
		{"kernel sort { requires ntid == 16 && ; }", "1:35", "a value on either side of &&"},
		{"kernel sort { requires tid > 0 => ntid > 0; }", "1:32", "is written ==>"},
		{"kernel sort { assume distinct A B; }", "1:29", "expected ; after this, found A"},
		{"kernel sort { array s[16]; }", "1:21", "expected a type, such as u32, found s"},
		{"kernel sort { requires ; }", "1:24", "expected an expression, found ;"},
		{"kernel sort { ensures true;", "1:27", "the end of the contract"},
		{"kernel sort { requires %r20 == 0; }", "1:24", "%r20 has a value where an instruction is"},
		{"kernel sort { ensures forall i: %p1; }", "1:33", "say where"},
		{"kernel sort(s32 A[%r20]) { }", "1:19", "%r20 has a value where an instruction is"},
		{"lemma(u32 n) n == %r20;", "1:19", "%r20 has a value where an instruction is"},
		{
			"kernel sort { requires " + strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300) + " == 1; }", "1:223",
			"more than 200 brackets or operators within each other",
		},
		{
			"kernel sort { requires " + strings.Repeat("!", 300) + "true; }", "1:223",
			"more than 200 brackets or operators",
		},
		{
			"kernel sort { requires " + strings.Repeat("- ", 300) + "1 == 1; }", "1:422",
			"more than 200 brackets or operators",
		},
		{
			"kernel sort { requires " + strings.Repeat("forall i in 0 .. 3: ", 300) + "true; }", "1:4004",
			"more than 200 brackets or operators",
		},
		{
			"kernel sort { requires " + strings.Repeat("true ==> ", 300) + "true; }", "1:1820",
			"more than 200 brackets or operators",
		},
		{
			"kernel sort { requires " + strings.Repeat("true && ", 100_000) + "true; }", "1:262152",
			"more than 131072 words",
		},
	} {
		_, err := bind(t, m, c.text)
		if err == nil {
			t.Errorf("%.200s: no error", c.text)
		} else if !strings.HasPrefix(err.Error(), "sort.verify:"+c.at+": ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.200s: want %s at %s, got\n%v", c.text, c.want, c.at, err)
		}
	}
}

// TestHeader: a kernel may be named by a word of the language, and each parameter may get a name of
// its own.
func TestHeader(t *testing.T) {
	m, err := kernel.Parse(src.NewFile("loop.ptx",
		".version 7.0\n.target sm_70\n.address_size 64\n.entry loop(.param .u64 A, .param .u64 B)\n{\n\tret;\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if c, err := bind(t, m, "kernel loop(s32 a[], s32 b[]) { requires ntid == 1; }"); err != nil ||
		len(c.Clauses) != 1 {
		t.Errorf("%v, %v", c, err)
	}
	if _, err := bind(t, m, "kernel loop(s32 a[], s32 a[]) { }"); err == nil ||
		!strings.HasPrefix(err.Error(), "sort.verify:1:22: two parameters are called a") {
		t.Errorf("got %v", err)
	}
}

// TestComments: clauses in a module are about the next instruction.
func TestComments(t *testing.T) {
	m := sortModule(t)
	text := strings.Replace(m.Text, "LBB0_1:", "LBB0_1:\n\t//@ invariant %r20 >= 2;", 1)
	text = strings.Replace(text, "\tbar.sync", "\t//@ barrier {\n\t//@   ensures true;\n\t//@ }\n\tbar.sync", 1)
	text = strings.Replace(text, ".visible", "//@ requires ntid == 16; // one thread a cell\n.visible", 1)
	annotated, err := kernel.Parse(src.NewFile("sort.ptx", text))
	if err != nil {
		t.Fatal(err)
	}
	read, err := spec.Comments(annotated)
	if err != nil {
		t.Fatal(err)
	}
	c, err := spec.Bind(annotated, annotated.Funcs[0], read)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Clauses) != 3 || c.Clauses[0].What.At.Text() != "ntid == 16" || c.Clauses[1].Instr.Name() != "bar" ||
		c.Clauses[2].Instr.Labels[0] != "LBB0_1" || c.Clauses[2].At.Pos().Line == 0 {
		t.Errorf("%+v", c.Clauses)
	}
	if none, err := spec.Comments(m); none != nil || err != nil {
		t.Errorf("comments where there are none: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("kernel k(s32 A[n], u32 n) { requires forall i in 0 .. n: A[i] == old(A[i]) ==> perm(A[i], w) ** true; }")
	f.Add("barrier 1 { ensures (1 + 2 * -3) % 4 == ~5 << 2; } at \"k.cu\":3 assert %r1 != 0 ? false : 1 <= 2 <= 3;")
	f.Fuzz(func(_ *testing.T, text string) {
		if t, err := spec.Read(src.NewFile("f", text)); err == nil {
			t.Kernels()
		}
	})
}

// TestArraysByTheirOwnNames: digits in the name of a variable are not taken for the length of a
// mangled name.
func TestArraysByTheirOwnNames(t *testing.T) {
	m, err := kernel.Parse(src.NewFile("k.ptx", `.version 7.0
.target sm_70
.address_size 64
.visible .entry k()
{
	.shared .align 4 .b8 _ZZ1kE3a11[64];
	.shared .align 4 .b8 _ZZ1kE4x2yz[64];
	ret;
}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a11", "x2yz", "_ZZ1kE3a11"} {
		if _, err := bind(t, m, "kernel k { array s32 "+name+"[16]; }"); err != nil {
			t.Error(err)
		}
	}
	if _, err := bind(t, m, "kernel k { array s32 yz[16]; }"); err == nil {
		t.Error("yz is a part of a name")
	}
}

// TestElements: the elements of an array have the size of their type.
func TestElements(t *testing.T) {
	m, err := kernel.Parse(src.NewFile("k.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n\t.shared .align 8 .b8 a[64];\n\tret;\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for element, want := range map[string]int{"u8": 1, "s16": 2, "u32": 4, "s64": 8} {
		c, err := bind(t, m, "kernel k { array "+element+" a[8]; requires a[0] == 0; }")
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Arrays[0].Bytes(); got != want {
			t.Errorf("%s: %d bytes, want %d", element, got, want)
		}
	}
}

// TestNamesOfBlocks: a name that two blocks declare is ambiguous for registers and labels; WARP_SZ
// is a number.
func TestNamesOfBlocks(t *testing.T) {
	const wait = "{ .reg .pred P1; WAIT: setp.eq.u32 P1, %r1, 0;\n@P1 bra DONE; bra WAIT; DONE: }\n"
	m, err := kernel.Parse(src.NewFile("k.ptx",
		".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u32 n)\n"+
			"{ .reg .b32 %r<3>; ld.param.u32 %r1, [n];\n"+wait+wait+"ret; }\n"))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"kernel k { requires ntid % WARP_SZ == 0; }":      "",
		"kernel k { loop at ptx line 6 invariant true; }": "",
		"kernel k { loop at WAIT invariant true; }":       "several blocks of k have a label WAIT\n",
		"kernel k { at ptx line 7 assert P1 == P1; }":     "nothing is called P1",
		"kernel k { at ptx line 7 assert %r1 == %r1; }":   "",
		"kernel k { at WAIT assert WARP_SZ == 32; }":      "say the line: ptx line 6 or ptx line 8",
		"kernel k { loop 2 invariant WARP_SZ == 32; }":    "",
		"kernel k { at DONE assert true; }":               "say the line: ptx line 8 or ptx line 10",
	} {
		switch _, err := bind(t, m, text); {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
