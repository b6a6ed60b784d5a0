package muster_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/muster-gpu/muster"
	"github.com/muster-gpu/muster/src"
)

func Example() {
	ctx := context.Background()
	model, err := muster.Load("ptx-asplos15")
	if err != nil {
		panic(err)
	}
	test, err := muster.Shipped("mp+membar.cta+membar.gl-intra-cta")
	if err != nil {
		panic(err)
	}
	explanation, err := muster.Explain(ctx, test, model)
	if err != nil {
		panic(err)
	}
	fmt.Print(explanation)
	// Output:
	// Test mp+membar.cta+membar.gl-intra-cta, model ptx-asplos15
	// exists (1:r0=1 /\ 1:r2=0)
	//   1:r0=1; 1:r2=0;  forbidden: 1 candidate execution, none consistent
	//     by cta-constraint, models/asplos15-axioms.cat:21: acyclic rmo-cta as cta-constraint
	//       a:W[x]=1 –membar.cta→ b:W[y]=1 –rfe→ c:R[y]=1 –membar.gl→ d:R[x]=0 –fr→ a
}

func ExampleRun() {
	model, err := muster.ParseModel("weak", `"Coherence and nothing else"
acyclic po-loc | rf | co | fr as coherence`)
	if err != nil {
		panic(err)
	}
	test, err := muster.Parse("mp.litmus", `PTX MP
{ x=0; y=0; }
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0      ;
 st.weak x, 1   | ld.relaxed.gpu r0, y ;
 st.release.gpu y, 1 | ld.weak r1, x   ;
exists (1:r0=1 /\ 1:r1=0)
`)
	if err != nil {
		panic(err)
	}
	result, err := muster.Run(context.Background(), test, model)
	if err != nil {
		panic(err)
	}
	fmt.Println(test.Name(), test.Condition(), result.Outcome)
	for _, state := range result.States {
		fmt.Println(state.Values, state.Satisfies)
	}
	// Output:
	// MP exists (1:r0=1 /\ 1:r1=0) allowed
	// map[1:r0:0 1:r1:0] false
	// map[1:r0:0 1:r1:1] false
	// map[1:r0:1 1:r1:0] true
	// map[1:r0:1 1:r1:1] false
}

func ExampleCompare() {
	test, err := muster.Shipped("sb-inter-cta")
	if err != nil {
		panic(err)
	}
	sc, err := muster.Load("sc")
	if err != nil {
		panic(err)
	}
	tso, err := muster.Load("tso")
	if err != nil {
		panic(err)
	}
	all, err := muster.Compare(context.Background(), test, sc, tso)
	if err != nil {
		panic(err)
	}
	for _, r := range all.Results {
		fmt.Println(r.Model, r.Outcome)
	}
	fmt.Println("differ:", all.Differ)
	// Output:
	// sc forbidden
	// tso allowed
	// differ: true
}

func ExampleDraw() {
	test, err := muster.Shipped("sb-inter-cta")
	if err != nil {
		panic(err)
	}
	model, err := muster.Load("tso")
	if err != nil {
		panic(err)
	}
	if err := muster.Draw(context.Background(), os.Stdout, "txt", test, model); err != nil {
		panic(err)
	}
	// Output:
	// sb-inter-cta
	// 0:r2=0; 1:r2=0; allowed by tso
	//
	// ╭─ grid ─────────────────────╮
	// ╭─ CTA 0 ───╮    ╭─ CTA 1 ───╮
	// T0               T1
	// a: W.cg [x]=1    c: W.cg [y]=1
	// │                │
	// b: R.cg [y]=0    d: R.cg [x]=0
	//
	// rf  init[x]→d  init[y]→b
	// fr  b→c  d→a
}

func ExampleModels() {
	for _, m := range muster.Models() {
		if strings.HasPrefix(m.Name, "rc11") {
			fmt.Println(m.Name)
		}
	}
	// Output:
	// rc11
	// rc11-scoped
}

func ExampleOpen() {
	test, err := muster.Open("litmus-tests/asplos15/sb-inter-cta.litmus")
	if err != nil {
		panic(err)
	}
	again, err := muster.Parse("again", test.String())
	if err != nil {
		panic(err)
	}
	model, err := muster.Load("sc")
	if err != nil {
		panic(err)
	}
	result, err := muster.Run(context.Background(), again, model)
	if err != nil {
		panic(err)
	}
	fmt.Println(model.Info().Name)
	fmt.Println(strings.Split(result.String(), "\n")[0])
	// Output:
	// sc
	// Test sb-inter-cta Allowed
}

// Errors in a text have a position.
func ExampleParse_errors() {
	_, err := muster.Parse("mine.litmus", strings.Join([]string{
		"PTX mine", "{ x=0; }", " P0 ;", " ld.weka r0, x ;", "exists (0:r0=1)", "",
	}, "\n"))
	var wrong src.Diagnostics
	if errors.As(err, &wrong) {
		fmt.Println(wrong[0].Header())
	}
	// Output:
	// mine.litmus:4:4: unknown modifier .weka of ld
}
