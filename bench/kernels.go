package bench

import (
	"fmt"
	"strings"
)

// Kernel is a typical GPU program, with a given number of threads, iterations or items: a lock, a
// barrier, a queue. Its condition is that it goes wrong.
type Kernel struct {
	Name  string
	About string
	Make  func(n, rounds int) string // a test of scoped PTX
}

// Kernels are the programs of docs/performance.md.
var Kernels = []Kernel{
	{"spin-lock", "n threads that take a lock of compare-and-swap, in rounds, and count", spinLock},
	{"ttas-lock", "n threads that read a lock until it is free, and then exchange it, in rounds, and count", ttasLock},
	{"ticket-lock", "n threads that draw a ticket, wait for it to be called, and count", ticketLock},
	{"grid-barrier", "n threads that write, meet at a barrier made of a counter and a flag, and read", gridBarrier},
	{
		"grid-sync",
		"n blocks of two threads that write, meet in their block, have one of them wait for the other blocks, meet " +
			"again, and read", gridSync,
	},
	{"tree-sum", "n threads of a block that add up their numbers in shared memory, pair by pair", treeSum},
	{"scan", "n threads of a block that find the sums up to each, from one buffer into another and back", scan},
	{
		"pipeline",
		"n warps that fill two buffers in turn and n that empty them, and wait for each other at named " +
			"barriers, in rounds", pipeline,
	},
	{
		"lost-pipeline", "the same, but the first warp arrives at another barrier once, so that all wait for ever",
		lostPipeline,
	},
	{
		"relax",
		"n threads of a block that take the larger of two numbers by a branch, from one buffer into another and " +
			"back, in rounds", relax,
	},
	{"ring", "a producer that sends items through a ring of two places to a consumer", ring},
	{"deque", "an owner that pops the last of two items while n thieves steal", deque},
	{"counter", "n threads that add to a counter, in rounds", counter},
	{"tally", "n threads that write another location, add to a counter, in rounds, and read that location", tally},
	{
		"chain", "n threads: each waits for the previous one, and the last reads what the first has written",
		waitingChain,
	},
	{"latch", "n threads that write and count down, and one that waits for zero and reads", latch},
	{
		"mbarrier-pipeline",
		"n threads that fill two buffers in turn and n that read them, and wait for each other at mbarriers, in rounds",
		mbarrierPipeline,
	},
	{
		"bulk-pipeline", "a thread that has tiles copied into four buffers, and n that read them, in rounds",
		bulkPipeline,
	},
	{"look-back", "n blocks that find the sums up to each by looking back", lookBack},
	{"halo", "n blocks that compute from what their neighbours have computed, in rounds", halo},
	{"dekker", "two threads that exclude each other by Dekker's algorithm, in rounds, and count", dekker},
	{"last-block", "n threads that write and count; the last one adds up", lastBlock},
}

// KernelNamed returns the kernel of that name.
func KernelNamed(name string) (Kernel, bool) {
	for _, k := range Kernels {
		if k.Name == name {
			return k, true
		}
	}
	return Kernel{}, false
}

// kernel is a test under construction.
type kernel struct {
	name, initial string
	threads       [][]string
	block         int // number of threads in a block; 0 for one
	exists        string
}

func (k *kernel) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "PTX %s\n{ %s}\n", k.name, k.initial)
	rows := 0
	heads := make([]string, len(k.threads))
	for t, code := range k.threads {
		heads[t] = fmt.Sprintf("P%d@cta %d,gpu 0", t, t/max(1, k.block))
		rows = max(rows, len(code))
	}
	fmt.Fprintf(&b, " %s ;\n", strings.Join(heads, " | "))
	for r := range rows {
		line := make([]string, len(k.threads))
		for t, code := range k.threads {
			if r < len(code) {
				line[t] = code[r]
			}
		}
		fmt.Fprintf(&b, " %s ;\n", strings.Join(line, " | "))
	}
	fmt.Fprintf(&b, "exists (%s)\n", k.exists)
	return b.String()
}

// each makes n threads run the code that f returns for their numbers.
func (k *kernel) each(n int, f func(t int) []string) {
	for t := range n {
		k.threads = append(k.threads, f(t))
	}
}

