package barrier

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/rel"
)

// Program is the threads of a test, reduced to what they do at barriers. Several goroutines may use
// it.
type Program struct {
	rules   Rules
	threads []event.Thread
	code    [][]Barrier
	tracks  [][]Track // by thread and path
	kinds   [][]Track // by thread: tracks that differ
	kind    [][]int   // by thread and path: the kind of its track
	teams   []*team
	team    []*team // by thread
}

// team is a set of threads that are connected by places where they meet, or a single thread. The
// barriers of one team do not affect other teams.
type team struct {
	*Program
	members []int // numbers of threads, sorted

	once  sync.Once // look
	uses  map[place]*use
	ends  *ends       // nil if unknown
	turns [][][]turns // by member and kind; nil if ends are known
}

// NewProgram returns the program of some threads. code is, by thread, the barriers whose rounds
// wait for the thread whatever its path, because they are in its code; it may be nil. tracks are,
// by thread and path, what the path does at barriers.
func NewProgram(rules Rules, threads []event.Thread, code [][]Barrier, tracks [][]Track) *Program {
	p := &Program{rules: rules, threads: threads, code: code, tracks: tracks, team: make([]*team, len(threads))}
	if code == nil {
		p.code = make([][]Barrier, len(threads))
	}
	for _, of := range tracks {
		kinds, kind := kindsOf(of)
		p.kinds, p.kind = append(p.kinds, kinds), append(p.kind, kind)
	}
	p.findTeams()
	return p
}

// kindsOf returns the tracks that differ, and the number among them of each track.
func kindsOf(tracks []Track) (kinds []Track, kind []int) {
	for _, track := range tracks {
		same := func(k Track) bool {
			return k.Endless == track.Endless && slices.EqualFunc(k.Visits, track.Visits, Visit.Alike)
		}
		i := slices.IndexFunc(kinds, same)
		if i < 0 {
			i, kinds = len(kinds), append(kinds, track)
		}
		kind = append(kind, i)
	}
	return kinds, kind
}

func (p *Program) findTeams() {
	meet, first := rel.New(len(p.kinds)), map[place]int{}
	for t, kinds := range p.kinds {
		for _, track := range kinds {
			for _, v := range track.Visits {
				at := p.place(t, v.At)
				if _, known := first[at]; !known {
					first[at] = t
				}
				meet.Add(t, first[at])
			}
		}
	}
	together := meet.Union(meet.Inverse()).Star()
	for t := range p.kinds {
		members := together.Row(t).Elems()
		if members[0] != t {
			continue
		}
		of := &team{Program: p, members: members}
		p.teams = append(p.teams, of)
		for _, member := range members {
			p.team[member] = of
		}
	}
}

// Meet calls found with each way in which threads meet that take some paths, given by number. It
// returns false if found does, or if the budget is spent.
func (p *Program) Meet(which []int, budget *Budget, found func(*Meeting) bool) bool {
	tracks := make([]Track, len(which))
	for t, path := range which {
		tracks[t] = p.tracks[t][path]
	}
	var choose func(teams []*team, rounds []meeting) bool
	choose = func(teams []*team, rounds []meeting) bool {
		if len(teams) == 0 {
			return found(&Meeting{p.rules, tracks, rounds})
		}
		return teams[0].ways(teams[0].kindsOf(which), budget, func(more []meeting) bool {
			return choose(teams[1:], append(slices.Clip(rounds), more...))
		})
	}
	return choose(p.teams, nil)
}

// kindsOf returns the kinds of the tracks that the members of a team take, of the first threads.
func (t *team) kindsOf(which []int) (kinds []int) {
	for _, member := range t.members {
		if member < len(which) {
			kinds = append(kinds, t.kind[member][which[member]])
		}
	}
	return kinds
}

// ways calls found for each way in which the members of a team meet if they take tracks of the
// given kinds. It returns false if found does, or if the budget is spent.
func (t *team) ways(kinds []int, budget *Budget, found func([]meeting) bool) bool {
	if t.look(); t.ends != nil {
		for _, way := range t.ends.ways[keyOf(kinds)] {
			if !found(way) {
				return false
			}
		}
		return true
	}
	m := search{budget: budget, wanted: (*simulation).asTracksSay, found: func(s *simulation) bool { return found(s.complete()) }}
	return m.all(t.begin(kinds))
}

// begin returns the simulation of a team alone.
func (t *team) begin(kinds []int) *simulation {
	tracks := make([]Track, len(t.threads))
	for i, member := range t.members {
		tracks[member] = t.kinds[member][kinds[i]]
	}
	return t.Program.begin(tracks)
}

