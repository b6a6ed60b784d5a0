// Package probe asks of tests what they tell about models, and of models what is left to test.
//
//	Property     what a test must keep while it shrinks
//	Kept         the usual one: what models say of it
//	Minimized    a test of which nothing more can be dropped or weakened
//	Distinction  a search for the smallest tests on which two models differ
//	Difference   such a test
//	Mutation     a model and its mutants: the models that differ from it in one part
//	Coverage     which tests tell which mutants from the model: what they depend on
//
// Each answers by running tests (package sim): none looks into a model, but to make mutants of
// its text and to see which names it speaks of.
package probe
