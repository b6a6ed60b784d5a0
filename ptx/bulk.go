package ptx

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend/path"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// This file has bulk copies (PTX ISA, "cp.async.bulk", "cp.reduce.async.bulk"), and stores and
// reductions that complete on an mbarrier ("st.async", "red.async").

// bulkCopies are the pages of instructions that complete on an mbarrier or in a bulk group.
var bulkCopies = map[string]page{
	"cp.async.bulk":              {(*walk).copyBulk, checkBulk},
	"cp.reduce.async.bulk":       {(*walk).copyBulk, checkReduction},
	"cp.async.bulk.commit_group": {perform: (*walk).commitBulk},
	"cp.async.bulk.wait_group":   {(*walk).waitBulk, checkWait},
	"cp.async.bulk.prefetch.L2":  {perform: (*walk).ignore},
	"st.async":                   {(*walk).storeAsync, checkSent},
	"red.async":                  {(*walk).reduceAsync, checkSent},
	"st.bulk":                    {perform: (*walk).fill},
}

// checkBulk checks that a bulk copy goes where it can, and completes as it must there.
func checkBulk(in *Instr) *src.Diagnostic {
	grouped := in.Op.Words["done"] == "bulk_group"
	switch {
	case grouped != (in.Op.Words["to"] == "global"):
		return src.Errorf(in.At, "%s completes in another way", in.Op.Form.Head).
			WithHint("copies to global memory have .bulk_group, those to shared memory .mbarrier::complete_tx::bytes")
	case in.Says("multicast::cluster") && (in.Op.Words["to"] != "shared::cluster" || in.Op.Words["from"] != "global"):
		return src.Errorf(in.At, "only copies from global memory to .shared::cluster go to several CTAs")
	case in.Says("cp_mask") && !grouped:
		return src.Errorf(in.At, "only copies to global memory have a mask of bytes")
	case in.Op.Words["from"] == in.Op.Words["to"]:
		return src.Errorf(in.At, "%s does not copy from .%s to .%s", in.Op.Form.Head, in.Op.Words["from"], in.Op.Words["to"]).
			WithHint("copies within shared memory go from .shared::cta to .shared::cluster")
	}
	return nil
}

// checkReduction checks the operation of a bulk copy that reduces ("cp.reduce.async.bulk").
// Floating-point numbers are in global memory and have .add; those of 16 bits also have .min and
// .max.
func checkReduction(in *Instr) *src.Diagnostic {
	half := strings.HasSuffix(in.Op.Words["type"], "f16")
	small := half && in.Op.Words["update"] != "add"
	switch floating := strings.Contains(in.Op.Words["type"], "f"); {
	case floating && (in.Op.Words["to"] != "global" || in.Op.Words["update"] != "add" && !(small && (in.Op.Words["update"] == "min" || in.Op.Words["update"] == "max"))):
		return src.Errorf(in.At, "PTX has no %s", in.Opcode).
			WithHint("in global memory, .f16, .bf16, .f32 and .f64 have .add, and .f16 and .bf16 .min and .max")
	case (half && !small) != in.Says("noftz"):
		return src.Errorf(in.At, "PTX has no %s", in.Opcode).WithHint(".add of .f16 and .bf16 has .noftz, and nothing else has")
	}
	return checkBulk(in)
}

// ignore executes an instruction that has no effect in the model.
func (w *walk) ignore(*Instr) error { return nil }

// bytes returns the size of a bulk copy. It must be known, and a multiple of 16.
func (w *walk) bytes(in *Instr) (Operand, error) {
	size := *in.source("size")
	n, err := w.count(in, "size", 0)
	if err == nil && n%bulkUnit != 0 {
		err = src.Errorf(size.At, "%s copies a multiple of %d bytes", in.Op.Form.Head, bulkUnit)
	}
	size.Int = n
	return size, err
}

