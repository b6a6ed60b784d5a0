package ptx

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/arith"
	"github.com/muster-gpu/muster/internal/unwind"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// Bulk copies (PTX ISA, "cp.async.bulk", "cp.reduce.async.bulk"), and stores and reductions that complete on an
// mbarrier ("st.async", "red.async").

// bulkCopies are the pages of what completes on an mbarrier or in a bulk group.
var bulkCopies = []page{
	{
		isa.Async, "cp.async.bulk",
		"to=shared::cluster|shared::cta|global from=global|shared::cta done=mbarrier::complete_tx::bytes|bulk_group HINTS",
		"[to] [from] size ?[bar]", (*walk).copyBulk, checkBulk,
	},
	{
		isa.Async, "cp.reduce.async.bulk",
		"to=shared::cluster|global from=shared::cta done=mbarrier::complete_tx::bytes|bulk_group HINTS " +
			"update=and|or|xor|add|inc|dec|min|max type=u32|s32|u64|s64|b32|b64",
		"[to] [from] size ?[bar]", (*walk).copyBulk, checkBulk,
	},
	{isa.Async, "cp.async.bulk.commit_group", "", "", (*walk).commitBulk, nil},
	{isa.Async, "cp.async.bulk.wait_group", "?read=read", "pending", (*walk).waitBulk, checkWait},
	{isa.Async, "cp.async.bulk.prefetch.L2", "from=global HINTS", "[from] size", (*walk).ignore, nil},
	{
		isa.St, "st.async", "?sem=weak ?to=shared::cluster done=mbarrier::complete_tx::bytes type=b32|u32|s32|b64|u64|s64|f32|f64",
		"[to] value [bar]", (*walk).storeAsync, nil,
	},
	{
		isa.Red, "red.async",
		"?sem=relaxed ?scope=cluster ?to=shared::cluster done=mbarrier::complete_tx::bytes update=inc|dec|min|max|add|and|or|xor type=u32|s32|u64|b32",
		"[to] value [bar]", (*walk).reduceAsync, nil,
	},
}

// checkBulk checks that a bulk copy goes where it can, and completes as it must there.
func checkBulk(in *Instr) *src.Diagnostic {
	grouped := in.words["done"] == "bulk_group"
	switch {
	case grouped != (in.words["to"] == "global"):
		return src.Errorf(in.At, "%s completes in another way", in.form.head).
			WithHint("copies to global memory have .bulk_group, those to shared memory .mbarrier::complete_tx::bytes")
	case grouped == (in.place("bar") != nil):
		return src.Errorf(in.At, "a copy has an mbarrier if it is one with .mbarrier::complete_tx::bytes, and no other has")
	case in.words["from"] == "global" && in.words["to"] == "global":
		return src.Errorf(in.At, "%s does not copy from global to global memory", in.form.head)
	}
	return nil
}

// ignore is what changes nothing.
func (w *walk) ignore(*Instr) error { return nil }

// bytes is how much a bulk copy copies: it must be known, and a multiple of 16.
func (w *walk) bytes(in *Instr) (Operand, error) {
	size := *in.source("size")
	n, err := w.count(in, "size", 0)
	if err == nil && n%bulkUnit != 0 {
		err = src.Errorf(size.At, "%s copies a multiple of %d bytes", in.form.head, bulkUnit)
	}
	size.Int = n
	return size, err
}

// copyBulk is cp.async.bulk and cp.reduce.async.bulk: through the async proxy, to each destination the
// elements in no order, and then what tells the mbarrier of the destination.
func (w *walk) copyBulk(in *Instr) error {
	to, err := w.address(in, "to")
	if err != nil {
		return err
	}
	from, err := w.address(in, "from")
	if err != nil {
		return err
	}
	size, err := w.bytes(in)
	if err != nil {
		return err
	}
	units, err := w.units(in, &size, to, from)
	if err != nil {
		return err
	}
	a := w.newAgent()
	a.tags = proxyTag(ProxyAsync)
	for i := range units {
		if err := a.move(in, to.element(i), from.element(i)); err != nil {
			return err
		}
	}
	if in.words["done"] == "bulk_group" {
		w.bulked.open = append(slices.Clip(w.bulked.open), a.events()...)
		return nil
	}
	return a.completes(in, size.Int)
}

