package optcheck

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/src"
)

// planFor lays out a test for a target.
func planFor(t testing.TB, text string, target harness.Target) *harness.Plan {
	t.Helper()
	test, err := frontends.Shipped().Parse(src.NewFile("test.litmus", text))
	if err != nil {
		t.Fatal(err)
	}
	program, err := ptx.New(test, frontend.Options{Unroll: frontend.DefaultUnroll})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := harness.NewPlan(test, program, target)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// oneThread returns a test with the instructions in its only interesting thread, over x and y.
func oneThread(instructions string) string {
	var b strings.Builder
	b.WriteString("PTX made\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n")
	for i, in := range strings.Split(instructions, "\n") {
		other := ""
		if i == 0 {
			other = "st.weak x, 1"
		}
		fmt.Fprintf(&b, " %s | %s ;\n", strings.TrimSpace(in), other)
	}
	return b.String() + "exists (x=1 /\\ y=0)\n"
}

// prologue puts the address of x into R2 and R3 and that of y into R4 and R5, as kernels for sm_80
// do, and an untraceable address into R6 and R7.
const prologue = `
S2R R0, SR_TID.X
MOV R1, c[0x0][0x200]
IMAD.WIDE.U32 R2, R0, R1, c[0x0][0x160]
IMAD.WIDE.U32 R4, R0, R1, c[0x0][0x168]
LDG.E.64 R6, [R4.64]`

// machineCode returns a kernel with the code of two roles; that of the second stores 1 to x. Lines
// that end in a colon are labels.
func machineCode(first string) string {
	code := prologue + "\nPMTRIG 0x1\n" + first +
		"\nPMTRIG 0x2\nPMTRIG 0x4\nMOV R100, 0x1\nSTG.E [R2.64], R100\nPMTRIG 0x8\nEXIT"
	var b strings.Builder
	b.WriteString("\t.section\t.text.litmus,\"ax\",@progbits\nlitmus:\n")
	n := 0
	for line := range strings.SplitSeq(code, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case strings.HasSuffix(line, ":"):
			b.WriteString(line + "\n")
		default:
			fmt.Fprintf(&b, "        /*%04x*/                   %s ;\n", 16*n, line)
			n++
		}
	}
	return b.String()
}

// laterConstants moves the parameters to where kernels for sm_90 have them.
var laterConstants = strings.NewReplacer("[0x160]", "[0x210]", "[0x168]", "[0x218]")

// comparisonCase is a test, its machine code, and the expected finding.
type comparisonCase struct {
	name, test, machine string
	says                string // part of a finding
}

