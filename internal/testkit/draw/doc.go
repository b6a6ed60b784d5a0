// Package draw draws random litmus tests and models for tests of muster.
//
// A drawer takes the source of randomness, a rapid.T, and returns the text of a litmus test, or a
// program of an oracle, whose String is that text:
//
//	Program, BarrierProgram  programs of package machine, in the dialect of ASPLOS 2015 or PTX
//	Scoped, Small            well-known shapes of PTX with scopes, fences, proxies and aliases
//	Pointers, Indices        addresses that depend on reads: in PTX, in C
//	OneLocation, Locations   atomics on one location, or mostly on one
//	Meeting, Arrivals, Spin  threads that wait: at barriers, at mbarriers, in loops
//	Line, Counters, Twins    similar threads
//	Flags, Sums, Waiting     threads that compute with values they read and communicate
//	Async                    programs of package asynctext, with asynchronous operations
//	Any                      one of several kinds
//	Model, Recursion         models, and recursive definitions
//
// Programs have few accesses, to have few candidate executions. Loops run for Unroll iterations or
// a few more.
package draw
