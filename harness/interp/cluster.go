package interp

import (
	"errors"
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/ptx/isa"
)

// cluster is the state of a cluster's barrier (PTX ISA, "barrier.cluster").
type cluster struct {
	phase   int // how often it was complete
	arrived int // number of threads that have arrived since
}

// clusterWait is the barrier number of a thread that waits for its cluster.
const clusterWait = 1 << 16

// clusterOf returns the number of the cluster of a CTA.
func (g *grid) clusterOf(cta int) int { return cta / max(1, g.launch.Cluster) }

// clusterBarrier is an arrival at the barrier of the cluster, or the wait that follows it.
func (t *thread) clusterBarrier(in *instr) error {
	c := &t.clusters[t.clusterOf(t.cta)]
	t.reduced = -1
	if in.op.Meeting == isa.Arrive {
		if t.present {
			return errors.New("it arrives at the barrier of its cluster, and has not waited since it did")
		}
		if in.op.Order != isa.Relaxed {
			t.hierarchy.fence(t, inGPU)
		}
		t.present, t.phase, t.arrives = true, c.phase, true
		c.arrived++
		return nil
	}
	if !t.present {
		return errors.New("it waits at the barrier of its cluster, and has not arrived")
	}
	t.present = false
	if c.phase == t.phase {
		t.barrier = clusterWait
		return nil
	}
	t.hierarchy.fence(t, inGPU)
	return nil
}

// releaseCluster releases the threads that wait for their cluster, if all its threads have arrived
// or ended.
func (g *grid) releaseCluster(number int) (free []*thread) {
	c := &g.clusters[number]
	size := max(1, g.launch.Cluster) * g.launch.Block
	threads := g.threads[number*size:][:size]
	running := 0
	for _, t := range threads {
		if !t.done {
			running++
		}
	}
	if c.arrived == 0 || c.arrived < running {
		return nil
	}
	c.phase, c.arrived = c.phase+1, 0
	for _, t := range threads {
		if t.barrier == clusterWait {
			t.barrier = -1
			g.hierarchy.fence(t, inGPU)
			free = append(free, t)
		}
	}
	return free
}

// windowBits is the position, in addresses of shared memory of a cluster, of the number of the CTA
// plus one; 0 stands for the CTA of the thread.
const windowBits = 32

// window splits an address in shared memory into a CTA and an address there.
func (t *thread) window(address uint64) (cta int, there uint64) {
	if n := address >> windowBits; n > 0 {
		return int(n) - 1, address & (1<<windowBits - 1)
	}
	return t.cta, address
}

// mapAddress computes the address, in the CTA of a rank, that corresponds to an address of the
// thread (PTX ISA, "mapa").
func (t *thread) mapAddress(in *instr) error {
	size := uint64(max(1, t.launch.Cluster))
	rank := t.value(in.operands[2])
	if rank >= size {
		return fmt.Errorf("the cluster has no CTA of rank %d", rank)
	}
	return t.set(in, t.inCTA(rank, t.value(in.operands[1])))
}

// inCTA returns the address in the CTA of a rank that corresponds to an address of the thread.
func (t *thread) inCTA(rank, address uint64) uint64 {
	size := uint64(max(1, t.launch.Cluster))
	_, there := t.window(address)
	return (uint64(t.cta)/size*size+rank+1)<<windowBits | there
}

// toEach performs a copy or, with a mask, one to each CTA of the mask: the destination, and the
// mbarrier at operand bar, have the same offset in each (PTX ISA, "cp.async.bulk"). The mask stands
// behind the mbarrier.
func (t *thread) toEach(in *instr, bar int, copies func(*instr) error) error {
	if !in.says("multicast::cluster") {
		return copies(in)
	}
	size := max(1, t.launch.Cluster)
	mask := t.value(in.operands[bar+2])
	if mask == 0 || mask>>size != 0 {
		return fmt.Errorf("the cluster has %d CTAs, and the mask is %#x", size, mask)
	}
	to, told := t.address(in, 0), t.address(in, bar)
	for rank := range size {
		if mask>>rank&1 == 0 {
			continue
		}
		there := *in
		there.operands = slices.Clone(in.operands)
		for at, address := range map[int]uint64{0: to, bar: told} {
			there.operands[at], there.operands[at+1] = operand{register: -1, number: t.inCTA(uint64(rank), address)},
				operand{register: -1}
		}
		if err := copies(&there); err != nil {
			return err
		}
	}
	return nil
}
