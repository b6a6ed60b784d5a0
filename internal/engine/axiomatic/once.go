package axiomatic

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/rel"
)

// A value goes through each read-modify-write of a location once at most, or it would depend on itself. Where all that is written to the
// location follows from what was there, as of a counter or of an mbarrier, so much is known beforehand: from each value, by way of some of the others. Values that
// go from each write to each read as long as there are new ones would count on and on.

// mostPoints is how many values after how many of each kind are told apart at most.
const mostPoints = 1 << 12

// kind is the writes of read-modify-writes of a location that compute the same from what they read. In a union a read may have several writes, of which one
// at most is there.
type kind []event.ID

// findOnce finds the values of the read-modify-writes of such locations. They are all of those.
func (v *values) findOnce() {
	v.once = rel.NewSet(v.N)
	written := map[event.Loc][]event.ID{}
	for w := range v.s.Events {
		if v.s.Events[w].Kind != event.Write {
			continue
		}
		if !v.sure(w, v.s.Events[w].Addr) {
			return // it may be anywhere
		}
		for _, x := range v.at[w].values {
			written[v.physical(x)] = append(written[v.physical(x)], w)
		}
	}
	for _, writes := range written {
		if kinds, begin, ok := v.kindsOf(writes); ok {
			v.goOnce(kinds, begin)
		}
	}
}

// kindsOf is the read-modify-writes of a location, and what else is written there; ok is false if that is computed from anything else.
func (v *values) kindsOf(writes []event.ID) (kinds []kind, begin []event.Value, ok bool) {
	for _, w := range writes {
		needs := v.needs(v.s.own[w], v.s.Events[w].Data)
		switch {
		case len(needs) == 0:
			begin = append(begin, v.val[w].values...)
			continue
		case len(needs) > 1 || !v.s.Rmw.Has(needs[0], w) || !v.sure(needs[0], v.s.Events[needs[0]].Addr):
			return nil, nil, false
		}
		i := slices.IndexFunc(kinds, func(k kind) bool { return v.alike(k[0], w) })
		if i < 0 {
			kinds = append(kinds, kind{w})
			continue
		}
		kinds[i] = append(kinds[i], w)
	}
	tooMany := func(k kind) bool { return len(k) > math.MaxUint8 }
	return kinds, begin, len(kinds) > 0 && !slices.ContainsFunc(kinds, tooMany)
}

// readOf is the read from which a read-modify-write computes what it writes.
func (v *values) readOf(w event.ID) event.ID { return v.needs(v.s.own[w], v.s.Events[w].Data)[0] }

// alike reports that two read-modify-writes compute the same from what they read, whatever that is.
func (v *values) alike(w, x event.ID) bool {
	r, s := v.readOf(w), v.readOf(x)
	return len(v.wants[r])+len(v.wants[s]) == 0 &&
		sameOf(v.s.Events[w].Data, v.s.Events[x].Data, slices.Index(v.s.own[w], r), slices.Index(v.s.own[x], s))
}

// sameOf reports that an expression of the n-th event of a path is another of the m-th of its path.
func sameOf(x, y event.Expr, n, m int) bool {
	switch a := x.(type) {
	case event.ReadOf:
		b, ok := y.(event.ReadOf)
		return ok && int(a) == n && int(b) == m
	case event.Op:
		b, ok := y.(event.Op)
		if !ok || a.Code != b.Code || a.Type != b.Type {
			return false
		}
		for i := range a.Args {
			if a.Args[i] != nil && b.Args[i] != nil && sameOf(a.Args[i], b.Args[i], n, m) || a.Args[i] == nil && b.Args[i] == nil {
				continue
			}
			return false
		}
		return true
	}
	return x == y
}

// passed is a value, and through how many of each kind it has gone.
type passed struct {
	event.Value
	counts []byte
}

func (p *passed) key() string {
	return string(binary.AppendVarint(binary.AppendVarint(slices.Clone(p.counts), int64(p.Base)), p.Int))
}

// goOnce lets values go through the read-modify-writes of a location, unless there are too many ways.
func (v *values) goOnce(kinds []kind, begin []event.Value) {
	known := map[string]bool{}
	var all []passed
	reach := func(p passed) {
		if key := p.key(); !known[key] {
			known[key] = true
			all = append(all, p)
		}
	}
	for _, x := range begin {
		reach(passed{x, make([]byte, len(kinds))})
	}
	for i := 0; i < len(all) && len(all) <= mostPoints; i++ {
		p := all[i]
		for k, of := range kinds {
			if int(p.counts[k]) == len(of) || !v.wantedOf(v.readOf(of[0]), p.Value) {
				continue
			}
			made, err := v.s.Events[of[0]].Data.Eval(func(int) (event.Value, bool) { return p.Value, true })
			if err != nil {
				continue
			}
			counts := slices.Clone(p.counts)
			counts[k]++
			reach(passed{made, counts})
		}
	}
	if len(all) > mostPoints {
		return
	}
	for k, of := range kinds {
		for _, w := range of {
			r := v.readOf(w)
			v.once.Add(r)
			for _, p := range all {
				if int(p.counts[k]) < len(of) && v.wantedOf(r, p.Value) {
					v.val[r].note(p.Value)
				}
			}
		}
	}
}
