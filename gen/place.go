package gen

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// Level is how close two threads are: the smallest unit of the execution hierarchy that contains
// both (ASPLOS 2015, Sec. 2.1; PTX ISA, "Thread Hierarchy").
type Level uint8

// The levels, narrowest first.
const (
	AnyLevel    Level = iota // left open
	SameWarp                 // one warp
	SameCTA                  // one CTA, two warps
	SameCluster              // one cluster, two CTAs
	SameGPU                  // one GPU, two clusters (or two CTAs, if there are no clusters)
	OtherGPU                 // two GPUs
)

// levelNames are the marks of levels in cycles, and the words in names of tests whose threads all
// have that level.
var levelNames = [...]struct{ mark, placement string }{
	{"", ""},
	{"warp", "intra-warp"},
	{"cta", "intra-cta"},
	{"cluster", "intra-cluster"},
	{"gpu", "inter-cta"},
	{"sys", ""}, // ISA.far
}

// LevelNames returns the levels that --scopes takes.
func LevelNames() (names []string) {
	for _, l := range levelNames[SameWarp:] {
		names = append(names, l.mark)
	}
	return names
}

func (l Level) String() string { return levelNames[l].mark }

// Level parses a mark.
func (isa *ISA) Level(at src.Span, name string) (Level, *src.Diagnostic) {
	var known []string
	for _, l := range isa.levels {
		if l.String() == name {
			return l, nil
		}
		known = append(known, l.String())
	}
	d := src.Errorf(at, "%s has no level %s", isa.Name, name)
	d.Hint = "a level is the smallest unit that holds both threads: " + strings.Join(known, ", ")
	return AnyLevel, d
}

// placement gives, for each two threads, the smallest level that contains both.
type placement [][]Level

// solve computes a placement from the levels of consecutive threads: threads i and i+1 share
// marks[i], the last and the first thread share the last mark. Threads that no chain of marks
// connects at a level are apart there. An open mark means one GPU; if that contradicts the other
// marks and no other mark is open, it means several. It returns the index of the first contradicted
// mark, or ambiguous, or fine.
func solve(marks []Level) (p placement, wrong int) {
	if !slices.Contains(marks, AnyLevel) {
		p = place(marks)
		return p, p.misses(marks)
	}
	wishes, open := slices.Clone(marks), 0
	for i, mark := range marks {
		if mark == AnyLevel {
			wishes[i] = SameGPU
			open++
		}
	}
	if p = place(wishes); p.misses(marks) == fine {
		return p, fine
	}
	if p = place(marks); p.misses(marks) != fine {
		return p, p.misses(marks)
	}
	if open > 1 {
		return p, ambiguous
	}
	return p, fine
}

// Results of solve besides the index of a contradicted mark.
const (
	fine      = -1
	ambiguous = -2 // several choices for the open marks are possible
)

// place computes the placement that the marks describe. Levels nest: two threads are together at
// the widest mark on the way from one to the other around the cycle, taking the way on which it is
// narrower.
func place(marks []Level) placement {
	n := len(marks)
	p, all := make(placement, n), slices.Repeat([]Level{OtherGPU}, n*n)
	for i := range p {
		p[i] = all[i*n : (i+1)*n : (i+1)*n]
		p[i][i] = AnyLevel
	}
	for i := range n {
		widest := AnyLevel
		for j := (i + 1) % n; j != i; j = (j + 1) % n {
			if widest = max(widest, marks[(j+n-1)%n]); marks[(j+n-1)%n] == AnyLevel {
				break // no level connects these threads
			}
			p[i][j] = min(p[i][j], widest)
			p[j][i] = p[i][j]
		}
	}
	return p
}

// misses returns the index of a mark that a placement violates, because its threads do not share
// its level or share a narrower one, or fine. Open marks are never violated.
func (p placement) misses(marks []Level) int {
	for i, mark := range marks {
		if mark != AnyLevel && p[i][(i+1)%len(marks)] != mark {
			return i
		}
	}
	return fine
}

// numbers numbers the units of level l in the order of the threads. Within each unit of level
// within, the count starts again.
func (p placement) numbers(l, within Level) []int {
	numbers := make([]int, len(p))
	for i := range p {
		numbers[i] = -1
		next := 0
		for j := range i {
			switch {
			case p[i][j] <= l:
				numbers[i] = numbers[j]
			case p[i][j] <= within:
				next = max(next, numbers[j]+1)
			}
		}
		if numbers[i] < 0 {
			numbers[i] = next
		}
	}
	return numbers
}

// apart reports whether some threads are in different units of a level.
func (p placement) apart(l Level) bool {
	return slices.ContainsFunc(p, func(row []Level) bool {
		return slices.ContainsFunc(row, func(m Level) bool { return m > l })
	})
}

// has reports whether a level is the smallest that some two threads share.
func (p placement) has(l Level) bool {
	return slices.ContainsFunc(p, func(row []Level) bool { return slices.Contains(row, l) })
}
