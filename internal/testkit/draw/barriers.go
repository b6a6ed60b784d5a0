package draw

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/internal/testkit/oracle/machine"
)

// BarrierProgram draws a program whose threads meet at barriers.
func BarrierProgram(t *rapid.T) *machine.Program {
	d := &drawer{T: t, accesses: 8, scoped: true}
	p := &machine.Program{Barriers: true, SameCTA: !d.oneIn(4, "apart")}
	for l := range p.Init[:machine.Q] {
		p.Init[l] = int32(d.below(2, "initially"))
	}
	for range pick(d, "threads", 2, 2, 3) {
		p.Threads = append(p.Threads, d.thread(2))
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

// polling makes threads poll x until it is not 0, with a barrier in each iteration; other threads
// reach that barrier once or twice.
func (d *drawer) polling(p *machine.Program) {
	p.Init[0] = 0
	id := machine.Operand{Value: int32(d.below(machine.BarriersOfCTA, "name"))}
	barrier := machine.Instr{Op: "bar.sync", Args: []machine.Operand{id}}
	for t, thread := range p.Threads {
		if t > 0 && !d.oneIn(3, "polls, too") {
			for range 1 + d.below(3, "times") {
				d.insert(p, t, barrier)
			}
			if d.oneIn(2, "tells") {
				d.insert(p, t, machine.Instr{Op: "st", Suffix: ".relaxed.gpu.u32", Args: []machine.Operand{{Value: 1}}})
			}
			continue
		}
		head, r := len(thread), d.register()
		round := []machine.Instr{{
			Op:     "ld",
			Dst:    r,
			Suffix: pick(d, "order", ".weak.u32", ".relaxed.gpu.u32", ".acquire.gpu.u32"),
		}, barrier}
		if d.oneIn(2, "first") {
			slices.Reverse(round)
		}
		p.Threads[t] = slices.Concat(thread, round,
			[]machine.Instr{{Op: "bra", Target: head, Guard: machine.Guard{Present: true, Negated: true, Reg: r}}})
	}
}

// meeting adds a barrier to most threads.
func (d *drawer) meeting(p *machine.Program) {
	kind := pick(d, "barrier", "sync", "sync", "count", "arrive", "cluster", "cluster")
	id := machine.Operand{Value: int32(d.below(machine.BarriersOfCTA, "name"))}
	count := machine.Operand{Value: machine.CountedThreads * threadsOfWarp}
	for t := range p.Threads {
		if d.oneIn(8, "stays away") {
			continue
		}
		switch kind {
		case "sync":
			d.insert(p, t, machine.Instr{Op: "bar.sync", Args: []machine.Operand{id}})
		case "count":
			d.insert(p, t, machine.Instr{Op: "bar.sync", Args: []machine.Operand{id, count}})
		case "arrive":
			op := pick(d, "side", "bar.arrive", "bar.sync")
			d.insert(p, t, machine.Instr{Op: op, Args: []machine.Operand{id, count}})
		case "cluster":
			op := pick(d, "order", "barrier.cluster.arrive", "barrier.cluster.arrive.relaxed")
			d.insert(p, t, machine.Instr{Op: op}, machine.Instr{Op: "barrier.cluster.wait"})
		}
	}
}

// threadsOfWarp is the number of threads that one thread of a test counts for in bar.sync.
const threadsOfWarp = 32

// insert inserts instructions at positions of thread t, in order. Branches keep their targets; a
// branch to such a position leads to the inserted instruction.
func (d *drawer) insert(p *machine.Program, t int, ins ...machine.Instr) {
	from := 0
	for _, in := range ins {
		at := from + d.below(len(p.Threads[t])-from+1, "place")
		thread := slices.Insert(slices.Clone(p.Threads[t]), at, in)
		for i := range thread {
			if thread[i].Op == "bra" && thread[i].Target > at {
				thread[i].Target++
			}
		}
		p.Threads[t], from = thread, at+1
	}
}
