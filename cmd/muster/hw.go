package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/cuda"
	"github.com/muster-gpu/muster/harness/gpu"
	"github.com/muster-gpu/muster/harness/rig"
	"github.com/muster-gpu/muster/internal/cli/flags"
	"github.com/muster-gpu/muster/internal/tests/campaign"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/wire"
)

// hardware is the state that the hw verbs share.
type hardware struct {
	app    *app
	config sim.Config
	rig    rig.Rig

	settingsFile string
	incantations []string
	said         bool // an earlier process has reported what is wrong with the tests
}

func (a *app) hwCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hw",
		Short: "Run litmus tests on a GPU and record what it does",
	}
	cmd.AddCommand(a.hwDevicesCommand(), a.hwRunCommand(), a.hwRecordCommand(), a.hwTuneCommand(),
		a.hwEmitCommand(), a.hwOptcheckCommand())
	return cmd
}

// flags declares the flags of verbs that run kernels.
func (h *hardware) flags(cmd *cobra.Command) {
	h.config = sim.Defaults()
	h.settingsFlags(cmd)
	f := cmd.Flags()
	f.IntVar(&h.rig.Index, "device", 0, "the GPU with the number `N` (muster hw devices)")
	f.StringVar(&h.rig.Name, "machine", "gpu",
		"`WHAT` runs the kernels: gpu; or, without one, interpreter, which is sequentially consistent, or weak, "+
			"which has queues and caches")
	f.VarP(flags.Number{N: &h.rig.Instances}, "instances", "n",
		"run each test `N` times, at least (default 1000000, 100000 with --incantations; with an "+
			"interpreter 1000 and 10)")
	f.DurationVar(&h.rig.TestTime, "test-time", 0,
		"run a test no longer than this `TIME`, even if it is fewer times (0: as often as --instances says)")
	f.Uint64Var(&h.rig.Seed, "seed", 1, "the `SEED` of all that is drawn")
	f.DurationVar(&h.rig.Limit, "kernel-timeout", gpu.DefaultLimit, "give up when a kernel runs for this `TIME`")
	completeWords(cmd, "machine", slices.Sorted(maps.Keys(rig.Machines)))
}

// settingsFlags declares the flags that give settings.
func (h *hardware) settingsFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&h.settingsFile, "settings", "",
		"a `FILE` with settings, as muster hw tune prints them (JSON; - for standard input); h100 and h200 are "+
			"those that did well there")
	_ = cmd.RegisterFlagCompletionFunc("settings", completeChips)
	f.StringSliceVar(&h.incantations, "incantations", nil,
		"the style of the paper: one instance a launch, with `SOME` of stress,conflicts,sync,randomize; "+
			"none is also one")
	cmd.MarkFlagsMutuallyExclusive("settings", "incantations")
	flags.CompleteLists(cmd, "incantations", harness.IncantationWords())
	h.opaqueFlag(cmd)
}

func (h *hardware) opaqueFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&h.rig.Opaque, "opaque", false,
		"hide from compilers which accesses have one address and which numbers are 0")
}

// open opens the machine.
func (h *hardware) open() error {
	if h.rig.Limit <= 0 {
		return fmt.Errorf("--kernel-timeout must be positive")
	}
	if err := h.rig.Settle(h.incantations, h.settingsFile, h.app.in); err != nil {
		return err
	}
	return h.rig.Open()
}

func (h *hardware) close() {
	if err := h.rig.Close(); err != nil {
		h.app.fail(err)
	}
}

// tests returns the tests that the arguments name. Tests that cannot be run are skipped, and the
// reason is reported.
func (h *hardware) tests(args []string, target harness.Target) campaign.Tests {
	return campaign.Tests{
		Found:  h.app.finder().Tests(args...),
		Config: h.config,
		Target: target,
		GPUs:   h.rig.GPUs(),
		Report: func(err error) {
			if h.said {
				defer func(to io.Writer) { h.app.err = to }(h.app.err)
				h.app.err = io.Discard
			}
			var unable *harness.Unable
			if errors.As(err, &unable) {
				fmt.Fprintf(h.app.err, "%s: skipped: %s\n", unable.Test, unable.Why)
				return
			}
			h.app.report(err)
		},
	}
}

// compiled returns the tests that the arguments name, compiled ahead for the machine.
func (h *hardware) compiled(args []string) campaign.Tests {
	tests := h.tests(args, h.rig.Target())
	tests.Found, tests.Total = h.app.finder().Counted(args...)
	tests.Ahead, tests.Prepare = h.rig.Ahead(), h.rig.Compile
	return tests
}

// ended reports a kernel that ran too long and still runs, and sets the exit status. Only the end
// of the process stops such a kernel. Other errors are returned.
func (h *hardware) ended(err error) error {
	var late *cuda.TimeoutError
	if !errors.As(err, &late) {
		return err
	}
	h.app.status(exitLimit)
	fmt.Fprintln(h.app.err, err)
	h.rig.Abandon()
	return nil
}

func (a *app) hwDevicesCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "devices",
		Short: "List the GPUs",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			driver, err := cuda.Open("")
			if err != nil {
				return err
			}
			defer driver.Close()
			devices, err := driver.Devices()
			if err != nil {
				return err
			}
			for _, d := range devices {
				if asJSON {
					a.printJSON(wire.GPU(d))
					continue
				}
				fmt.Fprintf(a.out, "%d  %s, %s, %d SMs, %d GiB, driver %s, %s\n", d.Index, d.Name, d.Target(), d.SMs,
					d.Memory>>30, driver.Version(), d.UUID)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line for each GPU")
	return cmd
}
