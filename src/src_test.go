package src_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/src"
)

func TestPos(t *testing.T) {
	tests := []struct {
		name   string
		text   string
		offset int
		want   src.Pos
	}{
		{"empty file", "", 0, src.Pos{Line: 1, Col: 1}},
		{"start", "ab\ncd", 0, src.Pos{Line: 1, Col: 1}},
		{"end of line belongs to its line", "ab\ncd", 2, src.Pos{Line: 1, Col: 3}},
		{"start of a line", "ab\ncd", 3, src.Pos{Line: 2, Col: 1}},
		{"end of file", "ab\ncd", 5, src.Pos{Line: 2, Col: 3}},
		{"after the last newline", "ab\n", 3, src.Pos{Line: 2, Col: 1}},
		{"before the start", "ab\ncd", -7, src.Pos{Line: 1, Col: 1}},
		{"past the end", "ab\ncd", 99, src.Pos{Line: 2, Col: 3}},
		{"a tab is one column", "\ta", 1, src.Pos{Line: 1, Col: 2}},
		{"columns are characters", "∀é x", len("∀é "), src.Pos{Line: 1, Col: 4}},
		{"columns start anew on each line", "∀∀\n∀x", len("∀∀\n∀"), src.Pos{Line: 2, Col: 2}},
		{"invalid UTF-8 counts by byte", "\xff\xfex", 2, src.Pos{Line: 1, Col: 3}},
		{"CRLF", "ab\r\ncd", 4, src.Pos{Line: 2, Col: 1}},
		{"empty lines", "\n\n\nx", 3, src.Pos{Line: 4, Col: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := src.NewFile("f", tt.text).Pos(tt.offset); got != tt.want {
				t.Errorf("Pos(%d) of %q is %v, want %v", tt.offset, tt.text, got, tt.want)
			}
		})
	}
}

func TestLine(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"ab", []string{"ab"}},
		{"ab\n", []string{"ab", ""}},
		{"ab\ncd", []string{"ab", "cd"}},
		{"ab\r\ncd\r\n", []string{"ab", "cd", ""}},
		{"ab\r\ncd\r", []string{"ab", "cd"}},
		{"a\rb\n", []string{"a\rb", ""}},
		{"\n\n", []string{"", "", ""}},
	}
	for _, tt := range tests {
		f := src.NewFile("f", tt.text)
		var got []string
		for n := 1; n <= f.Lines(); n++ {
			got = append(got, f.Line(n))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("lines of %q (-want +got):\n%s", tt.text, diff)
		}
		if before, after := f.Line(0), f.Line(f.Lines()+1); before != "" || after != "" {
			t.Errorf("%q has lines %q and %q outside the file", tt.text, before, after)
		}
	}
}

// TestPosByCounting compares Pos with counting from the start of the text.
func TestPosByCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runes := rapid.SliceOf(rapid.SampledFrom([]rune("ab\n\r\té∀😀"))).Draw(t, "text")
		f := src.NewFile("f", string(runes))
		offset, want := 0, src.Pos{Line: 1, Col: 1}
		for _, r := range runes {
			if got := f.Pos(offset); got != want {
				t.Fatalf("offset %d: got %v, want %v", offset, got, want)
			}
			offset += len(string(r))
			want.Col++
			if r == '\n' {
				want = src.Pos{Line: want.Line + 1, Col: 1}
			}
		}
		if got := f.Pos(offset); got != want {
			t.Fatalf("end: got %v, want %v", got, want)
		}
	})
}

func TestFileIsSafeForConcurrentUse(t *testing.T) {
	f := src.NewFile("f", strings.Repeat("line\n", 1000))
	done := make(chan src.Pos)
	for range 8 {
		go func() { done <- f.Pos(len(f.Text)) }()
	}
	for range 8 {
		if got, want := <-done, (src.Pos{Line: 1001, Col: 1}); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	f, other := src.NewFile("f", "let po = rf"), src.NewFile("g", "let po = rf")
	let, po, rf := f.Span(0, 3), f.Span(4, 6), f.Span(9, 11)
	var nowhere src.Span
	tests := []struct {
		name      string
		got, want src.Span
	}{
		{"to a later span", let.To(rf), f.Span(0, 11)},
		{"to an earlier span", rf.To(let), rf},
		{"to a span inside", let.To(rf).To(po), let.To(rf)},
		{"from nowhere", nowhere.To(po), po},
		{"to nowhere", po.To(nowhere), po},
		{"to another file", let.To(other.Span(4, 6)), let},
		{"part", let.To(rf).Sub(4, 6), po},
		{"part of a part", let.To(rf).Sub(4, 11).Sub(5, 7), rf},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, tt.got.Text(), tt.want.Text())
		}
	}
	if po.Text() != "po" || po.Pos() != (src.Pos{Line: 1, Col: 5}) || !po.Valid() {
		t.Errorf("po is %q at %v, valid %v", po.Text(), po.Pos(), po.Valid())
	}
	if nowhere.Text() != "" || nowhere.Pos() != (src.Pos{}) || nowhere.Valid() {
		t.Errorf("nowhere is %q at %v, valid %v", nowhere.Text(), nowhere.Pos(), nowhere.Valid())
	}
}
