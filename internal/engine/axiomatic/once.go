package axiomatic

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/rel"
)

// A value passes through each read-modify-write of a location at most once, or it would depend on
// itself. If each write to a location is constant or computed from the value it replaces, as with a
// counter or an mbarrier, its values can be computed in advance: start from each constant and apply
// some of the read-modify-writes, each once. Plain substitution from each write to each read would
// count on without end.

// mostPoints bounds the distinct pairs of a value and the counts of each kind.
const mostPoints = 1 << 12

// kind is the writes of a location's read-modify-writes that compute the same function. In a union,
// one read may have several writes, at most one of them present.
type kind []event.ID

// findOnce computes the values of the read-modify-writes of such locations. They are complete.
func (v *values) findOnce() {
	v.once = rel.NewSet(v.N)
	written := map[event.Loc][]event.ID{}
	for w := range v.s.Events {
		if v.s.Events[w].Kind != event.Write {
			continue
		}
		if !v.sure(w, v.s.Events[w].Addr) {
			return // the write may be at any location
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

// kindsOf returns the kinds of read-modify-writes of a location, and the constants written there.
// ok is false if some write is computed from anything else.
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

// readOf returns the read from which a read-modify-write computes the value that it writes.
func (v *values) readOf(w event.ID) event.ID { return v.needs(v.s.own[w], v.s.Events[w].Data)[0] }

// alike reports whether two read-modify-writes compute the same function, and no path restricts the
// values that they read.
func (v *values) alike(w, x event.ID) bool {
	r, s := v.readOf(w), v.readOf(x)
	return len(v.wants[r])+len(v.wants[s]) == 0 &&
		sameOf(v.s.Events[w].Data, v.s.Events[x].Data, slices.Index(v.s.own[w], r), slices.Index(v.s.own[x], s))
}

// sameOf reports whether two expressions, of the read at position n of one path and of the read at
// position m of another, are equal.
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

// passed is a value with the number of read-modify-writes of each kind that it has passed through.
type passed struct {
	event.Value
	counts []byte
}

func (p *passed) key() string {
	return string(binary.AppendVarint(binary.AppendVarint(slices.Clone(p.counts), int64(p.Base)), p.Int))
}

// goOnce computes the values that pass through the read-modify-writes of a location. It gives up
// after mostPoints.
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
