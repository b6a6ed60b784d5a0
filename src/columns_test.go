package src_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/src"
)

func TestColumns(t *testing.T) {
	rows := [][]string{{"test", "verdict", "n"}, {"a heading that is long"}, {"SB", "–", "12"}, {"MP+é", "allowed", ""}}
	want := []string{"test  verdict   n", "a heading that is long", "SB    –        12", "MP+é  allowed"}
	if got := src.Columns(rows, "  ", 2); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := src.Columns(nil, " "); len(got) != 0 {
		t.Errorf("no rows give %q", got)
	}
}

func TestBoxed(t *testing.T) {
	for want, rows := range map[string][][]string{
		"[P0   | P1]\n[ld x |   ]\n": {{"P0", "P1"}, {"ld x", ""}},
		"[P0  ]\n[ld x]\n":           {{"P0"}, {"ld x"}},
	} {
		var got strings.Builder
		if src.WriteBoxed(&got, rows, "[", " | ", "]\n"); got.String() != want {
			t.Errorf("%q, want %q", got.String(), want)
		}
	}
}
