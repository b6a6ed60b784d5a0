package kernel_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// within parses a kernel with a body, and returns it with the reader's errors.
func within(body string) (*kernel.Function, error) {
	m, err := kernel.Parse(src.NewFile("k.ptx",
		".version 9.3\n.target sm_90\n.address_size 64\n.global .b32 G;\n.entry k(.param .b64 p)\n"+
			"{ .reg .pred q; .reg .b32 r,s; .reg .b64 d;\n"+body+"\nret; }\n"))
	if len(m.Funcs) == 0 {
		return nil, err
	}
	return m.Funcs[0], err
}

// targets lists where the branches of a function go: to instructions, by their numbers.
func targets(f *kernel.Function) (all []int) {
	for _, in := range f.Instrs {
		all = append(all, in.Targets()...)
	}
	return all
}

// TestLabelsInBlocks: a label is visible in its own { }, and hides the same name outside. The
// numbers are those of the code that ptxas 13.5 generates for the same text.
func TestLabelsInBlocks(t *testing.T) {
	for _, test := range []struct {
		body string
		want []int
	}{
		{"{ L: bra L; } { L: bra L; }", []int{0, 1}},
		{"L: { bra L; }", []int{0}},
		{"{ bra L; } mov.b32 r,1; L:", []int{2}},
		{"L: mov.b32 r,1; { L: @q bra L; } @q bra L;", []int{1, 0}},
		{"L: mov.b32 r,1; { @q bra L; mov.b32 r,2; L: mov.b32 r,3; }", []int{3}},
		{"{ @q bra L; L: mov.b32 r,1; } mov.b32 r,2; L: mov.b32 r,3;", []int{1}},
		{"L: mov.b32 r,1; { { @q bra L; } mov.b32 r,2; L: mov.b32 r,3; }", []int{0}},
		{"{ { @q bra L; } mov.b32 r,1; L: mov.b32 r,2; } L: mov.b32 r,3;", []int{2}},
		{"{ { @q bra L; } } L: mov.b32 r,1; { L: mov.b32 r,2; }", []int{1}},
		{"{ @q bra D; D: } mov.b32 r,1; D: @q bra D;", []int{1, 2}},
		{".reg .b32 L; { L: @q bra L; }", []int{0}},
		{"k: @q bra k;", []int{0}},
		{"G: @q bra G;", []int{0}},
		{"p: mov.b32 r,1; { p: @q bra p; }", []int{1}},
		{"{ .reg .pred P1; L: @P1 bra D; bra L; D: } { .reg .pred P1; L: @P1 bra D; bra L; D: }", []int{2, 0, 4, 2}},
		{"A: mov.b32 r,1; T: .branchtargets A,Z; { A: mov.b32 r,2; @q brx.idx r,T; } Z: mov.b32 r,3;", []int{0, 3}},
		{"A: mov.b32 r,1; { T: .branchtargets A,Z; @q brx.idx r,T; A: mov.b32 r,2; } Z: mov.b32 r,3;", []int{2, 3}},
		{
			"{ T: .branchtargets A,B; A: brx.idx r,T; B: } { T: .branchtargets A,B; A: brx.idx r,T; B: }",
			[]int{0, 1, 1, 2},
		},
		{"A: { T: .branchtargets A; { A: brx.idx r,T; } }", []int{0}},
	} {
		f, err := within(test.body)
		if err != nil {
			t.Errorf("%s: %v", test.body, err)
			continue
		}
		if got := targets(f); !slices.Equal(got, test.want) {
			t.Errorf("%s: the branches go to %d, want %d", test.body, got, test.want)
		}
	}
}

