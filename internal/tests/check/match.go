package check

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/internal/tests/batch"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/src"
)

// KnownTest is a test that observations may be of.
type KnownTest struct {
	File *src.File

	name, hash string
}

// ReadKnown reads the name and the hash of a test.
func ReadKnown(f *src.File) (*KnownTest, error) {
	t, err := frontends.Shipped().Parse(f)
	if err != nil {
		return nil, err
	}
	return &KnownTest{f, t.Name.Text, t.Hash()}, nil
}

// Known is the set of tests that observations may be of.
type Known struct {
	byHash, byName map[string][]*KnownTest
}

// Of removes from a ledger the observations of tests that are not known, by content or by name. It
// returns an error if nothing is left.
func (k *Known) Of(l *observe.Ledger) error {
	other := func(t *observe.Tested) bool { return len(k.byHash[t.Hash]) == 0 && len(k.byName[t.Name]) == 0 }
	all := l.Tests
	l.Tests = slices.DeleteFunc(slices.Clone(all), other)
	if len(l.Tests) > 0 || len(all) == 0 {
		return nil
	}
	var names []string
	for _, t := range all {
		names = append(names, t.Name)
	}
	return fmt.Errorf("the observations are of none of the tests given, but of %s", corpus.SomeOf(names))
}

// NewKnown returns an empty Known.
func NewKnown() *Known {
	return &Known{map[string][]*KnownTest{}, map[string][]*KnownTest{}}
}

// Add adds a test.
func (k *Known) Add(t *KnownTest) {
	k.byHash[t.hash] = append(k.byHash[t.hash], t)
	k.byName[t.name] = append(k.byName[t.name], t)
}

// Match is a test and its observations.
type Match struct {
	File   *src.File
	Tested []*observe.Tested
}

// Match finds the tests of observations: among the known tests by content; else in the record
// itself; else by name. byName lists those found by name although their content differs.
// Observations without a test are reported.
func (k *Known) Match(tests []*observe.Tested, report func(error)) (matches []*Match, byName []string) {
	index := map[*KnownTest]*Match{}
	for _, tested := range tests {
		t, err := k.find(tested)
		if err != nil {
			report(err)
			continue
		}
		if tested.Hash != "" && t.hash != tested.Hash {
			byName = append(byName, tested.Name)
		}
		if index[t] == nil {
			index[t] = &Match{File: t.File}
			matches = append(matches, index[t])
		}
		index[t].Tested = append(index[t].Tested, tested)
	}
	return matches, byName
}

func (k *Known) find(tested *observe.Tested) (*KnownTest, error) {
	if same := k.byHash[tested.Hash]; len(same) > 0 {
		i := slices.IndexFunc(same, func(t *KnownTest) bool { return t.name == tested.Name })
		return same[max(i, 0)], nil
	}
	at := fmt.Sprintf("%s:%d", tested.At.File.Name, tested.At.Pos().Line)
	if tested.Text != "" {
		return ReadKnown(src.NewFile(fmt.Sprintf("%s (%s)", at, tested.Name), tested.Text))
	}
	switch same := k.byName[tested.Name]; len(same) {
	case 0:
		return nil, fmt.Errorf("%s: no test %s is given, and the record does not hold it", at, tested.Name)
	case 1:
		return same[0], nil
	default:
		return nil,
			fmt.Errorf("%s: %s and %s are both called %s", at, same[0].File.Name, same[1].File.Name, tested.Name)
	}
}

// ReadAll reads the names and hashes of tests. Errors are reported.
func ReadAll(ctx context.Context, workers int, tests iter.Seq[corpus.Test], report func(error)) (*Known, error) {
	type read struct {
		test *KnownTest
		err  error
	}
	work := func(in corpus.Test) read {
		f, err := in.Open()
		if err != nil {
			return read{err: err}
		}
		t, err := ReadKnown(f)
		return read{t, err}
	}
	known := NewKnown()
	return known, batch.Each(ctx, workers, tests, work, func(r read) {
		if r.err != nil {
			report(r.err)
			return
		}
		known.Add(r.test)
	})
}

// ReadCounts adds the counts that lie beside the tests of a corpus to a ledger. It returns false if
// it finds no counts. Errors are reported.
func ReadCounts(ledger *observe.Ledger, tests *corpus.Corpus, report func(error)) bool {
	files := tests.Counts()
	for _, name := range files {
		f, err := tests.Open(name)
		if err == nil {
			err = ledger.Read(f.Name, strings.NewReader(f.Text))
		}
		if err != nil {
			report(err)
		}
	}
	return len(files) > 0
}
