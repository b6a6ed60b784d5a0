package path

import (
	"context"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/frontend/barrier"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// Program is a test whose threads have been followed along their control paths. A language embeds
// it and adds the rest of frontend.Program: Domain by DomainWith, Source, Locate, and what differs
// from the defaults here.
type Program struct {
	Test *litmus.Test
	frontend.Memory
	Threads []event.Thread
	Paths   [][]*Path // of each thread

	Barriers barrier.Rules
	Known    [][]barrier.Barrier // by thread: the barriers in its code whose rounds wait for it

	Vocabulary *event.Vocabulary
	// Joined returns the structure of one path of each thread, without barriers; nil for Join.
	Joined func([]*event.Path) *event.Structure

	once     sync.Once // meetings
	meetings *barrier.Program
}

// MaxEvents returns the number of events of the largest structure, initial writes included.
func (p *Program) MaxEvents() int {
	n := 0
	for i := range p.Locs {
		if p.Locs[i].Alias == nil {
			n++
		}
	}
	for _, paths := range p.Paths {
		longest := 0
		for _, path := range paths {
			longest = max(longest, len(path.Events))
		}
		n += longest
	}
	return n
}

// Combinations returns the number of combinations of control paths.
func (p *Program) Combinations() int { return combinationsOf(p.Paths) }

// Meets reports whether threads reach barriers on some of their paths.
func (p *Program) Meets() bool {
	visits := func(p *Path) bool { return len(p.Visits) > 0 }
	return slices.ContainsFunc(p.Paths, func(of []*Path) bool { return slices.ContainsFunc(of, visits) })
}

// barriers returns the program of the threads at barriers.
func (p *Program) barriers() *barrier.Program {
	p.once.Do(func() {
		tracks := make([][]barrier.Track, len(p.Paths))
		for t, paths := range p.Paths {
			for _, path := range paths {
				tracks[t] = append(tracks[t], path.track())
			}
		}
		p.meetings = barrier.NewProgram(p.Barriers, p.Threads, p.Known, tracks)
	})
	return p.meetings
}

// Structures yields the structures of each combination of control paths, one path of each thread;
// the paths of the last thread vary fastest. A combination has no structure if its threads cannot
// meet, or if it has two idle rounds. It has one for each way in which its threads can meet. When
// the context is done, the sequence ends with its error.
func (p *Program) Structures(ctx context.Context) iter.Seq2[*event.Structure, error] {
	return func(yield func(*event.Structure, error) bool) {
		budget, wanted := barrier.NewBudget(ctx), true
		var may func(thread int, which []int) bool
		if p.Meets() {
			may = p.barriers().Possible(budget)
		}
		combine(p.Paths, may, func(number int, which []int) bool {
			return !budget.Spend() && p.structures(which, budget, func(s *event.Structure) bool {
				s.Combination = number
				wanted = yield(s, nil)
				return wanted && !budget.Spend()
			})
		})
		if err := budget.Err(); wanted && err != nil {
			yield(nil, err)
		}
	}
}

// structures yields the structures of one combination of paths, given by number: one for each way
// in which the threads can meet. It returns false if yield does, or if the budget is spent.
func (p *Program) structures(which []int, budget *barrier.Budget, yield func(*event.Structure) bool) bool {
	paths, meets := make([]*event.Path, len(which)), false
	for t, n := range which {
		path := p.Paths[t][n]
		paths[t], meets = path.Path, meets || len(path.Visits) > 0
	}
	switch {
	case meets:
	case p.Meets():
		return yield(barrier.Pairs{}.With(p.joined(paths)))
	default:
		return yield(p.joined(paths))
	}
	var s *event.Structure
	return p.barriers().Meet(which, budget, func(m *barrier.Meeting) bool {
		if s == nil {
			s = p.joined(paths)
		}
		return m.Pairs(s.First, func(pairs barrier.Pairs) bool { return yield(pairs.With(s)) })
	})
}

// joined returns the structure of one path of each thread, without barriers.
func (p *Program) joined(paths []*event.Path) *event.Structure {
	if p.Joined != nil {
		return p.Joined(paths)
	}
	return p.Join(paths)
}

// Join returns the structure of one path of each thread, as package event makes it.
func (p *Program) Join(paths []*event.Path) *event.Structure {
	s := event.Join(p.Locs, p.Threads, paths)
	s.Vocabulary = p.Vocabulary
	return s
}

// Family returns the structures of all combinations of control paths as a family, or nil if threads
// on certain paths can meet in several ways, if too many threads meet, or if the context is done.
func (p *Program) Family(ctx context.Context) *event.Family {
	number := map[*event.Path]int{}
	for _, paths := range p.Paths {
		for i, path := range paths {
			number[path.Path] = i
		}
	}
	f := &event.Family{Join: func(taken []*event.Path) (joined *event.Structure) {
		which := make([]int, len(taken))
		for t, path := range taken {
			which[t] = number[path]
		}
		p.structures(which, barrier.NewBudget(context.Background()), func(s *event.Structure) bool {
			joined = s
			return false
		})
		return joined
	}}
	teams, ok := p.barriers().Teams(barrier.NewBudget(ctx))
	if !ok {
		return nil
	}
	for _, team := range teams {
		f.Teams = append(f.Teams, event.Team{Threads: team.Members, Takes: p.takes(team)})
	}
	return f
}

// takes returns the paths that the threads of a team may take together.
func (p *Program) takes(team barrier.Team) (takes []event.Take) {
	for _, numbers := range team.Takes {
		take := make(event.Take, len(numbers))
		for i, member := range team.Members {
			for _, path := range numbers[i] {
				take[i] = append(take[i], p.Paths[member][path].Path)
			}
		}
		takes = append(takes, take)
	}
	return takes
}

// DomainWith returns every value that the test mentions, sorted: the candidates for a value out of
// thin air. They are the initial values of locations, the constants of propositions, and the
// constants in the code, which each visits.
func (p *Program) DomainWith(each func(visit func(event.Value))) []event.Value {
	seen := map[event.Value]bool{}
	for i := range p.Locs {
		seen[p.Locs[i].Init] = true
	}
	each(func(v event.Value) { seen[v] = true })
	for _, prop := range []litmus.Prop{p.Test.Cond.Prop, p.Test.Filter} {
		litmus.EachConst(prop, func(c litmus.Value) {
			if v, ok := p.FromText(c); ok {
				seen[v] = true
			}
		})
	}
	return slices.SortedFunc(maps.Keys(seen), event.Value.Compare)
}

// Normalize returns a proposition as it is: the constants of most languages look as values do.
func (*Program) Normalize(p litmus.Prop) litmus.Prop { return p }

// Rules returns no checks of a language.
func (*Program) Rules() *src.File { return nil }
