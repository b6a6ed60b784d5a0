package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/internal/report"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// modelCheck is the cat verb.
type modelCheck struct {
	app        *app
	syntaxOnly bool
	format     bool
	json       bool
	reading    models.Config
}

func (a *app) catCommand() *cobra.Command {
	c := &modelCheck{app: a}
	cmd := &cobra.Command{
		Use:   "cat MODEL…",
		Short: "Check models and say what they define",
		Long: `Cat checks models before they run: syntax, names, types, tags, recursion. It prints
everything that is wrong, with its place, or a summary: what the model defines, checks
and flags, and which base names it uses, dynamic ones (that depend on rf, co or values)
marked with *.

A MODEL is a .cat file or the name of a shipped model, perhaps with variants after a colon:
NAME:VARIANT,VARIANT. docs/cat.md describes the
language.`,
		Example: `  muster cat mine.cat
  muster cat --fmt mine.cat > pretty.cat
  muster cat --json ptx-asplos15 | jq .checks`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeModels,
		RunE: func(_ *cobra.Command, args []string) error {
			for _, arg := range args {
				if err := c.do(arg); err != nil {
					a.report(err)
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&c.syntaxOnly, "syntax", false, "stop after parsing")
	f.BoolVar(&c.format, "fmt", false, "print the model back in canonical form, comments and all")
	f.BoolVar(&c.json, "json", false, "print one JSON object a line for each model (docs/json.md)")
	f.StringArrayVar(&c.reading.Variants, "variant", nil, "switch on the variant `NAME` (repeatable)")
	includeFlag(cmd, &c.reading)
	cmd.MarkFlagsMutuallyExclusive("syntax", "fmt", "json")
	return cmd
}

func (c *modelCheck) do(name string) error {
	if c.syntaxOnly || c.format {
		f, err := models.Open(name, c.reading.Include...)
		if err != nil {
			return err
		}
		tree, err := syntax.Parse(f)
		if err == nil && c.format {
			fmt.Fprint(c.app.out, tree)
		}
		return err
	}
	loaded, err := models.LoadAll([]string{name}, c.reading)
	if err != nil {
		return err
	}
	m := loaded[0]
	summary, err := m.Check(sim.Vocabulary())
	for _, w := range summary.Warnings {
		fmt.Fprintln(c.app.err, w)
	}
	if err != nil {
		return err
	}
	if c.json {
		c.app.printJSON(report.SummaryJSON(m.Info, summary))
		return nil
	}
	c.print(m, summary)
	return nil
}

// print prints the summary of a model.
func (c *modelCheck) print(m *models.Model, s *cat.Summary) {
	out := c.app.out
	fmt.Fprintf(out, "%s: %s\n", m.File.Name, nonEmpty(m.Title, m.Header, "a model"))
	defined := map[string][]string{}
	for _, d := range s.Definitions {
		sort := nonEmpty(sorts[d.Type], "others")
		defined[sort] = append(defined[sort], d.Name)
	}
	for _, sort := range []string{"relations", "sets", "functions", "others"} {
		c.row(sort, defined[sort])
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
	c.row("base names", base)
	c.row("chooses", s.Choices)
	c.row("recursion", strata)
	c.printChecks("check", s.Checks)
	c.printChecks("flag", s.Flags)
	if _, err := m.Compile(sim.Vocabulary()); err != nil {
		why, _, _ := strings.Cut(err.Error(), "\n")
		fmt.Fprintf(out, "  %-*s  naive: %s\n", labelWidth, "engine", why)
	}
}

// sorts are the rows of definitions by their type.
var sorts = map[string]string{"a relation": "relations", "a set of events": "sets", "a function": "functions"}

const (
	labelWidth = 10 // of the labels in front of rows
	lineWidth  = 80
)

// row prints a label and names, filled to the width of a terminal.
func (c *modelCheck) row(label string, names []string) {
	if len(names) == 0 {
		return
	}
	line := fmt.Sprintf("  %-*s ", labelWidth, label)
	for _, name := range names {
		if len(line)+1+len(name) > lineWidth {
			fmt.Fprintln(c.app.out, line)
			line = fmt.Sprintf("  %*s ", labelWidth, "")
		}
		line += " " + name
	}
	fmt.Fprintln(c.app.out, line)
}

// printChecks prints the checks in columns: name, place, text.
func (c *modelCheck) printChecks(label string, checks []cat.CheckInfo) {
	w := tabwriter.NewWriter(c.app.out, 0, 0, 2, ' ', 0)
	for _, k := range checks {
		name := k.Name
		if name == k.Text {
			name = "–"
		}
		fmt.Fprintf(w, "  %-*s  %s\t%s:%d\t%s\n", labelWidth, label, name, k.File, k.Line, k.Text)
	}
	_ = w.Flush()
}

func nonEmpty(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
