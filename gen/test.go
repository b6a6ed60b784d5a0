package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/frontends"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// Test is a litmus test and the cycle that it comes from.
type Test struct {
	*litmus.Test
	Cycle *Cycle

	layout *layout
	key    string // memoised by Key
}

// Key identifies the test up to the names of threads, locations, registers and values: tests
// with one key ask the same question. It is not safe for concurrent use.
func (t *Test) Key() string {
	if t.key == "" {
		t.key = t.layout.key()
	}
	return t.key
}

// Test makes the litmus test of a cycle. The error is an *Unsuitable.
func (c *Cycle) Test() (*Test, error) {
	l, err := c.closed().canonical().lay()
	if err != nil {
		return nil, err
	}
	name := l.name()
	t, err := frontends.Parse(src.NewFile(name+".litmus", l.text(name)))
	if err != nil {
		return nil, fmt.Errorf("the test of %s: %w", c, err)
	}
	return &Test{Test: t, Cycle: l.Cycle, layout: l}, nil
}

// key is the program and what is asked of it, in the order of threads that gives the least
// text. Only threads that look alike are tried in several orders.
func (l *layout) key() string {
	threads := make([]int, len(l.threads))
	looks := make([]string, len(l.threads))
	for t := range threads {
		threads[t] = t
		looks[t] = l.describe([]int{t})
	}
	slices.SortStableFunc(threads, func(a, b int) int { return strings.Compare(looks[a], looks[b]) })
	least := ""
	if l.arrangements(looks) > mostArrangements {
		for first := range l.threads {
			if text := l.describe(rotated(threads, first)); least == "" || text < least {
				least = text
			}
		}
		return l.ISA.Name + " " + least
	}
	var order func(i int)
	order = func(i int) {
		if i == len(threads) {
			if text := l.describe(threads); least == "" || text < least {
				least = text
			}
			return
		}
		for j := i; j < len(threads) && looks[threads[j]] == looks[threads[i]]; j++ {
			threads[i], threads[j] = threads[j], threads[i]
			order(i + 1)
			threads[i], threads[j] = threads[j], threads[i]
		}
	}
	order(0)
	return l.ISA.Name + " " + least
}

// mostArrangements bounds the permutations of threads that key tries. A cycle with very many
// similar threads is a ring, and only its rotations give the same test.
const mostArrangements = 5040

// arrangements is the number of permutations of threads that have the same description.
func (l *layout) arrangements(looks []string) int {
	n, alike := 1, map[string]int{}
	for _, look := range looks {
		alike[look]++
		if n *= alike[look]; n > mostArrangements {
			break
		}
	}
	return n
}

// describe is a canonical text of the threads, with locations and values numbered in the order of
// their first occurrence.
func (l *layout) describe(threads []int) string {
	locations := newNumbering[int]()
	writes := newNumbering[int]()
	var events []int
	for _, t := range threads {
		events = append(events, l.threads[t]...)
	}
	for _, e := range events {
		if l.nodes[e].writes {
			writes.of(e)
		}
	}
	var b strings.Builder
	for _, e := range events {
		n := l.nodes[e]
		fmt.Fprintf(&b, "%s %s%d", n.access.Name, roleLetters(n), locations.of(n.loc))
		if len(threads) == len(l.threads) && n.seen {
			fmt.Fprintf(&b, "=%d", writes.of(n.source))
		}
		switch next := l.Edges[e]; {
		case next.Kind == Handover:
			fmt.Fprintf(&b, "%s%d|", next.stem(), boolIndex(len(threads) == len(l.threads))*slices.Index(threads, (n.thread+1)%len(l.threads)))
		case next.External || e == len(l.Edges)-1:
			b.WriteByte('|')
		case next.Communicates() || next.Kind == Po:
			b.WriteByte(';')
		default:
			b.WriteString(next.stem() + ";")
		}
	}
	if len(threads) == len(l.threads) {
		l.describeRest(&b, threads, locations, writes)
	}
	return b.String()
}

// describeRest is the same for final values, regions and the scope tree.
func (l *layout) describeRest(b *strings.Builder, threads []int, locations, writes *numbering[int]) {
	rest := make([]string, len(l.writers))
	for loc, writers := range l.writers {
		last := initially
		if l.final[loc] {
			last = writers[len(writers)-1]
		}
		rest[locations.of(loc)] = fmt.Sprintf("%t %d", l.shared[loc], writes.of(last))
	}
	b.WriteString(strings.Join(rest, ","))
	for i, t := range threads {
		for _, u := range threads[:i] {
			b.WriteString(l.place[t][u].String() + " ")
		}
	}
}

func roleLetters(n node) string {
	switch {
	case n.reads && n.writes:
		return "U"
	case n.reads:
		return "R"
	}
	return "W"
}

// numbering numbers things in the order of their first occurrence.
type numbering[T comparable] struct{ seen map[T]int }

func newNumbering[T comparable]() *numbering[T] { return &numbering[T]{map[T]int{}} }

func (n *numbering[T]) of(x T) int {
	i, ok := n.seen[x]
	if !ok {
		i = len(n.seen)
		n.seen[x] = i
	}
	return i
}
