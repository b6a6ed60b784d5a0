package ask

import (
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/ptx/isa"
)

// A strong load, such as a volatile one, races with no strong write. If no strong write of another
// thread can happen in the same barrier interval, it returns the contents of the array at the
// barrier before, as a weak load does. The trace assumes this, and a question checks it. The first
// two accesses that conflict return what was assumed, so a conflict is found if there is one.

// Restless returns the arrays whose strong loads may meet a write, among those for which the
// execution has assumed that they do not (calm).
func (a *Asker) Restless(calm func(array string) bool) (names []string) {
	for _, e := range encountersOf(a, calm) {
		if e.happen(a) {
			names = append(names, e.array.Name)
		}
	}
	return names
}

// encounters are the strong loads and the writes of an array.
type encounters struct {
	array         *trace.Region
	loads, writes []*trace.Access
}

// encountersOf returns those of the calm arrays.
func encountersOf(a *Asker, calm func(array string) bool) (all []*encounters) {
	of := map[*trace.Region]*encounters{}
	seen := map[string]bool{}
	for _, x := range a.trace.Accesses {
		key := a.sweep.sameness(x)
		if !calm(x.Region.Name) || seen[key] {
			continue
		}
		seen[key] = true
		e := of[x.Region]
		if e == nil {
			e = &encounters{array: x.Region}
			of[x.Region] = e
			all = append(all, e)
		}
		switch {
		case x.Kind != trace.Load:
			e.writes = append(e.writes, x)
		case x.Strong != isa.NoScope:
			e.loads = append(e.loads, x)
		}
	}
	return all
}

// happen reports whether a load may meet a write of another thread.
func (e *encounters) happen(a *Asker) bool {
	if len(e.loads)*len(e.writes) > SearchPairs {
		return true
	}
	if len(e.loads) > 0 {
		a.Settle()
	}
	for _, load := range e.loads {
		for _, write := range e.writes {
			for _, by := range a.Others(true) {
				if a.Pair(load, write, by).Encounter() {
					return true
				}
			}
		}
	}
	return false
}
