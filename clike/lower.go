package clike

import (
	"maps"
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/clike/syntax"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/src"
)

// lowerer turns the body of a thread into code.
type lowerer struct {
	dialect *dialect
	world   world
	source  syntax.Source
	thread  *Thread
	diags   src.Diagnostics
	loops   []*loop
	label   string // of the statement that is being lowered
	labels  map[string]int
	gotos   []jumpTo
	divides bool // a division has been lowered

	barriers []barrierUse

	// See order.go.
	begin   int           // of the full expression that is being lowered
	units   []unit        // of the thread
	pending []Instr       // side effects without a sequence point behind them yet
	settled map[Instr]int // of the full expression: where its side effects are over, as far as is known
	over    map[Instr]int // the same, of those before
}

// world is the part of the test that a thread can refer to.
type world interface {
	// location is the address of a location that the test declares outside of its threads.
	location(name string) (addr event.Value, ok bool)
	// initialRegister returns the initial value of a variable of the thread, whether the initial
	// state sets it, and whether the test mentions the variable at all.
	register(thread *Thread, name string) (v event.Value, set, mentioned bool)
	locationNames() []string
	seat() *frontend.Seat
	// barrier is the name and the count of the barrier at an address.
	barrier(at event.Value) (name string, count int)
}

// loop is the jumps of the break and continue statements of a loop.
type loop struct{ breaks, continues []*Jump }

// jumpTo is a goto whose label may not have been seen.
type jumpTo struct {
	*Jump
	from *syntax.Goto
}

// value is an expression and its type. It has no accesses left.
type value struct {
	Expr
	Type
	local Register // of &local, which only compare-exchange understands; else none
	wrong bool     // something is wrong with it, and has been said
}

func (l *lowerer) errorf(n interface{ At(syntax.Source) src.Span }, format string, args ...any) *src.Diagnostic {
	return l.diags.Errorf(n.At(l.source), format, args...)
}

func (l *lowerer) emit(i Instr) { l.thread.Code = append(l.thread.Code, i) }

func (l *lowerer) pc() int { return len(l.thread.Code) }

func (l *lowerer) here(n interface{ At(syntax.Source) src.Span }) Place {
	at := n.At(l.source)
	return Place{at.Start - l.source.Start, at.End - l.source.Start}
}

// declare makes a register; one without a name is a temporary.
func (l *lowerer) declare(name string, t Type) Register {
	if r := l.thread.Lookup(name); name != "" && r != None {
		l.thread.Types[r] = t // a variable of an inner block is the same register, as in herd
		return r
	}
	l.thread.Names = append(l.thread.Names, name)
	l.thread.Types = append(l.thread.Types, t)
	v := event.Int(0)
	if name != "" {
		if set, ok, _ := l.world.register(l.thread, name); ok {
			v = set
		}
	}
	l.thread.Initial = append(l.thread.Initial, v)
	return Register(len(l.thread.Names) - 1)
}

func (l *lowerer) temporary(t Type) Register { return l.declare("", t) }

func (l *lowerer) set(at Place, dst Register, x Expr) { l.emit(&Assign{at, dst, x}) }

// parameters declares the parameters. A pointer holds the address of the location of its name,
// unless the initial state sets it to something else.
func (l *lowerer) parameters(p *syntax.Params) {
	l.source = p.Source
	for _, p := range p.List {
		t := l.resolveType(p.Type)
		if p.Dim != nil {
			t.Pointers++
		}
		addr, known := l.world.location(p.Name)
		if t.Pointers == t.Inner && t.Reference { // int &x: the location itself, as by a pointer that is always dereferenced
			r := l.declare(p.Name, t)
			l.thread.Initial[r] = addr
			continue
		}
		r := l.declare(p.Name, t)
		if _, set, _ := l.world.register(l.thread, p.Name); !set && t.Pointers > 0 && known {
			l.thread.Initial[r] = addr
		}
	}
}

func (l *lowerer) body(b *syntax.Body) {
	l.source = b.Source
	l.labels = map[string]int{}
	l.statements(b.List)
	l.resolveJumps()
	l.checkBarriers()
	l.thread.Code.findJoins()
	l.thread.findFreedom(l.units, l.over)
}

