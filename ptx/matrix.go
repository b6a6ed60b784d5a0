package ptx

import (
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend/path"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// This file has matrices of warpgroups (PTX ISA, "Asynchronous Warpgroup Level Matrix
// Instructions"). A product reads shared memory asynchronously, through the async proxy. A matrix
// is modelled as one number at the location that stands for its descriptor. The accumulator is a
// register: it gets the product, or the sum of its old value and the product.

// matrices are the pages of wgmma.
var matrices = map[string]page{
	"wgmma.mma_async":    {perform: (*walk).multiply},
	"wgmma.fence":        {perform: (*walk).fenceMatrices},
	"wgmma.commit_group": {perform: (*walk).commitMatrices},
	"wgmma.wait_group":   {(*walk).waitMatrices, checkWait},
}

// multiply executes wgmma.mma_async. It comes after what its thread did before wgmma.fence, and
// after proxy fences. It is unordered with the other events of the thread.
func (w *walk) multiply(in *Instr) error {
	g := w.newAgent()
	g.tags, g.unordered = proxyTag(isa.ProxyAsync), true
	var factors [2]path.Held
	for i, name := range []string{"a", "b"} {
		var err error
		if factors[i], err = g.matrix(in, name); err != nil {
			return err
		}
	}
	w.products.open = append(slices.Clip(w.products.open), g.events()...)
	return w.accumulate(in, factors)
}

// matrix returns the matrix that a descriptor points to, or a matrix in registers.
func (a *agent) matrix(in *Instr, name string) (path.Held, error) {
	o := in.source(name)
	v, err := a.operand(o)
	if err != nil {
		return v, err
	}
	c, known := v.Value.(event.Const)
	if known && event.Value(c).IsAddress() {
		region, err := a.regionOf(o, event.Value(c))
		if err == nil && region != isa.Shared {
			err = src.Errorf(o.At, "%s is not in shared memory", o.Text).WithHint("declare it so: { shared %s; }", o.Text)
		}
		if err != nil {
			return v, err
		}
		r := a.read(in, pointer{Expr: v.Value, from: v.From, at: o.At})
		return path.Held{Value: event.ReadOf(r), From: path.Deps{r}}, nil
	}
	if name == "b" {
		return v, src.Errorf(o.At, "it is not known which matrix %s describes", o.Text).
			WithHint("a descriptor is the address of a location of shared memory: its name, or a register that holds it")
	}
	return v, nil
}

// accumulate gives the accumulator the product, or adds that.
func (w *walk) accumulate(in *Instr, factors [2]path.Held) error {
	x, from, err := w.combine(in, arith.Mul, arith.S32, factors[:])
	if err != nil {
		return err
	}
	add, err := w.operand(in.source("add"))
	if err != nil {
		return err
	}
	old, has := w.Get(in.Dst.Text)
	if adds, known := w.Truth(add.Value); has && (adds || !known) {
		if x, err = w.apply(in, arith.Add, arith.S32, x, old.Value); err != nil {
			return err
		}
		from = from.Union(old.From)
	}
	for _, d := range in.sets() {
		if err := w.set(&d, x, arith.S32, from); err != nil {
			return err
		}
	}
	return nil
}

// fenceMatrices executes wgmma.fence: products that are issued later come after all that the thread
// did before.
func (w *walk) fenceMatrices(in *Instr) error {
	w.waitFor(in, nil)
	w.fencedAt = len(w.Path.Events)
	return nil
}

func (w *walk) commitMatrices(*Instr) error {
	w.products.commit()
	return nil
}

func (w *walk) waitMatrices(in *Instr) error {
	w.waitFor(in, w.products.but(in.source("pending").Int))
	return nil
}
