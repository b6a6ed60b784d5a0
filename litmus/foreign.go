package litmus

import (
	"slices"
	"strings"
)

// foreign are headers of tests of other tools. about says what such a test is, which tool reads it,
// and what to write for muster instead.
var foreign = []struct{ headers, about string }{
	{
		"aarch64 arm x86 x86_64 ppc mips riscv asl bpf",
		"this is assembly of a processor, which herd7 reads; muster has that of GPUs: write the test in PTX, or in C, whose header is C",
	},
	{"lisa bell", "this is the assembly of herd7's models in Bell, whose instructions no GPU has: write the test in PTX, or in C, whose header is C"},
	{"java", "this is a test in Java, which herd7 reads: write it in C, whose header is C"},
	{
		"vulkan spirv spir-v glsl wgsl webgpu",
		"this is a test for the memory model of Vulkan, which Dartagnan reads; muster has none of its models: write the test in OpenCL C, whose header is OPENCL, " +
			"with atomics, scopes and barriers of work-groups",
	},
	{"hsa hsail amd amdgpu gcn hip rocm", "muster has no model of this instruction set: write the test in OpenCL C, whose header is OPENCL, or in CUDA C++, whose header is CUDA"},
	{"module", "this is a model or a test in Alloy: write the test in PTX, whose header is PTX; muster models lists models of PTX's text"},
	{"sass ptx6 ptx7 nvptx", "tests of PTX begin with PTX; those of the study of 2015, which have no orders and no scopes but those of membar, with GPU_PTX"},
}

// aboutForeign returns the text about a header of another tool, or "" if the header is unknown.
func aboutForeign(header string) string {
	for _, f := range foreign {
		if slices.Contains(strings.Fields(f.headers), strings.ToLower(header)) {
			return f.about
		}
	}
	return ""
}
