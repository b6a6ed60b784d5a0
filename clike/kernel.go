package clike

import (
	"sync"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
)

// This file maps the functions of the Linux kernel to the nearest atomics of C11 (McKenney,
// Weigand, Parri, Feng, "Linux-Kernel Memory Model", P0124R7). A function that returns a value and
// names no order is between two full barriers.

// addKernel adds the macros that no other language has under their names.
func addKernel(fs map[string]function) {
	for name, order := range map[string]event.Order{"READ_ONCE": event.Relaxed, "rcu_dereference": event.Acquire} {
		fs[name] = function{params: "x", lower: (*call).load, order: order}
	}
	for name, order := range map[string]event.Order{"WRITE_ONCE": event.Relaxed, "rcu_assign_pointer": event.Release} {
		fs[name] = function{params: "xv", lower: (*call).store, order: order}
	}
	for name, order := range map[string]event.Order{"smp_load_acquire": event.Acquire, "atomic_read": event.Relaxed, "atomic_read_acquire": event.Acquire} {
		fs[name] = function{params: "p", lower: (*call).load, order: order}
	}
	for name, order := range map[string]event.Order{"smp_store_release": event.Release, "atomic_set": event.Relaxed, "atomic_set_release": event.Release} {
		fs[name] = function{params: "pv", lower: (*call).store, order: order}
	}
	fs["smp_store_mb"] = function{params: "xv", order: event.Relaxed, lower: func(c *call) value {
		c.store()
		c.fullBarrier()
		return zero()
	}}
	for name, order := range map[string]event.Order{
		"smp_mb": event.SC, "smp_rmb": event.Acquire, "smp_wmb": event.Release,
		"smp_mb__before_atomic": event.SC, "smp_mb__after_atomic": event.SC, "smp_mb__after_spinlock": event.SC,
	} {
		fs[name] = function{lower: (*call).fence, order: order}
	}
}

// kernelAtomics returns the kernel's read-modify-writes in tests of C. Some have the names of
// OpenCL's but other parameters.
var kernelAtomics = sync.OnceValue(func() map[string]function {
	fs := map[string]function{}
	for name, op := range map[string]arith.Op{
		"add": arith.Add, "sub": arith.Sub, "and": arith.And, "or": arith.Or, "xor": arith.Xor, "inc": arith.Add, "dec": arith.Sub,
	} {
		f := function{params: "vp", lower: (*call).fetch, op: op, order: event.Relaxed}
		if name == "inc" || name == "dec" {
			f.params, f.operand = "p", new(int64(1))
		}
		fs["atomic_"+name] = f
		addOrders(fs, "atomic_fetch_"+name, f)
		delete(fs, "atomic_fetch_"+name) // C11 has a function of that name
		f.lower = (*call).fetchNew
		addOrders(fs, "atomic_"+name+"_return", f)
		f.lower = fenced(func(c *call) value { return c.isZero(c.fetchNew()) })
		fs["atomic_"+name+"_and_test"] = f
	}
	for _, prefix := range []string{"", "atomic_"} {
		addOrders(fs, prefix+"xchg", function{params: "pv", lower: (*call).fetch, op: arith.Wrap, exchange: true})
		addOrders(fs, prefix+"cmpxchg", function{params: "pvv", lower: (*call).compareAndSwap})
	}
	return fs
})

// addOrders adds a function under a name, between full barriers, and with the suffixes of orders.
func addOrders(fs map[string]function, name string, f function) {
	for suffix, order := range map[string]event.Order{"_relaxed": event.Relaxed, "_acquire": event.Acquire, "_release": event.Release} {
		f.order = order
		fs[name+suffix] = f
	}
	f.order, f.lower = event.Relaxed, fenced(f.lower)
	fs[name] = f
}

// fenced returns what a function does, between full barriers.
func fenced(lower func(*call) value) func(*call) value {
	return func(c *call) value {
		c.fullBarrier()
		v := lower(c)
		c.fullBarrier()
		return v
	}
}

func (c *call) fullBarrier() {
	c.emit(&Fence{c.Place, Access{Order: event.SC, Scope: c.scope, Spaces: inGlobal | inLocal | c.dialect.tags, Name: c.name}})
}

// fetchNew is fetch with a different result: the value of the object afterwards.
func (c *call) fetchNew() value {
	old := c.fetch()
	return newValue(Operation{c.function.op, old.Holds(), []Expr{old.Expr, c.convert(c.values[0], c.target.Type).Expr}}, old.Type)
}

// isZero returns 1 if a value is 0, and 0 otherwise.
func (c *call) isZero(v value) value {
	return newValue(Operation{arith.Eq, v.Holds(), []Expr{v.Expr, Constant(event.Int(0))}}, intType)
}
