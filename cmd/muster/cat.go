package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/internal/cli/report"
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
	c := &modelCheck{app: a, reading: models.Config{Stdin: a.in}}
	cmd := &cobra.Command{
		Use:               "cat MODEL…",
		Short:             "Check models and say what they define",
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
		f, err := c.reading.Open(name)
		if err != nil {
			return err
		}
		tree, err := syntax.Parse(f)
		if err != nil {
			return models.Otherwise(f, err)
		}
		if c.format {
			fmt.Fprint(c.app.out, tree)
		}
		return nil
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
	naive := ""
	if _, err := m.Compile(sim.Vocabulary()); err != nil {
		naive, _, _ = strings.Cut(err.Error(), "\n")
	}
	c.app.text().Summary(m, summary, naive)
	return nil
}
