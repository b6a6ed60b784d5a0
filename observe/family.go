package observe

import "regexp"

// familyPattern matches the family at the beginning of a name. What follows the first + or -
// describes how the accesses are ordered and placed (MP+membar.gls-intra-cta), unless it is the
// rest of the family: accesses of a thread, in capitals (2+2W, W+RWC, WRR+2W).
var familyPattern = regexp.MustCompile(`^[^+-]+(?:\+[0-9]?[RWU]+C?\b)*`)

// Family returns the shape of a test, by the naming convention of litmus tests.
func Family(test string) string {
	if family := familyPattern.FindString(test); family != "" {
		return family
	}
	return test
}
