package few

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/solver/prove"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/verify"
)

// Other is a kernel to compare with.
type Other struct {
	Module *kernel.Module
	Kernel *kernel.Function
}

// Equal asks whether two kernels leave the same contents in memory that outlives them, from the
// same initial memory and arguments. It first verifies each kernel on its own.
func Equal(
	ctx context.Context, module *kernel.Module, f *kernel.Function, other Other, c Config,
) (*verify.Result, error) {
	if len(f.Params) != len(other.Kernel.Params) {
		return nil,
			fmt.Errorf("%s of %s has %d parameters, and %s of %s has %d: kernels are compared that are called alike",
				f.Name, module.Name, len(f.Params), other.Kernel.Name, other.Module.Name, len(other.Kernel.Params))
	}
	p := prove.New()
	x, err := newBlock(ctx, p, c, "one", module, f)
	if err != nil {
		return nil, err
	}
	without := c
	without.Contract = nil
	y, err := newBlock(ctx, p, without, "other", other.Module, other.Kernel)
	if err != nil {
		return nil, err
	}
	if x.try(x.all); len(x.result.Open)+len(x.result.Alarms) > 0 {
		return x.concluded(), nil
	}
	y.assumed = append(y.assumed, x.assumed...)
	if y.try(y.all); len(y.result.Open)+len(y.result.Alarms) > 0 {
		return y.concluded(), nil
	}
	x.assumed = append(x.assumed, y.assumed...)
	x.try(func() { x.compare(y) })
	x.result.Notes = append(x.result.Notes, fmt.Sprintf("compared with %s of %s", other.Kernel.Name, other.Module.Name))
	return x.concluded(), nil
}

// place is an element that either kernel writes.
type place struct {
	array  string // see arrayOf
	offset *term.Term
	size   int
}

// written returns the elements that a kernel may write in arrays that outlive it. Variables count
// if the other module has them, too.
func (b *block) written(other *block) (all []place) {
	for _, t := range b.threads {
		for _, e := range t.events {
			r := e.access.Region
			if e.write == nil || e.at == nil || r.Space == isa.Shared {
				continue
			}
			if v := r.Variable; v != nil &&
				!slices.ContainsFunc(other.result.Module.Vars, func(w *kernel.Variable) bool {
					return w.Name == v.Name
				}) {
				b.refuse(e.access.Instr, "", "this writes to %s, which %s has not", v.Name, other.result.Module.Name)
			}
			all = append(all, place{b.arrayOf(r), b.resolve(e.at), e.size})
		}
	}
	return all
}

// compare asks whether an element can end up different.
func (b *block) compare(other *block) {
	asked := map[place]bool{}
	for _, p := range append(b.written(other), other.written(b)...) {
		if asked[p] || b.ended() {
			continue
		}
		asked[p] = true
		mine, theirs := b.resolve(b.finally(p)), other.resolve(other.finally(p))
		b.ask("difference", []*term.Term{b.Ne(mine, theirs)}, func(m *term.Model) *verify.Alarm {
			array, _, _ := strings.Cut(p.array, " = ")
			a := b.alarm(m, verify.Assertion, fmt.Sprintf("%s of %s leaves %d in %s at byte %d, and %s of %s %d",
				b.result.Kernel.Name, b.result.Module.Name, m.Eval(mine), array, m.Eval(p.offset),
				other.result.Kernel.Name, other.result.Module.Name, m.Eval(theirs)))
			a.Contract = true
			a.Points = []verify.Point{{Instr: b.result.Kernel.Instrs[len(b.result.Kernel.Instrs)-1]}}
			return a
		})
	}
}

// finally returns the final value of an element.
func (b *block) finally(p place) *term.Term {
	for _, a := range b.trace.Accesses {
		if b.arrayOf(a.Region) == p.array {
			return b.memory.read(a.Region, p.offset, p.size)
		}
	}
	return b.initial(p.array, p.offset, p.size)
}
