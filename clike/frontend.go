package clike

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
)

// dialect is what distinguishes the headers of tests.
type dialect struct {
	format          *litmus.Format
	scope           event.Scope // of atomics that name none
	scopeExample    string
	relaxesVolatile bool // volatile accesses are relaxed, and not plain
	kernels         bool // code can ask for threadIdx
	undeclared      bool // what is assigned to needs no declaration, as in herd
	tags            event.Tags
	more            func() map[string]function // besides those of all dialects; nil for none
	sequencing      sequencing                 // of the operands of expressions
}

// dialects are the headers. C knows no scopes: its atomics have that of the system.
var dialects = []*dialect{
	{
		format: &litmus.Format{Arch: "C", Others: []string{"C11"}, Model: "rc11", Layout: litmus.Functions{}, Machine: litmus.GPU, Constants: numbers, Octal: true, Unplaced: true, BareAddress: true},
		scope:  event.ScopeSys, scopeExample: "memory_scope_device", undeclared: true, more: kernelAtomics,
		sequencing: sequencingOfC,
	},
	{
		format: &litmus.Format{
			Arch: "OPENCL", Others: []string{"OpenCL"}, Model: "opencl", Layout: litmus.Functions{}, Machine: openCL(), Constants: numbers, Octal: true,
		},
		scope: event.ScopeGPU, scopeExample: "memory_scope_device", undeclared: true, tags: inOpenCL, more: workItems,
		sequencing: sequencingOfC,
	},
	{
		format: &litmus.Format{Arch: "CUDA", Model: "rc11-scoped", Layout: litmus.Functions{}, Machine: litmus.GPU, Constants: numbers, Octal: true},
		scope:  event.ScopeSys, scopeExample: "cuda::thread_scope_device", relaxesVolatile: true, kernels: true, tags: inCUDA,
		sequencing: sequencingOfCxx,
	},
}

// openCL returns litmus.GPU in the words of OpenCL.
func openCL() litmus.Machine {
	m := litmus.GPU
	m.Levels = slices.Clone(m.Levels)
	m.Levels[litmus.Device].Header = "dev"
	m.Levels[litmus.Kernel].Title = "kernel"
	m.Levels[litmus.CTA].Header, m.Levels[litmus.CTA].Title = "wg", "work-group"
	m.Levels[litmus.Warp].Title = "sub-group"
	return m
}

func dialectOf(f *litmus.Format) *dialect {
	return dialects[slices.IndexFunc(dialects, func(d *dialect) bool { return d.format == f })]
}

// Frontend is C as a language of tests.
func Frontend() *frontend.Frontend {
	f := &frontend.Frontend{
		Read: func(t *litmus.Test, o frontend.Options) (frontend.Program, error) {
			p, err := New(t, o)
			if err != nil {
				return nil, err
			}
			return p, nil
		},
		Names: slices.Concat(frontend.GPUNames, names),
		Label: label,
		Words: words,
	}
	for _, d := range dialects {
		f.Formats = append(f.Formats, d.format)
	}
	return f
}

// words returns the completions for an editor: functions, orders and scopes, and types of more than
// one word.
func words() []string {
	all := slices.Concat(sortedKeys(functions()), sortedKeys(orders), sortedKeys(scopes), sortedKeys(flags), sortedKeys(members()), sortedKeys(workItems()), sortedKeys(builtInVariables))
	for scope := range threadScopes {
		all = append(all, "cuda::"+scope)
	}
	all = append(all, "cuda::atomic", "cuda::atomic_ref", "cuda::barrier", "cuda::atomic_thread_fence", "atomic_int", "volatile", "global", "local")
	slices.Sort(all)
	return slices.Compact(all)
}
