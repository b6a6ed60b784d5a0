package sim_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Programs with asynchronous operations, as data: what asynctext_test.go gives a meaning to, and how they are written
// in PTX. What a copy moves is a location of its own or, if the program is about arrays, one of four elements, of which
// the first is looked at.

// An asyncKind is what an instruction does.
type asyncKind int

const (
	plainLoad asyncKind = iota
	plainStore
	memoryFence
	proxyFence
	ctaBarrier
	clusterBarrier
	barrierInit
	barrierArrive // adds the bytes n to those expected
	remoteArrive  // at what the first CTA has
	barrierExpect // bytes n
	barrierSpin   // until the phase of parity n is over
	barrierTest   // whether it is, into a register
	smallCopy     // cp.async
	smallCommit
	smallWait   // until at most n groups are pending
	smallArrive // cp.async.mbarrier.arrive
	bulkLoad    // global to shared memory, with the bytes n for an mbarrier
	bulkStore   // shared to global memory, in a group
	bulkCommit
	bulkWait
	tensorLoad  // bulkLoad from where the tensor map points
	tensorStore // bulkStore to there
	mapReplace  // of the address in the tensor map
	mapFence
	product // wgmma.mma_async: of two locations, into a register
	productFence
	productCommit
	productWait
	fifthProduct // tcgen05.mma: of two matrices, added to what was there if n is not 0
	fifthCopy
	fifthLoad
	fifthStore
	fifthLoadWait
	fifthStoreWait
	fifthCommit
	fifthBefore // the fences
	fifthAfter
)

// An asyncInstr is an instruction.
type asyncInstr struct {
	kind     asyncKind
	to, from string // the locations of copies; loads and stores have one
	right    string // the second factor of a product in tensor memory
	barrier  string
	remote   string // the mbarrier of another CTA
	register string
	n        int
	order    string // of loads, stores, fences, arrivals and waits; none is the default
	space    string // of a proxy fence
	flag     bool   // .read of a wait, .noinc of an arrival
	mask     int    // of the CTAs that a copy goes to; 0 for its own
}

// An asyncProgram is the columns of a test.
type asyncProgram struct {
	ctas    []int // of each thread
	cluster bool  // the CTAs are of one cluster, and each has all shared memory that it names
	threads [][]asyncInstr
	initial map[string]int // the value of each location that is no mbarrier
	arrays  bool
	variant string // of how the text is read; none is the letter
}

const copiedBytes = 16 // that a copy moves

// text is the instruction in PTX. Labels are made of where it stands.
func (in *asyncInstr) text(at int) []string {
	one := func(format string, args ...any) []string { return []string{fmt.Sprintf(format, args...)} }
	order := ""
	if in.order != "" {
		order = "." + in.order
	}
	switch in.kind {
	case plainLoad:
		return one("ld%s.%s.u32 %s, [%s]", order, spaceOf(in.from), in.register, in.from)
	case plainStore:
		return one("st%s.%s.u32 [%s], %d", order, spaceOf(in.to), in.to, in.n)
	case memoryFence:
		return one("fence%s", order)
	case proxyFence:
		return one("fence.proxy.async%s", in.space)
	case ctaBarrier:
		return one("bar.sync %d", in.n)
	case clusterBarrier:
		return []string{"barrier.cluster.arrive", "barrier.cluster.wait"}
	case smallCopy:
		return one("cp.async.cg.shared.global [%s], [%s], %d", in.to, in.from, copiedBytes)
	case smallCommit:
		return one("cp.async.commit_group")
	case smallWait:
		return one("cp.async.wait_group %d", in.n)
	case bulkLoad:
		return one("cp.async.bulk.shared::%s [%s], [%s], %d, [%s]%s", in.destination(), in.to, in.from, in.n, in.barrier, in.ranks())
	case bulkStore:
		return one("cp.async.bulk.global.shared::cta.bulk_group [%s], [%s], %d", in.to, in.from, copiedBytes)
	case bulkCommit:
		return one("cp.async.bulk.commit_group")
	case bulkWait:
		return one("cp.async.bulk.wait_group%s %d", map[bool]string{true: ".read"}[in.flag], in.n)
	}
	if in.kind >= fifthProduct {
		return one("%s", in.fifthText())
	}
	if in.kind >= tensorLoad {
		return one("%s", in.tensorText())
	}
	return in.barrierText(at, order)
}