// move is a weak load, and a weak store of what it has loaded or a reduction with it.
func (a *agent) move(in *Instr, to, from pointer) error {
	if in.words["update"] == "" {
		a.copy(in, to, from)
		return nil
	}
	r := a.read(in, from)
	return a.reduce(in, to, event.ScopeGPU, unwind.Held{Value: event.ReadOf(r), From: unwind.Deps{r}})
}

// reduce is an atomic operation of the agent, relaxed at a scope.
func (a *agent) reduce(in *Instr, to pointer, scope event.Scope, by unwind.Held) error {
	t := typeOf(in.words["type"])
	first, r := a.first, len(a.Path.Events)
	e := event.Event{
		Kind: event.Read, Order: event.Relaxed, Scope: scope, Atomic: true, Tags: a.tags | noReturn, Addr: to.Expr, Data: event.ReadOf(r), Mnemonic: in.Opcode,
	}
	a.event(e, to.from, nil)
	op, _ := updateOf(in.words["update"]).Op()
	x, err := a.apply(in, op, t, event.ReadOf(r), by.Value)
	if err != nil {
		return err
	}
	e.Kind, e.Data = event.Write, x
	n := a.event(e, to.from, by.From.Union(unwind.Deps{r}))
	a.Path.Rmw = append(a.Path.Rmw, event.Pair{r, n})
	for _, before := range append(slices.Clone(by.From), r) {
		if before >= first {
			a.within(before, n)
		}
	}
	return nil
}

// updateOf is the operation of that name.
func updateOf(name string) isa.Update {
	var said Instr
	modifiers[name].apply(&said)
	return said.Op.Update
}

// completes has the agent tell the mbarrier of the instruction that so many bytes have come, when all that it
// does is done: a release at the scope of the cluster, which makes nothing else known that the thread did.
func (a *agent) completes(in *Instr, bytes int64) error {
	p, _, err := a.mbarrier(in)
	if err != nil {
		return err
	}
	before := a.events()
	c := change{p, event.Release, event.ScopeCluster, transition{bytes: -bytes}}
	r, err := a.changeBarrier(in, c, func(e event.Event, addr, data unwind.Deps) int {
		e.Tags |= landing
		return a.event(e, addr, data)
	})
	if err != nil {
		return err
	}
	for _, e := range before {
		a.within(e, r)
		a.within(e, r+1)
	}
	a.within(r, r+1)
	return nil
}

// commitBulk makes a group of the bulk copies that have none.
func (w *walk) commitBulk(*Instr) error {
	w.bulked.commit()
	return nil
}

// waitBulk waits for all groups but the latest; with .read, only until their sources are read.
func (w *walk) waitBulk(in *Instr) error {
	events := w.bulked.but(in.source("pending").Int)
	if in.words["read"] != "" {
		events = slices.DeleteFunc(events, func(e int) bool { return w.Path.Events[e].Kind != event.Read || w.Path.Events[e].Atomic })
	}
	w.waitFor(in, events)
	return nil
}

// stored is the address, the value and the size in bytes of st.async and red.async.
func (w *walk) sent(in *Instr) (to pointer, v unwind.Held, bytes int64, err error) {
	if to, err = w.address(in, "to"); err != nil {
		return to, v, 0, err
	}
	if v, err = w.operand(in.source("value")); err != nil {
		return to, v, 0, err
	}
	t := typeOf(in.words["type"])
	v.Value, err = w.apply(in, arith.Wrap, t, v.Value)
	return to, v, int64(t.Bits / 8), err
}

// storeAsync is st.async: a weak store through the generic proxy.
func (w *walk) storeAsync(in *Instr) error {
	to, v, bytes, err := w.sent(in)
	if err != nil {
		return err
	}
	a := w.newAgent()
	a.write(in, to, v.Value, v.From)
	return a.completes(in, bytes)
}

