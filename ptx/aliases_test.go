package ptx_test

import (
	"fmt"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestAliasOfAnAlias: s is the surface of g, which has a virtual address of its own. A store to g
// is one proxy fence away from it. A store to x is at another address: an alias fence comes in
// front of the other fence.
func TestAliasOfAnAlias(t *testing.T) {
	for _, tt := range []struct {
		store, fences string
		want          string // what the load can return
	}{
		{"g", "", "0:r0=0; | 0:r0=1;"},
		{"g", "fence.proxy.surface ;", "0:r0=1;"},
		{"x", "fence.proxy.surface ;", "0:r0=0; | 0:r0=1;"},
		{"x", "fence.proxy.surface ; fence.proxy.alias ;", "0:r0=0; | 0:r0=1;"},
		{"x", "fence.proxy.alias ; fence.proxy.surface ;", "0:r0=1;"},
	} {
		text := fmt.Sprintf(`PTX aliases
{ x=0; g @ generic aliases x; s @ surface aliases g; }
P0 ;
st.weak %s, 1 ; %s suld.weak r0, s ;
locations [0:r0]
forall (true)`, tt.store, tt.fences)
		for _, model := range []string{"ptx", "ptx-7.5"} {
			if got := simtest.States(simtest.Run(t, simtest.Load(t, text, sim.Defaults()), simtest.LoadModel(t, model))); got != tt.want {
				t.Errorf("%s, store to %s, %q: %s, want %s", model, tt.store, tt.fences, got, tt.want)
			}
		}
	}
}
