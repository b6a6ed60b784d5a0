package sim_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// Random programs with asynchronous operations: idioms, with things left out, changed, exchanged and added.

// asyncIdioms are what the threads of well-known programs do, by the words of asyncWords. The threads are in one CTA but
// for the third, if there is one. Mbarriers are initialized before.
var asyncIdioms = []string{
	"copy s0 g0, commit, wait 0, load s0 | load g0",
	"copy s0 g0, commit, wait 0, meet 1, load s0 | store s1 4, meet 1, load s0",
	"copy s0 g0, commit, copy s1 g1, commit, wait 1, meet 1 | meet 1, load s0, load s1",
	"copy s0 g0, commit, wait 0, meet 1, meet 2, copy s0 g1, commit, wait 0, meet 3 | meet 1, load s0, meet 2, meet 3, load s0",
	"store g0 4, copy s0 g0, commit, wait 0, store g0 5 | | acquire, load g0",
	"acquire, copy s0 g0, commit, wait 0, load s0 | store s0 4 | store g0 4, publish",
	"copy s0 g0, filled m0 | spin m0 0, load s0, store s0 4",
	"store s1 4, copy s0 g0, filled m0, arrive m0 | spin m0 0, load s0, load s1",
	"store s0 4, arrive m0, spin m1 0, store s0 5 | spin m0 0, load s0, arrive m1",
	"store s0 4, arrive m0, spin m0 0, load s1 | store s1 5, arrive m0, spin m0 0, load s0",
	"store s0 4, arrive m0, arrive m0 | spin m0 0, load s0, spin m0 1, load s0",
	"store s0 4, arrive m0, store s1 5, arrive m1 | spin m1 0, load s1, load s0, publish | acquire, load g0",
	"expect m0, fill s0 g0 m0, store s1 4 | spin m0 0, load s0, load s1",
	"store s0 4, cross, expect m0, fill s0 g0 m0 | spin m0 0, load s0",
	"store g0 4, cross, expect m0, fill s0 g0 m0, spin m0 0, load s0 | load s0",
	"expect m0, fill s0 g0 m0, spin m1 0, fill s0 g1 m0 | spin m0 0, load s0, cross, arrive m1",
	"store s0 4, cross, drain g0 s0, close, await 0, store s0 5, load g0 | store g1 6",
	"store s0 4, cross, drain g0 s0, close, sent 0, store s0 5, await 0, load g0 | load s0",
	"store s0 4, cross, meet 1, drain g0 s0, close, await 0 | store s0 5, cross, meet 1, load g0",
	"store s0 4, cross, drain g0 s0, close, await 0, publish | | acquire, load g0",
	"acquire, cross, expect m0, fill s0 g0 m0 | spin m0 0, load s0 | store g0 4, cross, publish",
	"fill s0 g0 m0, expect m0, spin m0 0, cross, drain g1 s0, close, await 0, load g1 | load g1",
	"expect m0, fill* s0 g0 m0, spin m0 0, load s0 | | expect m0, spin m0 0, load s0, store s0 4",
	"expect m0, fill* s0 g0 m0 | spin m0 0, load s0 | store g0 4, expect m0, spin m0 0, load s0",
	"acquire, expect m0, fill* s0 g0 m0, spin m0 0, load s0 | | expect m0, store s0 4, cross, publish, spin m0 0, load s0",
	"expect m0, fill* s0 g0 m0, expect m0, spin m0 0, load s0 | | expect m0, fill* s1 g1 m0, spin m0 0, load s1, load s0",
	"expect m0, fill* s0 g0 m0, spin m0 0, acquire, fill* s0 g1 m0 | | expect m0, spin m0 0, load s0, cross, publish",
	"expect m0, fill* s0 g0 m0, spin m0 0, load s0, cross, arrive m1, spin* m1 0, fill* s0 g1 m0 | | expect m0, spin m0 0, load s0, cross, signal m1",
	"acquire, fill s0 g0 m0 | expect m0, spin m0 0, store g0 5 | store g0 4, cross, publish",
	"remap t g1, give t, take t, expect m0, map s0 t m0, spin m0 0, load s0 | load g1",
	"acquire, take t, expect m0, map s0 t m0, spin m0 0, load s0 | spin m0 0, load s0 | remap t g1, give t, publish",
	"expect m0, map s0 t m0, spin m0 0, remap t g1 | spin m0 0, load s0 | load g0",
	"store s0 4, cross, remap t g1, give t, meet 1, load g1 | meet 1, take t, unmap t s0, close, await 0, load g1",
	"store s0 4, cross, meet 1 | meet 1, order, product s0 s1, seal, done 0, store s0 5",
	"expect m0, fill s0 g0 m0, spin m1 0, store s0 5 | spin m0 0, order, product s0 s1, seal, done 0, arrive m1",
	"store s0 4, cross, order, product s0 s0, seal, product s1 s0, seal, done 1, store s1 5 | load s1",
	"mma d0 s0 s1, mma+ d0 s1 s1, tell m0, spin m0 0, ld d0, wait-ld | spin m0 0, after, ld d0",
	"cp d1 s0, mma d0 d1 s1, tell m0, spin m0 0, ld d0, wait-ld | spin m0 0, store s0 5",
	"st d0 4, wait-st, ld d0, wait-ld, st d0 5, wait-st, before, meet 1 | meet 1, after, ld d0",
	"mma d0 s0 s1, before, nudge m0 | poll m0 0, after, mma+ d0 s0 s1, tell m1, spin m1 0, ld d0",
	"mma d0 s0 s1, tell m0, store s1 4 | poll m0 0, after, ld d0, wait-ld, store s0 5",
	"ld d0, wait-ld, before, nudge m0 | poll m0 0, after, mma d0 s0 s1",
	"store s0 4, cross, arrive m0, spin m1 0, store s0 5 | spin m0 0, mma d0 s0 s1, tell m1",
	"expect m0, fill s0 g0 m0, spin m1 0, fill s0 g1 m0 | spin m0 0, mma d0 s0 s1, tell m1, spin m1 0, ld d0",
	"mma d0 s0 s1, tell m0, poll m1 0, after, mma d0 s1 s1 | spin m0 0, after, ld d0, wait-ld, before, nudge m1",
	"st d0 4, wait-st, before, meet 1 | meet 1, after, mma+ d0 s0 s1, tell m0, spin m0 0, ld d0",
	"mma d0 s0 s1, tell m0, spin m0 0, before, meet 1 | meet 1, after, st d0 4, wait-st, ld d0",
	"store s0 4, cross, cp d0 s0, tell m0, poll m0 0, after, ld d0 | spin m0 0, after, st d0 5",
	"mma d0 s0 s1, before, tell m0, tell m1 | poll m0 0, arrive m1, spin m1 0, after, ld d0",
	"mma d0 s0 s1, tell m0, spin m0 0, ld d0, expect m1, fill* s0 g0 m1 | | mma d0 s0 s0, tell m0, spin m0 0, ld d0, expect m1, spin m1 0, load s0",
}

