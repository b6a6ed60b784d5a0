package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/cuda"
	"github.com/muster-gpu/muster/harness/gpu"
	"github.com/muster-gpu/muster/harness/interp"
	"github.com/muster-gpu/muster/internal/batch"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/wire"
)

// hardware is what the hw verbs share.
type hardware struct {
	app          *app
	config       sim.Config
	device       int
	machineName  string // "gpu" or "interpreter"
	settingsFile string
	incantations []string
	instances    int
	seed         uint64
	limit        time.Duration // of a kernel

	settings    harness.Tunings
	machine     harness.Machine
	fixedTarget harness.Target // where no machine says it
	gpu         *gpu.GPU       // nil for the interpreter
}

func (a *app) hwCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "hw",
		Short:   "Run litmus tests on a GPU and record what it does",
		Long:    help("hw"),
		Example: examples("hw"),
	}
	cmd.AddCommand(a.hwDevicesCommand(), a.hwRunCommand(), a.hwRecordCommand(), a.hwTuneCommand(), a.hwEmitCommand(), a.hwOptcheckCommand())
	return cmd
}

// incantations are the words of --incantations (ASPLOS 2015, Sec. 4.3), and what they switch on.
var incantations = []struct {
	word string
	of   func(*harness.Incantations) *bool
}{
	{"stress", func(i *harness.Incantations) *bool { return &i.Stress }},
	{"conflicts", func(i *harness.Incantations) *bool { return &i.Conflicts }},
	{"sync", func(i *harness.Incantations) *bool { return &i.Sync }},
	{"randomize", func(i *harness.Incantations) *bool { return &i.Randomize }},
	{"none", func(*harness.Incantations) *bool { return new(bool) }},
}

func incantationWords() []string {
	var words []string
	for _, i := range incantations {
		words = append(words, i.word)
	}
	return words
}

// flags declares the flags of verbs that run kernels.
func (h *hardware) flags(cmd *cobra.Command) {
	h.config = sim.Defaults()
	h.settingsFlags(cmd)
	f := cmd.Flags()
	f.IntVar(&h.device, "device", 0, "the GPU with the number `N` (muster hw devices)")
	f.StringVar(&h.machineName, "machine", "gpu", "`WHAT` runs the kernels: gpu, or interpreter, which has no weak behaviour and needs no GPU")
	f.IntVarP(&h.instances, "instances", "n", 0, "run each test `N` times, at least (default 1000000; 1000 with the interpreter)")
	f.Uint64Var(&h.seed, "seed", 1, "the `SEED` of all that is drawn")
	f.DurationVar(&h.limit, "kernel-timeout", gpu.DefaultLimit, "give up when a kernel runs for this `TIME`")
	completeWords(cmd, "machine", slices.Sorted(maps.Keys(usual)))
}

// usual is what a machine runs unless flags say otherwise. The interpreter takes some 30 ms for a
// thousand instances, and for a million with the settings of a GPU minutes.
var usual = map[string]struct {
	settings  func() harness.Settings
	draw      func(*rand.Rand) harness.Settings
	instances int
}{
	"gpu":         {harness.Usual, harness.Draw, 1_000_000},
	"interpreter": {harness.Few, harness.DrawFew, 1000},
}

// settingsFlags declares the flags that give settings.
func (h *hardware) settingsFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&h.settingsFile, "settings", "", "a `FILE` with settings, as muster hw tune prints them (JSON; - for standard input)")
	f.StringSliceVar(&h.incantations, "incantations", nil, "the style of the paper: one instance a launch, with `SOME` of stress,conflicts,sync,randomize; none is also one")
	cmd.MarkFlagsMutuallyExclusive("settings", "incantations")
	completeWords(cmd, "incantations", incantationWords())
}

