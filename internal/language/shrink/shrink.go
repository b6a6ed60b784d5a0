// Package shrink registers, by language, the code that makes tests smaller and that recognises
// equal tests. It is separate from the front ends because only few programs need it.
package shrink

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx"
	ptxshrink "github.com/muster-gpu/muster/ptx/shrink"
)

// Smaller returns the changes that may make a test smaller.
func Smaller(t *litmus.Test) (*frontend.Smaller, error) {
	if isPTX(t) {
		return ptxshrink.Smaller(t)
	}
	return nil, fmt.Errorf("%s: tests of %s cannot be made smaller yet", t.Name.Text, t.Arch)
}

// Knows reports whether tests in the language of t can be made smaller.
func Knows(t *litmus.Test) bool { return isPTX(t) }

// Likeness returns a text that is the same for tests that differ only in names, as far as muster
// can tell.
func Likeness(t *litmus.Test) string {
	if isPTX(t) {
		return ptxshrink.Likeness(t)
	}
	return t.Hash()
}

func isPTX(t *litmus.Test) bool { return slices.Contains(ptx.Formats(), t.Format) }
