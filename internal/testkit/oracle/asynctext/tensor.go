package asynctext

import (
	"fmt"
	"slices"
	"strings"
)

// Copies to several CTAs, tensor maps, and matrix products (PTX ISA, "cp.async.bulk": multicast;
// "cp.async.bulk.tensor", "tensormap.replace"; "Asynchronous Warpgroup Level Matrix Instructions").

// Shared memory of a cluster.

// secondCTA is the suffix of locations of the second CTA of a cluster that both CTAs name.
const secondCTA = "@1"

// own returns the location that a name denotes in a CTA.
func (p *Program) own(cta int, name string) string {
	shared := name != "" && (spaceOf(name) == "shared" || name[0] == 'm')
	if p.Cluster && cta == 1 && shared && p.uses(0, name) && p.uses(1, name) {
		return name + secondCTA
	}
	return name
}

// uses reports whether threads of a CTA name a location.
func (p *Program) uses(cta int, name string) bool {
	names := func(in Instr) bool {
		return in.To == name || in.From == name || in.Right == name || in.Barrier == name
	}
	for t, thread := range p.Threads {
		if p.CTAs[t] == cta && slices.ContainsFunc(thread, names) {
			return true
		}
	}
	return false
}

// home returns the CTA of a location in shared memory.
func (p *Program) home(location string) int {
	if strings.HasSuffix(location, secondCTA) || !p.uses(0, location) {
		return 1
	}
	return 0
}

// replicate gives the second CTA of a cluster its instance of the shared memory that both CTAs
// name.
func (p *Program) replicate() {
	if !p.Cluster {
		return
	}
	for _, l := range p.locations() {
		if spaceOf(l) == "shared" && p.uses(0, l) && p.uses(1, l) {
			p.Initial[l+secondCTA] = p.Initial[l]
		}
	}
}

// named returns the locations that the text of a test names.
func named(locations []string) []string {
	return slices.DeleteFunc(locations, func(l string) bool { return strings.HasSuffix(l, secondCTA) })
}

// wholeCluster is the number of the barrier of a cluster.
const wholeCluster = -1

// destinations returns the CTAs to which a thread copies: with a mask, those that have the location
// and the mbarrier.
func (p *Program) destinations(in *Instr, own int) (ctas []int) {
	if in.Mask == 0 {
		return []int{own}
	}
	for cta := range 2 {
		if in.Mask>>cta&1 != 0 && p.uses(cta, in.To) && p.uses(cta, in.Barrier) {
			ctas = append(ctas, cta)
		}
	}
	return ctas
}

// destination and ranks are the modifiers and operands for the destination of a bulk copy.
func (in *Instr) destination() string {
	const completes = ".global.mbarrier::complete_tx::bytes"
	if in.Mask == 0 {
		return "cta" + completes
	}
	return "cluster" + completes + ".multicast::cluster"
}

func (in *Instr) ranks() string {
	if in.Mask == 0 {
		return ""
	}
	return fmt.Sprintf(", %d", in.Mask)
}

// tell adds the completion of accesses on an mbarrier. It happens in the CTA of the mbarrier.
func (f *unfolder) tell(barrier string, cta int, c change, accesses ...int) {
	told := f.does(instance{
		does:         updates,
		asynchronous: true,
		location:     barrier,
		order:        "release",
		scope:        "cluster",
		change:       c,
		lands:        true,
	})
	f.events[told].cta = cta
	f.after(told, accesses)
}

// Tensor maps. There is one, and it points to one of two tensors.

// TensorMap is the location that holds the address of a tensor.
const TensorMap = "t"

// AddressOf returns the address of a tensor as a value, and tensorAt the tensor at an address.
func AddressOf(tensor string) int { return firstAddress + int(tensor[1]-'0') }

func tensorAt(address int) string { return fmt.Sprintf("g%d", address-firstAddress) }

const firstAddress = 100

func (in *Instr) usesTensor() bool { return in.Kind == TensorLoad || in.Kind == TensorStore }

// tensorCopies returns the number of copies that read the tensor map.
func (p *Program) tensorCopies() (n int) {
	for _, thread := range p.Threads {
		for at := range thread {
			if thread[at].usesTensor() {
				n++
			}
		}
	}
	return n
}

