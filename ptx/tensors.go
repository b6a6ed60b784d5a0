package ptx

import (
	"math/bits"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend/path"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// This file has copies of tensors, and tensor maps (PTX ISA, "cp.async.bulk.tensor",
// "tensormap.replace"). A tensor map is a location that holds the address of the data. A copy reads
// the map through a proxy of its own and continues at that address. The first coordinate counts the
// elements of an array; the others have no effect.

// tensors are the pages of instructions on tensors.
var tensors = map[string]page{
	"cp.async.bulk.tensor":          {(*walk).copyTensor, checkTensor},
	"cp.reduce.async.bulk.tensor":   {(*walk).copyTensor, checkTensor},
	"cp.async.bulk.prefetch.tensor": {perform: (*walk).ignore},
	"prefetch.tensormap":            {perform: (*walk).ignore},
	"prefetch.param.tensormap":      {perform: (*walk).ignore},
	"prefetch.const.tensormap":      {perform: (*walk).ignore},
	"tensormap.replace.tile":        {perform: (*walk).replaceMap},
	"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release": {(*walk).copyMap, asRelease},
}

// tensormapSize is the size of a tensor map in bytes.
const tensormapSize = 128

// tensor reads [map, {c0, c1}].
func (p *parser) tensor(in *Instr) *Operand {
	open := p.tok
	o := p.opened()
	p.expect(",", "before the coordinates of a tensor")
	all := p.list(p.source)
	for i := range all {
		all[i].Role = "at"
	}
	in.Srcs = append(in.Srcs, all...)
	o.At = open.at.To(p.tok.at)
	p.expect("]", "after the coordinates")
	return o
}

// checkTensor checks that a copy has a destination that its mode permits, and the number of
// coordinates that it needs.
func checkTensor(in *Instr) *src.Diagnostic {
	mode, n := in.Op.Words["mode"], len(in.sources("at"))
	dims := int(in.Op.Words["dim"][0] - '0')
	stores := in.Op.Words["to"] == "global"
	switch {
	case stores != (in.Op.Words["from"] == "shared::cta"):
		return src.Errorf(in.At, "%s copies between a tensor in global memory and shared memory of a CTA", in.Op.Form.Head)
	case stores && (mode == "tile::gather4" || mode == "im2col" || mode == "im2col::w" || mode == "im2col::w::128"),
		!stores && (mode == "tile::scatter4" || mode == "im2col_no_offs"):
		return src.Errorf(in.At, "%s does not copy in that direction by .%s", in.Op.Form.Head, mode)
	case mode == "tile::gather4" || mode == "tile::scatter4":
		dims = 5
	}
	if n != dims {
		return src.Errorf(in.place("map").At, "%d coordinates of a tensor, where %s has %d", n, in.Opcode, dims)
	}
	if in.has("reduce") {
		return nil
	}
	return checkBulk(in)
}

// tensormap returns the tensor map of an instruction. Which one it is must be known.
func (w *walk) tensormap(in *Instr) (pointer, event.Loc, error) {
	p, err := w.address(in, "map")
	if err != nil {
		return p, event.NoLoc, err
	}
	c, known := p.Expr.(event.Const)
	if !known {
		return p, event.NoLoc, src.Errorf(p.at, "it is not known which tensor map this is").WithHint("its address must not depend on what is read from memory")
	}
	l, err := event.Resolve(w.locs, event.Value(c))
	if err != nil {
		return p, event.NoLoc, src.Errorf(p.at, "%v", err)
	}
	return p, event.Physical(w.locs, l), nil
}

// copyTensor executes cp.async.bulk.tensor and cp.reduce.async.bulk.tensor.
func (w *walk) copyTensor(in *Instr) error {
	stores := in.Op.Words["to"] == "global"
	memory, err := w.address(in, map[bool]string{true: "from", false: "to"}[stores])
	if err != nil {
		return err
	}
	m, l, err := w.tensormap(in)
	if err != nil {
		return err
	}
	t := &tensor{Instr: in, at: m, isMap: w.tensors.isMap[l], points: w.tensors.points[l]}
	size := w.tensors.box(w.replicas, in)
	units := w.box(t, l, memory)
	if n := len(units); n > 1 {
		size = int64(n) * event.ElemSize
	}
	if !stores {
		return w.transfer(in, memory, size, func(a *agent, i int, to pointer) error {
			return t.load(a, i, to)
		}, units...)
	}
	return w.transfer(in, m, size, func(a *agent, i int, _ pointer) error {
		return t.store(a, i, memory)
	}, units...)
}

// tensor is what a copy finds through a tensor map. A location that holds no address is a tensor
// itself. If the test replaces it as a map, its value stands for the value of the tensor.
type tensor struct {
	*Instr
	at            pointer // the map
	isMap, points bool
	wasRead       bool
	read          int   // the read of the map, if it was
	first         int64 // the number of the first element
}

// load moves an element from the tensor.
func (t *tensor) load(a *agent, i int, to pointer) error {
	from, data, err := t.element(a, i)
	switch {
	case err != nil:
		return err
	case data != nil:
		t.after(a, a.write(t.Instr, to, data, path.Deps{t.read}))
		return nil
	}
	r := a.read(t.Instr, from)
	n := a.write(t.Instr, to, event.ReadOf(r), path.Deps{r})
	a.within(r, n)
	t.after(a, r)
	t.after(a, n)
	return nil
}

// store moves an element to the tensor.
func (t *tensor) store(a *agent, i int, memory pointer) error {
	to, data, err := t.element(a, i)
	if err != nil {
		return err
	}
	if data != nil {
		to = t.at
	}
	first := len(a.Path.Events)
	if err := a.move(t.Instr, to, memory.element(i)); err != nil {
		return err
	}
	for e := first; e < len(a.Path.Events); e++ {
		t.after(a, e)
	}
	return nil
}

// element returns the place of an element, or what it holds if that is all that the map tells.
func (t *tensor) element(a *agent, i int) (pointer, event.Expr, error) {
	if !t.isMap && !t.points {
		return t.at.element(i + int(t.first)), nil, nil
	}
	if !t.wasRead {
		tags := a.tags
		a.tags = proxyTag(isa.ProxyTensormap)
		t.read, t.wasRead = a.read(t.Instr, t.at), true
		a.tags = tags
	}
	value := event.ReadOf(t.read)
	if !t.points {
		return pointer{}, value, nil
	}
	p := pointer{Expr: value, from: path.Deps{t.read}, at: t.at.at}
	if offset := (int64(i) + t.first) * event.ElemSize; offset != 0 {
		var err error
		p.Expr, err = a.apply(t.Instr, arith.Add, arith.U64, value, event.Const(event.Int(offset)))
		return p, nil, err
	}
	return p, nil, nil
}

// after orders an event after the read of the map.
func (t *tensor) after(a *agent, e int) {
	if t.wasRead {
		a.within(t.read, e)
	}
}

// box returns the elements that a copy moves: as many as both sides have, or one if a side is no
// array.
func (w *walk) box(t *tensor, l event.Loc, memory pointer) []int {
	there := l
	if c := w.locs[l].Init; t.points && c.IsAddress() {
		there, _ = event.Resolve(w.locs, c)
	}
	elems := w.locs[there].Elems
	if at := t.sources("at"); len(at) == 1 && at[0].Kind == Immediate && at[0].Int < int64(elems) {
		t.first = max(0, at[0].Int)
	}
	n := min(memory.left, elems-int(t.first))
	if memory.one || elems <= 1 {
		n = 1
	}
	units := make([]int, max(1, n))
	for i := range units {
		units[i] = i
	}
	return units
}

// replaceMap executes tensormap.replace, a weak write. In a map that holds an address, fields other
// than the address keep their values.
func (w *walk) replaceMap(in *Instr) error {
	m, l, err := w.tensormap(in)
	if err != nil {
		return err
	}
	v, err := w.operand(in.source("value"))
	if err != nil {
		return err
	}
	e := event.Event{Kind: event.Read, Order: event.Weak, Addr: m.Expr, Data: event.ReadOf(len(w.Path.Events)), Mnemonic: in.Opcode}
	if w.tensors.points[l] && in.Op.Words["field"] != "global_address" {
		v = path.Held{Value: e.Data, From: path.Deps{w.Event(e, m.from, nil, nil)}}
	}
	e.Kind, e.Data = event.Write, v.Value
	w.Event(e, m.from, v.From, nil)
	return nil
}

// copyMap executes tensormap.cp_fenceproxy: it copies a map from shared to global memory and
// releases it.
func (w *walk) copyMap(in *Instr) error {
	from, err := w.address(in, "from")
	if err != nil {
		return err
	}
	to, _, err := w.tensormap(in)
	if err != nil {
		return err
	}
	r := len(w.Path.Events)
	e := event.Event{Kind: event.Read, Order: event.Weak, Addr: from.Expr, Data: event.ReadOf(r), Mnemonic: in.Opcode}
	w.Event(e, from.from, nil, nil)
	e.Kind, e.Addr = event.Write, to.Expr
	w.Event(e, to.from, path.Deps{r}, nil)
	w.Event(event.Event{Kind: event.Fence, Order: event.Release, Scope: in.scopeOf(event.ScopeNone), Tags: proxyTag(isa.ProxyTensormap), Mnemonic: in.Opcode}, nil, nil, nil)
	return nil
}

// tensorMaps is what the whole test says about its tensor maps.
type tensorMaps struct {
	points map[event.Loc]bool // the maps that hold an address
	isMap  map[event.Loc]bool // the maps that instructions for maps name
	// For each mbarrier: the bytes that it expects, the bytes that other copies complete, and the
	// number of copies of tensors. A test does not give the size of a box, which is in its map: the
	// copies of tensors share the rest of the bytes.
	expected, copied, copies map[event.Loc]int64
}

// tensorMaps finds the tensor maps of a test.
func (b *builder) tensorMaps() *tensorMaps {
	m := &tensorMaps{map[event.Loc]bool{}, map[event.Loc]bool{}, map[event.Loc]int64{}, map[event.Loc]int64{}, map[event.Loc]int64{}}
	for l := range b.prog.Locs {
		m.points[l] = b.prog.Locs[l].Init.IsAddress()
	}
	for _, t := range b.prog.code {
		for _, in := range t.code {
			m.look(b, in)
		}
	}
	return m
}

// look records an instruction.
func (m *tensorMaps) look(b *builder, in *Instr) {
	if in.Op.Form == nil {
		return
	}
	copies := in.has("tensor")
	if o := in.place("map"); o != nil && o.Kind == Location && !copies {
		l := event.Physical(b.prog.Locs, o.Loc)
		m.isMap[l] = true
		v := in.source("value")
		m.points[l] = m.points[l] || v != nil && v.Kind == Location
		if from := in.place("from"); from != nil && from.Kind == Location {
			m.isMap[from.Loc] = true
			m.points[l] = m.points[l] || b.prog.Locs[from.Loc].Init.IsAddress()
		}
	}
	bar, ok := b.mbarrierOf(in)
	if !ok {
		return
	}
	bar = b.prog.replicas.first(bar)
	times := int64(1)
	if mask := in.source("ctas"); mask != nil && mask.Kind == Immediate {
		times = int64(bits.OnesCount16(uint16(mask.Int)))
	}
	known := func(name string) int64 {
		if o := in.source(name); o != nil && o.Kind == Immediate {
			return o.Int * times
		}
		return 0
	}
	switch {
	case copies:
		m.copies[bar] += times
	case in.has("expect_tx"):
		m.expected[bar] += known("bytes")
	default:
		m.copied[bar] += known("size")
	}
}

// box returns the number of bytes that a copy completes on its mbarrier.
func (m *tensorMaps) box(all replicas, in *Instr) int64 {
	o := in.place("bar")
	if o == nil || o.Kind != Location {
		return bulkUnit
	}
	bar := all.first(o.Loc)
	if n := m.copies[bar]; n > 0 && (m.expected[bar]-m.copied[bar])%n == 0 {
		return max(bulkUnit, (m.expected[bar]-m.copied[bar])/n)
	}
	return bulkUnit
}
