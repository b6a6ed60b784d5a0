package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/muster-gpu/muster/internal/cli/flags"
	"github.com/muster-gpu/muster/internal/tests/batch"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/modules"
)

// verifying is the verify verb.
type verifying struct {
	app     *app
	in      modules.Input
	words   modules.Words
	json    bool
	workers int
}

func (a *app) verifyCommand() *cobra.Command {
	v := &verifying{app: a}
	cmd := &cobra.Command{
		Use:   "verify KERNEL.ptx|DIR…",
		Short: "Prove or refute that kernels are free of races",
		Args:  cobra.MinimumNArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return v.run(cmd.Context(), args) },

		Annotations: modules.FlagsOfOthers,
	}
	f := cmd.Flags()
	declareLaunch(f, &v.in, &v.words)
	f.StringVar(&v.words.Races, "races", "ptx",
		"`WHICH` accesses race that no barrier orders: ptx (unless they are morally strong) or "+
			"barrier (all but two atomics)")
	f.StringVar(&v.words.Benign, "benign", "never",
		"`WHICH` races are tolerated: never or same-value (two writes of equal values)")
	f.StringVar(&v.words.Warps, "warps", "independent",
		"threads of a warp `GO` their own ways (independent), or in lockstep (lockstep, lockstep:N)")
	f.StringArrayVar(&v.words.Reports, "report", nil,
		"note `WHAT` costs time, too: bank-conflicts or divergence (of warps); repeatable")
	f.StringVar(&v.words.Indices, "index-arithmetic", "wrap",
		"indices of 32 bits `WRAP` around (wrap), or are taken not to overflow (nowrap)")
	f.StringVar(&v.words.Only, "only", "", "ask about `WHAT` only: divergence, or block (nothing between blocks)")
	f.StringVar(&v.words.Annotations, "annotations", "all",
		"of calls that annotate kernels, `WHICH` count: all, candidates (invariants are guesses), requires, or none")
	f.BoolVar(&v.in.Config.Adversarial, "adversarial", false,
		"take whatever a thread reads from memory that threads share to be anything")
	f.BoolVar(&v.in.Config.Bounds, "bounds", false, "accesses that leave a variable of the module are alarms")
	f.BoolVar(&v.in.Config.PureExterns, "pure-externs", false,
		"functions without a body touch no shared memory and wait for no thread")
	f.BoolVar(&v.in.Apart, "functions", false,
		"verify functions on their own, too, if no kernel calls them or they promise something (__ensures)")
	f.BoolVar(&v.in.Config.LargeBlocks, "large-blocks", false, "allow blocks of more threads than GPUs run")
	f.IntVar(&v.in.Config.Alarms, "alarms", verify.DefaultAlarms, "stop after `N` alarms of a kernel")
	f.IntVar(&v.in.Config.Budget, "budget", verify.DefaultBudget,
		"give a question up after `N` conflicts of the solver")
	f.DurationVar(&v.in.Timeout, "timeout", modules.DefaultTimeout,
		"stop at a kernel after this `TIME`, and go on with the next; 0 for no limit")
	f.IntVar(&v.in.Few.Threads, "threads", 0,
		"look at one block of `N` threads as a whole: what memory holds in the end is known, for ensures and --equals")
	f.StringVar(&v.in.Few.Engine, "engine", modules.Engines[0],
		"with --threads, `HOW`: intervals (one schedule, where it is proved that one suffices) or schedules (all)")
	f.StringVar(&v.in.Few.Equals, "equals", "",
		"with --threads, ask whether the kernels leave the same in memory as those of the module `FILE`")
	f.StringVar(&v.in.Spec, "spec", "",
		"read the contracts of the kernels in `FILE`; without, in KERNEL.verify beside KERNEL.ptx, "+
			"and in its comments (//@)")
	f.StringVar(&v.words.Solver, "solver", "", "ask the `COMMAND` (z3, cvc5) what the budget does not suffice for")
	f.StringVar(&v.in.Dump, "dump", "", "write the questions as SMT-LIB into the folder `DIR`")
	f.StringVar(&v.in.Litmus, "litmus", "",
		"write the races that a launch shows as PTX litmus tests into the folder `DIR`")
	f.BoolVar(&v.in.From, "from", false, "the inputs are CUDA (.cu) or OpenCL (.cl): compile them with clang or nvcc")
	f.StringArrayVar(&v.in.Flags, "cflag", nil, "with --from, a `FLAG` for the compiler (repeatable)")
	f.BoolVar(&v.json, "json", false, "print one JSON object a line for each kernel (docs/json.md)")
	f.IntVarP(&v.workers, "jobs", "j", runtime.GOMAXPROCS(0), "verify `N` modules at a time")
	flags.Complete(cmd, modules.Choices())
	return cmd
}

// launchFlags are the flags that declareLaunch declares.
var launchFlags = []string{"kernel", "grid", "block", "param"}

// declareLaunch declares the flags that choose kernels and their launch.
func declareLaunch(f *pflag.FlagSet, in *modules.Input, w *modules.Words) {
	f.StringArrayVar(&in.Kernels, "kernel", nil, "the kernel `NAME` only (repeatable)")
	f.StringVar(&w.Grid, "grid", "", "the grid: X, X,Y or X,Y,Z `BLOCKS`, * for any number")
	f.StringVar(&w.Block, "block", "", "a block: X, X,Y or X,Y,Z `THREADS`, * for any number")
	f.StringArrayVar(&w.Params, "param", nil,
		"the parameter `NAME=VALUE` of the kernels has that value; NAME>=VALUE is no less, as a "+
			"signed number (repeatable)")
}

func (v *verifying) run(ctx context.Context, args []string) error {
	if err := errors.Join(v.words.Configure(&v.in.Config), v.in.Check(), modules.Jobs(v.workers)); err != nil {
		return err
	}
	v.in.Stdin = v.app.in
	files, err := v.in.Prepare(ctx, args)
	if err != nil {
		return err
	}
	batch.CollectBesideFiles(files)
	bar := v.app.console.Progress("verifying", len(files))
	defer bar.Done()
	names, unread := modules.Names{}, false
	err = batch.Each(ctx, v.workers, slices.Values(files), func(name string) modules.Verified {
		return v.in.Verify(ctx, name)
	}, func(m modules.Verified) {
		bar.Next()
		names.Add(&m)
		unread = unread || m.Err != nil
		v.print(m)
	})
	if err != nil || unread { // the module that could not be read may have the missing kernel
		return err
	}
	return names.Check(&v.in)
}

// verdictStatus maps verdicts to exit statuses.
var verdictStatus = map[verify.Verdict]int{verify.Alarmed: exitContradicted, verify.Undecided: exitLimit}

func (v *verifying) print(m modules.Verified) {
	if m.Err != nil {
		v.app.fail(m.Err)
	}
	for _, c := range m.Commands {
		if !v.json {
			fmt.Fprintf(v.app.out, "%s: compiled with %s\n", m.Name, c)
		}
	}
	for i, r := range m.Results {
		v.app.status(verdictStatus[r.Verdict])
		if v.json {
			answer := r.JSON()
			answer.Seconds = m.Times[i].Seconds()
			v.app.printJSON(answer)
			continue
		}
		if err := r.WriteText(v.app.out); err != nil {
			v.app.fail(err)
		}
	}
}
