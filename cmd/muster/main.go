// Command muster says which outcomes of GPU litmus tests a memory model allows,
// explains why it forbids the others, and checks the answer against what hardware was
// seen to do.
//
//	main.go      the command, its exit status
//	flags.go     the flags that verbs share
//	run.go check.go explain.go draw.go compare.go   the verbs about tests
//	gen.go minimize.go distinguish.go cover.go translate.go   those that make and probe them
//	verify.go hw*.go                                those about kernels and GPUs
//	cat.go list.go results.go serve.go              and the rest
//
// A verb declares its flags, calls a library, and prints what package report makes of the result.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster"
	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/internal/cli/console"
	"github.com/muster-gpu/muster/internal/cli/flags"
	"github.com/muster-gpu/muster/internal/cli/report"
	"github.com/muster-gpu/muster/internal/tests/batch"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// The exit statuses. When several apply, the first of these counts: an input that could not be
// read, a contradiction, a limit.
const (
	exitOK           = 0
	exitContradicted = 1 // a verdict or an observation contradicts what was expected
	exitBadInput     = 2 // bad usage, or some input could not be read
	exitLimit        = 3 // a limit cut some answer short
)

// app is one invocation of the command: its streams and its exit status.
type app struct {
	in       io.Reader
	console  *console.Console      // nil in tests
	out, err io.Writer             // of the console
	seen     console.Statuses      // the exit statuses that apply
	made     iter.Seq[corpus.Test] // tests to read in place of standard input; nil for none
}

// text returns the report for standard output.
func (a *app) text() *report.Text { return &report.Text{Out: a.out, Alarm: a.console.Alarm} }

// notes returns the report for standard error: how the work went.
func (a *app) notes() *report.Text { return &report.Text{Out: a.err} }

// printJSON prints v as a line of JSON.
func (a *app) printJSON(v any) {
	if err := report.JSON(a.out, v); err != nil {
		a.fail(err)
	}
}

// warn prints a warning.
func (a *app) warn(format string, args ...any) {
	fmt.Fprintf(a.err, "warning: "+format+"\n", args...)
}

// incomplete reports a limit that cut the answer about a test short, unless limit is nil.
func (a *app) incomplete(test string, limit error) {
	if limit != nil && !console.IsLost(limit) && !console.IsFull(limit) {
		a.status(exitLimit)
		fmt.Fprintf(a.err, "%s: incomplete: %s\n", test, report.Limit(limit))
	}
}

// reserve reports what qualifies an answer about a test: a limit, or a forall over no final state,
// which counts as contradicted.
func (a *app) reserve(t *sim.Test, model string, limit error, vacuous bool) {
	a.incomplete(t.Name.Text, limit)
	if vacuous {
		a.status(exitContradicted)
		fmt.Fprintf(a.err, "%s: %s\n", t.Name.Text, report.Vacuous(t, model))
	}
}

// finder returns the finder of the tests that arguments name.
func (a *app) finder() corpus.Finder { return corpus.Finder{Stdin: a.in, Made: a.made} }

// status notes that an exit status applies.
func (a *app) status(code int) { a.seen[code] = true }

func (a *app) exit() int { return a.seen.First(exitBadInput, exitContradicted, exitLimit) }

// fail reports an error in some input. Work on other inputs goes on, unless the disk is full
// (console.Said).
func (a *app) fail(err error) {
	a.status(exitBadInput)
	if !a.console.Said(err) {
		fmt.Fprintln(a.err, err)
	}
}

// usage reports an error that ends the invocation. Diagnostics of a file are printed without the
// prefix "muster:".
func (a *app) usage(err error) {
	var diags src.Diagnostics
	if !errors.As(err, &diags) {
		err = fmt.Errorf("muster: %w", err)
	}
	a.fail(err)
}

// report reports an error of some input, be it a limit that was hit or a bad input, and sets the
// exit status.
func (a *app) report(err error) {
	if !sim.IsLimit(err) && !harness.IsLate(err) {
		a.fail(err)
		return
	}
	a.status(exitLimit)
	fmt.Fprintln(a.err, err)
}

func main() { os.Exit(run()) }

// run is main for tests: it returns the exit status.
func run() int {
	batch.CollectSeldom()
	ctx, stop := context.WithCancelCause(console.Interruptible())
	defer stop(nil)
	c := console.New(os.Stdout, os.Stderr)
	c.Stop = stop
	a := &app{in: os.Stdin, console: c, out: c.Out, err: c.Err, seen: console.Statuses{}}
	err := a.root().ExecuteContext(ctx)
	switch lost := c.End(); {
	case lost != nil:
		// %v, because fail skips errors that wrap a *console.LostError
		a.fail(fmt.Errorf("muster: %v", lost))
	case err == nil, c.Full() && console.Ended(ctx, err):
	case console.Ended(ctx, err):
		fmt.Fprintln(a.err, "muster: interrupted")
		a.status(exitLimit)
	default:
		a.usage(err)
	}
	return a.exit()
}

func (a *app) root() *cobra.Command {
	cmd := &cobra.Command{
		Use:           "muster",
		Short:         "An axiomatic memory-model simulator for GPUs",
		Version:       muster.Build(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	cmd.SetOut(a.out)
	cmd.SetErr(a.err)
	cmd.AddCommand(
		a.runCommand(),
		a.checkCommand(),
		a.explainCommand(),
		a.drawCommand(),
		a.genCommand(),
		a.compareCommand(),
		a.distinguishCommand(),
		a.coverCommand(),
		a.minimizeCommand(),
		a.translateCommand(),
		a.hwCommand(),
		a.catCommand(),
		a.modelsCommand(),
		a.testsCommand(),
		a.verifyCommand(),
		a.serveCommand(),
		a.siteCommand(),
		a.mergeCommand(),
		a.resultsCommand(),
		a.campaignCommand(),
	)
	document(cmd, "")
	flags.PointToHelp(cmd)
	return cmd
}
