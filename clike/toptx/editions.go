package toptx

import (
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/src"
)

// Edition is one edition of NVIDIA's mapping: the instructions of a load, a store, a
// read-modify-write and a fence of each order. The last instruction is the access itself. Each has
// the scope of the C++ operation.
type Edition struct {
	Name, Title                    string
	loads, stores, updates, fences mapping
}

// mapping is the instructions for each memory order.
type mapping map[event.Order][]string

// with returns the mapping with another entry for one order.
func (m mapping) with(o event.Order, instructions ...string) mapping {
	changed := mapping{o: instructions}
	for order, as := range m {
		if order != o {
			changed[order] = as
		}
	}
	return changed
}

// The mappings that all editions have in common ("Atomics ABI", PTX Writer's Guide to
// Interoperability; for fences also what nvcc of CUDA 12.9 and 13 writes). A relaxed fence has no
// instruction.
var (
	loads   = mapping{event.Relaxed: {"ld.relaxed"}, event.Acquire: {"ld.acquire"}}
	stores  = mapping{event.Relaxed: {"st.relaxed"}, event.Release: {"st.release"}}
	updates = mapping{
		event.Relaxed: {"atom.relaxed"}, event.Acquire: {"atom.acquire"}, event.Release: {"atom.release"}, event.AcqRel: {"atom.acq_rel"},
	}
	fences = mapping{
		event.Relaxed: {}, event.Acquire: {"fence.acq_rel"}, event.Release: {"fence.acq_rel"}, event.AcqRel: {"fence.acq_rel"},
		event.SC: {"fence.sc"},
	}
)

// Editions are the editions, the current one first. They differ in the translation of seq_cst.
var Editions = []*Edition{
	{
		Name: "current", Title: "Atomics ABI, as of CUDA 13",
		loads: loads.with(event.SC, "fence.sc", "ld.acquire"), stores: stores.with(event.SC, "fence.sc", "st.relaxed"),
		updates: updates.with(event.SC, "fence.sc", "atom.acquire"), fences: fences,
	},
	{
		Name: "12.8", Title: "Atomics ABI of CUDA 12.8",
		loads: loads.with(event.SC, "fence.sc", "ld.acquire"), stores: stores.with(event.SC, "fence.sc", "st.release"),
		updates: updates.with(event.SC, "fence.sc", "atom.acq_rel"), fences: fences,
	},
	{
		Name: "hopper", Title: "the mapping of the Hopper guide",
		loads: loads.with(event.SC, "fence.sc", "ld.relaxed"), stores: stores.with(event.SC, "fence.sc", "st.relaxed"),
		updates: updates.with(event.SC, "fence.sc", "atom.acquire"), fences: fences,
	},
}

// threadFences are CUDA's older fences without an order. nvcc still translates them to membar,
// which is fence.sc since PTX 6.0 (CUDA C++ Programming Guide, "Memory Fence Functions"; PTX ISA,
// "membar").
var threadFences = map[string]string{
	"__threadfence_block": "membar.cta", "__threadfence": "membar.gl", "__threadfence_system": "membar.sys",
}

// scopes are the scopes of PTX. PTX has no scope of a single thread.
var scopes = map[event.Scope]string{
	event.ScopeCTA: "cta", event.ScopeCluster: "cluster", event.ScopeGPU: "gpu", event.ScopeSys: "sys",
}

// stronger returns the weakest order that is as strong as two. libcu++ gives it to a
// compare-exchange with an order for success and one for failure, since atom.cas has only one.
func stronger(a, b event.Order) event.Order {
	switch {
	case a == b || b == event.Relaxed:
		return a
	case a == event.Relaxed:
		return b
	case a == event.SC || b == event.SC:
		return event.SC
	}
	return event.AcqRel
}

// ordered writes the instructions that precede an operation with an order and a scope, and returns
// the opcode of the operation itself.
func (c *column) ordered(m mapping, order event.Order, scope event.Scope, at src.Span) (opcode string, ok bool) {
	in, known := scopes[scope]
	if !known {
		c.refuse(at, "the scope of one thread", "no other thread sees it: use a plain access, or leave the fence out")
		return "", false
	}
	all, known := m[order]
	if !known {
		c.refuse(at, "this order", "a load is relaxed, acquire or seq_cst, a store relaxed, release or seq_cst")
		return "", false
	}
	for i, one := range all {
		one += "." + in
		if i == len(all)-1 {
			return one, true
		}
		c.row("%s", one)
	}
	return "", true
}

// refuse reports something that has no translation.
func (c *column) refuse(at src.Span, what, hint string) {
	c.diags.Errorf(at, "NVIDIA's mapping to PTX has no entry for %s", what).Hint = strings.TrimSpace(hint)
}
