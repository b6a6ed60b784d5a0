package bench

import (
	"fmt"
	"slices"
	"strings"
)

// Programs whose threads pass data to each other repeatedly: through mbarriers, by bulk copies, by
// flags.

// Numbers of buffers of mbarrierPipeline and bulkPipeline.
const (
	stagesOfPipeline = 2
	stagesOfBulk     = 4
)

// mbarrierPipeline returns a program with a ring of buffers, each with one mbarrier for "full" and
// one for "empty" (PTX ISA, "mbarrier"): of 2n threads, n fill a part of each buffer, and n read a
// part.
func mbarrierPipeline(n, items int) string {
	k := kernel{name: fmt.Sprintf("mbarrier-pipeline-%dx%d", n, items), block: 2 * n}
	var wrong, set []string
	for b := range min(stagesOfPipeline, items) {
		k.initial += fmt.Sprintf("shared full%d; shared empty%[1]d; ", b)
		set = append(set, fmt.Sprintf("mbarrier.init.shared::cta.b64 [full%d], %d", b, n),
			fmt.Sprintf("mbarrier.init.shared::cta.b64 [empty%d], %d", b, n))
		for t := range n {
			k.initial += fmt.Sprintf("shared s%d_%d=0; ", b, t)
		}
	}
	for t := range n {
		k.initial += fmt.Sprintf("P%d:wrong=0; ", n+t)
		wrong = append(wrong, fmt.Sprintf("P%d:wrong<>0", n+t))
	}
	k.exists = strings.Join(wrong, ` \/ `)
	k.each(2*n, func(t int) (code []string) {
		if t == 0 {
			code = append(code, set...)
		}
		code = append(code, "bar.sync 0")
		for i := range items {
			b, round := i%stagesOfPipeline, i/stagesOfPipeline
			switch {
			case t < n:
				if round > 0 {
					code = append(code, await(i, "empty", b, round-1)...)
				}
				code = append(code, fmt.Sprintf("st.shared.u32 [s%d_%d], %d", b, t, i+1),
					fmt.Sprintf("mbarrier.arrive.shared::cta.b64 _, [full%d]", b))
			default:
				code = append(code, await(i, "full", b, round)...)
				code = append(code, differs(fmt.Sprintf("s%d_%d", b, (t+i)%n), i+1)...)
				code = append(code, fmt.Sprintf("mbarrier.arrive.shared::cta.b64 _, [empty%d]", b))
			}
		}
		return code
	})
	return k.String()
}

// await returns a loop that waits for the round-th phase of a barrier.
func await(label int, barrier string, b, round int) []string {
	return []string{fmt.Sprintf("W%d: mbarrier.try_wait.parity.shared::cta.b64 p, [%s%d], %d", label, barrier, b,
		round%2), fmt.Sprintf("@!p bra W%d", label)}
}

// differs returns code that counts a cell with an unexpected value.
func differs(cell string, want int) []string {
	return []string{
		fmt.Sprintf("ld.shared.u32 v, [%s]", cell), fmt.Sprintf("setp.ne.u32 p, v, %d", want),
		"selp.u32 q, 1, 0, p", "add.u32 wrong, wrong, q",
	}
}

