package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/corpus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/solve"
)

// simulation is what the verbs that simulate share: flags, and the models they need.
type simulation struct {
	app     *app
	model   string // a name or path; "" for the default of each test
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

	loaded map[string]*models.Model
}

// flags declares the shared flags.
func (s *simulation) flags(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&s.model, "model", "m", "", "the `MODEL`: a shipped name or a .cat file (default: by the test's header)")
	_ = cmd.RegisterFlagCompletionFunc("model", completeModels)
	s.configFlags(cmd)
}

// configFlags declares the shared flags but the model.
func (s *simulation) configFlags(cmd *cobra.Command) {
	s.config = sim.Defaults()
	f := cmd.Flags()
	f.StringArrayVar(&s.reading.Variants, "variant", nil, "switch on the variant `NAME` of the model (repeatable)")
	f.StringVar(&s.co, "co", "total", "`WHICH` coherence order a model takes as given: total or partial")
	f.IntVar(&s.config.PTX.Unroll, "unroll", s.config.PTX.Unroll, "each backward branch is taken at most `N` times, not counting rounds that leave no trace")
	f.BoolVar(&s.config.PTX.CASFailWrites, "cas-fail-writes", false, "a failed atom.cas writes the old value back, as in herd and Dartagnan")
	f.IntVar(&s.config.Limits.MaxCandidates, "max-candidates", 0, "stop a test after visiting `N` candidate executions (default: no limit)")
	f.DurationVar(&s.config.Timeout, "timeout", 0, "stop a test after this `TIME`, e.g. 10s (default: no limit)")
	f.IntVarP(&s.workers, "jobs", "j", runtime.GOMAXPROCS(0), "simulate `N` tests at a time")
	_ = cmd.RegisterFlagCompletionFunc("co", cobra.FixedCompletions([]string{"total", "partial"}, cobra.ShellCompDirectiveNoFileComp))
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

// check validates the flags; a model that is named is loaded, so that what is wrong
// with it is said before any test runs.
func (s *simulation) check() error {
	if err := s.checkConfig(); err != nil {
		return err
	}
	s.loaded = map[string]*models.Model{}
	names := []string{s.model}
	if s.model == "" {
		names = nil
		for _, arch := range []string{"GPU_PTX", "PTX"} {
			names = append(names, models.Default(arch))
		}
	}
	for _, name := range names {
		m, err := loadModel(name, s.reading)
		if err != nil {
			return err
		}
		s.loaded[name] = m
	}
	return nil
}

// checkConfig validates the flags but the model.
func (s *simulation) checkConfig() error {
	if s.config.PTX.Unroll < 0 || s.workers < 1 || s.config.Limits.MaxCandidates < 0 || s.config.Timeout < 0 {
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
	switch {
	case s.quick:
		s.config.Effort = solve.Quick
	case s.states:
		s.config.Effort = solve.States
	}
	s.reading.PartialCo = s.co == "partial"
	return nil
}

// loadModel loads and checks a model.
func loadModel(name string, reading models.Config) (*models.Model, error) {
	m, err := models.Load(name, reading)
	if err != nil {
		return nil, err
	}
	_, err = m.Check(sim.Vocabulary())
	return m, err
}

// namedModel loads the model that NAME or NAME:VARIANT,VARIANT means. The name of a file may
// have a colon.
func (s *simulation) namedModel(name string) (*models.Model, error) {
	reading := s.reading
	file, variants, _ := strings.Cut(name, ":")
	if exists(name) {
		file, variants = name, ""
	}
	if variants != "" {
		reading.Variants = append(slices.Clone(reading.Variants), strings.Split(variants, ",")...)
	}
	return loadModel(file, reading)
}

// modelFor is the model of a test.
func (s *simulation) modelFor(t *sim.Test) *models.Model {
	if s.model != "" {
		return s.loaded[s.model]
	}
	return s.loaded[models.Default(t.Arch)]
}

// load reads a test.
func (s *simulation) load(ctx context.Context, in input) (*sim.Test, error) {
	f, err := in.open()
	if err != nil {
		return nil, err
	}
	c := s.config
	ctx = c.Limited(ctx)
	c.PTX.Stop = func() error { return context.Cause(ctx) }
	return sim.Load(f, c)
}
