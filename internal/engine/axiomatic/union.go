package axiomatic

import (
	"fmt"
	"maps"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/rel"
)

// The structures of a program differ in the control paths of the threads and share most of their
// events. Their union is one structure in which events may be absent. One query about the union
// replaces one per structure, and what the solver learns serves all.

// union is several structures as one. A single structure is its own union.
type union struct {
	// the events of all structures; paths of a thread with a common prefix share its events
	*event.Structure
	paths   [][]path
	own     [][]event.ID // by event: the events of its thread up to and including it
	members []member
	teams   []team
	// the family whose structures these are (family.go); nil if they are the members
	family *event.Family
	which  []map[*event.Path]int // by thread: the path number of each path of the family
	anyhow bool                  // the structures are those of every fate
}

// path is a control path of a thread.
type path struct {
	events []event.ID // in the numbering of expressions
	conds  []event.Cond
	of     *event.Path // the path as the front end made it
	spin   []event.ID  // the reads of the last iteration of a thread that never ends
}

// team is threads whose paths depend on each other.
type team struct {
	threads []int
	takes   [][][]int // the alternatives: in each, every thread takes any of some paths
}

// member is a structure of a union.
type member struct {
	*event.Structure
	takes []int      // by thread: its path number
	at    []event.ID // by event: its ID in the union
}

// mostGrowth bounds, in percent, how many more events a union may have than its largest structure.
// Larger unions make the query slower by more than sharing saves.
const mostGrowth = 60

// unite returns the union of structures of one program. ok is false if it would be too large or the
// structures do not fit together. Asynchronous operations do not fit: the operations that a wait
// covers depend on the whole path before it, which the shared events of two paths do not
// distinguish.
func unite(all []*event.Structure) (u *union, ok bool) {
	if len(all) == 1 {
		return single(all[0]), true
	}
	largest := 0
	for _, s := range all {
		if s.Truncated != all[0].Truncated || s.Stuck != all[0].Stuck || s.Asynchronous() {
			return nil, false
		}
		largest = max(largest, s.N())
	}
	if u, ok = uniteUpTo((100+mostGrowth)*largest/100, all); ok {
		u.teams = []team{u.listed()}
	}
	return u, ok
}

// uniteUpTo returns the union of structures. ok is false if they do not fit together or the union
// would have more than most events.
func uniteUpTo(most int, all []*event.Structure) (u *union, ok bool) {
	b := &uniting{all: all, at: make([][]event.ID, len(all))}
	u = &union{Structure: &event.Structure{
		Locs: all[0].Locs, Threads: all[0].Threads, Vocabulary: all[0].Vocabulary, Rels: map[string]rel.Rel{},
		Truncated: all[0].Truncated, Stuck: all[0].Stuck,
	}}
	b.union = u
	for i, s := range all {
		u.members = append(u.members, member{Structure: s})
		for e := range s.Events {
			if s.Events[e].IsInit() {
				b.at[i] = append(b.at[i], e)
			}
		}
	}
	for _, e := range b.at[0] {
		b.add(&all[0].Events[e], nil)
	}
	for t := range all[0].First {
		u.First = append(u.First, len(u.Events))
		u.paths = append(u.paths, nil)
		b.seen = map[*event.Path]taken{}
		for i := range all {
			b.thread(i, t)
		}
		if len(u.Events) > most {
			return nil, false
		}
	}
	b.relate()
	return u, b.agree()
}

// listed returns the team of all threads, whose alternatives are those of the members.
func (u *union) listed() team {
	all, every, combinations := team{}, [][]int{}, 1
	for t := range u.First {
		all.threads, every = append(all.threads, t), append(every, upTo(len(u.paths[t])))
	}
	takes := u.takes(all.threads)
	for t := range u.First {
		combinations = min(combinations*len(u.paths[t]), len(takes)+1)
	}
	if combinations == len(takes) {
		all.takes = [][][]int{every}
		return all
	}
	for _, take := range takes {
		one := make([][]int, len(take))
		for i := range take {
			one[i] = take[i : i+1]
		}
		all.takes = append(all.takes, one)
	}
	return all
}

