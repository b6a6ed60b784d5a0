package clike

import (
	"maps"
	"strings"

	"github.com/muster-gpu/muster/event"
)

// This file has functions of compilers and libraries. Those of the languages are in calls.go, those
// of the Linux kernel in kernel.go.

// addBuiltins adds the atomics of GCC ("Built-in Functions for Memory Model Aware Atomic
// Operations", and the older "Legacy __sync Built-in Functions"). The former have other names than
// in C and always name their order; the latter have fixed orders.
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

// addNvidia adds the atomics of CUDA's compilers (CUDA C++ Programming Guide, "Built-in Atomic
// Functions"). They have the parameters of GCC's, and may have a scope.
func addNvidia(fs map[string]function) {
	for name, as := range map[string]string{"load_n": "load", "store_n": "store", "exchange_n": "exchange"} {
		fs["__nv_atomic_"+name] = fs["atomic_"+as+"_explicit"]
	}
	for _, op := range []string{"add", "sub", "and", "or", "xor", "min", "max"} {
		f := fs["atomic_fetch_"+op+"_explicit"]
		fs["__nv_atomic_fetch_"+op], fs["__nv_atomic_"+op] = f, f
	}
	fs["__nv_atomic_compare_exchange_n"] = function{params: "pevwof|s", lower: (*call).compareExchange}
	fs["__nv_atomic_thread_fence"] = fs["atomic_thread_fence"]
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

// addLocks adds the locks of herd's tests, of C11 (7.26.4), of POSIX and of the Linux kernel. A
// lock is an atomic that is 1 while it is held. The guarantees of the standards follow from the
// orders of its accesses.
func addLocks(fs map[string]function) {
	for _, prefix := range []string{"", "mtx_", "pthread_mutex_", "spin_"} {
		fs[prefix+"lock"] = function{params: "p", lower: (*call).lock, order: event.Acquire}
		fs[prefix+"unlock"] = function{params: "p", lower: (*call).store, operand: new(int64(0)), order: event.Release}
		// Success is 1 for the kernel, and 0 for the others (C11, 7.26.4.5; POSIX).
		fs[prefix+"trylock"] = function{params: "p", lower: func(c *call) value { return c.isZero(c.tryLock()) }, order: event.Acquire}
	}
	fs["spin_trylock"] = function{params: "p", lower: (*call).tryLock, order: event.Acquire}
	delete(fs, "trylock") // no library defines its result
}

// known returns the functions that a test may call.
func (d *dialect) known() map[string]function {
	if d.more == nil {
		return functions()
	}
	all := maps.Clone(functions())
	maps.Copy(all, d.more())
	return all
}

// function returns the function of a name.
func (d *dialect) function(name string) (f function, ok bool) {
	if d.more != nil {
		if f, ok = d.more()[name]; ok {
			return f, true
		}
	}
	f, ok = functions()[name]
	return f, ok
}
