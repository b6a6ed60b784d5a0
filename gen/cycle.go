package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// Cycle is a cycle of events: edge i leads from event i to event i+1, the last edge back to
// the first event. Event 0 begins a thread.
type Cycle struct {
	ISA      *ISA
	Edges    []Edge
	Accesses []*Access // of the events
	Shared   []bool    // whether the location of an event is in shared memory
}

// String returns the cycle as -c takes it: "PodWW Rfe [relaxed.gpu] PodRR Fre". Brackets describe
// the event between two edges.
func (c *Cycle) String() string {
	const usual = 128 // bytes
	b := make([]byte, 0, usual)
	shared := c.announced()
	for i := range c.Edges {
		if i > 0 {
			b = append(b, ' ')
		}
		access := c.Accesses[i].Name
		if access == c.ISA.fallback.Name {
			access = ""
		}
		switch {
		case access != "" && shared[i]:
			b = appendAll(b, "[", access, " ", sharedWord, "] ")
		case access != "":
			b = appendAll(b, "[", access, "] ")
		case shared[i]:
			b = appendAll(b, "[", sharedWord, "] ")
		}
		b = c.Edges[i].append(b)
	}
	return string(b)
}

func appendAll(b []byte, texts ...string) []byte {
	for _, s := range texts {
		b = append(b, s...)
	}
	return b
}

// Anywhere returns the cycle without its scope levels. Cycles that differ only in the placement of
// their threads have the same Anywhere.
func (c *Cycle) Anywhere() string {
	open := *c
	open.Edges = slices.Clone(c.Edges)
	for i := range open.Edges {
		open.Edges[i].Level = AnyLevel
	}
	return open.canonical().String()
}

// sharedWord is the word in brackets for an event in shared memory.
var sharedWord = regionName(true)

// regionName returns the region of a location as tests write it.
func regionName(shared bool) string { return litmus.GPU.Regions[region(shared)].Name }

// RegionNames returns the names of the regions.
func RegionNames() []string { return []string{regionName(false), regionName(true)} }

// region returns the region of a location.
func region(shared bool) litmus.Region {
	if shared {
		return litmus.Shared
	}
	return litmus.Global
}

// announced marks the events at which String prints that the location is in shared memory: the
// first event of each such location, unless an asynchronous access implies it.
func (c *Cycle) announced() []bool {
	if !slices.Contains(c.Shared, true) {
		return c.Shared
	}
	var few [fewEvents]int
	locs, _ := c.appendLocations(few[:0])
	shared := slices.Clone(c.Shared)
	known := c.operated(locs)
	for i := range shared {
		shared[i] = shared[i] && known[locs[i]] == nil && !slices.Contains(locs[:i], locs[i])
	}
	return shared
}

// marks returns the levels of the external edges, and the indices of these edges.
func (c *Cycle) marks() (levels []Level, edges []int) {
	for i, e := range c.Edges {
		if e.External {
			levels, edges = append(levels, e.Level), append(edges, i)
		}
	}
	return levels, edges
}

// alike reports whether two cycles differ at most in the placement of threads and locations.
func (c *Cycle) alike(d *Cycle) bool {
	return c.ISA == d.ISA &&
		(identical(c.Edges, d.Edges) ||
			slices.EqualFunc(c.Edges, d.Edges, func(e, f Edge) bool { e.Level = f.Level; return e == f })) &&
		(identical(c.Accesses, d.Accesses) ||
			slices.EqualFunc(c.Accesses, d.Accesses, func(a, b *Access) bool { return a.Name == b.Name }))
}

// sameEdges reports whether two cycles have the same edges, levels included.
func (c *Cycle) sameEdges(d *Cycle) bool {
	return identical(c.Edges, d.Edges) || slices.Equal(c.Edges, d.Edges)
}

