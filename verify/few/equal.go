package few

import (
	"context"
	"fmt"

	"github.com/muster-gpu/muster/internal/prove"
	"github.com/muster-gpu/muster/internal/prove/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/verify"
)

// Other is a kernel to compare with.
type Other struct {
	Module *kernel.Module
	Kernel *kernel.Function
}

// Equal asks whether two kernels leave the same in memory that their parameters point to, if they begin with the same
// memory and the same arguments. Each must be right on its own: that comes first.
func Equal(ctx context.Context, module *kernel.Module, f *kernel.Function, other Other, c Config) (*verify.Result, error) {
	if len(f.Params) != len(other.Kernel.Params) {
		return nil, fmt.Errorf("%s has %d parameters, and %s %d: kernels are compared that are called alike", f.Name, len(f.Params), other.Kernel.Name, len(other.Kernel.Params))
	}
	p := prove.New()
	x, err := newBlock(ctx, p, c, module, f)
	if err != nil {
		return nil, err
	}
	without := c
	without.Contract = nil
	y, err := newBlock(ctx, p, without, other.Module, other.Kernel)
	if err != nil {
		return nil, err
	}
	if x.try(x.all); len(x.result.Open)+len(x.result.Alarms) > 0 {
		return x.concluded(), ctx.Err()
	}
	y.assumed = append(y.assumed, x.assumed...)
	if y.try(y.all); len(y.result.Open)+len(y.result.Alarms) > 0 {
		return y.concluded(), ctx.Err()
	}
	x.assumed = append(x.assumed, y.assumed...)
	x.try(func() { x.compare(y) })
	x.result.Notes = append(x.result.Notes, fmt.Sprintf("compared with %s of %s", other.Kernel.Name, other.Module.Name))
	return x.concluded(), ctx.Err()
}

// place is an element that somebody writes.
type place struct {
	param  int
	offset *term.Term
	size   int
}

// written are the elements of arrays behind parameters that a kernel may write to.
func (b *block) written() (all []place) {
	for _, t := range b.threads {
		for _, e := range t.events {
			if e.write == nil || e.at == nil || e.access.Region.Variable != nil {
				continue
			}
			for i, p := range b.result.Kernel.Params {
				if p.Name == e.access.Region.Name {
					all = append(all, place{i, b.resolve(e.at), e.size})
				}
			}
		}
	}
	return all
}

// compare asks whether an element can end up different.
func (b *block) compare(other *block) {
	asked := map[place]bool{}
	for _, p := range append(b.written(), other.written()...) {
		if asked[p] || b.ended() {
			continue
		}
		asked[p] = true
		mine, theirs := b.finally(p), other.finally(p)
		b.ask("difference", []*term.Term{b.Ne(b.resolve(mine), other.resolve(theirs))}, func(m *term.Model) *verify.Alarm {
			a := b.alarm(m, verify.Assertion, fmt.Sprintf("%s leaves %d in the array of its parameter %d at byte %d, and %s %d",
				b.result.Kernel.Name, m.Eval(b.resolve(mine)), p.param+1, m.Eval(p.offset), other.result.Kernel.Name, m.Eval(other.resolve(theirs))))
			a.Contract = true
			a.Points = []verify.Point{{Instr: b.result.Kernel.Instrs[len(b.result.Kernel.Instrs)-1]}}
			return a
		})
	}
}

// finally is what an element holds in the end.
func (b *block) finally(p place) *term.Term {
	return b.memory.read(b.region(b.result.Kernel.Params[p.param], true), p.offset, p.size)
}
