// Package optcheck compares the machine code of a litmus test with the test, before its
// observations are trusted.
//
// NVIDIA's assembler optimizes: it merges loads of one address, forwards stores to loads, drops
// stores that are overwritten, simplifies computations on values that were read, which removes
// dependencies, and turns atomics whose result is not used into reductions. Such machine code is a
// different test (ASPLOS 2015, Sec. 4.4, did the same check for the compilers of its time).
//
//	Tools    ptxas, nvdisasm and cuobjdump, where they are
//	Listing  disassembled machine code: a kernel as instructions
//	Report   the verdict, what is wrong, and both codes side by side
//
// Both codes are turned into sets of control paths, each a sequence of memory operations
// (operation.go) with the dependencies between them. For the test that is expected.go, with the
// table of the machine code of each PTX instruction (mapping.go); for the machine code it is
// parse.go, flow.go and walk.go, by symbolic execution between the markers of a role. Values are
// symbolic in both (value.go). compare.go compares the sets, and explain.go describes differences.
//
// Facts that machine code does not show are not compared: the strength of accesses to shared memory
// of the CTA, acquire at the scope of the CTA, and which location of another CTA's shared memory an
// access has. Asynchronous operations and operations on mbarriers (asynchronous.go) are compared by
// kind and order, not by address.
package optcheck

import (
	"context"
	"fmt"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/ptx"
)

// Verdict is the result of a check.
type Verdict uint8

// The verdicts.
const (
	Passed     Verdict = iota // the machine code is the test
	Failed                    // it is another test: counts are void
	NotChecked                // no machine code, or no disassembler
)

func (v Verdict) String() string { return [...]string{"passed", "failed", "not checked"}[v] }

// CheckCubin disassembles the kernels of a plan with the tools that are found, and compares them
// with the test. An error of a tool gives the verdict NotChecked, with its message.
func CheckCubin(ctx context.Context, p *harness.Plan, cubin []byte) *Report {
	if why := incomparable(p); why != "" {
		return notChecked(why) // before nvdisasm, which takes a third of a second
	}
	text, err := FindTools().Disassemble(ctx, cubin)
	if err != nil {
		return notChecked(err.Error())
	}
	return Check(ctx, p, text)
}

// Check compares the disassembled kernels of a plan, as nvdisasm -c or cuobjdump -sass prints them,
// with the test. If the context ends, the verdict is NotChecked.
func Check(ctx context.Context, p *harness.Plan, text string) *Report {
	if why := incomparable(p); why != "" {
		return notChecked(why)
	}
	code, err := ParseListing(text, harness.TestEntry)
	if err != nil {
		return notChecked(err.Error())
	}
	report := &Report{}
	flow := newFlow(code)
	layout := newLayout(p)
	for role := range p.Test.Threads {
		r := &comparison{plan: p, layout: layout, thread: p.Thread(role), role: role, report: report}
		if err := r.run(ctx, flow); err != nil {
			return notChecked(fmt.Sprintf("%s: %v", r.name(), err))
		}
	}
	return report
}

// incomparable says why the machine code of a test cannot be compared, whatever it is, or returns
// "".
func incomparable(p *harness.Plan) string {
	for thread := range p.Test.Threads {
		for _, in := range p.Program.Code(thread) {
			if why := unknownForm(in, p.Target); harness.IsAsync(in) && why != "" {
				return fmt.Sprintf("%s has %s: %s", p.Test.Threads[thread].Name.Text, in.Opcode, why)
			}
		}
	}
	for _, kind := range []struct {
		first func() (thread int, in *ptx.Instr)
		what  string
	}{{p.Hint, "elections or hints"}, {p.Image, "textures or surfaces"}} {
		if thread, in := kind.first(); in != nil {
			return fmt.Sprintf("%s has %s: the machine code of tests with %s is not compared with them",
				p.Test.Threads[thread].Name.Text, in.Opcode, kind.what)
		}
	}
	return ""
}

func notChecked(why string) *Report {
	return &Report{Verdict: NotChecked, Findings: []Finding{{What: why}}}
}
