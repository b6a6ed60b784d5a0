package ptx

import (
	"slices"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
)

// gpuFormat and scopedFormat are the two formats of tests: that of the paper (ASPLOS 2015,
// Sec. 4.1), and that of PTX with scopes, from version 6.0.
var (
	gpuFormat    = &litmus.Format{Arch: "GPU_PTX", Model: "ptx-asplos15", Layout: litmus.Columns{}, Machine: litmus.GPU}
	scopedFormat = &litmus.Format{Arch: "PTX", Model: "ptx", Layout: litmus.Columns{}, Machine: litmus.GPU}
)

// Formats lists the formats of tests.
func Formats() []*litmus.Format { return []*litmus.Format{gpuFormat, scopedFormat} }

// Frontend is PTX as a language of tests.
func Frontend() *frontend.Frontend {
	return &frontend.Frontend{
		Formats: Formats(),
		Read: func(t *litmus.Test, o frontend.Options) (frontend.Program, error) {
			p, err := New(t, o)
			if err != nil {
				return nil, err
			}
			return p, nil
		},
		Names: slices.Concat(frontend.GPUNames, names),
		Label: label,
		Words: Opcodes,
	}
}
