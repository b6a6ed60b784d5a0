package sample

import (
	"flag"
	"strconv"
	"testing"
)

// Checks makes rapid run more checks during a test, a quarter of them in make test, and many in a
// nightly run. The test must not be parallel, because it sets a global flag.
func Checks(t *testing.T, by, many int) {
	if Nightly() {
		by = many
	} else {
		by = Of(by, (by+3)/4)
	}
	checks := flag.Lookup("rapid.checks").Value
	before := checks.String()
	n, err := strconv.Atoi(before)
	if err == nil {
		err = checks.Set(strconv.Itoa(n * by))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = checks.Set(before) })
}
