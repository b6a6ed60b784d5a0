package optcheck

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The same three instructions and a jump, as the two tools print them.
const (
	byNvdisasm = `	.headerflags	@"EF_CUDA_SM80"
//--------------------- .text.count               --------------------------
	.section	.text.count,"ax",@progbits
count:
.text.count:
        /*0000*/                   EXIT ;
//--------------------- .text.litmus              --------------------------
	.section	.text.litmus,"ax",@progbits
        .global         litmus
litmus:
.text.litmus:
        /*0000*/                   PMTRIG 0x1 ;
        /*0010*/              @!P0 BRA ` + "`(.L_x_1)" + ` ;
        /*0020*/                   LDG.E.STRONG.GPU R9, [R10.64+0x4] ;
.L_x_1:
        /*0030*/                   ERRBAR;
        /*0040*/                   PMTRIG 0x2 ;
`
	byCuobjdump = `
		Function : count
	.headerflags	@"EF_CUDA_SM80"
        /*0000*/                   EXIT ;                                /* 0x000000000000794d */
                                                                         /* 0x000fea0003800000 */
		Function : litmus
	.headerflags	@"EF_CUDA_SM80"
        /*0000*/                   PMTRIG 0x1 ;                          /* 0x0000000100007801 */
                                                                         /* 0x000fe20000000000 */
        /*0010*/              @!P0 BRA 0x30 ;                            /* 0x00001ac000000947 */
                                                                         /* 0x000fea0003800000 */
        /*0020*/                   LDG.E.STRONG.GPU R9, [R10.64+0x4] ;   /* 0x0000040a0a097981 */
                                                                         /* 0x000ea200001ee900 */
        /*0030*/                   ERRBAR;                               /* 0x00000000000079ab */
        /*0040*/                   PMTRIG 0x2 ;                          /* 0x0000000200007801 */
		..........
`
)

func TestParseListing(t *testing.T) {
	for tool, text := range map[string]string{"nvdisasm": byNvdisasm, "cuobjdump": byCuobjdump} {
		t.Run(tool, func(t *testing.T) {
			l, err := ParseListing(text, "litmus")
			if err != nil {
				t.Fatal(err)
			}
			if len(l.instrs) != 5 {
				t.Fatalf("%d instructions", len(l.instrs))
			}
			branch, ld := l.instrs[1], l.instrs[2]
			if branch.guard != "P0" || !branch.negated || branch.opcode != "BRA" {
				t.Errorf("%+v", branch)
			}
			if to, ok := l.target(branch); !ok || to != 3 {
				t.Errorf("the branch goes to %d", to)
			}
			want := []any{"LDG", []string{"E", "STRONG", "GPU"}, []string{"R9", "[R10.64+0x4]"}, uint64(0x20)}
			if diff := cmp.Diff(want, []any{ld.opcode, ld.mods, ld.operands, ld.addr}); diff != "" {
				t.Error(diff)
			}
			if l.instrs[3].opcode != "ERRBAR" {
				t.Errorf("%+v", l.instrs[3])
			}
			if !slices.Equal(l.marker(0), []int{0}) || !slices.Equal(l.marker(1), []int{4}) || l.marker(2) != nil {
				t.Error("markers", l.marker(0), l.marker(1), l.marker(2))
			}
		})
	}
}

func TestParseListingWithoutTheKernel(t *testing.T) {
	for _, text := range []string{"", "noise", strings.ReplaceAll(byNvdisasm, "litmus", "other")} {
		if _, err := ParseListing(text, "litmus"); err == nil ||
			!strings.Contains(err.Error(), "no code of a kernel litmus") {
			t.Errorf("error %v", err)
		}
	}
}

// one parses a single instruction.
func one(t *testing.T, text string) *instruction {
	t.Helper()
	l, err := ParseListing("Function : litmus\n/*0000*/ "+text+" ;\n", "litmus")
	if err != nil {
		t.Fatal(err)
	}
	return l.instrs[0]
}

