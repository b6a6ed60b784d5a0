package ptx

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx/isa"
)

// TestArraysOfReplicas: in each CTA of a cluster, an array of shared memory begins as its
// declaration says, element by element.
func TestArraysOfReplicas(t *testing.T) {
	p, err := newAsync("PTX t\n{ shared m; shared s[4]={5,6,7,8}; g=1; }\nP0@cta 0,cluster 0 | P1@cta 1,cluster 0 ;\nld.shared.u32 r0,[s+8] | ld.shared.u32 r0,[s+4] ;\n" +
		"mbarrier.init.shared::cta.b64 [m], 1 | mbarrier.init.shared::cta.b64 [m], 1 ;\n" +
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [g], 16, [m], 2 | ;\nforall (true)\n")
	if err != nil {
		t.Fatal(err)
	}
	for rank, name := range []string{"s", "s@1"} {
		first, ok := p.Named(name)
		if !ok {
			t.Fatalf("there is no %s", name)
		}
		for i := range 4 {
			l := p.Locs[first+event.Loc(i)]
			if l.Init != event.Int(int64(5+i)) || l.Region != litmus.Shared || l.Home != rank+1 {
				t.Errorf("element %d of %s is %+v", i, name, l)
			}
		}
	}
	for thread, want := range []event.Loc{2, 1} {
		name := []string{"s", "s@1"}[thread]
		first, _ := p.Named(name)
		address, _ := p.Paths[thread][0].Events[0].Addr.(event.Const)
		if l, err := event.Resolve(p.Locs, event.Value(address)); err != nil || l != first+want {
			t.Errorf("P%d reads location %d, %v, want element %d of %s", thread, l, err, want, name)
		}
	}
}

// TestRegistersWithoutBrackets: ld takes a register for a move; others, and ld with a path to
// memory of its own, say what to write.
func TestRegistersWithoutBrackets(t *testing.T) {
	for code, errs := range map[string]bool{
		"ld.u32 r0, r": false, "ld.cg.u32 r0, r": true, "ld.global.nc.u32 r0, r": true, "ld.relaxed.gpu.u32 r0, r": true, "st.u32 r, 1": true,
		"atom.add.u32 r0, r, 1": true, "red.add.u32 r, 1": true,
	} {
		_, err := newAsync(spelt(code))
		if errs != (err != nil) || err != nil && !strings.Contains(err.Error(), "is a register, not a location") {
			t.Errorf("%s: %v, want an error: %v", code, err, errs)
		}
	}
}

// TestNamesOfBarriers: what an error says of a barrier without a number is what its author would
// write.
func TestNamesOfBarriers(t *testing.T) {
	_, err := newAsync(spelt("bar.cta.sync r1"))
	for _, want := range []string{"the instance of bar.cta.sync is a number", "as the name of the barrier: bar.cta.sync 0, r1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestPages: each form of the table does something here, and what does something is a form.
func TestPages(t *testing.T) {
	if diff := cmp.Diff(isa.Forms(), slices.Sorted(maps.Keys(pages()))); diff != "" {
		t.Errorf("forms and pages differ (-forms +pages):\n%s", diff)
	}
}
