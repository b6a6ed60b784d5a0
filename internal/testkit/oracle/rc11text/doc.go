// Package rc11text is an oracle for the shipped model rc11: the definitions of Lahav et al.,
// "Repairing Sequential Consistency in C/C++11", PLDI 2017, Sec. 3, in plain Go. It builds every
// execution of a small program and judges it edge by edge. It shares no code with muster: neither
// the parser of C nor events nor relations.
//
//	Random   a random Program in C
//	Program  Text prints it as a litmus test; Outcomes returns its final states and races
package rc11text
