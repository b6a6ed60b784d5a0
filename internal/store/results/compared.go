package results

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/sim"
)

// Compared is two logs or files of results, and what differs.
type Compared struct {
	Names       [2]string
	Records     [2]int
	Differences []Difference
}

// CompareFiles compares two logs or files of results. Records that cannot be used are reported, and left out.
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

// Baseline is verdicts that were found before, beside those of a run.
type Baseline struct {
	Name string // of the file; "" for none

	old, now []Entry
}

// Read reads the verdicts, if there are any.
func (b *Baseline) Read() (err error) {
	if b.Name != "" {
		b.old, err = Read(b.Name)
	}
	return err
}

// Add takes in what a model says of a test in the run.
func (b *Baseline) Add(model string, r *sim.Result) {
	if b.Name != "" {
		b.now = append(b.now, EntryOf(model, r))
	}
}

// Changes is how verdicts stand to a baseline.
type Changes struct {
	Differences   []Difference // other verdicts, and tests that are gone
	Compared, New int          // tests: of which both say something; of which the baseline says nothing
}

// Changes lists the verdicts that changed.
func (b *Baseline) Changes() (*Changes, error) { return Changed(b.old, b.now) }

// Changed lists what is said otherwise now than it was before: other verdicts, and tests that are gone. What is new is no change, nor
// are other states of the same verdict. What was said of models that are not asked now is passed over; it is an error if
// nothing is left to compare.
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
