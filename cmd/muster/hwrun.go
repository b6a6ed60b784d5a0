package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster"
	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/rig"
	"github.com/muster-gpu/muster/internal/cli/supervise"
	"github.com/muster-gpu/muster/internal/tests/campaign"
	"github.com/muster-gpu/muster/sim"
)

func (a *app) hwRunCommand() *cobra.Command {
	h := &hardware{app: a}
	cmd := &cobra.Command{
		Use:               "run TEST…",
		Short:             "Run tests on a GPU and print litmus7's log",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := h.open(); err != nil {
				return err
			}
			defer h.close()
			return h.ended(h.compiled(args).Each(cmd.Context(), func(t *sim.Test, p *harness.Plan) error {
				hist, err := h.rig.Run(cmd.Context(), p)
				if err != nil {
					return err
				}
				_, _ = rig.Log(t, hist).WriteTo(a.out)
				campaign.Tell(a.err, t, hist)
				return nil
			}))
		},
	}
	h.flags(cmd)
	return cmd
}

// recording is the hw record verb.
type recording struct {
	hw   hardware
	file string
}

func (a *app) hwRecordCommand() *cobra.Command {
	r := &recording{hw: hardware{app: a}}
	cmd := &cobra.Command{
		Use:               "record -o FILE TEST…",
		Short:             "Run tests on a GPU and append what was seen to a file",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			if r.file == "" {
				return fmt.Errorf("record takes a file: -o FILE")
			}
			if r.hw.rig.Name == "gpu" && supervise.Can() {
				return r.supervise(cmd.Context(), args)
			}
			return r.run(cmd.Context(), args)
		},
	}
	r.hw.flags(cmd)
	cmd.Flags().StringVarP(&r.file, "out", "o", "", "append to this `FILE`")
	cmd.Flags().StringVar(&r.hw.rig.Cubins, "keep-cubins", "",
		"keep the machine code that runs in this `FOLDER`, for hw optcheck --cubin")
	return cmd
}

// supervise runs this verb in child processes, so that a hang or a crash does not end the campaign.
func (r *recording) supervise(ctx context.Context, args []string) error {
	faults, status, err := campaign.Supervise(ctx, r.hw.childInput(args), r.file, r.hw.rig.Limit, r.hw.app.err)
	r.hw.app.status(status)
	r.hw.app.status(map[bool]int{true: exitLimit}[faults > 0])
	return err
}

// childInput returns the standard input of child processes: ours if the arguments read it, else an
// empty one.
func (h *hardware) childInput(args []string) io.Reader {
	if slices.Contains(args, "-") || h.settingsFile == "-" {
		return h.app.in
	}
	return strings.NewReader("")
}

func (r *recording) run(ctx context.Context, args []string) error {
	if err := r.hw.open(); err != nil {
		return err
	}
	defer r.hw.close()
	line := r.hw.app.console.Live()
	defer line.Clear()
	c := &campaign.Recording{
		Rig: &r.hw.rig, File: r.file, Muster: muster.Build(), Notes: r.hw.app.err,
		Running: func(n int, test string) { line.Show("%d recorded, %s", n, test) },
		Status:  func(before int) int { r.hw.app.status(before); return r.hw.app.exit() },
	}
	return r.hw.ended(c.Run(ctx, r.hw.tests(args, r.hw.rig.Target())))
}
