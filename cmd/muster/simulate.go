package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/batch"
	"github.com/muster-gpu/muster/internal/corpus"
	"github.com/muster-gpu/muster/internal/frontends"
	"github.com/muster-gpu/muster/internal/solve"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// simulation is what the verbs that simulate share: flags, and the models they need.
type simulation struct {
	app     *app
	refs    []string // the models, as given; none for the default of each test
	reading models.Config
	co      string // "total" or "partial"
	engine  string // "fast" or "naive"; "" for a verb that does not ask
	config  sim.Config
	workers int
	json    bool
	states  bool
	quick   bool
	stats   bool
	show    bool
	slow    map[string]bool // why tests were left to the slow engine, as far as it has been said

	evidence evidence // that explain and draw are asked for

	models   []*models.Model                  // that refs mean
	byFormat map[*litmus.Format]*models.Model // if refs mean none
}

// flags declares the shared flags, for a verb that asks one model.
func (s *simulation) flags(cmd *cobra.Command) {
	s.modelFlag(cmd, "the `MODEL`: NAME or NAME:VARIANT,VARIANT, where NAME is a shipped one or a .cat file (default: by the test's header)", 1)
	s.configFlags(cmd)
}

// modelFlag declares the flag for models, of which a verb takes so many at most.
func (s *simulation) modelFlag(cmd *cobra.Command, help string, most int) {
	cmd.Flags().VarP(&atMost{&s.refs, most}, "model", "m", help)
	_ = cmd.RegisterFlagCompletionFunc("model", completeModels)
}

// anyNumber of models.
const anyNumber = 1 << 30

// atMost is a flag that can be repeated, but not for ever: to take the last of several models
// would leave the others out without a word.
type atMost struct {
	list *[]string
	most int
}

func (l *atMost) Set(text string) error {
	if len(*l.list) == l.most {
		return fmt.Errorf("%s given already: this verb takes %s; compare sets several against each other", strings.Join(*l.list, " and "), count(l.most, "model"))
	}
	*l.list = append(*l.list, text)
	return nil
}

func (l *atMost) Type() string   { return "stringArray" }
func (l *atMost) String() string { return "" }

// configFlags declares the shared flags but the model.
func (s *simulation) configFlags(cmd *cobra.Command) {
	s.config = sim.Defaults()
	f := cmd.Flags()
	f.StringArrayVar(&s.reading.Variants, "variant", nil, "switch on the variant `NAME` of the models that ask for it (repeatable)")
	_ = cmd.RegisterFlagCompletionFunc("variant", s.completeVariants)
	includeFlag(cmd, &s.reading)
	f.StringVar(&s.co, "co", "total", "`WHICH` coherence order a model takes as given: total or partial")
	f.IntVar(&s.config.Reading.Unroll, "unroll", s.config.Reading.Unroll, "each backward branch is taken at most `N` times, not counting rounds that leave no trace")
	f.BoolVar(&s.config.Reading.CASFailWrites, "cas-fail-writes", false, "a failed atom.cas writes the old value back, as in herd and Dartagnan")
	f.IntVar(&s.config.Limits.MaxCandidates, "max-candidates", 0, "stop a test after visiting `N` candidate executions (default: no limit)")
	f.DurationVar(&s.config.Timeout, "timeout", 0, "stop a test after this `TIME`, e.g. 10s (default: no limit)")
	s.config.MaxMemory = batch.DefaultMemory()
	f.Var(size{&s.config.MaxMemory}, "max-memory", "stop the tests that run when more than `SIZE` of memory is in use; 0 for no limit")
	f.Lookup("max-memory").DefValue = "half of the machine's"
	f.IntVarP(&s.workers, "jobs", "j", runtime.GOMAXPROCS(0), "simulate `N` tests at a time")
	_ = cmd.RegisterFlagCompletionFunc("co", cobra.FixedCompletions([]string{"total", "partial"}, cobra.ShellCompDirectiveNoFileComp))
}

// includeFlag declares the flag for the folders of models.
func includeFlag(cmd *cobra.Command, reading *models.Config) {
	cmd.Flags().StringArrayVarP(&reading.Include, "include", "I", nil, "look for models and what they include in this `FOLDER`, too (repeatable)")
	_ = cmd.MarkFlagDirname("include")
}

