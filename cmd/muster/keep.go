package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster"
	"github.com/muster-gpu/muster/internal/cli/progress"
	"github.com/muster-gpu/muster/internal/store/results"
	"github.com/muster-gpu/muster/internal/tests/batch"
)

// keeping is the flag run -o: results are kept in a file.
type keeping struct {
	name   string
	noTime bool

	run *results.Run // nil without -o
}

func (k *keeping) declare(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&k.name, "out", "o", "",
		"keep the results in this `FILE` instead of printing them; what it has already is not found "+
			"again (docs/campaigns.md)")
	cmd.Flags().BoolVar(&k.noTime, "no-time", false, "leave out what changes from run to run: times")
	cmd.MarkFlagsMutuallyExclusive("out", "json")
	cmd.MarkFlagsMutuallyExclusive("out", "show")
}

// open opens the file that -o names, if any.
func (k *keeping) open(a *app, s *batch.Simulator) (err error) {
	if k.name == "" {
		return nil
	}
	if k.run, err = results.Resume(k.name, s, muster.Build(), func(err error) {
		fmt.Fprintln(a.err, err)
	}); err == nil {
		k.run.Untimed = k.noTime
	}
	return err
}

// close ends the run, which is complete or failed with an error, and reports what was kept.
func (k *keeping) close(a *app, shard results.Shard, err error, s progress.State) error {
	if k.run == nil {
		return err
	}
	err = k.run.Finish(shard, err)
	a.notes().Kept(k.name, k.run, s)
	return err
}
