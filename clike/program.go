// Package clike is the front end for tests in C: those of herd and Dartagnan for C11 and for OpenCL
// C, and those in CUDA C++.
//
//	New      reads the program of a test
//	Lower    reads it as far as code
//	Program  its threads as code, and what that means: events on control paths
//	Thread   the code of a thread: a list of Instr over Registers and Expr
//
// A thread goes through three forms. Package syntax parses its text into a tree. The tree is
// lowered to code: a list of instructions that each access memory at most once (lower.go,
// expressions.go, calls.go, operations.go). The code is walked along its control paths (walk.go),
// and each access becomes an event; threads meet at barriers (barriers.go).
//
// The meaning of a program is that of C11, OpenCL C 2.0 and CUDA C++, as far as litmus tests use
// them; docs/c.md says where the tests' dialects differ.
package clike

import (
	_ "embed" // unsequencedText
	"errors"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/clike/syntax"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/frontend/path"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// Program is a test whose threads are read, and walked unless it comes from Lower.
type Program struct {
	path.Program
	Code []*Thread

	opts    frontend.Options
	dialect *dialect
	tags    []event.Tags // of the initial write of each location
	types   []arith.Type // of what each location holds
	whole   bool         // all accesses have one width

	unsequenced bool // some path has accesses that nothing sequences
}

// New reads the program of a test and walks its control paths. The error is a src.Diagnostics with
// all errors, a *frontend.PathLimitError, or that of Options.Stop.
func New(t *litmus.Test, opts frontend.Options) (*Program, error) {
	p, err := lower(t, opts)
	if err != nil {
		return nil, err
	}
	p.whole = p.oneWidth()
	for _, code := range p.Code {
		paths := code.paths
		if paths == nil || !p.whole {
			if paths, err = p.pathsOf(code); err != nil {
				return nil, err
			}
		}
		p.Paths = append(p.Paths, paths)
		p.Known = append(p.Known, code.Code.barriers())
		p.unsequenced = p.unsequenced || slices.ContainsFunc(paths, func(p *path.Path) bool { return len(p.Unsequenced) > 0 })
	}
	p.Joined = p.structure
	p.share()
	return p, nil
}

// pathsOf walks the control paths of a thread.
func (p *Program) pathsOf(t *Thread) ([]*path.Path, error) {
	paths, err := p.start(t).Follow()
	var limit *frontend.PathLimitError
	if errors.As(err, &limit) && t.LeavesOrderOpen() {
		limit.Hint = "fewer calls in one expression help, because C makes them in any order"
	}
	return paths, err
}

// Lower reads the program of a test without walking its control paths. The error is a
// src.Diagnostics with all errors.
func Lower(t *litmus.Test) (*Program, error) { return lower(t, frontend.Options{}) }

func lower(t *litmus.Test, opts frontend.Options) (*Program, error) {
	p := &Program{Program: path.Program{Test: t, Barriers: barrierRules, Vocabulary: opts.Vocabulary}, dialect: dialectOf(t.Format), opts: opts}
	b := &builder{Program: p}
	b.read()
	return p, b.diags.Err()
}

// oneWidth reports whether all accesses have one width, so that what they read needs no conversion.
func (p *Program) oneWidth() bool {
	widths := map[int]bool{}
	for _, t := range p.Code {
		for _, in := range t.Code {
			if a := accessOf(in); a != nil {
				widths[a.Type.Bits] = true
			}
		}
	}
	return len(widths) <= 1
}

// accessOf returns how an instruction accesses memory; nil if it does not.
func accessOf(in Instr) *Access {
	switch in := in.(type) {
	case *Load:
		return &in.Access
	case *Store:
		return &in.Access
	case *Update:
		return &in.Access
	case *Swap:
		return &in.Access
	}
	return nil
}

// builder turns a test into a Program, collecting all that is wrong with it.
type builder struct {
	*Program
	seats []frontend.Seat // seats of the threads, computed on first use
	diags src.Diagnostics
}

func (b *builder) read() {
	params := b.parameters()
	b.locations(params)
	b.Threads = frontend.Threads(b.Test)
	keys, refs := b.keys(), b.Test.Mentions()
	for i, t := range b.Test.Threads {
		code := b.thread(t, keys.of(i, refs), func() *Thread { return b.readThread(i, params[i], refs) })
		b.Code = append(b.Code, code)
		b.noteParams(code)
	}
	b.wrapInits()
	b.checkLocations(refs)
	b.checkUndeclared(params, refs)
	b.checkAddresses(params, refs)
	b.checkShared(params)
}

// readThread reads the code of a thread. If there is an error in its text, the thread has no code.
func (b *builder) readThread(i int, params *syntax.Params, refs []litmus.Ref) *Thread {
	t := b.Test.Threads[i]
	code := &Thread{Name: t.Name.Text, Observed: map[Register]bool{}, Source: t.Body}
	body, err := parsed(b.opts.Shared, "{", t.Body, syntax.ParseBody)
	if err != nil {
		b.diags.Add(err)
	}
	if params == nil || body == nil {
		return code
	}
	l := &lowerer{dialect: b.dialect, world: &view{b, i, refs}, thread: code}
	l.parameters(params)
	code.params = len(code.Names)
	l.body(body)
	b.diags.Add(l.diags)
	b.observe(i, code, refs)
	return code
}

// checkLocations checks that the test has the locations that the condition mentions.
func (b *builder) checkLocations(refs []litmus.Ref) {
	for _, r := range refs {
		if _, ok := b.Loc(r.Name, r.Index); ok || r.Thread >= 0 {
			continue
		}
		b.diags.Add(b.NoLocation(r, b.Test.Threads, func(thread int, name string) bool { return b.Code[thread].Lookup(name) != None }))
	}
}

// parameters reads the parameters of the threads.
func (b *builder) parameters() []*syntax.Params {
	params := make([]*syntax.Params, len(b.Test.Threads))
	for i, t := range b.Test.Threads {
		var err error
		if params[i], err = parsed(b.opts.Shared, "(", t.Params, syntax.ParseParams); err != nil {
			b.diags.Add(err)
		}
	}
	return params
}

// locations numbers the locations: first those that the test declares, then those that are only
// parameters.
func (b *builder) locations(params []*syntax.Params) {
	for _, l := range b.Test.Locations {
		b.addLocation(l.Name.Text, max(1, l.Size), l.Size > 0)
		if l.Alias != nil {
			b.diags.Errorf(l.Alias.Of.Span, "locations of C have one name")
		}
	}
	for i, list := range params {
		if list == nil {
			continue
		}
		for _, p := range list.List {
			if _, known := b.Named(p.Name); !known && b.initialRegister(i, p.Name) == nil {
				b.addLocation(p.Name, 1, false)
			}
		}
	}
	b.Init(b.Test, func(l *litmus.Location) {
		b.diags.Errorf(l.Name.Span, "%s is initialised to the address of an unknown location", l.Name.Text)
	})
}

func (b *builder) addLocation(name string, elems int, array bool) {
	b.Add(name, litmus.Global, elems, array)
	for range elems {
		b.tags = append(b.tags, 0)
		b.types = append(b.types, arith.S32)
	}
}

// noteParams records the address spaces and types that the parameters give to locations.
func (b *builder) noteParams(code *Thread) {
	for r, t := range code.Types[:code.params] {
		l := code.Initial[r].Base
		if code.Names[r] == "" || !code.Initial[r].IsAddress() {
			continue
		}
		for i := range max(1, b.Locs[l].Elems) {
			b.tags[l+i] |= t.Spaces
			if t.Pointers == 1 || t.Pointers == 0 && t.Reference {
				b.types[l+i] = wider(b.types[l+i], t.Int)
			} else {
				b.types[l+i] = arith.S64
			}
			if t.Spaces&inLocal != 0 {
				b.Locs[l+i].Region = litmus.Shared
			}
		}
	}
}

func wider(a, b arith.Type) arith.Type {
	if a == arith.S32 || b.Bits > a.Bits {
		return b
	}
	return a
}

// wrapInits brings initial values into the form in which memory holds them.
func (b *builder) wrapInits() {
	for i := range b.Locs {
		if b.tags[i] == 0 {
			b.tags[i] = inGlobal
		}
		b.Locs[i].Init = kept(b.types[i], b.Locs[i].Init)
	}
}

// kept returns a value of type t as memory holds it.
func kept(t arith.Type, v event.Value) event.Value {
	if !t.Signed && 1 < t.Bits && t.Bits < 32 && !v.IsAddress() {
		return event.Int(v.Int & (1<<t.Bits - 1))
	}
	return v.Wrap(t)
}

// initialRegister returns what the initial state says of a register; nil if it says nothing.
func (p *Program) initialRegister(thread int, name string) *litmus.Register {
	for _, r := range p.Test.Registers {
		if r.Thread == thread && r.Name.Text == name {
			return r
		}
	}
	return nil
}

// observe checks that the registers in the condition exist, and records them.
func (b *builder) observe(i int, code *Thread, refs []litmus.Ref) {
	for _, ref := range refs {
		if ref.Thread != i {
			continue
		}
		if r := code.Lookup(ref.Name); r != None {
			code.Observed[r] = true
			continue
		}
		names := slices.DeleteFunc(slices.Clone(code.Names), func(n string) bool { return n == "" })
		d := b.diags.Errorf(ref.At, "%s has no variable %s", code.Name, ref.Name)
		if d.Hint = src.DidYouMean(ref.Name, names); d.Hint == "" {
			d.WithHint("its variables are %s", strings.Join(names, " "))
		}
	}
}

// view is the part of the test that a thread can refer to.
type view struct {
	*builder
	index int
	refs  []litmus.Ref
}

func (v *view) location(name string) (event.Value, bool) {
	l, ok := v.Named(name)
	return event.AddressOf(l), ok
}

func (v *view) locationNames() []string { return v.LocNames() }

func (v *view) register(_ *Thread, name string) (value event.Value, set, mentioned bool) {
	for _, r := range v.refs {
		mentioned = mentioned || r.Thread == v.index && r.Name == name
	}
	r := v.initialRegister(v.index, name)
	if r == nil {
		return event.Value{}, false, mentioned
	}
	if r.Init == nil {
		return event.Value{}, false, true
	}
	value, ok := v.FromText(*r.Init)
	if !ok {
		v.diags.Errorf(r.Name.Span, "%s is initialised to the address of an unknown location", name)
	}
	return value, true, true
}

// seat returns where the thread is.
func (v *view) seat() *frontend.Seat {
	if v.seats == nil {
		v.seats = frontend.Seats(v.Test, v.Threads)
	}
	return &v.seats[v.index]
}

// barrier returns the name of the barrier at an address, and its count: the initial value of its
// location.
func (v *view) barrier(at event.Value) (name string, count int) {
	l := v.Locs[at.Base]
	return l.Name, int(l.Init.Int)
}

// structure returns the structure of one path of each thread, without barriers.
func (p *Program) structure(paths []*event.Path) *event.Structure {
	s := p.Join(paths)
	for i := range p.Locs { // the initial writes come first
		s.Events[i].Tags = p.tags[i]
	}
	if p.unsequenced {
		s.AddRel(unsequencedRel, unsequencedPairs(s))
	}
	return s
}

// unsequencedRel relates accesses of one expression that nothing sequences (order_walk.go).
const unsequencedRel = "unsequenced"

//go:embed unsequenced.cat
var unsequencedText string

// unsequencedRules are the rules for unsequenced accesses, for any model.
var unsequencedRules = src.NewFile("unsequenced.cat", unsequencedText)

// Rules returns the check of the language for unsequenced accesses, or nil if no path has such
// accesses.
func (p *Program) Rules() *src.File {
	if !p.unsequenced {
		return nil
	}
	return unsequencedRules
}

// unsequencedPairs returns the pairs of the relation in a structure.
func unsequencedPairs(s *event.Structure) (all []event.Pair) {
	for t, path := range s.Paths {
		for _, pair := range path.Unsequenced {
			all = append(all, event.Pair{s.First[t] + pair[0], s.First[t] + pair[1]})
		}
	}
	return all
}
