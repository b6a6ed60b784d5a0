package report

import (
	"github.com/muster-gpu/muster/internal/cli/progress"
	"github.com/muster-gpu/muster/internal/store/results"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/wire"
)

// Compared prints the differences between two logs.
func (t *Text) Compared(c *results.Compared) {
	a, b := c.Names[0], c.Names[1]
	for _, d := range c.Differences {
		d.Write(t.Out, a, b)
	}
	differ := "differ"
	if len(c.Differences) == 1 {
		differ = "differs"
	}
	t.printf("%s %s: %d in %s, %d in %s\n", Count(len(c.Differences), "record"), differ,
		c.Records[0], a, c.Records[1], b)
}

// ComparedJSON prints the differences between two logs: an object for each record and one for the
// totals.
func ComparedJSON(c *results.Compared, print func(any)) {
	for _, d := range c.Differences {
		print(wire.LogDifference{
			Type:    "difference",
			Test:    d.Test,
			Hash:    d.Hash,
			Model:   d.Model,
			A:       logRecord(d.A, d.OnlyA),
			B:       logRecord(d.B, d.OnlyB),
			Changed: d.Changed(),
		})
	}
	print(wire.LogTotals{
		Type:   "totals",
		Differ: len(c.Differences),
		A:      wire.LogEnd{File: c.Names[0], Records: c.Records[0]},
		B:      wire.LogEnd{File: c.Names[1], Records: c.Records[1]},
	})
}

func logRecord(e *results.Entry, only []litmus.Outcome) *wire.LogRecord {
	if e == nil {
		return nil
	}
	r := &wire.LogRecord{Verdict: e.Verdict.String(), Observation: e.Observation.String(), Only: []map[string]string{}}
	for _, o := range only {
		r.Only = append(r.Only, observe.NewBar(o).State)
	}
	return r
}

// Changed prints the verdicts that differ from those of a baseline. It reports whether there are
// none and some were compared.
func (t *Text) Changed(b *results.Baseline) bool {
	c, err := b.Changes()
	if err != nil {
		t.printf("%s: %v\n", b.Name, err)
		return false
	}
	for _, d := range c.Differences {
		t.printf("changed: ")
		d.Write(t.Out, b.Name, "this run")
	}
	t.printf("%s: %s changed, %d compared", b.Name, Count(len(c.Differences), "verdict"), c.Compared)
	if c.New > 0 {
		t.printf(", %d new", c.New)
	}
	t.printf("\n")
	return len(c.Differences) == 0
}

// Merged prints what a merge joined.
func (t *Text) Merged(to string, m *results.Merged) {
	t.printf("%s: %s of %s in %s", to, Count(m.Records, "record"), Count(m.Shards, "shard"), Count(m.Files, "file"))
	if m.Hardware > 0 {
		t.printf(", %s of hardware", Count(m.Hardware, "record"))
	}
	t.printf("; %s; ", Count(m.Duplicates, "duplicate"))
	if m.Failed > 0 {
		t.printf("%s failed and have no record, nothing else is missing, nothing contradicts\n",
			Count(m.Failed, "test"))
		return
	}
	t.printf("nothing is missing, nothing contradicts\n")
}

// Kept prints a summary of a run whose answers are kept in a file.
func (t *Text) Kept(name string, r *results.Run, s progress.State) {
	t.printf("%s: %s added, %d were there; %s in %.1f s, %.0f/s, %d failed, %s of memory\n",
		name, Count(r.Added(), "record"), r.Found(), Count(s.Done, "test"), s.Seconds, s.Rate,
		r.Failed, sim.Bytes(s.Memory))
}
