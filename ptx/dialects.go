package ptx

import (
	"slices"

	"github.com/muster-gpu/muster/ptx/isa"
)

// dialect is the instruction set of the tests with one header.
type dialect struct {
	isa.Dialect
	arch string
	bare bool // a location may stand for its address without brackets
}

// dialects are the dialects by the headers of their tests.
var dialects = map[string]*dialect{
	"GPU_PTX": {Dialect: isa.Litmus2015, arch: "GPU_PTX"},
	"PTX":     {Dialect: isa.Litmus, arch: "PTX", bare: true},
}

// others names the dialects but d that have an opcode.
func (d *dialect) others(opcode string) string {
	for arch, other := range dialects {
		if other != d && other.Has(opcode) {
			return arch
		}
	}
	return ""
}

// Opcodes lists the instructions of all dialects, sorted.
func Opcodes() []string {
	names := slices.Concat(isa.Litmus.Names(), isa.Litmus2015.Names())
	slices.Sort(names)
	return slices.Compact(names)
}
