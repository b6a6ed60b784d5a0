package ptx

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// builder turns a test into a Program, collecting all that is wrong with it.
type builder struct {
	test  *litmus.Test
	prog  *Program
	diags src.Diagnostics
	uses  []map[event.Loc]src.Span // for each thread where it first mentions a location
}

// locations numbers the declared locations; the elements of an array are neighbours.
func (b *builder) locations() {
	for _, l := range b.test.Locations {
		b.addLocation(l.Name.Text, event.Region(l.Region), max(1, l.Size))
	}
	for _, l := range b.test.Locations {
		if l.Alias != nil {
			b.alias(l)
		}
	}
	for _, l := range b.test.Locations {
		first := b.prog.byName[l.Name.Text]
		for i := range max(1, l.Size) {
			v, ok := b.prog.value(l.Elem(i))
			if !ok {
				b.diags.Errorf(l.Name.Span, "%s is initialised to the address of an unknown location", l.Name.Text)
			}
			b.prog.locs[first+i].Init = v
		}
	}
}

func (b *builder) addLocation(name string, region event.Region, elems int) event.Loc {
	first := len(b.prog.locs)
	b.prog.byName[name] = first
	for i := range elems {
		l := event.Location{Name: name, Region: region, Init: event.Int(0)}
		if elems > 1 {
			l.Name, l.Elems = fmt.Sprintf("%s[%d]", name, i), elems-i
		}
		b.prog.locs = append(b.prog.locs, l)
	}
	return first
}

// alias makes a declared location another name of one.
func (b *builder) alias(l *litmus.Location) {
	proxy := modifiers[l.Alias.Proxy.Text]
	var m Mods
	proxy.apply(&m)
	first, of := b.prog.byName[l.Name.Text], b.prog.byName[l.Alias.Of.Text]
	for i := range max(1, l.Size) {
		b.prog.locs[first+i].Alias = &event.Alias{Of: of + i, Proxy: m.Proxy}
	}
}

func (b *builder) readThreads() {
	places := b.test.Places()
	for i, t := range b.test.Threads {
		p := places[i]
		b.prog.threads = append(b.prog.threads, event.Thread{
			Name: t.Name.Text, Device: p.Device, Kernel: p.Kernel, Cluster: p.Cluster, CTA: p.CTA, Warp: p.Warp,
		})
		b.uses = append(b.uses, map[event.Loc]src.Span{})
		code := &thread{name: t.Name.Text, id: t.ID, initial: map[string]event.Expr{}, types: map[string]Type{}, observed: map[string]bool{}}
		b.prog.code = append(b.prog.code, code)
		for _, r := range b.refs() {
			if r.Thread == i {
				code.observed[r.Name] = true
			}
		}
		b.readRegisters(i, code)
		b.readCells(t, code)
	}
	// What stands in brackets may be a location that nothing declares: all of them are
	// found before other operands are looked at, wherever the columns stand.
	for i, code := range b.prog.code {
		b.resolver(i, code).addresses(code)
	}
	for i, code := range b.prog.code {
		b.resolver(i, code).operands(code)
	}
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
			if v, ok = b.prog.value(*r.Init); !ok {
				b.diags.Errorf(r.Name.Span, "%s is initialised to the address of an unknown location", r.Name.Text)
			}
			if v.IsAddress() {
				b.use(thread, v.Base, r.Name.Span)
			}
		}
		if r.Type != "" {
			t, ok := typeOf(r.Type)
			if !ok {
				b.diags.Errorf(r.Name.Span, "register %s has the unsupported type .%s", r.Name.Text, r.Type).
					WithHint("registers are .s32 .u32 .b32 .s64 .u64 .b64 or .pred")
				continue
			}
			code.types[r.Name.Text] = t
			v = t.wrap(v)
		}
		code.initial[r.Name.Text] = event.Const(v)
	}
}

func typeOf(name string) (Type, bool) {
	m, ok := modifiers[name]
	if !ok || m.class != typeMod {
		return Type{}, false
	}
	var mods Mods
	m.apply(&mods)
	return mods.Types[0], true
}

