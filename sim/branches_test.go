package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestBranchesOnOneRead: whatever a path has assumed of a value by one branch, the next goes both
// ways where both are possible.
func TestBranchesOnOneRead(t *testing.T) {
	const text = `PTX branches
{ x=0; y=0; }
 P0@cta 0,gpu 0           | P1@cta 1,gpu 0       | P2@cta 2,gpu 0       ;
 ld.relaxed.gpu r0,[x]    | st.relaxed.gpu [x],1 | st.relaxed.gpu [x],2 ;
 mov.u32 r1,0             |                      |                      ;
 setp.%s.u32 p,r0,%d      |                      |                      ;
 @p bra A                 |                      |                      ;
 add.u32 r1,r1,1          |                      |                      ;
 A: setp.%s.u32 q,%s      |                      |                      ;
 @q bra B                 |                      |                      ;
 add.u32 r1,r1,2          |                      |                      ;
 B: st.relaxed.gpu [y],r1 |                      |                      ;
locations [0:r0; 0:r1;]
exists (0:r0=0)`
	relations := map[string]func(a, b int) bool{
		"eq": func(a, b int) bool { return a == b }, "ne": func(a, b int) bool { return a != b },
		"lt": func(a, b int) bool { return a < b }, "ge": func(a, b int) bool { return a >= b },
	}
	m := simtest.LoadModel(t, "sc")
	for first, holds := range relations {
		for second, then := range relations {
			for c := range 9 {
				var want []string
				for read := range 3 {
					r1 := 0
					if !holds(read, c/3) {
						r1++
					}
					if !then(read, c%3) {
						r1 += 2
					}
					want = append(want, fmt.Sprintf("0:r0=%d; 0:r1=%d;", read, r1))
				}
				for _, operands := range []string{fmt.Sprintf("r0,%d", c%3), fmt.Sprintf("%d,r0", c%3)} {
					if second != "eq" && second != "ne" && !strings.HasPrefix(operands, "r0") {
						continue // another relation
					}
					r := simtest.Run(t, simtest.Load(t, fmt.Sprintf(text, first, c/3, second, operands), sim.Defaults()), m)
					if got := simtest.States(r); got != strings.Join(want, " | ") {
						t.Errorf("%s %d, then %s of %s: %s, want %s", first, c/3, second, operands, got, strings.Join(want, " | "))
					}
				}
			}
		}
	}
}
