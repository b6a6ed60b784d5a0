package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/internal/cli/flags"
	"github.com/muster-gpu/muster/internal/cli/report"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/wire"
)

// generation is the gen verb.
type generation struct {
	app     *app
	request gen.Request
	sample  int
	seed    uint64
	out     string
	files   int
	list    bool
	json    bool
	runs    bool
}

func (a *app) genCommand() *cobra.Command {
	g := &generation{app: a}
	cmd := &cobra.Command{
		Use:   "gen [--run -- FLAG…]",
		Short: "Generate litmus tests from cycles of relations",
		RunE:  func(cmd *cobra.Command, args []string) error { return g.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.StringArrayVarP(&g.request.Cycles, "cycle", "c", nil, "make the tests of this `CYCLE` (repeatable)")
	f.StringVar(&g.request.Preset, "preset", "",
		"make a set of tests that has a `NAME`: "+strings.Join(gen.PresetNames(), ", "))
	f.StringVar(&g.request.ISA, "isa", gen.GPUPTX.Name,
		"`WHICH` tests: gpu_ptx (those of the paper), ptx (scoped, since PTX 6.0), c11, opencl, cuda")
	f.StringVar(&g.request.Words.Edges, "edges", "Rfe Fre Coe Pod**", "the `EDGES` of cycles")
	f.StringVar(&g.request.Words.Accesses, "accesses", "",
		"what each event may be: `ACCESSES` such as weak,relaxed.* (default: cg, weak, or relaxed)")
	f.StringVar(&g.request.Words.Levels, "scopes", "",
		"how close threads may be, where an edge does not say: `LEVELS` of warp, cta, cluster, gpu, sys (default: gpu)")
	f.StringVar(&g.request.Words.Regions, "regions", "",
		"`WHERE` locations may be: global, shared (where the threads allow it) (default: global)")
	f.StringVar(&g.request.Size, "size", "4", "the number of edges: `N` or MIN..MAX")
	f.StringVar(&g.request.Threads, "threads", "1..4", "the number of threads: `N` or MIN..MAX")
	f.IntVar(&g.request.Events, "per-thread", 0, "a thread has at most `N` accesses (default: no bound)")
	f.IntVar(&g.sample, "sample", 0, "keep `N` tests, chosen by the seed")
	f.Uint64Var(&g.seed, "seed", 1, "the `SEED` of --sample")
	f.StringVarP(&g.out, "out", "o", "-",
		"write the tests into this `FOLDER`, a tar file (NAME.tar), or to standard output: as text (-) or as tar (tar)")
	f.IntVar(&g.files, "files", corpus.ManyFiles,
		"a FOLDER takes up to `N` tests; if there are more, only say how many (0: any number)")
	f.BoolVar(&g.list, "list", false, "print only names and cycles")
	f.BoolVar(&g.json, "json", false, "print one JSON object a line for each test (docs/json.md)")
	f.BoolVar(&g.runs, "run", false, "simulate the tests at once; behind -- stand the flags of muster run")
	cmd.MarkFlagsMutuallyExclusive("list", "json", "out", "run")
	for _, flag := range []string{"edges", "accesses", "size", "threads", "per-thread"} {
		cmd.MarkFlagsMutuallyExclusive("cycle", "preset", flag)
	}
	for _, flag := range []string{"isa", "scopes", "regions"} {
		cmd.MarkFlagsMutuallyExclusive("preset", flag)
	}
	completeWords(cmd, "preset", gen.PresetNames())
	completeWords(cmd, "isa", gen.ISANames())
	flags.CompleteLists(cmd, "scopes", gen.LevelNames())
	flags.CompleteLists(cmd, "regions", gen.RegionNames())
	return cmd
}

func (g *generation) run(ctx context.Context, args []string) error {
	switch {
	case len(args) > 0 && !g.runs:
		return fmt.Errorf("gen takes no arguments but those of run, behind --run --")
	case g.sample < 0 || g.request.Events < 0 || g.files < 0:
		return fmt.Errorf("--sample, --per-thread and --files must not be negative")
	}
	cycles, err := g.request.Source(ctx, g.app.fail)
	if err != nil {
		return err
	}
	var counts gen.Counts
	tests := gen.Sample(gen.Distinct(cycles, &counts), g.sample, g.seed)
	if g.runs {
		return g.simulate(ctx, tests, args)
	}
	to, end, err := g.sink()
	if err != nil {
		return err
	}
	written, line := 0, g.app.console.Live()
	for t, err := range tests {
		if err == nil {
			err = to(t)
		}
		if err != nil {
			return errors.Join(err, end())
		}
		// report progress where no bar shows it
		if written++; written%1000 == 0 && !g.app.console.OnScreen() {
			line.Show("%d tests", written)
		}
	}
	line.Clear()
	if err := corpus.Ended(end(), context.Cause(ctx)); err != nil {
		return err
	}
	if written == 0 && g.request.Cycles == nil {
		return fmt.Errorf("no test: of %s over these edges, none has one (docs/generate.md)",
			report.Count(counts.Cycles, "cycle"))
	}
	if g.out != "-" && g.out != "tar" {
		fmt.Fprintf(g.app.err, "%s in %s, from %s: %d are duplicates, %d have no test\n",
			report.Count(written, "test"), g.out, report.Count(counts.Cycles, "cycle"), counts.Equal, counts.Unsuited)
	}
	return nil
}

// simulate runs the verb run on the generated tests. They are passed as values, without being
// printed and read again.
func (g *generation) simulate(ctx context.Context, tests iter.Seq2[*gen.Test, error], args []string) error {
	a := *g.app
	a.made = corpus.Made(tests, func(t *gen.Test) *litmus.Test { return t.Test })
	cmd := a.root()
	cmd.SetArgs(slices.Concat([]string{"run"}, args, []string{"-"}))
	return cmd.ExecuteContext(ctx)
}

// sink returns a function that takes each test and one that ends the output, as --out, --list and
// --json ask.
func (g *generation) sink() (take func(*gen.Test) error, end func() error, err error) {
	if g.json || g.list {
		return g.print, func() error { return nil }, nil
	}
	to, err := corpus.SinkFor(g.out, g.app.out, g.files)
	if err != nil {
		return nil, nil, err
	}
	return func(t *gen.Test) error { return to.Write(t.Name.Text, t.String()) }, to.Close, nil
}

// print prints facts about a test instead of the test.
func (g *generation) print(t *gen.Test) error {
	if g.json {
		g.app.printJSON(
			wire.Generated{Name: t.Name.Text, Arch: t.Arch, Cycle: t.Cycle.String(), Hash: t.Hash(), Text: t.String()})
		return nil
	}
	_, err := fmt.Fprintf(g.app.out, "%-40s %s\n", t.Name.Text, t.Cycle)
	return err
}