// bulkPipeline returns a program in which a thread copies tiles to shared memory while n others
// read the tiles that have arrived (PTX ISA, "cp.async.bulk").
func bulkPipeline(n, items int) string {
	k := kernel{name: fmt.Sprintf("bulk-pipeline-%dx%d", n, items), block: n + 1}
	var wrong, producer []string
	for b := range min(stagesOfBulk, items) {
		k.initial += fmt.Sprintf("shared full%d; shared empty%[1]d; shared s%[1]d=0; ", b)
		producer = append(producer, fmt.Sprintf("mbarrier.init.shared::cta.b64 [full%d], 1", b),
			fmt.Sprintf("mbarrier.init.shared::cta.b64 [empty%d], %d", b, n))
	}
	producer = append(producer, "bar.sync 0")
	for i := range items {
		k.initial += fmt.Sprintf("g%d=%d; ", i, i+1)
	}
	for t := range n {
		k.initial += fmt.Sprintf("P%d:wrong=0; ", 1+t)
		wrong = append(wrong, fmt.Sprintf("P%d:wrong<>0", 1+t))
	}
	k.exists = strings.Join(wrong, ` \/ `)
	for i := range items {
		b, round := i%stagesOfBulk, i/stagesOfBulk
		if round > 0 {
			producer = append(producer, await(i, "empty", b, round-1)...)
		}
		producer = append(producer, fmt.Sprintf("mbarrier.arrive.expect_tx.shared::cta.b64 _, [full%d], 16", b),
			fmt.Sprintf(
				"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s%d], [g%d], 16, [full%[1]d]", b,
				i))
	}
	k.threads = append(k.threads, producer)
	k.each(n, func(int) []string {
		code := []string{"bar.sync 0"}
		for i := range items {
			b, round := i%stagesOfBulk, i/stagesOfBulk
			code = append(code, await(i, "full", b, round)...)
			code = append(code, differs(fmt.Sprintf("s%d", b), i+1)...)
			code = append(code, "fence.proxy.async.shared::cta",
				fmt.Sprintf("mbarrier.arrive.shared::cta.b64 _, [empty%d]", b))
		}
		return code
	})
	return k.String()
}

// lookBack returns the scan of Merrill and Garland ("Single-pass parallel prefix scan with
// decoupled look-back", 2016): each block publishes the sum of its own part, and then the sum up to
// its end.
func lookBack(n, _ int) string {
	k := kernel{name: fmt.Sprintf("look-back-%d", n)}
	var wrong []string
	for t := range n {
		k.initial += fmt.Sprintf("status%d=0; own%[1]d=0; all%[1]d=0; ", t)
		wrong = append(wrong, fmt.Sprintf("P%d:sum<>%d", t, (t+1)*(t+2)/2))
	}
	k.exists = strings.Join(wrong, ` \/ `)
	k.each(n, func(t int) []string {
		if t == 0 {
			return []string{"mov.u32 sum,1", "st.weak.u32 [all0],sum", "st.release.gpu.u32 [status0],2"}
		}
		code := []string{
			fmt.Sprintf("mov.u32 sum,%d", t+1), fmt.Sprintf("st.weak.u32 [own%d],sum", t),
			fmt.Sprintf("st.release.gpu.u32 [status%d],1", t),
		}
		for j := t - 1; j >= 0; j-- {
			code = append(code, fmt.Sprintf("L%d: ld.acquire.gpu.u32 f,[status%[1]d]", j), "setp.eq.u32 p,f,0",
				fmt.Sprintf("@p bra L%d", j),
				"setp.eq.u32 p,f,2", fmt.Sprintf("@p bra A%d", j), fmt.Sprintf("ld.weak.u32 v,[own%d]", j),
				"add.u32 sum,sum,v", fmt.Sprintf("bra N%d", j),
				fmt.Sprintf("A%d: ld.weak.u32 v,[all%[1]d]", j), "add.u32 sum,sum,v", "bra E", fmt.Sprintf("N%d:", j))
		}
		return append(code, fmt.Sprintf("E: st.weak.u32 [all%d],sum", t),
			fmt.Sprintf("st.release.gpu.u32 [status%d],2", t))
	})
	return k.String()
}

// halo returns n blocks in a ring that compute repeatedly from their neighbours' previous results,
// in two buffers; a flag of each block tells its progress.
func halo(n, rounds int) string {
	k := kernel{name: fmt.Sprintf("halo-%d-%d", n, rounds)}
	var wrong []string
	for t := range n {
		k.initial += fmt.Sprintf("a%d=1; b%[1]d=0; flag%[1]d=0; ", t)
		want := 1
		for range rounds {
			want *= 2
		}
		wrong = append(wrong, fmt.Sprintf("P%d:sum<>%d", t, want))
	}
	k.exists = strings.Join(wrong, ` \/ `)
	k.each(n, func(t int) (code []string) {
		from, to := "a", "b"
		left, right := (t+n-1)%n, (t+1)%n
		for r := range rounds {
			if r > 0 {
				for _, u := range slices.Compact([]int{left, right}) {
					code = append(code, fmt.Sprintf("L%d_%d: ld.acquire.gpu.u32 f,[flag%d]", r, u, u),
						fmt.Sprintf("setp.lt.u32 p,f,%d", r), fmt.Sprintf("@p bra L%d_%d", r, u))
				}
			}
			code = append(code, fmt.Sprintf("ld.weak.u32 sum,[%s%d]", from, left),
				fmt.Sprintf("ld.weak.u32 v,[%s%d]", from, right), "add.u32 sum,sum,v",
				fmt.Sprintf("st.weak.u32 [%s%d],sum", to, t))
			if r+1 < rounds {
				code = append(code, fmt.Sprintf("st.release.gpu.u32 [flag%d],%d", t, r+1))
			}
			from, to = to, from
		}
		return code
	})
	return k.String()
}

