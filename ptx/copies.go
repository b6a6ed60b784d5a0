package ptx

import (
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend/path"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// This file has asynchronous copies (PTX ISA, "Data Movement and Conversion Instructions:
// Asynchronous copy"). The events of a copy are not in the program order of the thread that issues
// it: they belong to an agent (event.Event.Agent). The copy comes after what the thread did before
// it (issue). Of the later events, only those that wait for the copy come after it (complete).

// copies are the pages of cp.async.
var copies = map[string]page{
	"cp.async":              {(*walk).copyAsync, checkCopy},
	"cp.async.commit_group": {perform: (*walk).commitGroup},
	"cp.async.wait_group":   {(*walk).waitGroup, checkWait},
	"cp.async.wait_all":     {perform: (*walk).waitAll},
}

// groups are the asynchronous operations of one kind that a thread has issued: those without a
// group so far (open), and the groups in the order of their commits (closed). Each operation is a
// list of its events.
type groups struct {
	open   []int
	closed [][]int
}

// checkCopy checks the sizes of cp.async (PTX ISA, "cp.async").
func checkCopy(in *Instr) *src.Diagnostic {
	size := in.source("size")
	sizes := map[string][]int64{"ca": {4, 8, 16}, "cg": {16}}[in.Op.Words["level"]]
	if size.Kind == Immediate && slices.Contains(sizes, size.Int) {
		return nil
	}
	if in.Op.Words["level"] == "cg" {
		return src.Errorf(size.At, "cp.async.cg copies 16 bytes")
	}
	return src.Errorf(size.At, "cp.async.ca copies 4, 8 or 16 bytes")
}

func checkWait(in *Instr) *src.Diagnostic {
	if n := in.source("pending"); n.Kind != Immediate || n.Int < 0 {
		return src.Errorf(n.At, "%s takes a number of groups: a constant, 0 or more", in.Opcode)
	}
	return nil
}

// copyAsync executes cp.async: a load and a store of each element. What is not filled is zero.
func (w *walk) copyAsync(in *Instr) error {
	to, err := w.address(in, "to")
	if err != nil {
		return err
	}
	from, err := w.address(in, "from")
	if err != nil {
		return err
	}
	units, err := w.units(in, in.source("size"), to, from)
	if err != nil {
		return err
	}
	filled, err := w.filled(in, units)
	if err != nil {
		return err
	}
	agent := w.newAgent()
	for i := range units {
		a := agent
		if i >= filled {
			a.write(in, to.element(i), event.Const(event.Int(0)), nil)
			continue
		}
		a.copy(in, to.element(i), from.element(i))
	}
	w.copied.open = append(slices.Clip(w.copied.open), agent.events()...)
	return nil
}

// filled returns the number of units that a cp.async copies: those within the bytes that it reads,
// or 0 if a predicate makes it ignore its source.
func (w *walk) filled(in *Instr, units int) (int, error) {
	o := in.source("filled")
	if o == nil {
		return units, nil
	}
	v, err := w.operand(o)
	if err != nil {
		return 0, err
	}
	if w.isPredicate(o) {
		return w.unlessIgnored(in, v, units)
	}
	c, ok := v.Value.(event.Const)
	size := in.source("size").Int
	if !ok || event.Value(c).IsAddress() || c.Int < 0 || c.Int > size {
		return 0, src.Errorf(o.At, "the number of bytes that %s reads must be known, and from 0 to %d", in.Opcode, size)
	}
	if c.Int*int64(units)%size != 0 {
		return 0, src.Errorf(o.At, "%s reads a part of an element: %d of %d bytes", in.Opcode, c.Int, size).
			WithHint("a location stands for what a copy moves; declare arrays for copies of parts")
	}
	return int(c.Int * int64(units) / size), nil
}

// unlessIgnored returns units if a predicate is false, and 0 otherwise. If reads decide the
// predicate, the instruction is also walked on the other path.
func (w *walk) unlessIgnored(in *Instr, p path.Held, units int) (int, error) {
	ignored, other := w.decide(p.Value, true)
	if other != nil {
		if err := other.copyAsync(in); err != nil {
			return 0, err
		}
	}
	w.Guards = w.Guards.Union(p.From)
	if ignored {
		return 0, nil
	}
	return units, nil
}

// isPredicate reports whether an operand is a predicate: declared so, or set by a comparison.
func (w *walk) isPredicate(o *Operand) bool {
	return o.Kind == Register && (w.types[o.Text].Bits == 1 ||
		slices.ContainsFunc(w.code, func(in *Instr) bool { return in.Dst != nil && in.Dst.Text == o.Text && in.result().Bits == 1 }))
}

// commitGroup makes a group of the operations that are not yet in one.
func (w *walk) commitGroup(*Instr) error {
	w.copied.commit()
	return nil
}

// commit makes a group of the operations that are not yet in one.
func (g *groups) commit() {
	g.closed = append(slices.Clip(g.closed), g.open)
	g.open = nil
}

// waitGroup waits for all groups but the latest.
func (w *walk) waitGroup(in *Instr) error {
	w.waitFor(in, w.copied.but(in.source("pending").Int))
	return nil
}

// waitAll waits for all operations.
func (w *walk) waitAll(in *Instr) error {
	w.copied.commit()
	w.waitFor(in, w.copied.but(0))
	return nil
}

// but returns the events of all groups except the latest pending ones.
func (g *groups) but(pending int64) (events []int) {
	for i, group := range g.closed {
		if int64(len(g.closed)-i) > pending {
			events = append(events, group...)
		}
	}
	return events
}

// waitFor appends a wait for events. Waiting orders nothing else.
func (w *walk) waitFor(in *Instr, events []int) {
	n := w.Event(event.Event{Kind: event.Fence, Tags: waiting, Mnemonic: in.spelling()}, nil, nil, nil)
	for _, e := range events {
		w.Path.Complete = append(w.Path.Complete, event.Pair{e, n})
	}
}

// spelling returns an instruction with the operands that are no addresses.
func (in *Instr) spelling() string {
	words := []string{in.Opcode}
	for i := range in.Srcs {
		words = append(words, in.Srcs[i].Text)
	}
	return strings.Join(words, " ")
}

// pointer is an address that an instruction has in brackets, with the reads that it comes from.
type pointer struct {
	event.Expr
	from path.Deps
	at   src.Span
	left int // the number of elements from here to the end of the array; 0 if unknown
	one  bool
}

// address returns the address in a bracketed operand.
func (w *walk) address(in *Instr, name string) (pointer, error) {
	o := in.place(name)
	x, err := w.pointsTo(in, o)
	p := pointer{Expr: x.Value, from: x.From, at: o.At}
	c, known := x.Value.(event.Const)
	if err != nil || !known {
		return p, err
	}
	region, err := w.regionOf(o, event.Value(c))
	if err != nil {
		return p, err
	}
	if space := in.space(name); space != isa.Generic && space != region {
		return p, src.Errorf(o.At, "%s is not in the state space that %s names", o.Text, in.Opcode).
			WithHint("the memory map puts each location in global or shared memory: %s: shared", o.Text)
	}
	l, _ := event.Resolve(w.locs, event.Value(c))
	p.left = max(1, w.locs[l].Elems)
	p.one = w.locs[event.Value(c).Base].Elems <= 1
	return p, nil
}

// element returns the address of the i-th element.
func (p pointer) element(i int) pointer {
	if c, known := p.Expr.(event.Const); known {
		c.Int += int64(i) * event.ElemSize
		p.Expr = c
	}
	return p
}

// units returns the number of elements that an operation on size bytes moves. A location that is no
// array stands for the whole operand of a copy, so a copy from or to it moves one element. Between
// arrays, a copy moves elements of 4 bytes.
func (w *walk) units(in *Instr, size *Operand, places ...pointer) (int, error) {
	n := int(size.Int / event.ElemSize)
	for _, p := range places {
		if p.left == 0 || p.one {
			return 1, nil
		}
	}
	for _, p := range places {
		c := p.Expr.(event.Const)
		switch aligned := min(size.Int, bulkUnit); {
		case n > p.left:
			return 0, src.Errorf(p.at, "%s is about %d bytes, and there are %d from there on", in.Opcode, size.Int, p.left*event.ElemSize).
				WithHint("the elements of an array have %d bytes; a location that is no array stands for a whole copy", event.ElemSize)
		case c.Int%aligned != 0:
			return 0, src.Errorf(p.at, "%s is not aligned: its address is no multiple of %d bytes", in.Opcode, aligned).
				WithHint("the number of the first element is a multiple of %d", aligned/event.ElemSize)
		}
	}
	return n, nil
}

// bulkUnit is the largest alignment, in bytes; the size of a bulk copy is a multiple of it.
const bulkUnit = 16

// agent is an asynchronous operation that is being issued.
type agent struct {
	*walk
	number int
	first  int        // its first event
	tags   event.Tags // of its accesses

	unordered bool // it comes after fences for it alone (wgmma)
}

// newAgent begins an asynchronous operation.
func (w *walk) newAgent() *agent {
	w.agents++
	return &agent{walk: w, number: w.agents, first: len(w.Path.Events)}
}

// events returns the events of the operation so far.
func (a *agent) events() (all []int) {
	for e := a.first; e < len(a.Path.Events); e++ {
		all = append(all, e)
	}
	return all
}

// event appends an event of the operation. It comes after all that the thread did before.
func (a *agent) event(e event.Event, addr, data path.Deps) int {
	e.Agent = a.number
	n := a.walk.Event(e, addr, data, nil)
	for before := range a.first {
		if a.Path.Events[before].Agent == 0 && a.follows(before) {
			a.Path.Issue = append(a.Path.Issue, event.Pair{before, n})
		}
	}
	return n
}

// follows reports whether the operation comes after an event that the thread did before.
func (a *agent) follows(before int) bool {
	e := &a.Path.Events[before]
	return !a.unordered || before < a.fencedAt || isProxyFence(e) && ProxyOf(e) == isa.ProxyAsync
}

// copy makes a weak load and a weak store of the loaded value.
func (a *agent) copy(in *Instr, to, from pointer) {
	r := a.read(in, from)
	a.within(r, a.write(in, to, event.ReadOf(r), path.Deps{r}))
}

// read returns a weak load.
func (a *agent) read(in *Instr, from pointer) int {
	data := event.ReadOf(len(a.Path.Events))
	return a.event(event.Event{Kind: event.Read, Order: event.Weak, Tags: a.tags, Addr: from.Expr, Data: data, Mnemonic: in.Opcode}, from.from, nil)
}

// write returns a weak store.
func (a *agent) write(in *Instr, to pointer, data event.Expr, from path.Deps) int {
	return a.event(event.Event{Kind: event.Write, Order: event.Weak, Tags: a.tags, Addr: to.Expr, Data: data, Mnemonic: in.Opcode}, to.from, from)
}

// within orders an event of the operation before another.
func (a *agent) within(before, after int) {
	a.Path.Within = append(a.Path.Within, event.Pair{before, after})
}