// resolveJumps lets the jumps of goto lead to their labels, and those of return to the end.
func (l *lowerer) resolveJumps() {
	for _, j := range l.gotos {
		to, ok := l.labels[j.from.Label]
		if !ok {
			l.errorf(j.from, "unknown label %s", j.from.Label).Hint = src.DidYouMean(j.from.Label, sortedKeys(l.labels))
		}
		j.To = to
	}
	for _, i := range l.thread.Code {
		if j, ok := i.(*Jump); ok && j.To == toEnd {
			j.To = l.pc()
		}
	}
}

// toEnd is the target of a return until the end is known.
const toEnd = -1

func (l *lowerer) statements(list []syntax.Stmt) {
	for _, s := range list {
		l.statement(s)
	}
}

func (l *lowerer) statement(s syntax.Stmt) {
	l.begin = l.pc()
	switch s := s.(type) {
	case *syntax.Block:
		l.statements(s.List)
	case *syntax.If:
		l.ifElse(s)
	case *syntax.While:
		l.while(s, s.Cond, s.Body, nil)
	case *syntax.Do:
		l.doWhile(s)
	case *syntax.For:
		l.forLoop(s)
	case *syntax.Jump:
		l.jump(s)
	case *syntax.Goto:
		j := &Jump{Place: l.here(s)}
		l.emit(j)
		l.gotos = append(l.gotos, jumpTo{j, s})
	case *syntax.Labeled:
		l.labels[s.Label] = l.pc()
		l.label = s.Label
		if s.Stmt != nil {
			l.statement(s.Stmt)
		}
		l.label = ""
	case *syntax.Declaration:
		l.declaration(s)
	case *syntax.Evaluate:
		l.fullList(s.List)
	}
}

// branch emits a branch on a condition; its targets are to be filled in.
func (l *lowerer) branch(cond *syntax.List) *Branch {
	v := l.fullList(cond)
	b := &Branch{Place: l.here(cond), Cond: v.Expr}
	l.emit(b)
	return b
}

func (l *lowerer) ifElse(s *syntax.If) {
	b := l.branch(s.Cond)
	l.statement(s.Then)
	if s.Else == nil {
		b.Otherwise = l.pc()
		return
	}
	over := &Jump{Place: l.here(s.Else)}
	l.emit(over)
	b.Otherwise = l.pc()
	l.statement(s.Else)
	over.To = l.pc()
}

// while is a loop with its condition, which may be left out, at its head.
func (l *lowerer) while(at syntax.Stmt, cond *syntax.List, body syntax.Stmt, step *syntax.List) {
	head := l.pc()
	var b *Branch
	if cond != nil {
		b = l.branch(cond)
	}
	loop := l.loop(body)
	for _, j := range loop.continues {
		j.To = l.pc()
	}
	if step != nil {
		l.fullList(step)
	}
	l.emit(&Jump{l.here(at), head})
	if b != nil {
		b.Otherwise = l.pc()
	}
	l.leave(loop)
}

// loop lowers the body of a loop.
func (l *lowerer) loop(body syntax.Stmt) *loop {
	inner := &loop{}
	l.loops = append(l.loops, inner)
	l.statement(body)
	l.loops = l.loops[:len(l.loops)-1]
	return inner
}

// leave lets the breaks of a loop lead here, behind it.
func (l *lowerer) leave(inner *loop) {
	for _, j := range inner.breaks {
		j.To = l.pc()
	}
}

func (l *lowerer) doWhile(s *syntax.Do) {
	head := l.pc()
	inner := l.loop(s.Body)
	for _, j := range inner.continues {
		j.To = l.pc()
	}
	b := l.branch(s.Cond)
	l.emit(&Jump{l.here(s), head})
	b.Otherwise = l.pc()
	l.leave(inner)
}

func (l *lowerer) forLoop(s *syntax.For) {
	switch {
	case s.Decl != nil:
		l.declaration(s.Decl)
	case s.Init != nil:
		l.fullList(s.Init)
	}
	l.while(s, s.Cond, s.Body, s.Step)
}

func (l *lowerer) jump(s *syntax.Jump) {
	if s.Value != nil {
		l.fullList(s.Value)
	}
	j := &Jump{l.here(s), toEnd}
	if s.Word != "return" {
		if len(l.loops) == 0 {
			l.errorf(s, "%s stands in no loop", s.Word)
			return
		}
		inner := l.loops[len(l.loops)-1]
		if s.Word == "break" {
			inner.breaks = append(inner.breaks, j)
		} else {
			inner.continues = append(inner.continues, j)
		}
	}
	l.emit(j)
}

