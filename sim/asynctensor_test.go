package sim_test

import (
	"fmt"
	"slices"
	"strings"
)

// What the text says of copies to several CTAs, of tensor maps, and of products of matrices (PTX ISA, "cp.async.bulk":
// multicast; "cp.async.bulk.tensor", "tensormap.replace"; "Asynchronous Warpgroup Level Matrix Instructions").

// Shared memory of a cluster.

// secondCTA is behind the names of what the second CTA of a cluster has, where both CTAs name it.
const secondCTA = "@1"

// own is the location that a thread of a CTA means by a name.
func (p *asyncProgram) own(cta int, name string) string {
	shared := name != "" && (spaceOf(name) == "shared" || name[0] == 'm')
	if p.cluster && cta == 1 && shared && p.uses(0, name) && p.uses(1, name) {
		return name + secondCTA
	}
	return name
}

// uses reports that threads of a CTA name a location.
func (p *asyncProgram) uses(cta int, name string) bool {
	names := func(in asyncInstr) bool {
		return in.to == name || in.from == name || in.right == name || in.barrier == name
	}
	for t, thread := range p.threads {
		if p.ctas[t] == cta && slices.ContainsFunc(thread, names) {
			return true
		}
	}
	return false
}

// home is the CTA that has a location of shared memory.
func (p *asyncProgram) home(location string) int {
	if strings.HasSuffix(location, secondCTA) || !p.uses(0, location) {
		return 1
	}
	return 0
}

// replicate gives the second CTA of a cluster the shared memory that both CTAs name.
func (p *asyncProgram) replicate() {
	if !p.cluster {
		return
	}
	for _, l := range p.locations() {
		if spaceOf(l) == "shared" && p.uses(0, l) && p.uses(1, l) {
			p.initial[l+secondCTA] = p.initial[l]
		}
	}
}

// named are those locations that the text of a test names.
func named(locations []string) []string {
	return slices.DeleteFunc(locations, func(l string) bool { return strings.HasSuffix(l, secondCTA) })
}

// wholeCluster is the number of the barrier of a cluster.
const wholeCluster = -1

// destinations are the CTAs to which a thread of a CTA copies: with a mask, those that have the place and the mbarrier.
func (p *asyncProgram) destinations(in *asyncInstr, own int) (ctas []int) {
	if in.mask == 0 {
		return []int{own}
	}
	for cta := range 2 {
		if in.mask>>cta&1 != 0 && p.uses(cta, in.to) && p.uses(cta, in.barrier) {
			ctas = append(ctas, cta)
		}
	}
	return ctas
}

// destination and ranks are how a bulk copy says where it goes.
func (in *asyncInstr) destination() string {
	const completes = ".global.mbarrier::complete_tx::bytes"
	if in.mask == 0 {
		return "cta" + completes
	}
	return "cluster" + completes + ".multicast::cluster"
}

func (in *asyncInstr) ranks() string {
	if in.mask == 0 {
		return ""
	}
	return fmt.Sprintf(", %d", in.mask)
}

// tell adds what tells an mbarrier that accesses are complete. It happens in the CTA that has the mbarrier.
func (f *unfolder) tell(barrier string, cta int, c change, accesses ...int) {
	told := f.does(asyncEvent{
		does: updates, asynchronous: true, location: barrier, order: "release", scope: "cluster", change: c, lands: true,
	})
	f.events[told].cta = cta
	f.after(told, accesses)
}

// Tensor maps. There is one, and it leads to one of two tensors.

// tensorMap is the location that holds the address of a tensor.
const tensorMap = "t"

// addressOf is an address as a value, and tensorAt the tensor there.
func addressOf(tensor string) int { return firstAddress + int(tensor[1]-'0') }

func tensorAt(address int) string { return fmt.Sprintf("g%d", address-firstAddress) }

const firstAddress = 100

func (in *asyncInstr) usesTensor() bool { return in.kind == tensorLoad || in.kind == tensorStore }

// tensorCopies is the number of copies that read the tensor map.
func (p *asyncProgram) tensorCopies() (n int) {
	for _, thread := range p.threads {
		for at := range thread {
			if thread[at].usesTensor() {
				n++
			}
		}
	}
	return n
}

// boxSize is how many bytes a copy of a tensor moves. Tests do not say that: it is what the program expects at the mbarrier
// beyond what other copies move, in equal shares if it can be.
func (p *asyncProgram) boxSize(barrier string) int {
	rest, tensors := 0, 0
	for _, thread := range p.threads {
		for at := range thread {
			switch in := &thread[at]; {
			case in.barrier != barrier:
			case in.kind == barrierArrive || in.kind == barrierExpect:
				rest += in.n
			case in.kind == bulkLoad:
				rest -= in.n
			case in.kind == tensorLoad:
				tensors++
			}
		}
	}
	if rest%tensors != 0 {
		return copiedBytes
	}
	return max(copiedBytes, rest/tensors)
}