// increment returns a critical section that increments a counter.
func increment(round int) []string {
	return []string{
		fmt.Sprintf("ld.weak.u32 r%d,[x]", 3*round+1),
		fmt.Sprintf("add.u32 r%d,r%d,1", 3*round+2, 3*round+1),
		fmt.Sprintf("st.weak.u32 [x],r%d", 3*round+2),
	}
}

func spinLock(n, rounds int) string {
	k := kernel{
		name:    fmt.Sprintf("spin-lock-%d-%d", n, rounds),
		initial: "m=0; x=0; ",
		exists:  fmt.Sprintf("~x=%d", n*rounds),
	}
	k.each(n, func(int) (code []string) {
		for r := range rounds {
			code = append(code,
				fmt.Sprintf("L%d: atom.acquire.gpu.cas.b32 r%d,[m],0,1", r, 3*r),
				fmt.Sprintf("setp.ne.u32 p,r%d,0", 3*r), fmt.Sprintf("@p bra L%d", r))
			code = append(code, increment(r)...)
			code = append(code, "st.release.gpu.u32 [m],0")
		}
		return code
	})
	return k.String()
}

func ttasLock(n, rounds int) string {
	k := kernel{
		name:    fmt.Sprintf("ttas-lock-%d-%d", n, rounds),
		initial: "m=0; x=0; ",
		exists:  fmt.Sprintf("~x=%d", n*rounds),
	}
	k.each(n, func(int) (code []string) {
		for r := range rounds {
			code = append(code,
				fmt.Sprintf("L%d: ld.relaxed.gpu.u32 r%d,[m]", r, 3*r), fmt.Sprintf("setp.ne.u32 p,r%d,0", 3*r),
				fmt.Sprintf("@p bra L%d", r),
				fmt.Sprintf("atom.acquire.gpu.exch.b32 r%d,[m],1", 3*r), fmt.Sprintf("setp.ne.u32 p,r%d,0", 3*r),
				fmt.Sprintf("@p bra L%d", r))
			code = append(code, increment(r)...)
			code = append(code, "st.release.gpu.u32 [m],0")
		}
		return code
	})
	return k.String()
}

func ticketLock(n, _ int) string {
	k := kernel{
		name:    fmt.Sprintf("ticket-lock-%d", n),
		initial: "next=0; serving=0; x=0; ",
		exists:  fmt.Sprintf("~x=%d", n),
	}
	k.each(n, func(int) []string {
		code := []string{
			"atom.relaxed.gpu.add.u32 r0,[next],1", "L: ld.acquire.gpu.u32 r4,[serving]",
			"setp.ne.u32 p,r4,r0", "@p bra L",
		}
		code = append(code, increment(0)...)
		return append(code, "add.u32 r5,r0,1", "st.release.gpu.u32 [serving],r5")
	})
	return k.String()
}

func gridBarrier(n, _ int) string {
	k := kernel{name: fmt.Sprintf("grid-barrier-%d", n), initial: "count=0; flag=0; "}
	var wrong []string
	for t := range n {
		k.initial += fmt.Sprintf("y%d=0; ", t)
		wrong = append(wrong, fmt.Sprintf("P%d:r2=0", t))
	}
	k.exists = strings.Join(wrong, ` \/ `)
	k.each(n, func(t int) []string {
		return []string{
			fmt.Sprintf("st.weak.u32 [y%d],1", t),
			"atom.acq_rel.gpu.add.u32 r0,[count],1", fmt.Sprintf("setp.ne.u32 p,r0,%d", n-1), "@p bra L",
			"st.release.gpu.u32 [flag],1", "bra M",
			"L: ld.acquire.gpu.u32 r1,[flag]", "setp.eq.u32 q,r1,0", "@q bra L",
			fmt.Sprintf("M: ld.weak.u32 r2,[y%d]", (t+1)%n),
		}
	})
	return k.String()
}

