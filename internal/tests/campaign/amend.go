package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/optcheck"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// Amending adds verdicts of optcheck to records from a machine without a disassembler. It checks
// the machine code that was kept.
type Amending struct {
	Checker optcheck.Checker
	Tests   Tests // all but Found
	checks  map[kernel]observe.Optcheck
}

// Verdicts counts records by verdict.
type Verdicts map[observe.Verdict]int

func (v Verdicts) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d not checked", v[observe.Passed],
		v[observe.Failed], v[observe.NotChecked])
}

// kernel identifies the source of machine code: a test, by its hash, and whether its kernel is
// opaque.
type kernel struct {
	hash   string
	opaque bool
}

// kernelOf returns the kernel of a record.
func kernelOf(r *observe.Record) kernel {
	var s harness.Settings
	_ = json.Unmarshal(r.Settings, &s) // settings of other harnesses are not opaque
	return kernel{r.Hash, s.Opaque}
}

// Copy writes a copy of a file of records to a new file. Records without a verdict get one if their
// machine code was kept. Copy returns the number of records by verdict.
func (a *Amending) Copy(ctx context.Context, from, to string) (Verdicts, error) {
	if a.Checker.Cubins == "" {
		return nil,
			errors.New(
				"verdicts are found by the machine code that has run: name the folder where it is kept (--cubin)")
	}
	if _, err := os.Stat(to); err == nil {
		return nil, fmt.Errorf("%s is there already: name a new file for the records with verdicts", to)
	}
	records, err := a.read(from)
	if err != nil {
		return nil, err
	}
	a.checks = map[kernel]observe.Optcheck{}
	for _, opaque := range []bool{false, true} {
		if err := a.check(ctx, records, opaque); err != nil {
			return nil, err
		}
	}
	return a.write(records, to)
}

// read reads records. A line that is not a record is reported and left out.
func (a *Amending) read(name string) (all []*observe.Record, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for r, err := range observe.Records(name, f) {
		if err != nil {
			a.Tests.Report(err)
			continue
		}
		all = append(all, r)
	}
	return all, nil
}

// unchecked reports whether the machine code of a record's run has not been compared with the test.
func unchecked(r *observe.Record) bool {
	return r.Optcheck.Verdict == observe.NotChecked && r.Fault == "" && r.Text != ""
}

// kernels yields the tests of unchecked records with opaque kernels, or of those without, each
// once.
func kernels(records []*observe.Record, opaque bool) iter.Seq[corpus.Test] {
	return func(yield func(corpus.Test) bool) {
		seen := map[kernel]bool{}
		for _, r := range records {
			k := kernelOf(r)
			if k.opaque != opaque || seen[k] || !unchecked(r) {
				continue
			}
			seen[k] = true
			if !yield(corpus.TestIn(src.NewFile(r.Test, r.Text))) {
				return
			}
		}
	}
}

// check checks the tests of records with opaque kernels, or of those without.
func (a *Amending) check(ctx context.Context, records []*observe.Record, opaque bool) error {
	a.Checker.Settings.Opaque = opaque
	a.Tests.Found = kernels(records, opaque)
	return a.Tests.Each(ctx, func(t *sim.Test, p *harness.Plan) error {
		report, err := a.Checker.Check(ctx, p)
		if err != nil {
			return err
		}
		check := observe.Optcheck{Why: report.Why()}
		// both types have the same words
		if err := check.Verdict.UnmarshalText([]byte(report.Verdict.String())); err != nil {
			return err
		}
		a.checks[kernel{t.Hash(), opaque}] = check
		return nil
	})
}

// write writes the copy.
func (a *Amending) write(records []*observe.Record, name string) (found Verdicts, err error) {
	to, err := observe.Append(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	found = Verdicts{}
	for _, r := range records {
		if check, ok := a.checks[kernelOf(r)]; ok && unchecked(r) {
			r.Optcheck = check
		}
		found[r.Optcheck.Verdict]++
		if err := to.Write(r); err != nil {
			return found, err
		}
	}
	return found, nil
}
