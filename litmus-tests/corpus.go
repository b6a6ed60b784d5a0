// Package litmustests is the corpus: litmus tests with, beside them in each folder,
//
//	expected.csv      test, model, verdict, reason: what each model must say; in some
//	                  folders also flags, those that the model must raise
//	observations.csv  test, device, runs, observed, source, setting, note
//	devices.csv       device, vendor, architecture, chip, year, driver
//
// asplos15 holds the tests of Alglave et al., "GPU Concurrency: Weak Behaviours and
// Programming Assumptions", ASPLOS 2015, and every count that the paper prints. ptx has
// tests of scoped PTX, for each clause of NVIDIA's memory model (named by Clause= in the
// test) one that it forbids and the weakenings that it allows. cuda has idioms of CUDA
// programs: each says what a programmer wants to know, and the answer. async has asynchronous PTX: each idiom as it
// should be, and with something left out. c, opencl and cpp are tests in
// C11, OpenCL C and CUDA C++: the classics under the models of these languages. opencl also has the paper's tests of AMD
// chips, with the counts; cpp has a twin of each test of cuda (named by Twin= in the test).
package litmustests

import "embed"

// FS is the corpus, as it lies in the repository.
//
//go:embed asplos15 ptx cuda async c opencl cpp
var FS embed.FS