// use notes that a thread can reach a location, and what that location points to.
func (b *builder) use(thread int, l event.Loc, at src.Span) {
	if _, ok := b.uses[thread][l]; ok {
		return
	}
	b.uses[thread][l] = at
	if a := b.prog.locs[l].Alias; a != nil {
		b.use(thread, a.Of, at)
	}
	if init := b.prog.locs[l].Init; init.IsAddress() {
		b.use(thread, init.Base, at)
	}
}

// readCells parses the column of a thread and binds branches to labels.
func (b *builder) readCells(t *litmus.Thread, code *thread) {
	labels := map[string]int{}
	for _, cell := range t.Cells {
		names, in, err := Parse(cell, b.test.Arch)
		b.diags.Add(err)
		code.broken = code.broken || err != nil
		for _, name := range names {
			if _, twice := labels[name.Text()]; twice {
				b.diags.Errorf(name, "label %s is defined twice in %s", name.Text(), t.Name.Text)
			}
			labels[name.Text()] = len(code.code)
		}
		if in == nil {
			continue
		}
		if err := cmp.Or(checkAtomic(in), checkBarrier(in), checkVector(in)); err != nil {
			b.diags.Add(err)
			code.broken = true
			continue
		}
		code.code = append(code.code, in.elements()...)
	}
	for _, in := range code.code {
		if in.Target == nil {
			continue
		}
		pc, ok := labels[in.Target.Text]
		if !ok {
			names := slices.Sorted(maps.Keys(labels))
			d := b.diags.Errorf(in.Target.At, "unknown label %s", in.Target.Text)
			d.Hint = src.DidYouMean(in.Target.Text, names)
		}
		in.TargetPC = pc
	}
}

// checkVector checks the types and registers of a vector access.
func checkVector(in *Instr) *src.Diagnostic {
	if in.Vector == nil {
		return nil
	}
	if in.Type(0).Bits == 64 {
		return src.Errorf(in.At, "%s has elements of 64 bits", in.Opcode).WithHint("muster has vectors of 32-bit elements")
	}
	for i, o := range in.Vector {
		if in.Name != "st" && in.Name != "sust" && slices.ContainsFunc(in.Vector[:i], func(p Operand) bool { return p.Text == o.Text }) {
			return src.Errorf(o.At, "%s loads two elements into %s", in.Opcode, o.Text)
		}
	}
	return nil
}

