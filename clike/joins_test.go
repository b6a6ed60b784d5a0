package clike

import (
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// TestWhereWaysJoin: a store depends on the reads that decided whether the thread reaches it, and
// on no others.
func TestWhereWaysJoin(t *testing.T) {
	for _, c := range []struct{ body, ctrl string }{
		{"if (*x) *y = 1; *z = 2;", "x→y"},
		{"if (*x) *y = 1; else *z = 1;", "x→y x→z"},
		{"if (*x) return; *y = 1;", "x→y"},
		{"while (1) { if (*x) break; *y = 1; } *z = 1;", "x→x x→y"},
		{"if (*y) { while (1) { if (*x) break; } } *z = 1;", "x→x y→x"},
		{"if (*x) goto out; *y = 1; out: *z = 1;", "x→y"},
		{"if (*x) goto two; *y = 1; goto out; two: *z = 1; out: *x = 2;", "x→y x→z"},
		{"again: if (*x) goto again; *y = 1;", "x→x"},
		{"again: *y = 1; if (*x) goto again; *z = 1;", "x→x x→y"},
	} {
		text := "C joins\n{}\nP0 (int *x, int *y, int *z) { " + c.body + " }\nexists (x=0)\n"
		test, err := litmus.Parse(src.NewFile("joins", text), Frontend().Formats)
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(test, frontend.Options{Unroll: frontend.DefaultUnroll})
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		var pairs []string
		for s, err := range p.Structures(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			name := func(e int) string { return s.FormatValue(event.Value(s.Events[e].Addr.(event.Const))) }
			for a, b := range s.Ctrl.Pairs() {
				pairs = append(pairs, name(a)+"→"+name(b))
			}
		}
		slices.Sort(pairs)
		if got := strings.Join(slices.Compact(pairs), " "); got != c.ctrl {
			t.Errorf("%s: %s, not %s", c.body, got, c.ctrl)
		}
	}
}