var sameCode = []comparisonCase{
	{
		name: "loads", test: "ld.weak r1, x\nld.weak r2, y",
		machine: "LDG.E R10, [R2.64]\nLDG.E R11, [R4.64]",
	},
	{
		name: "through copies of registers", test: "ld.relaxed.gpu r1, x\nst.relaxed.sys y, 1",
		machine: "MOV R20, R2\nIMAD.MOV.U32 R21, RZ, RZ, R3\nLDG.E.STRONG.GPU R10, [R20.64]\nMOV R11, " +
			"0x1\nSTG.E.STRONG.SYS desc[UR4][R4.64], R11",
	},
	{
		name: "address dependency",
		test: "ld.weak r1, x\nand.b32 r2, r1, 0x80000000\ncvt.u64.u32 r3, r2\nmov.u64 r4, y\nadd.u64 r4, " +
			"r4, r3\nld.weak r5, [r4]",
		machine: "LDG.E R10, [R2.64]\nLOP3.LUT R11, R10, 0x80000000, RZ, 0xc0, !PT\nIADD3 R12, P0, R11, R4, " +
			"RZ\nIADD3.X R13, RZ, R5, RZ, P0, !PT\nLDG.E R14, [R12.64]",
	},
	{
		name: "data dependency", test: "ld.weak r1, x\nadd.s32 r2, r1, 1\nst.weak y, r2",
		machine: "LDG.E R10, [R2.64]\nIADD3 R11, R10, 0x1, RZ\nSTG.E [R4.64], R11",
	},
	{
		name: "control dependency by a branch",
		test: "ld.weak r1, x\nsetp.eq.s32 p, r1, 0\n@p bra END\nst.weak y, 1\nEND:",
		machine: "LDG.E R10, [R2.64]\nISETP.NE.AND P0, PT, R10, RZ, PT\n@!P0 BRA `(OUT)\nMOV R11, " +
			"0x1\nSTG.E [R4.64], R11\nOUT:",
	},
	{
		name:    "control dependency by a predicate",
		test:    "ld.weak r1, x\nsetp.eq.s32 p, r1, 0\n@p bra END\nst.weak y, 1\nEND:",
		machine: "LDG.E R10, [R2.64]\nISETP.NE.AND P0, PT, R10, RZ, PT\n@P0 MOV R11, 0x1\n@P0 STG.E [R4.64], R11",
	},
	{
		name: "a branch that became a selection",
		test: "ld.weak r1, x\nmov.s32 r2, 1\nsetp.eq.s32 p, r1, 0\n@p bra END\nmov.s32 r2, 2\nEND: st.weak y, r2",
		machine: "LDG.E R10, [R2.64]\nISETP.NE.AND P0, PT, R10, RZ, PT\nMOV R11, 0x2\nSEL R12, R11, " +
			"0x1, P0\nSTG.E [R4.64], R12",
	},
	{
		name: "a predicate that guards twice",
		test: "ld.weak r1, x\nsetp.eq.s32 p, r1, 0\n@p st.weak x, 1\n@p st.weak y, 1",
		machine: "LDG.E R10, [R2.64]\nISETP.EQ.AND P0, PT, R10, RZ, PT\n@!P0 BRA `(OUT)\nSTG.E [R2.64], " +
			"R0\nSTG.E [R4.64], R0\nOUT:",
	},
	{
		name: "code out of line", test: "ld.weak r1, x\nsetp.eq.s32 p, r1, 0\n@!p bra END\nst.weak y, 1\nEND:",
		machine: "LDG.E R10, [R2.64]\nISETP.EQ.AND P0, PT, R10, RZ, PT\n@P0 BRA `(FAR)\nNEAR: \nBRA " +
			"`(OUT)\nFAR:\nSTG.E [R4.64], R0\nBRA `(NEAR)\nOUT:",
	},
	{
		name: "a loop that is unrolled once, and given up in the end",
		test: "L: ld.relaxed.gpu r1, x\nbeq r1, 0, L\nst.weak y, 1",
		machine: "MOV R20, c[0x0][0x200]\nAGAIN:\nLDG.E.STRONG.GPU R10, [R2.64]\nIADD3 R20, R20, -0x1, " +
			"RZ\nISETP.NE.AND P0, PT, R20, RZ, PT\n@!P0 BRA `(OUT)\n" +
			"ISETP.NE.AND P0, PT, R10, RZ, PT\n@P0 BRA `(ON)\n" +
			"LDG.E.STRONG.GPU R10, [R2.64]\nIADD3 R20, R20, -0x1, RZ\nISETP.NE.AND P0, PT, R20, " +
			"RZ, PT\n@!P0 BRA `(OUT)\n" +
			"ISETP.EQ.AND P0, PT, R10, RZ, PT\n@P0 BRA `(AGAIN)\nON:\nSTG.E [R4.64], R0\nOUT:",
	},
	{
		name: "a branch with a second predicate",
		test: "ld.weak r1, x\nld.weak r2, y\nsetp.eq.s32 p, r1, 0\nsetp.eq.s32 q, r2, 0\n@p bra END\n@q bra " +
			"END\nst.weak y, 1\nEND:",
		machine: "LDG.E R10, [R2.64]\nLDG.E R11, [R4.64]\nISETP.NE.AND P0, PT, R10, RZ, PT\nISETP.NE.AND " +
			"P1, PT, R11, RZ, PT\n" +
			"@!P0 BRA `(OUT)\n@P0 BRA P1, `(ON)\nBRA `(OUT)\nON:\nSTG.E [R4.64], R0\nOUT:",
	},
	{
		name: "a function that computes", test: "ld.weak.s32 r1, x\ndiv.s32 r2, r1, 7\nst.weak y, r2",
		machine: "LDG.E R20, [R2.64]\nMOV R22, R20\nCALL.REL.NOINC `(DIVIDE)\nSTG.E [R4.64], R21\nBRA " +
			"`(OUT)\nDIVIDE:\nIMAD.HI R21, R22, 0x24924925, RZ\n@P3 MOV R21, RZ\nRET.REL.NODEC R30\nOUT:",
	},
	{
		name: "release and acquire", test: "st.release.gpu x, 1\nld.acquire.sys r1, y",
		machine: "MEMBAR.ALL.GPU\nERRBAR\nSTG.E.STRONG.GPU [R2.64], R0\nLDG.E.STRONG.SYS R10, [R4.64]\nCCTL.IVALL",
	},
	{
		name: "acquire in the CTA", test: "ld.acquire.cta r1, x", says: "does not show that it acquires",
		machine: "LDG.E.STRONG.SM R10, [R2.64]",
	},
	{
		name: "a fence with a weaker one before it", test: "fence.sc.gpu",
		machine: "MEMBAR.ALL.CTA\nMEMBAR.SC.GPU\nERRBAR\nCGAERRBAR\nCCTL.IVALL",
	},
	{
		name: "a fence of aliases, whose scope the driver chooses",
		test: "st.weak x, 1\nfence.proxy.alias",
		machine: "STG.E [R2.64], R1\nBRA.U !UP0, `(NEAR)\nMEMBAR.SC.GPU\nNEAR:\nBRA.U UP0, " +
			"`(FAR)\nMEMBAR.SC.SYS\nFAR:\nCCTL.IVALL",
	},
	{
		name:    "the barrier of a cluster",
		test:    "st.weak x, 1\nbarrier.cluster.arrive\nbarrier.cluster.wait\nbarrier.cluster.arrive.relaxed\nbarrier.cluster.wait",
		machine: "STG.E [R2.64], R1\nMEMBAR.ALL.GPU\nERRBAR\nCGAERRBAR\nUCGABAR_ARV\nUCGABAR_WAIT\nCCTL.IVALL\nUCGABAR_ARV\nUCGABAR_WAIT\nCCTL.IVALL",
	},
	{
		name: "an atomic that became a reduction", test: "atom.add.s32 r1, x, 1", says: "became a reduction",
		machine: "RED.E.ADD.S32.STRONG.GPU [R2.64], R0",
	},
	{
		name: "an address from memory", test: "ld.weak r1, x", says: "address not traced",
		machine: "LDG.E R10, [R6.64]",
	},
}