// asyncWords are instructions without their operands.
var asyncWords = map[string]asyncInstr{
	"load":    {kind: plainLoad},
	"acquire": {kind: plainLoad, from: "f", order: "acquire.gpu"},
	"store":   {kind: plainStore},
	"publish": {kind: plainStore, to: "f", n: 1, order: "release.gpu"},
	"meet":    {kind: ctaBarrier},
	"copy":    {kind: smallCopy},
	"commit":  {kind: smallCommit},
	"wait":    {kind: smallWait},
	"filled":  {kind: smallArrive, flag: true},
	"arrive":  {kind: barrierArrive},
	"spin":    {kind: barrierSpin},
	"expect":  {kind: barrierArrive, n: copiedBytes},
	"fill":    {kind: bulkLoad, n: copiedBytes},
	"drain":   {kind: bulkStore},
	"close":   {kind: bulkCommit},
	"await":   {kind: bulkWait},
	"sent":    {kind: bulkWait, flag: true},
	"cross":   {kind: proxyFence},
	"spin*":   {kind: barrierSpin, order: "acquire.cluster"},
	"signal":  {kind: remoteArrive, order: "release.cluster"},
	"fill*":   {kind: bulkLoad, n: copiedBytes, mask: 3},
	"map":     {kind: tensorLoad},
	"unmap":   {kind: tensorStore},
	"remap":   {kind: mapReplace},
	"give":    {kind: mapFence, order: "release.gpu"},
	"take":    {kind: mapFence, order: "acquire.gpu"},
	"product": {kind: product},
	"order":   {kind: productFence},
	"seal":    {kind: productCommit},
	"done":    {kind: productWait},
	"mma":     {kind: fifthProduct},
	"mma+":    {kind: fifthProduct, n: 1},
	"cp":      {kind: fifthCopy},
	"ld":      {kind: fifthLoad},
	"st":      {kind: fifthStore},
	"wait-ld": {kind: fifthLoadWait},
	"wait-st": {kind: fifthStoreWait},
	"tell":    {kind: fifthCommit},
	"before":  {kind: fifthBefore},
	"after":   {kind: fifthAfter},
	"nudge":   {kind: barrierArrive, order: "relaxed.cta"},
	"poll":    {kind: barrierSpin, order: "relaxed.cta"},
}

