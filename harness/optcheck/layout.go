package optcheck

import (
	"maps"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/harness"
)

// layout is where kernels have the locations of a test (harness.Plan). A slot is an array or a
// scalar. In global memory, a parameter says where it begins; in shared memory, its number
// times the threads of the CTA times the stride is part of the address.
type layout struct {
	plan    *harness.Plan
	params  map[string]uint32 // where the parameters are in the constant bank
	zeros   []string          // those of them that are 0, as words of that bank
	located bool              // that is known for the target
}

// firstParam is where the parameters of a kernel begin in constant bank 0; measured with ptxas
// 12.9 for all targets that kernels are tested for.
func firstParam(t harness.Target) (offset uint32, known bool) {
	switch {
	case t < harness.SM90:
		return 0x160, true
	case t == harness.SM90:
		return 0x210, true
	}
	return 0, false
}

func newLayout(p *harness.Plan) *layout {
	l := &layout{plan: p, params: map[string]uint32{}}
	offset, known := firstParam(p.Target)
	l.located = known
	for _, param := range p.Params() {
		l.params[param.Name] = offset
		if offset += 4; param.Wide {
			offset += 4
		}
	}
	for _, name := range p.Zeros() {
		l.zeros = append(l.zeros, bankWord(bank0, l.params[name]))
	}
	return l
}

// of is the place of a location of the test.
func (l *layout) of(loc event.Loc, offset int64) place {
	slot, elem := l.plan.Slot(loc)
	return place{traced: true, slot: slot, offset: uint32(int64(event.ElemSize*elem) + offset)}
}

// bank0 is the constant bank of the parameters and of the size of the CTA, which comes first.
const bank0 = "0x0"

// locate finds the place that an address of the machine code is.
func (l *layout) locate(a *atoms, address value, shared bool) place {
	p := place{slot: -1}
	if !l.located {
		return p
	}
	rest := value{}
	for _, zero := range l.zeros {
		if m, ok := a.monomial(zero); ok {
			address.sum = maps.Clone(address.sum)
			delete(address.sum, m)
		}
	}
	for monomial, c := range address.sum {
		switch {
		case monomial == "":
			p.offset = c
		case a.varies(monomial):
			p.varies = true
		default:
			rest = rest.plus(value{sum: map[string]uint32{monomial: 1}}, c)
		}
	}
	if shared {
		l.locateShared(a, &rest, &p)
	} else {
		l.locateGlobal(a, &rest, &p)
	}
	p.rest = rest.String()
	return p
}

// locateGlobal looks for the parameter of a slot.
func (l *layout) locateGlobal(a *atoms, rest *value, p *place) {
	for slot := range l.plan.Slots() {
		m, ok := a.monomial(bankWord(bank0, l.params[harness.SlotParam(slot)]))
		if ok && rest.sum[m] == 1 {
			p.traced, p.slot = p.slot < 0, slot
			delete(rest.sum, m)
		}
	}
}

// locateShared looks for the multiple of the size of the CTA and the stride.
func (l *layout) locateShared(a *atoms, rest *value, p *place) {
	stride := bankWord(bank0, l.params["shared_stride"])
	factor, ok := a.monomial(stride)
	if !ok {
		return
	}
	for m := range rest.sum {
		for f := range strings.SplitSeq(m, "*") {
			p.traced = p.traced || f == factor
		}
	}
	p.slot = 0
	if m, ok := a.monomial(bankWord(bank0, 0), stride); ok {
		p.slot = int(rest.sum[m])
		delete(rest.sum, m)
	}
}
