// Package ptxtext says a second time, in plain Go, what the shipped model ptx says in .cat: the
// memory consistency model of the PTX ISA (chapter "Memory Consistency Model", version 9),
// definition by definition, as loops over the events of a candidate execution. It is written from
// the text, and shares with the model only the fields of an execution: none of the relations that
// package event derives, and no operation of package rel but the question whether a pair is in a
// relation.
//
// What the text leaves to run time is tried out: the direction of each pair of morally strong
// fence.sc, then that of each pair of morally strong writes of a location.
//
//	Read, Consistent  the choices that make a candidate execution consistent
//	Answer            the final states, races and hangs of a test
package ptxtext
