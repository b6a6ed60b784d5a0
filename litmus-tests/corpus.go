// Package litmustests is the corpus: litmus tests with, beside them in each folder,
//
//	expected.csv      test, model, verdict, reason: what each model must say
//	observations.csv  test, device, runs, observed, source, setting, note
//	devices.csv       device, vendor, architecture, chip, year
//
// asplos15 holds the tests of Alglave et al., "GPU Concurrency: Weak Behaviours and
// Programming Assumptions", ASPLOS 2015, and every count that the paper prints.
package litmustests

import "embed"

// FS is the corpus, as it lies in the repository.
//
//go:embed asplos15
var FS embed.FS
