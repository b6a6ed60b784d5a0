package draw

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/internal/testkit/oracle/asynctext"
)

// Random programs with asynchronous operations: idioms with instructions removed, changed, swapped
// and added.

// asyncIdioms are the threads of well-known programs, in the words of asyncWords. The threads are
// in one CTA, except for the third, if any. Mbarriers are initialised before.
var asyncIdioms = []string{
	"copy s0 g0, commit, wait 0, load s0 | load g0",
	"copy s0 g0, commit, wait 0, meet 1, load s0 | store s1 4, meet 1, load s0",
	"copy s0 g0, commit, copy s1 g1, commit, wait 1, meet 1 | meet 1, load s0, load s1",
	"copy s0 g0, commit, wait 0, meet 1, meet 2, copy s0 g1, commit, wait 0, meet 3 | meet 1, load s0, meet 2, meet " +
		"3, load s0",
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
	"acquire, expect m0, fill* s0 g0 m0, spin m0 0, load s0 | | expect m0, store s0 4, cross, publish, spin m0 " +
		"0, load s0",
	"expect m0, fill* s0 g0 m0, expect m0, spin m0 0, load s0 | | expect m0, fill* s1 g1 m0, spin m0 0, load " +
		"s1, load s0",
	"expect m0, fill* s0 g0 m0, spin m0 0, acquire, fill* s0 g1 m0 | | expect m0, spin m0 0, load s0, cross, publish",
	"expect m0, fill* s0 g0 m0, spin m0 0, load s0, cross, arrive m1, spin* m1 0, fill* s0 g1 m0 | | expect m0, spin " +
		"m0 0, load s0, cross, signal m1",
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
	"mma d0 s0 s1, tell m0, spin m0 0, ld d0, expect m1, fill* s0 g0 m1 | | mma d0 s0 s0, tell m0, spin m0 0, ld d0, " +
		"expect m1, spin m1 0, load s0",
}

// asyncWords maps words to instructions without operands.
var asyncWords = map[string]asynctext.Instr{
	"load":    {Kind: asynctext.PlainLoad},
	"acquire": {Kind: asynctext.PlainLoad, From: "f", Order: "acquire.gpu"},
	"store":   {Kind: asynctext.PlainStore},
	"publish": {Kind: asynctext.PlainStore, To: "f", N: 1, Order: "release.gpu"},
	"meet":    {Kind: asynctext.CTABarrier},
	"copy":    {Kind: asynctext.SmallCopy},
	"commit":  {Kind: asynctext.SmallCommit},
	"wait":    {Kind: asynctext.SmallWait},
	"filled":  {Kind: asynctext.SmallArrive, Flag: true},
	"arrive":  {Kind: asynctext.BarrierArrive},
	"spin":    {Kind: asynctext.BarrierSpin},
	"expect":  {Kind: asynctext.BarrierArrive, N: asynctext.CopiedBytes},
	"fill":    {Kind: asynctext.BulkLoad, N: asynctext.CopiedBytes},
	"drain":   {Kind: asynctext.BulkStore},
	"close":   {Kind: asynctext.BulkCommit},
	"await":   {Kind: asynctext.BulkWait},
	"sent":    {Kind: asynctext.BulkWait, Flag: true},
	"cross":   {Kind: asynctext.ProxyFence},
	"spin*":   {Kind: asynctext.BarrierSpin, Order: "acquire.cluster"},
	"signal":  {Kind: asynctext.RemoteArrive, Order: "release.cluster"},
	"fill*":   {Kind: asynctext.BulkLoad, N: asynctext.CopiedBytes, Mask: 3},
	"map":     {Kind: asynctext.TensorLoad},
	"unmap":   {Kind: asynctext.TensorStore},
	"remap":   {Kind: asynctext.MapReplace},
	"give":    {Kind: asynctext.MapFence, Order: "release.gpu"},
	"take":    {Kind: asynctext.MapFence, Order: "acquire.gpu"},
	"product": {Kind: asynctext.Product},
	"order":   {Kind: asynctext.ProductFence},
	"seal":    {Kind: asynctext.ProductCommit},
	"done":    {Kind: asynctext.ProductWait},
	"mma":     {Kind: asynctext.FifthProduct},
	"mma+":    {Kind: asynctext.FifthProduct, N: 1},
	"cp":      {Kind: asynctext.FifthCopy},
	"ld":      {Kind: asynctext.FifthLoad},
	"st":      {Kind: asynctext.FifthStore},
	"wait-ld": {Kind: asynctext.FifthLoadWait},
	"wait-st": {Kind: asynctext.FifthStoreWait},
	"tell":    {Kind: asynctext.FifthCommit},
	"before":  {Kind: asynctext.FifthBefore},
	"after":   {Kind: asynctext.FifthAfter},
	"nudge":   {Kind: asynctext.BarrierArrive, Order: "relaxed.cta"},
	"poll":    {Kind: asynctext.BarrierSpin, Order: "relaxed.cta"},
}

