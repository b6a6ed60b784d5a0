// Package rc11text says a second time, in plain Go, what the shipped model rc11 says in .cat: the
// definitions of Lahav et al., "Repairing Sequential Consistency in C/C++11", PLDI 2017, Sec. 3. It
// builds every execution of a small program and judges it edge by edge. It shares nothing with
// muster: neither the reader of C nor events nor relations.
//
//	Random   a random Program in C
//	Program  Text prints it as a litmus test; Outcomes returns its final states, and whether it races
package rc11text
