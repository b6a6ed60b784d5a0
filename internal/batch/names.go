package batch

import (
	"strings"

	"github.com/muster-gpu/muster/sim"
)

// Names is the names of tests so far, with the places of the tests. Tools that read logs take
// two tests of one name for one.
type Names map[string]place

// place is a line of a file.
type place struct {
	file string
	line int
}

// mostNames bounds how many are remembered: a stream may have no end.
const mostNames = 1 << 15

// See warns of a test whose name another has, as far as names are remembered.
func (n Names) See(r *sim.Result, warn func(format string, args ...any)) {
	if r == nil {
		return
	}
	name := r.Test.Name
	if first, twice := n[name.Text]; twice {
		warn("%s:%d: a test of the name %s is in %s:%d already", name.File.Name, name.Pos().Line, name.Text, first.file, first.line)
		return
	}
	if len(n) < mostNames {
		n[strings.Clone(name.Text)] = place{name.File.Name, name.Pos().Line}
	}
}
