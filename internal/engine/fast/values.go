package fast

import (
	"math/bits"

	"github.com/muster-gpu/muster/event"
)

// learn finds what follows from what is known: locations, values of writes, and values of
// reads that have chosen. It returns false if that contradicts the program; that a computation
// has no meaning (trouble) does not. since is what was known before the last choice.
func (st *structure) learn(since uint64) bool {
	for open := st.accesses &^ (st.known & st.located); open != 0; {
		before := open
		for rest := open; rest != 0; rest &= rest - 1 {
			a := bits.TrailingZeros64(rest)
			if st.access(a); st.known&st.located>>a&1 != 0 {
				open &^= 1 << a
			}
		}
		if open == before {
			break
		}
	}
	st.computeFinals(since)
	return (st.placed || st.pin()) && st.pathsTaken(since)
}

// access finds the location and the value of an access, if they follow.
func (st *structure) access(a event.ID) {
	ev, bit := &st.Events[a], uint64(1)<<a
	if st.located&bit == 0 && st.needs[a].addr&^st.known == 0 {
		st.locate(a)
	}
	switch {
	case st.known&bit != 0:
	case ev.Kind == event.Read:
		w := st.rf[a]
		if w >= 0 && st.known&st.located>>w&1 != 0 && st.located&bit != 0 {
			st.val[a] = st.val[w]
			st.known |= bit
		}
	case st.needs[a].data&^st.known == 0:
		if v, ok := st.eval(ev.Thread, ev.Data); ok {
			st.val[a] = v
			st.known |= bit
		}
	}
}

func (st *structure) locate(a event.ID) {
	v, ok := st.eval(st.Events[a].Thread, st.Events[a].Addr)
	if !ok {
		return
	}
	via, err := event.Resolve(st.Locs, v)
	if err != nil {
		st.trouble = true
		return
	}
	st.loc[a], st.via[a] = event.Physical(st.Locs, via), via
	st.located |= 1 << a
}

// pin finds the accesses whose locations are known, where a write of unknown location is taken
// to be where the reads are that read from it: it must be, or there is no execution. It returns
// false if a read and its write, or two reads of one write, are in two places. No value follows
// from it: where the write is may depend on what they read, and then their value is out of thin
// air. Nothing follows about the names of the location, either, so where there are aliases no
// write is pinned.
func (st *structure) pin() bool {
	st.pinned = st.located
	for rest := st.chosen & st.located; rest != 0; rest &= rest - 1 {
		r := bits.TrailingZeros64(rest)
		switch w := st.rf[r]; {
		case st.aliased && st.located>>w&1 == 0:
		case st.pinned>>w&1 == 0:
			st.loc[w] = st.loc[r]
			st.pinned |= 1 << w
		case st.loc[w] != st.loc[r]:
			return false
		}
	}
	return true
}

// eval evaluates an expression all of whose reads are known.
func (st *structure) eval(thread int, x event.Expr) (event.Value, bool) {
	switch x := x.(type) {
	case event.Const:
		return event.Value(x), true
	case event.ReadOf:
		return st.val[st.First[thread]+int(x)], true
	}
	st.reader = st.First[thread]
	v, err := x.Eval(st.env)
	st.trouble = st.trouble || err != nil
	return v, err == nil
}

// valueOf is what the n-th event of the thread whose expression is evaluated returned.
func (st *structure) valueOf(n int) (event.Value, bool) { return st.val[st.reader+n], true }

// pathsTaken checks the path conditions that have become known.
func (st *structure) pathsTaken(since uint64) bool {
	for i, needs := range st.conds {
		if !st.follows(needs, since) {
			continue
		}
		c := &st.Conds[i]
		if v, ok := st.eval(c.Thread, c.X); ok && v.True() != c.Want {
			return false
		}
	}
	return true
}

// computeFinals computes what registers hold at the end, as far as that has become known.
// Nothing else may need it, but it must have a meaning.
func (st *structure) computeFinals(since uint64) {
	for i := range st.finals {
		if f := &st.finals[i]; st.follows(f.needs, since) {
			st.eval(f.thread, f.value)
		}
	}
}

// follows reports that what needs some reads has become known; what needs none always
// has.
func (st *structure) follows(needs, since uint64) bool {
	return needs&^st.known == 0 && (needs == 0 || needs&^since != 0)
}
