// Package simtest helps tests of several packages to load, run and compare litmus tests.
//
//	LoadModel, NewModel, EveryModel   shipped models, a model from text, all models of a language
//	Load, Run, States                 a litmus test, its result, the states of the result as text
//	Corpus, TestsFor                  the shipped tests, those for a model
//	CompareEngines, CompareLearned    demand that two engines give the same answer
//	CheckWitness                      demands that a witness is an execution that the model allows
//	AxiomaticQuery                    the query of a test for the axiomatic engine
package simtest
