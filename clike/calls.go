package clike

import (
	"fmt"
	"strings"
	"sync"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/clike/syntax"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend/barrier"
	"github.com/muster-gpu/muster/src"
)

// function is a function that tests may call. Its parameters are letters:
//
//	p  an address of an object       o  a memory order
//	v  a value                       f  the memory order of a failed compare-exchange
//	e  the address of what is expected, or the variable
//	l  the order of a load           t  the order of a store
//	s  a scope                       g  flags of address spaces
//	w  whether a compare-exchange is weak
//	x  an object itself, not its address
//	k  a cooperative group
//
// Those behind a | may be left out.
type function struct {
	params string
	lower  func(*call) value
	// What the lower functions of a family differ in.
	op       arith.Op
	scope    event.Scope // if the function fixes it
	order    event.Order // if the function fixes it
	exchange bool
	mayFail  bool
	room     Room
	operand  *int64 // of functions without one
	vote     bool
}

// call is a call of a function, or of a member of an object.
type call struct {
	*lowerer
	function
	name string
	Place
	tree *syntax.Args

	target   object // the object at the address p, or whose member is called
	values   []value
	expected object // of the letter e: where the function finds it, and stores what it found instead
	order    event.Order
	failure  event.Order
	scope    event.Scope
	spaces   event.Tags
}

// orders are the memory orders (C11, 7.17.3). Like compilers, muster treats consume as acquire.
var orders = map[string]event.Order{
	"memory_order_relaxed": event.Relaxed, "memory_order_consume": event.Acquire, "memory_order_acquire": event.Acquire,
	"memory_order_release": event.Release, "memory_order_acq_rel": event.AcqRel, "memory_order_seq_cst": event.SC,
	"__ATOMIC_RELAXED": event.Relaxed, "__ATOMIC_CONSUME": event.Acquire, "__ATOMIC_ACQUIRE": event.Acquire,
	"__ATOMIC_RELEASE": event.Release, "__ATOMIC_ACQ_REL": event.AcqRel, "__ATOMIC_SEQ_CST": event.SC,
	"__NV_ATOMIC_RELAXED": event.Relaxed, "__NV_ATOMIC_CONSUME": event.Acquire, "__NV_ATOMIC_ACQUIRE": event.Acquire,
	"__NV_ATOMIC_RELEASE": event.Release, "__NV_ATOMIC_ACQ_REL": event.AcqRel, "__NV_ATOMIC_SEQ_CST": event.SC,
}

// scopes are the scopes of OpenCL C (6.13.11.4) and of CUDA C++.
var scopes = map[string]event.Scope{
	"memory_scope_work_item": event.ScopeThread, "memory_scope_work_group": event.ScopeCTA, "memory_scope_device": event.ScopeGPU,
	"memory_scope_all_svm_devices": event.ScopeSys, "memory_scope_all_devices": event.ScopeSys,
	"thread_scope_thread": event.ScopeThread, "thread_scope_block": event.ScopeCTA, "thread_scope_cluster": event.ScopeCluster,
	"thread_scope_device": event.ScopeGPU, "thread_scope_system": event.ScopeSys,
	"__NV_THREAD_SCOPE_THREAD": event.ScopeThread, "__NV_THREAD_SCOPE_BLOCK": event.ScopeCTA, "__NV_THREAD_SCOPE_CLUSTER": event.ScopeCluster,
	"__NV_THREAD_SCOPE_DEVICE": event.ScopeGPU, "__NV_THREAD_SCOPE_SYSTEM": event.ScopeSys,
}

// flags are the flags of barriers and fences (OpenCL C, 6.13.8).
var flags = map[string]event.Tags{
	"CLK_LOCAL_MEM_FENCE": inLocal, "CLK_GLOBAL_MEM_FENCE": inGlobal, "CLK_IMAGE_MEM_FENCE": 0,
}

// failureOrder is the order of a failed compare-exchange that names only one order (C++,
// [atomics.types.operations]).
var failureOrder = map[event.Order]event.Order{
	event.Relaxed: event.Relaxed, event.Acquire: event.Acquire, event.Release: event.Relaxed, event.AcqRel: event.Acquire, event.SC: event.SC,
}