// engines are the values of --engine.
var engines = map[string]sim.Engine{"fast": sim.Fast, "naive": sim.Naive}

// engineFlag declares the choice of an engine, for verbs that need no more than the answer.
func (s *simulation) engineFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.engine, "engine", "fast", "`WHICH` engine finds the answer: fast, or naive, which visits every candidate execution")
	_ = cmd.RegisterFlagCompletionFunc("engine", cobra.FixedCompletions([]string{"fast", "naive"}, cobra.ShellCompDirectiveNoFileComp))
}

func completeModels(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, info := range models.List() {
		names = append(names, info.Name+"\t"+info.Title)
	}
	return names, cobra.ShellCompDirectiveDefault
}

func completeTests(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return corpus.Shipped().Names(), cobra.ShellCompDirectiveDefault
}

// completeVariants lists the variants that the models ask for.
func (s *simulation) completeVariants(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var all []string
	if ms, err := models.LoadAll(s.meant(), models.Config{Include: s.reading.Include}); err == nil {
		for _, m := range ms {
			all = append(all, m.Variants()...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), cobra.ShellCompDirectiveNoFileComp
}

// meant is the models that are asked: those that are given, or the defaults.
func (s *simulation) meant() []string {
	if len(s.refs) > 0 {
		return s.refs
	}
	var refs []string
	for _, f := range frontends.Formats() {
		refs = append(refs, f.Model)
	}
	return refs
}

// check validates the flags, and loads and checks the models, so that what is wrong with one is
// said before any test runs.
func (s *simulation) check() error {
	if err := s.checkConfig(); err != nil {
		return err
	}
	all, err := models.LoadAll(s.meant(), s.reading)
	if err != nil {
		return err
	}
	for _, m := range all {
		summary, err := m.Check(sim.Vocabulary())
		if err != nil {
			return err
		}
		if len(summary.Checks)+len(summary.Flags) == 0 {
			fmt.Fprintf(s.app.err, "warning: %s has no checks: it allows every candidate execution\n", m.Name)
		}
	}
	if len(s.refs) > 0 {
		s.models = all
		return nil
	}
	s.byFormat = map[*litmus.Format]*models.Model{}
	for i, f := range frontends.Formats() {
		s.byFormat[f] = all[i]
	}
	return nil
}

// checkConfig validates the flags but the model.
func (s *simulation) checkConfig() error {
	if s.config.Reading.Unroll < 0 || s.workers < 1 || s.config.Limits.MaxCandidates < 0 || s.config.Timeout < 0 {
		return fmt.Errorf("--unroll, --max-candidates and --timeout must not be negative, and --jobs at least 1")
	}
	if s.co != "total" && s.co != "partial" {
		return fmt.Errorf("--co is total or partial, not %q", s.co)
	}
	engine, ok := engines[s.engine]
	if s.engine != "" && !ok {
		return fmt.Errorf("--engine is fast or naive, not %q", s.engine)
	}
	s.config.Engine = engine
	batch.CollectBy(s.config.MaxMemory)
	switch {
	case s.quick:
		s.config.Effort = solve.Quick
	case s.states:
		s.config.Effort = solve.States
	}
	s.reading.PartialCo = s.co == "partial"
	return nil
}

// modelsFor is the models of a test.
func (s *simulation) modelsFor(t *sim.Test) []*models.Model {
	if len(s.models) > 0 {
		return s.models
	}
	return []*models.Model{s.byFormat[t.Format]}
}

// modelFor is the model of a test, for a verb that asks one.
func (s *simulation) modelFor(t *sim.Test) *models.Model { return s.modelsFor(t)[0] }

// load reads a test.
func (s *simulation) load(ctx context.Context, in corpus.Test) (*sim.Test, error) {
	f, err := in.Open()
	if err != nil {
		return nil, err
	}
	c := s.config
	ctx = c.Limited(ctx)
	c.Reading.Stop = func() error { return context.Cause(ctx) }
	return sim.Load(f, c)
}

// size is a flag for an amount of memory.
type size struct{ bytes *sim.Bytes }

func (s size) String() string {
	if s.bytes == nil || *s.bytes == 0 {
		return "0"
	}
	return s.bytes.String()
}

func (size) Type() string { return "SIZE" }

func (s size) Set(text string) (err error) {
	*s.bytes, err = batch.ParseBytes(text)
	return err
}