// TestWritten: which operands instructions write, and which they read.
func TestWritten(t *testing.T) {
	for text, want := range map[string]string{
		"MOV R1, R2":                                     "R1",
		"IADD3 R14, P0, R15, R14, RZ":                    "R14 P0",
		"IADD3.X R15, RZ, RZ, R20, P0, !PT":              "R15",
		"ISETP.GE.U32.AND P0, PT, R0.reuse, UR4, PT":     "P0 PT",
		"LOP3.LUT P2, RZ, R6.reuse, 0x2, RZ, 0xc0, !PT":  "P2 RZ",
		"SEL R3, R8, R3, !P0":                            "R3",
		"IMAD.WIDE.U32 R2, R3, c[0x0][0x1e4], RZ":        "R2 R3",
		"LDC.64 R2, c[0x0][R2+0x210]":                    "R2 R3",
		"CS2R R4, SRZ":                                   "R4 R5",
		"ULDC.64 UR4, c[0x0][0x118]":                     "UR4 UR5",
		"VOTEU.ANY UR4, UPT, PT":                         "UR4 UPT",
		"ATOMG.E.CAS.STRONG.GPU PT, R9, [R10], R12, R13": "PT R9",
		"ATOMS.ADD R3, [RZ], R0":                         "R3",
		"STG.E [R2.64], R4":                              "",
		"RED.E.ADD.STRONG.GPU [R2.64], R4":               "",
		"BAR.SYNC.DEFER_BLOCKING R10, 0x40":              "",
		"R2P PR, R0, 0x7f":                               "P0 P1 P2 P3 P4 P5 P6",
	} {
		if got := strings.Join(one(t, text).written(), " "); got != want {
			t.Errorf("%s writes %s, not %s", text, got, want)
		}
	}
}

// TestOperation: memory operations are recognized by their opcodes, as all targets write them.
func TestOperation(t *testing.T) {
	for text, want := range map[string]string{
		"LDG.E R9, [R10.64]":                               "32-bit weak load",
		"LDG.E.SYS R9, [R10]":                              "32-bit weak load", // sm_75
		"LDG.E.64 R8, desc[UR6][R10.64]":                   "64-bit weak load",
		"LDG.E.STRONG.CTA R9, [R10]":                       "32-bit CTA load",
		"STG.E.STRONG.SM [R10.64], R9":                     "32-bit CTA store",
		"STG.E.STRONG.GPU [R10.64], R9":                    "32-bit GPU store",
		"LDG.E.STRONG.SYS R9, [R10.64]":                    "32-bit SYS load",
		"LDG.E.MMIO.SYS R9, [R10.64]":                      "32-bit MMIO load",
		"LDS.U R9, [R10]":                                  "32-bit shared load",
		"STS.64 [R10], R8":                                 "64-bit shared store",
		"ATOMG.E.EXCH.64.STRONG.GPU PT, R2, [R4.64], R6":   "64-bit GPU EXCH atomic",
		"ATOMS.POPC.INC.32 R2, [R4]":                       "32-bit shared ADD atomic",
		"REDG.E.ADD.S32.STRONG.GPU desc[UR6][R10.64], R13": "32-bit GPU ADD reduction",
		"MEMBAR.SC.SYS":                                    "SC SYS fence",
		"MEMBAR.ALL.GPU":                                   "ALL GPU fence",
		"CCTL.IVALL":                                       "invalidation of L1",
		"BAR.SYNC.DEFER_BLOCKING R10, 0x40":                "barrier",
	} {
		in := one(t, text)
		o := in.operation()
		if got := o.String(); !in.isOperation() || got != want {
			t.Errorf("%s is a %s, not a %s", text, got, want)
		}
	}
	for _, text := range []string{"ERRBAR", "CGAERRBAR", "MOV R1, R2", "LDC R1, c[0x0][0x160]", "WARPSYNC 0xffffffff"} {
		if one(t, text).isOperation() {
			t.Errorf("%s is no memory operation", text)
		}
	}
}
