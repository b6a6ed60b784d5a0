// Package probe finds out what tests tell about models, and which parts of models tests leave
// untested.
//
//	Property     what a test must preserve while it shrinks
//	Kept         the usual property: the answers of models
//	Minimized    a test that was shrunk as far as possible
//	Distinction  a search for the smallest tests on which two models differ
//	Difference   such a test
//	Mutation     a model and its mutants: models that differ from it in one part
//	Coverage     which tests tell which mutants from the model
//
// Everything is found by running tests (package sim). A model's text is inspected only to make
// mutants and to see which names it mentions.
package probe
