package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/internal/corpus"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/wire"
)

// generation is the gen verb.
type generation struct {
	app     *app
	cycles  []string
	preset  string
	isa     string
	words   gen.Words
	size    string
	threads string
	events  int
	sample  int
	seed    uint64
	out     string
	files   int
	list    bool
	json    bool
}

func (a *app) genCommand() *cobra.Command {
	g := &generation{app: a}
	cmd := &cobra.Command{
		Use:     "gen",
		Short:   "Generate litmus tests from cycles of relations",
		Long:    help("gen"),
		Example: examples("gen"),
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return g.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringArrayVarP(&g.cycles, "cycle", "c", nil, "make the tests of this `CYCLE` (repeatable)")
	f.StringVar(&g.preset, "preset", "", "make a set of tests that has a `NAME`: "+presetNames())
	f.StringVar(&g.isa, "isa", gen.GPUPTX.Name, "`WHICH` tests: gpu_ptx (those of the paper) or ptx (scoped, since PTX 6.0)")
	f.StringVar(&g.words.Edges, "edges", "Rfe Fre Coe Pod**", "the `EDGES` of cycles")
	f.StringVar(&g.words.Accesses, "accesses", "", "what each event may be: `ACCESSES` such as weak,relaxed.* (default: cg, or weak)")
	f.StringVar(&g.words.Levels, "scopes", "", "how close threads may be, where an edge does not say: `LEVELS` of warp, cta, cluster, gpu, sys (default: gpu)")
	f.StringVar(&g.words.Regions, "regions", "", "`WHERE` locations may be: global, shared (where the threads allow it) (default: global)")
	f.StringVar(&g.size, "size", "4", "the number of edges: `N` or MIN..MAX")
	f.StringVar(&g.threads, "threads", "1..4", "the number of threads: `N` or MIN..MAX")
	f.IntVar(&g.events, "per-thread", 0, "a thread has at most `N` accesses (default: no bound)")
	f.IntVar(&g.sample, "sample", 0, "keep `N` tests, chosen by the seed")
	f.Uint64Var(&g.seed, "seed", 1, "the `SEED` of --sample")
	f.StringVarP(&g.out, "out", "o", "-", "write the tests into this `FOLDER`, a tar file (NAME.tar), or to standard output: as text (-) or as tar (tar)")
	f.IntVar(&g.files, "files", manyFiles, "a FOLDER takes up to `N` tests; if there are more, only say how many (0: any number)")
	f.BoolVar(&g.list, "list", false, "print only names and cycles")
	f.BoolVar(&g.json, "json", false, "print one JSON object a line for each test (docs/json.md)")
	cmd.MarkFlagsMutuallyExclusive("list", "json", "out")
	for _, flag := range []string{"edges", "accesses", "size", "threads", "per-thread"} {
		cmd.MarkFlagsMutuallyExclusive("cycle", "preset", flag)
	}
	for _, flag := range []string{"isa", "scopes", "regions"} {
		cmd.MarkFlagsMutuallyExclusive("preset", flag)
	}
	completeWords(cmd, "preset", strings.Split(presetNames(), ", "))
	completeWords(cmd, "isa", slices.Sorted(maps.Keys(gen.ISAs)))
	return cmd
}

func presetNames() string {
	var names []string
	for _, p := range gen.Presets {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

func (g *generation) run(ctx context.Context) error {
	if g.sample < 0 || g.events < 0 || g.files < 0 {
		return fmt.Errorf("--sample, --per-thread and --files must not be negative")
	}
	cycles, err := g.source(ctx)
	if err != nil {
		return err
	}
	to, end, err := g.sink()
	if err != nil {
		return err
	}
	var counts gen.Counts
	tests := gen.Distinct(cycles, &counts)
	if g.sample > 0 {
		tests = gen.Sample(tests, g.sample, g.seed)
	}
	written := 0
	line := g.app.console.Live()
	for t, err := range tests {
		if err == nil {
			err = to(t)
		}
		if err != nil {
			return errors.Join(err, end())
		}
		if written++; written%manyTests == 0 && !g.app.console.OnScreen() {
			line.Show("%d tests", written)
		}
	}
	line.Clear()
	if err := end(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if written == 0 && g.cycles == nil {
		return fmt.Errorf("no test: of %s over these edges, none has one (docs/generate.md)", count(counts.Cycles, "cycle"))
	}
	if g.out != "-" && g.out != "tar" {
		fmt.Fprintf(g.app.err, "%s in %s, from %s: %d say what others say, %d have no test\n",
			count(written, "test"), g.out, count(counts.Cycles, "cycle"), counts.Equal, counts.Unsuited)
	}
	return nil
}

// manyFiles is how many files nobody wants in a folder by mistake.
const manyFiles = 50_000

// manyTests is after how many tests those who wait are told.
const manyTests = 1000

// source is the cycles that are asked for.
func (g *generation) source(ctx context.Context) (iter.Seq[*gen.Cycle], error) {
	if g.preset != "" {
		p := gen.FindPreset(g.preset)
		if p == nil {
			return nil, fmt.Errorf("no preset %s; there are %s", g.preset, presetNames())
		}
		return p.Cycles(ctx), nil
	}
	isa := gen.ISAs[g.isa]
	if isa == nil {
		return nil, fmt.Errorf("--isa is gpu_ptx or ptx, not %q", g.isa)
	}
	generator := &gen.Generator{ISA: isa, Events: g.events}
	words := g.words
	if g.cycles != nil {
		words.Edges = ""
	}
	if err := generator.Add(words); err != nil {
		return nil, err
	}
	if g.cycles != nil {
		return g.patterns(ctx, generator), nil
	}
	var err error
	if generator.Size, err = readRange("--size", g.size); err != nil {
		return nil, err
	}
	generator.Threads, err = readRange("--threads", g.threads)
	return generator.Cycles(ctx), err
}

// readRange reads N or MIN..MAX.
func readRange(flag, text string) (gen.Range, error) {
	low, high, two := strings.Cut(text, "..")
	if !two {
		high = low
	}
	least, err := strconv.Atoi(low)
	most, err2 := strconv.Atoi(high)
	if err != nil || err2 != nil || least < 1 || most < least || most > gen.MaxSize {
		return gen.Range{}, fmt.Errorf("%s is a number from 1 to %d, or a range such as 4..6, not %q", flag, gen.MaxSize, text)
	}
	return gen.Range{Min: least, Max: most}, nil
}

// patterns is the cycles of -c. What is wrong with one does not keep the others.
func (g *generation) patterns(ctx context.Context, open *gen.Generator) iter.Seq[*gen.Cycle] {
	return func(yield func(*gen.Cycle) bool) {
		for _, text := range g.cycles {
			p, err := gen.Parse(src.NewFile("--cycle", text), open.ISA)
			if err == nil {
				err = p.Cycles(ctx, open.Levels, open.Shared, yield)
			}
			if err != nil {
				g.app.fail(err)
			}
		}
	}
}

// sink is what takes each test, and what ends them all: as --out, --list and --json ask.
func (g *generation) sink() (take func(*gen.Test) error, end func() error, err error) {
	if g.json || g.list {
		return g.print, func() error { return nil }, nil
	}
	var to corpus.Sink
	switch {
	case g.out == "-":
		to = corpus.NewText(g.app.out)
	case g.out == "tar":
		to = corpus.NewTar(g.app.out)
	case strings.HasSuffix(g.out, ".tar"):
		to, err = corpus.CreateTar(g.out)
	default:
		to = corpus.NewFolder(g.out, g.files)
	}
	if err != nil {
		return nil, nil, err
	}
	return func(t *gen.Test) error { return to.Write(t.Name.Text, t.String()) }, to.Close, nil
}

// print prints something about a test, in place of the test.
func (g *generation) print(t *gen.Test) error {
	if g.json {
		g.app.printJSON(wire.Generated{Name: t.Name.Text, Arch: t.Arch, Cycle: t.Cycle.String(), Hash: t.Hash(), Text: t.String()})
		return nil
	}
	_, err := fmt.Fprintf(g.app.out, "%-40s %s\n", t.Name.Text, t.Cycle)
	return err
}
