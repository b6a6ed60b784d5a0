// Package shrink is the register of what makes tests smaller, by the languages that they are written
// in. It is apart from that of the front ends because only a few programs have use for it.
package shrink

import (
	"fmt"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx"
	ptxshrink "github.com/muster-gpu/muster/ptx/shrink"
)

// Smaller is what can be tried to make a test smaller.
func Smaller(t *litmus.Test) (*frontend.Smaller, error) {
	for _, f := range ptx.Formats() {
		if t.Format == f {
			return ptxshrink.Smaller(t)
		}
	}
	return nil, fmt.Errorf("%s: tests of %s cannot be made smaller yet", t.Name.Text, t.Arch)
}
