package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/results"
)

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
