package main

import (
	"iter"
	"os"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/cli/flags"
	"github.com/muster-gpu/muster/internal/store/results"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/internal/tests/testfilter"
)

// chosen selects some of the tests that the arguments name: the flags --filter and --shard.
type chosen struct {
	filters []string
	part    string

	filter testfilter.Filter
	shard  results.Shard
}

// declare declares both flags.
func (c *chosen) declare(cmd *cobra.Command) {
	c.declareFilter(cmd)
	cmd.Flags().Var(flags.Word{Text: &c.part}, "shard",
		"take only part `I/N` of the tests, chosen by their content; slurm: that of this task of a Slurm job array")
}

// declareFilter declares --filter.
func (c *chosen) declareFilter(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&c.filters, "filter", nil,
		"take only tests with this `FIELD=VALUE`, of name, family, arch, threads, size, instructions, scopes, such as "+
			"'family=MP threads=2..3 scopes=cta' (repeatable)")
}

// check reads the flags.
func (c *chosen) check() (err error) {
	if c.filter, err = testfilter.ParseAll(c.filters); err != nil || c.part == "" {
		return err
	}
	c.shard, err = results.ParseShard(c.part, os.Getenv)
	return err
}

// all reports whether every test is selected.
func (c *chosen) all() bool { return len(c.filters) == 0 && c.part == "" }

// of returns the selected tests and their number. With a selection the number is
// corpus.UnknownTotal, because tests must be read before they can be filtered.
func (c *chosen) of(tests iter.Seq[corpus.Test], total int) (iter.Seq[corpus.Test], int) {
	if c.all() {
		return tests, total
	}
	return testfilter.Tests(tests, c.filter, c.shard), corpus.UnknownTotal
}