// TestNamesInBlocks: a register or a variable hides the same name of outer blocks, of any kind.
func TestNamesInBlocks(t *testing.T) {
	for body, want := range map[string]string{
		"mov.b32 r,1; { .reg .b64 r; mov.b64 r,1; } mov.b32 r,2;":                               "r:b32 r:b64 r:b32",
		"{ mov.b32 r,1; .reg .b64 r; mov.b64 r,1; }":                                            "r:b32 r:b64",
		".reg .b32 x<4>; mov.b32 x1,1; { .reg .b64 x<2>; mov.b64 x1,1; mov.b32 x2,1; }":         "x1:b32 x1:b64 x2:b32",
		".shared .b32 v; { .reg .b32 v; mov.b32 v,1; } st.shared.b32 [v],1;":                    "v:b32 shared",
		".reg .b32 v; { .shared .b64 v; st.shared.b64 [v],1; } mov.b32 v,1;":                    "shared v:b32",
		"{ .reg .b32 p; mov.b32 p,1; } ld.param.b64 d,[p];":                                     "p:b32 d:b64",
		"L: { .reg .b32 L; mov.b32 L,1; }":                                                      "L:b32",
		".reg .b32 %tid; mov.b32 %tid,1;":                                                       "%tid:b32",
		"{ .param .b32 v; st.param.b32 [v],1; } { .param .b64 v; st.param.b64 [v],1; }":         "param param",
		"{ P: .callprototype _ (); call d, (), P; } { P: .callprototype _ (); call d, (), P; }": "d:b64 d:b64",
	} {
		f, err := within(body)
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		var got []string
		for _, in := range f.Instrs[:len(f.Instrs)-1] {
			switch o := in.Ops[0]; {
			case o.Kind == kernel.Reg:
				got = append(got, o.Name+":"+o.Register.Type)
			case o.List[0].Variable != nil:
				got = append(got,
					map[isa.Space]string{isa.Shared: "shared", isa.Param: "param"}[o.List[0].Variable.Space])
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", body, got, want)
		}
	}
}

// TestWrongNames: ptxas rejects these, too.
func TestWrongNames(t *testing.T) {
	for body, want := range map[string]string{
		"bra L; { L: mov.b32 r,1; }":                      "7:5: the label L is not known here",
		"{ L: mov.b32 r,1; } bra L;":                      "7:25: the label L is not known here",
		"{ L: mov.b32 r,1; } { bra L; }":                  "7:27: the label L is not known here",
		"T: .branchtargets A; { A: brx.idx r,T; }":        "7:19: the label A is not known here",
		"L: mov.b32 r,1; L: mov.b32 r,2;":                 "7:17: label L is defined twice in k",
		".reg .b32 L; L: @q bra L;":                       "7:14: L is declared twice in one block, first as a register",
		".reg .b32 x; .reg .b64 x;":                       "7:24: x is declared twice in one block, first as a register",
		".reg .b32 x<4>; .reg .b32 x1;":                   "7:27: x1 is declared twice in one block, first as a register",
		".shared .b32 v; .shared .b32 v;":                 "7:30: v is declared twice in one block, first as a variable",
		"L: mov.b32 r,1; .reg .b32 L;":                    "7:27: L is declared twice in one block, first as a label",
		".reg .b32 WARP_SZ;":                              "7:11: WARP_SZ is a name of PTX",
		"WARP_SZ: ret;":                                   "7:1: WARP_SZ is a name of PTX",
		"mov.b32 r, WARP_SIZE;":                           "did you mean WARP_SZ?",
		"mov.b32 r, %envreg32;":                           "register %envreg32 is not declared",
		"mov.b32 r, %pm8;":                                "register %pm8 is not declared",
		"mov.b32 r, %laneid.x;":                           "register %laneid.x is not declared",
		"mov.b32 r, %tid.q;":                              "register %tid.q is not declared",
		"mov.b32 r, %lanid;":                              "did you mean %laneid?",
		"mov.b32 r, 1/0;":                                 "7:12: this constant divides by 0",
		"mov.b32 r, " + strings.Repeat("(", 1000) + "1;":  "more than 200 brackets within each other",
		"mov.b32 r, " + strings.Repeat("- ", 1000) + "1;": "more than 200 brackets within each other",
		"mov.b32 r, (1;":                                  `expected ")" after an expression`,
	} {
		if _, err := within(body); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", body, err, want)
		}
	}
}

