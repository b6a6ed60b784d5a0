package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Compilers merge two loads of a location, forward a store to a load, drop a store before another,
// and know that x xor x is 0 whatever was read. They may do so where they see that two addresses
// are equal, or that a number is 0. An opaque kernel hides this: each access of a thread after its
// first adds a parameter of its own to its address, and a computed 0 is replaced by a parameter, or
// has one added. All of these parameters are 0, which only the launch determines.

// Zeros returns the parameters of an opaque kernel that are 0: the first for computations, the
// others for addresses.
func (p *Plan) Zeros() (names []string) {
	if !p.opaque {
		return nil
	}
	most := 1
	for _, r := range p.roles {
		most = max(most, len(p.accesses(r)))
	}
	for i := range most {
		names = append(names, fmt.Sprintf("zero%d", i))
	}
	return names
}

// accesses lists the accesses to memory of a role, in the order of the code. An access to a vector
// counts once.
func (p *Plan) accesses(r role) (all []*ptx.Instr) {
	for _, in := range p.Program.Code(r.thread) {
		if in.Addr != nil && in.Element == 0 && !isImage(in) && !isHint(in) {
			all = append(all, in)
		}
	}
	return all
}

// rebase computes the addresses of accesses that are known before a role begins, so that no
// arithmetic stands between accesses.
func (c *coder) rebase() {
	if !c.Plan.opaque {
		return
	}
	c.bases = map[*ptx.Instr]string{}
	c.line("cvt.u32.u64 %%r_nothing, %%d_zero0")
	for _, in := range c.Program.Code(c.roles[c.role].thread) {
		if in.Addr != nil && in.Dst != nil {
			c.line("mov.u32 %s, 0", c.seenBy(in))
		}
	}
	for i, in := range c.accesses(c.roles[c.role]) {
		if i > 0 && !c.computed(*in.Addr) {
			c.bases[in] = c.hidden(in, i)
		}
	}
}

// computed reports whether the code of the role computes an address.
func (c *coder) computed(o ptx.Operand) bool {
	for _, in := range c.Program.Code(c.roles[c.role].thread) {
		if o.Kind == ptx.Register && in.Dst != nil && in.Dst.Text == o.Text {
			return true
		}
	}
	return false
}

// hidden returns the address of the access with a number, in a form whose value a compiler does not
// know.
func (c *coder) hidden(in *ptx.Instr, number int) string {
	t := c.temp(64)
	c.line("add.u64 %s, %s, %%d_zero%d", t, c.operand(*in.Addr), number)
	return t
}

// base returns the address of an access, without its offset.
func (c *coder) base(in *ptx.Instr) string {
	if !c.Plan.opaque {
		return c.operand(*in.Addr)
	}
	if base, ok := c.bases[in]; ok {
		return base
	}
	for i, other := range c.accesses(c.roles[c.role]) {
		if other == in && i > 0 {
			return c.hidden(in, i)
		}
	}
	return c.operand(*in.Addr)
}

// sources returns the two sources of an instruction that computes with the given width. In an
// opaque kernel a compiler cannot know that one is 0, or that they are equal.
func (c *coder) sources(in *ptx.Instr, bits int) (a, b string) {
	x, y := in.Srcs[0], in.Srcs[1]
	a, b = c.operand(x), c.operand(y)
	if !c.Plan.opaque || bits == 1 {
		return a, b
	}
	zero := map[int]string{32: "%r_nothing", 64: "%d_zero0"}[bits]
	switch {
	case y.Kind == ptx.Immediate && y.Int == 0:
		b = zero
	case x.Kind == y.Kind && a == b:
		b = c.temp(bits)
		c.line("add.u%d %s, %s, %s", bits, b, a, zero)
	}
	return a, b
}

// stays is an instruction across which compilers do not move accesses.
const stays = "pmevent.mask 3"

// keepOrder prevents compilers from moving an access before the previous one, by an instruction
// between the two. A compiler knows that shared and global memory do not overlap, and lets weak
// accesses pass strong ones and unordered loads pass other such loads (ptxas 12.9 swaps those of
// mp-inter-cta). A pmevent of several events at once is not a marker of a role, and does not order
// accesses on the chip.
func (c *coder) keepOrder(in *ptx.Instr) {
	kind := c.movable(in)
	if !c.Plan.opaque || kind == "" {
		return
	}
	loads := in.Op.Code == isa.Ld && in.Order() <= event.Weak && !in.Op.Volatile && !in.Op.MMIO
	if c.lastKind != "" && (kind != c.lastKind || loads && c.lastLoads) {
		c.line("%s", stays)
	}
	c.lastKind, c.lastLoads = kind, loads
}

// movable returns the kind of an access, of an asynchronous instruction or of a fence of one state
// space; a compiler may move it across those of other kinds. It returns "" for instructions that
// compilers do not move, or that have separators of their own.
func (c *coder) movable(in *ptx.Instr) string {
	switch {
	case isHint(in) || slips(in):
		return ""
	case IsAsync(in) || strings.HasPrefix(in.Page(), "fence."):
		return in.Page()
	case in.Addr != nil:
		return c.space(in) + map[bool]string{true: ".weak"}[weak(in)]
	}
	return ""
}

// keepBranch prevents compilers from replacing a branch by a selection: later accesses would not
// depend on it.
func (c *coder) keepBranch() {
	if c.Plan.opaque {
		c.line("%s", stays)
	}
}

// seenBy returns the register that keeps what an instruction has read. Compilers drop a load whose
// result is not used.
func (c *coder) seenBy(in *ptx.Instr) string {
	i := slices.Index(c.Program.Code(c.roles[c.role].thread), in)
	return fmt.Sprintf("%%r_s%d_%d", c.role, i)
}

// see keeps what an instruction has read.
func (c *coder) see(in *ptx.Instr, guard string) {
	if !c.Plan.opaque || in.Dst == nil {
		return
	}
	convert := map[int]string{32: "mov.b32", 64: "cvt.u32.u64"}[c.roles[c.role].regs[in.Dst.Text].bits]
	c.line("%s%s %s, %s", guard, convert, c.seenBy(in), c.register(in.Dst.Text))
}

// needAll uses everything that was read: it adds to the remaining iterations a value that is 0,
// which a compiler cannot know.
func (c *coder) needAll() {
	if !c.Plan.opaque {
		return
	}
	for _, in := range c.Program.Code(c.roles[c.role].thread) {
		if in.Addr != nil && in.Dst != nil {
			c.line("and.b32 %%r_bit, %s, %%r_nothing", c.seenBy(in))
			c.line("add.u32 %%r_rounds, %%r_rounds, %%r_bit")
		}
	}
}

// weak reports whether an instruction is an access that a compiler may reorder (PTX ISA, "ld").
func weak(in *ptx.Instr) bool {
	return in.Op.Class() == isa.ClassAccess && !in.Op.Volatile && in.Order() <= event.Weak &&
		in.Cache() == ptx.CacheNone
}
