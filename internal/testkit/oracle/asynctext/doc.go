// Package asynctext says a second time, in plain Go, what the shipped model ptx says of
// asynchronous operations: mbarriers, cp.async, bulk copies, tensor maps, wgmma and tcgen05 (PTX
// ISA, "Asynchronous Operations"). It enumerates all executions of small programs by brute force.
// It shares nothing with muster: neither the reader of PTX nor events nor relations.
//
//	Program        threads of instructions, as data; its text is a litmus test
//	Answer         the final states and flags of all its executions
//	ReadGenerated  a test that package gen has made, as a Program
package asynctext
