package results

import "github.com/muster-gpu/muster/sim"

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
	found.Differences = Compare(logs[0], logs[1])
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

// Changed lists the verdicts that changed.
func (b *Baseline) Changed() []Difference { return Changed(b.old, b.now) }