// readAsync reads an instruction: a word; locations, the destination first; a number.
func readAsync(text string) asyncInstr {
	words := strings.Fields(text)
	in, known := asyncWords[words[0]]
	if !known {
		panic("no instruction " + text)
	}
	for _, w := range words[1:] {
		n, err := strconv.Atoi(w)
		switch {
		case err == nil:
			in.n = n
		case w[0] == 'm' && in.kind == remoteArrive:
			in.remote = w
		case w[0] == 'm':
			in.barrier = w
		case in.to == "" && in.kind != plainLoad && in.kind != fifthLoad:
			in.to = w
		case in.from == "":
			in.from = w
		default:
			in.right = w
		}
	}
	return in
}

func drawAsyncProgram(t *rapid.T) *asyncProgram {
	d := &drawer{T: t}
	p := readAsyncIdiom(pick(d, "idiom", asyncIdioms...))
	p.arrays = !p.cluster && len(p.initial) == len(plainLocations) && d.oneIn(4, "arrays") // else the events are very many
	for i := range p.threads {
		for range d.below(3, "changes") {
			p.threads[i] = d.changeAsync(p.threads[i], p.extras(i))
		}
	}
	p.complete(func() int { return pick(d, "count", 1, 1, 2) })
	return p
}

// plainLocations are in every program, with their values.
var plainLocations = map[string]int{"s0": 0, "s1": 3, "g0": 1, "g1": 2, "f": 0}

// readAsyncIdiom reads the columns of an idiom, two of a CTA.
func readAsyncIdiom(idiom string) *asyncProgram {
	p := &asyncProgram{initial: maps.Clone(plainLocations), cluster: strings.Contains(idiom, "*")}
	switch {
	case strings.Contains(idiom, " t "):
		p.initial[tensorMap] = addressOf("g0")
	case strings.Contains(idiom, " d0"):
		p.initial["s0"], p.initial["d0"], p.initial["d1"] = 2, 1, 5
	}
	for i, column := range strings.Split(idiom, "|") {
		var thread []asyncInstr
		for text := range strings.SplitSeq(strings.TrimSpace(column), ", ") {
			if text != "" {
				thread = append(thread, readAsync(text))
			}
		}
		p.threads = append(p.threads, thread)
		p.ctas = append(p.ctas, i/2)
	}
	return p
}

// complete adds what follows from the instructions: what each CTA has, mbarriers that count arrivals, and registers.
func (p *asyncProgram) complete(count func() int) {
	p.replicate()
	p.initialize(count)
	p.nameRegisters()
}

