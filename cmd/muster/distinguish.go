package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/internal/corpus"
	"github.com/muster-gpu/muster/internal/probe"
	"github.com/muster-gpu/muster/internal/report"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/wire"
)

// distinction is the distinguish verb.
type distinction struct {
	simulation
	isa     string
	words   gen.Words
	size    string
	threads string
	marks   int
	most    int
	total   time.Duration
	out     string
}

func (a *app) distinguishCommand() *cobra.Command {
	d := &distinction{simulation: simulation{app: a}}
	cmd := &cobra.Command{
		Use:   "distinguish MODEL MODEL",
		Short: "Find the smallest tests on which two models differ",
		Long: `Distinguish makes tests from cycles of ever more edges (muster gen), and among those of one
size with ever more fences, dependencies and other marks. It prints those that the first
model allows and the second forbids, and those for which it is the other way round, smallest
first, each after comments that say why one model forbids it. They are minimized: no
instruction, fence or annotation can be dropped or weakened so that the models still differ.

What cycles are made of follows from what the models speak of, unless --edges, --accesses or
--scopes say it. A MODEL is a shipped name or a .cat file, perhaps with variants after a colon.

Exit status 1 if there is such a test.`,
		Example: `  muster distinguish sc tso
  muster distinguish ptx-7.5 ptx --size 6
  muster distinguish -m mine.cat -m ptx-asplos15 -o differences/
  muster distinguish sc rmo --edges 'Rfe Fre Coe Pod** Membar.gl'`,
		ValidArgsFunction: completeModels,
		RunE: func(cmd *cobra.Command, args []string) error {
			d.refs = append(d.refs, args...)
			if err := d.check(); err != nil {
				return err
			}
			return d.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	d.modelFlag(cmd, "a `MODEL` to tell from the other: NAME or NAME:VARIANT,VARIANT (two)", anyNumber)
	d.configFlags(cmd)
	f.StringVar(&d.isa, "isa", "", "`WHICH` tests: gpu_ptx or ptx (default: by what the models speak of)")
	f.StringVar(&d.words.Edges, "edges", "", "the `EDGES` of cycles (see muster gen; default: by what the models speak of)")
	f.StringVar(&d.words.Accesses, "accesses", "", "what each event may be, the usual first: `ACCESSES` (default: likewise)")
	f.StringVar(&d.words.Levels, "scopes", "", "how close threads may be: `LEVELS` (default: likewise)")
	f.StringVar(&d.size, "size", "5", "look at cycles of up to `N` edges, or MIN..MAX")
	f.StringVar(&d.threads, "threads", "1..4", "the number of threads: `N` or MIN..MAX")
	f.IntVar(&d.marks, "marks", 2, "up to `N` edges of a cycle are more than communication and program order, or accesses more than the usual")
	f.IntVar(&d.most, "max", 10, "stop after `N` tests that only one of the models allows; 0 to find all")
	f.DurationVar(&d.total, "total", 0, "stop the whole search after this `TIME`, e.g. 1m (default: no limit)")
	f.StringVarP(&d.out, "out", "o", "-", "write the tests into this `FOLDER`, or to standard output (-)")
	f.BoolVar(&d.json, "json", false, "print one JSON object a line for each test and the totals (docs/json.md)")
	completeWords(cmd, "isa", []string{gen.GPUPTX.Name, gen.PTX.Name})
	return cmd
}

// check validates the flags and loads the models.
func (d *distinction) check() error {
	if len(d.refs) != 2 {
		return fmt.Errorf("distinguish takes two models, not %d: muster distinguish MODEL MODEL", len(d.refs))
	}
	if d.marks < 0 || d.most < 0 {
		return fmt.Errorf("--marks and --max must not be negative")
	}
	if err := d.simulation.check(); err != nil {
		return err
	}
	if d.isa != "" && gen.ISAs[d.isa] == nil {
		return fmt.Errorf("--isa is gpu_ptx or ptx, not %q", d.isa)
	}
	if d.out == "-" {
		return nil
	}
	return os.MkdirAll(d.out, 0o777)
}

// search is the search that the flags ask for.
func (d *distinction) search() (*probe.Distinction, error) {
	s, err := d.telling(gen.ISAs[d.isa], d.words, d.models[0].Model, d.models[1].Model)
	if err != nil {
		return nil, err
	}
	s.Enough, s.Marks = d.most, d.marks
	if s.Cycles.Threads, err = readRange("--threads", d.threads); err != nil {
		return nil, err
	}
	s.Cycles.Size, err = readRange("--size", d.size)
	if !strings.Contains(d.size, "..") {
		s.Cycles.Size.Min = 1
	}
	return s, err
}

// telling is a search for tests that tell two models apart. The instruction set and the words
// that are left open follow from what the models speak of.
func (s *simulation) telling(isa *gen.ISA, words gen.Words, a, b *cat.Model) (*probe.Distinction, error) {
	if isa == nil {
		isa = probe.ISAFor(a, b)
	}
	usual := probe.WordsFor(isa, a, b)
	words.Edges = nonEmpty(words.Edges, usual.Edges)
	words.Accesses = nonEmpty(words.Accesses, usual.Accesses)
	words.Levels = nonEmpty(words.Levels, usual.Levels)
	d := &probe.Distinction{Models: [2]*cat.Model{a, b}, Config: s.config, Workers: s.workers, Cycles: gen.Generator{ISA: isa}}
	return d, d.Cycles.Add(words)
}

func (d *distinction) run(ctx context.Context) error {
	s, err := d.search()
	if err != nil {
		return err
	}
	line, started := d.app.liveLine(), time.Now()
	s.Progress = func(p probe.Progress) { line.show("%s", searching(p, time.Since(started))) }
	s.Found = func(t *probe.Difference) {
		line.clear()
		d.app.status(exitContradicted)
		if err := d.print(ctx, t); err != nil {
			d.app.fail(err)
		}
	}
	limited := sim.Config{Timeout: d.total}.Limited(ctx)
	found, err := s.Run(limited)
	line.clear()
	if err != nil {
		return err
	}
	if limited.Err() != nil || found.Unknown > 0 {
		d.app.status(exitLimit)
	}
	d.summarize(limited, s, found, time.Since(started))
	return nil
}

// searching says what is looked at, and how long the rest takes if it goes on like this.
func searching(p probe.Progress, took time.Duration) string {
	text := fmt.Sprintf("cycles of size %d with %s: %d", p.Size, count(p.Marks, "mark"), p.Tried)
	if p.Cycles == 0 || p.Tried == 0 {
		return text + " tried"
	}
	left := time.Duration(float64(took) * float64(p.Cycles-p.Tried) / float64(p.Tried))
	return fmt.Sprintf("%s of %d tried, about %v left", text, p.Cycles, left.Round(time.Second))
}

// print prints a test with what the models say of it.
func (d *distinction) print(ctx context.Context, t *probe.Difference) error {
	why, err := d.explain(ctx, t)
	if err != nil {
		return err
	}
	switch {
	case d.json:
		d.app.printJSON(wire.Distinguished{
			Type: "difference", Test: t.Test.Name.Text, AllowedBy: d.refs[t.Allowed], ForbiddenBy: d.refs[1-t.Allowed],
			Cycle: t.Cycle.String(), Size: t.Size, Steps: t.Steps, Explanation: why, Text: t.Test.String(), Hash: t.Test.Hash(),
		})
		return nil
	case d.out == "-":
		fmt.Fprintf(d.app.out, "%s%s\n", comment(why), t.Test)
		return nil
	}
	name := filepath.Join(d.out, t.Test.Name.Text+corpus.Extension)
	return os.WriteFile(name, []byte(comment(why)+t.Test.String()), 0o666)
}

// comment is lines as comments of a litmus test.
func comment(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString("// " + line + "\n")
	}
	return b.String()
}

// explain says why one model forbids the test, and by what execution the other allows it.
func (d *distinction) explain(ctx context.Context, t *probe.Difference) ([]string, error) {
	var lines []string
	for _, i := range []int{1 - t.Allowed, t.Allowed} {
		e, err := t.Test.Explain(ctx, d.models[i].Model)
		if err != nil {
			return nil, err
		}
		for _, o := range e.Outcomes {
			lines = append(lines, verdictLines(d.refs[i], e, &o)...)
		}
	}
	return lines, nil
}

// verdictLines is what a model says of a final state, in words.
func verdictLines(model string, e *sim.Explanation, o *sim.ExplainedState) []string {
	if o.Outcome() == sim.Allowed {
		return []string{
			fmt.Sprintf("%s allows %s", model, o.State.Format(e.Refs)),
			"  by an execution where " + sim.Communication(o.Witness.Execution),
		}
	}
	lines := []string{fmt.Sprintf("%s forbids %s", model, o.State.Format(e.Refs))}
	for _, r := range o.Reasons {
		lines = append(lines, fmt.Sprintf("  by %s, %s:%d: %s", r.Name, r.At.File.Name, r.At.Pos().Line, report.CheckText(r)))
		if path := sim.Steps(r.Execution, &r.Violation); path != "" {
			lines = append(lines, "    "+path)
		}
	}
	return lines
}

// summarize says on standard error what was looked for and found.
func (d *distinction) summarize(ctx context.Context, s *probe.Distinction, found *probe.Distinguished, took time.Duration) {
	if d.json {
		totals := wire.DistinguishTotals{Type: "totals", Tried: found.Tried, Size: s.Cycles.Size.Max, Marks: d.marks, Unknown: found.Unknown, Seconds: took.Seconds()}
		if err := context.Cause(ctx); err != nil {
			totals.Incomplete = err.Error()
		}
		d.app.printJSON(totals)
		return
	}
	for side, tests := range found.Allowed {
		fmt.Fprintf(d.app.err, "allowed by %s, forbidden by %s: %s\n", d.refs[side], d.refs[1-side], d.howMany(ctx, s, found, tests))
	}
	if found.Unknown > 0 {
		fmt.Fprintf(d.app.err, "of %s the answers are not known: %v\n", count(found.Unknown, "test"), found.Limit)
	}
	fmt.Fprintf(d.app.err, "%s tried in %.1f s\n", count(found.Tried, "test"), took.Seconds())
}

// howMany says how many tests only one model allows, and how far they were looked for.
func (d *distinction) howMany(ctx context.Context, s *probe.Distinction, found *probe.Distinguished, tests []*probe.Difference) string {
	where := fmt.Sprintf("up to size %d with up to %s", s.Cycles.Size.Max, count(d.marks, "mark"))
	switch {
	case ctx.Err() != nil:
		where = fmt.Sprintf("so far (%v)", context.Cause(ctx))
	case found.Unknown > 0:
		where = "known " + where
	}
	if len(tests) == 0 {
		return "none " + where
	}
	size := fmt.Sprint(tests[0].Size)
	if last := tests[len(tests)-1].Size; last > tests[0].Size {
		size += fmt.Sprintf(" to %d", last)
	}
	if len(tests) == d.most {
		return fmt.Sprintf("%d minimal tests of size %s; --max 0 finds all", len(tests), size)
	}
	return fmt.Sprintf("%s of size %s, and no other %s", count(len(tests), "minimal test"), size, where)
}
