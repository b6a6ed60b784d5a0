package clike

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/language/unwind"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// drawTurns draws a program of two to four threads, of one or two CTAs, that meet at barriers of all kinds, on paths of some length.
func drawTurns(t *rapid.T) string {
	steps := []string{
		"__syncthreads();", "__syncthreads();", "__syncthreads();", "r1 = __syncthreads_count(*x == 0);", "r1 = __syncthreads_and(r0 == 0);",
		"b->arrive_and_wait();", "c->arrive_and_wait();", "(void)c->arrive();", "if (*x == 1) { __syncthreads(); }", "if (r0 == 1) { b->arrive_and_wait(); }",
	}
	var text strings.Builder
	text.WriteString("CUDA turns\n{ x=0; b=2; c=3; }\n")
	threads := rapid.IntRange(2, 4).Draw(t, "threads")
	for i := range threads {
		text.WriteString("P" + string(rune('0'+i)) + "@cta " + rapid.SampledFrom([]string{"0", "0", "1"}).Draw(t, "cta") + ",gpu 0")
		text.WriteString(" (int* x, cuda::barrier<cuda::thread_scope_device>* b, cuda::barrier<cuda::thread_scope_device>* c) { int r0 = *x; int r1 = 0;")
		for range rapid.IntRange(0, 6-threads).Draw(t, "length") {
			text.WriteString(" " + rapid.SampledFrom(steps).Draw(t, "step"))
		}
		text.WriteString(" *x = 1; }\n")
	}
	return text.String() + "exists (x=1)\n"
}

// TestTurns: what is told from turns at barriers leaves out no combination of paths whose threads can meet.
func TestTurns(t *testing.T) {
	programs, possible, left := 0, 0, 0
	rapid.Check(t, func(r *rapid.T) {
		text := drawTurns(r)
		test, err := litmus.Parse(src.NewFile("test.litmus", text), Frontend().Formats)
		if err != nil {
			r.Fatalf("%v\n%s", err, text)
		}
		p, err := New(test, frontend.Options{Unroll: 1})
		if err != nil {
			r.Fatalf("%v\n%s", err, text)
		}
		if p.Combinations() > 20_000 {
			return
		}
		programs++
		kept := map[int]bool{}
		unwind.Combine(p.paths, p.meeting(t.Context()).Possible(p.paths), func(number int, _ []*path) bool {
			kept[number] = true
			return true
		})
		unwind.Combine(p.paths, nil, func(number int, paths []*path) bool {
			if p.structure(paths) == nil {
				return true
			}
			if possible++; !kept[number] {
				r.Fatalf("combination %d is left out\n%s", number, text)
			}
			return true
		})
		left += p.Combinations() - len(kept)
	})
	if t.Logf("%d programs, %d combinations in which threads meet, %d left out", programs, possible, left); left == 0 || possible == 0 {
		t.Error("nothing was compared")
	}
}
