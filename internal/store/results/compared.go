package results

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/sim"
)

// Compared is the differences between two logs or files of results.
type Compared struct {
	Names       [2]string
	Records     [2]int
	Differences []Difference
}

// CompareFiles compares two logs or files of results. Invalid records are reported and left out.
func CompareFiles(a, b string, report func(error)) (*Compared, error) {
	found := &Compared{Names: [2]string{a, b}}
	var logs [2][]Entry
	for i, name := range found.Names {
		all, err := Read(name)
		if all == nil && err != nil {
			return nil, err
		}
		if err != nil {
			report(err)
		}
		logs[i], found.Records[i] = all, len(all)
	}
	var err error
	if found.Differences, err = Compare(logs[0], logs[1]); err != nil {
		return nil, fmt.Errorf("%s and %s: %w", a, b, err)
	}
	return found, nil
}

// Baseline is earlier verdicts, with those of the present run.
type Baseline struct {
	Name string // of the file, or ""

	old, now []Entry
}

// Read reads the earlier verdicts, if there is a file.
func (b *Baseline) Read() (err error) {
	if b.Name != "" {
		b.old, err = Read(b.Name)
	}
	return err
}

// Add adds the answer of a model about a test of the present run.
func (b *Baseline) Add(model string, r *sim.Result) {
	if b.Name != "" {
		b.now = append(b.now, EntryOf(model, r))
	}
}

// Changes is how the verdicts of a run differ from a baseline.
type Changes struct {
	Differences   []Difference // other verdicts, and tests that are missing
	Compared, New int          // numbers of tests: in both, and not in the baseline
}

// Changes lists the verdicts that changed.
func (b *Baseline) Changes() (*Changes, error) { return Changed(b.old, b.now) }

// Changed lists the differences between an earlier run and the present one: other verdicts, and
// tests that are missing. New tests, and other states with the same verdict, do not count. Earlier
// records of models that are not in the present run are ignored; it is an error if nothing is left
// to compare.
func Changed(old, now []Entry) (*Changes, error) {
	models, asked := modelsOf(old), modelsOf(now)
	old = slices.DeleteFunc(slices.Clone(old), func(e Entry) bool { return e.Model != "" && !asked[e.Model] })
	all, err := setBeside(old, now)
	if err != nil {
		return nil, err
	}
	c := &Changes{}
	for _, d := range all {
		switch {
		case d.A == nil:
			c.New++
			continue
		case d.B != nil:
			c.Compared++
		}
		if d.B == nil || d.Verdicts() {
			c.Differences = append(c.Differences, d)
		}
	}
	switch {
	case c.Compared > 0:
		return c, nil
	case len(old) == 0 && len(now) > 0:
		return nil, fmt.Errorf("nothing to compare: it has records of %s, and none of %s", list(models), list(asked))
	}
	return nil, fmt.Errorf("nothing to compare: it has no record of a test of this run")
}
