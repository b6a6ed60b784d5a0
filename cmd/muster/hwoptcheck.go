package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/optcheck"
	"github.com/muster-gpu/muster/internal/tests/campaign"
	"github.com/muster-gpu/muster/sim"
)

// optchecking is the hw optcheck verb.
type optchecking struct {
	hardware
	checker    optcheck.Checker
	targetName string
	records    string // file of records whose verdicts are to be found
	output     string // file for their copy with the verdicts
}

func (a *app) hwOptcheckCommand() *cobra.Command {
	o := &optchecking{
		hardware: hardware{app: a, config: sim.Defaults()},
		checker:  optcheck.Checker{Tools: optcheck.FindTools()},
	}
	cmd := &cobra.Command{
		Use:   "optcheck TEST…",
		Short: "Compare the machine code of tests with the tests",
		Args: func(cmd *cobra.Command, args []string) error {
			if o.records != "" {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.MinimumNArgs(1)(cmd, args)
		},
		ValidArgsFunction: completeTests,
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.targetName, "target", "",
		"assemble for this `TARGET` (default "+harness.SM90.String()+", or that of the machine code in --cubin)")
	f.IntVar(&o.checker.Optimize, "optimize", 3, "the `LEVEL` of optimization; drivers have 3")
	f.StringVar(&o.checker.Cubins, "cubin", "",
		"check the machine code in this `FOLDER` (hw record --keep-cubins) instead of assembling")
	f.StringVar(&o.records, "records", "",
		"check the tests of the records in this `FILE` that are not checked (with --cubin and -o)")
	f.StringVarP(&o.output, "output", "o", "", "write the records with the verdicts to this `FILE`, which is new")
	completeWords(cmd, "target", harness.TargetNames())
	cmd.MarkFlagsRequiredTogether("records", "output")
	o.opaqueFlag(cmd)
	cmd.MarkFlagsMutuallyExclusive("records", "opaque")
	return cmd
}

func (o *optchecking) run(ctx context.Context, args []string) error {
	if err := o.checker.Missing(); err != nil {
		return err // fails before the tests are read and laid out, which takes time
	}
	if err := o.checker.Aim(ctx, o.targetName); err != nil {
		return err
	}
	tests := o.tests(args, o.checker.Target)
	if o.records != "" {
		found, err := (&campaign.Amending{Checker: o.checker, Tests: tests}).Copy(ctx, o.records, o.output)
		if err == nil {
			fmt.Fprintf(o.app.out, "%s: %v\n", o.output, found)
		}
		return err
	}
	o.checker.Settings.Opaque = o.rig.Opaque
	return tests.Each(ctx, func(t *sim.Test, p *harness.Plan) error {
		report, err := o.checker.Check(ctx, p)
		if err != nil {
			return err
		}
		fmt.Fprintf(o.app.out, "%s, %s: %s\n", t.Name.Text, o.checker.Target, report)
		switch report.Verdict {
		case optcheck.Failed:
			o.app.status(exitContradicted)
		case optcheck.NotChecked:
			o.app.status(exitBadInput)
		}
		return nil
	})
}