var otherCode = []comparisonCase{
	{
		name:    "an arrival at the barrier of a cluster that does not release",
		test:    "st.weak x, 1\nbarrier.cluster.arrive\nbarrier.cluster.wait",
		machine: "STG.E [R2.64], R1\nUCGABAR_ARV\nUCGABAR_WAIT\nCCTL.IVALL", says: "not in the machine code",
	},
	{
		name: "a fence of aliases that reaches no further than the CTA", test: "st.weak x, 1\nfence.proxy.alias",
		machine: "STG.E [R2.64], R1\nMEMBAR.SC.CTA\nCCTL.IVALL",
		says:    "strength CTA in the machine code, GPU in the test",
	},
	{
		name:    "merged loads",
		test:    "ld.weak r1, x\nld.weak r2, x",
		says:    "P0, ld.weak r2, x: merged with the load before it; 1 load in the machine code, 2 in the test",
		machine: "LDG.E R10, [R2.64]",
	},
	{
		name:    "forwarded store",
		test:    "st.weak x, 1\nld.weak r1, x",
		says:    "P0, ld.weak r1, x: has the value of the store before it",
		machine: "STG.E [R2.64], R0",
	},
	{
		name:    "merged stores",
		test:    "st.weak x, 1\nst.weak x, 2",
		says:    "merged with another store to its location; 1 store in the machine code, 2 in the test",
		machine: "STG.E [R2.64], R0",
	},
	{
		name: "dead load", test: "ld.weak r1, x\nld.weak r2, y", says: "P0, ld.weak r2, y: not in the machine code",
		machine: "LDG.E R10, [R2.64]",
	},
	{
		name:    "other order",
		test:    "ld.weak r1, x\nld.weak r2, y",
		says:    "P0, ld.weak r1, x: not in the order of the test: the machine code has it behind ld.weak r2, y",
		machine: "LDG.E R11, [R4.64]\nLDG.E R10, [R2.64]",
	},
	{
		name:    "other location",
		test:    "st.weak x, 1",
		says:    "the machine code has a 32-bit weak store (STG.E [R4.64], R0), the test has not",
		machine: "STG.E [R4.64], R0",
	},
	{
		name: "other element", test: "st.weak x, 1", says: "the machine code has a 32-bit weak store",
		machine: "STG.E [R2.64+0x4], R0",
	},
	{
		name:    "other width",
		test:    "st.weak x, 1",
		says:    "P0, st.weak x, 1: width 64 in the machine code, 32 in the test",
		machine: "STG.E.64 [R2.64], R0",
	},
	{
		name: "other kind", test: "ld.weak r1, x", says: "the machine code has a 32-bit weak store",
		machine: "STG.E [R2.64], R0",
	},
	{
		name: "weaker", test: "ld.relaxed.sys r1, x", says: "strength GPU in the machine code, SYS in the test",
		machine: "LDG.E.STRONG.GPU R10, [R2.64]",
	},
	{
		name: "stronger", test: "ld.weak r1, x", says: "strength GPU in the machine code, weak in the test",
		machine: "LDG.E.STRONG.GPU R10, [R2.64]",
	},
	{
		name:    "other function",
		test:    "atom.add.s32 r1, x, 1",
		says:    "function EXCH in the machine code, ADD in the test",
		machine: "ATOMG.E.EXCH.STRONG.GPU PT, R10, [R2.64], R0",
	},
	{
		name:    "other state space",
		test:    "ld.weak r1, x",
		says:    "state space shared in the machine code, global in the test",
		machine: "LDS R10, [R6]",
	},
	{
		name:    "one more",
		test:    "st.weak x, 1",
		says:    "the machine code has a 32-bit weak load (LDG.E R10, [R4.64]), the test has not",
		machine: "STG.E [R2.64], R0\nLDG.E R10, [R4.64]",
	},
	{
		name:    "no fence",
		test:    "ld.weak r1, x\nfence.acq_rel.cta\nld.weak r2, y",
		says:    "P0, fence.acq_rel.cta: not in the machine code; 0 fences in the machine code, 1 in the test",
		machine: "LDG.E R10, [R2.64]\nLDG.E R11, [R4.64]",
	},
	{
		name:    "a fence of another scope",
		test:    "fence.sc.sys",
		says:    "strength GPU in the machine code, SYS in the test",
		machine: "MEMBAR.SC.GPU\nCCTL.IVALL",
	},
	{
		name: "a fence that is not sc", test: "fence.sc.gpu", says: "function ALL in the machine code, SC in the test",
		machine: "MEMBAR.ALL.GPU\nCCTL.IVALL",
	},
	{
		name:    "no acquire",
		test:    "ld.acquire.gpu r1, x",
		says:    "P0, ld.acquire.gpu r1, x: not in the machine code; 0 invalidations of L1",
		machine: "LDG.E.STRONG.GPU R10, [R2.64]",
	},
	{
		name:    "no release",
		test:    "st.release.gpu x, 1",
		says:    "P0, st.release.gpu x, 1: not in the machine code; 0 fences",
		machine: "STG.E.STRONG.GPU [R2.64], R0",
	},
	{
		name: "no address dependency",
		test: "ld.weak r1, x\nxor.b32 r2, r1, r1\ncvt.u64.u32 r3, r2\nmov.u64 r4, y\nadd.u64 r4, " +
			"r4, r3\nld.weak r5, [r4]",
		says:    "P0, ld.weak r5, [r4]: its address no longer depends on ld.weak r1, x",
		machine: "LDG.E R10, [R2.64]\nLDG.E R14, [R4.64]",
	},
	{
		name:    "no data dependency",
		test:    "ld.weak r1, x\nxor.b32 r2, r1, r1\nst.weak y, r2",
		says:    "P0, st.weak y, r2: its value no longer depends on ld.weak r1, x",
		machine: "LDG.E R10, [R2.64]\nSTG.E [R4.64], RZ",
	},
	{
		name: "no guard", test: "ld.weak r1, x\nsetp.eq.s32 p, r1, 0\n@p st.weak y, 1\n@!p st.weak y, 1",
		says:    "whether it runs no longer depends on ld.weak r1, x",
		machine: "LDG.E R10, [R2.64]\nSTG.E [R4.64], R0",
	},
	{
		name:    "a value that a guard may leave, without the guard",
		test:    "ld.weak r1, x\nsetp.eq.s32 p, r1, 0\nmov.s32 r2, 1\n@p mov.s32 r2, 1\nst.weak y, r2",
		says:    "P0, st.weak y, r2: its value no longer depends on ld.weak r1, x",
		machine: "LDG.E R10, [R2.64]\nSTG.E [R4.64], R0",
	},
	{
		name:    "a dependency on another load",
		test:    "ld.weak r1, x\nld.weak r2, y\nst.weak x, r1",
		says:    "its value no longer depends on ld.weak r1, x",
		machine: "LDG.E R10, [R2.64]\nLDG.E R11, [R4.64]\nSTG.E [R2.64], R11",
	},
	{
		name: "a function that computes something else",
		test: "ld.weak.s32 r1, x\ndiv.s32 r2, r1, 7\nst.weak y, r2",
		says: "its value no longer depends on ld.weak.s32 r1, x",
		machine: "LDG.E R20, [R2.64]\nCALL.REL.NOINC `(DIVIDE)\nSTG.E [R4.64], R21\nBRA `(OUT)\nDIVIDE:\nIMAD.HI R21, " +
			"R22, 0x24924925, RZ\nRET.REL.NODEC R30\nOUT:",
	},
	{
		name:    "a branch decided too early",
		test:    "ld.weak r1, x\nxor.b32 r2, r1, r1\nsetp.ne.s32 p, r2, 0\n@p bra END\nst.weak y, 1\nEND:",
		says:    "P0, st.weak y, 1: whether it runs no longer depends on ld.weak r1, x",
		machine: "LDG.E R10, [R2.64]\nSTG.E [R4.64], R0",
	},
	{
		name: "a path that is gone", test: "ld.weak r1, x\nsetp.ne.s32 p, r1, 0\n@p bra END\nst.weak y, 1\nEND:",
		says:    "the machine code has no control path that does just this: ld.weak r1, x; what",
		machine: "LDG.E R10, [R2.64]\nISETP.NE.AND P0, PT, R10, RZ, PT\n@P0 BRA `(ON)\nON:\nSTG.E [R4.64], R0",
	},
	{
		name:    "a branch that no longer orders what comes later",
		test:    "ld.weak r1, x\nsetp.ne.s32 p, r1, 0\n@p bra ON\nst.weak x, 1\nON: st.weak y, 1",
		says:    "P0, st.weak y, 1: whether it runs no longer depends on ld.weak r1, x",
		machine: "LDG.E R10, [R2.64]\nISETP.EQ.AND P0, PT, R10, RZ, PT\n@P0 STG.E [R2.64], R0\nSTG.E [R4.64], R0",
	},
	{
		name:    "a store that runs although its guard is false",
		test:    "ld.weak r1, x\nsetp.eq.s32 p, r1, 0\n@p st.weak x, 1\n@!p st.weak y, 1",
		says:    "P0",
		machine: "LDG.E R10, [R2.64]\nISETP.EQ.AND P0, PT, R10, RZ, PT\n@P0 STG.E [R2.64], R0\n@P0 STG.E [R4.64], R0",
	},
}

