package draw

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestAsyncIdiomsCut loads every idiom without any two instructions of a thread: the rest may name
// mbarriers that no other instruction names.
func TestAsyncIdiomsCut(t *testing.T) {
	for _, idiom := range asyncIdioms {
		whole := readAsyncIdiom(idiom)
		for cut, thread := range whole.Threads {
			for i := range thread {
				for j := range i {
					if !mayGo(&thread[i]) || !mayGo(&thread[j]) {
						continue
					}
					p := readAsyncIdiom(idiom)
					p.Threads[cut] = slices.Delete(slices.Delete(p.Threads[cut], i, i+1), j, j+1)
					p.Complete(func() int { return 1 })
					if _, err := sim.Load(src.NewFile("cut.litmus", p.String()), sim.Defaults()); err != nil {
						t.Errorf("%v\n%s", err, p)
					}
				}
			}
		}
	}
}
