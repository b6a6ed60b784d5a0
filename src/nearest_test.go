package src_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/src"
)

func TestNearest(t *testing.T) {
	names := []string{
		"acyclic", "addr", "co", "fr", "membar.cta", "membar.gl", "membar.sys", "po", "po-loc", "rf", "rfe", "W",
	}
	tests := []struct{ name, in, want string }{
		{"letter missing", "acycic", "acyclic"},
		{"letter too many", "po-locc", "po-loc"},
		{"letter wrong", "po-lac", "po-loc"},
		{"neighbours swapped", "acylcic", "acyclic"},
		{"a swap counts once", "adrd", "addr"},
		{"case", "ACYCLIC", "acyclic"},
		{"case of a short name", "RF", "rf"},
		{"case of a single letter", "w", "W"},
		{"nearest of several", "membar.gll", "membar.gl"},
		{"the first of those as near", "membar.xl", "membar.gl"},
		{"a third of the letters", "mambur.cto", "membar.cta"},
		{"more than a third", "mambur.zto", ""},
		{"one of two letters", "cp", "co"},
		{"two letters swapped", "op", "po"},
		{"both of two letters", "xy", ""},
		{"a single letter", "V", ""},
		{"nothing near", "happens-before", ""},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := src.Nearest(tt.in, names); got != tt.want {
				t.Errorf("Nearest(%q) is %q, want %q", tt.in, got, tt.want)
			}
			want := ""
			if tt.want != "" {
				want = "did you mean " + tt.want + "?"
			}
			if got := src.DidYouMean(tt.in, names); got != want {
				t.Errorf("DidYouMean(%q) is %q, want %q", tt.in, got, want)
			}
		})
	}
	if got := src.Nearest("acyclic", nil); got != "" {
		t.Errorf("nearest of nothing is %q", got)
	}
}

func TestNearestOfSeveral(t *testing.T) {
	tests := []struct {
		name  string
		in    string
		among []string
		want  string
	}{
		{"the first of equals", "fence.x", []string{"fence.a", "fence.b"}, "fence.a"},
		{"its own case before another", "Rfx", []string{"rfe", "RFE", "Rfe"}, "Rfe"},
		{"never the name itself", "fence.a", []string{"fence.a"}, ""},
		{"but another beside it", "fence.a", []string{"fence.a", "fence.b"}, "fence.b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := src.Nearest(tt.in, tt.among); got != tt.want {
				t.Errorf("Nearest(%q) among %q is %q, want %q", tt.in, tt.among, got, tt.want)
			}
		})
	}
}

// TestNearestOfNoise hangs if the time is proportional to the product of the lengths.
func TestNearestOfNoise(t *testing.T) {
	noise := strings.Repeat("x", 500_000)
	if got := src.Nearest(noise+"y", []string{noise + "z", "rf"}); got != "" && got != noise+"z" {
		t.Errorf("got a name of %d letters", len(got))
	}
}