// readAsync parses an instruction: a word; locations, the destination first; a number.
func readAsync(text string) asynctext.Instr {
	words := strings.Fields(text)
	in, known := asyncWords[words[0]]
	if !known {
		panic("no instruction " + text)
	}
	for _, w := range words[1:] {
		n, err := strconv.Atoi(w)
		switch {
		case err == nil:
			in.N = n
		case w[0] == 'm' && in.Kind == asynctext.RemoteArrive:
			in.Remote = w
		case w[0] == 'm':
			in.Barrier = w
		case in.To == "" && in.Kind != asynctext.PlainLoad && in.Kind != asynctext.FifthLoad:
			in.To = w
		case in.From == "":
			in.From = w
		default:
			in.Right = w
		}
	}
	return in
}

// Async draws a well-known program with asynchronous operations and changes it in a few places.
func Async(t *rapid.T) *asynctext.Program {
	d := &drawer{T: t}
	p := readAsyncIdiom(pick(d, "idiom", asyncIdioms...))
	// otherwise there are too many events
	p.Arrays = !p.Cluster && len(p.Initial) == len(plainLocations) && d.oneIn(4, "arrays")
	for i := range p.Threads {
		for range d.below(3, "changes") {
			p.Threads[i] = d.changeAsync(p.Threads[i], extrasOf(p, i))
		}
	}
	p.Complete(func() int { return pick(d, "count", 1, 1, 2) })
	return p
}

// plainLocations are the locations of every program, with their values.
var plainLocations = map[string]int{"s0": 0, "s1": 3, "g0": 1, "g1": 2, "f": 0}

// readAsyncIdiom parses the columns of an idiom, two for each CTA.
func readAsyncIdiom(idiom string) *asynctext.Program {
	p := &asynctext.Program{Initial: maps.Clone(plainLocations), Cluster: strings.Contains(idiom, "*")}
	switch {
	case strings.Contains(idiom, " t "):
		p.Initial[asynctext.TensorMap] = asynctext.AddressOf("g0")
	case strings.Contains(idiom, " d0"):
		p.Initial["s0"], p.Initial["d0"], p.Initial["d1"] = 2, 1, 5
	}
	for i, column := range strings.Split(idiom, "|") {
		var thread []asynctext.Instr
		for text := range strings.SplitSeq(strings.TrimSpace(column), ", ") {
			if text != "" {
				thread = append(thread, readAsync(text))
			}
		}
		p.Threads = append(p.Threads, thread)
		p.CTAs = append(p.CTAs, i/2)
	}
	return p
}

// asyncExtras describes the instructions that may be added to a thread.
type asyncExtras struct {
	locations []string // to load and store
	kinds     []asynctext.Kind
}

// extrasOf returns the instructions that may be added to a thread of the program. Only threads of
// the first CTA have the shared memory.
func extrasOf(p *asynctext.Program, t int) asyncExtras {
	x := asyncExtras{
		[]string{"g0", "g1"},
		[]asynctext.Kind{asynctext.PlainLoad, asynctext.PlainStore, asynctext.MemoryFence, asynctext.ProxyFence},
	}
	if t > 1 {
		return x
	}
	x.locations = append(x.locations, "s0", "s1")
	if p.UsesTensorMemory() {
		x.kinds = append(x.kinds, asynctext.FifthLoad, asynctext.FifthStore, asynctext.FifthLoadWait,
			asynctext.FifthStoreWait, asynctext.FifthBefore, asynctext.FifthAfter)
	} else {
		x.kinds = append(x.kinds, asynctext.SmallWait, asynctext.SmallCopy, asynctext.BulkWait, asynctext.BulkStore,
			asynctext.BarrierExpect)
	}
	return x
}