var unclearCode = []comparisonCase{
	{
		name:    "no marker",
		test:    "st.weak x, 1",
		machine: "PMTRIG 0x4",
		says:    "P0: the machine code comes to the marker PMTRIG 0x4",
	},
	{
		name:    "left",
		test:    "st.weak x, 1",
		machine: "STG.E [R2.64], R0\nEXIT",
		says:    "P0: the machine code leaves it by EXIT",
	},
	{
		name:    "spills",
		test:    "st.weak x, 1",
		machine: "STL [R1], R0\nSTG.E [R2.64], R0",
		says:    "P0: it keeps registers in local memory",
	},
	{name: "computed branch", test: "st.weak x, 1", machine: "BRX R2 -0x10", says: "leaves it by BRX"},
	{name: "unknown target", test: "st.weak x, 1", machine: "BRA `(NOWHERE)", says: "goes to an unknown place"},
}

func TestCheck(t *testing.T) {
	for verdict, cases := range map[Verdict][]comparisonCase{
		Passed:     sameCode,
		Failed:     otherCode,
		NotChecked: unclearCode,
	} {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				target, code := harness.SM80, machineCode(c.machine)
				if strings.Contains(c.test, "cluster") {
					target, code = harness.SM90, laterConstants.Replace(code)
				}
				plan := planFor(t, oneThread(c.test), target)
				r := Check(t.Context(), plan, code)
				if r.Verdict != verdict || !strings.Contains(r.String(), c.says) {
					t.Errorf("want: %s: %s\n%s", verdict, c.says, r)
				}
				if why := r.Why(); (why == "") != (c.says == "") {
					t.Errorf("why: %q", why)
				}
			})
		}
	}
}

