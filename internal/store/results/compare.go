package results

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/litmus"
)

// Difference is a test on which two logs differ, or that only one of them has.
type Difference struct {
	Test, Model  string
	Hash         string // of the test, if a log has several of its name
	A, B         *Entry // nil if the log does not have the test
	OnlyA, OnlyB []litmus.Outcome
}

// Verdicts reports whether the verdicts differ.
func (d *Difference) Verdicts() bool { return d.both() && d.A.contradicts(d.B) }

// Changed reports whether the test itself has changed.
func (d *Difference) Changed() bool {
	return d.both() && d.A.Content != "" && d.B.Content != "" && d.A.Content != d.B.Content
}

// both reports whether both logs have the test.
func (d *Difference) both() bool { return d.A != nil && d.B != nil }

// differs reports whether there is any difference.
func (d *Difference) differs() bool {
	return !d.both() || d.Verdicts() || d.Changed() || len(d.OnlyA)+len(d.OnlyB) > 0
}

// contradicts reports whether the verdicts differ, or how often the proposition held. An answer
// that a limit left open, or that a chip did not give, contradicts nothing.
func (e *Entry) contradicts(f *Entry) bool {
	decided := e.Observation != litmus.Undecided && f.Observation != litmus.Undecided
	return e.Verdict != f.Verdict && e.Verdict != litmus.Undef && f.Verdict != litmus.Undef ||
		decided && e.Observation != f.Observation && !e.VerdictOnly && !f.VerdictOnly
}

// without returns the states that are not among others.
func without(states, others []litmus.Outcome) []litmus.Outcome {
	has := map[string]bool{}
	for _, o := range others {
		has[o.String()] = true
	}
	return slices.DeleteFunc(slices.Clone(states), func(o litmus.Outcome) bool { return has[o.String()] })
}

// Compare lists the differences between two logs, sorted by test. It pairs records whose tests have
// the same name, and the same content where a log has several tests of that name. Paired records
// have the same model, unless no model is in both logs: then each log may have one record of a
// test, and it is an error if one has more. Of several records that agree in all this, the last one
// counts. Compare ignores the states of a record that has only the verdict.
func Compare(a, b []Entry) ([]Difference, error) {
	all, err := setBeside(a, b)
	return slices.DeleteFunc(all, func(d Difference) bool { return !d.differs() }), err
}

// setBeside pairs the records of two logs.
func setBeside(a, b []Entry) ([]Difference, error) {
	type key struct{ test, model string }
	models := [2]map[string]bool{modelsOf(a), modelsOf(b)}
	common := false
	for m := range models[0] {
		common = common || models[1][m]
	}
	groups := map[key]*namesakes{}
	for side, log := range [2][]Entry{a, b} {
		for i := range log {
			k := key{test: log[i].Test}
			if common {
				k.model = log[i].Model
			}
			if groups[k] == nil {
				groups[k] = &namesakes{}
			}
			if !groups[k].put(side, &log[i]) {
				return nil,
					fmt.Errorf(
						"no model is in both (%s; %s), and %s has records of several: compare files of one model each",
						list(models[0]), list(models[1]), k.test)
			}
		}
	}
	var all []Difference
	for k, g := range groups {
		if len(models[0]) == 1 && len(models[1]) == 1 {
			k.model = "" // models need not be told apart
		}
		for _, d := range g.pairs() {
			d.Test, d.Model = k.test, k.model
			if d.both() && !d.A.VerdictOnly && !d.B.VerdictOnly {
				d.OnlyA, d.OnlyB = without(d.A.States, d.B.States), without(d.B.States, d.A.States)
			}
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(d, e Difference) int {
		return cmp.Or(strings.Compare(d.Test, e.Test), strings.Compare(d.Model, e.Model),
			strings.Compare(d.Hash, e.Hash))
	})
	return all, nil
}

// modelsOf returns the models, or chips, of a log.
func modelsOf(all []Entry) map[string]bool {
	models := map[string]bool{}
	for _, e := range all {
		models[e.Model] = true
	}
	return models
}

// list formats a set of models.
func list(models map[string]bool) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(models)) {
		names = append(names, cmp.Or(name, "one without a name"))
	}
	return strings.Join(names, ", ")
}

// namesakes are the records of two logs about the tests of one name, usually a single test.
type namesakes [2][]*Entry

// put adds a record of a log. It returns false if the log has a record of another model, too.
func (n *namesakes) put(log int, e *Entry) bool {
	i := slices.IndexFunc(n[log], func(o *Entry) bool { return o.id() == e.id() })
	if i < 0 {
		n[log] = append(n[log], e)
		return true
	}
	same := n[log][i].Model == e.Model
	n[log][i] = e
	return same
}

// pairs pairs the tests, each once: first those of the same content, then the rest if each log has
// one left.
func (n *namesakes) pairs() (all []Difference) {
	a, b := n[0], slices.Clone(n[1])
	if len(a) <= 1 && len(b) <= 1 {
		return []Difference{{A: first(a), B: first(b)}}
	}
	a = slices.DeleteFunc(slices.Clone(a), func(e *Entry) bool {
		i := slices.IndexFunc(b, func(o *Entry) bool { return o.id() == e.id() })
		if i >= 0 {
			all = append(all, Difference{Hash: e.id(), A: e, B: b[i]})
			b = slices.Delete(b, i, i+1)
		}
		return i >= 0
	})
	if len(a) == 1 && len(b) == 1 {
		return append(all, Difference{Hash: a[0].id(), A: a[0], B: b[0]})
	}
	for _, e := range a {
		all = append(all, Difference{Hash: e.id(), A: e})
	}
	for _, e := range b {
		all = append(all, Difference{Hash: e.id(), B: e})
	}
	return all
}

// first returns the first entry, or nil.
func first(entries []*Entry) *Entry {
	if len(entries) == 0 {
		return nil
	}
	return entries[0]
}
