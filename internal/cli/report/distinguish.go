package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/muster-gpu/muster/internal/tests/probe"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/wire"
)

// Search is a search for tests on which two models differ, and how it ended.
type Search struct {
	*probe.Distinction
	Names [2]string // of the models
	Found *probe.Distinguished
	Limit error // what ended it early, or nil
	Took  time.Duration
}

// Searching describes the progress of a search, with the time left at this rate.
func Searching(p probe.Progress, took time.Duration) string {
	text := fmt.Sprintf("cycles of size %d with %s: %d", p.Size, Count(p.Marks, "mark"), p.Tried)
	if p.Cycles == 0 || p.Tried == 0 {
		return text + " tried"
	}
	left := time.Duration(float64(took) * float64(p.Cycles-p.Tried) / float64(p.Tried))
	return fmt.Sprintf("%s of %d tried, about %v left", text, p.Cycles, left.Round(time.Second))
}

// Comment returns lines as comments of a litmus test.
func Comment(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString("// " + line + "\n")
	}
	return b.String()
}

// DistinguishedJSON returns a test on which two models differ as an object, with the explanation.
func DistinguishedJSON(d *probe.Difference, names [2]string, explanation []string) wire.Distinguished {
	return wire.Distinguished{
		Type:        "difference",
		Test:        d.Test.Name.Text,
		AllowedBy:   names[d.Allowed],
		ForbiddenBy: names[1-d.Allowed],
		Undefined:   d.Undefined,
		Cycle:       d.Cycle.String(),
		Size:        d.Size,
		Steps:       d.Steps,
		Explanation: explanation,
		Text:        d.Test.String(),
		Hash:        d.Test.Hash(),
	}
}

// Search prints what was looked for and found.
func (t *Text) Search(s *Search) {
	for side, tests := range s.Found.Allowed {
		t.printf("%s by %s, forbidden by %s: %s\n", s.permitted(side), s.Names[side], s.Names[1-side], s.howMany(tests))
	}
	if s.Found.Unknown > 0 {
		t.printf("of %s the answers are not known: %v\n", Count(s.Found.Unknown, "test"), s.Found.Limit)
	}
	t.printf("%s tried in %.1f s\n", Count(s.Found.Tried, "test"), s.Took.Seconds())
}

// permitted says in which sense one model permits what the other forbids: allowed, or undefined.
func (s *Search) permitted(side int) string {
	tests, undefined := s.Found.Allowed[side], 0
	for _, t := range tests {
		if t.Undefined {
			undefined++
		}
	}
	switch {
	case undefined > 0 && undefined == len(tests):
		return decided[sim.Undefined]
	case undefined > 0, len(tests) == 0 && s.Models[side].MayLeaveUndefined():
		return decided[sim.Allowed] + " or " + decided[sim.Undefined]
	}
	return decided[sim.Allowed]
}

// howMany says how many tests only one model allows, and how far the search went.
func (s *Search) howMany(tests []*probe.Difference) string {
	where := fmt.Sprintf("up to size %d with up to %s", s.Cycles.Size.Max, Count(s.Marks, "mark"))
	switch {
	case s.Limit != nil:
		where = fmt.Sprintf("so far (%v)", s.Limit)
	case s.Found.Unknown > 0:
		where = "known " + where
	}
	if len(tests) == 0 {
		return "none " + where
	}
	size := fmt.Sprint(tests[0].Size)
	if last := tests[len(tests)-1].Size; last > tests[0].Size {
		size += fmt.Sprintf(" to %d", last)
	}
	if len(tests) == s.Enough {
		return fmt.Sprintf("%d minimal tests of size %s; --max 0 finds all", len(tests), size)
	}
	return fmt.Sprintf("%s of size %s, and no other %s", Count(len(tests), "minimal test"), size, where)
}

// TotalsJSON returns the totals.
func (s *Search) TotalsJSON() wire.DistinguishTotals {
	totals := wire.DistinguishTotals{
		Type:    "totals",
		Tried:   s.Found.Tried,
		Size:    s.Cycles.Size.Max,
		Marks:   s.Marks,
		Unknown: s.Found.Unknown,
		Seconds: s.Took.Seconds(),
	}
	if s.Limit != nil {
		totals.Incomplete = s.Limit.Error()
	}
	return totals
}