// copyBulk executes cp.async.bulk and cp.reduce.async.bulk. The copy goes through the async proxy.
// For each destination, its agent moves the elements in no order and then updates the mbarrier of
// that destination.
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
	n, err := w.units(in, &size, to, from)
	if err != nil {
		return err
	}
	units, err := w.masked(in, n)
	if err != nil {
		return err
	}
	return w.transfer(in, to, size.Int, func(a *agent, i int, to pointer) error { return a.move(in, to, from.element(i)) }, units...)
}

// masked returns the elements that a copy moves. Bit i of the mask selects byte i of each 16 bytes.
func (w *walk) masked(in *Instr, n int) (units []int, err error) {
	mask := int64(0xffff)
	if in.Says("cp_mask") {
		if mask, err = w.count(in, "bytes", 0); err != nil {
			return nil, err
		}
	}
	for i := range n {
		whole, part := int64(0xffff), mask&0xffff
		if n > 1 {
			whole, part = 0xf, mask>>(i*event.ElemSize%bulkUnit)&0xf
		}
		switch part {
		case whole:
			units = append(units, i)
		case 0:
		default:
			return nil, src.Errorf(in.source("bytes").At, "the mask selects a part of an element").
				WithHint("an element of an array has four bits; a location that is no array is copied as a whole")
		}
	}
	return units, nil
}

// transfer creates an agent that moves units to a destination, or to the same place in several
// CTAs. The agent then updates the mbarrier of each destination, or the copy joins a group.
func (w *walk) transfer(in *Instr, to pointer, bytes int64, move func(a *agent, unit int, to pointer) error, units ...int) error {
	a := w.newAgent()
	a.tags = proxyTag(isa.ProxyAsync)
	destinations, err := w.destinations(in, to)
	if err != nil {
		return err
	}
	for _, d := range destinations {
		first := len(a.Path.Events)
		for _, i := range units {
			if err := move(a, i, d.to.element(i)); err != nil {
				return err
			}
		}
		if d.bar != nil {
			if err := a.completes(in, *d.bar, bytes, first); err != nil {
				return err
			}
		}
	}
	if in.Op.Words["done"] == "bulk_group" {
		w.bulked.open = append(slices.Clip(w.bulked.open), a.events()...)
	}
	return nil
}

// destination is the target address of a copy, and the mbarrier on which it completes, or nil if it
// is in a group.
type destination struct {
	to  pointer
	bar *pointer
}

// destinations returns where a copy goes. A copy with a mask of CTAs goes to the same place in each
// of them ("cp.async.bulk": ctaMask). A CTA that is not in the test has no destination.
func (w *walk) destinations(in *Instr, to pointer) ([]destination, error) {
	if in.place("bar") == nil {
		return []destination{{to: to}}, nil
	}
	bar, _, err := w.mbarrier(in)
	if err != nil || !in.Says("multicast::cluster") {
		return []destination{{to, &bar}}, err
	}
	ranks, err := w.ranks(in)
	var all []destination
	for _, rank := range ranks {
		there, reached := to.in(rank, w.replicas, w.locs)
		tells, told := bar.in(rank, w.replicas, w.locs)
		if reached && told {
			all = append(all, destination{there, &tells})
		}
	}
	return all, err
}

// ranks returns the CTAs of a mask.
func (w *walk) ranks(in *Instr) (ranks []int, err error) {
	mask, err := w.count(in, "ctas", 0)
	for rank := range 16 {
		if mask>>rank&1 != 0 {
			ranks = append(ranks, rank)
		}
	}
	return ranks, err
}

// move makes a weak load, and a weak store of the loaded value or a reduction with it.
func (a *agent) move(in *Instr, to, from pointer) error {
	if in.Op.Words["update"] == "" {
		a.copy(in, to, from)
		return nil
	}
	r := a.read(in, from)
	return a.reduce(in, to, event.ScopeGPU, path.Held{Value: event.ReadOf(r), From: path.Deps{r}})
}

