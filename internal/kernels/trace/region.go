package trace

import (
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Region is a part of memory: an array that threads share, or one of a thread's own.
type Region struct {
	Name     string // of the parameter or the variable, with an offset if the pointer is a part of one
	Space    isa.Space
	Variable *kernel.Variable // nil for a pointer
	Pointer  bool             // a parameter is sure to be a pointer
	Private  bool             // a thread's own
	Entry    bool             // the parameters of the kernel
	Null     bool             // no array: addresses that are numbers
	Align    int              // of what a parameter points to; 0 if it does not say
}

// Alignment returns a power of two that divides the address of the region.
func (r *Region) Alignment() uint64 {
	if v := r.Variable; v != nil {
		return uint64(max(v.Align, 1))
	}
	return uint64(max(r.Align, 1))
}

// Memory returns where a region is.
func (r *Region) Memory() Memory {
	if r.Space == isa.Shared {
		return SharedMemory
	}
	return GlobalMemory
}

// Memory is a part of memory that a barrier may order on its own.
type Memory int

// The memories that threads share.
const (
	SharedMemory Memory = iota
	GlobalMemory
	Memories
)

// Epochs are the numbers of passed barriers of each scope that order a memory.
type Epochs [Grid + 1]*term.Term
