package batch

import (
	"hash/maphash"

	"github.com/muster-gpu/muster/sim"
)

// Names records the names of tests so far, with their positions. Tools that read logs take two
// tests of one name for the same test.
type Names struct {
	seed  maphash.Seed
	of    map[uint64]position // by hash of the name; a collision is less likely than a hardware error
	files *[]string           // the files of the positions; neighbours differ
}

// NewNames returns an empty Names.
func NewNames() Names { return Names{maphash.MakeSeed(), map[uint64]position{}, new([]string)} }

// position is a line of a file. It has no pointers, so that the garbage collector need not scan a
// hundred thousand of them.
type position struct{ file, line int32 }

// position returns a position and records its file.
func (n Names) position(file string, line int) position {
	if all := *n.files; len(all) == 0 || all[len(all)-1] != file {
		*n.files = append(all, file)
	}
	return position{int32(len(*n.files) - 1), int32(line)}
}

// mostNames bounds the number of recorded names: a stream may be endless.
const mostNames = 1 << 15

// See warns if a test has the name of an earlier one among those recorded.
func (n Names) See(r *sim.Result, warn func(format string, args ...any)) {
	if r == nil {
		return
	}
	name := r.Test.Name
	key := maphash.String(n.seed, name.Text)
	if first, twice := n.of[key]; twice {
		warn("%s:%d: a test of the name %s is in %s:%d already", name.File.Name, name.Pos().Line, name.Text,
			(*n.files)[first.file], first.line)
		return
	}
	if len(n.of) < mostNames {
		n.of[key] = n.position(name.File.Name, name.Pos().Line)
	}
}
