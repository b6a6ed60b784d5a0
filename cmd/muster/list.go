package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/cli/report"
	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/internal/tests/testfilter"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/wire"
)

func (a *app) modelsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "models [NAME]",
		Short:             "List the shipped models, or print one",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeModels,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return a.printModel(args[0], asJSON)
			}
			for _, info := range models.List() {
				if asJSON {
					a.printJSON(wire.Model(info))
					continue
				}
				a.text().Model(info)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line for each model")
	return cmd
}

func (a *app) printModel(name string, asJSON bool) error {
	if asJSON {
		info, err := models.Named(name)
		if err == nil {
			a.printJSON(wire.Model(info))
		}
		return err
	}
	return a.print(models.Shipped(name))
}

// print prints a file unchanged.
func (a *app) print(f *src.File, err error) error {
	if err == nil {
		_, err = io.WriteString(a.out, f.Text)
	}
	return err
}

func (a *app) testsCommand() *cobra.Command {
	var asJSON bool
	var c chosen
	cmd := &cobra.Command{
		Use:               "tests [FOLDER|PATTERN|NAME]",
		Short:             "List the shipped tests, or print one",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeTests,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := c.check(); err != nil {
				return err
			}
			if len(args) == 0 {
				return a.listTests(corpus.Shipped().Files, &c, asJSON)
			}
			if file, ok := corpus.Shipped().Find(args[0]); ok && !asJSON {
				return a.print(corpus.Shipped().Open(file))
			}
			files, err := corpus.Shipped().Meant(args[0])
			if err == nil {
				err = a.listTests(files, &c, asJSON)
			}
			return err
		},
	}
	c.declareFilter(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line for each test")
	return cmd
}

// listTests lists the tests of files that the flags select.
func (a *app) listTests(files []string, c *chosen, asJSON bool) error {
	for _, file := range files {
		f, err := corpus.Shipped().Open(file)
		if err != nil {
			return err
		}
		t, err := frontends.Shipped().Parse(f)
		if err != nil {
			return err
		}
		facts := testfilter.FactsOf(t)
		if !c.filter.Admits(facts) {
			continue
		}
		if asJSON {
			a.printJSON(report.TestJSON(t, facts))
			continue
		}
		fmt.Fprintf(a.out, "%-36s %s\n", t.Name.Text, strings.Join(strings.Fields(t.Doc), " "))
	}
	return nil
}
