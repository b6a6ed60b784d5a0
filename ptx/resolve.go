package ptx

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// builder turns a test into a Program, collecting all that is wrong with it.
type builder struct {
	test   *litmus.Test
	refs   []litmus.Ref // what the test mentions outside its program
	prog   *Program
	seats  []frontend.Seat
	fresh  []*thread // the threads that no other test has shared
	shared bool      // there are others
	diags  src.Diagnostics
}

// locations numbers the declared locations; the elements of an array are neighbours.
func (b *builder) locations() {
	b.prog.Locs = make([]event.Location, 0, len(b.test.Locations)) // or more, if there are arrays
	for _, l := range b.test.Locations {
		b.addLocation(l.Name.Text, l.Region, max(1, l.Size))
	}
	for _, l := range b.test.Locations {
		if l.Alias != nil {
			b.alias(l)
		}
	}
	b.prog.Init(b.test, func(l *litmus.Location) {
		b.diags.Errorf(l.Name.Span, "%s is initialised to the address of an unknown location", l.Name.Text)
	})
}

func (b *builder) addLocation(name string, region litmus.Region, elems int) {
	b.prog.Add(name, region, elems, elems > 1)
}

// alias makes a declared location another name of one.
func (b *builder) alias(l *litmus.Location) {
	through := l.Alias.Proxy.Text
	if through == isa.ProxyGeneric.String() {
		through = ""
	}
	first, _ := b.prog.Named(l.Name.Text)
	of, _ := b.prog.Named(l.Alias.Of.Text)
	for i := range max(1, l.Size) {
		b.prog.Locs[first+i].Alias = &event.Alias{Of: of + i, Through: through}
	}
}

// readThreads reads the columns of the threads. A thread that an earlier test also has is shared:
// it is already read and its loops are unrolled.
func (b *builder) readThreads() {
	b.prog.Threads = frontend.Threads(b.test)
	b.prog.code = make([]*thread, 0, len(b.test.Threads))
	b.seats = frontend.Seats(b.test, b.prog.Threads)
	b.prog.seats = b.seats
	keys := b.keys()
	defer keys.release()
	for i := range b.test.Threads {
		key := keys.of(i, &b.seats[i], b.refs)
		part, shared := b.prog.opts.Shared.Find(key.anywhere())
		if !shared {
			part, shared = b.prog.opts.Shared.Find(key.text)
		}
		if shared {
			b.shared = true
			b.prog.code = append(b.prog.code, part.(*thread))
			continue
		}
		code := b.readThread(i)
		code.where, code.key = &b.seats[i], key.clone()
		b.fresh = append(b.fresh, code)
		b.prog.code = append(b.prog.code, code)
	}
	b.replicate()
	// What stands in brackets may be a location that nothing declares: all of them are
	// found before other operands are looked at, wherever the columns stand.
	for _, code := range b.fresh {
		b.resolver(code).addresses()
	}
	for _, code := range b.fresh {
		b.resolver(code).operands()
	}
}

// readThread reads the column of a thread, and what the rest of the test says about it.
func (b *builder) readThread(i int) *thread {
	t := b.test.Threads[i]
	code := &thread{
		name: t.Name.Text, id: t.ID, initial: map[string]event.Expr{}, types: map[string]Type{},
		uses: map[event.Loc]src.Span{}, remote: map[event.Loc]src.Span{}, observed: map[string]bool{},
	}
	for _, r := range b.refs {
		if r.Thread == i {
			code.observed[r.Name] = true
		}
	}
	b.readRegisters(i, code)
	b.readCells(t, code)
	code.findRegisters()
	return code
}

// readRegisters takes over what the initial state says about registers.
func (b *builder) readRegisters(thread int, code *thread) {
	for _, r := range b.test.Registers {
		if r.Thread != thread {
			continue
		}
		v := event.Int(0)
		if r.Init != nil {
			var ok bool
			if v, ok = b.prog.FromText(*r.Init); !ok {
				b.diags.Errorf(r.Name.Span, "%s is initialised to the address of an unknown location", r.Name.Text)
			}
			if v.IsAddress() {
				b.use(code, v.Base, r.Name.Span)
			}
		}
		if r.Type != "" {
			t := typeOf(r.Type)
			code.types[r.Name.Text] = t
			v = kept(t, v)
		}
		code.initial[r.Name.Text] = event.Const(v)
	}
}

// typeOf returns the type of that name; package litmus knows all names of types.
func typeOf(name string) Type {
	said := Instr{Op: isa.Says(name, isa.TypeMod)}
	return said.Type(0)
}

