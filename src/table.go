package src

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
)

// ByteOrderMark is what some programs write at the beginning of a text.
const ByteOrderMark = "\ufeff"

// Row is a row of a table, with access by the names in the header.
type Row struct {
	At     Span
	fields []string
	index  map[string]int
}

// Get returns the text in a column, without surrounding blanks; "" if the table has no such column.
func (r Row) Get(column string) string {
	if !r.Has(column) {
		return ""
	}
	return strings.TrimSpace(r.fields[r.index[column]])
}

// Has reports whether the table has a column.
func (r Row) Has(column string) bool {
	_, ok := r.index[column]
	return ok
}

// Count returns the number in a column, which must not be negative.
func (r Row) Count(column string) (int, error) {
	n, err := strconv.Atoi(r.Get(column))
	if err != nil || n < 0 {
		return 0, Errorf(r.At, "column %s: expected a count, found %q", column, r.Get(column))
	}
	return n, nil
}

// ReadTable calls visit for each row of a CSV file whose header must have the given columns. The
// error is a Diagnostics with the errors of all rows; it visits the other rows all the same. It
// skips a byte order mark before the header, which spreadsheets write.
func ReadTable(f *File, columns []string, visit func(Row) error) error {
	var diags Diagnostics
	mark := len(f.Text) - len(strings.TrimPrefix(f.Text, ByteOrderMark))
	r := csv.NewReader(strings.NewReader(f.Text[mark:]))
	r.FieldsPerRecord = -1
	header, _ := r.Read()
	index := map[string]int{}
	for i, name := range header {
		index[strings.TrimSpace(name)] = i
	}
	missing := slices.DeleteFunc(slices.Clone(columns), func(c string) bool { _, ok := index[c]; return ok })
	if len(missing) > 0 {
		noun := map[bool]string{true: "column", false: "columns"}[len(missing) == 1]
		diags.Errorf(f.Span(0, len(f.Line(1))), "the table has no %s %s", noun, strings.Join(missing, ", ")).
			WithHint("it needs %s", strings.Join(columns, ", "))
		return diags.Err()
	}
	for {
		start := mark + int(r.InputOffset())
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return diags.Err()
		}
		row := Row{rowSpan(f, start, mark+int(r.InputOffset())), fields, index}
		switch {
		case err != nil:
			diags.Errorf(row.At, "%v", errors.Unwrap(err))
		case len(fields) != len(header):
			diags.Errorf(row.At, "this row has %d columns, the header has %d", len(fields), len(header))
		default:
			diags.Add(visit(row))
		}
	}
}

// rowSpan returns the row in the bytes [start, end) of f, without the blank lines before it and its
// line break.
func rowSpan(f *File, start, end int) Span {
	const lineBreak = "\r\n"
	text := f.Text[start:end]
	blank := len(text) - len(strings.TrimLeft(text, lineBreak))
	return f.Span(start+blank, start+len(strings.TrimRight(text, lineBreak)))
}