// functions are the functions that tests may call.
var functions = sync.OnceValue(func() map[string]function {
	fs := map[string]function{
		"atomic_init":                       {params: "pv", lower: (*call).initialise},
		"atomic_load":                       {params: "p", lower: (*call).load},
		"atomic_load_explicit":              {params: "pl|s", lower: (*call).load},
		"atomic_store":                      {params: "pv", lower: (*call).store},
		"atomic_store_explicit":             {params: "pvt|s", lower: (*call).store},
		"atomic_flag_test_and_set":          {params: "p", lower: (*call).fetch, exchange: true, operand: new(int64(1))},
		"atomic_flag_test_and_set_explicit": {params: "po|s", lower: (*call).fetch, exchange: true, operand: new(int64(1))},
		"atomic_flag_clear":                 {params: "p", lower: (*call).store, operand: new(int64(0))},
		"atomic_flag_clear_explicit":        {params: "pt|s", lower: (*call).store, operand: new(int64(0))},
		"atomic_thread_fence":               {params: "o|s", lower: (*call).fence},
		"atomic_signal_fence":               {params: "o", lower: func(*call) value { return zero() }},
		"atomic_work_item_fence":            {params: "gos", lower: (*call).fence},
		"mem_fence":                         {params: "g", lower: (*call).fence, order: event.AcqRel, scope: event.ScopeCTA},
		"read_mem_fence":                    {params: "g", lower: (*call).fence, order: event.Acquire, scope: event.ScopeCTA},
		"write_mem_fence":                   {params: "g", lower: (*call).fence, order: event.Release, scope: event.ScopeCTA},
		"barrier":                           {params: "|gs", lower: (*call).barrier, scope: event.ScopeCTA, room: Room{Unit: event.ScopeCTA}},
		"work_group_barrier":                {params: "|gs", lower: (*call).barrier, scope: event.ScopeCTA, room: Room{Unit: event.ScopeCTA}},
		"__threadfence_block":               {lower: (*call).fence, order: event.SC, scope: event.ScopeCTA},
		"__threadfence":                     {lower: (*call).fence, order: event.SC, scope: event.ScopeGPU},
		"__threadfence_system":              {lower: (*call).fence, order: event.SC, scope: event.ScopeSys},
		"__syncthreads":                     {lower: (*call).barrier, scope: event.ScopeCTA, room: Room{Unit: event.ScopeCTA}},
		"__syncthreads_count":               {params: "v", lower: (*call).barrier, scope: event.ScopeCTA, room: Room{Unit: event.ScopeCTA, Reduces: barrier.CountVotes}, vote: true},
		"__syncthreads_and":                 {params: "v", lower: (*call).barrier, scope: event.ScopeCTA, room: Room{Unit: event.ScopeCTA, Reduces: barrier.AllVote}, vote: true},
		"__syncthreads_or":                  {params: "v", lower: (*call).barrier, scope: event.ScopeCTA, room: Room{Unit: event.ScopeCTA, Reduces: barrier.AnyVotes}, vote: true},
		"__syncwarp":                        {params: "|v", lower: (*call).barrier, scope: event.ScopeCTA, room: Room{Unit: event.ScopeThread}},
		"move":                              {params: "v", lower: func(c *call) value { return c.values[0] }},
		"__nanosleep":                       {params: "v", lower: func(*call) value { return zero() }}, // as nanosleep in PTX
		"kill_dependency":                   {params: "v", lower: func(c *call) value { return c.values[0] }},
		"ATOMIC_VAR_INIT":                   {params: "v", lower: func(c *call) value { return c.values[0] }},
		"min":                               {params: "vv", lower: func(c *call) value { return c.compute(c.Place, "min", c.values[0], c.values[1]) }},
		"max":                               {params: "vv", lower: func(c *call) value { return c.compute(c.Place, "max", c.values[0], c.values[1]) }},
	}
	for name, op := range map[string]arith.Op{
		"exchange": arith.Wrap, "fetch_add": arith.Add, "fetch_sub": arith.Sub, "fetch_and": arith.And, "fetch_or": arith.Or,
		"fetch_xor": arith.Xor, "fetch_min": arith.Min, "fetch_max": arith.Max,
	} {
		exchange := name == "exchange"
		fs["atomic_"+name] = function{params: "pv", lower: (*call).fetch, op: op, exchange: exchange}
		fs["atomic_"+name+"_explicit"] = function{params: "pvo|s", lower: (*call).fetch, op: op, exchange: exchange}
	}
	for name, weak := range map[string]bool{"strong": false, "weak": true} {
		fs["atomic_compare_exchange_"+name] = function{params: "pev", lower: (*call).compareExchange, mayFail: weak}
		fs["atomic_compare_exchange_"+name+"_explicit"] = function{params: "pevof|s", lower: (*call).compareExchange, mayFail: weak}
	}
	addOldAtomics(fs)
	addBuiltins(fs)
	addNvidia(fs)
	addLocks(fs)
	addKernel(fs)
	return fs
})