// initialize has the first thread of a CTA make the mbarriers before the CTA or the cluster meets: those of the first CTA that are
// named from afar alone, too.
func (p *asyncProgram) initialize(count func() int) {
	first := map[int][]asyncInstr{} // by CTA
	add := func(cta int, m string) {
		first[cta] = append(first[cta], asyncInstr{kind: barrierInit, barrier: m, n: count()})
	}
	for _, m := range p.collect(func(_ int, in *asyncInstr) string { return in.remote }) {
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
	for t, cta := range p.ctas {
		meet := asyncInstr{kind: ctaBarrier}
		if p.cluster {
			meet.kind = clusterBarrier
		} else if cta != 0 {
			continue
		}
		p.threads[t] = slices.Concat(first[cta], []asyncInstr{meet}, p.threads[t])
		first[cta] = nil
	}
}

// nameRegisters gives each instruction that returns something a register of its own.
func (p *asyncProgram) nameRegisters() {
	for _, thread := range p.threads {
		for at := range thread {
			if k := thread[at].kind; k == plainLoad || k == barrierTest || k == product || k == fifthLoad {
				thread[at].register = fmt.Sprintf("r%02d", at) // in the order of results
			}
		}
	}
}

// asyncExtras is what may be put in a thread.
type asyncExtras struct {
	locations []string // to load and store
	kinds     []asyncKind
}

// extras is what may be put in a thread of the program. Only those of the first CTA have the shared memory.
func (p *asyncProgram) extras(t int) asyncExtras {
	x := asyncExtras{[]string{"g0", "g1"}, []asyncKind{plainLoad, plainStore, memoryFence, proxyFence}}
	if t > 1 {
		return x
	}
	x.locations = append(x.locations, "s0", "s1")
	if p.usesTensorMemory() {
		x.kinds = append(x.kinds, fifthLoad, fifthStore, fifthLoadWait, fifthStoreWait, fifthBefore, fifthAfter)
	} else {
		x.kinds = append(x.kinds, smallWait, smallCopy, bulkWait, bulkStore, barrierExpect)
	}
	return x
}

// changeAsync leaves an instruction out, puts one in, exchanges two or changes one.
func (d *drawer) changeAsync(thread []asyncInstr, x asyncExtras) []asyncInstr {
	at := d.below(len(thread)+1, "at")
	if at == len(thread) {
		return append(thread, d.extraAsync(x))
	}
	switch pick(d, "change", "leave out", "exchange", "vary", "vary", "put in") {
	case "leave out":
		if thread[at].mayGo() {
			return slices.Delete(thread, at, at+1)
		}
	case "exchange":
		if next := at + 1; next < len(thread) {
			thread[at], thread[next] = thread[next], thread[at]
		}
	case "vary":
		d.varyAsync(&thread[at])
	case "put in":
		return slices.Insert(thread, at, d.extraAsync(x))
	}
	return thread
}

// mayGo: without a copy to both CTAs they would not have shared memory of one name.
func (in *asyncInstr) mayGo() bool { return in.mask == 0 }

// varyAsync changes what can be changed of an instruction.
func (d *drawer) varyAsync(in *asyncInstr) {
	switch in.kind {
	case plainLoad, plainStore:
		if in.order != "" {
			in.order = "relaxed.gpu"
		}
	case proxyFence:
		in.space = pick(d, "space", ".global", ".shared::cta", ".shared::cluster")
	case smallWait, bulkWait:
		in.n = d.below(2, "groups")
		in.flag = in.kind == bulkWait && d.oneIn(2, "read")
	case barrierArrive:
		in.n = pick(d, "bytes", 0, copiedBytes)
		in.order = pick(d, "order", "", "relaxed.cta", "release.cta", "release.cluster")
	case remoteArrive:
		in.order = pick(d, "order", "", "relaxed.cluster", "release.cluster")
	case barrierSpin, barrierTest:
		in.n = d.below(2, "parity")
		in.order = pick(d, "order", "", "relaxed.cta", "acquire.cta", "acquire.cluster")
		in.kind = pick(d, "how often", barrierSpin, barrierTest)
	case smallArrive:
		in.flag = !in.flag
	case smallCopy, bulkLoad:
		in.to, in.from = pick(d, "to", "s0", "s1"), pick(d, "from", "g0", "g1")
		if in.mask > 0 {
			in.mask = pick(d, "mask", 1, 2, 3)
		}
	case tensorLoad:
		in.to = pick(d, "to", "s0", "s1")
	case tensorStore:
		in.from = pick(d, "from", "s0", "s1")
	case mapFence:
		in.order = pick(d, "order", "release.gpu", "acquire.gpu", "release.cta", "acquire.cta")
	case product:
		in.to, in.from = pick(d, "to", "s0", "s1"), pick(d, "from", "s0", "s1")
	case productWait:
		in.n = d.below(2, "groups")
	case bulkStore:
		in.to, in.from = pick(d, "to", "g0", "g1"), pick(d, "from", "s0", "s1")
	case fifthProduct:
		in.to, in.n = pick(d, "to", "d0", "d1"), d.below(2, "adds")
		in.from, in.right = pick(d, "from", "s0", "s1", "d0", "d1"), pick(d, "right", "s0", "s1")
	case fifthCopy:
		in.to, in.from = pick(d, "to", "d0", "d1"), pick(d, "from", "s0", "s1")
	case fifthLoad:
		in.from = pick(d, "from", "d0", "d1")
	case fifthStore:
		in.to = pick(d, "to", "d0", "d1")
	case fifthLoadWait, fifthStoreWait:
		in.kind = pick(d, "wait", fifthLoadWait, fifthStoreWait)
	case fifthBefore, fifthAfter:
		in.kind = pick(d, "fence", fifthBefore, fifthAfter)
	}
}

// extraAsync draws one more instruction.
func (d *drawer) extraAsync(x asyncExtras) asyncInstr {
	in := asyncInstr{kind: pick(d, "kind", x.kinds...)}
	switch in.kind {
	case plainLoad:
		in.from = pick(d, "location", x.locations...)
	case plainStore:
		in.to, in.n = pick(d, "location", x.locations...), 7
	case fifthLoad:
		in.from = "d0"
	case fifthStore:
		in.to, in.n = "d0", 8
	case memoryFence:
		in.order = pick(d, "fence", "acq_rel.cta", "acq_rel.gpu", "acquire.gpu", "release.gpu")
	case smallCopy:
		in.to, in.from = pick(d, "to", "s0", "s1"), pick(d, "from", "g0", "g1")
	case barrierExpect:
		in.barrier, in.n = "m0", copiedBytes
	case bulkStore:
		in.to, in.from = "g1", "s0"
	}
	return in
}
