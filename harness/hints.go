package harness

import (
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Instructions that say which thread does something and how fast, and do not affect memory.
// elect.sync is replaced by its result: the threads of a warp play different instances, each alone,
// so each is elected (PTX ISA, "elect.sync"). setmaxnreg is left out: a kernel keeps the registers
// with which it was compiled.

// isHint reports whether an instruction is such a hint.
func isHint(in *ptx.Instr) bool {
	switch in.Op.Code {
	case isa.Elect, isa.Createpolicy, isa.Prefetch:
		return true
	}
	return in.Page() == "setmaxnreg"
}

// Hint returns the first hint of the test with its thread, or nil.
func (p *Plan) Hint() (thread int, in *ptx.Instr) { return p.first(isHint) }

// unsupportedHint says why a kernel cannot have a hint, or returns "".
func (p *Plan) unsupportedHint(in *ptx.Instr) string {
	switch d, known := demandOf(in); {
	case in.Op.Code == isa.Elect && p.lanes:
		return "its warp has several threads of the test, and lanes of a warp play different instances: one " +
			"would be elected for all"
	case in.Op.Code == isa.Elect && len(in.More) > 0:
		return "kernels set one register with an instruction"
	case in.Op.Code == isa.Createpolicy && !known:
		return missing(in)
	case p.Target < d.target:
		return fmt.Sprintf("it is for %s and newer, and kernels are made for %s", d.target, p.Target)
	case in.Op.Code == isa.Prefetch && (in.Addr == nil || in.Addr.Kind != ptx.Location || p.locs[in.Addr.Loc].shared):
		return "kernels fetch locations of global memory ahead"
	}
	return ""
}

// elect writes elect.sync.
func (c *coder) elect(in *ptx.Instr, guard string) {
	c.line("%ssetp.eq.u32 %s, %%r_role, %%r_role", guard, c.register(in.Dst.Text))
}

// createPolicy writes createpolicy, with the register of the kernel.
func (c *coder) createPolicy(in *ptx.Instr, guard string) {
	text, from, to := in.At.Text(), in.Dst.At.Start-in.At.Start, in.Dst.At.End-in.At.Start
	c.line("%s%s%s%s", guard, text[:from], c.register(in.Dst.Text), text[to:])
}

// cachePolicy returns the register with the cache policy of an asynchronous copy, its last operand,
// or "".
func cachePolicy(in *ptx.Instr) string {
	if !in.Says("L2::cache_hint") {
		return ""
	}
	text := in.At.Text()
	return strings.TrimSpace(text[strings.LastIndexByte(text, ',')+1:])
}

// prefetch writes prefetch.
func (c *coder) prefetch(in *ptx.Instr, guard string) {
	c.line("%s%s [%s]", guard, in.Opcode, c.address(in.Addr.Loc))
}

// leaveOut writes nothing.
func (*coder) leaveOut(*ptx.Instr, string) {}
