package sim_test

import (
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// The barriers of random programs: those of the machine that interleave_test.go runs, and
// how they are drawn.

// A CTA has so many barriers in random programs, each with as many ways to count.
const (
	barriersOfCTA = 2
	countings     = 2 // every thread that has the barrier in its code, or counted of them
	counted2      = 2
	sites         = maxThreads * barriersOfCTA * countings
)

// lobby is who is at which barrier.
type lobby struct {
	arrived [sites]uint8      // the threads that are in the round of a barrier
	number  [sites]uint8      // how many they are; one that does not wait may come twice
	round   [sites]uint8      // how many rounds are complete
	waits   [maxThreads]int8  // 1 + the site where a thread waits
	since   [maxThreads]uint8 // the round that it waits for
	turns   [maxThreads]uint8 // how often a thread has arrived at the barrier of the cluster
	waited  [maxThreads]uint8 // how often it has waited there
}

// A site is a barrier of a CTA as threads that count alike use it.
type barrierSite struct{ cta, id, count int }

func (s barrierSite) index() int {
	return (s.cta*barriersOfCTA+s.id)*countings + min(s.count, 1)
}

func (in *instr) isBarrier() bool {
	name, _, _ := strings.Cut(in.op, ".")
	return name == "bar" || name == "barrier"
}

func (p *program) cta(t int) int {
	if p.sameCTA {
		return 0
	}
	return t
}

// site is where thread t goes with bar.sync or bar.arrive.
func (p *program) site(t int, in *instr) barrierSite {
	s := barrierSite{cta: p.cta(t), id: int(in.args[0].value)}
	if len(in.args) > 1 {
		s.count = counted2
	}
	return s
}

// using lists the threads that have an instruction of which is says that it counts.
func (p *program) using(is func(t int, in *instr) bool) (threads []int) {
	for t, thread := range p.threads {
		if slices.ContainsFunc(thread, func(in instr) bool { return is(t, &in) }) {
			threads = append(threads, t)
		}
	}
	return threads
}

// arrive takes thread t to a barrier of its CTA. Without a count, a round is complete when
// each thread of the CTA has arrived that has the barrier in its code (docs/litmus.md).
func (l *lobby) arrive(p *program, t int, in *instr) {
	s := p.site(t, in)
	i := s.index()
	l.arrived[i] |= 1 << t
	l.number[i]++
	if in.op == "bar.sync" {
		l.waits[t], l.since[t] = int8(i+1), l.round[i]
	}
	complete := int(l.number[i]) >= s.count
	if s.count == 0 {
		for _, u := range p.using(func(u int, in *instr) bool {
			return strings.HasPrefix(in.op, "bar.") && p.cta(u) == s.cta && int(in.args[0].value) == s.id
		}) {
			complete = complete && l.arrived[i]&(1<<u) != 0
		}
	}
	if complete {
		l.round[i]++
		l.arrived[i], l.number[i] = 0, 0
	}
}

// leave lets thread t go on if what it waits for is complete.
func (l *lobby) leave(t int) bool {
	if l.round[l.waits[t]-1] == l.since[t] {
		return false
	}
	l.waits[t] = 0
	return true
}

// clusterArrived reports that every thread that uses the barrier of the cluster has
// arrived as often as thread t has to wait for.
func (l *lobby) clusterArrived(p *program, t int) bool {
	users := p.using(func(_ int, in *instr) bool { return strings.HasPrefix(in.op, "barrier.cluster") })
	return !slices.ContainsFunc(users, func(u int) bool { return l.turns[u] <= l.waited[t] })
}

// contested reports that some barrier of a CTA may complete with one or another thread:
// more of them use it than it counts, or one comes twice because it does not wait. syncbar
// then says who meets whom, but not which round came first.
func (p *program) contested() bool {
	arrivals := map[barrierSite][]instr{}
	users := map[barrierSite]map[int]bool{}
	for t, thread := range p.threads {
		for _, in := range thread {
			if !strings.HasPrefix(in.op, "bar.") || len(in.args) < 2 {
				continue
			}
			s := p.site(t, &in)
			if users[s] == nil {
				users[s] = map[int]bool{}
			}
			users[s][t] = true
			arrivals[s] = append(arrivals[s], in)
			again := len(arrivals[s]) > len(users[s]) || p.loops()
			if len(users[s]) > counted2 || again && slices.ContainsFunc(arrivals[s], func(in instr) bool { return in.op == "bar.arrive" }) {
				return true
			}
		}
	}
	return false
}

// loops reports that some thread has a backward branch.
func (p *program) loops() bool {
	for _, thread := range p.threads {
		for i, in := range thread {
			if in.op == "bra" && in.target <= i {
				return true
			}
		}
	}
	return false
}

// drawBarrierProgram draws a program whose threads meet at barriers.
func drawBarrierProgram(t *rapid.T) *program {
	d := &drawer{T: t, accesses: 8, scoped: true}
	p := &program{barriers: true, sameCTA: !d.oneIn(4, "apart")}
	for l := range p.init[:q] {
		p.init[l] = int32(d.below(2, "initially"))
	}
	for range pick(d, "threads", 2, 2, 3) {
		p.threads = append(p.threads, d.thread(2))
	}
	if d.oneIn(3, "polls") {
		d.polling(p)
		return p
	}
	for range pick(d, "meetings", 1, 1, 2) {
		d.meeting(p)
	}
	return p
}

// polling has threads look at x again and again until it is not 0, with a barrier in each round; others come there once or twice.
func (d *drawer) polling(p *program) {
	p.init[0] = 0
	id := operand{value: int32(d.below(barriersOfCTA, "name"))}
	barrier := instr{op: "bar.sync", args: []operand{id}}
	for t, thread := range p.threads {
		if t > 0 && !d.oneIn(3, "polls, too") {
			for range 1 + d.below(3, "times") {
				d.insert(p, t, barrier)
			}
			if d.oneIn(2, "tells") {
				d.insert(p, t, instr{op: "st", suffix: ".relaxed.gpu.u32", args: []operand{{value: 1}}})
			}
			continue
		}
		head, r := len(thread), d.register()
		round := []instr{{op: "ld", dst: r, suffix: pick(d, "order", ".weak.u32", ".relaxed.gpu.u32", ".acquire.gpu.u32")}, barrier}
		if d.oneIn(2, "first") {
			slices.Reverse(round)
		}
		p.threads[t] = slices.Concat(thread, round, []instr{{op: "bra", target: head, guard: guard{present: true, negated: true, reg: r}}})
	}
}

// meeting takes most threads to a barrier.
func (d *drawer) meeting(p *program) {
	kind := pick(d, "barrier", "sync", "sync", "count", "arrive", "cluster", "cluster")
	id := operand{value: int32(d.below(barriersOfCTA, "name"))}
	count := operand{value: counted2 * threadsOfWarp}
	for t := range p.threads {
		if d.oneIn(8, "stays away") {
			continue
		}
		switch kind {
		case "sync":
			d.insert(p, t, instr{op: "bar.sync", args: []operand{id}})
		case "count":
			d.insert(p, t, instr{op: "bar.sync", args: []operand{id, count}})
		case "arrive":
			op := pick(d, "side", "bar.arrive", "bar.sync")
			d.insert(p, t, instr{op: op, args: []operand{id, count}})
		case "cluster":
			op := pick(d, "order", "barrier.cluster.arrive", "barrier.cluster.arrive.relaxed")
			d.insert(p, t, instr{op: op}, instr{op: "barrier.cluster.wait"})
		}
	}
}

// threadsOfWarp is for how many threads one thread of a test stands in the count of bar.sync.
const threadsOfWarp = 32

// insert puts instructions at places of thread t, in order. Branches go where they went; one
// to the place itself goes to what is put there.
func (d *drawer) insert(p *program, t int, ins ...instr) {
	from := 0
	for _, in := range ins {
		at := from + d.below(len(p.threads[t])-from+1, "place")
		thread := slices.Insert(slices.Clone(p.threads[t]), at, in)
		for i := range thread {
			if thread[i].op == "bra" && thread[i].target > at {
				thread[i].target++
			}
		}
		p.threads[t], from = thread, at+1
	}
}
