// Package opencl knows built-in functions of OpenCL C that say more than PTX can: which memory a barrier orders, and
// what is copied while the threads go on. A compiler that has no body for them leaves calls of functions that are
// only declared; their names, as C++ mangles them, have the types of the arguments.
//
//	Of        what a function is
//	Function  a built-in function
//	Fences    which memory a barrier orders
package opencl

import (
	"regexp"
	"strconv"
)

// Function is a built-in function.
type Function struct {
	Does Action
	// Of a copy: the bytes of an element, whether it is one into local memory, and whether a stride is given, of the
	// side that is in global memory.
	Element int
	ToLocal bool
	Strided bool
}

// Action is what a built-in function does.
type Action uint8

// What built-in functions do (The OpenCL C 1.2 Specification, 6.12.8 and 6.12.10).
const (
	Nothing  Action = iota // it is none that is known here
	Barrier                // barrier(flags), work_group_barrier(flags, …)
	Copy                   // async_work_group_copy(to, from, elements, event), async_work_group_strided_copy(…, stride, event)
	Wait                   // wait_group_events(number, events)
	Prefetch               // prefetch(from, elements): nothing that a program could see
)

// Fences is which memory a barrier orders: the bits of cl_mem_fence_flags.
type Fences uint64

// What a barrier may order.
const (
	Local  Fences = 1 << iota // CLK_LOCAL_MEM_FENCE
	Global                    // CLK_GLOBAL_MEM_FENCE
)

// sides are the two pointers of a copy: the space of the first, and the type of the elements.
const sides = `PU3AS([13])((?:Dv\d+_)?(?:Dh|[achijlmstfd]))PU3AS[13]K(?:S_|Dh|[a-z])`

// forms are the names of the functions. A stride comes after the number of elements, both of which are size_t.
var forms = []struct {
	name *regexp.Regexp
	does Action
}{
	{regexp.MustCompile(`^_Z7barrierj$`), Barrier},
	{regexp.MustCompile(`^_Z18work_group_barrierj(12memory_scope)?$`), Barrier},
	{regexp.MustCompile(`^_Z21async_work_group_copy` + sides + `[jm]9ocl_event$`), Copy},
	{regexp.MustCompile(`^_Z29async_work_group_strided_copy` + sides + `[jm]([jm])9ocl_event$`), Copy},
	{regexp.MustCompile(`^_Z17wait_group_eventsiP(U3AS\d)?9ocl_event$`), Wait},
	{regexp.MustCompile(`^_Z8prefetchPU3AS1K`), Prefetch},
}

// Of is what a function is, by its name.
func Of(name string) (f Function) {
	for _, form := range forms {
		parts := form.name.FindStringSubmatch(name)
		if parts == nil {
			continue
		}
		f.Does = form.does
		if f.Does == Copy {
			f.Element, f.ToLocal, f.Strided = size(parts[2]), parts[1] == "3", len(parts) > 3
		}
		return f
	}
	return f
}

// scalars are the sizes of types by their mangled names (Itanium C++ ABI, "Mangling", builtin-type).
var scalars = map[string]int{"c": 1, "h": 1, "a": 1, "s": 2, "t": 2, "Dh": 2, "i": 4, "j": 4, "f": 4, "l": 8, "m": 8, "d": 8}

var vector = regexp.MustCompile(`^Dv(\d+)_(.*)$`)

// size is how many bytes a type has, whose name is mangled. A vector of three has the size of one of four (6.1.5).
func size(name string) int {
	parts := vector.FindStringSubmatch(name)
	if parts == nil {
		return scalars[name]
	}
	n, _ := strconv.Atoi(parts[1])
	if n == 3 {
		n = 4
	}
	return n * scalars[parts[2]]
}
