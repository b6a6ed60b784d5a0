package engine

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"

	"github.com/muster-gpu/muster/event"
)

// State is a final state: the values of what is observed. There may be a million of them.
type State struct {
	Count   int // consistent executions that end in it; Most if there are more
	Exhibit     // one of them; none if the state does not count, because a filter rejects it
	key     []byte
}

// NewState returns a state with one execution that ends in it.
func NewState(values []event.Value, x Exhibit) *State {
	return &State{Count: 1, Exhibit: x, key: appendKey(nil, values)}
}

// Values returns the values of what is observed.
func (s *State) Values() []event.Value { return s.AppendValues(nil) }

// AppendValues appends the values of what is observed.
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

// appendKey appends values as bytes: different values as different bytes. Values of one kind have
// one length or nearly.
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

// fewStates are found by looking through them, more by a hash of their values.
const fewStates = 8

// Table holds the states that have been found, each once. The zero Table is empty.
type Table struct {
	all   []*State
	slots []uint32 // by hash, open addressing: one more than the index of a state; 0 for none
	hash  maphash.Seed
	fresh []State // allocated for states to come
	keys  Arena
	key   []byte // of the values that are looked for
}

// Len returns the number of states in the table.
func (t *Table) Len() int { return len(t.all) }

// Counting returns the states that count, in the order in which they were found.
func (t *Table) Counting() []*State {
	counting := make([]*State, 0, len(t.all))
	for _, s := range t.all {
		if s.Evidence != nil {
			counting = append(counting, s)
		}
	}
	return counting
}

// Reset empties the table. States that it has given away stay as they are.
func (t *Table) Reset() {
	clear(t.all)
	if t.all = t.all[:0]; cap(t.all) > 8*fewStates {
		t.all = nil
	}
	t.slots, t.fresh = nil, nil
}

// Find returns the state with these values, or nil.
func (t *Table) Find(values []event.Value) *State {
	t.key = appendKey(t.key[:0], values)
	return t.findKey(t.key)
}

// FindOrAdd returns the state with these values. If there was none, it is new, and counts nothing.
func (t *Table) FindOrAdd(values []event.Value) (s *State, added bool) {
	if s = t.Find(values); s != nil {
		return s, false
	}
	if len(t.fresh) == 0 {
		const most = 1024
		t.fresh = make([]State, min(max(len(t.all), fewStates/2), most))
	}
	s = &t.fresh[0]
	t.fresh, s.key = t.fresh[1:], t.keys.Keep(t.key)
	t.put(s)
	return s, true
}

// findKey returns the state with a key, or nil.
func (t *Table) findKey(key []byte) *State {
	if t.slots == nil {
		for _, s := range t.all {
			if bytes.Equal(s.key, key) {
				return s
			}
		}
		return nil
	}
	for at := t.first(key); t.slots[at] != 0; at = t.next(at) {
		if s := t.all[t.slots[at]-1]; bytes.Equal(s.key, key) {
			return s
		}
	}
	return nil
}

// put adds a state that is not in the table. At least half of the slots stay empty.
func (t *Table) put(s *State) {
	t.all = append(t.all, s)
	switch n := len(t.all); {
	case n <= fewStates:
	case t.slots == nil:
		t.hash = maphash.MakeSeed()
		fallthrough
	case 2*n > len(t.slots):
		t.slots = make([]uint32, max(2*len(t.slots), 4*fewStates))
		for i := range t.all {
			t.index(i)
		}
	default:
		t.index(n - 1)
	}
}

// index enters the i-th state into the slots.
func (t *Table) index(i int) {
	at := t.first(t.all[i].key)
	for t.slots[at] != 0 {
		at = t.next(at)
	}
	t.slots[at] = uint32(i + 1)
}

// first returns the slot at which the search for a key begins. The number of slots is a power of
// two.
func (t *Table) first(key []byte) int { return int(maphash.Bytes(t.hash, key)) & (len(t.slots) - 1) }

func (t *Table) next(at int) int { return (at + 1) & (len(t.slots) - 1) }

// Arena is memory for many short pieces, allocated in blocks. A piece keeps its whole block alive.
// The zero Arena is empty.
type Arena struct {
	rest []byte
	size int // of the last block
}

// The sizes of blocks, in bytes.
const (
	firstBlock = 256
	mostBlock  = 1 << 16
)

// Keep returns a copy of a piece.
func (a *Arena) Keep(b []byte) []byte {
	if len(a.rest) < len(b) {
		a.size = min(max(2*a.size, firstBlock), mostBlock)
		a.rest = make([]byte, max(a.size, len(b)))
	}
	n := copy(a.rest, b)
	kept := a.rest[:n:n]
	a.rest = a.rest[n:]
	return kept
}
