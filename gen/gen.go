// Package gen generates litmus tests from cycles of relations, as diy does for CPUs (Alglave,
// Maranget, Sarkar, Sewell, "Fences in weak memory models", CAV 2010) and as its extension did for
// GPUs (Alglave et al., ASPLOS 2015, Sec. 4.1).
//
//	ISA        the vocabulary and syntax of one kind of tests: GPU_PTX, PTX, C11, OpenCL or CUDA
//	Edge       a step of a cycle: communication, program order, dependency, fence, barrier
//	Access     how an event accesses memory: cache operator, order and scope, atomic
//	Level      how close two threads are: same warp, CTA, cluster, GPU, or other GPUs
//	Cycle      edges and the accesses between them
//	Test       a cycle as a litmus test
//	Generator  all cycles over a vocabulary, each test once
//
// A candidate execution that is not sequentially consistent has a cycle of program order and
// communication (Shasha and Snir, TOPLAS 1988). A cycle determines a program and an execution of
// it: an external edge leads to the next thread, and an edge of program order stays in the thread.
// Values and the final condition follow from the write that each read reads from and from the order
// of the writes.
//
// Edge text → []Edge (edge.go, isa.go) → Cycle (cycle.go, search.go) → threads, locations, values
// (layout.go), asynchronous operations (async.go), scope tree (place.go) → name (name.go) → litmus
// text (emit.go, asynccode.go, functions.go).
package gen