// tensorText is an instruction for tensors or matrices in PTX.
func (in *asyncInstr) tensorText() string {
	switch in.kind {
	case tensorLoad:
		return fmt.Sprintf("cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%s], [%s, {0}], [%s]", in.to, in.from, in.barrier)
	case tensorStore:
		return fmt.Sprintf("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%s, {0}], [%s]", in.to, in.from)
	case mapReplace:
		return fmt.Sprintf("tensormap.replace.tile.global_address.global.b1024.b64 [%s], %s", in.to, in.from)
	case mapFence:
		if strings.HasPrefix(in.order, "acquire") {
			return fmt.Sprintf("fence.proxy.tensormap::generic.%s [%s], 128", in.order, tensorMap)
		}
		return fmt.Sprintf("fence.proxy.tensormap::generic.%s", in.order)
	case product:
		return fmt.Sprintf("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%s}, %s, %s, 0, 1, 1, 0, 0", in.register, in.to, in.from)
	case productFence:
		return "wgmma.fence.sync.aligned"
	case productCommit:
		return "wgmma.commit_group.sync.aligned"
	}
	return fmt.Sprintf("wgmma.wait_group.sync.aligned %d", in.n)
}

// tensorInstruction adds the events of an instruction for tensors or matrices.
func (f *unfolder) tensorInstruction(in *asyncInstr) {
	order, scope := in.orderAndScope()
	cta := f.program.ctas[f.thread]
	switch in.kind {
	case tensorLoad:
		at, tensor := f.readMap()
		read, write := f.copies(f.own(in.to), tensor, true)
		f.after(read, []int{at})
		f.after(write, []int{at})
		f.tell(f.own(in.barrier), cta, change{bytes: -f.program.boxSize(in.barrier)}, at, read, write)
	case tensorStore:
		at, tensor := f.readMap()
		read, write := f.copies(tensor, f.own(in.from), true)
		f.after(read, []int{at})
		f.after(write, []int{at})
		f.bulk.open = append(f.bulk.open, at, read, write)
	case mapReplace:
		f.does(asyncEvent{does: writes, location: in.to, order: "weak", value: addressOf(in.from)})
	case mapFence:
		f.does(asyncEvent{does: mapFences, order: order, scope: scope})
	case product:
		f.multiplies(in)
	case productFence:
		f.fencedAt = f.does(asyncEvent{does: awaits}) + 1
	case productCommit:
		f.products.commit()
	case productWait:
		f.after(f.does(asyncEvent{does: awaits}), f.products.but(in.n))
	}
}

// readMap adds the read of the tensor map, and says which tensor it must find.
func (f *unfolder) readMap() (read int, tensor string) {
	tensor = tensorAt(firstAddress + int(f.tensors&1))
	f.tensors >>= 1
	return f.does(asyncEvent{does: reads, asynchronous: true, location: tensorMap, order: "weak", mapProxy: true, leads: tensor}), tensor
}

// pointsThere: a read of the tensor map finds the tensor that the copy goes on with.
func (r *asyncReading) pointsThere(e int) bool {
	return r.events[e].leads == "" || r.events[r.from[e]].value == addressOf(r.events[e].leads)
}

// mapFenced reports that a release and an acquire fence of the proxy of tensor maps come between an event and a copy that reads the map,
// the second in front of the copy.
func (r *asyncReading) mapFenced(a, b int) bool {
	base := r.baseOfMaps
	fences := func(order string, from, to int) []int {
		return slices.DeleteFunc(r.numbers(), func(f int) bool {
			return r.events[f].does != mapFences || r.events[f].order != order || !base.has(from, f) || !base.has(f, to)
		})
	}
	return slices.ContainsFunc(fences("release", a, b), func(f int) bool {
		return slices.ContainsFunc(fences("acquire", f, b), func(second int) bool { return r.counts(second, b) })
	})
}

// numbers are the numbers of all events.
func (u *unfolding) numbers() []int {
	numbers := make([]int, len(u.events))
	for e := range numbers {
		numbers[e] = e
	}
	return numbers
}

// Products of matrices, which are one number each.

// multiplies adds the reads of a product. The second returns it.
func (f *unfolder) multiplies(in *asyncInstr) {
	factor := asyncEvent{does: reads, asynchronous: true, order: "weak", asyncProxy: true, after: f.fencedAt}
	factor.location = f.own(in.to)
	first := f.does(factor)
	factor.location, factor.of, factor.register = f.own(in.from), []int{first, first + 1}, asyncRegister(f.thread, in)
	f.products.open = append(f.products.open, first, f.does(factor))
}