// changeAsync removes an instruction, adds one, swaps two or changes one.
func (d *drawer) changeAsync(thread []asynctext.Instr, x asyncExtras) []asynctext.Instr {
	at := d.below(len(thread)+1, "at")
	if at == len(thread) {
		return append(thread, d.extraAsync(x))
	}
	switch pick(d, "change", "leave out", "exchange", "vary", "vary", "put in") {
	case "leave out":
		if mayGo(&thread[at]) {
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

// mayGo reports whether an instruction may be removed: without a multicast copy, the CTAs would not
// share a name of shared memory.
func mayGo(in *asynctext.Instr) bool { return in.Mask == 0 }

// varyAsync changes a part of an instruction.
func (d *drawer) varyAsync(in *asynctext.Instr) {
	switch in.Kind {
	case asynctext.PlainLoad, asynctext.PlainStore:
		if in.Order != "" {
			in.Order = "relaxed.gpu"
		}
	case asynctext.ProxyFence:
		in.Space = pick(d, "space", ".global", ".shared::cta", ".shared::cluster")
	case asynctext.SmallWait, asynctext.BulkWait:
		in.N = d.below(2, "groups")
		in.Flag = in.Kind == asynctext.BulkWait && d.oneIn(2, "read")
	case asynctext.BarrierArrive:
		in.N = pick(d, "bytes", 0, asynctext.CopiedBytes)
		in.Order = pick(d, "order", "", "relaxed.cta", "release.cta", "release.cluster")
	case asynctext.RemoteArrive:
		in.Order = pick(d, "order", "", "relaxed.cluster", "release.cluster")
	case asynctext.BarrierSpin, asynctext.BarrierTest:
		in.N = d.below(2, "parity")
		in.Order = pick(d, "order", "", "relaxed.cta", "acquire.cta", "acquire.cluster")
		in.Kind = pick(d, "how often", asynctext.BarrierSpin, asynctext.BarrierTest)
	case asynctext.SmallArrive:
		in.Flag = !in.Flag
	case asynctext.SmallCopy, asynctext.BulkLoad:
		in.To, in.From = pick(d, "to", "s0", "s1"), pick(d, "from", "g0", "g1")
		if in.Mask > 0 {
			in.Mask = pick(d, "mask", 1, 2, 3)
		}
	case asynctext.TensorLoad:
		in.To = pick(d, "to", "s0", "s1")
	case asynctext.TensorStore:
		in.From = pick(d, "from", "s0", "s1")
	case asynctext.MapFence:
		in.Order = pick(d, "order", "release.gpu", "acquire.gpu", "release.cta", "acquire.cta")
	case asynctext.Product:
		in.To, in.From = pick(d, "to", "s0", "s1"), pick(d, "from", "s0", "s1")
	case asynctext.ProductWait:
		in.N = d.below(2, "groups")
	case asynctext.BulkStore:
		in.To, in.From = pick(d, "to", "g0", "g1"), pick(d, "from", "s0", "s1")
	case asynctext.FifthProduct:
		in.To, in.N = pick(d, "to", "d0", "d1"), d.below(2, "adds")
		in.From, in.Right = pick(d, "from", "s0", "s1", "d0", "d1"), pick(d, "right", "s0", "s1")
	case asynctext.FifthCopy:
		in.To, in.From = pick(d, "to", "d0", "d1"), pick(d, "from", "s0", "s1")
	case asynctext.FifthLoad:
		in.From = pick(d, "from", "d0", "d1")
	case asynctext.FifthStore:
		in.To = pick(d, "to", "d0", "d1")
	case asynctext.FifthLoadWait, asynctext.FifthStoreWait:
		in.Kind = pick(d, "wait", asynctext.FifthLoadWait, asynctext.FifthStoreWait)
	case asynctext.FifthBefore, asynctext.FifthAfter:
		in.Kind = pick(d, "fence", asynctext.FifthBefore, asynctext.FifthAfter)
	}
}

// extraAsync draws an additional instruction.
func (d *drawer) extraAsync(x asyncExtras) asynctext.Instr {
	in := asynctext.Instr{Kind: pick(d, "kind", x.kinds...)}
	switch in.Kind {
	case asynctext.PlainLoad:
		in.From = pick(d, "location", x.locations...)
	case asynctext.PlainStore:
		in.To, in.N = pick(d, "location", x.locations...), 7
	case asynctext.FifthLoad:
		in.From = "d0"
	case asynctext.FifthStore:
		in.To, in.N = "d0", 8
	case asynctext.MemoryFence:
		in.Order = pick(d, "fence", "acq_rel.cta", "acq_rel.gpu", "acquire.gpu", "release.gpu")
	case asynctext.SmallCopy:
		in.To, in.From = pick(d, "to", "s0", "s1"), pick(d, "from", "g0", "g1")
	case asynctext.BarrierExpect:
		in.Barrier, in.N = "m0", asynctext.CopiedBytes
	case asynctext.BulkStore:
		in.To, in.From = "g1", "s0"
	}
	return in
}
