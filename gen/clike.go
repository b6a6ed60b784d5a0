package gen

import (
	"fmt"
	"slices"
	"strings"
)

// Tests in C: C11, OpenCL C, CUDA C++. Their accesses are functions whose arguments give orders and
// scopes.

// spelling is the syntax of a C-like language for tests.
type spelling struct {
	placed    bool // the headers of threads give their placement
	parameter func(uses []*Access, shared bool) string
	load      func(a *Access, at object) string
	store     func(a *Access, at object, value string) string
	update    func(a *Access, at object, value string) string // read-modify-write
	swap      func(a *Access, at object, into, expected, value string) string
	fence     func(order, scope string) string
	others    map[string]string // fences and barriers with other names
}

// object is the target of an access: an address, and all accesses of the test to it.
type object struct {
	address string
	uses    []*Access
}

// The languages.
var (
	C11    = c11()
	OpenCL = openCL()
	CUDA   = cuda()
)

// between returns the call for a fence or a barrier of an edge: fence.acquire.device, syncthreads.
func (s *spelling) between(name string) string {
	if call, ok := s.others[name]; ok {
		return call
	}
	words := append(strings.Split(name, "."), "")
	return s.fence(words[1], words[2])
}

// cISA returns the vocabulary of a language with the given scopes; "" stands for no scope.
func cISA(name, arch, far string, scopes []string, spell *spelling) *ISA {
	isa := &ISA{
		Name:   name,
		Arch:   arch,
		thread: "P",
		far:    far,
		says:   true,
		c:      spell,
		write:  writeFunctions,
		levels: []Level{SameGPU},
	}
	plain := &Access{Name: "plain", load: "*", store: "*"}
	isa.accesses = append(isa.accesses, plain)
	var fences []string
	for _, s := range scopes {
		suffix := ""
		if s != "" {
			suffix = "." + s
		}
		for _, o := range []string{"relaxed", "acquire", "release", "seq_cst"} {
			a := &Access{Name: o + suffix, order: o, scope: s, load: "load", store: "store"}
			switch o {
			case "acquire":
				a.store = ""
			case "release":
				a.load = ""
			}
			isa.accesses = append(isa.accesses, a)
		}
		for _, o := range []string{"relaxed", "acquire", "release", "acq_rel", "seq_cst"} {
			for _, op := range []string{"exch", "add", "cas"} {
				name := "atom." + o + suffix + "." + op
				isa.accesses = append(isa.accesses, &Access{Name: name, order: o, scope: s, atomic: name, op: op})
			}
			if o != "relaxed" {
				fences = append(fences, "fence."+o+suffix)
			}
		}
	}
	var barriers []string
	for call := range spell.others {
		if _, barrier := barrierLevels[call]; barrier {
			barriers = append(barriers, call)
		} else {
			fences = append(fences, call)
		}
	}
	slices.Sort(fences)
	slices.Sort(barriers)
	isa.edges(fences, barriers)
	return isa
}

// old adds the atomics that precede memory orders; they are relaxed at device scope.
func (isa *ISA) old() {
	for _, op := range []string{"exch", "add", "cas"} {
		isa.accesses = append(isa.accesses, &Access{Name: "atom." + op, atomic: "atom." + op, op: op})
	}
}

// usual sets the default access of events.
func (isa *ISA) usual(name string) {
	isa.fallback = isa.accesses[slices.IndexFunc(isa.accesses, func(a *Access) bool { return a.Name == name })]
}

// updates are the names of the read-modify-writes, by operation.
var updates = map[string]string{"exch": "exchange", "add": "fetch_add"}

// atomically reports whether some use is an atomic access.
func atomically(uses []*Access) bool {
	return slices.ContainsFunc(uses, func(a *Access) bool { return a.Name != "plain" && a.Name != "volatile" })
}

// explicit returns the functions of C11 and OpenCL C whose names end in _explicit; scoped adds a
// scope to their arguments.
func explicit(scoped func(scope string) string, space func(shared bool) string) *spelling {
	arguments := func(a *Access) string { return "memory_order_" + a.order + scoped(a.scope) }
	return &spelling{
		parameter: func(uses []*Access, shared bool) string {
			if atomically(uses) {
				return space(shared) + "atomic_int*"
			}
			return space(shared) + "int*"
		},
		load: func(a *Access, at object) string {
			if a.order == "" {
				return "*" + at.address
			}
			return fmt.Sprintf("atomic_load_explicit(%s, %s)", at.address, arguments(a))
		},
		store: func(a *Access, at object, value string) string {
			if a.order == "" {
				return "*" + at.address + " = " + value
			}
			return fmt.Sprintf("atomic_store_explicit(%s, %s, %s)", at.address, value, arguments(a))
		},
		update: func(a *Access, at object, value string) string {
			if a.order == "" {
				return fmt.Sprintf("atomic_%s(%s, %s)", map[string]string{"exch": "xchg", "add": "add"}[a.op],
					at.address, value)
			}
			return fmt.Sprintf("atomic_%s_explicit(%s, %s, %s)", updates[a.op], at.address, value, arguments(a))
		},
		swap: func(a *Access, at object, into, expected, value string) string {
			if a.order == "" {
				return fmt.Sprintf("int %s = atomic_cmpxchg(%s, %s, %s)", into, at.address, expected, value)
			}
			failure := failures[a.order]
			return fmt.Sprintf(
				"int %s = %s; atomic_compare_exchange_strong_explicit(%s, &%s, %s, memory_order_%s, memory_order_%s%s)",
				into, expected, at.address, into, value, a.order, failure, scoped(a.scope))
		},
	}
}

