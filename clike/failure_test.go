package clike

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/frontend/path"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// TestOrderOfFailure: a compare-exchange that fails reads by the order that it is given, without
// what releases.
func TestOrderOfFailure(t *testing.T) {
	for name, want := range map[string]event.Order{
		"relaxed": event.Relaxed, "release": event.Relaxed, "acquire": event.Acquire, "acq_rel": event.Acquire, "seq_cst": event.SC,
	} {
		test, err := litmus.Parse(src.NewFile("test.litmus", `C failure
{ x=0; }
P0 (atomic_int* x) { int r = 0; atomic_compare_exchange_strong_explicit(x, &r, 1, memory_order_acq_rel, memory_order_`+name+`); }
exists (x=1)`), Frontend().Formats)
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(test, frontend.Options{})
		if err != nil {
			t.Fatal(err)
		}
		fails := slices.ContainsFunc(p.Paths[0], func(path *path.Path) bool {
			return len(path.Events) == 1 && path.Events[0].Kind == event.Read && path.Events[0].Order == want
		})
		if !fails {
			t.Errorf("by memory_order_%s no path reads %v and writes nothing", name, want)
		}
	}
}
