package ptx

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/event"
)

// endings returns the ways in which a program can end, by what r0 of each thread holds: "1 1" or,
// of threads that never end, "stuck".
func endings(t *testing.T, p *Program) []string {
	var all []string
	for s := range p.Structures(t.Context()) {
		var words []string
		for t := range s.Threads {
			x, _ := s.Held(event.Reg{Thread: t, Name: "r0"})
			if c, ok := x.(event.Const); ok {
				words = append(words, fmt.Sprint(event.Value(c).Int))
			}
		}
		if s.Stuck {
			words = []string{"stuck"}
		}
		all = append(all, strings.Join(words, " "))
	}
	slices.Sort(all)
	return all
}

// TestReductions: a barrier that reduces gives all its threads how many of their predicates
// hold, or whether all do, or one does.
func TestReductions(t *testing.T) {
	for _, tt := range []struct {
		name    string
		init    string
		columns []string
		want    []string
	}{
		{"a count", "0:.reg .pred p; P0:p=1;", []string{"bar.red.popc.u32 r0, 1, p", "bar.red.popc.u32 r0, 1, 1", "bar.red.popc.u32 r0, 1, 0"}, []string{"2 2 2"}},
		{"all of them", "", []string{"bar.red.and.pred r0, 0, 1", "bar.red.and.pred r0, 0, 1"}, []string{"1 1"}},
		{"not all of them", "", []string{"bar.red.and.pred r0, 0, 1", "bar.red.and.pred r0, 0, 0"}, []string{"0 0"}},
		{"one of them", "P1:q=1;", []string{"bar.red.or.pred r0, 0, 0", "barrier.red.or.pred r0, 0, !q", "bar.red.or.pred r0, 0, 7"}, []string{"1 1 1"}},
		{"those that a round counts", "", []string{
			"bar.red.popc.u32 r0, 0, 64, 1", "bar.red.popc.u32 r0, 0, 64, 0\nbar.red.popc.u32 r0, 0, 64, 0", "bar.red.popc.u32 r0, 0, 64, 1",
		}, []string{"1 1 1"}},
		{"a thread that never comes", "", []string{"bar.red.popc.u32 r0, 0, 64, 1"}, []string{"stuck"}},
		{"another barrier", "", []string{"bar.red.or.pred r0, 0, 64, 1", "bar.sync 0, 64"}, []string{"stuck"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := slices.Compact(endings(t, scoped(t, tt.init, tt.columns...)))
			if len(got) > 1 { // a thread may wait for ever if others never come
				got = slices.DeleteFunc(got, func(s string) bool { return s == "stuck" })
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestVotesOfReads: a predicate that memory decides votes either way, and the result follows.
func TestVotesOfReads(t *testing.T) {
	p := scoped(t, "x=0;", "ld.weak r1, x\nbar.red.popc.u32 r0, 0, r1", "bar.red.popc.u32 r0, 0, 1")
	var got []string
	for s := range p.Structures(t.Context()) {
		if !s.Stuck {
			first, _ := s.Held(event.Reg{Thread: 0, Name: "r0"})
			second, _ := s.Held(event.Reg{Thread: 1, Name: "r0"})
			got = append(got, fmt.Sprint(s.Conds[0].Want, first, second))
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"false 1 1", "true 2 2"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestWarpBarriers: bar.warp.sync meets the lanes of its mask, turn by turn.
func TestWarpBarriers(t *testing.T) {
	warp := func(code string, tree string) []string {
		return syncs(load(t, "PTX test\n{}\nP0 | P1 | P2 ;\n"+code+" ;\n"+tree+"\nforall (true)"))
	}
	const one, apart = "(cta (warp P0 P1 P2))", "(cta (warp P0) (warp P1) (warp P2))"
	for _, tt := range []struct {
		code, tree string
		want       []string
	}{
		{"bar.warp.sync 0xffffffff | bar.warp.sync -1 | ", one, nil},
		{"bar.warp.sync 3 | bar.warp.sync 3 | ", one, []string{"b1>b2 b2>b1"}},
		{"bar.warp.sync 0xffffffff | bar.warp.sync -1 | bar.warp.sync 7", one, []string{"b1>b2 b1>b3 b2>b1 b2>b3 b3>b1 b3>b2"}},
		{"bar.warp.sync 0xffffffff | bar.warp.sync 0xffffffff | ", apart, []string{""}},
	} {
		var got []string
		for _, s := range warp(tt.code, tt.tree) {
			if !strings.Contains(s, "stuck") {
				got = append(got, s)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s %s: %s", tt.code, tt.tree, diff)
		}
	}
}