// failures maps the order of a compare-exchange to the strongest order that it may have on failure.
var failures = map[string]string{
	"relaxed": "relaxed", "acquire": "acquire", "release": "relaxed", "acq_rel": "acquire",
	"seq_cst": "seq_cst",
}

func c11() *ISA {
	spell := explicit(func(string) string { return "" }, func(bool) string { return "" })
	spell.fence = func(order, _ string) string { return "atomic_thread_fence(memory_order_" + order + ")" }
	isa := cISA("c11", "C", "", []string{""}, spell)
	isa.usual("relaxed")
	return isa
}

func openCL() *ISA {
	spell := explicit(
		func(scope string) string { return ", memory_scope_" + scope },
		func(shared bool) string { return map[bool]string{false: "global ", true: "local "}[shared] },
	)
	const both = "CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE"
	spell.placed = true
	spell.fence = func(order, scope string) string {
		return "atomic_work_item_fence(" + both + ", memory_order_" + order + ", memory_scope_" + scope + ")"
	}
	spell.others = map[string]string{
		"barrier": "barrier(" + both + ")", "mem_fence": "mem_fence(" + both + ")",
	}
	isa := cISA("opencl", "OPENCL", "inter-device", []string{"work_group", "device", "all_svm_devices"}, spell)
	isa.old()
	isa.usual("relaxed.device")
	isa.levels = []Level{SameCTA, SameGPU, OtherGPU}
	return isa
}

// cudaObject returns the object at an address: a cuda::atomic if all its uses have its scope, else
// an atomic_ref.
func cudaObject(a *Access, at object) string {
	if scope, ok := oneScope(at.uses); ok && scope == a.scope {
		return at.address + "->"
	}
	return fmt.Sprintf("cuda::atomic_ref<int, cuda::thread_scope_%s>(*%s).", a.scope, at.address)
}

// oneScope returns the scope that all accesses have.
func oneScope(uses []*Access) (string, bool) {
	other := func(a *Access) bool { return a.scope == "" || a.scope != uses[0].scope }
	return uses[0].scope, !slices.ContainsFunc(uses, other)
}

// cudaPlain returns the lvalue of a plain or volatile access.
func cudaPlain(a *Access, at object) string {
	if a.Name == "volatile" && len(at.uses) > 1 {
		return "*(volatile int*)" + at.address
	}
	return "*" + at.address
}

func cuda() *ISA {
	order := func(a *Access) string { return "cuda::memory_order_" + a.order }
	spell := &spelling{
		placed: true,
		parameter: func(uses []*Access, shared bool) string {
			t := map[bool]string{false: "", true: "__shared__ "}[shared]
			if scope, ok := oneScope(uses); ok {
				return t + "cuda::atomic<int, cuda::thread_scope_" + scope + ">*"
			}
			if len(uses) == 1 && uses[0].Name == "volatile" {
				return t + "volatile int*"
			}
			return t + "int*"
		},
		load: func(a *Access, at object) string {
			if a.order == "" {
				return cudaPlain(a, at)
			}
			return cudaObject(a, at) + "load(" + order(a) + ")"
		},
		store: func(a *Access, at object, value string) string {
			if a.order == "" {
				return cudaPlain(a, at) + " = " + value
			}
			return cudaObject(a, at) + "store(" + value + ", " + order(a) + ")"
		},
		update: func(a *Access, at object, value string) string {
			if a.order == "" {
				return fmt.Sprintf("atomic%s(%s, %s)", map[string]string{"exch": "Exch", "add": "Add"}[a.op],
					at.address, value)
			}
			return cudaObject(a, at) + updates[a.op] + "(" + value + ", " + order(a) + ")"
		},
		swap: func(a *Access, at object, into, expected, value string) string {
			if a.order == "" {
				return fmt.Sprintf("int %s = atomicCAS(%s, %s, %s)", into, at.address, expected, value)
			}
			return fmt.Sprintf("int %s = %s; %scompare_exchange_strong(%s, %s, %s)", into, expected, cudaObject(a, at),
				into, value, order(a))
		},
		fence: func(order, scope string) string {
			return "cuda::atomic_thread_fence(cuda::memory_order_" + order + ", cuda::thread_scope_" + scope + ")"
		},
		others: map[string]string{
			"threadfence.block": "__threadfence_block()", "threadfence.device": "__threadfence()",
			"threadfence.system": "__threadfence_system()",
			"syncthreads":        "__syncthreads()",
		},
	}
	isa := cISA("cuda", "CUDA", "inter-gpu", []string{"block", "cluster", "device", "system"}, spell)
	isa.accesses = append(isa.accesses, &Access{Name: "volatile", load: "*", store: "*"})
	isa.old()
	isa.usual("relaxed.device")
	isa.levels = []Level{SameCTA, SameCluster, SameGPU, OtherGPU}
	return isa
}
