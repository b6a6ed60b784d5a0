// Command same compares the answers of two builds of muster, old and new, on a corpus that reaches
// every engine. A change that is meant to change no answer must leave it silent.
//
//	go run ./internal/testkit/same [flags] OLD NEW [SUITE…]
//
// OLD and NEW are binaries of muster. A suite is a list of command lines; without SUITE, all suites
// run:
//
//	shipped   the shipped tests under several models, with each effort and each engine
//	explain   explanations of the outcomes that the models forbid, and drawings
//	grown     programs that grow with a parameter: locks, barriers, queues, rings
//	random    programs and models of package draw, from fixed seeds
//	kernels   the kernels of verify/testdata in their launches; with the suffix -lockstep, -nowrap
//	          or -threads, the same under an option of verify; kernels-open, with open grids;
//	          kernels-contracts, those with contracts; kernels-peers, GPUVerify's test suite
//
// Both binaries run each command line. Their records (JSON objects, one a line) are compared field
// by field, their exit status and standard error as text. Times and the statistics of a simulation
// are ignored. With -work, the numbers of terms and conflicts of a proof may differ, too, if their
// sums over a suite differ by at most 2 %. The exit status of same is 1 if anything differs.
//
// To measure which statements of the engines the corpus reaches, build NEW with coverage counters.
// The main package must be among the counted ones:
//
//	M=github.com/muster-gpu/muster
//	go build -cover -coverpkg=$M/internal/...,$M/sim,$M/enumerate,$M/cmd/muster \
//	  -o NEW ./cmd/muster
//	GOCOVERDIR=DIR go run ./internal/testkit/same -show 0 \
//	  /bin/true NEW shipped explain grown random
//	go tool covdata percent -i=DIR
//
// On 2026-11-28 the coverage of statements of each package was:
//
//	enumerate                     93 %
//	internal/engine/fast          97 %
//	internal/engine/axiomatic     92 %
//	internal/engine/interleaving  93 %
//	internal/engine/plan          94 %
//	internal/engine/bounds        99 %
//	internal/engine/flow          97 %
//	internal/engine/symmetry     100 %
//
// Most of the rest handles exhausted budgets.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	flags := flag.NewFlagSet("same", flag.ExitOnError) // without the flags of package rapid
	show := flags.Int("show", 20, "show the first `N` differences of each suite")
	work := flags.Bool("work", false, "compare terms and conflicts of proofs by their sums only")
	flags.Usage = func() { usage(flags) }
	_ = flags.Parse(os.Args[1:]) // exits on an error
	if flags.NArg() < 2 {
		usage(flags)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	how := exactly
	if *work {
		how = inSum
	}
	differ, err := compareAll(ctx, flags.Arg(0), flags.Arg(1), flags.Args()[2:], *show, how)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "same:", err)
		os.Exit(2)
	case differ:
		os.Exit(1)
	}
}

func usage(flags *flag.FlagSet) {
	fmt.Fprintln(os.Stderr, "usage: same [flags] OLD NEW [SUITE…]")
	for _, s := range suites {
		fmt.Fprintf(os.Stderr, "  %-17s %s\n", s.name, s.about)
	}
	flags.PrintDefaults()
}

// compareAll runs the named suites, or all of them, and reports whether any answer differs.
func compareAll(ctx context.Context, before, after string, names []string, show int,
	how func() comparison,
) (differ bool, err error) {
	chosen, err := suitesNamed(names)
	if err != nil {
		return false, err
	}
	if before, err = binary(before); err != nil {
		return false, err
	}
	if after, err = binary(after); err != nil {
		return false, err
	}
	for _, s := range chosen {
		folder, err := os.MkdirTemp("", "same-")
		if err != nil {
			return false, err
		}
		tally, err := s.compare(ctx, folder, before, after, show, how())
		os.RemoveAll(folder)
		if errors.Is(err, fs.ErrNotExist) && len(names) == 0 {
			fmt.Println(s.name+": left out:", err)
			continue
		} else if err != nil {
			return false, fmt.Errorf("suite %s: %w", s.name, err)
		}
		fmt.Println(tally)
		differ = differ || tally.different > 0
	}
	return differ, nil
}

// binary returns the absolute path of an existing file.
func binary(name string) (string, error) {
	path, err := filepath.Abs(name)
	if err == nil {
		_, err = os.Stat(path)
	}
	return path, err
}

// suitesNamed returns the suites of these names, or all without names.
func suitesNamed(names []string) ([]suite, error) {
	if len(names) == 0 {
		return suites, nil
	}
	var chosen []suite
	for _, name := range names {
		i := slices.IndexFunc(suites, func(s suite) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no suite %q; there are %s", name, strings.Join(suiteNames(), ", "))
		}
		chosen = append(chosen, suites[i])
	}
	return chosen, nil
}

func suiteNames() (names []string) {
	for _, s := range suites {
		names = append(names, s.name)
	}
	return names
}

// tally counts what a suite has compared.
type tally struct {
	suite             string
	commands, records int
	different         int // number of records, exit statuses and messages that differ
	before, after     time.Duration
}

func (t *tally) String() string {
	return fmt.Sprintf("%s: %d command lines, %d records, %d different; %.1f s before, %.1f s after",
		t.suite, t.commands, t.records, t.different, t.before.Seconds(), t.after.Seconds())
}

// compare writes the inputs of the suite into a folder, runs its command lines with both binaries
// and prints the first differences.
func (s suite) compare(ctx context.Context, folder, before, after string, show int, how comparison) (*tally, error) {
	t := &tally{suite: s.name}
	cases, err := s.cases(folder)
	if err != nil {
		return t, err
	}
	for _, args := range cases {
		old, fresh, err := runBoth(ctx, folder, before, after, args)
		if err != nil {
			return t, err
		}
		t.commands++
		t.records += len(fresh.records)
		t.before += old.took
		t.after += fresh.took
		for _, difference := range how.differences(old, fresh) {
			if t.different++; t.different <= show {
				fmt.Printf("%s: muster %s\n    %s\n", s.name, strings.Join(args, " "), difference)
			}
		}
	}
	if t.records == 0 {
		return t, errors.New("no command line has printed a record")
	}
	for _, sum := range how.drifted() {
		t.different++
		fmt.Printf("%s: all %s\n", s.name, sum)
	}
	return t, nil
}
