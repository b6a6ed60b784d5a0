package verify

import (
	"github.com/muster-gpu/muster/internal/prove/term"
	"github.com/muster-gpu/muster/internal/symbolic"
)

// writes says when threads write to arrays: how many barriers of their block they may have passed
// before. What no thread writes to between two barriers holds the same for all threads of a block in
// that time, if there is no race: and if there is one, the first of them is found.
type writes struct {
	always bool // anywhere, at any time
	when   map[string]map[uint64]bool
}

// writesOf is when the thread of a trace writes.
func writesOf(trace *symbolic.Trace) *writes {
	w := &writes{when: map[string]map[uint64]bool{}}
	for _, a := range trace.Accesses {
		if a.Kind == symbolic.Load {
			continue
		}
		if w.when[a.Region.Name] == nil {
			w.when[a.Region.Name] = map[uint64]bool{}
		}
		w.when[a.Region.Name][epochOf(a.Epoch[symbolic.Block])] = true
	}
	return w
}

// epochOf is an epoch as a number, Ever if it is not known which.
func epochOf(t *term.Term) uint64 {
	if n, ok := t.Value(); ok {
		return n
	}
	return symbolic.Ever
}

// calm reports that no thread writes to an array in an epoch.
func (w *writes) calm(name string, epoch uint64) bool {
	if w == nil || w.always {
		return false
	}
	when := w.when[name]
	return len(when) == 0 || epoch != symbolic.Ever && !when[epoch] && !when[symbolic.Ever]
}

// help reports that something is read when nobody writes to it.
func (w *writes) help(trace *symbolic.Trace) bool {
	for _, r := range trace.Reads {
		if w.calm(r.Region.Name, symbolic.Ever) || w.calm(r.Region.Name, epochOf(r.Epoch)) {
			return true
		}
	}
	return false
}

// cover reports that a trace writes at no other time.
func (w *writes) cover(trace *symbolic.Trace) bool {
	if w.always {
		return true
	}
	for _, a := range trace.Accesses {
		when := w.when[a.Region.Name]
		if a.Kind != symbolic.Load && !when[symbolic.Ever] && !when[epochOf(a.Epoch[symbolic.Block])] {
			return false
		}
	}
	return true
}