// addOldAtomics adds the atomics of OpenCL 1 (6.11.11) and those of CUDA (Programming Guide,
// "Atomic Functions"). All of them are relaxed.
func addOldAtomics(fs map[string]function) {
	one := new(int64(1))
	for name, op := range map[string]arith.Op{
		"add": arith.Add, "sub": arith.Sub, "and": arith.And, "or": arith.Or, "xor": arith.Xor, "min": arith.Min, "max": arith.Max,
		"xchg": arith.Wrap, "inc": arith.Add, "dec": arith.Sub,
	} {
		f := function{params: "pv", lower: (*call).fetch, op: op, exchange: name == "xchg", order: event.Relaxed, scope: event.ScopeGPU}
		if name == "inc" || name == "dec" {
			f.params, f.operand = "p", one
		}
		fs["atomic_"+name], fs["atom_"+name] = f, f
	}
	old := function{params: "pvv", lower: (*call).compareAndSwap, order: event.Relaxed, scope: event.ScopeGPU}
	fs["atomic_cmpxchg"], fs["atom_cmpxchg"] = old, old
	for suffix, scope := range map[string]event.Scope{"": event.ScopeGPU, "_block": event.ScopeCTA, "_system": event.ScopeSys} {
		for name, op := range map[string]arith.Op{
			"Add": arith.Add, "Sub": arith.Sub, "And": arith.And, "Or": arith.Or, "Xor": arith.Xor, "Min": arith.Min, "Max": arith.Max,
			"Exch": arith.Wrap, "Inc": arith.Inc, "Dec": arith.Dec,
		} {
			fs["atomic"+name+suffix] = function{params: "pv", lower: (*call).fetch, op: op, exchange: name == "Exch", order: event.Relaxed, scope: scope}
		}
		fs["atomicCAS"+suffix] = function{params: "pvv", lower: (*call).compareAndSwap, order: event.Relaxed, scope: scope}
	}
}

// members are the member functions of C++ atomics; the object is the one before the dot.
var members = sync.OnceValue(func() map[string]function {
	fs := map[string]function{
		"load":                  {params: "|l", lower: (*call).load},
		"store":                 {params: "v|t", lower: (*call).store},
		"exchange":              {params: "v|o", lower: (*call).fetch, exchange: true},
		"compare_exchange_weak": {params: "ev|of", lower: (*call).compareExchange, mayFail: true},
		"compare_exchange_strong": {
			params: "ev|of", lower: (*call).compareExchange,
		},
		"wait":       {params: "v|l", lower: (*call).waitWhile},
		"notify_one": {lower: func(*call) value { return zero() }},
		"notify_all": {lower: func(*call) value { return zero() }},
	}
	for name, op := range map[string]arith.Op{
		"add": arith.Add, "sub": arith.Sub, "and": arith.And, "or": arith.Or, "xor": arith.Xor, "min": arith.Min, "max": arith.Max,
	} {
		fs["fetch_"+name] = function{params: "v|o", lower: (*call).fetch, op: op}
	}
	return fs
})

// barrierMembers are the members of cuda::barrier (libcu++, "cuda::barrier").
var barrierMembers = map[string]function{
	"arrive":          {lower: func(c *call) value { return c.meet(true, false) }},
	"wait":            {params: "v", lower: func(c *call) value { return c.meet(false, true) }},
	"arrive_and_wait": {lower: func(c *call) value { return c.meet(true, true) }},
}

// call lowers the call of a function by its name.
func (l *lowerer) call(p *syntax.Postfix, args *syntax.Args) (object, bool) {
	name := p.Primary.Name
	f, ok := l.dialect.function(bareName(name))
	if bare, is := inGroups(name); is {
		f, ok = groupFunctions[bare]
	}
	if !ok {
		at := p.Primary
		if !l.refuse(at, name) {
			l.errorf(at, "unknown function %s", name).Hint = src.DidYouMean(bareName(name), sortedKeys(l.dialect.known()))
		}
		return object{}, false
	}
	c := &call{lowerer: l, function: f, name: bareName(name), Place: l.here(p), tree: args}
	c.scope, c.order = f.scope, f.order
	if !c.arguments() {
		return object{}, false
	}
	return ofValue(c.unit(true, func() value { return f.lower(c) })), true
}

