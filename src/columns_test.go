package src_test

import (
	"slices"
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
