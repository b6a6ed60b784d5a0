package solve

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"

	"github.com/muster-gpu/muster/event"
)

// What states are kept in: their values are bytes in a few large pieces of memory, found by a table of numbers.

// appendKey appends values as bytes. Different values are different bytes, and values of one kind have one length or nearly.
func appendKey(key []byte, values []event.Value) []byte {
	for _, v := range values {
		key = binary.AppendVarint(binary.AppendVarint(key, int64(v.Base)), v.Int)
	}
	return key
}

// cutKey takes the first value off a key.
func cutKey(key []byte) (event.Value, []byte) {
	base, n := binary.Varint(key)
	v, m := binary.Varint(key[n:])
	return event.Value{Base: event.Loc(base), Int: v}, key[n+m:]
}

// Values is the values of what the query observes.
func (s *State) Values() []event.Value { return s.AppendValues(nil) }

// AppendValues appends the values to others.
func (s *State) AppendValues(to []event.Value) []event.Value {
	for key := s.key; len(key) > 0; {
		var v event.Value
		v, key = cutKey(key)
		to = append(to, v)
	}
	return to
}

// Compare orders states by the first of their values that compare tells apart.
func (s *State) Compare(t *State, compare func(v, w event.Value) int) int {
	for a, b := s.key, t.key; len(a) > 0; {
		var v, w event.Value
		v, a = cutKey(a)
		w, b = cutKey(b)
		if v == w {
			continue
		}
		if c := compare(v, w); c != 0 {
			return c
		}
	}
	return 0
}

// table finds states by their keys. The zero table is empty.
type table struct {
	slots []uint32 // at the hash of a state or behind: one more than its number; 0 for none
	hash  maphash.Seed
}

// fewStates are looked through; more are found in a table.
const fewStates = 8

// find finds the state of a key among those that were added; nil if there is none.
func (t *table) find(states []*State, key []byte) *State {
	if t.slots == nil {
		for _, s := range states {
			if bytes.Equal(s.key, key) {
				return s
			}
		}
		return nil
	}
	for at := t.first(key); t.slots[at] != 0; at = t.next(at) {
		if s := states[t.slots[at]-1]; bytes.Equal(s.key, key) {
			return s
		}
	}
	return nil
}

// add adds the last of the states. Half of the table is empty at least.
func (t *table) add(states []*State) {
	switch n := len(states); {
	case n <= fewStates:
	case t.slots == nil:
		t.hash = maphash.MakeSeed()
		fallthrough
	case 2*n > len(t.slots):
		t.slots = make([]uint32, max(2*len(t.slots), 4*fewStates))
		for i := range states {
			t.put(states, i)
		}
	default:
		t.put(states, n-1)
	}
}

// put puts the number of a state into the table.
func (t *table) put(states []*State, i int) {
	at := t.first(states[i].key)
	for t.slots[at] != 0 {
		at = t.next(at)
	}
	t.slots[at] = uint32(i + 1)
}

// first is where a key is looked for first. There are 2ⁿ slots.
func (t *table) first(key []byte) int { return int(maphash.Bytes(t.hash, key)) & (len(t.slots) - 1) }

func (t *table) next(at int) int { return (at + 1) & (len(t.slots) - 1) }

// supply is memory for many short pieces. What is kept in it stays in memory as long as anything else beside it.
type supply struct {
	rest []byte
	size int // of what was allocated last
}

// The first piece of memory that a supply allocates, and the largest.
const (
	firstSupply = 256
	mostSupply  = 1 << 16
)

// keep keeps a copy.
func (s *supply) keep(b []byte) []byte {
	if len(s.rest) < len(b) {
		s.size = min(max(2*s.size, firstSupply), mostSupply)
		s.rest = make([]byte, max(s.size, len(b)))
	}
	n := copy(s.rest, b)
	kept := s.rest[:n:n]
	s.rest = s.rest[n:]
	return kept
}
