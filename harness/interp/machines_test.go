package interp_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/interp"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/src"
)

// The machines that execute PTX are compared on random programs of one thread with arithmetic,
// guards, branches, and a loop. They must end with the same registers.

// numbers is the number of 32-bit registers of the programs; the last counts iterations of the
// loop.
const numbers = 5

// operations are instructions of random programs; N is a register or a number, P a predicate.
var operations = strings.Split(strings.TrimSpace(`
add.s32 D, N, N
sub.u32 D, N, N
mul.lo.s32 D, N, N
mul.hi.u32 D, N, N
mul.hi.s32 D, N, N
mad.lo.s32 D, N, N, N
and.b32 D, N, N
or.b32 D, N, N
xor.b32 D, N, N
shl.b32 D, N, N
shr.s32 D, N, N
shr.u32 D, N, N
min.s32 D, N, N
min.u32 D, N, N
max.s32 D, N, N
max.u32 D, N, N
not.b32 D, N
cnot.b32 D, N
neg.s32 D, N
abs.s32 D, N
popc.b32 D, N
clz.b32 D, N
brev.b32 D, N
bfe.u32 D, N, N, N
bfe.s32 D, N, N, N
bfi.b32 D, N, N, N, N
shf.l.wrap.b32 D, N, N, N
shf.r.clamp.b32 D, N, N, N
prmt.b32 D, N, N, N
prmt.b32.f4e D, N, N, N
prmt.b32.ecr D, N, N, N
bfind.s32 D, N
bfind.shiftamt.u32 D, N
dp4a.u32.s32 D, N, N, N
dp2a.hi.s32.u32 D, N, N, N
add.sat.s32 D, N, N
sub.sat.s32 D, N, N
mad.hi.sat.s32 D, N, N, N
min.relu.s32 D, N, N
max.relu.s32 D, N, N
cvt.sat.u8.s32 D, N
div.s32 D, N, 7
div.u32 D, N, 9
rem.s32 D, N, -5
rem.u32 D, N, 11
selp.b32 D, N, N, P
mov.b32 D, N
setp.eq.s32 P, N, N
setp.ne.u32 P, N, N
setp.lt.s32 P, N, N
setp.le.u32 P, N, N
setp.gt.u32 P, N, N
setp.ge.s32 P, N, N
setp.lo.u32 P, N, N
setp.lt.and.s32 P, N, N, P
setp.eq.xor.u32 P, N, N, P
and.pred P, P, P
xor.pred P, P, P
not.pred P, P
`), "\n")

// program returns the instructions of a random program, some with labels before them.
func program(random *rand.Rand) (lines []string) {
	register := func() string { return fmt.Sprintf("%%r%d", random.IntN(numbers-1)) }
	predicate := func() string { return fmt.Sprintf("%%p%d", random.IntN(2)) }
	guard := func() string {
		return map[int]string{0: "@" + predicate() + " ", 1: "@!" + predicate() + " "}[random.IntN(6)]
	}
	const n = 25
	loop := random.IntN(n)
	for i := range numbers - 1 {
		lines = append(lines, fmt.Sprintf("mov.b32 %%r%d, %d;", i, int32(random.Uint32()>>random.IntN(32))))
	}
	lines = append(lines, fmt.Sprintf("mov.b32 %%r%d, 3;", numbers-1), "setp.eq.s32 %p0, 0, 0;",
		"setp.ne.s32 %p1, 0, 0;", "setp.ne.s32 %p2, 0, 0;")
	for i := range n {
		lines = append(lines, fmt.Sprintf("L%d:", i))
		if random.IntN(8) == 0 {
			lines = append(lines, fmt.Sprintf("%sbra L%d;", guard(), i+1+random.IntN(n-i)))
			continue
		}
		var b strings.Builder
		for _, letter := range operations[random.IntN(len(operations))] {
			switch {
			case letter == 'D':
				b.WriteString(register())
			case letter == 'P':
				b.WriteString(predicate())
			case letter == 'N' && random.IntN(3) == 0:
				b.WriteString(fmt.Sprint(random.IntN(70) - 5))
			case letter == 'N':
				b.WriteString(register())
			default:
				b.WriteRune(letter)
			}
		}
		lines = append(lines, guard()+b.String()+";")
	}
	r := fmt.Sprintf("%%r%d", numbers-1)
	return append(lines, fmt.Sprintf("L%d:", n), "sub.s32 "+r+", "+r+", 1;", "setp.gt.s32 %p2, "+r+", 0;",
		fmt.Sprintf("@%%p2 bra L%d;", loop))
}

