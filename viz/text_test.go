package viz

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCycleText(t *testing.T) {
	s := scenario{code: []string{"W x 1, W y 1", "R y, R x"}, rf: "b c"}
	for cycle, want := range map[string]string{
		"":                     "",
		"a po b, b rfe c":      "a:W[x]=1 –po→ b:W[y]=1 –rfe→ c:R[y]=1",
		"a hb a":               "a:W[x]=1 –hb→ a",
		"a po b, d fr a":       "a:W[x]=1 –po→ b:W[y]=1; d:R[x]=0 –fr→ a:W[x]=1",
		"init co a, d fr init": "init:W[x]=0 –co→ a:W[x]=1; d:R[x]=0 –fr→ init:W[x]=0",
	} {
		s.cycle = cycle
		if got := s.graph(t).cycleText(); got != want {
			t.Errorf("%q:\n got %s\nwant %s", cycle, got, want)
		}
	}
}

// TestTextColumns checks that every event and every thread is at the left end of its column, below
// the frames.
func TestTextColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		var b bytes.Buffer
		if err := g.Text(&b); err != nil {
			t.Fatal(err)
		}
		rows := strings.Split(b.String(), "\n")
		x := -1
		for _, c := range g.columns {
			want := column0(t, rows, g.x.Threads[c.thread].Name, x)
			for _, e := range c.events {
				if got := column0(t, rows, g.label(e), want-1); got != want {
					t.Fatalf("%s is at %d, its thread at %d:\n%s", g.label(e), got, want, &b)
				}
			}
			x = want
		}
	})
}

// column0 returns where s starts, right of x, in the first row that contains it.
func column0(t *rapid.T, rows []string, s string, x int) int {
	for _, row := range rows {
		if i := strings.Index(row, s); i >= 0 {
			if at := utf8.RuneCountInString(row[:i]); at > x {
				return at
			}
		}
	}
	t.Fatalf("%q is nowhere right of %d in\n%s", s, x, strings.Join(rows, "\n"))
	return 0
}
