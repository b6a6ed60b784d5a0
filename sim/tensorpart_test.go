package sim_test

import (
	"fmt"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestPartOfATensor: a copy to a tensor from a coordinate on ends where the tensor ends, or where
// its source does (PTX ISA, "cp.async.bulk.tensor": what is out of bounds is not written).
func TestPartOfATensor(t *testing.T) {
	const text = `PTX part
{ shared s[%d]={%s}; g[3]={1,2,3}; after=5; }
 P0@cta 0                                                                  ;
 fence.proxy.async.shared::cta                                             ;
 cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [g, {%d}], [s] ;
 cp.async.bulk.commit_group                                                ;
 cp.async.bulk.wait_group 0                                                ;
locations [g[0]; g[1]; g[2]; after;]
exists (after=5)`
	for elements, values := range map[int]string{2: "7,8", 3: "7,8,9"} {
		for first := range 3 {
			g := []int{1, 2, 3}
			for i := 0; i < elements && first+i < len(g); i++ {
				g[first+i] = 7 + i
			}
			want := fmt.Sprintf("[after]=5; g[0]=%d; g[1]=%d; g[2]=%d;", g[0], g[1], g[2])
			r := simtest.Run(t, simtest.Load(t, fmt.Sprintf(text, elements, values, first), sim.Defaults()), simtest.LoadModel(t, "ptx"))
			if got := simtest.States(r); got != want {
				t.Errorf("%d elements to %d on: %s, want %s", elements, first, got, want)
			}
		}
	}
}
