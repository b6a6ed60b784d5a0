package ptx

import (
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend/path"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// This file has matrices in tensor memory (PTX ISA, "TensorCore 5th Generation Instructions").
// Tensor memory belongs to a CTA. It is modelled as a location of shared memory that only these
// instructions name, and a matrix is one number. The operations are asynchronous, and read shared
// memory through the async proxy.

// tensorMemory are the pages of tcgen05.
var tensorMemory = map[string]page{
	"tcgen05.mma":                       {perform: (*walk).multiplyTensors},
	"tcgen05.cp":                        {perform: (*walk).copyToTensorMemory},
	"tcgen05.ld":                        {perform: (*walk).loadTensor},
	"tcgen05.st":                        {perform: (*walk).storeTensor},
	"tcgen05.wait::ld":                  {perform: (*walk).waitTensorLoads},
	"tcgen05.wait::st":                  {perform: (*walk).waitTensorStores},
	"tcgen05.commit":                    {perform: (*walk).commitTensors},
	"tcgen05.fence::before_thread_sync": {(*walk).fenceTensorsBefore, asRelease},
	"tcgen05.fence::after_thread_sync":  {(*walk).fenceTensorsAfter, asAcquire},
}

// tensorWork is the tensor work that a thread has issued: loads and stores of tensor memory, for
// which it waits, and pipelined operations, which it commits.
type tensorWork struct {
	loads, stores []int
	pipelined     []tensorOperation
}

// tensorOperation is a product or a copy into tensor memory.
type tensorOperation struct {
	events []int
	to     event.Expr
	copies bool
}

// tensorPlace returns the tensor memory that an operand names.
func (w *walk) tensorPlace(in *Instr, name string) (pointer, error) {
	p, err := w.address(in, name)
	c, known := p.Expr.(event.Const)
	if err != nil || !known {
		return p, err
	}
	if l, err := event.Resolve(w.locs, event.Value(c)); err == nil && w.locs[event.Physical(w.locs, l)].Region != litmus.Shared {
		return p, src.Errorf(p.at, "%s is no tensor memory, which belongs to a CTA", w.locs[l].Name).
			WithHint("declare it as shared memory, { shared %s; }, and name it in instructions of tcgen05 only", w.locs[l].Name)
	}
	return p, nil
}

// newTensorAgent begins an operation of tcgen05. It comes after what its thread did before.
func (w *walk) newTensorAgent() *agent {
	a := w.newAgent()
	a.tags = proxyTag(isa.ProxyAsync)
	return a
}

// inTensorMemory does what accesses tensor memory.
func (a *agent) inTensorMemory(access func() int) int {
	a.tags |= tensorTag
	defer func() { a.tags &^= tensorTag }()
	return access()
}

// multiplyTensors executes tcgen05.mma: what it writes is a product, or what was there and the
// product.
func (w *walk) multiplyTensors(in *Instr) error {
	d, err := w.tensorPlace(in, "d")
	if err != nil {
		return err
	}
	add, err := w.operand(in.source("add"))
	if err != nil {
		return err
	}
	a := w.newTensorAgent()
	var factors [2]path.Held
	if factors[0], err = a.leftMatrix(in); err != nil {
		return err
	}
	if factors[1], err = a.matrix(in, "b"); err != nil {
		return err
	}
	x, from, err := w.combine(in, arith.Mul, arith.S32, factors[:])
	if err != nil {
		return err
	}
	if adds, known := w.Truth(add.Value); adds || !known {
		r := a.inTensorMemory(func() int { return a.read(in, d) })
		if x, err = w.apply(in, arith.Add, arith.S32, x, event.ReadOf(r)); err != nil {
			return err
		}
		from = from.Union(path.Deps{r})
	}
	a.writeTensor(in, d, x, from)
	w.pipeline(a, tensorOperation{events: a.events(), to: d.Expr})
	return nil
}

// leftMatrix returns the matrix a, which may be in tensor memory.
func (a *agent) leftMatrix(in *Instr) (path.Held, error) {
	if in.place("a") == nil {
		return a.matrix(in, "a")
	}
	p, err := a.tensorPlace(in, "a")
	r := a.inTensorMemory(func() int { return a.read(in, p) })
	return path.Held{Value: event.ReadOf(r), From: path.Deps{r}}, err
}

// writeTensor writes tensor memory, after what the operation reads.
func (a *agent) writeTensor(in *Instr, to pointer, x event.Expr, from path.Deps) {
	reads := a.events()
	n := a.inTensorMemory(func() int { return a.write(in, to, x, from) })
	for _, r := range reads {
		a.within(r, n)
	}
}

// pipeline records an operation. Pairs that the manual lists execute in the order of issue: two
// products with one accumulator, and a copy before a product ("Pipelined tcgen05 Instructions").
func (w *walk) pipeline(a *agent, o tensorOperation) {
	for _, before := range w.fifth.pipelined {
		if o.copies || !before.copies && before.to != o.to {
			continue
		}
		for _, e := range before.events {
			for _, f := range o.events {
				a.within(e, f)
			}
		}
	}
	w.fifth.pipelined = append(slices.Clip(w.fifth.pipelined), o)
}

// copyToTensorMemory executes tcgen05.cp: from shared to tensor memory.
func (w *walk) copyToTensorMemory(in *Instr) error {
	d, err := w.tensorPlace(in, "d")
	if err != nil {
		return err
	}
	a := w.newTensorAgent()
	v, err := a.matrix(in, "b")
	if err != nil {
		return err
	}
	a.writeTensor(in, d, v.Value, v.From)
	w.pipeline(a, tensorOperation{events: a.events(), to: d.Expr, copies: true})
	return nil
}

// loadTensor executes tcgen05.ld: every register gets what is there.
func (w *walk) loadTensor(in *Instr) error {
	d, err := w.tensorPlace(in, "d")
	if err != nil {
		return err
	}
	a := w.newTensorAgent()
	r := a.inTensorMemory(func() int { return a.read(in, d) })
	w.fifth.loads = append(slices.Clip(w.fifth.loads), r)
	for _, to := range in.sets() {
		if err := w.set(&to, event.ReadOf(r), arith.S32, path.Deps{r}); err != nil {
			return err
		}
	}
	return nil
}

// storeTensor executes tcgen05.st.
func (w *walk) storeTensor(in *Instr) error {
	d, err := w.tensorPlace(in, "d")
	if err != nil {
		return err
	}
	v, err := w.operand(in.source("value"))
	if err != nil {
		return err
	}
	a := w.newTensorAgent()
	a.writeTensor(in, d, v.Value, v.From)
	w.fifth.stores = append(slices.Clip(w.fifth.stores), a.events()...)
	return nil
}

func (w *walk) waitTensorLoads(in *Instr) error {
	w.waitFor(in, w.fifth.loads)
	return nil
}

func (w *walk) waitTensorStores(in *Instr) error {
	w.waitFor(in, w.fifth.stores)
	return nil
}

// commitTensors executes tcgen05.commit: an agent arrives when the products and copies of the
// thread are complete.
func (w *walk) commitTensors(in *Instr) error {
	p, _, err := w.mbarrier(in)
	if err != nil {
		return err
	}
	var all []int
	for _, o := range w.fifth.pipelined {
		all = append(all, o.events...)
	}
	return w.newAgent().tells(in, p, transition{arrivals: 1}, all)
}

// fenceTensorsBefore executes tcgen05.fence::before_thread_sync. Accesses of tensor memory by
// earlier products and copies come before accesses after the matching fence of any thread. The
// fence does not say that the operations are complete.
func (w *walk) fenceTensorsBefore(in *Instr) error {
	n := w.tensorFence(in)
	for _, o := range w.fifth.pipelined {
		for _, e := range o.events {
			if w.Path.Events[e].Tags&tensorTag != 0 {
				w.Path.Complete = append(w.Path.Complete, event.Pair{e, n})
			}
		}
	}
	return nil
}

func (w *walk) fenceTensorsAfter(in *Instr) error {
	w.tensorFence(in)
	return nil
}

func (w *walk) tensorFence(in *Instr) int {
	return w.Event(event.Event{Kind: event.Fence, Order: in.Order(), Scope: event.ScopeCluster, Tags: tensorTag, Mnemonic: in.Opcode}, nil, nil, nil)
}

// checkTensorMemory reports tensor memory that other instructions access.
func (b *builder) checkTensorMemory() {
	memory := map[event.Loc]*Instr{}
	each := func(visit func(in *Instr, o *Operand, l event.Loc, tensor bool)) {
		for _, t := range b.prog.code {
			for _, in := range t.code {
				for o := range in.accessed() {
					tensor := in.Op.Form != nil && in.has("tcgen05")
					visit(in, o, event.Physical(b.prog.Locs, o.Loc)+int(o.Offset/event.ElemSize), tensor)
				}
			}
		}
	}
	each(func(in *Instr, _ *Operand, l event.Loc, tensor bool) {
		if tensor {
			memory[l] = in
		}
	})
	each(func(in *Instr, o *Operand, l event.Loc, tensor bool) {
		if by := memory[l]; by != nil && !tensor {
			b.diags.Errorf(o.At, "%s accesses %s, which is tensor memory of %s", in.Opcode, o.Text, by.Opcode).
				WithHint("tcgen05.ld and tcgen05.st access tensor memory")
		}
	})
}
