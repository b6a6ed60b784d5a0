package src

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Columns aligns rows of cells: a column is as wide as its widest cell, with gap between two. The
// columns in right are aligned to the right. A row of one cell is a heading: it spans the columns,
// and makes none wider. Lines have no trailing blanks.
func Columns(rows [][]string, gap string, right ...int) []string {
	lines := make([]string, len(rows))
	for i, line := range padded(rows, gap, right) {
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}

func padded(rows [][]string, gap string, right []int) []string {
	widths := columnWidths(rows)
	lines := make([]string, len(rows))
	for n, row := range rows {
		var line strings.Builder
		line.Grow(longest(row, widths, gap))
		writeRow(&line, row, widths, gap, right)
		lines[n] = line.String()
	}
	return lines
}

func writeRow(line *strings.Builder, row []string, widths []int, gap string, right []int) {
	for i, text := range row {
		pad := 0
		if len(row) > 1 || len(widths) == 1 {
			pad = widths[i] - utf8.RuneCountInString(text)
		}
		if i > 0 {
			line.WriteString(gap)
		}
		if slices.Contains(right, i) {
			writeBlanks(line, pad)
			line.WriteString(text)
		} else {
			line.WriteString(text)
			writeBlanks(line, pad)
		}
	}
}

// longest returns the maximal number of bytes of a row.
func longest(row []string, widths []int, gap string) (n int) {
	for i, text := range row {
		n += len(gap) + max(widths[i], len(text)) + len(text) - utf8.RuneCountInString(text)
	}
	return n
}

func writeBlanks(b *strings.Builder, n int) {
	for range n {
		b.WriteByte(' ')
	}
}

// columnWidths returns the width of each column: in a table of several columns, rows of one cell do
// not count.
func columnWidths(rows [][]string) []int {
	columns := 0
	for _, row := range rows {
		columns = max(columns, len(row))
	}
	widths := make([]int, columns)
	for _, row := range rows {
		if len(row) == 1 && columns > 1 {
			continue
		}
		for i, text := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	return widths
}
