package verify

import (
	"github.com/muster-gpu/muster/internal/kernels/rules"
	"github.com/muster-gpu/muster/internal/kernels/symbolic"
	"github.com/muster-gpu/muster/ptx/isa"
)

// writes says how threads write to arrays. Between two barriers, a thread that has not written to an
// array itself reads what it held at the first of them, unless there is a race: and if there is one, the first
// of them is found. That is not so of what atomics and other strong accesses read: they may meet writes without a
// race. A weak load races with these, too.
type writes map[string]symbolic.Contents

// writesOf is how the thread of a trace writes to the arrays that it accesses.
func writesOf(trace *symbolic.Trace, c Config) writes {
	w := writes{}
	some := rules.OrdersSome(trace, c.Lockstep)
	for _, r := range trace.Reads {
		w[r.Region.Name] = symbolic.Fixed
	}
	for _, a := range trace.Accesses {
		if _, known := w[a.Region.Name]; !known && c.Contract != nil {
			w[a.Region.Name] = symbolic.Fixed // a contract may read it
		}
		if a.Kind != symbolic.Load {
			w[a.Region.Name] = min(w[a.Region.Name], written(a, c, some))
		}
	}
	return w
}

// written is what is known of an array to which an access writes. Nothing is if races are not looked for.
func written(a *symbolic.Access, c Config, some bool) symbolic.Contents {
	switch {
	case some: // what one thread has written between two barriers another may read
		return symbolic.Changing
	case a.Copy != nil, a.Tile != nil, c.Only == OnlyDivergence, c.Only == OnlyBlock && a.Region.Space != isa.Shared:
		return symbolic.Changing
	case a.Kind == symbolic.Atomic, a.Strong != isa.NoScope:
		return symbolic.Calm // see ask.Restless
	}
	return symbolic.Stable
}

// help reports that something is known of an array.
func (w writes) help() bool {
	for _, known := range w {
		if known != symbolic.Changing {
			return true
		}
	}
	return false
}

// cover reports that a trace does not write otherwise.
func (w writes) cover(trace *symbolic.Trace, c Config) bool {
	some := rules.OrdersSome(trace, c.Lockstep)
	for _, a := range trace.Accesses {
		if a.Kind != symbolic.Load && w[a.Region.Name] > written(a, c, some) {
			return false
		}
	}
	return true
}