// TestInitialRegisters: registers of the initial state hold addresses and numbers, and any of them
// can be a guard. Elements of an array have one slot.
func TestInitialRegisters(t *testing.T) {
	plan := planFor(t, `GPU_PTX made
{ int a[2] = {0, 0}; int y = 0; 0:.reg .b64 r1 = a; 0:.reg .s32 r2 = 1; 0:.reg .s32 r3 = 0; 0:.reg .s32 r4; }
 T0                    | T1            ;
 ld.cg.s32 r4,[r1+4]   | st.s32 [a],1  ;
 @r4 st.cg.s32 [y],r2  |               ;
 @r3 st.cg.s32 [r1],r2 |               ;
ScopeTree(grid(cta(warp T0)) (cta(warp T1)))
a: global, y: global
exists (0:r4=1)
`, harness.SM80)
	code := "LDG.E.STRONG.GPU R10, [R2.64+%#x]\nISETP.NE.AND P0, PT, R10, RZ, PT\n@P0 STG.E.STRONG.GPU [R4.64], R0"
	if r := Check(t.Context(), plan, machineCode(fmt.Sprintf(code, 4))); r.Verdict != Passed {
		t.Error(r)
	}
	if r := Check(t.Context(), plan, machineCode(fmt.Sprintf(code, 0))); r.Verdict != Failed {
		t.Error(r)
	}
}

