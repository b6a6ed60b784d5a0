package clike

import (
	"maps"
	"strings"
	"sync"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/arith"
)

// The functions of the Linux kernel are read as the atomics of C11 that are nearest to them (McKenney, Weigand, Parri, Feng,
// "Linux-Kernel Memory Model", P0124R7): those that return something and name no order are between two full barriers.

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

// kernelAtomics are the kernel's read-modify-writes, in tests of C. Some have the names of OpenCL's, and other parameters.
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

// fenced is what a function does, between full barriers.
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

// fetchNew is fetch, but for what it returns: what the object holds afterwards.
func (c *call) fetchNew() value {
	old := c.fetch()
	return newValue(Operation{c.function.op, old.Holds(), []Expr{old.Expr, c.convert(c.values[0], c.target.Type).Expr}}, old.Type)
}

// isZero is whether a value is 0.
func (c *call) isZero(v value) value {
	return newValue(Operation{arith.Eq, v.Holds(), []Expr{v.Expr, Constant(event.Int(0))}}, intType)
}

// addBuiltins adds the atomics of GCC ("Built-in Functions for Memory Model Aware Atomic Operations", and the older "Legacy
// __sync Built-in Functions"), which go by other names and always say their order, or have none weaker than all.
func addBuiltins(fs map[string]function) {
	for name, as := range map[string]string{
		"load_n": "load", "store_n": "store", "exchange_n": "exchange", "thread_fence": "thread_fence", "signal_fence": "signal_fence",
		"test_and_set": "flag_test_and_set", "clear": "flag_clear",
	} {
		addBuiltin(fs, "__atomic_"+name, "atomic_"+as)
	}
	for _, op := range []string{"add", "sub", "and", "or", "xor"} {
		addBuiltin(fs, "__atomic_fetch_"+op, "atomic_fetch_"+op)
		f := fs["__atomic_fetch_"+op]
		fetch := function{params: "pv", lower: f.lower, op: f.op}
		f.lower = (*call).fetchNew
		fs["__atomic_"+op+"_fetch"] = f
		fs["__sync_fetch_and_"+op] = fetch
		fetch.lower = f.lower
		fs["__sync_"+op+"_and_fetch"] = fetch
	}
	fs["__atomic_compare_exchange_n"] = function{params: "pevwof", lower: (*call).compareExchange}
	fs["__sync_val_compare_and_swap"] = function{params: "pvv", lower: (*call).compareAndSwap}
	fs["__sync_bool_compare_and_swap"] = function{params: "pvv", lower: func(c *call) value {
		ok := c.temporary(intType)
		c.swap(None, ok, c.values[0], c.values[1])
		return newValue(ok, intType)
	}}
	fs["__sync_lock_test_and_set"] = function{params: "pv", lower: (*call).fetch, exchange: true, order: event.Acquire}
	fs["__sync_lock_release"] = function{params: "p", lower: (*call).store, operand: new(int64(0)), order: event.Release}
	fs["__sync_synchronize"] = function{lower: (*call).fence, order: event.SC}
}

// addBuiltin adds a function of C11 that says its order, without a scope, under another name.
func addBuiltin(fs map[string]function, name, as string) {
	f, explicit := fs[as+"_explicit"]
	if !explicit {
		f = fs[as]
	}
	f.params, _, _ = strings.Cut(f.params, "|")
	fs[name] = f
}

// addLocks adds the locks of herd's tests, of C11 (7.26.4), of POSIX and of the Linux kernel. A lock is an atomic that is 1 while it
// is held: all that the standards say of locks follows from the orders of its accesses.
func addLocks(fs map[string]function) {
	for _, prefix := range []string{"", "mtx_", "pthread_mutex_", "spin_"} {
		fs[prefix+"lock"] = function{params: "p", lower: (*call).lock, order: event.Acquire}
		fs[prefix+"unlock"] = function{params: "p", lower: (*call).store, operand: new(int64(0)), order: event.Release}
		// Success is 1 for the kernel, and 0 for the others (C11, 7.26.4.5; POSIX).
		fs[prefix+"trylock"] = function{params: "p", lower: func(c *call) value { return c.isZero(c.tryLock()) }, order: event.Acquire}
	}
	fs["spin_trylock"] = function{params: "p", lower: (*call).tryLock, order: event.Acquire}
	delete(fs, "trylock") // whose success nobody defines
}

// known are the functions that a test may call.
func (d *dialect) known() map[string]function {
	if d.more == nil {
		return functions()
	}
	all := maps.Clone(functions())
	maps.Copy(all, d.more())
	return all
}

// function is the function of a name.
func (d *dialect) function(name string) (f function, ok bool) {
	if d.more != nil {
		if f, ok = d.more()[name]; ok {
			return f, true
		}
	}
	f, ok = functions()[name]
	return f, ok
}
