// Package sample determines how much tests do: a sample before each commit, everything in full
// runs.
//
//	Of      a number of iterations
//	Rounds  iterations of a random campaign, which also has nightly runs
//	Long    marks a test that only full runs include
//
// MUSTER_ALL=1, which make test-all and make check set, selects full runs; MUSTER_NIGHTLY=1 selects
// nightly runs.
package sample

import (
	"os"
	"testing"
)

// All reports whether this is a full run.
func All() bool { return os.Getenv("MUSTER_ALL") != "" || Nightly() }

// Nightly reports whether this is a nightly run.
func Nightly() bool { return os.Getenv("MUSTER_NIGHTLY") != "" }

// Of returns all in a full run, else some.
func Of(all, some int) int {
	if All() {
		return all
	}
	return some
}

// Rounds returns the iterations of a random campaign: night, all or some.
func Rounds(night, all, some int) int {
	if Nightly() {
		return night
	}
	return Of(all, some)
}

// Long skips a test except in full runs.
func Long(t testing.TB) {
	t.Helper()
	if !All() {
		t.Skip("takes long: make test-all has it")
	}
}
