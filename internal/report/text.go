package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Text prints what there is to say for people who read it on a terminal or in a file.
type Text struct {
	Out io.Writer
	// Alarm marks a word that must not be overlooked.
	Alarm func(word string) string
}

func (t *Text) printf(format string, args ...any) { fmt.Fprintf(t.Out, format, args...) }

// Count is a number of things in words: 1 test, 2 tests.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// firstOf is the first of several texts that has anything in it.
func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// table prints rows: the first two columns to the left, the others to the
// right, a row of one cell across.
func (t *Text) table(rows [][]string) {
	var widths []int
	for _, row := range rows {
		if len(row) == 1 {
			continue
		}
		for i, text := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	for _, row := range rows {
		if len(row) == 1 {
			t.printf("%s\n", row[0])
			continue
		}
		var line strings.Builder
		for i, text := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
			if i > 0 {
				line.WriteByte(' ')
			}
			if i < 2 {
				line.WriteString(text + pad)
			} else {
				line.WriteString(pad + text)
			}
		}
		t.printf("%s\n", strings.TrimRight(line.String(), " "))
	}
}
