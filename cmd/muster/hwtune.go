package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/internal/cli/supervise"
	"github.com/muster-gpu/muster/internal/tests/campaign"
)

// tuning is the hw tune verb.
type tuning struct {
	hw     hardware
	search campaign.Searching
}

func (a *app) hwTuneCommand() *cobra.Command {
	t := &tuning{hw: hardware{app: a}}
	s := &t.search.Search
	t.search.Rig, t.search.Out, s.Notes = &t.hw.rig, a.out, a.err
	cmd := &cobra.Command{
		Use:               "tune TEST…",
		Short:             "Search the settings with which tests show most weak behaviour",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.Draws < 1 || s.Time < 0 {
				return fmt.Errorf("--draws must be positive, and --time must not be negative")
			}
			if t.hw.rig.Name == "gpu" && supervise.Can() {
				return t.supervise(cmd.Context(), args)
			}
			return t.run(cmd.Context(), args)
		},
	}
	t.hw.flags(cmd)
	cmd.Flags().IntVar(&s.Draws, "draws", 32, "begin with `N` settings: those of --settings, and others that are drawn")
	cmd.Flags().DurationVar(&s.Time, "time", 0,
		"search for this `TIME`, divided among the rounds; with fewer settings than --draws if "+
			"there is no time for more")
	return cmd
}

// supervise runs this verb in child processes, so that a hang or a crash does not end the search.
func (t *tuning) supervise(ctx context.Context, args []string) error {
	status, err := t.search.Supervise(ctx, t.hw.childInput(args), t.hw.rig.Limit,
		func(in io.Reader, target harness.Target) (campaign.Tests, error) {
			t.hw.app.in, t.hw.said = in, true
			return t.hw.tests(args, target), t.hw.rig.Settle(t.hw.incantations, t.hw.settingsFile, in)
		})
	t.hw.app.status(status)
	if ctx.Err() != nil {
		t.hw.app.status(exitLimit)
	}
	t.hw.app.status(map[bool]int{true: exitContradicted}[t.search.Nothing])
	return t.hw.ended(err)
}

func (t *tuning) run(ctx context.Context, args []string) (err error) {
	if err := t.hw.open(); err != nil {
		return err
	}
	defer t.hw.close()
	if t.hw.said, err = t.search.Aboard(); err != nil {
		return err
	}
	err = t.search.Run(ctx, t.hw.compiled(args))
	t.hw.app.status(map[bool]int{true: exitContradicted}[t.search.Nothing])
	return t.hw.ended(err)
}
