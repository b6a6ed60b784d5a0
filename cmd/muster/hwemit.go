package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/internal/tests/campaign"
	"github.com/muster-gpu/muster/sim"
)

func (a *app) hwEmitCommand() *cobra.Command {
	h := &hardware{app: a, config: sim.Defaults()}
	e := campaign.Emission{Stdout: a.out}
	target := ""
	cmd := &cobra.Command{
		Use:               "emit TEST…",
		Short:             "Print a test as a program of its own, for nvcc",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			return h.emit(cmd.Context(), &e, target, args)
		},
	}
	h.settingsFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&target, "target", harness.SM70.String(), "make code for this `TARGET` and newer")
	f.BoolVar(&e.PTX, "ptx", false, "print the kernels only")
	f.StringVarP(&e.Output, "out", "o", "",
		"write to this `FILE` instead of standard output, or a file for each test into this FOLDER")
	completeWords(cmd, "target", harness.TargetNames())
	return cmd
}

func (h *hardware) emit(ctx context.Context, e *campaign.Emission, targetName string, args []string) error {
	target, err := harness.ParseTarget(targetName)
	if err == nil {
		err = h.rig.Settle(h.incantations, h.settingsFile, h.app.in)
	}
	if err != nil {
		return err
	}
	e.Settings = h.rig.Settings
	tests := h.tests(args, target)
	tests.Report = h.app.report // a test that cannot be emitted is an error here
	return e.Write(ctx, tests)
}
