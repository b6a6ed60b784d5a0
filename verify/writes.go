package verify

import (
	"github.com/muster-gpu/muster/internal/kernels/exec"
	"github.com/muster-gpu/muster/internal/kernels/rules"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/ptx/isa"
)

// writes describes how threads write to arrays. Between two barriers, a thread that has not written
// to an array itself reads the contents at the first barrier, unless there is a race; and if there
// is a race, the first one is found. This does not hold for atomics and other strong reads: they
// may meet writes without a race. A weak load races with such writes, too.
type writes map[string]exec.Contents

// writesOf returns how the thread of a trace writes to the arrays that it accesses.
func writesOf(tr *trace.Trace, c Config) writes {
	w := writes{}
	some := rules.OrdersSome(tr, c.Lockstep)
	for _, r := range tr.Reads {
		w[r.Region.Name] = exec.Fixed
	}
	for _, a := range tr.Accesses {
		if _, known := w[a.Region.Name]; !known && c.Contract != nil {
			w[a.Region.Name] = exec.Fixed // a contract may read it
		}
		if a.Kind != trace.Load {
			w[a.Region.Name] = min(w[a.Region.Name], written(a, c, some))
		}
	}
	return w
}

// written returns what is known of the contents of an array to which an access writes. If races are
// not searched, it returns that nothing is known.
func written(a *trace.Access, c Config, some bool) exec.Contents {
	switch {
	case some: // what one thread has written between two barriers another may read
		return exec.Changing
	case a.Copy != nil, a.Tile != nil, c.Only == OnlyDivergence, c.Only == OnlyBlock && a.Region.Space != isa.Shared:
		return exec.Changing
	case a.Kind == trace.Atomic, a.Strong != isa.NoScope:
		return exec.Calm // see ask.Restless
	}
	return exec.Stable
}

// help reports whether something is known of an array.
func (w writes) help() bool {
	for _, known := range w {
		if known != exec.Changing {
			return true
		}
	}
	return false
}

// cover reports whether a trace does not write otherwise.
func (w writes) cover(tr *trace.Trace, c Config) bool {
	some := rules.OrdersSome(tr, c.Lockstep)
	for _, a := range tr.Accesses {
		if a.Kind != trace.Load && w[a.Region.Name] > written(a, c, some) {
			return false
		}
	}
	return true
}
