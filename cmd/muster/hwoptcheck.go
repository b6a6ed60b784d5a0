package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/optcheck"
	"github.com/muster-gpu/muster/sim"
)

// optchecking is the hw optcheck verb.
type optchecking struct {
	app        *app
	config     sim.Config
	targetName string
	optimize   int
}

func (a *app) hwOptcheckCommand() *cobra.Command {
	o := &optchecking{app: a, config: sim.Defaults()}
	cmd := &cobra.Command{
		Use:               "optcheck TEST…",
		Short:             "Compare the machine code of tests with the tests",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.targetName, "target", harness.SM90.String(), "assemble for this `TARGET`")
	f.IntVar(&o.optimize, "optimize", 3, "the `LEVEL` of optimization; drivers have 3")
	return cmd
}

func (o *optchecking) run(ctx context.Context, args []string) error {
	target, err := harness.ParseTarget(o.targetName)
	if err != nil {
		return err
	}
	tools := optcheck.FindTools()
	if err := tools.Missing(); err != nil {
		return err // before tests are read and laid out, which takes its time
	}
	h := &hardware{app: o.app, config: o.config}
	return h.tests(args, target).Each(ctx, func(t *sim.Test, p *harness.Plan) error {
		cubin, err := tools.Assemble(ctx, p.Kernels(), target, o.optimize)
		if err != nil {
			return err
		}
		report := optcheck.CheckCubin(ctx, p, cubin)
		fmt.Fprintf(o.app.out, "%s, %s: %s\n", t.Name.Text, target, report)
		switch report.Verdict {
		case optcheck.Failed:
			o.app.status(exitContradicted)
		case optcheck.NotChecked:
			o.app.status(exitBadInput)
		}
		return nil
	})
}
