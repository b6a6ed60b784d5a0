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

// chosen is which of the tests are wanted that arguments mean: what --filter and --shard say.
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

// all reports that nothing is left out.
func (c *chosen) all() bool { return len(c.filters) == 0 && c.part == "" }

// of is the tests that are wanted; nobody knows how many they are until they are read.
func (c *chosen) of(tests iter.Seq[corpus.Test], total int) (iter.Seq[corpus.Test], int) {
	if c.all() {
		return tests, total
	}
	return testfilter.Tests(tests, c.filter, c.shard), corpus.UnknownTotal
}
