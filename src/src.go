// Package src is about text that people write: it knows where text came from, and shows the place
// in errors. (The Go compiler has a package of this name for the same purpose.)
//
// Every parser and checker of muster reports errors through this package, so that each error looks
// the same: file:line:col, what is wrong, the line with a caret, and, where possible, advice.
//
//	File         a named text
//	Span         a range of bytes in a File
//	Diagnostic   one error or warning at a Span
//	Diagnostics  all errors and warnings about an input, in source order; an error
//
// It also has what several readers and writers of text share: files of bounded size (read.go),
// tables with positions (table.go), comments (comment.go), misspelt names (nearest.go), and aligned
// columns (columns.go).
package src

import (
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// File is a named text. A File is immutable and safe for concurrent use.
type File struct {
	Name string // as the user wrote it; "-" for standard input
	Text string

	first  int // the number of its first line
	split  sync.Once
	starts []int // see lines
}

// NewFile returns a File for a text that is already in memory.
func NewFile(name, text string) *File { return NewFileAt(name, text, 1) }

// NewFileAt returns a File for a part of a text, whose first line has the number line in the whole
// text.
func NewFileAt(name, text string, line int) *File {
	return &File{Name: name, Text: text, first: line}
}

// lines returns the byte offset of the start of each line.
func (f *File) lines() []int {
	f.split.Do(func() {
		f.starts = make([]int, 1, 1+strings.Count(f.Text, "\n"))
		for i := range len(f.Text) {
			if f.Text[i] == '\n' {
				f.starts = append(f.starts, i+1)
			}
		}
	})
	return f.starts
}

// Pos is a position in a file as editors count it: both numbers start at 1, and a column is a
// character, not a byte.
type Pos struct {
	Line, Col int
}

// Pos converts a byte offset; offsets past either end are clamped.
func (f *File) Pos(offset int) Pos {
	offset = min(max(offset, 0), len(f.Text))
	if head := f.Text[:offset]; !strings.Contains(head, "\n") {
		// for example for the name of a test
		return Pos{Line: f.first, Col: utf8.RuneCountInString(head) + 1}
	}
	starts := f.lines()
	line := sort.SearchInts(starts, offset+1) - 1
	return Pos{Line: line + f.first, Col: utf8.RuneCountInString(f.Text[starts[line]:offset]) + 1}
}

// Line returns the text of the line with number n, without its end-of-line characters.
func (f *File) Line(n int) string {
	n -= f.first - 1
	starts := f.lines()
	if n < 1 || n > len(starts) {
		return ""
	}
	end := len(f.Text)
	if n < len(starts) {
		end = starts[n] - 1
	}
	return strings.TrimSuffix(f.Text[starts[n-1]:end], "\r")
}

// Lines returns the number of lines of the file.
func (f *File) Lines() int { return len(f.lines()) }

// Span is the half-open range [Start, End) of bytes of a file. The zero Span is "nowhere".
type Span struct {
	File       *File
	Start, End int
}

// Span returns the range [start, end) of f.
func (f *File) Span(start, end int) Span { return Span{f, start, end} }

// Valid reports whether s lies in a file.
func (s Span) Valid() bool { return s.File != nil }

// Pos returns the position where the span starts.
func (s Span) Pos() Pos {
	if s.File == nil {
		return Pos{}
	}
	return s.File.Pos(s.Start)
}

// Text returns the source text of the span.
func (s Span) Text() string {
	if s.File == nil {
		return ""
	}
	return s.File.Text[s.Start:s.End]
}

// To returns the span from the start of s to the end of t.
func (s Span) To(t Span) Span {
	if !s.Valid() {
		return t
	}
	if t.File == s.File && t.End > s.End {
		s.End = t.End
	}
	return s
}

// Sub returns the part [start, end) of the span's text.
func (s Span) Sub(start, end int) Span {
	return Span{s.File, s.Start + start, s.Start + end}
}
