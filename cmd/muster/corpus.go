package main

import (
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/corpus"
	"github.com/muster-gpu/muster/sim"
)

// collection is tests to check, and what is known of them.
type collection struct {
	*corpus.Tables
	tests iter.Seq[corpus.Test]
	total int // corpus.UnknownTotal of a stream
}

// collect is tests with what is known of them.
func collect(t *corpus.Tables, tests []corpus.Test) *collection {
	return &collection{t, slices.Values(tests), len(tests)}
}

// openCollection opens a folder on disk, or a file or standard input (-) with many tests, which
// has no tables beside it.
func (a *app) openCollection(dir string) (*collection, error) {
	info, err := os.Stat(dir)
	switch {
	case dir == "-" || err == nil && !info.IsDir():
		tests, total := a.finder().Counted(dir)
		return &collection{new(corpus.Tables), tests, total}, nil
	case err != nil:
		return nil, corpus.Placed(dir+": expected a folder with litmus tests", err)
	}
	c := corpus.Read(os.DirFS(dir), dir, a.fail)
	if len(c.Files) == 0 {
		return nil, fmt.Errorf("%s: no %s files in this folder", dir, corpus.Extension)
	}
	return collect(c.Tables(a.fail), c.Tests()), nil
}

// unmet says in what a result is not as expected; "" if it is.
func unmet(e corpus.Expectation, r *sim.Result) string {
	switch got := r.Outcome(); {
	case got == sim.Unknown:
		return ""
	case got.String() != e.Verdict():
		return fmt.Sprintf("is %s, expected %s: %s", got, e.Verdict(), e.Reason)
	case e.Flagged && !slices.Equal(e.Flags, r.Flags):
		return fmt.Sprintf("has %s, expected %s", listFlags(r.Flags), listFlags(e.Flags))
	}
	return ""
}

func listFlags(flags []string) string {
	switch len(flags) {
	case 0:
		return "no flag"
	case 1:
		return "the flag " + flags[0]
	}
	return "the flags " + strings.Join(flags, " ")
}
