package sim_test

import (
	"context"
	"fmt"

	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// A model of one's own derives happens-before, and names it in a show statement. The example prints
// it for an execution that the model allows.
func ExampleTest_Run_derivedRelation() {
	test, err := sim.Load(src.NewFile("mp.litmus", `PTX MP
{ x=0; y=0; }
 P0@cta 0,gpu 0         | P1@cta 1,gpu 0          ;
 st.weak x, 1           | ld.acquire.gpu r0, y    ;
 st.release.gpu y, 1    | ld.weak r1, x           ;
exists (1:r0=1 /\ 1:r1=1)
`), sim.Defaults())
	if err != nil {
		panic(err)
	}
	model, err := models.Load("mine", models.Config{Files: map[string]string{"mine.cat": `"A model of one's own"
let sync = [REL]; rf; [ACQ]
let hb = (po | sync)+
irreflexive hb; (rf | co | fr)? as causality
show sync, hb
`}})
	if err != nil {
		panic(err)
	}
	result, err := test.Run(context.Background(), model.Model)
	if err != nil {
		panic(err)
	}
	for _, state := range result.States {
		if !state.Satisfies {
			continue
		}
		witness := state.Witness()
		shown, err := model.Shows(witness.Execution, witness.Choices)
		if err != nil {
			panic(err)
		}
		for _, s := range shown {
			for a, b := range s.Rel.Pairs() {
				fmt.Printf("%-4s  %s → %s\n", s.Name, witness.Label(a), witness.Label(b))
			}
		}
	}
	// Output:
	// sync  W.release.gpu [y]=1 → R.acquire.gpu [y]=1
	// hb    W [x]=1 → W.release.gpu [y]=1
	// hb    W [x]=1 → R.acquire.gpu [y]=1
	// hb    W [x]=1 → R [x]=1
	// hb    W.release.gpu [y]=1 → R.acquire.gpu [y]=1
	// hb    W.release.gpu [y]=1 → R [x]=1
	// hb    R.acquire.gpu [y]=1 → R [x]=1
}