// TestSharedMemory: locations in shared memory are distinguished by the multiple of the size of the
// CTA and the stride in their addresses.
func TestSharedMemory(t *testing.T) {
	plan := planFor(t, `PTX shared
{ shared x=0; shared y=0; }
 P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;
 ld.relaxed.cta r1, x | st.weak x, 1 ;
 ld.relaxed.cta r2, y | ;
exists (P0:r1=1 /\ P0:r2=0)
`, harness.SM80)
	stride := newLayout(plan).params["shared_stride"]
	code := func(first, second string) string {
		text := fmt.Sprintf(`S2R R0, SR_TID.X
			IMAD R2, R0, c[0x0][%#[1]x], RZ
			MOV R4, c[0x0][0x0]
			IADD3 R4, R4, R0, RZ
			IMAD R4, R4, c[0x0][%#[1]x], RZ
			LDS R10, [%[2]s]
			LDS R11, [%[3]s]`, stride, first, second)
		return strings.Replace(machineCode(text), "STG.E [R2.64]", "STS [R2]", 1)
	}
	if r := Check(t.Context(), plan, code("R2", "R4")); r.Verdict != Passed ||
		!strings.Contains(r.Why(), "does not show the strength") {
		t.Error(r)
	}
	for _, wrong := range []string{code("R4", "R2"), code("R2", "R2"), code("R2", "R4+0x4")} {
		if r := Check(t.Context(), plan, wrong); r.Verdict != Failed {
			t.Errorf("%s\n%s", wrong, r)
		}
	}
}