// refuse reports a known name that litmus tests do not have. It returns false if the name is
// unknown.
func (l *lowerer) refuse(at interface{ At(syntax.Source) src.Span }, name string) bool {
	hint, known := syntax.Outside(name)
	if known {
		l.errorf(at, "%s is outside of the C of litmus tests", name).Hint = hint
	}
	return known
}

// member lowers the call of a member function, where what has led to the object begins at from.
func (l *lowerer) member(p *syntax.Postfix, o object, name string, args *syntax.Args, from mark) (object, bool) {
	if o.Pointers == o.Inner+1 {
		o, _ = l.dereference(p, l.read(l.here(p), o))
	}
	table := members()
	switch {
	case o.Object == CxxGroup:
		table = groupMembers
	case o.addr == nil, !o.isObject():
		l.errorf(p, "%s is a member of cuda::atomic and its kin, and this is none", name).
			WithHint("declare the parameter as cuda::atomic<int>*, or write cuda::atomic_ref<int>(*x).%s(…)", name)
		return object{}, false
	case o.Object == CxxBarrier:
		table = barrierMembers
	}
	f, ok := table[name]
	if !ok {
		if l.refuse(p, name) {
			return object{}, false
		}
		l.errorf(p, "unknown member function %s", name).Hint = src.DidYouMean(name, sortedKeys(table))
		return object{}, false
	}
	c := &call{lowerer: l, function: f, name: name, Place: l.here(p), tree: args, target: o}
	c.scope = o.Scope
	mid := l.mark()
	if !c.arguments() {
		return object{}, false
	}
	if end := l.mark(); l.open(from, mid, end) {
		l.order(l.dialect.sequencing.callee, c.Place, []mark{from, mid, end}, partsOf(&c.target), nil)
	}
	l.sequencePoint(from.pending)
	return ofValue(c.unit(true, func() value { return f.lower(c) })), true
}

// arguments evaluates the arguments of the call.
func (c *call) arguments() bool {
	required, optional, _ := strings.Cut(c.params, "|")
	params := required + optional
	args := c.tree.List
	if n := len(args); n < len(required) || n > len(params) {
		c.diags.Errorf(c.tree.At(c.source), "%s takes %s, not %d", c.name, argumentCount(len(required), len(params)), n)
		return false
	}
	ok, given := true, map[byte]bool{}
	marks := append(make([]mark, 0, len("pevwof|s")), c.mark())
	for i, a := range args {
		given[params[i]] = true
		ok = c.argument(params[i], a) && ok
		marks = append(marks, c.mark())
	}
	if c.open(marks...) {
		c.lowerer.order(c.dialect.sequencing.arguments, c.Place, marks, c.results(params[:len(args)])...)
	}
	c.sequencePoint(marks[0].pending)
	if c.order == event.OrderNone {
		c.order = event.SC
	}
	if !given['f'] {
		c.failure = failureOrder[c.order]
	}
	if !given['g'] {
		c.spaces = inGlobal | inLocal // flags of neither, such as 0, order neither
	}
	if c.scope == event.ScopeNone {
		c.scope = c.dialect.scope
	}
	if c.operand != nil {
		c.values = append(c.values, number(*c.operand, arith.S32))
	}
	return ok
}

func argumentCount(least, most int) string {
	plural := map[bool]string{true: "", false: "s"}[most == 1]
	if least == most {
		return fmt.Sprintf("%d argument%s", most, plural)
	}
	return fmt.Sprintf("%d to %d arguments", least, most)
}

// argument evaluates the argument for one letter.
func (c *call) argument(letter byte, e *syntax.Expr) bool {
	switch letter {
	case 'p':
		return c.pointer(e)
	case 'v':
		c.values = append(c.values, c.expression(e))
	case 'e':
		return c.expects(e)
	case 'o':
		return named(c, e, orders, &c.order, orderExample)
	case 'l':
		return c.ordered(e, &c.order, "load", event.Acquire)
	case 't':
		return c.ordered(e, &c.order, "store", event.Release)
	case 'f':
		ok := named(c, e, orders, &c.failure, orderExample)
		c.failure = failureOrder[c.failure] // tests often name the order of a success twice, which compilers read so
		return ok
	case 's':
		return named(c, e, scopes, &c.scope, "a scope such as "+c.dialect.scopeExample)
	case 'g':
		return c.flags(e)
	case 'x':
		return c.itself(e)
	case 'k':
		return c.group(e)
	case 'w':
		return named(c, e, truths, &c.mayFail, "true or false: whether it is weak")
	}
	return true
}

