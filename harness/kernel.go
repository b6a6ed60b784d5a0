package harness

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/muster-gpu/muster/ptx/isa"
)

// The entry points of a module.
const (
	PrepareEntry = "prepare" // initial values
	TestEntry    = "litmus"  // every role of every instance
	ClaimEntry   = "claim"   // finds a row of the table for each outcome
	CountEntry   = "count"   // counts the outcomes
)

// Param is a parameter of the entry points. All entry points take the same parameters, in the order
// of Plan.Params.
type Param struct {
	Name string
	Wide bool // an address in global memory, of 64 bits; else a number of 32
}

// The parameters beside those of the locations.
var (
	buffers = []string{
		"results", "finals", "unfinished", "meeting", "scratch", "tags", "counts", "values", "launches", "latest",
	}
	numbers = []string{
		"instances", "first", "playing", "meeting_threads", "clusters", "places", "ctas", "warps", "lanes",
		"stride", "shared_stride",
		"cluster_mul", "cluster_add", "warp_mul", "warp_add", "together", "patience",
		"loop_bound", "pre_rounds", "pre_pattern", "stress_rounds", "stress_pattern", "lines", "line_stride",
		"conflicts", "conflicts_at", "table_mask", "launch",
	}
)

// Params lists the parameters of the entry points: for each slot in global memory its address and
// the permutation of instances over it, then buffers, then numbers, then, if the test has several
// kernels, the number of the kernel, and last the zeros of opaque kernels.
func (p *Plan) Params() []Param {
	var all []Param
	for s := range p.Slots() {
		all = append(all, Param{SlotParam(s), true})
	}
	for _, name := range buffers {
		all = append(all, Param{name, true})
	}
	if p.rank > 0 {
		all = append(all, Param{tensorParam, true})
	}
	for s := range p.Slots() {
		all = append(all, Param{SlotParam(s) + "_mul", false}, Param{SlotParam(s) + "_add", false})
	}
	for _, name := range numbers {
		all = append(all, Param{name, false})
	}
	if len(p.kernels) > 1 {
		all = append(all, Param{kernelParam, false})
	}
	for _, name := range p.Zeros() {
		all = append(all, Param{name, true})
	}
	return all
}

// kernelParam is the parameter with the number of the kernel of the test that runs.
const kernelParam = "kernel"

// SlotParam returns the parameter with the address of a slot in global memory.
func SlotParam(slot int) string { return fmt.Sprintf("slot%d", slot) }

// written has functions that return the modules of a plan, with and without opaque kernels.
type written struct{ plain, opaque func() string }

// keepWritten arranges that each module is written only once: writing takes longer than running a
// test.
func (p *Plan) keepWritten() {
	plain, opaque := *p, *p
	plain.opaque, opaque.opaque = false, true
	p.written = &written{sync.OnceValue(plain.write), sync.OnceValue(opaque.write)}
}

// Kernels returns the PTX module of the plan. It may be called concurrently.
func (p *Plan) Kernels() string {
	if p.opaque {
		return p.written.opaque()
	}
	return p.written.plain()
}

// write writes the module.
func (p *Plan) write() string {
	var b strings.Builder
	version, oldest := p.needs()
	fmt.Fprintf(&b, "// %s, %s\n%s\n", p.Test.Name.Text, p.Test.Hash(), p.Target.header(version, oldest, p.rank > 0))
	fmt.Fprintf(&b, ".extern .shared .align %d .b8 shared_memory[];\n", max(bulkBytes, p.align))
	for _, e := range []struct {
		name string
		body []string
	}{
		{PrepareEntry, p.prepare()},
		{TestEntry, p.litmus()},
		{ClaimEntry, p.classify(claims)},
		{CountEntry, p.classify(counts)},
	} {
		p.entry(&b, e.name, e.body)
	}
	return b.String()
}

// CodeFile returns a name for a file with the machine code of the kernels. It depends on the test
// and on everything in the kernels.
func (p *Plan) CodeFile() string {
	name := strings.Map(func(r rune) rune {
		if r == '/' || r == filepath.Separator || r == 0 {
			return '_'
		}
		return r
	}, p.Test.Name.Text)
	sum := sha256.Sum256([]byte(p.Kernels()))
	return fmt.Sprintf("%s-%x.cubin", name, sum[:6])
}

// needs returns the version of the PTX ISA that the instructions of the test need, and the oldest
// target that has those with a page of their own.
func (p *Plan) needs() (version string, oldest Target) {
	version, oldest = "7.0", SM70
	for _, r := range p.roles {
		for _, in := range p.Program.Code(r.thread) {
			needed := ""
			switch {
			case in.Page() != "":
				d, _ := demandOf(in)
				needed, oldest = d.version, max(oldest, d.target)
			case in.Op.ProxyFence:
				needed = map[bool]string{false: "7.5", true: "8.0"}[in.Op.Proxy == isa.ProxyAsync]
			case in.Op.Code == isa.Fence && in.Order().String() != "sc" && in.Order().String() != "acq_rel":
				needed = "8.6" // PTX ISA, "membar / fence", PTX ISA Notes
			case isClusterBarrier(in):
				needed = "8.0" // with an order: "barrier.cluster"
			case in.Op.MMIO:
				needed = "8.2" // "ld"
			case in.Scope().String() == "cluster":
				needed = "7.8"
			}
			if needed != "" && compareVersions(needed, version) > 0 {
				version = needed
			}
		}
	}
	return version, oldest
}

