package syntax

import "strings"

// Outside reports whether a word of C, OpenCL C or CUDA C++ is not in the C of litmus tests, and
// returns a hint what to write instead.
func Outside(word string) (hint string, ok bool) {
	if hint, ok := outside[word]; ok {
		return hint, true
	}
	for _, p := range outsidePrefixes {
		if strings.HasPrefix(word, p.prefix) {
			return p.hint, true
		}
	}
	if isVector(word) {
		return "access the elements of a vector one by one", true
	}
	return "", false
}

const (
	ownCode     = "each thread of a litmus test has code of its own: write what this one does"
	inCUDA      = "a test with the header CUDA can write threadIdx.x, blockIdx.x, blockDim.x and gridDim.x"
	inOpenCL    = "a test with the header OPENCL can write get_local_id(0), get_group_id(0), get_global_id(0) and so on"
	ownLock     = "write it with atomic_compare_exchange_strong"
	noKernel    = "muster has no model of the Linux kernel; READ_ONCE and the like are read as the atomics of C11 that they stand for"
	inPTX       = "a test in PTX has them: docs/litmus.md, \"Asynchronous copies\""
	instead     = "give each member a location of its own"
	asParameter = "locations are parameters of the threads"
	sayType     = "write the type"
	condition   = "what to look at is said in the final condition"
	noVotes     = "exchange values through memory"
	noTime      = "time means nothing to a memory model"
	lineOfPTX   = "a test in PTX says what instructions do"
	groups      = "of cooperative groups there are the barriers of this_thread_block(), this_cluster() and this_grid(); write __syncwarp() for that of a tile of 32 threads"
	plainRead   = "cache operators change no meaning: read *p, or write *p = v"
)

// outside are words, with a hint what to write instead.
var outside = map[string]string{
	// Of the languages.
	"switch": "write if and else", "case": "write if and else", "default": "write if and else",
	"sizeof": "write the number of bytes", "struct": instead, "union": instead, "class": instead, "enum": "write the numbers", "namespace": "leave it out: cg:: and cooperative_groups:: mean the same, and other names are written whole",
	"typedef": sayType,
	"using":   "write the whole name, such as cuda::memory_order_relaxed", "template": sayType, "decltype": sayType,
	"asm": lineOfPTX, "__asm__": lineOfPTX, "__asm": lineOfPTX, "new": asParameter, "delete": asParameter,
	// Of C.
	"trylock": ownLock, "mtx_timedlock": ownLock, "pthread_mutex_timedlock": ownLock,
	"synchronize_rcu": noKernel, "synchronize_srcu": noKernel, "smp_read_barrier_depends": noKernel,
	"printf": condition, "assert": condition, "assume": "leave executions out with filter, behind the threads",
	// Of OpenCL C.
	"sub_group_barrier": "sub-groups have no scope in the models", "memory_scope_sub_group": "sub-groups have no scope in the models",
	"async_work_group_copy": inPTX, "wait_group_events": inPTX,
	// Of CUDA C++.
	"threadIdx": inCUDA, "blockIdx": inCUDA, "blockDim": inCUDA, "gridDim": inCUDA, "warpSize": ownCode,
	"__ldg": "the read-only cache is outside of the models; read *p", "__activemask": ownCode, "clock": noTime, "clock64": noTime,
	"__trap": condition, "init": "the count of a cuda::barrier is the initial value of its location: { b = 2; }",
	"arrive_and_drop": "a cuda::barrier of litmus tests keeps its count", "arrive_tx": inPTX, "try_wait": "write wait", "try_wait_parity": inPTX,
	"cudaDeviceSynchronize": "litmus tests have no host",
}

// outsidePrefixes are the beginnings of names outside of the C of litmus tests, with a hint what to
// write instead.
var outsidePrefixes = []struct{ prefix, hint string }{
	{"cg::", groups},
	{"cooperative_groups::", groups},
	{"cuda::memcpy_async", inPTX},
	{"cuda::pipeline", inPTX},
	{"cuda::device::", inPTX},
	{"cuda::ptx::", lineOfPTX},
	{"cuda::latch", "write it as a counter: fetch_sub, and wait in a loop"},
	{"cuda::counting_semaphore", "write it as a counter: compare_exchange_weak in a loop"},
	{"cuda::binary_semaphore", "write it as a flag: exchange in a loop"},
	{"__pipeline_", inPTX},
	{"nvcuda::", "matrices are outside of the models"},
	{"wmma::", "matrices are outside of the models"},
	{"__shfl_", noVotes},
	{"__ballot_", noVotes},
	{"__any_", noVotes},
	{"__all_", noVotes},
	{"__match_", noVotes},
	{"__reduce_", noVotes},
	{"__ldc", plainRead},
	{"__ldlu", plainRead},
	{"__stc", plainRead},
	{"__stw", plainRead},
	{"get_global_", inOpenCL},
	{"get_local_", inOpenCL},
	{"get_group_", inOpenCL},
	{"get_num_", inOpenCL},
	{"rcu_", noKernel},
	{"srcu_", noKernel},
	{"smp_mb__", noKernel},
	{"sub_group_", "sub-groups have no scope in the models"},
}

// isVector reports whether a word is a type such as int2 or uchar16, or makes a value of one.
func isVector(word string) bool {
	word = strings.TrimPrefix(word, "make_")
	bare := strings.TrimRight(word, "0123456789")
	switch word[len(bare):] {
	case "1", "2", "3", "4", "8", "16":
		return typeWords[bare]
	}
	return false
}