// reduce is an atomic operation of the agent, relaxed at a scope. If the numbers have 16 bits, it
// is one operation on each of the two numbers in the location.
func (a *agent) reduce(in *Instr, to pointer, scope event.Scope, by path.Held) error {
	t := in.dataType()
	typ, _ := isa.Named(in.Op.Words["type"])
	typed := &isa.Opcode{Types: []isa.Type{typ}, Update: updateOf(in.Op.Words["update"])}
	op, of, ok := typed.ElementOp()
	if !ok || typ.Kind != isa.Floating {
		of = t
	}
	for at := 0; at < t.Bits; at += of.Bits {
		if err := a.revise(in, &share{at: at, shift: at, t: of}, op, to, scope, by); err != nil {
			return err
		}
	}
	return nil
}

// revise is an atomic operation of the agent on one number.
func (a *agent) revise(in *Instr, n *share, op arith.Op, to pointer, scope event.Scope, by path.Held) error {
	first, r := a.first, len(a.Path.Events)
	e := event.Event{
		Kind: event.Read, Order: event.Relaxed, Scope: scope, Atomic: true, Tags: a.tags | noReturn | n.tag(), Addr: to.Expr, Data: event.ReadOf(r), Mnemonic: in.Opcode,
	}
	a.event(e, to.from, nil)
	b := &words{walk: a.walk, in: in}
	if e.Kind = event.Write; n.t.Bits == halfBits {
		e.Data = b.updated(n, op, n.t, event.ReadOf(r), b.cut(by.Value, n.shift, n.t.Bits))
	} else {
		e.Data = b.do(op, n.t, event.ReadOf(r), by.Value)
	}
	if b.err != nil {
		return b.err
	}
	w := a.event(e, to.from, by.From.Union(path.Deps{r}))
	a.Path.Rmw = append(a.Path.Rmw, event.Pair{r, w})
	for _, before := range append(slices.Clone(by.From), r) {
		if before >= first {
			a.within(before, w)
		}
	}
	return nil
}

// dataType returns the type that an instruction with a form names. It returns .u32 if only a tensor
// map gives the type.
func (in *Instr) dataType() Type {
	switch word := in.Op.Words["type"]; word {
	case "":
	case "f16", "bf16": // a location holds two numbers
		return arith.U32
	default:
		return typeOf(word)
	}
	return arith.U32
}

// updateOf returns the operation with a name.
func updateOf(name string) isa.Update { return isa.Says(name, isa.AtomMod).Update }

// completes has the agent complete a number of bytes on an mbarrier.
func (a *agent) completes(in *Instr, bar pointer, bytes int64, first int) error {
	return a.tells(in, bar, transition{bytes: -bytes}, a.events()[first-a.first:])
}