// reduceAsync is red.async: an atomic operation, relaxed at the scope of the cluster.
func (w *walk) reduceAsync(in *Instr) error {
	to, v, bytes, err := w.sent(in)
	if err != nil {
		return err
	}
	a := w.newAgent()
	if err := a.reduce(in, to, event.ScopeCluster, v); err != nil {
		return err
	}
	return a.completes(in, bytes)
}

// asyncFences are the pages of fences for asynchronous operations (PTX ISA, "membar/fence").
var asyncFences = []page{
	{isa.Fence, "fence.proxy.async.global", "", "", asyncFence(proxyTag(ProxyAsync) | onlyGlobal), asProxyFence},
	{isa.Fence, "fence.proxy.async.shared::cta", "", "", asyncFence(proxyTag(ProxyAsync) | onlyCTA), asProxyFence},
	{isa.Fence, "fence.proxy.async.shared::cluster", "", "", asyncFence(proxyTag(ProxyAsync) | onlyCluster), asProxyFence},
	{isa.Fence, "fence.mbarrier_init", "sem=release scope=cluster", "", asyncFence(initFence), asProxyFence},
}

// asyncFence appends a fence with some tags.
func asyncFence(tags event.Tags) func(*walk, *Instr) error {
	return func(w *walk, in *Instr) error {
		w.event(event.Event{Kind: event.Fence, Tags: tags, Mnemonic: in.Opcode}, nil, nil, nil)
		return nil
	}
}

// asProxyFence marks a fence as one that does not order accesses by itself.
func asProxyFence(in *Instr) *src.Diagnostic {
	in.Mods.ProxyFence, in.Mods.Proxy = true, ProxyAsync
	return nil
}

// clusterPages are the pages of what is about the shared memory of a cluster.
var clusterPages = []page{
	{isa.Cluster, "mapa", "?space=shared::cluster type=u32|u64", "=to from rank", (*walk).mapAddress, nil},
}

// mapAddress is mapa: the address of shared memory as a CTA of the cluster has it. Here a location is in one CTA,
// so that only its own rank has it.
func (w *walk) mapAddress(in *Instr) error {
	from, err := w.operand(in.source("from"))
	if err != nil {
		return err
	}
	rank, err := w.operand(in.source("rank"))
	if err != nil {
		return err
	}
	at, isKnown := from.Value.(event.Const)
	n, hasRank := rank.Value.(event.Const)
	if !isKnown || !hasRank {
		return src.Errorf(in.At, "nobody knows of which CTA %s maps what", in.Opcode).WithHint("neither must depend on what is read from memory")
	}
	l, err := event.Resolve(w.locs, event.Value(at))
	if err != nil {
		return src.Errorf(in.At, "%v", err)
	}
	if loc := w.locs[l]; loc.Region != event.Shared || event.Value(n) != event.Int(int64(loc.Rank)) {
		return src.Errorf(in.At, "the CTA of rank %d has no %s", n.Int, loc.Name).
			WithHint("a shared location is in one CTA of a test, the one whose threads have it for their own")
	}
	return w.set(in.Dst, from.Value, arith.U64, from.From.Union(rank.From))
}

// reachesCluster reports that an address of an instruction may be that of shared memory of another CTA of the
// cluster.
func (in *Instr) reachesCluster(o *Operand) bool {
	if in.form == nil {
		at := in.modifier(spaceMod)
		return at.Valid() && at.Text() == ".shared::cluster"
	}
	if in.form.head == "mapa" {
		return true
	}
	for i, p := range in.form.places() {
		if i < len(in.Places) && o == &in.Places[i] {
			word := in.words[p.name]
			if p.name == "bar" && word == "" {
				word = in.words["to"]
			}
			sends := in.form.code == isa.St || in.form.code == isa.Red
			return word == "shared::cluster" || sends
		}
	}
	return false
}