// results returns what the arguments for some letters leave to compute with.
func (c *call) results(letters string) (all [][]result) {
	values := c.values
	for _, letter := range letters {
		var of []result
		switch letter {
		case 'p', 'x':
			of = partsOf(&c.target)
		case 'e':
			of = partsOf(&c.expected)
		case 'v':
			of, values = resultOf(&values[0]), values[1:]
		}
		all = append(all, of)
	}
	return all
}

// truths are the spellings of the argument that says whether a compare-exchange is weak.
var truths = map[string]bool{"true": true, "false": false, "1": true, "0": false}

// named looks up an argument that is a name.
func named[T any](c *call, e *syntax.Expr, table map[string]T, to *T, what string) bool {
	text := e.At(c.source).Text()
	names, isName := e.Names()
	if !isName {
		names = []string{text}
	}
	if len(names) == 1 {
		if v, ok := table[bareName(names[0])]; ok {
			*to = v
			return true
		}
	}
	d := c.errorf(e, "expected %s, found %s", what, text)
	var outside bool
	if d.Hint, outside = syntax.Outside(text); !outside {
		d.Hint = src.DidYouMean(text, sortedKeys(table))
	}
	return false
}

const orderExample = "a memory order such as memory_order_relaxed"

// ordered looks up the order of an operation that only reads or only writes. With an order of the
// other kind, behaviour is undefined (C11, 7.17.7; C++, [atomics.types.operations]).
func (c *call) ordered(e *syntax.Expr, to *event.Order, what string, own event.Order) bool {
	if !named(c, e, orders, to, orderExample) {
		return false
	}
	switch *to {
	case event.Relaxed, event.SC, own:
		return true
	}
	c.errorf(e, "a %s has no order %s", what, e.At(c.source).Text()).
		WithHint("behaviour would be undefined; it may be relaxed, %s or seq_cst", own)
	return false
}

// pointer evaluates the address of the object that the function is about.
func (c *call) pointer(e *syntax.Expr) bool {
	o, ok := c.dereference(e, c.expression(e))
	return c.about(e, o, ok)
}

// itself evaluates the object that the function is about.
func (c *call) itself(e *syntax.Expr) bool {
	o, ok := c.lvalue(e)
	return c.about(e, o, ok)
}

func (c *call) about(e *syntax.Expr, o object, ok bool) bool {
	if ok && o.addr == nil {
		c.errorf(e, "%s needs an object that other threads can see", c.name).WithHint("make it a parameter of the thread")
		return false
	}
	c.target = o
	return ok
}

// expects evaluates the expected value of a compare-exchange: from the address of an object or of a
// variable, or in C++ from the variable itself.
func (c *call) expects(e *syntax.Expr) bool {
	var o object
	ok := true
	if c.target.addr != nil && c.target.Object == CxxAtomic && !strings.HasPrefix(c.name, "atomic_") {
		o, ok = c.lvalue(e)
	} else {
		o, ok = c.dereference(e, c.expression(e))
	}
	if !ok {
		return false
	}
	if o.reg == None && o.addr == nil {
		c.errorf(e, "%s stores what it found when it fails, so this must be a variable", c.name)
		return false
	}
	c.expected = o
	return true
}

// flags evaluates CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE.
func (c *call) flags(e *syntax.Expr) bool {
	names, ok := e.Names()
	if text := e.At(c.source).Text(); text == "0" {
		return true
	}
	for _, n := range names {
		f, known := flags[n]
		ok = ok && known
		c.spaces |= f
	}
	if !ok {
		c.errorf(e, "expected flags, found %s", e.At(c.source).Text()).
			WithHint("CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE, or both with | between them")
	}
	return ok
}

// access returns how the call accesses its object.
func (c *call) access(order event.Order) Access {
	return Access{
		Type: c.target.Holds(), Order: order, Scope: c.scope, Spaces: c.space(c.target.Type),
		Volatile: c.target.Volatile, Name: c.name,
	}
}