// boxSize returns the number of bytes that a copy of a tensor moves. Tests do not give it: it is an
// equal share of the bytes that the program expects at the mbarrier beyond those of other copies,
// if they can be divided equally.
func (p *Program) boxSize(barrier string) int {
	rest, tensors := 0, 0
	for _, thread := range p.Threads {
		for at := range thread {
			switch in := &thread[at]; {
			case in.Barrier != barrier:
			case in.Kind == BarrierArrive || in.Kind == BarrierExpect:
				rest += in.N
			case in.Kind == BulkLoad:
				rest -= in.N
			case in.Kind == TensorLoad:
				tensors++
			}
		}
	}
	if rest%tensors != 0 {
		return CopiedBytes
	}
	return max(CopiedBytes, rest/tensors)
}

// tensorText returns an instruction for tensors or matrices in PTX.
func (in *Instr) tensorText() string {
	switch in.Kind {
	case TensorLoad:
		return fmt.Sprintf(
			"cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%s], [%s, {0}], [%s]", in.To,
			in.From, in.Barrier)
	case TensorStore:
		return fmt.Sprintf("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%s, {0}], [%s]", in.To, in.From)
	case MapReplace:
		return fmt.Sprintf("tensormap.replace.tile.global_address.global.b1024.b64 [%s], %s", in.To, in.From)
	case MapFence:
		if strings.HasPrefix(in.Order, "acquire") {
			return fmt.Sprintf("fence.proxy.tensormap::generic.%s [%s], 128", in.Order, TensorMap)
		}
		return fmt.Sprintf("fence.proxy.tensormap::generic.%s", in.Order)
	case Product:
		return fmt.Sprintf("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%s}, %s, %s, 0, 1, 1, 0, 0",
			in.register, in.To, in.From)
	case ProductFence:
		return "wgmma.fence.sync.aligned"
	case ProductCommit:
		return "wgmma.commit_group.sync.aligned"
	}
	return fmt.Sprintf("wgmma.wait_group.sync.aligned %d", in.N)
}

// tensorInstruction adds the events of an instruction for tensors or matrices.
func (f *unfolder) tensorInstruction(in *Instr) {
	order, scope := in.orderAndScope()
	cta := f.program.CTAs[f.thread]
	switch in.Kind {
	case TensorLoad:
		at, tensor := f.readMap()
		read, write := f.copies(f.own(in.To), tensor, true)
		f.after(read, []int{at})
		f.after(write, []int{at})
		f.tell(f.own(in.Barrier), cta, change{bytes: -f.program.boxSize(in.Barrier)}, at, read, write)
	case TensorStore:
		at, tensor := f.readMap()
		read, write := f.copies(tensor, f.own(in.From), true)
		f.after(read, []int{at})
		f.after(write, []int{at})
		f.bulk.open = append(f.bulk.open, at, read, write)
	case MapReplace:
		f.does(instance{does: writes, location: in.To, order: "weak", value: AddressOf(in.From)})
	case MapFence:
		f.does(instance{does: mapFences, order: order, scope: scope})
	case Product:
		f.multiplies(in)
	case ProductFence:
		f.fencedAt = f.does(instance{does: awaits}) + 1
	case ProductCommit:
		f.products.commit()
	case ProductWait:
		f.after(f.does(instance{does: awaits}), f.products.but(in.N))
	}
}

// readMap adds the read of the tensor map, and returns the tensor that it must find.
func (f *unfolder) readMap() (read int, tensor string) {
	tensor = tensorAt(firstAddress + int(f.tensors&1))
	f.tensors >>= 1
	return f.does(instance{
		does:         reads,
		asynchronous: true,
		location:     TensorMap,
		order:        "weak",
		mapProxy:     true,
		leads:        tensor,
	}), tensor
}

// pointsThere reports whether a read of the tensor map finds the tensor that the copy uses.
func (r *reading) pointsThere(e int) bool {
	return r.events[e].leads == "" || r.events[r.from[e]].value == AddressOf(r.events[e].leads)
}

// mapFenced reports whether a release and an acquire fence of the tensor-map proxy are between an
// event and a copy that reads the map, the second in front of the copy.
func (r *reading) mapFenced(a, b int) bool {
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

// numbers returns the indices of all events.
func (u *unfolding) numbers() []int {
	numbers := make([]int, len(u.events))
	for e := range numbers {
		numbers[e] = e
	}
	return numbers
}

// Matrix products, where each matrix is a single number.

// multiplies adds the reads of a product. The second result is the product.
func (f *unfolder) multiplies(in *Instr) {
	factor := instance{does: reads, asynchronous: true, order: "weak", asyncProxy: true, after: f.fencedAt}
	factor.location = f.own(in.To)
	first := f.does(factor)
	factor.location, factor.of, factor.register = f.own(in.From), []int{first, first + 1}, registerOf(f.thread, in)
	f.products.open = append(f.products.open, first, f.does(factor))
}
