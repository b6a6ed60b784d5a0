package sampling

import (
	"slices"

	"github.com/muster-gpu/muster/event"
)

// noSlip is no event.
const noSlip = -1

// findSlips notes at which events something may go wrong: where threads wait for others, and where
// they read.
func (d *drawing) findSlips() {
	for e := range d.Events {
		ofOthers := func(o event.ID) bool { return d.Events[o].Thread != d.Events[e].Thread }
		switch {
		case slices.ContainsFunc(d.awaits[e], ofOthers):
			d.waits = append(d.waits, e)
		case d.Events[e].Kind == event.Read:
			d.reads = append(d.reads, e)
		}
	}
}

// slips draws where something goes wrong in the i-th interleaving: by turns where a thread waits
// for others, and where one reads. It reports whether there is such a place.
func (d *drawing) slips(i int) bool {
	places := d.waits
	if i%2 == 1 || len(places) == 0 {
		places = d.reads
	}
	if len(places) == 0 {
		return false
	}
	d.slip = places[d.random.IntN(len(places))]
	return true
}

// hurries reports whether a thread comes to the barrier at which it does not wait, or has passed it
// and comes to no other. Such a thread goes first.
func (d *drawing) hurries(t int) bool {
	next := d.next[t]
	if d.slip == noSlip || d.Events[d.slip].Kind != event.Barrier || d.Events[d.slip].Thread != t || next == d.end(t) {
		return false
	}
	return next == d.slip || next > d.slip && len(d.awaits[next]) == 0
}

// older draws one of the writes that w, the last write of its location, has overwritten. Writes
// before the reader's own last one are left out. It returns w if there is no such write.
func (d *drawing) older(w event.ID, reader int) event.ID {
	var before []event.ID
	for _, e := range slices.Backward(d.order) {
		if d.Events[e].Kind != event.Write || d.loc[e] != d.loc[w] {
			continue
		}
		if e != w {
			before = append(before, e)
		}
		if d.Events[e].Thread == reader {
			break
		}
	}
	if len(before) == 0 {
		return w
	}
	return before[d.random.IntN(len(before))]
}
