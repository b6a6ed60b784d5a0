// Package opencl recognises built-in functions of OpenCL C with meanings that PTX instructions
// cannot express: which memory a barrier orders, and asynchronous copies. A compiler without bodies
// for them leaves calls of functions that are only declared; their mangled names give the types of
// the arguments.
//
//	Of        the meaning of a function
//	Function  a built-in function
//	Fences    which memory a barrier orders
package opencl

import (
	"regexp"
	"strconv"
	"strings"
)

// Function is a built-in function.
type Function struct {
	Does Action
	// Element, ToLocal and Strided describe a copy: the size of an element in bytes, whether it
	// copies to local memory, and whether it has a stride, which is that of the side in global
	// memory.
	Element int
	ToLocal bool
	Strided bool
	Alike   bool // all work items get the same result of a Gather
}

// Action is the kind of a built-in function.
type Action uint8

// The kinds of built-in functions (The OpenCL C 1.2 Specification, 6.12.8 and 6.12.10; 2.0,
// 6.13.15).
const (
	Nothing Action = iota // not one of the functions below
	Barrier               // barrier(flags), work_group_barrier(flags, …)
	// async_work_group_copy(to, from, elements, event),
	// async_work_group_strided_copy(…, stride, event)
	Copy
	Wait     // wait_group_events(number, events)
	Prefetch // prefetch(from, elements): no visible effect
	Gather   // work_group_all, work_group_broadcast, work_group_reduce_add, work_group_scan_inclusive_max …
	Compute  // pure functions of numbers: sqrt, hadd, convert_int_sat …
)

// Fences is which memory a barrier orders: the bits of cl_mem_fence_flags.
type Fences uint64

// The memories that a barrier may order.
const (
	Local  Fences = 1 << iota // CLK_LOCAL_MEM_FENCE
	Global                    // CLK_GLOBAL_MEM_FENCE
)

// sides matches the two pointer parameters of a copy: the space of the first, and the element type.
const sides = `PU3AS([13])((?:Dv\d+_)?(?:Dh|[achijlmstfd]))PU3AS[13]K(?:S_|Dh|[a-z])`

// forms are the mangled names of the functions. A stride comes after the number of elements; both
// are size_t.
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
	{gathering, Gather},
}

// gathering matches the names of work-group functions. All work items get the same result, except
// for scans.
var gathering = regexp.MustCompile(
	`^_Z\d+work_group_(all|any|broadcast|(?:reduce|(scan)_(?:in|ex)clusive)_(?:add|min|max))[a-zD]`)

// computes are the functions on numbers: mathematics, integers, geometry, relations, conversions
// and vector components (The OpenCL C 1.2 Specification, 6.2.3, 6.2.4, 6.12.2 to 6.12.6 and
// 6.12.12).
var computes = func() map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(
		`acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt ceil copysign cos cosh cospi
		erf erfc exp exp2 exp10 expm1 fabs fdim floor fma fmax fmin fmod hypot ilogb ldexp lgamma log log2 log10
		log1p logb mad maxmag minmag nan nextafter pow pown powr remainder rint rootn round rsqrt sin sinh sinpi
		sqrt tan tanh tanpi tgamma trunc divide recip abs abs_diff add_sat hadd rhadd clamp clz ctz mad_hi
		mad_sat max min mul_hi rotate sub_sat upsample popcount mad24 mul24 degrees mix radians sign smoothstep
		step cross dot distance length normalize fast_distance fast_length fast_normalize isequal isnotequal
		isgreater isgreaterequal isless islessequal islessgreater isfinite isinf isnan isnormal isordered
		isunordered signbit any all bitselect select shuffle shuffle2`) {
		all[name] = true
	}
	return all
}()

// mangled matches the length of a name and the rest.
var mangled = regexp.MustCompile(`^_Z(\d+)(.*)$`)

// pure reports whether a function only computes a value: by its name, and because none of its
// arguments is a pointer.
func pure(name string) bool {
	parts := mangled.FindStringSubmatch(name)
	if parts == nil {
		return false
	}
	n, err := strconv.Atoi(parts[1])
	if err != nil || n > len(parts[2]) || strings.Contains(parts[2][n:], "P") {
		return false
	}
	plain := parts[2][:n]
	return strings.HasPrefix(plain, "convert_") || strings.HasPrefix(plain, "as_") ||
		computes[strings.TrimPrefix(strings.TrimPrefix(plain, "native_"), "half_")]
}

// Of returns the built-in function with a mangled name.
func Of(name string) (f Function) {
	for _, form := range forms {
		parts := form.name.FindStringSubmatch(name)
		if parts == nil {
			continue
		}
		switch f.Does = form.does; f.Does {
		case Copy:
			f.Element, f.ToLocal, f.Strided = size(parts[2]), parts[1] == "3", len(parts) > 3
		case Gather:
			f.Alike = parts[2] == ""
		}
		return f
	}
	if pure(name) {
		f.Does = Compute
	}
	return f
}

// scalars are the sizes of types by their mangled names (Itanium C++ ABI, "Mangling",
// builtin-type).
var scalars = map[string]int{
	"c": 1, "h": 1, "a": 1, "s": 2, "t": 2, "Dh": 2, "i": 4, "j": 4, "f": 4, "l": 8, "m": 8,
	"d": 8,
}

var vector = regexp.MustCompile(`^Dv(\d+)_(.*)$`)

// size returns the size in bytes of a type by its mangled name. A vector of three has the size of a
// vector of four (6.1.5).
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
