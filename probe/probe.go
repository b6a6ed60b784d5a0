// Package probe asks of tests what they tell about models, and of models what is left to test.
//
//	Mutation  a model and its mutants: the models that differ from it in one part
//	Coverage  which tests tell which mutants from the model: what they depend on
package probe
