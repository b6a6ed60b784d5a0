// Package ptxtext is an oracle for the shipped model ptx: the memory consistency model of the PTX
// ISA (chapter "Memory Consistency Model", version 9) in plain Go, definition by definition, as
// loops over the events of a candidate execution. It is written from the text, and shares with the
// model only the fields of an execution: none of the relations that package event derives, and of
// package rel only the test whether a pair is in a relation.
//
// It enumerates the choices that the text leaves to run time: the direction of each pair of morally
// strong fence.sc, then that of each pair of morally strong writes to a location.
//
//	Read, Consistent  the choices that make a candidate execution consistent
//	Answer            the final states, races and hangs of a test
package ptxtext
