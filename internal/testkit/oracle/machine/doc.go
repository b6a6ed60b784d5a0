// Package machine executes small random programs: sequential consistency as interleavings of
// instructions, total store order with a store buffer for each thread. It is the oracle of the
// models sc and tso.
//
//	Program    threads of loads, stores, atomics, branches and barriers; its text is a litmus test
//	Semantics  a way to execute a program: Runs returns the final states of all its runs
//
// It shares no code with muster: neither the parser of PTX nor events nor relations.
package machine