// use records that a thread can access a location, and the location that it points to.
func (b *builder) use(code *thread, l event.Loc, at src.Span) {
	if _, ok := code.uses[l]; ok {
		return
	}
	code.uses[l] = at
	if a := b.prog.Locs[l].Alias; a != nil {
		b.use(code, a.Of, at)
	}
	if init := b.prog.Locs[l].Init; init.IsAddress() {
		b.use(code, init.Base, at)
	}
}

// readCells parses the column of a thread and binds branches to labels.
func (b *builder) readCells(t *litmus.Thread, code *thread) {
	column := b.newColumn(t, code)
	for _, cell := range t.Cells {
		_, in, err := readCell(cell, b.test.Arch, column)
		b.diags.Add(err)
		code.broken = code.broken || err != nil
		if in == nil {
			continue
		}
		if err := cmp.Or(checkFloats(in), checkAtomic(in), checkArithmetic(in), checkBarrier(in), checkVector(in)); err != nil {
			b.diags.Add(err)
			code.broken = true
			continue
		}
		if in.Target != nil {
			column.open = append(column.open, in)
		}
		code.code = append(code.code, in.elements()...)
		code.placed = code.placed || in.Op.Form != nil // such as those of mbarriers
		code.sized = code.sized || in.Addr != nil && (in.Type(0).Bits == 64 || narrow(in.Type(0)))
	}
	column.end()
}

// elements takes a vector access apart into the scalar accesses that the memory model
// sees (PTX ISA, "Vector Data-types"); any other instruction is its only element. The
// register that the address comes from is loaded last.
func (in *Instr) elements() []*Instr {
	if in.Vector == nil {
		return []*Instr{in}
	}
	if in.Op.Code == isa.Mov {
		return in.parts()
	}
	var elems []*Instr
	last := -1
	for i := range in.Vector {
		e := *in
		addr := *in.Addr
		e.inVector = int64(i * event.ElemSize)
		addr.Offset += e.inVector
		e.Addr = &addr
		if in.stores() {
			e.Srcs = in.Vector[i : i+1]
		} else {
			e.Dst = &in.Vector[i]
			if e.Dst.Text == addr.Text {
				last = i
			}
		}
		elems = append(elems, &e)
	}
	if last >= 0 {
		e := elems[last]
		elems = append(slices.Delete(elems, last, last+1), e)
	}
	for i, e := range elems {
		e.Element = i
	}
	return elems
}

// parts returns one instruction for each part of an unpacked value. The part that overwrites the
// register with the value comes last.
func (in *Instr) parts() (all []*Instr) {
	var last []*Instr
	for i := range in.Vector {
		part := *in
		part.Vector, part.Dst, part.formula = nil, &in.Vector[i], in.Op.Part(i, len(in.Vector))
		switch part.Dst.Text {
		case "_": // the part is discarded
		case in.Srcs[0].Text:
			last = append(last, &part)
		default:
			all = append(all, &part)
		}
	}
	return append(all, last...)
}

// VectorAddr returns the address of the vector access that in is an element of.
func (in *Instr) VectorAddr() Operand {
	o := *in.Addr
	o.Offset -= in.inVector
	return o
}

// resolver decides for each operand of a thread whether it names a register or a
// location.
type resolver struct {
	*builder
	*thread
}

func (b *builder) resolver(code *thread) *resolver { return &resolver{b, code} }

// findRegisters finds the registers that the initial state declares or some instruction sets.
func (t *thread) findRegisters() {
	t.registers = map[string]bool{}
	for name := range t.initial {
		t.registers[name] = true
	}
	for _, in := range t.code {
		for _, o := range in.sets() {
			t.registers[o.Text] = true
		}
	}
}

func (r *resolver) addresses() {
	for _, in := range r.code {
		switch o := in.Addr; {
		case o == nil:
		case r.registers[o.Text] && o.Bare: // without brackets, a register is no address: a load moves it
			r.move(in)
		default:
			r.place(in, o, litmus.Global)
		}
		for i := range in.Places {
			o := &in.Places[i]
			r.place(in, o, in.region(o.Role))
		}
	}
}

func (r *resolver) operands() {
	for _, in := range r.code {
		if in.Guard != nil {
			r.register(&in.Guard.Reg)
		}
		if in.Dst != nil {
			r.destination(in, in.Dst)
		}
		for i := range in.More {
			r.destination(in, &in.More[i])
		}
		for i := range in.Srcs {
			if o := &in.Srcs[i]; r.registers[o.Text] || !in.reachesCluster(o) || !r.reached(in, o) {
				r.source(o)
			}
		}
		if in.Vote != nil {
			r.source(in.Vote)
		}
	}
}

