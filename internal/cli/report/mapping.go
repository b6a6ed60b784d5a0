package report

import (
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/internal/tests/probe"
	"github.com/muster-gpu/muster/wire"
)

// Soundness collects the tests on which a mapping is unsound, or may be.
type Soundness struct {
	Mapping                      *probe.Mapping
	Tests, Undefined, Open, Some int   // Some counts the tests that are unsound in at least one edition
	Unsound                      []int // by edition

	rows [][]string
}

// NewSoundness returns an empty Soundness for a mapping.
func NewSoundness(m *probe.Mapping) *Soundness {
	return &Soundness{Mapping: m, Unsound: make([]int, len(m.Editions))}
}

// Unsound is the second kind of tests that Soundness lists, besides Open.
const Unsound = "unsound"

// Add adds a test. It returns the kind under which the test is listed, or "".
func (s *Soundness) Add(m *probe.Mapped) (kind string) {
	s.Tests++
	if m.Undefined() {
		s.Undefined++
		return ""
	}
	row := []string{strings.Clone(m.Test.Name.Text), m.Source.Outcome().String()}
	for i, r := range m.Targets {
		row = append(row, r.Outcome().String())
		if m.Unsound(i) {
			s.Unsound[i]++
			kind = Unsound
		}
	}
	switch {
	case kind == Unsound:
		s.Some++
	case m.Open():
		s.Open++
		kind = Open
	default:
		return ""
	}
	s.rows = append(s.rows, row)
	return kind
}

// Soundness prints the table of tests and the totals.
func (t *Text) Soundness(s *Soundness) {
	if len(s.rows) > 0 {
		head := []string{"", s.Mapping.Source.Name}
		for _, e := range s.Mapping.Editions {
			head = append(head, s.Mapping.Target.Name+", "+e)
		}
		t.table(append([][]string{head}, s.rows...))
		t.printf("\n")
	}
	t.printf("%d of %s do translated what %s forbids", s.Some, Count(s.Tests, "test"), s.Mapping.Source.Name)
	var by []string
	for i, n := range s.Unsound {
		by = append(by, fmt.Sprintf("%s %d", s.Mapping.Editions[i], n))
	}
	t.printf(": %s", strings.Join(by, ", "))
	if s.Undefined > 0 {
		t.printf("; %d may do anything", s.Undefined)
	}
	if s.Open > 0 {
		t.printf("; of %s it is not known", Count(s.Open, "other"))
	}
	t.printf("\n")
}

// MappedJSON returns a listed test as an object.
func (s *Soundness) MappedJSON(m *probe.Mapped, kind string) wire.Mapped {
	j := wire.Mapped{
		Type:         kind,
		Test:         m.Test.Name.Text,
		File:         m.Test.File.Name,
		Source:       m.Source.Outcome().String(),
		Translations: map[string]string{},
	}
	for i, r := range m.Targets {
		j.Translations[s.Mapping.Editions[i]] = r.Outcome().String()
	}
	return j
}

// TotalsJSON returns the totals.
func (s *Soundness) TotalsJSON() wire.MappingTotals {
	totals := wire.MappingTotals{
		Type:      "totals",
		Tests:     s.Tests,
		Undefined: s.Undefined,
		Open:      s.Open,
		Unsound:   map[string]int{},
	}
	for i, n := range s.Unsound {
		totals.Unsound[s.Mapping.Editions[i]] = n
	}
	return totals
}
