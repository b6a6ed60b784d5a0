package optcheck

import (
	"maps"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/harness"
)

// layout tells where kernels have the locations of a test (harness.Plan). A slot is an array or a
// scalar. In global memory, a parameter is its address; in shared memory, its number times the
// threads of the CTA times the stride is part of the address.
type layout struct {
	plan    *harness.Plan
	params  map[string]uint32 // offsets of the parameters in the constant bank
	zeros   []string          // the parameters that are 0, as words of that bank
	ntid    uint32            // offset of the size of the CTA there
	located bool              // the offset is known for the target
}

// banks are the offsets, in constant bank 0, of the parameters of a kernel and of the size of the
// CTA, for targets up to one. They were measured with ptxas 12.9, the newest for sm_100, sm_103 and
// sm_120.
var banks = []struct {
	upTo         harness.Target
	params, ntid uint32
}{
	{harness.SM89, 0x160, 0}, {harness.SM90, 0x210, 0}, {121, 0x380, 0x360},
}

func newLayout(p *harness.Plan) *layout {
	l := &layout{plan: p, params: map[string]uint32{}}
	var offset uint32
	for _, b := range banks {
		if l.located = p.Target <= b.upTo; l.located {
			offset, l.ntid = b.params, b.ntid
			break
		}
	}
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

// of returns the place of a location of the test.
func (l *layout) of(loc event.Loc, offset int64) accessPlace {
	slot, elem := l.plan.Slot(loc)
	return accessPlace{traced: true, slot: slot, offset: uint32(int64(event.ElemSize*elem) + offset)}
}

// bank0 is the constant bank of the parameters and of the size of the CTA.
const bank0 = "0x0"

// locate returns the place of an address of the machine code.
func (l *layout) locate(a *atoms, address value, in space) accessPlace {
	p := accessPlace{slot: -1}
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
	if in == inShared {
		l.locateShared(a, &rest, &p)
	} else {
		l.locateGlobal(a, &rest, &p)
	}
	p.rest = rest.String()
	return p
}

// locateGlobal looks for the parameter of a slot.
func (l *layout) locateGlobal(a *atoms, rest *value, p *accessPlace) {
	for slot := range l.plan.Slots() {
		m, ok := a.monomial(bankWord(bank0, l.params[harness.SlotParam(slot)]))
		if ok && rest.sum[m] == 1 {
			p.traced, p.slot = p.slot < 0, slot
			delete(rest.sum, m)
		}
	}
}

// locateShared looks for the multiple of the size of the CTA and the stride.
func (l *layout) locateShared(a *atoms, rest *value, p *accessPlace) {
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
	if m, ok := a.monomial(bankWord(bank0, l.ntid), stride); ok {
		p.slot = int(rest.sum[m])
		delete(rest.sum, m)
	}
}