// entry writes an entry point: parameters, registers, code.
func (p *Plan) entry(b *strings.Builder, name string, body []string) {
	var params, loads []string
	registers := mentioned(body)
	for _, param := range p.Params() {
		typ, prefix := "u32", "r"
		if param.Wide {
			typ, prefix = "u64", "d"
		}
		register := fmt.Sprintf("%%%s_%s", prefix, param.Name)
		params = append(params, fmt.Sprintf("\t.param .%s p_%s", typ, param.Name))
		if registers[register] {
			loads = append(loads, fmt.Sprintf("\tld.param.%s %s, [p_%s];", typ, register, param.Name))
		}
	}
	text := strings.Join(loads, "\n") + "\n" + strings.Join(body, "\n")
	directive := ""
	if name == TestEntry && (p.clusterBarriers > 0 || p.reachesCluster()) {
		directive = ".explicitcluster\n" // else the machine code tests whether there are clusters
	}
	fmt.Fprintf(b, "\n.visible .entry %s(\n%s)\n%s{\n%s%s\n\tret;\n}\n", name, strings.Join(params, ",\n"), directive,
		declarations(registers), text)
}

// assembler writes lines of code.
type assembler struct{ lines []string }

func (a *assembler) line(format string, args ...any) {
	a.lines = append(a.lines, "\t"+fmt.Sprintf(format, args...)+";")
}

func (a *assembler) label(format string, args ...any) {
	a.lines = append(a.lines, fmt.Sprintf(format, args...)+":")
}

// minus sets a register to x - n modulo a bound.
func (a *assembler) minus(to, x string, n int, bound string) {
	if n == 0 {
		a.line("mov.u32 %s, %s", to, x)
		return
	}
	a.line("add.u32 %s, %s, %s", to, x, bound)
	a.line("sub.u32 %s, %s, %d", to, to, n)
	a.line("rem.u32 %s, %s, %s", to, to, bound)
}

// index sets a 64-bit register to base + 4 (row · instances + instance).
func (a *assembler) index(to, base string, row int, instance string) {
	a.line("mul.lo.u32 %%r_index, %%r_instances, %d", row)
	a.line("add.u32 %%r_index, %%r_index, %s", instance)
	a.line("mul.wide.u32 %s, %%r_index, 4", to)
	a.line("add.u64 %s, %s, %s", to, base, to)
}

// slotAddress sets a register to the address of a slot of an instance in global memory: instances
// are permuted by a multiplier that is coprime to their number.
func (a *assembler) slotAddress(to string, slot int, instance string) {
	a.slotWhere(slot, instance)
	a.line("mad.lo.u64 %s, %%d_where, %%d_term, %%d_%s", to, SlotParam(slot))
}

// slotWhere sets %d_where to the position of an instance in a slot, and %d_term to the stride.
func (a *assembler) slotWhere(slot int, instance string) {
	name := SlotParam(slot)
	a.line("mul.wide.u32 %%d_where, %s, %%r_%s_mul", instance, name)
	a.line("cvt.u64.u32 %%d_term, %%r_%s_add", name)
	a.line("add.u64 %%d_where, %%d_where, %%d_term")
	a.line("cvt.u64.u32 %%d_term, %%r_instances")
	a.line("rem.u64 %%d_where, %%d_where, %%d_term")
	a.line("cvt.u64.u32 %%d_term, %%r_stride")
}

// flat sets a register to the number of the thread in the launch.
func (a *assembler) flat(to string) {
	a.line("mov.u32 %%r_ctaid, %%ctaid.x")
	a.line("mov.u32 %%r_ntid, %%ntid.x")
	a.line("mov.u32 %%r_tid, %%tid.x")
	a.line("mad.lo.u32 %s, %%r_ctaid, %%r_ntid, %%r_tid", to)
}

// playing computes the instance of the thread, if it has one.
func (a *assembler) playing() {
	a.flat("%r_instance")
	a.line("setp.ge.u32 %%p_none, %%r_instance, %%r_playing")
	a.line("@%%p_none bra DONE")
	a.line("add.u32 %%r_instance, %%r_instance, %%r_first")
}

// prepare returns the kernel that gives the memory of an instance its initial values.
func (p *Plan) prepare() []string {
	a := &assembler{}
	a.playing()
	for s := range p.Slots() {
		if p.image(s) == surface {
			p.prepareSurface(a, s)
		}
		if p.slotShared(s) || p.Same(s) != s {
			continue
		}
		a.slotAddress("%d_slot", s, "%r_instance")
		for _, l := range p.locs {
			switch {
			case l.slot != s:
			case l.maps:
				p.prepareMap(a, l)
			default:
				typ, value := l.initial()
				a.line("st.global%s [%%d_slot+%d], %d", typ, 4*l.elem, value)
			}
		}
	}
	a.index("%d_to", "%d_unfinished", 0, "%r_instance")
	a.line("st.global.u32 [%%d_to], 0")
	a.label("DONE")
	return a.lines
}

func (p *Plan) slotShared(s int) bool { return s < p.sharedSlots }
