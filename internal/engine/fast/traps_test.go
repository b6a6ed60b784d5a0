package fast_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestEnginesOnTraps compares the engines on models and tests that are easy to get wrong:
// several choices, coherence that is not the last of them or relates several locations, checks
// that may pass again, structures that are stuck and something else besides.
func TestEnginesOnTraps(t *testing.T) {
	models := map[string]string{
		"a check on two choices, passing again": `
			let ww = (W * W) & ext & loc \ (IW * W) \ (W * IW)
			with s from completions(po, po)
			empty (ww & (s | ww)) \ (co | co^-1) as agree`,
		"a check on rf and co, passing again": `
			with s from linearisations(F, po & (F * F))
			empty ([R] & (rf^-1; co; co^-1; rf)) \ (rf^-1; rf) as y
			empty ([R] & (rf^-1; co; co^-1; rf)) \ (rf^-1; rf) as z`,
		"a choice after coherence": `
			acyclic po-loc | rf | co | fr as c
			with s from completions(W * W, po & (W * W))
			acyclic s | co as agree`,
		"an order of everything": `
			acyclic po-loc | rf | co | fr as c
			with s from completions(W * W, po & (W * W))`,
		"coherence of all locations": `
			with co from completions(W * W, co0)
			let fr = rf^-1; co
			acyclic po-loc | rf | co | fr as c`,
		"coherence chosen twice": `
			with co from completions(loc & (W * W), co0)
			with co from completions(loc & (W * W), co0)
			acyclic po-loc | rf | co | rf^-1; co as c`,
		"coherence never chosen": `
			procedure p() = with co from completions(loc & (W * W), co0) end
			acyclic po | rf as c`,
		"a choice in a procedure": `
			procedure p(r) = with s from completions(r, po & r)
				acyclic s | co as order
			end
			call p(loc & (W * W)) as first
			call p(loc & (W * W)) as second`,
		"partial coherence that needs rf": `
			with co from partial-orders(loc & (W * W), co0)
			empty co \ (domain(rf) * W) as seen`,
		"a tag added to a set that has it": `
			enum Tags = 'cta || 'gl
			let r = match 'gl ++ {'cta, 'gl} with
				|| {} -> 0
				|| t ++ rest -> (match t with || 'cta -> po || _ -> co end)
			end
			acyclic r | rf | fr as c`,
		"coherence alone": `acyclic co as c`,
	}
	tests := []string{
		`PTX writes
{ x=0; y=0; }
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 2,gpu 0 ;
 st.weak x, 1   | st.weak x, 2   | st.weak y, 3   ;
locations [x; y]
exists (x=1)`,
		`PTX reads
{ x=0; y=0; }
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 2,gpu 0 ;
 st.weak x, 1   | st.weak x, 2   | ld.weak r0, x  ;
 ld.weak r0, y  | st.weak y, 1   | ld.weak r1, x  ;
                |                | ld.weak r2, y  ;
locations [x; y; P2:r0; P2:r1; P2:r2]
exists (x=1)`,
		`PTX two-stores
{ x=0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 st.relaxed.gpu x, 1  | ld.relaxed.gpu r0, x ;
 st.relaxed.gpu x, 2  | ld.relaxed.gpu r1, x ;
 ld.relaxed.gpu r0, x |                      ;
locations [x; P0:r0; P1:r0; P1:r1]
exists (x=1)`,
		`PTX spin-and-thin-air
{ x=0; y=0; f=0; g=0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       | P2@cta 2,gpu 0          | P3@cta 3,gpu 0       ;
 ld.relaxed.gpu r2, g | ld.relaxed.gpu r1, y | L: ld.relaxed.gpu r1, f | st.relaxed.gpu g, 1  ;
 beq r2, 0, S         | st.relaxed.gpu x, r1 | beq r1, 0, L            |                      ;
 ld.relaxed.gpu r1, x |                      |                         |                      ;
 st.relaxed.gpu y, r1 |                      |                         |                      ;
 S:                   |                      |                         |                      ;
exists (P0:r1=1)`,
		`PTX spin-and-loop
{ x=0; f=0; g=0; }
 P0@cta 0,gpu 0                  | P1@cta 2,gpu 0          | P2@cta 3,gpu 0      ;
 ld.relaxed.gpu r2, g            | L: ld.relaxed.gpu r1, f | st.relaxed.gpu g, 1 ;
 beq r2, 0, S                    | beq r1, 0, L            |                     ;
 M: atom.relaxed.gpu.add r3, x, 1 |                        |                     ;
 beq r3, r3, M                   |                         |                     ;
 S:                              |                         |                     ;
exists (x=1)`,
		`PTX spin-and-nonsense
{ x=0; f=0; g=0; }
 P0@cta 0,gpu 0       | P1@cta 2,gpu 0          | P2@cta 3,gpu 0      ;
 ld.relaxed.gpu r2, g | L: ld.relaxed.gpu r1, f | st.relaxed.gpu g, 1 ;
 beq r2, 0, S         | beq r1, 0, L            |                     ;
 div r3, r2, 0        |                         |                     ;
 st.relaxed.gpu x, r3 |                         |                     ;
 S:                   |                         |                     ;
exists (x=1)`,
	}
	for name, text := range models {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			m := simtest.NewModel(t, "\""+name+"\""+text)
			for _, test := range tests {
				simtest.CompareEngines(t, test, sim.Defaults(), name, m)
			}
		})
	}
}
