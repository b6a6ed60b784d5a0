package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/cli/report"
	"github.com/muster-gpu/muster/internal/store/index"
	"github.com/muster-gpu/muster/internal/store/results"
)

// asking is the results verb: it answers questions from an index.
type asking struct {
	app  *app
	file string // the index
	sql  string
	most int
	json bool
}

// defaultIndex is the file of the index unless a flag names another.
const defaultIndex = "results.sqlite"

func (a *app) resultsCommand() *cobra.Command {
	q := &asking{app: a}
	cmd := &cobra.Command{
		Use:               "results [QUESTION [CAMPAIGN…]]",
		Short:             "Ask what results say",
		Long:              "Questions:\n" + index.Usages(),
		ValidArgsFunction: completeQuestions,
		RunE:              func(cmd *cobra.Command, args []string) error { return q.ask(cmd.Context(), args) },
	}
	cmd.PersistentFlags().StringVar(&q.file, "index", defaultIndex, "the `FILE` of the index")
	cmd.Flags().StringVar(&q.sql, "sql", "",
		"ask a `QUESTION` in SQL; the tables are campaign, test and result (docs/campaigns.md)")
	cmd.Flags().IntVar(&q.most, "most", 100, "list `N` rows at most")
	cmd.Flags().BoolVar(&q.json, "json", false, "print one JSON object a line for each row")
	cmd.AddCommand(q.importCommand())
	return cmd
}

func completeQuestions(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, q := range index.Questions {
		names = append(names, q.Name+"\t"+q.Asks)
	}
	if len(args) > 0 {
		names = nil
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (q *asking) importCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE…",
		Short: "Take in files of results",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := index.Open(cmd.Context(), q.file)
			if err != nil {
				return err
			}
			defer x.Close()
			found, err := x.Import(cmd.Context(), args, q.app.fail)
			fmt.Fprintf(q.app.err, "%s: %s taken in, %s that are not records\n", q.file,
				report.Count(found.Records, "record"), report.Count(found.Bad, "line"))
			return err
		},
	}
}

// ask answers a question.
func (q *asking) ask(ctx context.Context, args []string) error {
	x, err := index.Ask(ctx, q.file, args...)
	if err != nil {
		return err
	}
	defer x.Close()
	var t *index.Table
	if q.sql != "" {
		t, err = x.Query(ctx, q.sql)
	} else {
		t, err = x.Answer(ctx, args, q.most)
	}
	if err != nil {
		return err
	}
	if !q.json {
		return t.Write(q.app.out)
	}
	for _, row := range t.Objects() {
		q.app.printJSON(row)
	}
	return nil
}

func (a *app) mergeCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "merge FILE… -o FILE",
		Short: "Join the results of shards, and check that nothing is missing",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if out == "" {
				return fmt.Errorf("merge takes a file: -o FILE")
			}
			found, err := results.Merge(out, args, func(err error) { fmt.Fprintln(a.err, err) })
			var wrong *results.MergeError
			switch {
			case errors.As(err, &wrong):
				a.status(exitContradicted)
				fmt.Fprintf(a.err, "%v\nnothing is written to %s\n", err, out)
				return nil
			case err != nil:
				return err
			}
			a.notes().Merged(out, found)
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "write the results to this `FILE`")
	return cmd
}
