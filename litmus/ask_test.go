package litmus

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/src"
)

// TestAsking: another question to a test, as a proposition or as logs print states.
func TestAsking(t *testing.T) {
	const text = `PTX asked
{ x=0; a[2]; }
 P0@cta 0,gpu 0 | P2@cta 1,gpu 0 ;
 ld r0, x  | st x, 1   ;
 ld r1, a  | st a, 1   ;
exists (P0:r0=1)`
	test, err := Parse(src.NewFile("asked.litmus", text), formats)
	if err != nil {
		t.Fatal(err)
	}
	for state, want := range map[string]string{
		"0:r0=1":                  "exists (0:r0=1)",
		"0:r0=1; 2:r1=1; [x]=1;":  `exists (0:r0=1 /\ 2:r1=1 /\ [x]=1)`,
		"0:r0=1;":                 "exists (0:r0=1)",
		`x=1 \/ P2:r1!=2; a[1]=0`: `exists (([x]=1 \/ 2:r1!=2) /\ a[1]=0)`,
		`not (x=1 /\ a[1]=0)`:     `exists (~([x]=1 /\ a[1]=0))`,
		"1:r0=1":                  "!no thread has the number 1",
		"a[2]=1":                  "!a has elements 0 to 1",
		"":                        "!expected a register",
		"x=1 )":                   `!expected /\, \/, => or ;`,
		"x=1;;":                   "!expected a register",
	} {
		asked, err := test.Asking(src.NewFile("--state", state))
		problem, bad := strings.CutPrefix(want, "!")
		switch {
		case bad:
			if err == nil || !strings.Contains(err.Error(), problem) {
				t.Errorf("%q: %v, want %s", state, err, problem)
			}
		case err != nil:
			t.Errorf("%q: %v", state, err)
		case asked.Cond.String() != want || len(asked.Observed) != 1:
			t.Errorf("%q: %s, want %s", state, asked.Cond, want)
		}
	}
	if got := test.Cond.String(); got != "exists (0:r0=1)" {
		t.Errorf("the test itself asks now: %s", got)
	}
}