// look computes the ends of all combinations of tracks of the team, or else its turns.
func (t *team) look() {
	t.once.Do(func() {
		t.findUses()
		if t.ends = t.allEnds(); t.ends == nil {
			t.turns = t.allTurns()
		}
	})
}

// possible reports whether the first members of a team may take tracks of some kinds, as far as is
// known without a search. It has been asked about those before the last.
func (t *team) possible(kinds []int) bool {
	if t.look(); t.ends != nil {
		return t.ends.begun[keyOf(kinds)]
	}
	last := len(kinds) - 1
	for i, kind := range kinds[:last] {
		if !agree(t.turns[i][kind], t.turns[last][kinds[last]]) {
			return false
		}
	}
	return true
}

// Possible returns a function that reports, for each thread in order, whether the threads up to it
// may take some paths. A team whose ends are unknown is searched when its last thread has a path,
// unless it is the only such team: then Meet is about to search it.
func (p *Program) Possible(budget *Budget) func(thread int, which []int) bool {
	unknown := 0
	for _, t := range p.teams {
		if t.look(); t.ends == nil {
			unknown++
		}
	}
	known := map[string]bool{}
	return func(thread int, which []int) bool {
		t := p.team[thread]
		if budget.Spend() {
			return true
		}
		kinds := t.kindsOf(which[:thread+1])
		switch {
		case !t.possible(kinds):
			return false
		case len(kinds) < len(t.members) || t.ends != nil || unknown == 1:
			return true
		}
		key := keyOf(append(kinds, thread))
		can, asked := known[key]
		if !asked {
			can = t.count(kinds, budget, 1) > 0
			known[key] = can
		}
		return can
	}
}

// count returns the number of ways in which members of a team meet, up to a number.
func (t *team) count(kinds []int, budget *Budget, most int) (n int) {
	t.ways(kinds, budget, func(rounds []meeting) bool {
		first := make([]event.ID, len(t.threads))
		m := &Meeting{t.rules, make([]Track, len(t.threads)), rounds}
		for i, member := range t.members {
			m.tracks[member] = t.kinds[member][kinds[i]]
		}
		return m.Pairs(first, func(Pairs) bool { n++; return n < most })
	})
	return n
}

// Team is a set of threads, and the paths that they may take together: by take and member, the
// numbers of these paths.
type Team struct {
	Members []int
	Takes   [][][]int
}

// mostTakes bounds the combinations of tracks that Teams tries for one team.
const mostTakes = 1 << 12

// Teams returns the teams. It reports false if the members of one meet in several ways by the same
// paths, if one has too many combinations of tracks, or if the budget is spent.
func (p *Program) Teams(budget *Budget) (teams []Team, ok bool) {
	for _, t := range p.teams {
		takes, ok := t.takes(budget)
		if !ok {
			return nil, false
		}
		teams = append(teams, Team{t.members, takes})
	}
	return teams, true
}

func (t *team) takes(budget *Budget) (takes [][][]int, ok bool) {
	visited, sizes := 0, make([]int, len(t.members))
	paths := make([][][]int, len(t.members)) // by member and kind
	for i, member := range t.members {
		sizes[i] = len(t.kinds[member])
		paths[i] = make([][]int, sizes[i])
		for path, kind := range t.kind[member] {
			paths[i][kind] = append(paths[i][kind], path)
		}
	}
	ok = combine(sizes, t.possible, func(kinds []int) bool {
		visited++
		ways := t.count(kinds, budget, 2)
		if ways == 1 {
			take := make([][]int, len(kinds))
			for i, kind := range kinds {
				take[i] = paths[i][kind]
			}
			takes = append(takes, take)
		}
		return ways < 2 && visited <= mostTakes && !budget.Spend()
	})
	return takes, ok
}

// combine visits every choice of one number below each size, the last fastest, until visit returns
// false; then it returns false. Choices that begin with what may not be are left out.
func combine(sizes []int, may, visit func(chosen []int) bool) bool {
	var choose func(chosen []int) bool
	choose = func(chosen []int) bool {
		if len(chosen) == len(sizes) {
			return visit(chosen)
		}
		for n := range sizes[len(chosen)] {
			if next := append(chosen, n); may(next) && !choose(next) {
				return false
			}
		}
		return true
	}
	return choose(make([]int, 0, len(sizes)))
}

// keyOf returns numbers as the key of a map.
func keyOf(numbers []int) string {
	var key []byte
	for _, n := range numbers {
		key = binary.AppendUvarint(key, uint64(n))
	}
	return string(key)
}
