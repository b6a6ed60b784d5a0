package frontend

import (
	"strconv"

	"github.com/muster-gpu/muster/litmus"
)

// Key is the text of all that a part of a program depends on, for Shared. Different words and
// numbers make different keys.
type Key []byte

// Word adds a text, after its length.
func (k *Key) Word(text string) {
	*k = append(strconv.AppendInt(*k, int64(len(text)), 10), ':')
	*k = append(*k, text...)
}

// Numbers adds numbers.
func (k *Key) Numbers(numbers ...int) {
	for _, n := range numbers {
		*k = append(strconv.AppendInt(*k, int64(n), 10), ' ')
	}
}

// Memory adds the locations of a program, as they are now.
func (k *Key) Memory(m *Memory) {
	for _, l := range m.Locs {
		k.Word(l.Name)
		k.Numbers(l.Region, l.Elems, l.Init.Base, int(l.Init.Int))
		if l.Alias != nil {
			k.Numbers(l.Alias.Of)
			k.Word(l.Alias.Through)
		}
	}
}

// Registers adds what a test says about the registers of a thread: their initial values, and which
// of them are in refs, all that the test observes.
func (k *Key) Registers(t *litmus.Test, thread int, refs []litmus.Ref) {
	for _, r := range t.Registers {
		if r.Thread != thread {
			continue
		}
		var init litmus.Value
		if r.Init != nil {
			init = *r.Init
		}
		k.Word(r.Name.Text)
		k.Word(r.Type)
		k.Word(init.Loc)
		k.Numbers(int(init.Int))
	}
	for _, r := range refs {
		if r.Thread == thread {
			k.Word(r.Name)
		}
	}
	k.Numbers(0) // no name
}
