package asynctext

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Programs with asynchronous operations, as data, and their PTX. A copy moves a location of its own
// or, in a program with arrays, four elements; the first one is observed.

// Kind is the kind of an instruction.
type Kind int

const (
	PlainLoad Kind = iota
	PlainStore
	MemoryFence
	ProxyFence
	CTABarrier
	clusterBarrier
	barrierInit
	BarrierArrive // adds n to the expected bytes
	RemoteArrive  // at the mbarrier of the first CTA
	BarrierExpect // expects n bytes
	BarrierSpin   // waits until the phase of parity n completes
	BarrierTest   // tests that, into a register
	SmallCopy     // cp.async
	SmallCommit
	SmallWait   // waits until at most n groups are pending
	SmallArrive // cp.async.mbarrier.arrive
	BulkLoad    // global to shared memory, completing n bytes on an mbarrier
	BulkStore   // shared to global memory, in a group
	BulkCommit
	BulkWait
	TensorLoad  // BulkLoad from the tensor in the map
	TensorStore // BulkStore to that tensor
	MapReplace  // replaces the address in the tensor map
	MapFence
	Product // wgmma.mma_async: of two locations, into a register
	ProductFence
	ProductCommit
	ProductWait
	FifthProduct // tcgen05.mma: of two matrices, added to the accumulator if n is not 0
	FifthCopy
	FifthLoad
	FifthStore
	FifthLoadWait
	FifthStoreWait
	FifthCommit
	FifthBefore // the fences
	FifthAfter
)

// Instr is an instruction.
type Instr struct {
	Kind     Kind
	To, From string // locations of copies; loads and stores have one
	Right    string // second factor of a product in tensor memory
	Barrier  string
	Remote   string // mbarrier of another CTA
	register string
	N        int
	Order    string // of loads, stores, fences, arrivals and waits; "" is the default
	Space    string // of a proxy fence
	Flag     bool   // .read of a wait, .noinc of an arrival
	Mask     int    // destination CTAs of a copy; 0 for its own
}

// Program is the columns of a test.
type Program struct {
	CTAs    []int // by thread
	Cluster bool  // the CTAs form a cluster, and each has all shared memory that it names
	Threads [][]Instr
	Initial map[string]int // value of each location that is not an mbarrier
	Arrays  bool
	Variant string // variant of the reading; "" is the literal one
}

// CopiedBytes is the number of bytes that a copy moves.
const CopiedBytes = 16

// text returns the instruction in PTX. at makes its labels unique.
func (in *Instr) text(at int) []string {
	one := func(format string, args ...any) []string { return []string{fmt.Sprintf(format, args...)} }
	order := ""
	if in.Order != "" {
		order = "." + in.Order
	}
	switch in.Kind {
	case PlainLoad:
		return one("ld%s.%s.u32 %s, [%s]", order, spaceOf(in.From), in.register, in.From)
	case PlainStore:
		return one("st%s.%s.u32 [%s], %d", order, spaceOf(in.To), in.To, in.N)
	case MemoryFence:
		return one("fence%s", order)
	case ProxyFence:
		return one("fence.proxy.async%s", in.Space)
	case CTABarrier:
		return one("bar.sync %d", in.N)
	case clusterBarrier:
		return []string{"barrier.cluster.arrive", "barrier.cluster.wait"}
	case SmallCopy:
		return one("cp.async.cg.shared.global [%s], [%s], %d", in.To, in.From, CopiedBytes)
	case SmallCommit:
		return one("cp.async.commit_group")
	case SmallWait:
		return one("cp.async.wait_group %d", in.N)
	case BulkLoad:
		return one("cp.async.bulk.shared::%s [%s], [%s], %d, [%s]%s", in.destination(), in.To, in.From, in.N,
			in.Barrier, in.ranks())
	case BulkStore:
		return one("cp.async.bulk.global.shared::cta.bulk_group [%s], [%s], %d", in.To, in.From, CopiedBytes)
	case BulkCommit:
		return one("cp.async.bulk.commit_group")
	case BulkWait:
		return one("cp.async.bulk.wait_group%s %d", map[bool]string{true: ".read"}[in.Flag], in.N)
	}
	if in.Kind >= FifthProduct {
		return one("%s", in.fifthText())
	}
	if in.Kind >= TensorLoad {
		return one("%s", in.tensorText())
	}
	return in.barrierText(at, order)
}

