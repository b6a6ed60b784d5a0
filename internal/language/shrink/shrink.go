// Package shrink is the register of what makes tests smaller, and knows them again, by the
// languages that they are written in. It is apart from that of the front ends because only a few
// programs have use for it.
package shrink

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx"
	ptxshrink "github.com/muster-gpu/muster/ptx/shrink"
)

// Smaller returns what can be tried to make a test smaller.
func Smaller(t *litmus.Test) (*frontend.Smaller, error) {
	if isPTX(t) {
		return ptxshrink.Smaller(t)
	}
	return nil, fmt.Errorf("%s: tests of %s cannot be made smaller yet", t.Name.Text, t.Arch)
}

// Knows reports whether there are ways to make tests in the language of this one smaller.
func Knows(t *litmus.Test) bool { return isPTX(t) }

// Likeness returns a text that tests share if they differ in names only, as far as muster knows.
func Likeness(t *litmus.Test) string {
	if isPTX(t) {
		return ptxshrink.Likeness(t)
	}
	return t.Hash()
}

func isPTX(t *litmus.Test) bool { return slices.Contains(ptx.Formats(), t.Format) }