// TestClusterMemory: shared memory of another CTA is accessed by generic accesses, which show their
// strength; a fence for shared memory alone is one of the CTA or no instruction. A generic access
// does not show its location.
func TestClusterMemory(t *testing.T) {
	plan := planFor(t, `PTX cluster
{ shared s=0; x=0; }
 P0@cta 0,cluster 0                               | P1@cta 1,cluster 0    ;
 st.relaxed.cluster.shared::cluster.u32 [s], 1    | st.global.u32 [x], 1  ;
 fence.release.sync_restrict::shared::cta.cluster | ld.shared.u32 r1, [s] ;
 red.relaxed.cluster.shared::cluster.add.u32 [s], 1 |                     ;
 fence.acquire.sync_restrict::shared::cluster.cluster |                   ;
 ld.global.u32 r1, [x]                            |                       ;
exists (P1:r1=0)
`, harness.SM90)
	right := "ST.E.STRONG.GPU [R6], R0\nMEMBAR.ALL.CTA\nFENCE.VIEW.ASYNC.S\nATOM.E.ADD.STRONG.GPU PT, RZ, " +
		"[R6], R0\nLDG.E R10, [R2.64]"
	check := func(code string) *Report {
		code = strings.Replace(machineCode(code), "PMTRIG 0x8",
			"LDS R9, [R0] ;\n        /*fff0*/                   PMTRIG 0x8", 1)
		slot, _ := plan.Slot(slices.IndexFunc(plan.Program.Locs, func(l event.Location) bool { return l.Name == "x" }))
		return Check(t.Context(), plan,
			strings.Replace(code, "[0x160]", fmt.Sprintf("[%#x]", newLayout(plan).params[harness.SlotParam(slot)]), 1))
	}
	if r := check(right); r.Verdict != Passed ||
		!strings.Contains(r.Why(), "address not traced: ST.E.STRONG.GPU [R6], R0") {
		t.Error(r)
	}
	for was, is := range map[string]string{
		"ST.E.STRONG.GPU":   "STS",
		"ST.E.STRONG":       "STG.E.STRONG",
		"ST.E.STRONG.GPU [": "ST.E.STRONG.SM [",
		"MEMBAR.ALL.CTA\n":  "",
		"MEMBAR.ALL.CTA":    "MEMBAR.ALL.GPU", "LDG.E": "LDS", "ATOM.E.ADD.STRONG.GPU PT, RZ, [R6], R0\n": "",
	} {
		if r := check(strings.Replace(right, was, is, 1)); r.Verdict != Failed {
			t.Errorf("%q instead of %q\n%s", is, was, r)
		}
	}
}

// TestLongNumbers: a branch on the upper half of 64 bits may go either way.
func TestLongNumbers(t *testing.T) {
	plan := planFor(t, `PTX long
{ b=9223372030412324862; d=0; }
 P0@cta 0,gpu 0                             ;
 atom.acq_rel.cta.add.u64 r0, b, 4294967296 ;
 and.b64 r3, r0, -9223372036854775808       ;
 add.u64 r1, r0, 4294967296                 ;
 and.b64 r1, r1, -9223372036854775808       ;
 setp.eq.b64 p0, r1, r3                     ;
 @p0 bra B0                                 ;
 st.weak d, 1                               ;
 B0:                                        ;
exists (d=1)
`, harness.SM90)
	found, err := testPaths(plan, newLayout(plan), 0, 10)
	if err != nil || len(found) != 2 {
		t.Fatalf("%d paths, want one with the store and one without: %v", len(found), err)
	}
}