// asKernel returns a kernel that stores the registers at the end, in the form that the interpreter
// reads.
func asKernel(lines []string) string {
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(\n.param .u64 out)\n{\n")
	for i := range numbers {
		fmt.Fprintf(&b, ".reg .b32 %%r%d;\n", i)
	}
	b.WriteString(".reg .pred %p0;\n.reg .pred %p1;\n.reg .pred %p2;\n.reg .b64 %d;\nld.param.u64 %d, [out];\n")
	b.WriteString(strings.Join(lines, "\n") + "\n")
	for i := range numbers {
		fmt.Fprintf(&b, "st.global.u32 [%%d+%d], %%r%d;\n", 4*i, i)
	}
	b.WriteString("ret;\n}\n")
	return b.String()
}

// asTest returns a litmus test of one thread.
func asTest(lines []string) string {
	var b strings.Builder
	b.WriteString("PTX random\n{}\n P0 ;\n")
	for _, line := range lines {
		b.WriteString(strings.ReplaceAll(strings.TrimSuffix(line, ";"), "%", "") + " ;\n")
	}
	return b.String() + fmt.Sprintf("forall (P0:r%d=0)\n", numbers-1)
}

func unwound(t *testing.T, lines []string) (registers []int32) {
	t.Helper()
	p, err := ptx.New(parse(t, "random", asTest(lines)), frontend.Options{Unroll: 5})
	if err != nil {
		t.Fatalf("%v\n%s", err, asTest(lines))
	}
	for s, err := range p.Structures(t.Context()) {
		if err != nil || s.Truncated {
			t.Fatalf("%v, %t\n%s", err, s.Truncated, asTest(lines))
		}
		for i := range numbers {
			x, _ := s.Held(event.Reg{Thread: 0, Name: fmt.Sprint("r", i)})
			c, ok := x.(event.Const)
			if !ok {
				t.Fatalf("r%d is no constant\n%s", i, asTest(lines))
			}
			registers = append(registers, int32(event.Value(c).Int))
		}
	}
	return registers
}

func interpreted(t *testing.T, text string) (registers []int32) {
	t.Helper()
	m := interp.New(1)
	err := m.Load(t.Context(), text)
	var at []uint64
	if err == nil {
		at, err = m.Alloc(0, 4*numbers, 1)
	}
	if err == nil {
		l := harness.Launch{Entry: "k", Grid: 1, Block: 1, Params: at, Wide: []bool{true}}
		_, err = m.Run(t.Context(), []harness.Step{{Kernel: &l}})
	}
	bytes := make([]byte, 4*numbers)
	if err == nil {
		err = m.Read(at[0], bytes)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for i := range numbers {
		registers = append(registers, int32(binary.LittleEndian.Uint32(bytes[4*i:])))
	}
	return registers
}

func launched(t *testing.T, text string) (registers []int32) {
	t.Helper()
	m, err := kernel.Parse(src.NewFile("random.ptx", text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	out := &launch.Buffer{Name: "out", Size: 4 * numbers}
	r, err := launch.New(m).Run(context.Background(), launch.Launch{Kernel: "k", Args: []launch.Arg{{Buffer: out}}})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for i := range numbers {
		registers = append(registers, int32(r.Read(out, int64(4*i), 4)))
	}
	return registers
}

func TestMachinesAgree(t *testing.T) {
	programs := 300
	if testing.Short() {
		programs = 60
	}
	random := rand.New(rand.NewPCG(11, 12))
	different := map[string]bool{}
	for range programs {
		lines := program(random)
		text := asKernel(lines)
		paths, runs, launches := unwound(t, lines), interpreted(t, text), launched(t, text)
		if fmt.Sprint(paths) != fmt.Sprint(runs) || fmt.Sprint(runs) != fmt.Sprint(launches) {
			t.Fatalf("the registers end as\n%v unwound\n%v interpreted\n%v launched\n%s", paths, runs, launches, text)
		}
		different[fmt.Sprint(runs)] = true
	}
	if len(different) < programs*9/10 {
		t.Errorf("%d programs have only %d results", programs, len(different))
	}
}
