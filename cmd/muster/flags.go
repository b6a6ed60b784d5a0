package main

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/cli/flags"
	"github.com/muster-gpu/muster/internal/tests/batch"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/litmus-tests/recorded"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// simFlags are the flags of verbs that simulate: the models, and how tests are run.
type simFlags struct {
	refs    []string // the models as given; empty for the default of each test
	reading models.Config
	co      string // "total" or "partial"
	engine  string // a key of engines; "" for a verb without the flag
	config  sim.Config
	workers int
}

// declare declares the shared flags, for a verb that asks one model.
func (f *simFlags) declare(cmd *cobra.Command) {
	f.declareModel(cmd,
		"the `MODEL`: NAME or NAME:VARIANT,VARIANT, where NAME is a shipped one or a .cat file (default: "+
			"by the test's header)", 1)
	f.declareConfig(cmd)
}

// declareModel declares the flag --model, which takes at most the given number of models.
func (f *simFlags) declareModel(cmd *cobra.Command, help string, most int) {
	cmd.Flags().VarP(&flags.AtMost{List: &f.refs, Most: most}, "model", "m", help)
	_ = cmd.RegisterFlagCompletionFunc("model", completeModels)
}

// declareConfig declares the shared flags other than --model.
func (f *simFlags) declareConfig(cmd *cobra.Command) {
	f.config = sim.Defaults()
	set := cmd.Flags()
	set.StringArrayVar(&f.reading.Variants, "variant", nil,
		"switch on the variant `NAME` of the models that ask for it (repeatable)")
	_ = cmd.RegisterFlagCompletionFunc("variant", f.completeVariants)
	includeFlag(cmd, &f.reading)
	set.Var(&flags.OneOf[string]{Value: &f.co, Words: orders}, "co",
		"`WHICH` coherence order a model takes as given: total or partial")
	set.IntVar(&f.config.Reading.Unroll, "unroll", f.config.Reading.Unroll,
		"each backward branch is taken at most `N` times, not counting rounds that leave no trace, and 32 "+
			"more of a loop that counts")
	set.BoolVar(&f.config.Reading.CASFailWrites, "cas-fail-writes", false,
		"a failed atom.cas writes the old value back, as in herd and Dartagnan")
	set.IntVar(&f.config.Limits.MaxCandidates, "max-candidates", 0,
		"stop a test after visiting `N` candidate executions (default: no limit)")
	set.DurationVar(&f.config.Timeout, "timeout", 0, "stop a test after this `TIME`, e.g. 10s (default: no limit)")
	f.config.MaxMemory = batch.DefaultMemory()
	set.Var(flags.Size{Bytes: &f.config.MaxMemory}, "max-memory",
		"stop the tests that run when more than `SIZE` of memory is in use; 0 for no limit")
	set.Lookup("max-memory").DefValue = "half of the machine's"
	set.IntVarP(&f.workers, "jobs", "j", runtime.GOMAXPROCS(0),
		"keep `N` cores busy: with as many tests at a time, or with one that takes long")
	completeWords(cmd, "co", orders)
}

// orders and engines are the values of --co and --engine.
var (
	orders  = []string{"total", "partial"}
	engines = map[string]sim.Engine{"": sim.Fast, "fast": sim.Fast, "naive": sim.Naive, "learning": sim.Learning}
)

// declareEngine declares --engine, for verbs that need the answer alone.
func (f *simFlags) declareEngine(cmd *cobra.Command) {
	words := []string{"fast", "learning", "naive"}
	cmd.Flags().Var(&flags.OneOf[string]{Value: &f.engine, Words: words}, "engine",
		"`WHICH` engine finds the answer: fast, learning, which does not count, or naive, which visits "+
			"every candidate execution")
	completeWords(cmd, "engine", words)
}

// simulator validates the flags and loads the models.
func (f *simFlags) simulator(a *app, want sim.Want) (*batch.Simulator, error) {
	if f.config.Reading.Unroll < 0 || f.workers < 1 || f.config.Limits.MaxCandidates < 0 || f.config.Timeout < 0 {
		return nil, fmt.Errorf("--unroll, --max-candidates and --timeout must not be negative, and --jobs at least 1")
	}
	batch.CollectBy(f.config.MaxMemory)
	f.reading.PartialCo = f.co == "partial"
	s, err := batch.NewSimulator(f.refs, f.reading, a.warn)
	if err != nil {
		return nil, err
	}
	s.Config, s.Workers = f.config, f.workers
	s.Config.Cores = sim.NewCores(f.workers)
	s.Config.Engine, s.Config.Want = engines[f.engine], want
	return s, nil
}

// anyNumber is a bound for declareModel that no command line reaches.
const anyNumber = 1 << 30

// includeFlag declares --include, the folders in which models are looked up.
func includeFlag(cmd *cobra.Command, reading *models.Config) {
	cmd.Flags().StringArrayVarP(&reading.Include, "include", "I", nil,
		"look for models and included files in this `FOLDER`, too (repeatable)")
	_ = cmd.MarkFlagDirname("include")
}

// completeWords makes the shell propose the words that a flag takes.
func completeWords(cmd *cobra.Command, flag string, words []string) {
	flags.Complete(cmd, map[string][]string{flag: words})
}

func completeModels(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, info := range models.List() {
		names = append(names, info.Name+"\t"+info.Title)
	}
	return names, cobra.ShellCompDirectiveDefault
}

// completeChips proposes the chips whose records and settings are built in, and files.
func completeChips(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return recorded.Chips(), cobra.ShellCompDirectiveDefault
}

func completeTests(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return corpus.Shipped().Names(), cobra.ShellCompDirectiveDefault
}

// completeVariants proposes the variants that the models ask for.
func (f *simFlags) completeVariants(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var all []string
	if ms, err := models.LoadAll(batch.Meant(f.refs), models.Config{Include: f.reading.Include}); err == nil {
		for _, m := range ms {
			all = append(all, m.Variants()...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), cobra.ShellCompDirectiveNoFileComp
}
