package index

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// Usage shows how a question is asked.
func (q *Question) Usage() string { return strings.Join(append([]string{q.Name}, q.Wants...), " ") }

// Usages lists the questions, one line each.
func Usages() string {
	var b strings.Builder
	for _, q := range Questions {
		fmt.Fprintf(&b, "  %-28s %s\n", q.Usage(), q.Asks)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Answer answers a question given as words: its name and the campaigns. Without words it answers
// the first question.
func (x *Index) Answer(ctx context.Context, words []string, most int) (*Table, error) {
	if len(words) == 0 {
		words = []string{Questions[0].Name}
	}
	q, err := Find(words[0])
	if err != nil {
		return nil, err
	}
	return x.Ask(ctx, q, words[1:], most)
}

// Objects returns the rows as maps from column names to values.
func (t *Table) Objects() []map[string]any {
	var all []map[string]any
	for _, row := range t.Rows {
		object := map[string]any{}
		for i, column := range t.Columns {
			object[column] = row[i]
		}
		all = append(all, object)
	}
	return all
}

// Write writes the table in columns.
func (t *Table) Write(w io.Writer) error {
	table := [][]string{t.Columns}
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			if cell != nil {
				cells[i] = fmt.Sprint(cell)
			}
		}
		table = append(table, cells)
	}
	for _, line := range src.Columns(table, "  ") {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
