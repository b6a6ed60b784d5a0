package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/sim"
)

// Tally sums up the work behind the answers, for --stats.
type Tally struct {
	began                     time.Time
	reading, solving, writing time.Duration

	tests, structures, visited, counted, forced, asked, learnt int

	tried map[string]int // number of tests, by the searches that were made, in order
	turns []sim.Turns
	naive map[string]int // number of tests left to the slow engine, by reason
	cuts  map[string]int // by check
	order []string       // the checks, in the order in which they were first seen
}

// NewTally returns a tally that starts now.
func NewTally() *Tally {
	return &Tally{began: time.Now(), tried: map[string]int{}, naive: map[string]int{}, cuts: map[string]int{}}
}

// Add adds a result, or nil, with the time that reading the test and writing the answer took.
func (t *Tally) Add(r *sim.Result, reading, writing time.Duration) {
	t.reading += reading
	t.writing += writing
	if r == nil {
		return
	}
	t.tests++
	t.solving += r.Elapsed
	t.structures = engine.Add(t.structures, r.Stats.Structures)
	t.visited += r.Stats.Candidates
	t.counted = engine.Add(t.counted, r.Work.Counted)
	t.forced += r.Work.Forced
	t.asked = engine.Add(t.asked, r.Work.Left)
	t.learnt += r.Work.Learnt
	if len(r.Work.Attempts) > 0 { // empty for an answer taken from another test of the same content
		t.tried[strings.Join(r.Work.Attempts, ", then ")]++
	}
	for _, turn := range r.Work.Turns {
		i := slices.IndexFunc(t.turns, func(known sim.Turns) bool { return known.By == turn.By })
		if i < 0 {
			i, t.turns = len(t.turns), append(t.turns, sim.Turns{By: turn.By})
		}
		t.turns[i].Combinations += turn.Combinations
	}
	if r.Work.Engine == sim.Naive && r.Work.Reason != "" {
		t.naive[r.Work.Reason]++
	}
	for _, c := range r.Work.Cuts {
		if _, seen := t.cuts[c.Check]; !seen {
			t.order = append(t.order, c.Check)
		}
		t.cuts[c.Check] += c.Times
	}
}

// Print prints the sums.
func (t *Tally) Print(w io.Writer) {
	fmt.Fprintf(w, "%s, %s of control paths\n", Count(t.tests, "test"), Count(t.structures, "combination"))
	fmt.Fprintf(w, "%s visited, %s counted without a visit, %s of choices forced\n",
		Count(t.visited, "candidate"), Count(t.counted, "consistent execution"), Count(t.forced, "pair"))
	if t.asked > 0 {
		fmt.Fprintf(w, "%s left to the learning engine, %s\n", Count(t.asked, "combination"),
			Count(t.learnt, "conflict"))
	}
	if len(t.cuts) > 0 {
		var cuts []string
		for _, check := range t.order {
			cuts = append(cuts, fmt.Sprintf("%s %d", check, t.cuts[check]))
		}
		fmt.Fprintf(w, "cut off by %s\n", strings.Join(cuts, ", "))
	}
	for _, tried := range slices.Sorted(maps.Keys(t.tried)) {
		fmt.Fprintf(w, "%s by %s\n", Count(t.tried[tried], "test"), tried)
	}
	if len(t.turns) > 0 {
		var turns []string
		for _, turn := range t.turns {
			turns = append(turns, fmt.Sprintf("%s %d", turn.By, turn.Combinations))
		}
		fmt.Fprintf(w, "combinations looked at by %s\n", strings.Join(turns, ", "))
	}
	for _, reason := range slices.Sorted(maps.Keys(t.naive)) {
		fmt.Fprintf(w, "%s by the naive engine: %s\n", Count(t.naive[reason], "test"), reason)
	}
	fmt.Fprintf(w, "time, over all workers: reading %.2f s, solving %.2f s, writing %.2f s; in all %.2f s\n",
		t.reading.Seconds(), t.solving.Seconds(), t.writing.Seconds(), time.Since(t.began).Seconds())
}
