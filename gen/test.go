package gen

import (
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/litmus"
)

// Test is a litmus test and its cycle.
type Test struct {
	*litmus.Test
	Cycle *Cycle

	layout *layout
	key    string // memoised by Key
}

// String returns the test in canonical form: its text, unless it has been renamed.
func (t *Test) String() string {
	if t.Name.Text == t.Name.Span.Text() {
		return t.File.Text
	}
	return t.Test.String()
}

// Key identifies the test up to the names of threads, locations, registers and values: tests with
// one key ask the same question. It is not safe for concurrent use.
func (t *Test) Key() string {
	if t.key == "" {
		t.key = t.layout.key()
	}
	return t.key
}

// Test makes the litmus test of a cycle. The error is an *Unsuitable.
func (c *Cycle) Test() (*Test, error) { return new(maker).test(c) }

// maker makes the tests of cycles, one after the other. Consecutive cycles mostly differ only in
// the placement of threads and locations; everything else is reused from the previous test.
type maker struct {
	cycle  *Cycle  // last cycle, as given
	least  *Cycle  // the same in canonical form
	starts []int   // its starts
	layout *layout // last layout, or nil
	writer litmus.Writer
}

func (m *maker) test(c *Cycle) (*Test, error) {
	l, err := m.canonical(c).layLike(m.layout)
	if err != nil {
		return nil, err
	}
	m.layout = l
	return &Test{Test: l.write(&m.writer, l.name()), Cycle: l.Cycle, layout: l}, nil
}

// canonical returns the cycle, closed and in canonical rotation.
func (m *maker) canonical(c *Cycle) *Cycle {
	alike := m.cycle != nil && c.alike(m.cycle)
	remapped := alike && c.sameEdges(m.cycle)
	if !alike {
		m.starts = c.starts()
	}
	if m.cycle = c; remapped && len(m.starts) == 1 {
		m.least = &Cycle{c.ISA, m.least.Edges, m.least.Accesses, rotated(c.closedRegions(), m.starts[0])}
	} else {
		m.least = c.closed().least(m.starts)
	}
	return m.least
}

// key returns the program and its condition as text, with the threads in the order that gives the
// least text. Only threads with equal descriptions are permuted.
func (l *layout) key() string {
	if l.looks == nil {
		l.look()
	}
	var few [fewEvents]int
	threads := append(few[:0], l.ranked...)
	if l.arrangements(l.looks) <= mostArrangements {
		return l.leastFrom(threads, 0, "")
	}
	least := ""
	for first := range l.threads {
		if text := l.describe(rotated(threads, first)); least == "" || text < least {
			least = text
		}
	}
	return least
}

// leastFrom returns the least of a text and the texts with permutations of equally described
// threads from the i-th on.
func (l *layout) leastFrom(threads []int, i int, least string) string {
	if i == len(threads) {
		if text := l.describe(threads); least == "" || text < least {
			return text
		}
		return least
	}
	for j := i; j < len(threads) && l.looks[threads[j]] == l.looks[threads[i]]; j++ {
		threads[i], threads[j] = threads[j], threads[i]
		least = l.leastFrom(threads, i+1, least)
		threads[i], threads[j] = threads[j], threads[i]
	}
	return least
}

// look describes each thread separately and sorts the threads by description.
func (l *layout) look() {
	l.looks, l.ranked = make([]string, len(l.threads)), make([]int, len(l.threads))
	for t := range l.looks {
		l.looks[t], l.ranked[t] = l.describe([]int{t}), t
	}
	slices.SortStableFunc(l.ranked, func(a, b int) int { return strings.Compare(l.looks[a], l.looks[b]) })
}

// mostArrangements bounds the permutations of threads that key tries. A cycle with very many
// similar threads is a ring, and only its rotations give the same test.
const mostArrangements = 5040

// arrangements returns the number of permutations of threads that have the same description.
func (l *layout) arrangements(looks []string) int {
	n := 1
	for t, look := range looks {
		alike := 1
		for _, other := range looks[:t] {
			alike += boolIndex(other == look)
		}
		if n *= alike; n > mostArrangements {
			break
		}
	}
	return n
}

// describe returns a canonical text of the threads, with locations and values numbered in the order
// of their first occurrence.
func (l *layout) describe(threads []int) string {
	var few [2][16]int
	locations, writes := numberBelow(len(l.writers), few[0][:]), numberBelow(len(l.nodes), few[1][:])
	for _, t := range threads {
		for _, e := range l.threads[t] {
			if l.nodes[e].writes {
				writes.of(e)
			}
		}
	}
	const usual = 256 // bytes
	b := appendAll(make([]byte, 0, usual), l.ISA.Name, " ")
	for _, t := range threads {
		for _, e := range l.threads[t] {
			b = l.describeEvent(b, e, threads, &locations, &writes)
		}
	}
	if len(threads) == len(l.threads) {
		b = l.describeRest(b, threads, &locations, &writes)
	}
	return string(b)
}

// describeEvent appends the text of an event and of the edge after it.
func (l *layout) describeEvent(b []byte, e int, threads []int, locations, writes *numbering) []byte {
	n, whole := &l.nodes[e], len(threads) == len(l.threads)
	b = append(append(b, n.access.Name...), ' ')
	b = append(b, roleLetters(n)...)
	b = strconv.AppendInt(b, int64(locations.of(n.loc)), 10)
	if whole && n.seen {
		b = strconv.AppendInt(append(b, '='), int64(writes.of(n.source)), 10)
	}
	switch next := &l.Edges[e]; {
	case next.Kind == Handover:
		to := boolIndex(whole) * slices.Index(threads, (n.thread+1)%len(l.threads))
		return append(strconv.AppendInt(next.appendStem(b), int64(to), 10), '|')
	case next.External || e == len(l.Edges)-1:
		return append(b, '|')
	case next.Communicates() || next.Kind == Po:
		return append(b, ';')
	default:
		return append(next.appendStem(b), ';')
	}
}

// describeRest appends the text of final values, regions and the scope tree.
func (l *layout) describeRest(b []byte, threads []int, locations, writes *numbering) []byte {
	last := make([]int, len(l.writers)) // by number
	shared := make([]bool, len(l.writers))
	for loc, writers := range l.writers {
		i, write := locations.of(loc), initially
		if l.final[loc] {
			write = writers[len(writers)-1]
		}
		shared[i], last[i] = l.shared[loc], writes.of(write)
	}
	for i := range last {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(strconv.AppendBool(b, shared[i]), ' '), int64(last[i]), 10)
	}
	for i, t := range threads {
		for _, u := range threads[:i] {
			b = append(append(b, l.place[t][u].String()...), ' ')
		}
	}
	return b
}

func roleLetters(n *node) string {
	switch {
	case n.reads && n.writes:
		return "U"
	case n.reads:
		return "R"
	}
	return "W"
}

// numbering numbers small integers, and initially, in the order of their first occurrence.
type numbering struct {
	numbers []int // at x+1, the number of x plus one; 0 for none
	count   int
}

// numberBelow returns a numbering of integers up to most, using few as memory if it suffices.
func numberBelow(most int, few []int) numbering {
	if most >= len(few) {
		few = make([]int, most+1)
	}
	return numbering{numbers: few}
}

func (n *numbering) of(x int) int {
	if at := &n.numbers[x+1]; *at == 0 {
		n.count++
		*at = n.count
	}
	return n.numbers[x+1] - 1
}
