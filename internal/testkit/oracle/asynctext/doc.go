// Package asynctext is an oracle for the shipped model ptx, in plain Go, for asynchronous
// operations: mbarriers, cp.async, bulk copies, tensor maps, wgmma and tcgen05 (PTX ISA,
// "Asynchronous Operations"). It enumerates all executions of small programs by brute force. It
// shares no code with muster: neither the parser of PTX nor events nor relations.
//
//	Program        threads of instructions, as data; its text is a litmus test
//	Answer         the final states and flags of all its executions
//	ReadGenerated  a test that package gen has generated, as a Program
package asynctext
