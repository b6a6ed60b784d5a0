package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster"
	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/rig"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
)

func (a *app) hwRunCommand() *cobra.Command {
	h := &hardware{app: a}
	cmd := &cobra.Command{
		Use:               "run TEST…",
		Short:             "Run tests on a GPU and print litmus7's log",
		Long:              help("hw-run"),
		Example:           examples("hw-run"),
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := h.open(); err != nil {
				return err
			}
			defer h.close()
			return h.eachPlan(cmd.Context(), args, h.rig.Target(), func(t *sim.Test, p *harness.Plan) error {
				hist, err := h.rig.Run(cmd.Context(), p)
				if err != nil {
					return err
				}
				_, _ = rig.Log(t, hist).WriteTo(a.out)
				h.tellUnfinished(t, hist)
				return nil
			})
		},
	}
	h.flags(cmd)
	return cmd
}

// tellUnfinished says how many instances have no final state.
func (h *hardware) tellUnfinished(t *sim.Test, hist *harness.Histogram) {
	if hist.Unfinished > 0 {
		fmt.Fprintf(h.app.err, "%s: %d of %d instances gave a loop up and are not counted\n", t.Name.Text, hist.Unfinished, hist.Instances)
	}
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
		Long:              help("hw-record"),
		Example:           examples("hw-record"),
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			if r.file == "" {
				return fmt.Errorf("record takes a file: -o FILE")
			}
			if err := r.hw.open(); err != nil {
				return err
			}
			defer r.hw.close()
			return r.run(cmd.Context(), args)
		},
	}
	r.hw.flags(cmd)
	cmd.Flags().StringVarP(&r.file, "out", "o", "", "append to this `FILE`")
	return cmd
}

func (r *recording) run(ctx context.Context, args []string) error {
	to, err := observe.Append(r.file) // an endless file, as a device may be, is refused before it is read
	if err != nil {
		return err
	}
	defer to.Close()
	done, err := observe.Done(r.file, int64(r.hw.rig.Instances), func(err error) { fmt.Fprintln(r.hw.app.err, err) })
	if err != nil {
		return err
	}
	line := r.hw.app.console.Live()
	ran, skipped := 0, 0
	err = r.hw.eachPlan(ctx, args, r.hw.rig.Target(), func(t *sim.Test, p *harness.Plan) error {
		record, err := r.hw.rig.NewRecord(t, muster.Build())
		if err != nil {
			return err
		}
		if done[record.Run()] {
			skipped++
			return nil
		}
		line.Show("%d recorded, %s", ran, t.Name.Text)
		if err := r.observe(ctx, t, p, record); err != nil {
			return err
		}
		if err := to.Write(record); err != nil {
			return &notRecordedError{err}
		}
		ran++
		return nil
	})
	line.Clear()
	fmt.Fprintf(r.hw.app.err, "%s appended to %s, %d were there already\n", count(ran, "record"), r.file, skipped)
	return err
}

// notRecordedError ends a run: what cannot be recorded, as on a full disk, need not be seen.
type notRecordedError struct{ error }

func (e *notRecordedError) Unwrap() error { return e.error }

// observe runs a test and fills the record with what was seen.
func (r *recording) observe(ctx context.Context, t *sim.Test, p *harness.Plan, record *observe.Record) error {
	hist, err := r.hw.rig.Observe(ctx, t, p, record)
	if err != nil {
		return err
	}
	if record.Optcheck.Verdict == observe.Failed {
		fmt.Fprintf(r.hw.app.err, "%s: void: %s\n", t.Name.Text, record.Optcheck.Why)
	}
	r.hw.tellUnfinished(t, hist)
	return nil
}