// tells has the agent apply a transition to an mbarrier after the given events. The update is a
// release at the scope of the cluster. It publishes only those events, not what the thread did.
func (a *agent) tells(in *Instr, bar pointer, t transition, before []int) error {
	c := change{bar, event.Release, event.ScopeCluster, t}
	r, err := a.changeBarrier(in, c, func(e event.Event, addr, data path.Deps) int {
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
	if in.Op.Words["read"] != "" {
		events = slices.DeleteFunc(events, func(e int) bool { return w.Path.Events[e].Kind != event.Read || w.Path.Events[e].Atomic })
	}
	w.waitFor(in, events)
	return nil
}

// checkSent checks that an operation on shared memory completes on an mbarrier, and that one on
// global memory is a release.
func checkSent(in *Instr) *src.Diagnostic {
	releases := in.Op.Words["sem"] == "release"
	switch scope := in.Op.Words["scope"]; {
	case releases && (in.Says("mbarrier::complete_tx::bytes") || in.Op.Words["to"] == "shared::cluster" || scope != "gpu" && scope != "sys" || in.Says("v2") || in.Says("v4")):
		return src.Errorf(in.At, "%s.release goes to global memory, has the scope .gpu or .sys, and tells no mbarrier", in.Op.Form.Head)
	case !releases && (!in.Says("mbarrier::complete_tx::bytes") || in.Op.Words["to"] == "global" || scope == "gpu" || scope == "sys" || in.Says("mmio")):
		return src.Errorf(in.At, "%s goes to shared memory of the cluster, and tells an mbarrier", in.Op.Form.Head).
			WithHint("write .mbarrier::complete_tx::bytes and the mbarrier; what goes to global memory is .release.gpu or .release.sys")
	}
	if n := len(in.sources("value")); n != max(1, map[string]int{"v2": 2, "v4": 4}[in.Op.Words["several"]]) {
		return src.Errorf(in.At, "%s stores another number of values", in.Opcode)
	}
	return nil
}

// sent returns the address, the values and the size in bytes of st.async and red.async.
func (w *walk) sent(in *Instr) (to pointer, values []path.Held, bytes int64, err error) {
	if to, err = w.address(in, "to"); err != nil {
		return to, nil, 0, err
	}
	t := typeOf(in.Op.Words["type"])
	for _, o := range in.sources("value") {
		v, err := w.operand(o)
		if err != nil {
			return to, nil, 0, err
		}
		if v.Value, err = w.apply(in, arith.Wrap, t, v.Value); err != nil {
			return to, nil, 0, err
		}
		values = append(values, v)
	}
	n := len(values)
	if n > 1 && to.left < n {
		err = src.Errorf(to.at, "%s stores %d elements, and there are %d from there on", in.Opcode, n, to.left)
	}
	return to, values, int64(n * t.Bits / 8), err
}

// storeAsync executes st.async: weak stores through the generic proxy followed by an update of the
// mbarrier, or a release.
func (w *walk) storeAsync(in *Instr) error {
	to, values, bytes, err := w.sent(in)
	if err != nil {
		return err
	}
	a := w.newAgent()
	for i, v := range values {
		a.write(in, to.element(i), v.Value, v.From)
	}
	return a.sends(in, bytes)
}

// reduceAsync executes red.async: an atomic operation, relaxed at the scope of the cluster, or a
// release.
func (w *walk) reduceAsync(in *Instr) error {
	to, values, bytes, err := w.sent(in)
	if err != nil {
		return err
	}
	a := w.newAgent()
	if err := a.reduce(in, to, in.scopeOf(event.ScopeCluster), values[0]); err != nil {
		return err
	}
	return a.sends(in, bytes)
}

// sends ends st.async and red.async. With .release, their last event is a release of all that the
// thread did before. Otherwise the agent completes the bytes on the mbarrier.
func (a *agent) sends(in *Instr, bytes int64) error {
	if in.Op.Words["sem"] == "release" {
		last := &a.Path.Events[len(a.Path.Events)-1]
		last.Order, last.Scope = event.Release, in.scopeOf(event.ScopeGPU)
		return nil
	}
	bar, _, err := a.mbarrier(in)
	if err != nil {
		return err
	}
	return a.completes(in, bar, bytes, a.first)
}

// fill executes st.bulk: weak stores of zeros, by the thread itself.
func (w *walk) fill(in *Instr) error {
	to, err := w.address(in, "to")
	if err != nil {
		return err
	}
	size, err := w.count(in, "size", 0)
	if err != nil {
		return err
	}
	units, err := w.units(in, &Operand{Int: size}, to)
	if err != nil {
		return err
	}
	w.vectors++
	for i := range units {
		e := event.Event{Kind: event.Write, Order: event.Weak, Addr: to.element(i).Expr, Data: event.Const(event.Int(0)), Mnemonic: in.Opcode}
		if units > 1 {
			e.Vector = w.vectors
		}
		w.Event(e, to.from, nil, nil)
	}
	return nil
}
