// Package sample says how much tests do: a sample before each commit, everything where there is
// time.
//
//	Of      a number of rounds
//	Rounds  one of a random campaign, which has nights, too
//	Long    a test that is worth its time only where there is time
//
// MUSTER_ALL=1, which make test-all and make check set, asks for everything; MUSTER_NIGHTLY=1 for
// more.
package sample

import (
	"os"
	"testing"
)

// All reports whether everything is asked for.
func All() bool { return os.Getenv("MUSTER_ALL") != "" || Nightly() }

// Nightly reports whether there is a whole night.
func Nightly() bool { return os.Getenv("MUSTER_NIGHTLY") != "" }

// Of returns a number: all of them if everything is asked for, else some.
func Of(all, some int) int {
	if All() {
		return all
	}
	return some
}

// Rounds returns how many rounds a random campaign has: at night, if everything is asked for, and
// else.
func Rounds(night, all, some int) int {
	if Nightly() {
		return night
	}
	return Of(all, some)
}

// Long skips a test unless everything is asked for.
func Long(t testing.TB) {
	t.Helper()
	if !All() {
		t.Skip("takes long: make test-all has it")
	}
}
