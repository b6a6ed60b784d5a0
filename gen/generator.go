package gen

import (
	"context"
	"errors"
	"hash/maphash"
	"iter"
	"slices"
	"strconv"

	"github.com/muster-gpu/muster/src"
)

// Generator enumerates all irreducible cycles over a vocabulary, within bounds.
type Generator struct {
	ISA      *ISA
	Edges    []Edge
	Accesses []*Access // choices for each event; the default access if empty
	Atomics  []*Access // further choices for an event between a read and a write (Rmw.exch)
	Levels   []Level   // choices for external edges without a level; one GPU if empty
	Shared   []bool    // choices for each location: false is global, true is shared memory; global if empty
	Size     Range     // number of edges; an atomic counts as one, from its read to its write
	Threads  Range     // no bound if zero
	Events   int       // bound on the events of a thread; 0 for none
	// number of edges beyond communication and program order and of accesses other than the first
	// choice, atomics aside; nil for any number
	Marks *Range
}

// MaxSize bounds the length of cycles. Enumeration is infeasible well below it.
const MaxSize = 64

// Range is a minimum and a maximum.
type Range struct{ Min, Max int }

// Words is a vocabulary as text: names separated by blanks or commas, where a * matches any text
// (ISA.Edges, ISA.Accesses).
type Words struct{ Edges, Accesses, Levels, Regions string }

// Add adds a vocabulary to the generator. Errors refer to the words as files named after the flags:
// --edges, --accesses, --scopes, --regions.
func (g *Generator) Add(w Words) error {
	for _, field := range []struct {
		flag, text string
		add        func(src.Span) *src.Diagnostic
	}{
		{"--edges", w.Edges, g.addEdges},
		{"--accesses", w.Accesses, g.addAccesses},
		{"--scopes", w.Levels, g.addLevel},
		{"--regions", w.Regions, g.addRegion},
	} {
		if err := eachWord(src.NewFile(field.flag, field.text), field.add); err != nil {
			return err
		}
	}
	return nil
}

func (g *Generator) addEdges(at src.Span) *src.Diagnostic {
	if atomics, ok, d := g.ISA.rmw(at); ok {
		g.Atomics = union(g.Atomics, atomics)
		return d
	}
	edges, d := g.ISA.Edges(at)
	g.Edges = union(g.Edges, edges)
	return d
}

func (g *Generator) addAccesses(at src.Span) *src.Diagnostic {
	accesses, d := g.ISA.Accesses(at)
	g.Accesses = union(g.Accesses, accesses)
	return d
}

func (g *Generator) addLevel(at src.Span) *src.Diagnostic {
	level, d := g.ISA.Level(at, at.Text())
	g.Levels = union(g.Levels, []Level{level})
	return d
}

func (g *Generator) addRegion(at src.Span) *src.Diagnostic {
	name := at.Text()
	if name != regionName(false) && name != regionName(true) {
		return src.Errorf(at, "no region %s", name).WithHint("a location is in global or shared memory")
	}
	g.Shared = union(g.Shared, []bool{name == regionName(true)})
	return nil
}

func eachWord(f *src.File, add func(src.Span) *src.Diagnostic) error {
	var diags src.Diagnostics
	for _, at := range words(f, 0, len(f.Text)) {
		if d := add(at); d != nil {
			diags = append(diags, d)
		}
	}
	if diags != nil {
		return diags
	}
	return nil
}

func union[T comparable](all, more []T) []T {
	for _, x := range more {
		if !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	return all
}

// Cycles yields the cycles by size, until the context is done, in a deterministic order.
func (g *Generator) Cycles(ctx context.Context) iter.Seq[*Cycle] {
	return func(yield func(*Cycle) bool) {
		for size := max(1, g.Size.Min); size <= g.Size.Max; size++ {
			for atomics := range size/2 + 1 {
				s := g.search(ctx, size-atomics)
				s.atomics = &Range{atomics, atomics}
				if !s.cycles(yield) {
					return
				}
			}
		}
	}
}

// search returns the search for cycles with the given number of edges, atomics not counted.
func (g *Generator) search(ctx context.Context, edges int) *search {
	s := &search{
		ctx: ctx, isa: g.ISA, levels: g.Levels, shared: g.Shared, threads: g.Threads, events: g.Events, marks: g.Marks,
		irreducible: true, placeable: true, necklaces: true,
	}
	if s.levels == nil {
		s.levels = []Level{SameGPU}
	}
	if s.shared == nil {
		s.shared = []bool{false}
	}
	at := position{edges: g.Edges, note: note{accesses: g.Accesses, between: g.Atomics}}
	s.positions = slices.Repeat([]position{at}, edges)
	return s
}

// Counts are the statistics of a generation.
type Counts struct {
	Cycles   int // cycles enumerated
	Tests    int
	Unsuited int // cycles that are contradictory, or whose execution no condition can observe
	Equal    int // cycles that spell an earlier test differently
}

// Distinct yields the tests of cycles, each once, and skips cycles without a test. If several tests
// have one name, the later ones are numbered. It keeps two short hashes for each test, so that it
// can handle millions.
func Distinct(cycles iter.Seq[*Cycle], counts *Counts) iter.Seq2[*Test, error] {
	return func(yield func(*Test, error) bool) {
		seen := map[digest]struct{}{}
		names := map[uint64]uint32{} // by hash; a collision only numbers a test needlessly
		var make maker
		digests := newDigester()
		for c := range cycles {
			counts.Cycles++
			t, err := make.test(c)
			if err != nil {
				if unsuited(err) {
					counts.Unsuited++
					continue
				}
				yield(nil, err)
				return
			}
			key := digests.of(t.Key())
			if _, equal := seen[key]; equal {
				counts.Equal++
				continue
			}
			seen[key] = struct{}{}
			name := digests.short(t.Name.Text)
			if names[name]++; names[name] > 1 {
				t.Name.Text += "-" + strconv.FormatUint(uint64(names[name]), 10)
			}
			counts.Tests++
			if !yield(t, nil) {
				return
			}
		}
	}
}

// unsuited reports whether an error is an *Unsuitable.
func unsuited(err error) bool {
	var is *Unsuitable
	return errors.As(err, &is)
}

// digest identifies a text: among 10⁹ texts, two collide with probability 10⁻²¹.
type digest [2]uint64

// digester makes digests, with two hash functions of its own.
type digester [2]maphash.Seed

func newDigester() digester { return digester{maphash.MakeSeed(), maphash.MakeSeed()} }

func (d *digester) of(text string) digest { return digest{d.short(text), maphash.String(d[1], text)} }

func (d *digester) short(text string) uint64 { return maphash.String(d[0], text) }