// readSettings reads what the flags say.
func (h *hardware) readSettings() error {
	h.settings.Settings = harness.Usual()
	if m, ok := usual[h.machineName]; ok {
		h.settings.Settings = m.settings()
	}
	switch {
	case h.incantations != nil:
		var some harness.Incantations
		for _, word := range h.incantations {
			i := slices.Index(incantationWords(), word)
			if i < 0 {
				return fmt.Errorf("no incantation %q; there are %s", word, strings.Join(incantationWords(), ", "))
			}
			*incantations[i].of(&some) = true
		}
		h.settings.Settings = some.Settings()
	case h.settingsFile != "":
		text, err := readFileOrStdin(h.app, h.settingsFile)
		if err != nil {
			return err
		}
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&h.settings); err != nil {
			return fmt.Errorf("%s: %w", h.settingsFile, err)
		}
	}
	return nil
}

// open opens the machine.
func (h *hardware) open() error {
	if err := h.readSettings(); err != nil {
		return err
	}
	if h.instances < 0 {
		return fmt.Errorf("--instances must be positive")
	}
	if h.instances == 0 {
		h.instances = usual[h.machineName].instances
	}
	switch h.machineName {
	case "interpreter":
		h.machine = interp.New(h.seed)
		return nil
	case "gpu":
		g, err := gpu.Open("", h.device)
		if err != nil {
			return err
		}
		g.Limit = h.limit
		h.machine, h.gpu = g, g
		return nil
	}
	return fmt.Errorf("--machine is gpu or interpreter, not %q", h.machineName)
}

func (h *hardware) close() {
	if h.gpu != nil {
		if err := h.gpu.Close(); err != nil {
			h.app.fail(err)
		}
	}
}

// target is what kernels are made for.
func (h *hardware) target() harness.Target {
	switch {
	case h.gpu != nil:
		return h.gpu.Target()
	case h.fixedTarget != 0:
		return h.fixedTarget
	}
	return harness.SM90
}

// deviceRecord describes the machine in records.
func (h *hardware) deviceRecord() observe.Device {
	if h.gpu == nil {
		return observe.Device{Name: "interpreter", Vendor: "muster"}
	}
	d := h.gpu.Device()
	return observe.Device{
		Name: d.Name, Vendor: "Nvidia", Chip: d.Name, ComputeCapability: fmt.Sprintf("%d.%d", d.Major, d.Minor),
		Driver: h.gpu.Driver(), UUID: d.UUID,
	}
}

// toolkit is what has made machine code of the kernels.
func (h *hardware) toolkit() string {
	if h.gpu == nil {
		return "none: an interpreter ran the PTX"
	}
	return "the compiler of the driver, CUDA " + h.gpu.Driver()
}

// eachPlan loads tests and lays them out; those that cannot be run are skipped with the reason.
// What fails for one test does not keep the others, unless it has broken the GPU.
func (h *hardware) eachPlan(ctx context.Context, args []string, do func(*sim.Test, *harness.Plan) error) error {
	for in := range h.app.finder().Tests(args...) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t, err := batch.Load(ctx, in, h.config)
		if err != nil {
			h.app.report(err)
			continue
		}
		plan, err := harness.NewPlan(t.Test, t.Program, h.target())
		var unable *harness.Unable
		if errors.As(err, &unable) {
			fmt.Fprintf(h.app.err, "%s: skipped: %s\n", unable.Test, unable.Why)
			continue
		}
		if err == nil {
			err = do(t, plan)
		}
		var late *cuda.TimeoutError
		var broken *cuda.BrokenError
		var lost *notRecordedError
		switch {
		case errors.As(err, &late): // the kernel still runs, and only the end of the program stops it
			h.app.status(exitLimit)
			fmt.Fprintln(h.app.err, err)
			h.gpu = nil
			return nil
		case errors.As(err, &broken), errors.As(err, &lost):
			return err
		case err != nil && ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			h.app.fail(err)
		}
	}
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
				fmt.Fprintf(a.out, "%d  %s, %s, %d SMs, %d GiB, driver %s, %s\n", d.Index, d.Name, d.Target(), d.SMs, d.Memory>>30, driver.Version(), d.UUID)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line for each GPU")
	return cmd
}