// barrierText is an instruction on an mbarrier.
func (in *asyncInstr) barrierText(at int, order string) []string {
	const space = ".shared::cta.b64"
	switch in.kind {
	case barrierInit:
		return []string{fmt.Sprintf("mbarrier.init%s [%s], %d", space, in.barrier, in.n)}
	case barrierArrive:
		if in.n > 0 {
			return []string{fmt.Sprintf("mbarrier.arrive.expect_tx%s%s _, [%s], %d", order, space, in.barrier, in.n)}
		}
		return []string{fmt.Sprintf("mbarrier.arrive%s%s _, [%s]", order, space, in.barrier)}
	case remoteArrive:
		return []string{"mapa.shared::cluster.u32 a, " + in.remote + ", 0", fmt.Sprintf("mbarrier.arrive%s.shared::cluster.b64 _, [a]", order)}
	case barrierExpect:
		return []string{fmt.Sprintf("mbarrier.expect_tx.relaxed.cta%s [%s], %d", space, in.barrier, in.n)}
	case smallArrive:
		return []string{fmt.Sprintf("cp.async.mbarrier.arrive%s%s [%s]", map[bool]string{true: ".noinc"}[in.flag], space, in.barrier)}
	case barrierTest:
		return []string{
			fmt.Sprintf("mbarrier.test_wait.parity%s%s p%d, [%s], %d", order, space, at, in.barrier, in.n),
			fmt.Sprintf("selp.u32 %s, 1, 0, p%d", in.register, at),
		}
	}
	return []string{
		fmt.Sprintf("W%d: mbarrier.try_wait.parity%s%s p, [%s], %d", at, order, space, in.barrier, in.n),
		fmt.Sprintf("@!p bra W%d", at),
	}
}

// spaceOf tells the state spaces of locations by their names.
func spaceOf(location string) string {
	if location[0] == 's' || isTensorMemory(location) {
		return "shared"
	}
	return "global"
}

// isFlag tells what threads synchronize by from what copies move.
func isFlag(location string) bool { return location == "f" }

// isArray says that a location is the first element of an array.
func (p *asyncProgram) isArray(location string) bool {
	return p.arrays && !isFlag(location) && location != tensorMap
}

// String is the program as a test whose states show all registers and locations.
func (p *asyncProgram) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "PTX random\n{ %s}\n", p.initialState())
	var columns [][]string
	rows := 0
	for t, thread := range p.threads {
		column := []string{fmt.Sprintf("P%d@cta %d%s", t, p.ctas[t], map[bool]string{true: ",cluster 0"}[p.cluster])}
		for at := range thread {
			column = append(column, thread[at].text(at)...)
		}
		columns = append(columns, column)
		rows = max(rows, len(column))
	}
	for row := range rows {
		for t, column := range columns {
			cell, end := "", " |"
			if row < len(column) {
				cell = column[row]
			}
			if t == len(columns)-1 {
				end = " ;\n"
			}
			fmt.Fprintf(&b, " %s%s", cell, end)
		}
	}
	fmt.Fprintf(&b, "locations [%s]\nforall (true)\n", strings.Join(p.observed(), "; "))
	return b.String()
}

func (p *asyncProgram) initialState() string {
	var b strings.Builder
	for _, l := range named(p.locations()) {
		if spaceOf(l) == "shared" {
			b.WriteString("shared ")
		}
		switch v := p.initial[l]; {
		case l == tensorMap:
			fmt.Fprintf(&b, "%s=%s; ", l, tensorAt(v))
		case p.isArray(l):
			fmt.Fprintf(&b, "%s[4]={%d,%d,%d,%d}; ", l, v, v, v, v)
		default:
			fmt.Fprintf(&b, "%s=%d; ", l, v)
		}
	}
	for _, m := range named(p.barriers()) {
		fmt.Fprintf(&b, "shared %s; ", m)
	}
	for _, r := range p.registers() {
		fmt.Fprintf(&b, "%s=0; ", r)
	}
	return b.String()
}

func (p *asyncProgram) locations() []string { return slices.Sorted(maps.Keys(p.initial)) }

// barriers is the mbarriers of the program.
func (p *asyncProgram) barriers() []string {
	return p.collect(func(t int, in *asyncInstr) string { return p.own(p.ctas[t], in.barrier) })
}

// registers is the registers that are set, each with its thread.
func (p *asyncProgram) registers() []string {
	return p.collect(func(t int, in *asyncInstr) string {
		if in.register == "" {
			return ""
		}
		return asyncRegister(t, in)
	})
}

func asyncRegister(t int, in *asyncInstr) string { return fmt.Sprintf("%d:%s", t, in.register) }

// collect is what instructions name, sorted, each once.
func (p *asyncProgram) collect(named func(t int, in *asyncInstr) string) (names []string) {
	for t, thread := range p.threads {
		for i := range thread {
			if name := named(t, &thread[i]); name != "" {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// observed is what final states show, in the order in which results have it.
func (p *asyncProgram) observed() []string {
	names := p.registers()
	for _, l := range named(p.locations()) {
		if l != tensorMap {
			names = append(names, p.observedName(l))
		}
	}
	return names
}

func (p *asyncProgram) observedName(location string) string {
	if p.isArray(location) {
		return location + "[0]"
	}
	return "[" + location + "]"
}