// barrierText returns an instruction on an mbarrier in PTX.
func (in *Instr) barrierText(at int, order string) []string {
	const space = ".shared::cta.b64"
	switch in.Kind {
	case barrierInit:
		return []string{fmt.Sprintf("mbarrier.init%s [%s], %d", space, in.Barrier, in.N)}
	case BarrierArrive:
		if in.N > 0 {
			return []string{fmt.Sprintf("mbarrier.arrive.expect_tx%s%s _, [%s], %d", order, space, in.Barrier, in.N)}
		}
		return []string{fmt.Sprintf("mbarrier.arrive%s%s _, [%s]", order, space, in.Barrier)}
	case RemoteArrive:
		return []string{
			"mapa.shared::cluster.u32 a, " + in.Remote + ", 0",
			fmt.Sprintf("mbarrier.arrive%s.shared::cluster.b64 _, [a]", order),
		}
	case BarrierExpect:
		return []string{fmt.Sprintf("mbarrier.expect_tx.relaxed.cta%s [%s], %d", space, in.Barrier, in.N)}
	case SmallArrive:
		return []string{fmt.Sprintf("cp.async.mbarrier.arrive%s%s [%s]", map[bool]string{true: ".noinc"}[in.Flag],
			space, in.Barrier)}
	case BarrierTest:
		return []string{
			fmt.Sprintf("mbarrier.test_wait.parity%s%s p%d, [%s], %d", order, space, at, in.Barrier, in.N),
			fmt.Sprintf("selp.u32 %s, 1, 0, p%d", in.register, at),
		}
	}
	return []string{
		fmt.Sprintf("W%d: mbarrier.try_wait.parity%s%s p, [%s], %d", at, order, space, in.Barrier, in.N),
		fmt.Sprintf("@!p bra W%d", at),
	}
}

// spaceOf returns the state space of a location, by its name.
func spaceOf(location string) string {
	if location[0] == 's' || isTensorMemory(location) {
		return "shared"
	}
	return "global"
}

// isFlag reports whether a location is for synchronization, rather than the target of copies.
func isFlag(location string) bool { return location == "f" }

// isArray reports whether a location is the first element of an array.
func (p *Program) isArray(location string) bool {
	return p.Arrays && !isFlag(location) && location != TensorMap
}

// String returns the program as a test whose states show all registers and locations.
func (p *Program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "PTX random\n{ %s}\n", p.initialState())
	var columns [][]string
	rows := 0
	for t, thread := range p.Threads {
		column := []string{fmt.Sprintf("P%d@cta %d%s", t, p.CTAs[t], map[bool]string{true: ",cluster 0"}[p.Cluster])}
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

func (p *Program) initialState() string {
	var b strings.Builder
	for _, l := range named(p.locations()) {
		if spaceOf(l) == "shared" {
			b.WriteString("shared ")
		}
		switch v := p.Initial[l]; {
		case l == TensorMap:
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

func (p *Program) locations() []string { return slices.Sorted(maps.Keys(p.Initial)) }

// barriers returns the mbarriers of the program.
func (p *Program) barriers() []string {
	return p.collect(func(t int, in *Instr) string { return p.own(p.CTAs[t], in.Barrier) })
}

// registers returns the registers that are set, prefixed by their thread.
func (p *Program) registers() []string {
	return p.collect(func(t int, in *Instr) string {
		if in.register == "" {
			return ""
		}
		return registerOf(t, in)
	})
}

func registerOf(t int, in *Instr) string { return fmt.Sprintf("%d:%s", t, in.register) }

// collect returns the names in instructions, sorted, each once.
func (p *Program) collect(named func(t int, in *Instr) string) (names []string) {
	for t, thread := range p.Threads {
		for i := range thread {
			if name := named(t, &thread[i]); name != "" {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// observed returns the registers and locations in final states, in the order of results.
func (p *Program) observed() []string {
	names := p.registers()
	for _, l := range named(p.locations()) {
		if l != TensorMap {
			names = append(names, p.observedName(l))
		}
	}
	return names
}

func (p *Program) observedName(location string) string {
	if p.isArray(location) {
		return location + "[0]"
	}
	return "[" + location + "]"
}