func (r *resolver) register(o *Operand) {
	o.Kind = Register
	if !r.registers[o.Text] {
		r.unset(o)
	}
}

// destination resolves a register that an instruction sets. A name that is also a location is an
// error unless the test declares the register: most likely the author means to write to the
// location.
func (r *resolver) destination(in *Instr, o *Operand) {
	_, declared := r.initial[o.Text]
	if _, named := r.prog.Named(o.Text); named && !declared {
		r.diags.Errorf(o.At, "%s sets a register, and %s is a location", in.name, o.Text).
			WithHint("write st to store to it, or give the register a name of its own; one that is meant is declared: %d:.reg .s32 %s;", r.id, o.Text)
	}
	r.register(o)
}

// source resolves a source operand: a register, or the address of a location.
func (r *resolver) source(o *Operand) {
	switch {
	case o.Kind == Immediate:
	case r.registers[o.Text]:
		o.Kind = Register
	case r.location(o):
	default:
		if value, ok := special(r.seat(), o.Text); ok {
			o.Kind, o.Int = Immediate, value
			return
		}
		r.unset(o)
	}
}

// place resolves an address. A name that the test does not declare is a location of the given
// region, as in the paper's figures, unless it looks like a register.
func (r *resolver) place(in *Instr, o *Operand, undeclared litmus.Region) {
	switch {
	case r.registers[o.Text]:
		o.Kind = Register
	case r.reached(in, o):
	case looksLikeRegister(o.Text):
		r.unset(o)
	case r.misspelt(o):
	default:
		r.addLocation(o.Text, undeclared, 1)
		r.reached(in, o)
	}
}

// reached resolves the name of a location that an instruction accesses.
func (r *resolver) reached(in *Instr, o *Operand) bool {
	if !in.reachesCluster(o) {
		return r.location(o)
	}
	l, ok := r.named(o.Text)
	if ok {
		o.Kind, o.Loc = Location, l
		if _, before := r.thread.remote[l]; !before {
			r.thread.remote[l] = o.At
		}
	}
	return ok
}

// named finds a location by name; of one that several CTAs have, that of the thread.
func (r *resolver) named(name string) (event.Loc, bool) {
	l, ok := r.prog.Named(name)
	if own, has := r.owned[l]; ok && has {
		l = own
	}
	return l, ok
}

// misspelt reports a name without declaration that is nearly that of a declared location.
// Names of one or two letters are near to any other.
func (r *resolver) misspelt(o *Operand) bool {
	const telling = 3
	near := src.DidYouMean(o.Text, r.prog.LocNames())
	if len(o.Text) < telling || near == "" {
		return false
	}
	r.diags.Errorf(o.At, "the test declares no location %s", o.Text).Hint = near
	return true
}

// move translates "ld r1, r2" of litmus tests into a move. Any other access by a bare register is
// an error.
func (r *resolver) move(in *Instr) {
	if in.Op.Code != isa.Ld || in.Op.Proxy != isa.ProxyGeneric || !in.Op.SaysOnly(0) {
		r.diags.Errorf(in.Addr.At, "%s is a register, not a location", in.Addr.Text).
			WithHint("write [%s] for the location that it points to", in.Addr.Text)
		return
	}
	in.Srcs, in.Addr = []Operand{{Text: in.Addr.Text, At: in.Addr.At}}, nil
	in.compile()
}

// looksLikeRegister reports whether a name is typical of registers rather than locations: r1, rd2,
// p0, pred3, %tid.
func looksLikeRegister(name string) bool {
	kind := strings.TrimRight(name, "0123456789")
	numbered := kind != name && slices.Contains([]string{"r", "rd", "p", "pred"}, kind)
	return numbered || strings.HasPrefix(name, "%")
}

func (r *resolver) location(o *Operand) bool {
	l, ok := r.named(o.Text)
	if ok {
		o.Kind, o.Loc = Location, l
		r.use(r.thread, l, o.At)
	}
	return ok
}

func (r *resolver) unset(o *Operand) {
	d := unset(o, r.id)
	near := cmp.Or(refused[o.Text], unmodelled(o.Text), src.DidYouMean(o.Text, slices.Concat(slices.Sorted(maps.Keys(r.registers)), specialNames())))
	d.Hint = cmp.Or(near, d.Hint)
	r.diags.Add(d)
}