func (l *lowerer) declaration(s *syntax.Declaration) {
	base := l.resolveSpecifiers(s.Type.Specifiers)
	for _, p := range s.Type.Pointers {
		l.addPointer(&base, p)
	}
	auto := slices.ContainsFunc(s.Type.Specifiers, func(w *syntax.Specifier) bool { return w.Word == "auto" })
	for i, d := range s.List {
		t := base
		if i > 0 {
			t.Pointers = base.Pointers - len(s.Type.Pointers)
		}
		for _, p := range d.Pointers {
			l.addPointer(&t, p)
		}
		l.declarator(d, t, auto)
	}
}

// declarator declares one local and initialises it.
func (l *lowerer) declarator(d *syntax.Declarator, t Type, auto bool) {
	l.begin = l.pc()
	if t.Spaces != 0 && t.Pointers == 0 && !t.Reference {
		l.errorf(d, "%s is in memory that threads share, and not a variable of this one", d.Name).
			WithHint("make it a parameter of the threads; the initial state says what it holds, or how many elements it has")
		if d.Dim != nil {
			t = t.pointer()
		}
		l.declare(d.Name, t)
		return
	}
	if d.Dim != nil {
		l.errorf(d, "arrays of a thread's own are outside of the C of litmus tests").
			WithHint("declare the array in the initial state: int %s[2];", d.Name)
		l.declare(d.Name, t.pointer())
		return
	}
	if auto && l.makesReference(d) {
		t = Type{Reference: true}
	}
	if t.Reference {
		l.reference(d, t)
		return
	}
	if t.isObject() && t.Object != CxxGroup {
		l.errorf(d, "%s is an atomic object that no other thread can see", d.Name).
			WithHint("make it a parameter: cuda::atomic<int>* %s", d.Name)
		return
	}
	var v value
	switch {
	case d.Init != nil:
		v = l.full(d.Init)
	case len(d.Of) == 1:
		v = l.full(d.Of[0])
	case len(d.Of) == 0:
		l.declare(d.Name, t)
		return
	default:
		l.errorf(d, "%s has one initial value", d.Name)
		return
	}
	if auto && v.Expr != nil {
		t = v.Type
	}
	v = l.rvalue(d, v, t)
	l.set(l.here(d), l.declare(d.Name, t), l.convert(v, t).Expr)
}

// makesReference reports whether the initial value of a local stands for an object itself:
// cuda::atomic_ref<int>(*x).
func (l *lowerer) makesReference(d *syntax.Declarator) bool {
	if d.Init == nil {
		return false
	}
	p := d.Init.Unary().Plain()
	return p != nil && len(p.Suffixes) == 0 && p.Primary.Make != nil && l.resolveSpecifiers([]*syntax.Specifier{p.Primary.Make.Type}).Reference
}

// reference declares a local that stands for an object: cuda::atomic_ref<int> a(*x), int& r = *x.
func (l *lowerer) reference(d *syntax.Declarator, t Type) {
	of := d.Init
	if len(d.Of) == 1 {
		of = d.Of[0]
	}
	if of == nil {
		l.errorf(d, "%s stands for an object: say for which", d.Name).WithHint("write %s(*x)", d.Name)
		return
	}
	obj, ok := l.lvalue(of)
	if !ok || obj.addr == nil {
		l.errorf(of, "%s stands for an object in memory, and this is none", d.Name).WithHint("write %s(*x)", d.Name)
		return
	}
	t = l.refined(t, obj.Type)
	l.set(l.here(d), l.declare(d.Name, t), obj.addr)
}

// refined returns the type of a reference to an object of type of.
func (l *lowerer) refined(t, of Type) Type {
	t.Spaces |= of.Spaces
	t.Volatile = t.Volatile || of.Volatile
	t.Int, t.Pointers, t.Inner = of.Int, of.Pointers, of.Pointers
	if t.Object == Plain {
		t.Object, t.Scope, t.Inner = of.Object, of.Scope, of.Inner
	}
	return t
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// newValue returns a value that is no address of a local.
func newValue(x Expr, t Type) value { return value{Expr: x, Type: t, local: None} }

// zero returns the value 0.
func zero() value { return newValue(Constant(event.Int(0)), intType) }

// mistake stands for a value that an error has been reported for.
func mistake() value {
	v := zero()
	v.wrong = true
	return v
}

func number(n int64, t arith.Type) value {
	return newValue(Constant(event.Int(t.Wrap(n))), Type{Int: t})
}