// identical reports whether two slices share their memory, as those of cycles found in succession
// mostly do.
func identical[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// closed fills in what the cycle leaves open: a level for each external edge, if the vocabulary has
// levels, and a region for each event. Rotations of the result are then the same cycle.
func (c *Cycle) closed() *Cycle {
	whole := *c
	whole.Shared = c.closedRegions()
	marks, edges := c.marks()
	place, wrong := solve(marks)
	if wrong != fine {
		return &whole
	}
	whole.Edges = slices.Clone(c.Edges)
	for i, e := range edges {
		whole.Edges[e].Level = place[i][(i+1)%len(edges)]
	}
	return &whole
}

// closedRegions returns the region of the location for each event.
func (c *Cycle) closedRegions() []bool {
	var few [fewEvents]int
	var fewShared [fewEvents]bool
	locs, n := c.appendLocations(few[:0])
	of, shared := append(fewShared[:0], make([]bool, n)...), make([]bool, len(locs))
	for i, loc := range locs {
		of[loc] = of[loc] || c.Shared[i]
	}
	for loc, known := range c.operated(locs) {
		of[loc] = *known
	}
	for i, loc := range locs {
		shared[i] = of[loc]
	}
	return shared
}

// in returns the direction that the edge before an event requires of it.
func (c *Cycle) in(i int) Dir { return c.Edges[(i+len(c.Edges)-1)%len(c.Edges)].Dst }

// out returns the direction that the edge after an event requires of it.
func (c *Cycle) out(i int) Dir { return c.Edges[i].Src }

// access returns the access of an event.
func (c *Cycle) access(i int) *Access {
	if o := c.half(i); o != nil {
		return o.access()
	}
	return c.ISA.or(c.Accesses[i])
}

// locations numbers the locations of the events. Each edge between different locations
// leads to a new one, and the last of them back to the first.
func (c *Cycle) locations() (locs []int, n int) {
	return c.appendLocations(make([]int, 0, len(c.Edges)))
}

func (c *Cycle) appendLocations(to []int) (locs []int, n int) {
	for i := range c.Edges {
		n += boolIndex(c.Edges[i].Diff)
	}
	at := 0
	for i := range c.Edges {
		to = append(to, at)
		if c.Edges[i].Diff {
			at = (at + 1) % n
		}
	}
	return to, max(n, 1)
}

// fewEvents is the length that most cycles do not exceed.
const fewEvents = 16

// rotate returns the same cycle, beginning at another event.
func (c *Cycle) rotate(first int) *Cycle {
	if first == 0 {
		return c
	}
	turned := *c
	turned.Edges = rotated(c.Edges, first)
	turned.Accesses = rotated(c.Accesses, first)
	turned.Shared = rotated(c.Shared, first)
	return &turned
}

func rotated[T any](s []T, first int) []T { return append(s[first:len(s):len(s)], s[:first]...) }

// Unsuitable is the error that a cycle has no test: its execution is contradictory, or no final
// condition can observe it.
type Unsuitable struct {
	Cycle string
	Why   string
}

func (u *Unsuitable) Error() string { return fmt.Sprintf("%s: %s", u.Cycle, u.Why) }

func (c *Cycle) unsuitable(format string, args ...any) error {
	return &Unsuitable{c.String(), fmt.Sprintf(format, args...)}
}

// Parse reads a pattern of cycles. A * matches any direction or fence; omitted levels and accesses
// are left open. The pattern stands for all matching cycles. The error is a src.Diagnostics.
func Parse(f *src.File, isa *ISA) (*Pattern, error) {
	p := &Pattern{isa: isa}
	var diags src.Diagnostics
	fail := func(d *src.Diagnostic) {
		if d != nil {
			diags = append(diags, d)
		}
	}
	for _, t := range tokens(f) {
		if t.note {
			fail(p.annotate(t.Span))
			continue
		}
		if accesses, ok, d := isa.rmw(t.Span); ok {
			fail(d)
			fail(p.describe(note{at: t.Span, accesses: []*Access{}, between: accesses}))
			continue
		}
		edges, d := isa.Edges(t.Span)
		fail(d)
		p.positions = append(p.positions, position{edges: edges, at: t.Span})
		if p.pending.at.Valid() {
			p.positions[len(p.positions)-1].note = p.pending
			p.pending = note{}
		}
	}
	switch {
	case len(p.positions) == 0:
		fail(src.Errorf(f.Span(0, len(f.Text)), "a cycle has edges, such as PodWW Rfe PodRR Fre"))
	case p.pending.at.Valid():
		first := &p.positions[0]
		if first.note.at.Valid() {
			fail(src.Errorf(p.pending.at, "the event between the last edge and the first is described twice"))
		}
		first.note = p.pending
	}
	if diags != nil {
		return nil, diags
	}
	return p, nil
}

// Pattern is a set of cycles: the choices for each edge and event.
type Pattern struct {
	isa       *ISA
	positions []position
	pending   note // brackets that no edge has followed yet
}

// position is the choices for an edge and for the event at which it begins.
type position struct {
	edges []Edge
	at    src.Span
	note
}

// note is the contents of brackets about an event.
type note struct {
	at       src.Span
	accesses []*Access // nil for the default
	between  []*Access // atomics between an edge that ends with a read and one that begins with a write
	shared   bool
}

// annotate reads the contents of brackets.
func (p *Pattern) annotate(at src.Span) *src.Diagnostic {
	if !strings.HasSuffix(at.Text(), "]") {
		return src.Errorf(at, "a [ without its ]")
	}
	n := note{at: at}
	for _, word := range words(at.File, at.Start+1, at.End-1) {
		if word.Text() == sharedWord {
			n.shared = true
			continue
		}
		accesses, d := p.isa.Accesses(word)
		if d != nil {
			return d
		}
		n.accesses = append(n.accesses, accesses...)
	}
	return p.describe(n)
}

// describe keeps the description of the event before the next edge.
func (p *Pattern) describe(n note) *src.Diagnostic {
	if p.pending.at.Valid() {
		return src.Errorf(n.at, "two descriptions of one event: an edge stands between two events")
	}
	p.pending = n
	return nil
}

// token is an edge, or the text about an event in brackets.
type token struct {
	src.Span
	note bool
}

// tokens splits the text of a cycle. Commas count as blanks.
func tokens(f *src.File) []token {
	var found []token
	for i := 0; i < len(f.Text); {
		end := i + 1
		switch {
		case f.Text[i] == '[':
			if n := strings.IndexByte(f.Text[i:], ']'); n > 0 {
				end = i + n + 1
			} else {
				end = len(f.Text)
			}
			found = append(found, token{f.Span(i, end), true})
		case !blank(f.Text[i]):
			for end < len(f.Text) && !blank(f.Text[end]) && f.Text[end] != '[' {
				end++
			}
			found = append(found, token{f.Span(i, end), false})
		}
		i = end
	}
	return found
}

// words splits a part of a file at blanks.
func words(f *src.File, start, end int) []src.Span {
	var found []src.Span
	for i := start; i < end; {
		j := i + 1
		if !blank(f.Text[i]) {
			for j < end && !blank(f.Text[j]) {
				j++
			}
			found = append(found, f.Span(i, j))
		}
		i = j
	}
	return found
}

func blank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' || b == ',' }