// gridSync returns a program with a grid barrier: the first thread of each block counts, and waits
// for the count of all blocks, between barriers of the block.
func gridSync(n, _ int) string {
	k := kernel{name: fmt.Sprintf("grid-sync-%d", n), initial: "count=0; ", block: 2}
	var wrong []string
	for t := range 2 * n {
		k.initial += fmt.Sprintf("y%d=0; ", t)
		wrong = append(wrong, fmt.Sprintf("P%d:r2=0", t))
	}
	k.exists = strings.Join(wrong, ` \/ `)
	k.each(2*n, func(t int) []string {
		code := []string{fmt.Sprintf("st.weak.u32 [y%d],1", t), "bar.sync 0"}
		if t%2 == 0 {
			code = append(code, "atom.acq_rel.gpu.add.u32 r0,[count],1",
				"L: ld.acquire.gpu.u32 r1,[count]", fmt.Sprintf("setp.lt.u32 p,r1,%d", n), "@p bra L")
		}
		return append(code, "bar.sync 0", fmt.Sprintf("ld.weak.u32 r2,[y%d]", (t+3)%(2*n)))
	})
	return k.String()
}

func treeSum(n, _ int) string {
	k := kernel{name: fmt.Sprintf("tree-sum-%d", n), block: n}
	var wrong []string
	for t := range n {
		k.initial += fmt.Sprintf("shared s%d=0; ", t)
		wrong = append(wrong, fmt.Sprintf("P%d:sum<>%d", t, n*(n+1)/2))
	}
	k.exists = strings.Join(wrong, ` \/ `)
	k.each(n, func(t int) []string {
		code := []string{fmt.Sprintf("st.shared.u32 [s%d],%d", t, t+1)}
		for left := n; left > 1; left = (left + 1) / 2 {
			half := (left + 1) / 2
			if code = append(code, "bar.sync 0"); t+half < left {
				code = append(code, fmt.Sprintf("ld.shared.u32 a,[s%d]", t),
					fmt.Sprintf("ld.shared.u32 b,[s%d]", t+half),
					"add.u32 a,a,b", fmt.Sprintf("st.shared.u32 [s%d],a", t))
			}
		}
		return append(code, "bar.sync 0", "ld.shared.u32 sum,[s0]")
	})
	return k.String()
}

// scan returns the scan of Hillis and Steele ("Data parallel algorithms", CACM 1986).
func scan(n, _ int) string {
	k := kernel{name: fmt.Sprintf("scan-%d", n), block: n}
	var wrong []string
	for t := range n {
		k.initial += fmt.Sprintf("shared a%d=1; shared b%d=0; ", t, t)
		wrong = append(wrong, fmt.Sprintf("P%d:sum<>%d", t, t+1))
	}
	k.exists = strings.Join(wrong, ` \/ `)
	k.each(n, func(t int) (code []string) {
		from, to := "a", "b"
		for d := 1; d < n; d *= 2 {
			if code = append(code, fmt.Sprintf("ld.shared.u32 x,[%s%d]", from, t)); t >= d {
				code = append(code, fmt.Sprintf("ld.shared.u32 y,[%s%d]", from, t-d), "add.u32 x,x,y")
			}
			code = append(code, fmt.Sprintf("st.shared.u32 [%s%d],x", to, t), "bar.sync 0")
			from, to = to, from
		}
		return append(code, fmt.Sprintf("ld.shared.u32 sum,[%s%d]", from, t))
	})
	return k.String()
}

// pipeline returns a program in which specialised warps pass tiles on (PTX ISA, "bar, barrier", the
// example of producers and consumers): at barriers 0 and 1, consumers wait until a buffer is full,
// at 2 and 3, producers wait until it is empty.
func pipeline(n, items int) string {
	k := kernel{name: fmt.Sprintf("pipeline-%dx%d", n, items), block: 2 * n}
	var wrong []string
	for t := range n {
		k.initial += fmt.Sprintf("shared b0_%d=0; shared b1_%[1]d=0; ", t)
		k.initial += fmt.Sprintf("P%d:wrong=0; ", n+t)
		wrong = append(wrong, fmt.Sprintf("P%d:wrong<>0", n+t))
	}
	k.exists = strings.Join(wrong, ` \/ `)
	meet := func(how string, barrier int) string { return fmt.Sprintf("bar.%s %d,%d", how, barrier, 2*n*32) }
	k.each(2*n, func(t int) (code []string) {
		for i := range items {
			switch buffer := i % 2; {
			case t >= n:
				code = append(code, meet("sync", buffer), fmt.Sprintf("ld.shared.u32 v,[b%d_%d]", buffer, (t+i)%n),
					fmt.Sprintf("setp.ne.u32 p,v,%d", i+1),
					"selp.u32 q,1,0,p", "add.u32 wrong,wrong,q")
				if i+2 < items {
					code = append(code, meet("arrive", 2+buffer))
				}
			default:
				if i >= 2 {
					code = append(code, meet("sync", 2+buffer))
				}
				code = append(code, fmt.Sprintf("st.shared.u32 [b%d_%d],%d", buffer, t, i+1), meet("arrive", buffer))
			}
		}
		return code
	})
	return k.String()
}

