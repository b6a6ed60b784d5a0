package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/src"
)

// sorts maps types of definitions to labels of rows.
var sorts = map[string]string{"a relation": "relations", "a set of events": "sets", "a function": "functions"}

const (
	labelWidth = 10 // of the labels in front of rows
	lineWidth  = 80
)

// Summary prints what a model defines, checks and uses. naive says why the fast engine cannot run
// it, or is "".
func (t *Text) Summary(m *models.Model, s *cat.Summary, naive string) {
	t.printf("%s: %s\n", m.File.Name, cmp.Or(m.Title, m.Header, "a model"))
	defined := map[string][]string{}
	for _, d := range s.Definitions {
		sort := cmp.Or(sorts[d.Type], "others")
		defined[sort] = append(defined[sort], d.Name)
	}
	for _, sort := range []string{"relations", "sets", "functions", "others"} {
		t.names(sort, defined[sort])
	}
	var base, strata []string
	for _, b := range s.Base {
		if b.Dynamic {
			b.Name += "*"
		}
		base = append(base, b.Name)
	}
	for _, stratum := range s.Strata {
		strata = append(strata, strings.Join(stratum, "="))
	}
	t.names("base names", base)
	t.names("of no test", s.Absent)
	t.names("chooses", s.Choices)
	t.names("recursion", strata)
	t.checks("check", s.Checks)
	t.checks("flag", s.Flags)
	if naive != "" {
		t.printf("  %-*s  naive: %s\n", labelWidth, "engine", naive)
	}
}

// names prints a label and names, wrapped to lineWidth.
func (t *Text) names(label string, names []string) {
	if len(names) == 0 {
		return
	}
	t.filled(fmt.Sprintf("  %-*s ", labelWidth, label), fmt.Sprintf("  %*s ", labelWidth, ""), names)
}

// filled prints words behind the start of a line, wrapped to lineWidth; later lines start with
// next.
func (t *Text) filled(line, next string, words []string) {
	for _, word := range words {
		if len(line)+1+len(word) > lineWidth {
			t.printf("%s\n", line)
			line = next
		}
		line += " " + word
	}
	t.printf("%s\n", line)
}

// checks prints checks in columns: name, file and line, text.
func (t *Text) checks(label string, checks []cat.CheckInfo) {
	var rows [][]string
	for _, k := range checks {
		name := k.Name
		if name == k.Text {
			name = "–"
		}
		rows = append(rows, []string{
			fmt.Sprintf("  %-*s", labelWidth, label), name, fmt.Sprintf("%s:%d", k.File, k.Line), k.Text,
		})
	}
	t.lines(src.Columns(rows, "  "))
}

// Model prints the entry of a model in the list of models.
func (t *Text) Model(info models.Info) {
	const indent = 19
	t.printf("%-18s %s\n", info.Name, info.Title)
	for _, field := range []struct{ name, text string }{{"source", info.Source}, {"covers", info.Covers}} {
		t.filled(fmt.Sprintf("%*s%s:", indent, "", field.name), fmt.Sprintf("%*s", indent+1, ""),
			strings.Fields(field.text))
	}
}
