package asynctext

import (
	"fmt"
	"slices"
	"strings"
)

// Complete adds what the instructions imply: the instances in each CTA, mbarriers that count
// arrivals, and registers.
func (p *Program) Complete(count func() int) {
	p.replicate()
	p.initialize(count)
	p.nameRegisters()
}

// initialize makes the first thread of a CTA initialise the mbarriers before the CTA or the cluster
// meets, including those of the first CTA that only other CTAs name.
func (p *Program) initialize(count func() int) {
	first := map[int][]Instr{} // by CTA
	add := func(cta int, m string) {
		first[cta] = append(first[cta], Instr{Kind: barrierInit, Barrier: m, N: count()})
	}
	for _, m := range p.collect(func(_ int, in *Instr) string { return in.Remote }) {
		if !p.uses(0, m) {
			add(0, m)
		}
	}
	for _, m := range p.barriers() {
		name, _, _ := strings.Cut(m, secondCTA)
		add(p.home(m), name)
	}
	if len(first) == 0 {
		return
	}
	for t, cta := range p.CTAs {
		meet := Instr{Kind: CTABarrier}
		if p.Cluster {
			meet.Kind = clusterBarrier
		} else if cta != 0 {
			continue
		}
		p.Threads[t] = slices.Concat(first[cta], []Instr{meet}, p.Threads[t])
		first[cta] = nil
	}
}

// nameRegisters gives each instruction with a result a register of its own.
func (p *Program) nameRegisters() {
	for _, thread := range p.Threads {
		for at := range thread {
			if k := thread[at].Kind; k == PlainLoad || k == BarrierTest || k == Product || k == FifthLoad {
				thread[at].register = fmt.Sprintf("r%02d", at) // in the order of results
			}
		}
	}
}