// upTo returns the numbers below n.
func upTo(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// single returns a structure as a union.
func single(s *event.Structure) *union {
	u := &union{Structure: s, own: make([][]event.ID, s.N())}
	m := member{Structure: s, takes: make([]int, len(s.First)), at: make([]event.ID, s.N())}
	for e := range s.Events {
		m.at[e] = e
	}
	for t := range s.First {
		p := pathOf(s, t, m.at)
		for i, e := range p.events {
			u.own[e] = p.events[:i+1]
		}
		u.paths = append(u.paths, []path{p})
	}
	u.members = []member{m}
	u.teams = []team{u.listed()}
	return u
}

// pathOf returns the path of a thread of a structure. at maps the structure's events to those of
// the union.
func pathOf(s *event.Structure, t int, at []event.ID) path {
	p := path{of: s.Paths[t]}
	for e := s.First[t]; e < s.N() && s.Events[e].Thread == t; e++ {
		p.events = append(p.events, at[e])
	}
	for _, c := range s.Conds {
		if c.Thread == t {
			p.conds = append(p.conds, c)
		}
	}
	for _, r := range s.Spin {
		if s.Events[r].Thread == t {
			p.spin = append(p.spin, at[r])
		}
	}
	return p
}

func (p *path) equal(q *path) bool {
	return slices.Equal(p.events, q.events) && slices.Equal(p.conds, q.conds) && maps.Equal(p.of.Finals, q.of.Finals) &&
		p.of.Ending == q.of.Ending && slices.Equal(p.spin, q.spin)
}

// uniting is a union under construction.
type uniting struct {
	*union
	all []*event.Structure
	at  [][]event.ID // by structure, by event: what it is in the union
	// next maps an event of the union to the events that follow it on some path. The first events
	// of a thread are under a negative number. links are the relations of an event to the earlier
	// events of its path.
	next  map[event.ID][]event.ID
	links map[event.ID][]bool
	seen  map[*event.Path]taken // by path of the current thread
}

// taken is a path of a thread in the union.
type taken struct {
	which  int
	events []event.ID
}

// add adds an event after other events of its thread.
func (b *uniting) add(ev *event.Event, before []event.ID) event.ID {
	e := len(b.Events)
	b.Events = append(b.Events, *ev)
	b.own = append(b.own, append(slices.Clone(before), e))
	return e
}

// thread adds the path of a thread of the i-th structure.
func (b *uniting) thread(i, t int) {
	s, p := b.all[i], (*event.Path)(nil)
	if t < len(s.Paths) {
		p = s.Paths[t]
	}
	is, known := b.seen[p]
	if !known || p == nil {
		is = b.path(s, t, b.at[i])
		b.seen[p] = is
	}
	b.at[i] = append(b.at[i], is.events...)
	b.members[i].takes = append(b.members[i].takes, is.which)
}

// path adds the path of thread t of a structure. at maps the events of earlier threads to the
// union.
func (b *uniting) path(s *event.Structure, t int, at []event.ID) taken {
	var before []event.ID
	for e := s.First[t]; e < s.N() && s.Events[e].Thread == t; e++ {
		links, last := linksTo(s, e), t-len(s.First)
		if len(before) > 0 {
			last = before[len(before)-1]
		}
		j := slices.IndexFunc(b.next[last], func(f event.ID) bool { return b.Events[f] == s.Events[e] && slices.Equal(b.links[f], links) })
		if j < 0 {
			f := b.add(&s.Events[e], before)
			if b.next == nil {
				b.next, b.links = map[event.ID][]event.ID{}, map[event.ID][]bool{}
			}
			j, b.next[last], b.links[f] = len(b.next[last]), append(b.next[last], f), links
		}
		before = b.own[b.next[last][j]]
	}
	p := pathOf(s, t, slices.Concat(at, before))
	which := slices.IndexFunc(b.paths[t], func(q path) bool { return q.equal(&p) })
	if which < 0 {
		which, b.paths[t] = len(b.paths[t]), append(b.paths[t], p)
	}
	return taken{which, before}
}

// linksTo returns how an event is related to the earlier events of its thread, and whether the
// thread waits at it for ever. An event at which the thread waits for ever differs from the same
// event that it passes.
func linksTo(s *event.Structure, e event.ID) (links []bool) {
	links = append(links, slices.Contains(s.Wait, e))
	for f := s.First[s.Events[e].Thread]; f < e; f++ {
		for _, r := range related(s) {
			links = append(links, r.Has(f, e))
		}
	}
	return links
}

// related returns the relations that a front end builds.
func related(s *event.Structure) []rel.Rel {
	all := []rel.Rel{s.Po, s.Addr, s.Data, s.Ctrl, s.Rmw}
	for _, name := range slices.Sorted(maps.Keys(s.Rels)) {
		all = append(all, s.Rels[name])
	}
	return all
}

// relate relates the events of the union as the structures do.
func (b *uniting) relate() {
	n := len(b.Events)
	b.Po, b.Addr, b.Data, b.Ctrl, b.Rmw = rel.New(n), rel.New(n), rel.New(n), rel.New(n), rel.New(n)
	for name := range b.all[0].Rels {
		b.Rels[name] = rel.New(n)
	}
	to := related(b.Structure)
	for i, s := range b.all {
		b.members[i].at = b.at[i]
		for j, r := range related(s) {
			for e, f := range r.Pairs() {
				to[j].Add(b.at[i][e], b.at[i][f])
			}
		}
	}
}

// agree reports whether two events of different threads are related either in all structures that
// have both or in none. They may disagree because the threads that meet at a barrier can depend on
// the paths of others.
func (b *uniting) agree() bool {
	type pair struct {
		of   int
		e, f event.ID
	}
	var apart []pair
	for i, r := range related(b.Structure) {
		for e, f := range r.Pairs() {
			if b.Events[e].Thread != b.Events[f].Thread {
				apart = append(apart, pair{i, e, f})
			}
		}
	}
	if len(apart) == 0 {
		return true
	}
	for i, s := range b.all {
		is := slices.Repeat([]event.ID{-1}, len(b.Events))
		for e, f := range b.at[i] {
			is[f] = e
		}
		in := related(s)
		for _, p := range apart {
			if e, f := is[p.e], is[p.f]; e >= 0 && f >= 0 && !in[p.of].Has(e, f) {
				return false
			}
		}
	}
	return true
}

// presence is the literals that paths are taken and events are present.
type presence struct {
	taken [][]sat.Lit // by thread, by path: the path is taken
	here  []sat.Lit   // by event
}

// present makes the literals: each thread takes one path, and the paths together are a structure of
// the union.
func (u *union) present(c *circuit) *presence {
	p := &presence{here: make([]sat.Lit, u.N())}
	for e := range p.here {
		p.here[e] = c.yes
	}
	for t, paths := range u.paths {
		p.taken = append(p.taken, make([]sat.Lit, len(paths)))
		if len(paths) == 1 {
			p.taken[t][0] = c.yes
			continue
		}
		for i := range paths {
			p.taken[t][i] = c.NewVar()
		}
		c.atMostOne(p.taken[t])
		c.Add(p.taken[t]...)
	}
	u.bePresent(c, p)
	for _, team := range u.teams {
		u.takeTogether(c, p, team)
	}
	if u.family != nil && !u.anyhow {
		u.endAsAsked(c, p)
	}
	return p
}

// takes returns the distinct combinations of paths that threads take in members.
func (u *union) takes(threads []int) (all [][]int) {
	distinct := map[string]bool{}
	for _, m := range u.members {
		take := make([]int, len(threads))
		for i, t := range threads {
			take[i] = m.takes[t]
		}
		if key := fmt.Sprint(take); !distinct[key] {
			distinct[key], all = true, append(all, take)
		}
	}
	return all
}

// takeTogether adds that the threads of a team take paths of one alternative.
func (u *union) takeTogether(c *circuit, p *presence, of team) {
	if len(of.takes) == 1 {
		return // the alternative allows all paths
	}
	var some []sat.Lit
	for _, take := range of.takes {
		l := c.NewVar()
		some = append(some, l)
		for i, t := range of.threads {
			any := []sat.Lit{l.Not()}
			for _, which := range take[i] {
				any = append(any, p.taken[t][which])
			}
			c.Add(any...)
		}
	}
	c.Add(some...)
}

// bePresent defines the presence of events by the paths taken.
func (u *union) bePresent(c *circuit, p *presence) {
	on := map[event.ID][]sat.Lit{}
	for t, paths := range u.paths {
		for i := range paths {
			for _, e := range paths[i].events {
				on[e] = append(on[e], p.taken[t][i])
			}
		}
	}
	for e := range u.Events {
		if t := u.Events[e].Thread; t != event.InitThread && len(on[e]) < len(u.paths[t]) {
			p.here[e] = c.any(on[e])
		}
	}
}

// with returns the pairs (e, f) in which f is present whenever e is, and compatible those that can
// both be present.
func (u *union) with() (with, compatible rel.Rel) {
	with, compatible = rel.New(u.N()), rel.Full(u.N())
	always := func(f event.ID) {
		for e := range u.Events {
			with.Add(e, f)
		}
	}
	for f := range u.First[0] {
		always(f)
	}
	for _, team := range u.teams {
		events, in := u.taking(team.threads)
		for _, f := range events {
			if in[f].Len() == in[f].N() {
				always(f)
			}
			for _, e := range events {
				switch {
				case in[e].SubsetOf(in[f]):
					with.Add(e, f)
				case !in[e].Intersects(in[f]):
					compatible.Remove(e, f)
				}
			}
		}
	}
	return with, compatible
}

// taking returns the events of the threads of a team, and for each event the combinations of paths
// (by index) in which it is present.
func (u *union) taking(threads []int) (events []event.ID, in map[event.ID]rel.Set) {
	takes := u.takes(threads)
	in = map[event.ID]rel.Set{}
	for k, take := range takes {
		for i, t := range threads {
			for _, e := range u.paths[t][take[i]].events {
				if _, known := in[e]; !known {
					events, in[e] = append(events, e), rel.NewSet(len(takes))
				}
				in[e].Add(k)
			}
		}
	}
	return events, in
}