// elements takes a vector access apart into the scalar accesses that the memory model
// sees (PTX ISA, "Vector Data-types"); any other instruction is its only element. The
// register that the address comes from is loaded last.
func (in *Instr) elements() []*Instr {
	if in.Vector == nil {
		return []*Instr{in}
	}
	var elems []*Instr
	last := -1
	for i := range in.Vector {
		e := *in
		addr := *in.Addr
		addr.Offset += int64(i * event.ElemSize)
		e.Addr = &addr
		if in.Name == "st" || in.Name == "sust" {
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

// atomicArgs is how many operands each atomic operation takes after the address.
var atomicArgs = map[string]struct{ least, most int }{
	"cas": {2, 2}, "exch": {1, 1}, "add": {1, 1}, "sub": {1, 1}, "and": {1, 1}, "or": {1, 1}, "xor": {1, 1},
	"min": {1, 1}, "max": {1, 1}, "inc": {0, 1}, "dec": {0, 1},
}

// checkAtomic checks what the operation of an atomic asks for.
func checkAtomic(in *Instr) *src.Diagnostic {
	op := in.Mods.Atom
	if op == "" {
		return nil
	}
	if in.Name == "red" && (op == "cas" || op == "exch") {
		return src.Errorf(in.At, "red has no operation .%s", op).WithHint("red returns nothing: use atom.%s", op)
	}
	if n, want := len(in.Srcs), atomicArgs[op]; n < want.least || n > want.most {
		operands := "operands"
		if want.most == 1 {
			operands = "operand"
		}
		return src.Errorf(in.At, "%s.%s takes %d %s after the address, not %d", in.Name, op, want.most, operands, n)
	}
	return nil
}

// resolver decides for each operand of a thread whether it names a register or a
// location.
type resolver struct {
	*builder
	thread    int
	registers map[string]bool
}

func (b *builder) resolver(thread int, code *thread) *resolver {
	registers := map[string]bool{}
	for name := range code.initial {
		registers[name] = true
	}
	for _, in := range code.code {
		if in.Dst != nil {
			registers[in.Dst.Text] = true
		}
	}
	return &resolver{b, thread, registers}
}

func (r *resolver) addresses(code *thread) {
	for _, in := range code.code {
		if in.Addr != nil {
			r.address(in)
		}
	}
}

func (r *resolver) operands(code *thread) {
	for _, in := range code.code {
		if in.Guard != nil {
			r.register(&in.Guard.Reg)
		}
		if in.Dst != nil {
			r.register(in.Dst)
		}
		for i := range in.Srcs {
			r.source(&in.Srcs[i])
		}
	}
}

func (r *resolver) register(o *Operand) {
	o.Kind = Register
	if !r.registers[o.Text] {
		r.unset(o)
	}
}

// source resolves a source operand: a register, or the address of a location.
func (r *resolver) source(o *Operand) {
	switch {
	case o.Kind == Immediate:
	case r.registers[o.Text]:
		o.Kind = Register
	case r.location(o):
	default:
		r.unset(o)
	}
}

// address resolves an address. Names that the test declares nowhere are locations too,
// as in the paper's figures, unless they look like registers. Without brackets, a
// register is no address: a load moves it.
func (r *resolver) address(in *Instr) {
	o := in.Addr
	switch {
	case r.registers[o.Text] && o.Bare:
		r.move(in)
	case r.registers[o.Text]:
		o.Kind = Register
	case r.location(o):
	case looksLikeRegister.MatchString(o.Text):
		r.unset(o)
	case r.misspelt(o):
	default:
		r.addLocation(o.Text, event.Global, 1)
		r.location(o)
	}
}

// misspelt reports a name without declaration that is nearly that of a declared location.
// Names of one or two letters are near to any other.
func (r *resolver) misspelt(o *Operand) bool {
	const telling = 3
	near := src.DidYouMean(o.Text, slices.Sorted(maps.Keys(r.prog.byName)))
	if len(o.Text) < telling || near == "" {
		return false
	}
	r.diags.Errorf(o.At, "the test declares no location %s", o.Text).Hint = near
	return true
}

// move turns "ld r1, r2" of litmus tests into what it means.
func (r *resolver) move(in *Instr) {
	if in.Name != "ld" || !in.plain {
		r.diags.Errorf(in.Addr.At, "%s is a register, not a location", in.Addr.Text).
			WithHint("write [%s] for the location that it points to", in.Addr.Text)
		return
	}
	in.Srcs, in.Addr = []Operand{{Text: in.Addr.Text, At: in.Addr.At}}, nil
}

var looksLikeRegister = regexp.MustCompile(`^(%.*|(r|rd|p|pred)[0-9]+)$`)

func (r *resolver) location(o *Operand) bool {
	l, ok := r.prog.byName[o.Text]
	if ok {
		o.Kind, o.Loc = Location, l
		r.use(r.thread, l, o.At)
	}
	return ok
}

func (r *resolver) unset(o *Operand) {
	d := r.diags.Errorf(o.At, "register %s is used before it is declared or set", o.Text)
	d.Hint = src.DidYouMean(o.Text, slices.Sorted(maps.Keys(r.registers)))
	if d.Hint == "" {
		d.WithHint("declare it in the initial state: %d:.reg .s32 %s;", r.test.Threads[r.thread].ID, o.Text)
	}
}

// checkRegions reports shared locations that threads of two CTAs can reach: each
// CTA has a shared memory of its own (ASPLOS 2015, Sec. 2.2).
func (b *builder) checkRegions() {
	for _, l := range b.test.Locations {
		if l.Region != litmus.Shared {
			continue
		}
		loc := b.prog.byName[l.Name.Text]
		first := -1
		for t := range b.uses {
			at, used := b.uses[t][loc]
			switch {
			case !used:
			case first < 0:
				first = t
			case b.prog.threads[first].CTA != b.prog.threads[t].CTA:
				b.diags.Errorf(at, "%s is in shared memory, but %s and %s, which both reach it, are in different CTAs",
					l.Name.Text, b.prog.threads[first].Name, b.prog.threads[t].Name).
					WithHint("put them under one cta in the scope tree, or say %s: global in the memory map", l.Name.Text)
			}
		}
	}
}

// checkSizes reports, in tests of scoped PTX, accesses of 64 bits to a location that others access with 32, or
// that is an element of an array of 32-bit ones: of accesses of mixed sizes the models
// say nothing. It looks at types that are written, and addresses that are named.
func (b *builder) checkSizes() {
	if b.test.Arch != "PTX" {
		return
	}
	narrow := map[event.Loc]bool{}
	each := func(bits int, visit func(*Instr, event.Loc)) {
		for _, t := range b.prog.code {
			for _, in := range t.code {
				if in.Addr != nil && in.Addr.Kind == Location && len(in.Mods.Types) > 0 && in.Type(0).Bits == bits {
					visit(in, event.Physical(b.prog.locs, in.Addr.Loc))
				}
			}
		}
	}
	each(32, func(_ *Instr, l event.Loc) { narrow[l] = true })
	each(64, func(in *Instr, l event.Loc) {
		if narrow[l] || b.prog.locs[l].Elems > 1 {
			b.diags.Errorf(in.At, "%s accesses 64 bits of %s, and %s 32", in.Opcode, in.Addr.Text, others(narrow[l])).
				WithHint("accesses of mixed sizes are not supported")
		}
	})
}

// others says what has 32 bits where an access has 64.
func others(accesses bool) string {
	if accesses {
		return "other accesses have"
	}
	return "the elements of an array have"
}

// checkMap reports names that only the memory map mentions: a slip that would leave the
// location that was meant in the wrong region.
func (b *builder) checkMap() {
	mentioned := map[event.Loc]bool{}
	for _, used := range b.uses {
		for l := range used {
			mentioned[l] = true
		}
	}
	for _, r := range b.refs() {
		if l, ok := b.prog.byName[r.Name]; ok && r.Thread < 0 {
			mentioned[l] = true
		}
	}
	for _, l := range b.test.Locations {
		afterProgram := l.Name.Start > b.test.Threads[0].Name.Start
		if afterProgram && !mentioned[b.prog.byName[l.Name.Text]] {
			names := slices.Sorted(maps.Keys(b.prog.byName))
			d := b.diags.Errorf(l.Name.Span, "nothing but the memory map mentions the location %s", l.Name.Text)
			if d.Hint = src.DidYouMean(l.Name.Text, names); d.Hint == "" {
				d.WithHint("the test's locations are %s", strings.Join(names, " "))
			}
		}
	}
}

// checkRefs checks that the condition speaks of registers and locations that the
// test mentions.
func (b *builder) checkRefs() {
	for _, r := range b.refs() {
		if r.Thread >= 0 {
			b.checkRegisterRef(r)
			continue
		}
		if _, ok := b.prog.Loc(r.Name, r.Index); ok {
			continue
		}
		names := slices.Sorted(maps.Keys(b.prog.byName))
		d := b.diags.Errorf(r.At, "the test has no location %s", r.Name)
		if d.Hint = src.DidYouMean(r.Name, names); d.Hint == "" {
			d.WithHint("its locations are %s", strings.Join(names, " "))
		}
	}
}

// refs lists what the condition, the filter and the locations clause mention, where
// they mention it.
func (b *builder) refs() []litmus.Ref {
	refs := slices.Clone(b.test.Observed)
	add := func(r *litmus.Ref) { refs = append(refs, *r) }
	litmus.EachRef(b.test.Cond.Prop, add)
	litmus.EachRef(b.test.Filter, add)
	return refs
}

func (b *builder) checkRegisterRef(r litmus.Ref) {
	t := b.prog.code[r.Thread]
	names := map[string]bool{}
	for name := range t.initial {
		names[name] = true
	}
	for _, in := range t.code {
		if in.Dst != nil {
			names[in.Dst.Text] = true
		}
	}
	if names[r.Name] || t.broken {
		return
	}
	sorted := slices.Sorted(maps.Keys(names))
	d := b.diags.Errorf(r.At, "%s has no register %s", t.name, r.Name)
	if d.Hint = src.DidYouMean(r.Name, sorted); d.Hint == "" && len(sorted) > 0 {
		d.WithHint("its registers are %s", strings.Join(sorted, " "))
	}
}
