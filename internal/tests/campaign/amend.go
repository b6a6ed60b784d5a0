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

// Amending finds the verdicts of records that were made where nothing disassembles, by the machine code that was kept.
type Amending struct {
	Checker optcheck.Checker
	Tests   Tests // but which they are
	checks  map[kernel]observe.Optcheck
}

// Verdicts are how many records have which verdict.
type Verdicts map[observe.Verdict]int

func (v Verdicts) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d not checked", v[observe.Passed],
		v[observe.Failed], v[observe.NotChecked])
}

// kernel is what machine code was made of: a test, by its hash, and how.
type kernel struct {
	hash   string
	opaque bool
}

// kernelOf is the kernel that a record is of.
func kernelOf(r *observe.Record) kernel {
	var s harness.Settings
	_ = json.Unmarshal(r.Settings, &s) // settings of other harnesses are not opaque
	return kernel{r.Hash, s.Opaque}
}

// Copy writes a copy of a file of records, a new file, in which those have verdicts that have none yet, as far as their machine code is there. It returns
// which they have then.
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

// read reads records. What is none is reported, and left out.
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

// unchecked reports a record of a run whose machine code nobody has compared with the test.
func unchecked(r *observe.Record) bool {
	return r.Optcheck.Verdict == observe.NotChecked && r.Fault == "" && r.Text != ""
}

// kernels are the tests of unchecked records, those with opaque kernels or the others, each once.
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

// check checks the tests of records, those with opaque kernels or the others.
func (a *Amending) check(ctx context.Context, records []*observe.Record, opaque bool) error {
	a.Checker.Settings.Opaque = opaque
	a.Tests.Found = kernels(records, opaque)
	return a.Tests.Each(ctx, func(t *sim.Test, p *harness.Plan) error {
		report, err := a.Checker.Check(ctx, p)
		if err != nil {
			return err
		}
		check := observe.Optcheck{Why: report.Why()}
		if err := check.Verdict.UnmarshalText([]byte(report.Verdict.String())); err != nil { // both have the same words
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
