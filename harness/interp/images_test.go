package interp_test

import (
	"testing"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/interp"
)

// TestImages: each instance has its own element of a texture and its own word of a surface, with
// their initial values; an object that is not an image is an error.
func TestImages(t *testing.T) {
	plan := planOf(t, parse(t, "images", `PTX images
{ a[2]={1,2}; x=3; y=0; t @ texture aliases a; s @ surface aliases x; }
 P0@cta 0,gpu 0     | P1@cta 1,gpu 0 ;
 tld.weak r1,t[1]   | st.weak y,1    ;
 suld.weak r2,s     | tld.weak r1,t  ;
 add.u32 r3,r2,1    | ;
 sust.weak s,r3     | ;
 suld.weak r4,s     | ;
exists (P0:r1=2 /\ P0:r2=3 /\ P0:r4=4 /\ P1:r1=1)
`), harness.SM70)
	if plan == nil {
		t.Fatal("it cannot be run")
	}
	for _, m := range []*interp.Machine{interp.New(1), interp.NewWeak(1)} {
		h, err := plan.Run(t.Context(), m, small(), 1, 500)
		if err != nil {
			t.Fatal(err)
		}
		if len(h.States) != 1 || h.States[0].State.Format(h.Refs) != "0:r1=2; 0:r2=3; 0:r4=4; 1:r1=1;" {
			t.Errorf("states %v", h.States)
		}
		if n := m.Live(); n > 0 {
			t.Errorf("%d allocations are left", n)
		}
		if _, err := m.Texture(1); err == nil || m.EndImage(1) == nil {
			t.Error("there is an image of nothing")
		}
	}
}
