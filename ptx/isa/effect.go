package isa

import "strings"

// Effect is the known effect of an instruction that has no formula and no class of its own.
type Effect uint8

// The effects. An instruction with an effect other than Unknown accesses no memory that threads of
// its launch write, except for Copies.
const (
	Unknown  Effect = iota
	Anything        // its results, if it has any, may be anything
	Sampled         // they come from textures, which no thread writes while the kernel runs
	Together        // the lanes of a warp execute it together (.sync.aligned); its results may be anything
	Copies          // it is about asynchronous copies of the thread: see AsyncCopy. These do touch such memory
)

// effects by how the opcodes begin.
var effects = map[Effect]string{
	Anything: "txq. istypep. suq. griddepcontrol. createpolicy. cp.async.bulk.prefetch.",
	Sampled:  "tex. tld4.",
	Together: "mma.sync. wmma.mma.sync. movmatrix.sync. setmaxnreg.",
}

// Effect returns the known effect of the instruction.
func (o *Opcode) Effect() Effect {
	switch {
	case o.Code == Packed:
		return Anything
	case o.AsyncCopy() != NoCopy:
		return Copies
	}
	for effect, prefixes := range effects {
		for prefix := range strings.FieldsSeq(prefixes) {
			if strings.HasPrefix(o.Text, prefix) {
				return effect
			}
		}
	}
	return Unknown
}
