package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/internal/cli/flags"
	"github.com/muster-gpu/muster/internal/cli/report"
	"github.com/muster-gpu/muster/internal/tests/batch"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/internal/tests/probe"
	"github.com/muster-gpu/muster/sim"
)

// distinction is the distinguish verb.
type distinction struct {
	app    *app
	flags  simFlags
	wanted probe.Wanted
	total  time.Duration
	out    string
	names  corpus.FileNames
	json   bool

	sim    *batch.Simulator
	search *report.Search
}

func (a *app) distinguishCommand() *cobra.Command {
	d := &distinction{app: a}
	cmd := &cobra.Command{
		Use:               "distinguish MODEL MODEL",
		Short:             "Find the smallest tests on which two models differ",
		ValidArgsFunction: completeModels,
		RunE: func(cmd *cobra.Command, args []string) error {
			d.flags.refs = append(d.flags.refs, args...)
			if err := d.check(); err != nil {
				return err
			}
			return d.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	d.flags.declareModel(cmd, "a `MODEL` to tell from the other: NAME or NAME:VARIANT,VARIANT (two)", anyNumber)
	d.flags.declareConfig(cmd)
	f.StringVar(&d.wanted.ISA, "isa", "",
		"`WHICH` tests: "+strings.Join(gen.ISANames(), ", ")+" (default: those that the models mention)")
	f.StringVar(&d.wanted.Words.Edges, "edges", "",
		"the `EDGES` of cycles (see muster gen; default: those that the models mention)")
	f.StringVar(&d.wanted.Words.Accesses, "accesses", "",
		"what each event may be, the usual first: `ACCESSES` (default: likewise)")
	f.StringVar(&d.wanted.Words.Levels, "scopes", "", "how close threads may be: `LEVELS` (default: likewise)")
	f.StringVar(&d.wanted.Size, "size", "5", "look at cycles of up to `N` edges, or MIN..MAX")
	f.StringVar(&d.wanted.Threads, "threads", "1..4", "the number of threads: `N` or MIN..MAX")
	f.IntVar(&d.wanted.Marks, "marks", 2,
		"up to `N` edges of a cycle are more than communication and program order, or accesses more than the usual")
	f.IntVar(&d.wanted.Most, "max", 10, "stop after `N` tests that only one of the models allows; 0 to find all")
	f.DurationVar(&d.total, "total", 0, "stop the whole search after this `TIME`, e.g. 1m (default: no limit)")
	f.StringVarP(&d.out, "out", "o", "-", "write the tests into this `FOLDER`, or to standard output (-)")
	f.BoolVar(&d.json, "json", false, "print one JSON object a line for each test and the totals (docs/json.md)")
	completeWords(cmd, "isa", gen.ISANames())
	flags.CompleteLists(cmd, "scopes", gen.LevelNames())
	return cmd
}

// check validates the flags and loads the models.
func (d *distinction) check() (err error) {
	if n := len(d.flags.refs); n != 2 {
		return fmt.Errorf("distinguish takes two models, not %d: muster distinguish MODEL MODEL", n)
	}
	if d.sim, err = d.flags.simulator(d.app, sim.Counts); err != nil {
		return err
	}
	search, err := d.wanted.Search(d.sim.Models[0], d.sim.Models[1], d.sim.Config, d.sim.Workers)
	if err != nil {
		return err
	}
	d.search = &report.Search{Distinction: search, Names: [2]string(d.flags.refs)}
	if d.out == "-" {
		return nil
	}
	return os.MkdirAll(d.out, 0o777)
}

func (d *distinction) run(ctx context.Context) error {
	s := d.search
	line, started := d.app.console.Live(), time.Now()
	s.Progress = func(p probe.Progress) { line.Show("%s", report.Searching(p, time.Since(started))) }
	s.Distinction.Found = func(t *probe.Difference) {
		line.Clear()
		d.app.status(exitContradicted)
		if err := d.print(ctx, t, s.Names); err != nil {
			d.app.fail(err)
		}
	}
	limited := sim.Config{Timeout: d.total}.Limited(ctx)
	var err error
	s.Found, err = s.Run(limited)
	line.Clear()
	if err != nil {
		return err
	}
	s.Took = time.Since(started)
	if limited.Err() != nil {
		s.Limit = context.Cause(limited)
	}
	if s.Limit != nil || s.Found.Unknown > 0 {
		d.app.status(exitLimit)
	}
	if d.json {
		d.app.printJSON(s.TotalsJSON())
	} else {
		d.app.notes().Search(s)
	}
	return nil
}

// print prints a test, with the reason why one model forbids it and the execution by which the
// other allows it.
func (d *distinction) print(ctx context.Context, t *probe.Difference, names [2]string) error {
	var why []string
	for _, i := range []int{1 - t.Allowed, t.Allowed} {
		e, err := t.Test.Explain(ctx, d.sim.Models[i].Model)
		if err != nil {
			return err
		}
		why = append(why, report.VerdictLines(names[i], e)...)
	}
	switch {
	case d.json:
		d.app.printJSON(report.DistinguishedJSON(t, names, why))
		return nil
	case d.out == "-":
		fmt.Fprintf(d.app.out, "%s%s\n", report.Comment(why), t.Test)
		return nil
	}
	name := filepath.Join(d.out, d.names.Of(t.Test.Name.Text)+corpus.Extension)
	return os.WriteFile(name, []byte(report.Comment(why)+t.Test.String()), 0o666)
}