func ring(items, _ int) string {
	k := kernel{name: fmt.Sprintf("ring-%d", items), initial: "head=0; tail=0; b0=0; b1=0; "}
	var producer, consumer, wrong []string
	for i := range items {
		if i >= 2 {
			producer = append(producer, "ld.acquire.gpu.u32 r0,[tail]", fmt.Sprintf("setp.lt.u32 p,r0,%d", i-1),
				"@p bra E")
		}
		producer = append(producer, fmt.Sprintf("st.weak.u32 [b%d],%d", i%2, i+1),
			fmt.Sprintf("st.release.gpu.u32 [head],%d", i+1))
		k.initial += fmt.Sprintf("P1:r%d=%d; ", i+1, i+1)
		consumer = append(consumer, "ld.acquire.gpu.u32 r0,[head]", fmt.Sprintf("setp.lt.u32 p,r0,%d", i+1), "@p bra E",
			fmt.Sprintf("ld.weak.u32 r%d,[b%d]", i+1, i%2), fmt.Sprintf("st.release.gpu.u32 [tail],%d", i+1))
		wrong = append(wrong, fmt.Sprintf("~P1:r%d=%d", i+1, i+1))
	}
	k.threads = [][]string{append(producer, "E:"), append(consumer, "E:")}
	k.exists = strings.Join(wrong, ` \/ `)
	return k.String()
}

func deque(thieves, _ int) string {
	k := kernel{name: fmt.Sprintf("deque-%d", thieves), initial: "top=0; bottom=0; a0=0; a1=0; "}
	k.threads = [][]string{{
		"st.relaxed.gpu.u32 [a0],1", "st.relaxed.gpu.u32 [a1],2", "st.release.gpu.u32 [bottom],2",
		"st.relaxed.gpu.u32 [bottom],1", "fence.sc.gpu", "ld.relaxed.gpu.u32 r0,[top]",
		"mov.u32 r3,0", "setp.gt.u32 p,r0,1", "@p bra E", "ld.relaxed.gpu.u32 r3,[a1]",
		"setp.lt.u32 p,r0,1", "@p bra E", "atom.relaxed.gpu.cas.b32 r1,[top],1,2", "setp.eq.u32 p,r1,1", "@p bra E",
		"mov.u32 r3,0", "E:",
	}}
	k.initial += "P0:r3=0; "
	for t := range thieves {
		k.initial += fmt.Sprintf("P%d:r3=0; ", t+1)
		k.threads = append(k.threads, []string{
			"ld.acquire.gpu.u32 r0,[top]", "fence.sc.gpu", "ld.acquire.gpu.u32 r1,[bottom]",
			"setp.ge.u32 p,r0,r1", "@p bra E", "setp.ne.u32 p,r0,0", "@p bra B",
			"ld.relaxed.gpu.u32 r3,[a0]", "bra C", "B: ld.relaxed.gpu.u32 r3,[a1]",
			"C: add.u32 r2,r0,1", "atom.relaxed.gpu.cas.b32 r4,[top],r0,r2", "setp.eq.u32 p,r4,r0", "@p bra E",
			"mov.u32 r3,0", "E:",
		})
	}
	var wrong []string
	for t := range thieves + 1 {
		for u := range t {
			for item := 1; item <= 2; item++ {
				wrong = append(wrong, fmt.Sprintf(`P%d:r3=%d /\ P%d:r3=%[2]d`, u, item, t))
			}
		}
	}
	k.exists = strings.Join(wrong, ` \/ `)
	return k.String()
}

