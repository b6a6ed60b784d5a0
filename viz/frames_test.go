package viz

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/event"
)

// nested prints frames as label(threads or frames).
func nested(fs []*frame, order []int) string {
	var parts []string
	for _, f := range fs {
		inner := nested(f.kids, order)
		if f.kids == nil {
			var threads []string
			for _, t := range order[f.first : f.last+1] {
				threads = append(threads, fmt.Sprint(t))
			}
			inner = strings.Join(threads, " ")
		}
		parts = append(parts, fmt.Sprintf("%s(%s)", f.label, inner))
	}
	return strings.Join(parts, " ")
}

func TestLightFrames(t *testing.T) {
	threads := []event.Thread{
		at(0, 0, 0, 0, 0), at(0, 0, 0, 0, 0), at(0, 0, 0, 0, 1), at(0, 0, 0, 1, 2),
		at(0, 0, 0, 2, 3), at(0, 0, 0, 2, 3),
	}
	var light []string
	eachFrame(framesOf(threads, columnOrder(threads), gpu), func(f *frame) {
		if f.light {
			light = append(light, f.label)
		}
	})
	if want := []string{"warp 0"}; !slices.Equal(light, want) {
		t.Errorf("light frames: %q, want %q", light, want)
	}
}

func TestFrames(t *testing.T) {
	for _, c := range []struct {
		name    string
		threads []event.Thread
		want    string
	}{
		{"one thread", []event.Thread{at(0, 0, 0, 0, 0)}, "grid · CTA(0)"},
		{"one CTA", []event.Thread{at(0, 0, 0, 0, 0), at(0, 0, 0, 0, 1)}, "grid · CTA(0 1)"},
		{"one warp", []event.Thread{at(0, 0, 0, 0, 0), at(0, 0, 0, 0, 0)}, "grid · CTA · warp(0 1)"},
		{"two CTAs", []event.Thread{at(0, 0, 0, 0, 0), at(0, 0, 0, 1, 1)}, "grid(CTA 0(0) CTA 1(1))"},
		{
			"a warp of two, a warp of one",
			[]event.Thread{at(0, 0, 0, 0, 0), at(0, 0, 0, 0, 0), at(0, 0, 0, 0, 1)},
			"grid · CTA(warp 0(0 1))",
		},
		{
			"a warp of two fills its CTA",
			[]event.Thread{at(0, 0, 0, 0, 0), at(0, 0, 0, 0, 0), at(0, 0, 0, 1, 1)},
			"grid(CTA 0 · warp 0(0 1) CTA 1(2))",
		},
		{
			"two devices",
			[]event.Thread{at(0, 0, 0, 0, 0), at(1, 1, 1, 1, 1)},
			"device 0 · grid 0 · CTA 0(0) device 1 · grid 1 · CTA 1(1)",
		},
		{
			"two grids on one device",
			[]event.Thread{at(0, 0, 0, 0, 0), at(0, 1, 1, 1, 1), at(0, 1, 1, 2, 2)},
			"grid 0 · CTA 0(0) grid 1(CTA 1(1) CTA 2(2))",
		},
		{
			"clusters of several CTAs",
			[]event.Thread{at(0, 0, 0, 0, 0), at(0, 0, 0, 1, 1), at(0, 0, 1, 2, 2)},
			"grid(cluster 0(CTA 0(0) CTA 1(1)) cluster 1 · CTA 2(2))",
		},
		{
			"clusters of a CTA each say nothing",
			[]event.Thread{at(0, 0, 0, 0, 0), at(0, 0, 1, 1, 1)},
			"grid(CTA 0(0) CTA 1(1))",
		},
		{
			"threads of a CTA that are apart come together",
			[]event.Thread{at(0, 0, 0, 7, 0), at(0, 0, 0, 3, 1), at(0, 0, 0, 7, 2), at(0, 0, 0, 3, 3)},
			"grid(CTA 7(0 2) CTA 3(1 3))",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			order := columnOrder(c.threads)
			if got := nested(framesOf(c.threads, order, gpu), order); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}