// TestPredeclared reads every identifier that PTX ISA 9.5 predefines ("Special Registers",
// "Predefined Constants").
func TestPredeclared(t *testing.T) {
	names := strings.Fields(
		`%laneid %warpid %nwarpid %smid %nsmid %gridid %is_explicit_cluster %cluster_ctarank %cluster_nctarank
			%lanemask_eq %lanemask_le %lanemask_lt %lanemask_ge %lanemask_gt %clock %clock_hi %clock64 %pm0 %pm7
			%pm0_64 %pm7_64 %envreg0 %envreg31 %globaltimer %globaltimer_lo %globaltimer_hi
			%reserved_smem_offset_begin %reserved_smem_offset_end %reserved_smem_offset_cap %reserved_smem_offset_0
			%reserved_smem_offset_1 %total_smem_size %aggr_smem_size %dynamic_smem_size %current_graph_exec WARP_SZ`)
	for _, name := range []string{
		"tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid", "cluster_ctaid",
		"cluster_nctaid",
	} {
		for _, component := range []string{"", ".x", ".y", ".z", ".w"} {
			names = append(names, "%"+name+component)
		}
	}
	for _, name := range names {
		f, err := within("mov.u32 r, " + name + ";")
		if err != nil {
			t.Error(err)
			continue
		}
		if o := f.Instrs[0].Ops[1]; (o.Kind == kernel.Special) == (name == "WARP_SZ") ||
			name == "WARP_SZ" && o.Bits != 32 {
			t.Errorf("%s is %+v", name, o)
		}
	}
}

// TestConstants evaluates constant expressions (PTX ISA, "Integer Constant Expression Evaluation").
func TestConstants(t *testing.T) {
	for text, want := range map[string]int64{
		"WARP_SZ": 32, "-WARP_SZ": -32, "WARP_SZ+1": 33, "(WARP_SZ-1)": 31, "WARP_SZ*2-1": 63, "~0": -1, "!5": 0,
		"!0": 1, "- -3": 3,
		"1+2*3": 7, "((1+2)*3)<<1": 18, "1<<2+3": 32, "7-2-1": 4, "-7/2": -3, "-7 % 2": -1, "0x10|3": 19, "6&3^1": 3,
		"1||0&&0": 1,
		"5 > 3":   1, "5 <= 3": 0, "3 >= 3": 1, "2 != 2": 0, "2 == 2": 1, "-1 < 0": 1, "-1 < 0U": 0, "-1>>1": -1,
		"-1U>>63": 1, "(.u64)-1>>63": 1,
		"1?2:3": 2, "0?2:0?4:5": 5, "0b101": 5, "017": 15, "0xffffffffffffffff": -1, "7 % 4": 3, "(.s64)4": 4, "+4": 4,
	} {
		f, err := within("mov.b64 d, " + text + ";")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if o := f.Instrs[0].Ops[1]; o.Kind != kernel.Integer || int64(o.Bits) != want {
			t.Errorf("%s is %d, want %d", text, int64(o.Bits), want)
		}
	}
	f, err := within(
		"ld.shared.b32 r,[r+WARP_SZ*4-8]; ld.shared.b32 r,[s+-8]; ld.shared.b32 r,[s - 4 + 1]; .shared .b32 " +
			"v[WARP_SZ]; mov.b32 r, v+2*4; ld.local.b32 r,[8+8];")
	if err != nil {
		t.Fatal(err)
	}
	var offsets []string
	for _, in := range f.Instrs[:5] {
		offsets = append(offsets, in.Ops[1].String())
	}
	if got, want := fmt.Sprint(offsets), "[[r+120] [s-8] [s-3] v+8 [16]]"; got != want || f.Vars[0].Size() != 128 {
		t.Errorf("the addresses are %s, want %s; v has %d bytes", got, want, f.Vars[0].Size())
	}
	m := parse(t,
		".version 9.3\n.target sm_90\n.global .f32 a = 1.5, b = -0f40000000;\n.global .f64 c = -2.0;\n"+
			".global .b32 d[3] = {WARP_SZ, 1+2, -4};\n")
	var all []uint64
	for _, v := range m.Vars {
		for _, i := range v.Init {
			all = append(all, i.Bits)
		}
	}
	if want := []uint64{0x3fc00000, 0xc0000000, 0xc000000000000000, 32, 3, 0xfffffffffffffffc}; !slices.Equal(all,
		want) {
		t.Errorf("the initial values are %#x, want %#x", all, want)
	}
}