func counter(n, rounds int) string {
	k := kernel{name: fmt.Sprintf("counter-%d-%d", n, rounds), initial: "x=0; ", exists: fmt.Sprintf("x=%d", n*rounds)}
	k.each(n, func(int) (code []string) {
		for r := range rounds {
			code = append(code, fmt.Sprintf("atom.relaxed.gpu.add.u32 r%d,[x],1", r))
		}
		return code
	})
	return k.String()
}

func tally(n, rounds int) string {
	k := kernel{
		name:    fmt.Sprintf("tally-%d-%d", n, rounds),
		initial: "x=0; y=0; ",
		exists:  fmt.Sprintf("~x=%d", n*rounds),
	}
	k.each(n, func(t int) []string {
		code := []string{fmt.Sprintf("st.relaxed.gpu.u32 [y],%d", t+1)}
		for r := range rounds {
			code = append(code, fmt.Sprintf("atom.relaxed.gpu.add.u32 r%d,[x],1", r))
		}
		return append(code, fmt.Sprintf("ld.relaxed.gpu.u32 r%d,[y]", rounds))
	})
	return k.String()
}

func waitingChain(n, _ int) string {
	k := kernel{name: fmt.Sprintf("chain-%d", n), initial: "x=0; ", exists: fmt.Sprintf("P%d:r1=0", n-1)}
	k.each(n, func(t int) (code []string) {
		if t == 0 {
			code = append(code, "st.weak.u32 [x],1")
		} else {
			code = append(code, fmt.Sprintf("L: ld.acquire.gpu.u32 r0,[y%d]", t-1), "setp.eq.u32 p,r0,0", "@p bra L")
		}
		if t == n-1 {
			return append(code, "ld.weak.u32 r1,[x]")
		}
		k.initial += fmt.Sprintf("y%d=0; ", t)
		return append(code, fmt.Sprintf("st.release.gpu.u32 [y%d],1", t))
	})
	return k.String()
}

func latch(n, _ int) string {
	k := kernel{name: fmt.Sprintf("latch-%d", n), initial: fmt.Sprintf("count=%d; ", n)}
	waits := []string{"L: ld.acquire.gpu.u32 r0,[count]", "setp.ne.u32 p,r0,0", "@p bra L"}
	var wrong []string
	k.each(n, func(t int) []string {
		k.initial += fmt.Sprintf("y%d=0; ", t)
		waits = append(waits, fmt.Sprintf("ld.weak.u32 r%d,[y%d]", t+1, t))
		wrong = append(wrong, fmt.Sprintf("P%d:r%d=0", n, t+1))
		return []string{fmt.Sprintf("st.weak.u32 [y%d],1", t), "atom.release.gpu.add.s32 r0,[count],-1"}
	})
	k.threads, k.exists = append(k.threads, waits), strings.Join(wrong, ` \/ `)
	return k.String()
}

func lastBlock(n, _ int) string {
	k := kernel{name: fmt.Sprintf("last-block-%d", n), initial: "count=0; "}
	sums := []string{fmt.Sprintf("setp.ne.u32 p,r0,%d", n-1), "@p bra END", "fence.acq_rel.gpu"}
	for t := range n {
		k.initial += fmt.Sprintf("y%d=0; ", t)
		sums = append(sums, fmt.Sprintf("ld.weak.u32 r1,[y%d]", t), "add.u32 r2,r2,r1")
	}
	var wrong []string
	k.each(n, func(t int) []string {
		k.initial += fmt.Sprintf("P%d:r2=0; ", t)
		wrong = append(wrong, fmt.Sprintf(`(P%d:r2>0 /\ ~P%[1]d:r2=%d)`, t, n*(n+1)/2))
		code := []string{
			fmt.Sprintf("st.weak.u32 [y%d],%d", t, t+1), "fence.acq_rel.gpu",
			"atom.relaxed.gpu.add.u32 r0,[count],1",
		}
		return append(append(code, sums...), "END:")
	})
	k.exists = strings.Join(wrong, ` \/ `)
	return k.String()
}
