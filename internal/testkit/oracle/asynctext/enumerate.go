package asynctext

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// All executions of a program, by brute force.

// Answer is the final states and flags of a program.
type Answer struct {
	States map[string]bool
	Flags  map[string]bool
}

var (
	ErrTooMany   = errors.New("too many executions")
	ErrUndefined = errors.New("an mbarrier has more arrivals than it counts")
)

// Answer enumerates all readings. It returns an error beyond a number of readings, and where the
// text is silent.
func (p *Program) Answer(most int) (*Answer, error) {
	a := &Answer{States: map[string]bool{}, Flags: map[string]bool{"race": false, "async-race": false, "hang": false}}
	n := 0
	for _, ends := range p.ways() {
		for tensors := range uint(1) << p.tensorCopies() {
			err := p.unfold(ends, tensors).readings(func(r *reading) error {
				if n++; n > most {
					return ErrTooMany
				}
				return a.add(r)
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return a, nil
}

// add adds the results of a reading.
func (a *Answer) add(r *reading) (err error) {
	if r.outOfThinAir() {
		return nil
	}
	r.coherent(func(co arrows) {
		if r.undefined {
			err = ErrUndefined
			return
		}
		race, async := r.races()
		a.Flags["race"] = a.Flags["race"] || race
		a.Flags["async-race"] = a.Flags["async-race"] || async
		if r.hung {
			a.Flags["hang"] = true
			return
		}
		for _, memory := range r.memories(co) {
			a.States[r.state(memory)] = true
		}
	})
	return err
}

// memories returns the possible final contents of memory: for each location, the value of any write
// that is last in co.
func (r *reading) memories(co arrows) []map[string]int {
	all := []map[string]int{{}}
	for _, l := range r.program.locations() {
		var longer []map[string]int
		for e := range r.events {
			if !r.events[e].isWrite() || r.events[e].location != l || !last(co, e) {
				continue
			}
			for _, memory := range all {
				memory = maps.Clone(memory)
				memory[l] = r.value(e)
				longer = append(longer, memory)
			}
		}
		all = longer
	}
	return all
}

// state writes a final state in the format of results.
func (r *reading) state(memory map[string]int) string {
	values := map[string]int{}
	for l, v := range memory {
		values[r.program.observedName(l)] = v
	}
	for e := range r.events {
		if register := r.events[e].register; register != "" {
			values[register] = r.value(e)
		}
	}
	var b strings.Builder
	for _, name := range r.program.observed() {
		fmt.Fprintf(&b, "%s=%d; ", name, values[name])
	}
	return b.String()
}

// ways returns how far the threads may get: to their ends; or some wait forever at an mbarrier, and
// others wait for these at a barrier of the CTA.
func (p *Program) ways() (ways [][]int) {
	ways = [][]int{nil}
	for _, thread := range p.Threads {
		ends := []int{len(thread)}
		for at := range thread {
			if thread[at].Kind == BarrierSpin {
				ends = append(ends, at)
			}
		}
		var longer [][]int
		for _, way := range ways {
			for _, end := range ends {
				longer = append(longer, append(slices.Clone(way), end))
			}
		}
		ways = longer
	}
	for i, way := range ways {
		ways[i] = p.meet(way)
	}
	slices.SortFunc(ways, slices.Compare)
	return slices.CompactFunc(ways, slices.Equal)
}

// meet returns how far the threads get towards the given ends if they wait for others at barriers
// of the CTA.
func (p *Program) meet(ends []int) []int {
	come := make([]int, len(ends))
	for moved := true; moved; {
		moved = false
		for t := range come {
			if come[t] < ends[t] && !p.waits(t, come) {
				come[t]++
				moved = true
			}
		}
	}
	return come
}

// waits reports whether a thread is at a barrier that another thread of its CTA has not reached.
func (p *Program) waits(t int, come []int) bool {
	at := &p.Threads[t][come[t]]
	if at.Kind != CTABarrier {
		return false
	}
	for other, thread := range p.Threads {
		same := func(in Instr) bool { return in.Kind == CTABarrier && in.N == at.N }
		if p.CTAs[other] == p.CTAs[t] && slices.IndexFunc(thread, same) > come[other] {
			return true
		}
	}
	return false
}

// readings enumerates the reads-from relations: first those of mbarriers and flags, which decide
// what synchronizes, then the rest.
func (u *unfolding) readings(visit func(*reading) error) error {
	r := &reading{unfolding: u, strongly: u.that(u.morallyStrong)}
	base := u.causally(u.given())
	return u.updateOrders(base, u.program.barriers(), func(chains [][]int) error {
		r.chains = chains
		r.from = slices.Repeat([]int{-1}, len(u.events))
		r.phases = make([]phase, len(u.events))
		r.undefined = false
		for _, chain := range chains {
			r.follow(chain)
		}
		return r.tests(base, 0, visit)
	})
}

// updateOrders enumerates the orders of the updates of each mbarrier that agree with an order of
// all events.
func (u *unfolding) updateOrders(base arrows, barriers []string, visit func([][]int) error) error {
	chains := [][][]int{nil}
	for _, m := range barriers {
		var updated []int
		for e := range u.events {
			if u.events[e].does == updates && u.events[e].location == m {
				updated = append(updated, e)
			}
		}
		var longer [][][]int
		linearly(updated, base, nil, func(chain []int) {
			for _, c := range chains {
				longer = append(longer, append(slices.Clone(c), chain))
			}
		})
		chains = longer
	}
	for _, c := range chains {
		if err := visit(c); err != nil {
			return err
		}
	}
	return nil
}

// linearly enumerates the linear orders of some events that extend a partial order.
func linearly(rest []int, before arrows, chain []int, visit func([]int)) {
	if len(rest) == 0 {
		visit(slices.Clone(chain))
		return
	}
	for i, e := range rest {
		first := !slices.ContainsFunc(rest, func(other int) bool { return other != e && before.has(other, e) })
		if first {
			linearly(slices.Delete(slices.Clone(rest), i, i+1), before, append(chain, e), visit)
		}
	}
}

// follow computes the phase of an mbarrier after each update.
func (r *reading) follow(chain []int) {
	held := phase{}
	for i, e := range chain {
		if i > 0 {
			r.from[e] = chain[i-1]
		}
		held = held.after(r.events[e].change)
		r.phases[e] = held
		r.undefined = r.undefined || held.pending < 0
	}
}

// tests enumerates the sources of the tests of mbarriers and of the reads that may acquire.
func (r *reading) tests(base arrows, e int, visit func(*reading) error) error {
	for ; e < len(r.events); e++ {
		if r.events[e].does == tests || r.events[e].does == reads && r.events[e].strong() {
			return r.choose(base, e, r.mayFind, func() error { return r.tests(base, e+1, visit) })
		}
	}
	r.synchronize()
	return r.reads(0, visit)
}

// reads enumerates the sources of the reads of data.
func (r *reading) reads(e int, visit func(*reading) error) error {
	for ; e < len(r.events); e++ {
		if r.events[e].does == reads && !r.events[e].strong() {
			return r.choose(r.causes, e, r.pointsThere, func() error { return r.reads(e+1, visit) })
		}
	}
	return visit(r)
}

// choose enumerates the writes that a read may read from, except those that come after it.
func (r *reading) choose(order arrows, read int, fits func(read int) bool, then func() error) error {
	for w := range r.events {
		if !r.events[w].isWrite() || !r.sameLocation(w, read) || order.has(read, w) {
			continue
		}
		r.from[read] = w
		r.phases[read] = r.phases[w]
		if !fits(read) {
			continue
		}
		if err := then(); err != nil {
			return err
		}
	}
	return nil
}

// mayFind reports whether a test may have its source: a thread leaves its loop when the phase is
// complete, and stays there if the phase never completes.
func (r *reading) mayFind(e int) bool {
	x := &r.events[e]
	if !x.spins {
		return true
	}
	if !x.hangs {
		return r.found(e)
	}
	chain := r.chains[slices.Index(r.program.barriers(), x.location)]
	return !r.found(e) && r.from[e] == chain[len(chain)-1]
}