// lostPipeline returns a faulty pipeline: the arrival for the first full buffer goes to the barrier
// of the second.
func lostPipeline(n, items int) string {
	return "PTX lost-" +
		strings.TrimPrefix(strings.Replace(pipeline(n, items), "bar.arrive 0,", "bar.arrive 1,", 1), "PTX ")
}

// relax returns n threads in a ring; a number of the first thread moves one thread further in each
// iteration.
func relax(n, rounds int) string {
	k := kernel{name: fmt.Sprintf("relax-%d-%d", n, rounds), block: n}
	var wrong []string
	for t := range n {
		first, last := 1, 1
		if t == 0 {
			first = 5
		}
		if (n-t)%n <= rounds {
			last = 5
		}
		k.initial += fmt.Sprintf("shared a%d=%d; shared b%[1]d=0; ", t, first)
		wrong = append(wrong, fmt.Sprintf("%c%d<>%d", "ab"[rounds%2], t, last))
	}
	k.exists = strings.Join(wrong, ` \/ `)
	k.each(n, func(t int) (code []string) {
		from, to := "a", "b"
		for r := range rounds {
			code = append(code, fmt.Sprintf("ld.shared.u32 x,[%s%d]", from, t),
				fmt.Sprintf("ld.shared.u32 y,[%s%d]", from, (t+1)%n),
				"setp.ge.u32 p,x,y", fmt.Sprintf("@p bra L%d", r), "mov.u32 x,y",
				fmt.Sprintf("L%d: st.shared.u32 [%s%d],x", r, to, t), "bar.sync 0")
			from, to = to, from
		}
		return code
	})
	return k.String()
}

// dekker returns Dekker's algorithm (Dijkstra, "Cooperating sequential processes", 1965), by which
// two threads repeatedly enter a critical section to count.
func dekker(_, rounds int) string {
	k := kernel{
		name:    fmt.Sprintf("dekker-%d", rounds),
		initial: "f0=0; f1=0; turn=0; x=0; ",
		exists:  fmt.Sprintf("~x=%d", 2*rounds),
	}
	k.each(2, func(t int) (code []string) {
		for r := range rounds {
			code = append(code, fmt.Sprintf("st.relaxed.gpu.u32 [f%d],1", t),
				fmt.Sprintf("A%d: fence.sc.gpu", r), fmt.Sprintf("ld.acquire.gpu.u32 a,[f%d]", 1-t),
				"setp.eq.u32 p,a,0", fmt.Sprintf("@p bra C%d", r),
				"ld.relaxed.gpu.u32 b,[turn]", fmt.Sprintf("setp.eq.u32 p,b,%d", t), fmt.Sprintf("@p bra A%d", r),
				fmt.Sprintf("st.relaxed.gpu.u32 [f%d],0", t), fmt.Sprintf("B%d: ld.acquire.gpu.u32 b,[turn]", r),
				fmt.Sprintf("setp.ne.u32 p,b,%d", t), fmt.Sprintf("@p bra B%d", r),
				fmt.Sprintf("st.relaxed.gpu.u32 [f%d],1", t), fmt.Sprintf("bra A%d", r), fmt.Sprintf("C%d:", r))
			code = append(code, increment(r)...)
			code = append(code, fmt.Sprintf("st.release.gpu.u32 [turn],%d", 1-t),
				fmt.Sprintf("st.release.gpu.u32 [f%d],0", t))
		}
		return code
	})
	return k.String()
}
