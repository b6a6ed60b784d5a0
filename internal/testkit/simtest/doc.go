// Package simtest has what tests of several packages need to load, run and compare litmus tests.
//
//	LoadModel, NewModel, EveryModel   shipped models, one that a test writes, all of a language
//	Load, Run, States                 a litmus test, its result, the states of the result as text
//	Corpus, TestsFor                  the shipped tests, those of a model
//	CompareEngines, CompareLearned    two engines must give the same answer
//	CheckWitness                      a witness must be an execution that the model allows
//	AxiomaticQuery                    the question of a test to the axiomatic engine
package simtest