// TestReductionOfAResult: a reduction cannot compute a value that the condition asks for.
func TestReductionOfAResult(t *testing.T) {
	text := strings.Replace(oneThread("atom.add.s32 r1, x, 1"), "exists (", "exists (P0:r1=0 /\\ ", 1)
	r := Check(t.Context(), planFor(t, text, harness.SM80), machineCode("RED.E.ADD.S32.STRONG.GPU [R2.64], R0"))
	if r.Verdict != Failed || !strings.Contains(r.Why(), "P0, atom.add.s32 r1, x, 1: its result is lost") {
		t.Error(r)
	}
}

// TestString: the text of a report.
func TestString(t *testing.T) {
	plan := planFor(t, oneThread("ld.weak r1, x\nld.weak r2, x\nst.weak y, r2"), harness.SM80)
	got := Check(t.Context(), plan, machineCode("LDG.E R10, [R2.64]\nSTG.E [R4.64], R10")).String()
	want := `optcheck: failed
  void  P0, ld.weak r2, x: merged with the load before it; 1 load in the machine code, 2 in the test

P0            |                   | machine code
ld.weak r1, x | 32-bit weak load  | LDG.E R10, [R2.64]
ld.weak r2, x | 32-bit weak load  |
st.weak y, r2 | 32-bit weak store | STG.E [R4.64], R10

P1           |                   | machine code
st.weak x, 1 | 32-bit weak store | STG.E [R2.64], R100
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestBanks: newer targets have parameters at other offsets of the constant bank.
func TestBanks(t *testing.T) {
	for target, offset := range map[harness.Target]int{
		harness.SM75: 0x160,
		harness.SM90: 0x210,
		100:          0x380,
		120:          0x380,
	} {
		plan := planFor(t, oneThread("ld.weak r1, x\nst.weak y, 1"), target)
		code := strings.NewReplacer("[0x160]", fmt.Sprintf("[%#x]", offset), "[0x168]", fmt.Sprintf("[%#x]", offset+8)).
			Replace(machineCode("LDG.E R10, [R2.64]\nMOV R11, 0x1\nSTG.E [R4.64], R11"))
		if r := Check(t.Context(), plan, code); r.Verdict != Passed || r.Why() != "" {
			t.Errorf("%s: %s", target, r)
		}
		if r := Check(t.Context(), plan,
			strings.Replace(code, "STG.E [R4.64], R11", "STG.E [R2.64], R11", 1)); r.Verdict != Failed {
			t.Errorf("%s: a store to another location is not noticed: %s", target, r)
		}
	}
}

// TestCheckEnds: a check that the context ends has no verdict.
func TestCheckEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := Check(ctx, planFor(t, oneThread("ld.weak r1, x"), harness.SM80), machineCode("LDG.E R10, [R2.64]"))
	if r.Verdict != NotChecked || !strings.Contains(r.Why(), "context canceled") {
		t.Errorf("%s", r)
	}
}

// TestManyPaths: the differences of at most maxExplained paths are explained; further ones only
// fail the test.
func TestManyPaths(t *testing.T) {
	c := &comparison{plan: planFor(t, oneThread("ld.weak r1, x"), harness.SM80), report: &Report{}, test: []path{{}}}
	for i := range 2 * maxExplained {
		c.machine = append(c.machine, path{ops: []operation{{kind: store, text: fmt.Sprintf("STG.E [R%d.64], R0", i)}}})
	}
	if err := c.findPaths(t.Context(), make([]bool, 1)); err != nil {
		t.Fatal(err)
	}
	if c.report.Verdict != Failed || c.report.failures() != maxExplained {
		t.Errorf("%d failures: %s", c.report.failures(), c.report)
	}
}
