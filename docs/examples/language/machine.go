package main

import (
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/vocab"
)

// machine is where threads can be: on the cores of chips of boards. A thread that a test puts on a
// chip, and not on a core, has a core of its own.
var machine = litmus.Machine{Levels: []litmus.LevelInfo{
	{Name: "board", Header: "board"}, {Name: "chip", Header: "chip"}, {Name: "core", Header: "core", Own: true},
}}

// The tags of events: how far a flush reaches.
const (
	toChip event.Tags = 1 << iota
	toBoard
)

// names are the sets and relations that models of this machine may mention, besides those of every
// language: board, chip and core, which relate events of threads that are together, and the pairs
// of accesses that a flush separates. A flush that reaches the board reaches the chip.
var names = append(frontend.PlaceNames(&machine),
	flush("flush.chip", "flush.board", toChip|toBoard),
	flush("flush.board", "", toBoard),
)

func flush(name, wider string, tags event.Tags) event.Name {
	return event.Name{
		Name: vocab.Name{
			Name: name, Family: vocab.Fence, Wider: wider,
			Meaning: "accesses of a thread with a " + name + " between them", Pair: name + " separates %s from %s",
		},
		Is: event.Separation(func(e *event.Event) bool { return e.Tags&tags != 0 }),
	}
}

// Language is MESH, a language of tests.
func Language() *frontend.Frontend {
	return &frontend.Frontend{
		Formats: []*litmus.Format{{Arch: "MESH", Layout: litmus.Columns{}, Machine: machine}},
		Names:   names,
		Read:    read,
		Words:   opcodes,
	}
}
