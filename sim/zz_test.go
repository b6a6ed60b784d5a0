package sim_test

import (
	"context"
	"fmt"
	"pgregory.net/rapid"
	"testing"
)

func TestZZ(t *testing.T) {
	sc := loadModel(t, "sc")
	n, cands, states, lim, loop := 0, 0, 0, 0, 0
	multi := 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		r, err := loadRandom(t, p).Run(context.Background(), sc)
		if err != nil {
			t.Fatal(err)
		}
		if n < 6 {
			fmt.Println(p)
			fmt.Println(r.Stats, len(r.States))
		}
		n++
		cands += r.Stats.Candidates
		states += len(r.States)
		if len(r.States) > 1 {
			multi++
		}
		if r.Limit != nil {
			lim++
		}
		if r.Loop() {
			loop++
		}
	})
	fmt.Println(n, cands, states, "multi", multi, "limit", lim, "loop", loop)
}
