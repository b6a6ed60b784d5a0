package ptx

import (
	"strings"
	"testing"
)

// TestBlocks: labels, and the registers that a block of inline assembly declares, are known in
// their own { }, as for ptxas.
func TestBlocks(t *testing.T) {
	for code, want := range map[string]string{ // the registers r0, r1 … at the end
		"mov r0,0 ; { L: add.u32 r0,r0,1 ; setp.lt.u32 p,r0,3 ; @p bra L ; } { L: add.u32 r0,r0,4 ; setp.lt.u32 p,r0,9 ; @p bra L ; }":                                "11",
		"mov r0,5 ; { .reg .b32 r0 ; mov r0,7 ; mov r1,r0 ; } mov r2,r0":                                                                                              "5 7 5",
		"{ .reg .b32 r0 ; mov r0,7 ; mov r1,r0 ; } mov r0,5":                                                                                                          "5 7",
		"mov r0,5 ; { .reg .b32 t ; mov t,7 ; { .reg .b32 t ; mov t,8 ; mov r1,t ; } mov r2,t ; }":                                                                    "5 8 7",
		"mov r0,5 ; mov r1,6 ; { .reg .b32 r<2> ; mov r0,7 ; mov r1,8 ; mov r2,r0 ; } mov r3,r1":                                                                      "5 6 7 6",
		"mov r0,0 ; bra L ; mov r0,1 ; L: { bra L ; L: mov r1,2 ; }":                                                                                                  "0 2",
		"mov r0,0 ; { bra L ; L: } mov r1,1 ; bra L ; mov r0,9 ; L: mov r2,2":                                                                                         "0 1 2",
		"mov r0,0 ; { { bra L ; } mov r0,1 ; L: mov r1,2 ; } L: mov r2,3":                                                                                             "0 2 3",
		"mov r0,0 ; { .reg .pred P1 ; W: setp.eq.u32 P1,r0,0 ; @P1 bra D ; bra W ; D: } { .reg .pred P1 ; W: setp.eq.u32 P1,r0,0 ; @P1 bra D ; bra W ; D: } mov r1,1": "0 1",
		"mov r0,0 ; } { mov r1,1":          "0 1",
		"mov r0, %tid.w ; mov r1, WARP_SZ": "0 32",
		"mov r0,1 ; { .reg .b32 r0 ; mov r0,7 ; st.weak [x],r0 ; } ld.weak r1,[x]": "1",
	} {
		rows := strings.ReplaceAll(code, "} ", "} ;\n ") // a cell holds one instruction
		if got := finalsOf(t, "PTX test\n{ x=0; }\n P0 ;\n "+rows+" ;\nforall (true)")[0]; !strings.HasPrefix(got, want) {
			t.Errorf("%s: the registers are %s, want %s", code, got, want)
		}
	}
	for code, want := range map[string]string{
		"bra L ; { L: mov r0,1 ; }":       "unknown label L",
		"{ L: mov r0,1 ; } { bra L ; }":   "unknown label L",
		"L: mov r0,1 ; L: mov r0,2":       "label L is defined twice in P0",
		"{ L: mov r0,1 ; L: mov r0,2 ; }": "label L is defined twice in P0",
		"mov r0, %reserved_smem_offset_1": "shared memory that the system reserves is no location of a test",
		"mov r0, %envreg3":                "it is a special register of PTX that litmus tests do not have",
		"mov r0, %dynamic_smem_size":      "no test says how much shared memory its launch has",
		"mov r0, %clock64":                "muster does not simulate time",
	} {
		_, err := newAsync("PTX test\n{ x=0; }\n P0 ;\n " + strings.ReplaceAll(code, "} ", "} ;\n ") + " ;\nforall (true)")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", code, err, want)
		}
	}
}
