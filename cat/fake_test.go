package cat_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/vocab"
)

// fake is a candidate of five events. In the tests, "0 2" is the set {0, 2} and
// "01 12" the relation {0→1, 1→2}.
type fake struct {
	sets map[string]string
	rels map[string]string
	locs map[string]string
}

const fakeEvents = 5

// mp is the execution of Fig. 14 of the ASPLOS 2015 paper with one fence: a thread writes x (0) and
// y (1) with a fence (4) in between; the other reads y (2) and then the old value of x (3), with an
// address dependency. The other sets and relations are arbitrary.
var mp = fake{
	sets: map[string]string{
		"W": "0 1", "R": "2 3", "M": "0 1 2 3", "F": "4",
		"A": "0 1 2", "B": "2 3", "none": "",
	},
	rels: map[string]string{
		"id": "00 11 22 33 44", "po": "04 01 41 23", "addr": "23", "membar.cta": "01",
		"rf": "12", "rfe": "12", "fr": "30", "co": "",
		"loc": "00 03 30 33 11 12 21 22",
		"int": "00 01 04 10 11 14 40 41 44 22 23 32 33",
		"ext": "02 03 12 13 42 43 20 21 24 30 31 34",
		"cta": "00 01 02 03 04 10 11 12 13 14 20 21 22 23 24 30 31 32 33 34 40 41 42 43 44",
		"r":   "01 12", "s": "12 23 30", "q": "01 02 13 23 34",
		"ring": "01 12 23 30",
	},
	locs: map[string]string{"x": "0 3", "y": "1 2"},
}

func (f fake) N() int { return fakeEvents }

func (f fake) Set(name string) (rel.Set, bool) {
	text, ok := f.sets[name]
	if !ok && len(name) == 2 && name[0] == 'e' {
		text, ok = name[1:], true
	}
	return events(text), ok
}

func events(text string) rel.Set {
	s := rel.NewSet(fakeEvents)
	for _, e := range strings.Fields(text) {
		s.Add(int(e[0] - '0'))
	}
	return s
}

func (f fake) Located(name string) (rel.Set, bool) {
	text, ok := f.locs[name]
	return events(text), ok
}

func (f fake) Rel(name string) (rel.Rel, bool) {
	text, ok := f.rels[name]
	if !ok && len(name) == 3 && name[0] == 'p' {
		text, ok = name[1:], true
	}
	r := rel.New(fakeEvents)
	for _, p := range strings.Fields(text) {
		r.Add(int(p[0]-'0'), int(p[1]-'0'))
	}
	return r, ok
}

// vocabulary has the names of the candidate without p01 and e0, which every misspelt name would
// resemble.
func (f fake) vocabulary(more ...string) *vocab.Vocabulary {
	return cat.NamesOf(slices.Collect(maps.Keys(f.sets)), slices.AppendSeq(more, maps.Keys(f.rels)))
}

// Vocab returns the vocabulary of GPUs, which has every name that the tests use.
func (f fake) Vocab() *vocab.Vocabulary {
	return event.NewVocabulary(frontend.GPUNames, nil, nil).Vocabulary
}

// fullVocabulary returns the vocabulary with p01 and e0.
func (f fake) fullVocabulary() *vocab.Vocabulary {
	names := f.vocabulary().Names()
	for a := range fakeEvents {
		names = append(names, vocab.Name{Name: fmt.Sprintf("e%d", a), Set: true})
		for b := range fakeEvents {
			names = append(names, vocab.Name{Name: fmt.Sprintf("p%d%d", a, b)})
		}
	}
	return vocab.New(names...)
}

// load loads a model that includes nothing.
func load(t *testing.T, text string) *cat.Model {
	t.Helper()
	m, err := cat.Load(src.NewFile("test.cat", text), cat.Config{Find: noInclude})
	if err != nil {
		t.Fatalf("%v\nin:\n%s", err, text)
	}
	return m
}

func noInclude(*src.File, string) (*src.File, error) { return nil, errors.New("no such file") }

// checked loads a model and checks it.
func checked(t *testing.T, text string) *cat.Model {
	t.Helper()
	m := load(t, text)
	if _, err := m.Check(mp.fullVocabulary()); err != nil {
		t.Fatalf("%v\nin:\n%s", err, text)
	}
	return m
}

// verdict evaluates a model without choices on a candidate.
func verdict(m *cat.Model, c cat.Candidate) (*cat.Verdict, error) {
	var all []*cat.Verdict
	err := m.Eval(context.Background(), c, func(v *cat.Verdict) bool {
		all = append(all, v)
		return true
	})
	if err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("got %d verdicts, want 1", len(all))
	}
	return all[0], nil
}

// eval evaluates a model, which has no errors and makes no choices, on mp.
func eval(t *testing.T, text string) *cat.Verdict {
	t.Helper()
	v, err := verdict(checked(t, text), mp)
	if err != nil {
		t.Fatalf("%v\nin:\n%s", err, text)
	}
	return v
}

// relation returns the value of the relation x that a model defines. Only checks show what a model
// computes, so there is a flag for each pair: p01 is the relation {0→1}.
func relation(t *testing.T, model string) string {
	t.Helper()
	var b strings.Builder
	for a := range fakeEvents {
		for c := range fakeEvents {
			fmt.Fprintf(&b, "\nflag ~empty x & p%d%d as p%d%d", a, c, a, c)
		}
	}
	return raised(t, model+b.String())
}

// set returns the value of the set x that a model defines; e0 is the set {0}.
func set(t *testing.T, model string) string {
	t.Helper()
	var b strings.Builder
	for e := range fakeEvents {
		fmt.Fprintf(&b, "\nflag ~empty x & e%d as e%d", e, e)
	}
	return raised(t, model+b.String())
}

// raised lists the flags without their first letters.
func raised(t *testing.T, model string) string {
	t.Helper()
	var names []string
	for _, f := range eval(t, model).Flags {
		names = append(names, f[1:])
	}
	return strings.Join(names, " ")
}
