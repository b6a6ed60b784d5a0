package cat

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/vocab"
)

// small is a candidate of a few events, 0 to n-1. "0 2" is the set {0, 2} and "01 12"
// the relation {0→1, 1→2}.
type small struct {
	n         int
	sets      map[string]string
	rels      map[string]string
	locations map[string]string
}

// quad has two threads: one writes x (0) and y (1); the other reads the new y (2) and the old x
// (3). r, s and same are arbitrary.
var quad = small{
	n: 4,
	sets: map[string]string{
		"W": "0 1", "R": "2 3", "M": "0 1 2 3", "A": "0", "B": "1 2", "F": "", "ACQ": "2", "Once": "3",
	},
	rels: map[string]string{
		"id": "00 11 22 33", "po": "01 23", "rf": "12", "fr": "30", "co": "", "ctrl": "23",
		"loc": "00 03 30 33 11 12 21 22", "ext": "02 03 12 13 20 21 30 31",
		"r": "01 12", "s": "12 23", "same": "00 11 12 21 22 33", "cta": "00 01 10 11",
		"same-value": "00 01 10 11 22 33",
	},
	locations: map[string]string{"x": "0 3", "y": "1 2"},
}

func (c small) N() int { return c.n }

func (c small) Set(name string) (rel.Set, bool) {
	text, ok := c.sets[name]
	return c.set(text), ok
}

func (c small) Located(name string) (rel.Set, bool) {
	text, ok := c.locations[name]
	return c.set(text), ok
}

func (c small) Rel(name string) (rel.Rel, bool) {
	text, ok := c.rels[name]
	r := rel.New(c.n)
	for _, p := range strings.Fields(text) {
		r.Add(int(p[0]-'0'), int(p[1]-'0'))
	}
	return r, ok
}

func (c small) set(text string) rel.Set {
	s := rel.NewSet(c.n)
	for _, e := range strings.Fields(text) {
		s.Add(int(e[0] - '0'))
	}
	return s
}

func (c small) vocabulary() *vocab.Vocabulary {
	return NamesOf(slices.Collect(maps.Keys(c.sets)), slices.Collect(maps.Keys(c.rels)))
}

func (c small) Vocab() *vocab.Vocabulary { return c.vocabulary() }

// texts are files by name, for the finder of includes.
type texts map[string]string

func (fs texts) find(_ *src.File, path string) (*src.File, error) {
	text, ok := fs[path]
	if !ok {
		return nil, errors.New("no such file")
	}
	return src.NewFile(path, text), nil
}

// accepted loads the file main.cat, which must be without errors.
func accepted(t testing.TB, fs texts, v *vocab.Vocabulary, variants ...string) (*Model, *Summary) {
	t.Helper()
	m, err := Load(src.NewFile("main.cat", fs["main.cat"]), Config{Find: fs.find, Variants: variants})
	if err != nil {
		t.Fatal(err)
	}
	summary, err := m.Check(v)
	if err != nil {
		t.Fatal(err)
	}
	return m, summary
}

// endOf evaluates a model on a candidate and returns the names at its end.
func endOf(m *Model, c Candidate) (end *env, err error) {
	defer catch(&err)
	x := &exec{evaluator: newEvaluator(context.Background(), m, c), yield: func(*Verdict) bool { return true }}
	x.block(m.stmts, state{env: m.prelude}, func(s state) bool {
		end = s.env
		return false
	})
	return end, nil
}

// show prints a value: {0 1} is a set of events, 01 12 a relation and 0 the empty one,
// ∅ and _ are those by context, #0 an event, #01 a pair, {a, b} any other set.
func show(v value) string {
	switch v := v.(type) {
	case setValue:
		return strings.NewReplacer("[", "{", "]", "}").Replace(fmt.Sprint(v.Elems()))
	case relValue:
		var pairs []string
		for a, b := range v.Pairs() {
			pairs = append(pairs, fmt.Sprintf("%d%d", a, b))
		}
		if pairs == nil {
			return "0"
		}
		return strings.Join(pairs, " ")
	case eventValue:
		return fmt.Sprintf("#%d", int(v))
	case pairValue:
		return fmt.Sprintf("#%d%d", v.from, v.to)
	case tagValue:
		return "'" + string(v)
	case emptyValue:
		return "∅"
	case universeValue:
		return "_"
	case tupleValue:
		return "(" + strings.Join(showAll(v), ", ") + ")"
	case setOfValue:
		return "{" + strings.Join(slices.Sorted(slices.Values(showAll(v))), ", ") + "}"
	}
	return v.kind()
}

func showAll(vs []value) []string {
	var all []string
	for _, v := range vs {
		all = append(all, show(v))
	}
	return all
}

// randomSmall draws a candidate with the given names of sets and relations.
func randomSmall(t *rapid.T, sets, rels []string) small {
	c := small{n: rapid.IntRange(1, 4).Draw(t, "n"), sets: map[string]string{}, rels: map[string]string{}}
	for _, name := range sets {
		for e := range c.n {
			if rapid.Bool().Draw(t, name) {
				c.sets[name] += fmt.Sprintf("%d ", e)
			}
		}
		c.sets[name] += ""
	}
	for _, name := range rels {
		for p := range c.n * c.n {
			if rapid.Bool().Draw(t, name) {
				c.rels[name] += fmt.Sprintf("%d%d ", p/c.n, p%c.n)
			}
		}
		c.rels[name] += ""
	}
	return c
}
