package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/ptx/isa"
)

// coder writes the code of a role.
type coder struct {
	*Plan
	*assembler
	role  int
	temps int
	// addresses, in an opaque kernel, of accesses that are known before the role begins
	bases     map[*ptx.Instr]string
	lastKind  string // in an opaque kernel: state space and strength of the previous access
	lastLoads bool   // the previous access is a load without an order
}

// temp returns a new register of the given width that the test does not use.
func (c *coder) temp(bits int) string {
	c.temps++
	return fmt.Sprintf("%%%s_t%d_%d", prefixes[bits], c.role, c.temps)
}

// emitters write the instructions of tests.
var emitters map[isa.Code]func(*coder, *ptx.Instr, string)

// simple are instructions that are written as destination, then sources.
var simple = []isa.Code{
	isa.Add, isa.Sub, isa.And, isa.Or, isa.Xor, isa.Min, isa.Max, isa.Div, isa.Rem, isa.Shl, isa.Shr,
}

// asWritten are instructions that are written as in the manual, with all suffixes.
var asWritten = []isa.Code{isa.Mad, isa.Neg, isa.Abs, isa.Not}

func init() {
	emitters = map[isa.Code]func(*coder, *ptx.Instr, string){
		isa.Ld: (*coder).load, isa.St: (*coder).store, isa.Atom: (*coder).atomic, isa.Red: (*coder).atomic,
		isa.Membar: (*coder).fence, isa.Fence: (*coder).fence, isa.Bar: (*coder).barrier, isa.Barrier: (*coder).barrier,
		isa.Mov: (*coder).move, isa.Cvta: (*coder).move, isa.Cvt: (*coder).convert, isa.Setp: (*coder).compare,
		isa.Selp: (*coder).selectValue, isa.Mul: (*coder).multiply, isa.Bra: (*coder).branch,
		isa.Ret: (*coder).exit, isa.Exit: (*coder).exit, isa.Cluster: (*coder).mapAddress,
		isa.Elect:        (*coder).elect,
		isa.Createpolicy: (*coder).createPolicy,
		isa.Prefetch:     (*coder).prefetch,
		isa.Launch:       (*coder).leaveOut,
	}
	for _, code := range simple {
		emitters[code] = (*coder).arithmetic
	}
	for _, code := range asWritten {
		emitters[code] = (*coder).write
	}
}

// checkInstructions refuses instructions that kernels cannot have.
func (p *Plan) checkInstructions() error {
	for _, r := range p.roles {
		for _, in := range p.Program.Code(r.thread) {
			if why := p.unsupported(&r, in); why != "" {
				return p.unable("%s of %s: %s", in.At.Text(), p.Test.Threads[r.thread].Name.Text, why)
			}
		}
	}
	return nil
}

// unsupported says why a kernel cannot have an instruction, or returns "".
func (p *Plan) unsupported(r *role, in *ptx.Instr) string {
	if IsAsync(in) {
		return p.unsupportedAsync(r, in)
	}
	if isMapa(in) {
		return p.unsupportedMapa(r, in)
	}
	if isImage(in) {
		return p.unsupportedImage(in)
	}
	if isHint(in) {
		return p.unsupportedHint(in)
	}
	switch {
	case in.Floating():
		return "kernels have no atomics of floating-point numbers"
	case in.Op.Class() == isa.ClassBarrier && in.Op.Warp:
		return "lanes of a warp play different instances, and would meet each other"
	case emitters[in.Op.Code] == nil || in.Proxy() != isa.ProxyGeneric && !in.Op.Constant || isMatrixFence(in):
		return missing(in)
	case in.Packs || in.Op.Saturate || in.Op.Relu || in.Op.Combine != isa.NoUpdate:
		return missing(in)
	case in.Op.Pair:
		return "kernels set one register with an instruction"
	case isBarrier(in) && in.Dst != nil:
		return "lanes of a warp play different instances, which the reduction would mix"
	case in.Guard != nil && in.Target != nil && in.Op.Cmp != isa.NoComparison:
		return "kernels have no guards of branches that compare"
	case in.Scope() == event.ScopeCluster && !p.Target.Clusters():
		return p.Target.String() + " has no clusters"
	case in.Op.ProxyFence && !slices.Contains([]isa.Proxy{isa.ProxyAlias, isa.ProxyAsync}, in.Op.Proxy):
		return "PTX has no such fence: it is of litmus tests"
	case in.Op.ProxyFence && in.Op.Proxy == isa.ProxyAsync && !p.Target.Clusters():
		return p.Target.String() + " has no asynchronous proxy"
	case slices.Contains([]isa.Space{isa.Local, isa.Const, isa.Param}, in.Op.Space):
		return "kernels have global and shared memory only"
	case slices.ContainsFunc(in.Op.Types, func(t isa.Type) bool { return t.Bits == 8 || t.Bits == 16 }) ||
		in.Size() > 64:
		return "kernels have types of 32 and 64 bits only"
	case in.Op.Half > isa.Low:
		return "kernels have the low half of products only"
	case in.Op.Code == isa.Fence && (in.Order() == event.Acquire || in.Order() == event.Release) &&
		!p.Target.Clusters():
		return "fence." + in.Order().String() + " is for sm_90 and newer"
	case in.Op.Code == isa.Red && (in.Order() == event.Acquire || in.Order() == event.AcqRel):
		return "PTX has no red." + in.Order().String()
	case (isBarrier(in) || isClusterBarrier(in)) && (p.lanes || in.Guard != nil):
		return "threads of one warp would wait for each other"
	case p.narrows(r, in):
		return "an address has 64 bits in kernels, and is computed here with 32"
	case in.Addr == nil:
		return ""
	}
	regions := map[bool]bool{}
	for _, l := range p.pointsTo(r, *in.Addr) {
		regions[p.locs[l].shared] = true
		if why := p.outOfReach(r, l); why != "" {
			return why
		}
	}
	switch {
	case len(regions) == 0:
		return "the state space of the address is not known"
	case len(regions) == 2:
		return "the address may be in global or in shared memory"
	case in.Op.MMIO && regions[true]:
		return ".mmio is for global memory"
	case in.Op.Constant && regions[true]:
		return ".nc is for global memory"
	}
	return ""
}

// isMatrixFence reports whether an instruction is a fence, with a page of its own, that kernels do
// not support: those between threads that share matrices.
func isMatrixFence(in *ptx.Instr) bool {
	_, listed := demands[in.Page()]
	return in.Op.Code == isa.Fence && in.Page() != "" && !listed
}

// missing says what kernels lack that an instruction needs, in terms of the test.
func missing(in *ptx.Instr) string {
	text := strings.Fields(in.At.Text())[0]
	for _, family := range []struct{ prefix, why string }{
		{"cp.async.bulk.prefetch", "kernels do not fetch ahead by tensor maps"},
		{"wgmma.", "kernels have no products of matrices, which whole warpgroups compute"},
		{"createpolicy.", "kernels have policies for fractions of accesses only"},
		{"tcgen05.", "kernels have no tensor memory, which whole warps allocate, read and write"},
	} {
		if strings.HasPrefix(text, family.prefix) {
			return family.why
		}
	}
	if proxy := in.Proxy(); proxy != isa.ProxyGeneric {
		return fmt.Sprintf("kernels reach memory through the generic proxy, not the %s proxy", proxy)
	}
	return "kernels do not have this instruction"
}

// pointsTo returns the locations whose address an operand may hold.
func (p *Plan) pointsTo(r *role, o ptx.Operand) []event.Loc {
	if o.Kind == ptx.Location {
		return []event.Loc{o.Loc}
	}
	var all []event.Loc
	for l := range r.regs[o.Text].points {
		all = append(all, l)
	}
	slices.Sort(all)
	return all
}

// code writes a role: its instructions, and the label of its end.
func (c *coder) code() {
	program := c.Program.Code(c.roles[c.role].thread)
	for pc, in := range program {
		if c.isTarget(program, pc) {
			c.label("%s", c.at(pc))
		}
		if beginsLoop(program, pc) {
			c.line(nounroll)
		}
		guard := ""
		if in.Guard != nil {
			guard = c.guard(in.Guard)
		}
		if in.Target != nil && in.TargetPC <= pc {
			c.boundLoop(pc)
		}
		if in.Element > 0 { // the first element has the whole access
			c.see(in, guard)
			continue
		}
		c.keepOrder(in)
		c.emit(in, guard)
	}
	c.label("%s", c.at(len(program)))
}

// emit writes an instruction.
func (c *coder) emit(in *ptx.Instr, guard string) {
	if slips(in) {
		c.line("%s", stays)
		defer c.line("%s", stays)
	}
	switch {
	case isImage(in):
		c.accessImage(in, guard)
	case IsAsync(in):
		c.async(in, guard)
	default:
		emitters[in.Op.Code](c, in, guard)
	}
}

// slips reports whether compilers move an instruction past others although they must not: accesses
// to images, and the store that changes a tensor map (ptxas 12.9 and 13.0 move it before the
// cp.async.bulk.wait_group that waits until the map has been read).
func slips(in *ptx.Instr) bool { return isImage(in) || changesMap(in) }

// beginsLoop reports whether a branch leads back to an instruction. A compiler that unrolls the
// loop would duplicate accesses of the test.
func beginsLoop(program []*ptx.Instr, pc int) bool {
	return slices.ContainsFunc(program[pc:], func(in *ptx.Instr) bool { return in.Target != nil && in.TargetPC == pc })
}

// isTarget reports whether execution may continue at an instruction from elsewhere: after a branch,
// or after a loop before it that timed out.
func (c *coder) isTarget(program []*ptx.Instr, pc int) bool {
	if pc > 0 && program[pc-1].Target != nil && program[pc-1].TargetPC < pc && comesToBarrier(program[pc:]) {
		return true
	}
	return slices.ContainsFunc(program, func(in *ptx.Instr) bool { return in.Target != nil && in.TargetPC == pc })
}

// at returns the label before an instruction.
func (c *coder) at(pc int) string { return fmt.Sprintf("ROLE%d_%d", c.role, pc) }

func (c *coder) end() string { return c.at(len(c.Program.Code(c.roles[c.role].thread))) }

// boundLoop counts an iteration of a loop, and times out after too many: the awaited thread may not
// be scheduled. If other threads wait for the role at a barrier behind the loop, the role continues
// there.
func (c *coder) boundLoop(pc int) {
	code := c.Program.Code(c.roles[c.role].thread)
	to := GivesUpTo(code, pc)
	if to < len(code) {
		c.line("max.u32 %%r_rounds, %%r_rounds, 1") // it may have timed out already
	}
	c.line("sub.u32 %%r_rounds, %%r_rounds, 1")
	c.line("setp.eq.u32 %%p_endless, %%r_rounds, 0")
	c.line("@%%p_endless bra %s", c.at(to))
}

// GivesUpTo returns where a role continues when a loop, which the given instruction ends, times
// out.
func GivesUpTo(code []*ptx.Instr, pc int) int {
	if comesToBarrier(code[pc+1:]) {
		return pc + 1
	}
	return len(code)
}

// guard returns the predicate of an instruction. Any register of a test can be one.
func (c *coder) guard(g *ptx.Guard) string {
	r := c.roles[c.role].regs[g.Reg.Text]
	name := r.name
	if r.bits != 1 {
		name = c.temp(1)
		c.line("setp.ne.b%d %s, %s, 0", r.bits, name, r.name)
	}
	if g.Negated {
		return "@!" + name + " "
	}
	return "@" + name + " "
}

// operand returns a source of an instruction: a register, a number, or the address of a location.
func (c *coder) operand(o ptx.Operand) string {
	switch o.Kind {
	case ptx.Register:
		return c.register(o.Text)
	case ptx.Location:
		return c.address(o.Loc)
	}
	return fmt.Sprint(o.Int)
}

// register returns a register of the test; one that is never set holds 0.
func (c *coder) register(name string) string {
	if r, ok := c.roles[c.role].regs[name]; ok {
		return r.name
	}
	return "0"
}

// address returns the register with the address of a location.
func (c *coder) address(l event.Loc) string {
	return fmt.Sprintf("%%d_%d_at_%d", c.roles[c.role].thread, l)
}

// inBrackets returns the address of an access.
func (c *coder) inBrackets(in *ptx.Instr) string {
	if offset := in.VectorAddr().Offset; offset != 0 {
		return fmt.Sprintf("[%s%+d]", c.base(in), offset)
	}
	return "[" + c.base(in) + "]"
}

// inBraces returns the operands that an access moves: one, or those of a vector.
func (c *coder) inBraces(in *ptx.Instr, scalar ptx.Operand) string {
	if in.Vector == nil {
		return c.operand(scalar)
	}
	var all []string
	for _, o := range in.Vector {
		all = append(all, c.operand(o))
	}
	return "{" + strings.Join(all, ", ") + "}"
}

// typeText returns a type as PTX writes it.
func typeText(t ptx.Type) string {
	switch {
	case t.Bits == 1:
		return ".pred"
	case t.Signed:
		return fmt.Sprintf(".s%d", t.Bits)
	}
	return fmt.Sprintf(".u%d", t.Bits)
}

// bitsText returns a type without a sign.
func bitsText(t ptx.Type) string { return fmt.Sprintf(".b%d", t.Bits) }

// space returns the state space of an access.
func (c *coder) space(in *ptx.Instr) string {
	r := &c.roles[c.role]
	l := c.pointsTo(r, *in.Addr)[0]
	switch {
	case c.remote(r, l):
		return ".shared::cluster"
	case c.locs[l].shared:
		return ".shared"
	}
	return ".global"
}

// access returns the opcode of a load or store.
func (c *coder) access(in *ptx.Instr) string {
	var b strings.Builder
	b.WriteString(in.Op.Code.String())
	switch {
	case in.Op.Volatile:
		b.WriteString(".volatile" + c.space(in))
	case in.Op.MMIO:
		b.WriteString(".mmio.relaxed.sys" + c.space(in))
	case in.Order() == event.Relaxed || in.Order() == event.Acquire || in.Order() == event.Release:
		fmt.Fprintf(&b, ".%s.%s%s", in.Order(), scopeText(in.Scope()), c.space(in))
	default:
		b.WriteString(c.space(in))
		if in.Cache() != ptx.CacheNone && c.space(in) == ".global" {
			b.WriteString("." + in.Cache().String())
		}
		if in.Op.Constant {
			b.WriteString(".nc")
		}
	}
	if in.Op.Vector > 0 {
		fmt.Fprintf(&b, ".v%d", in.Op.Vector)
	}
	return b.String() + typeText(in.Type(0))
}

func scopeText(s event.Scope) string {
	if s == event.ScopeNone {
		return event.ScopeSys.String()
	}
	return s.String()
}

func (c *coder) load(in *ptx.Instr, guard string) {
	if in.Addr == nil { // a move, as litmus tests write it
		c.move(in, guard)
		return
	}
	c.line("%s%s %s, %s", guard, c.access(in), c.inBraces(in, *in.Dst), c.inBrackets(in))
	c.see(in, guard)
}

func (c *coder) store(in *ptx.Instr, guard string) {
	c.line("%s%s %s, %s", guard, c.access(in), c.inBrackets(in), c.inBraces(in, in.Srcs[0]))
}

// untyped are the atomics whose types have no sign (PTX ISA, "atom").
var untyped = []isa.Update{isa.UpdateExch, isa.UpdateCas, isa.UpdateAnd, isa.UpdateOr, isa.UpdateXor}

// wraps reports whether an atomic wraps around at a bound.
func wraps(u isa.Update) bool { return u == isa.UpdateInc || u == isa.UpdateDec }

func (c *coder) atomic(in *ptx.Instr, guard string) {
	op, srcs, typ := in.Op.Update, in.Srcs, typeText(in.Type(0))
	if wraps(op) && len(srcs) == 0 { // as in Table 5 of the paper
		by := map[isa.Update]int64{isa.UpdateInc: 1, isa.UpdateDec: -1}[op]
		op, srcs = isa.UpdateAdd, []ptx.Operand{{Kind: ptx.Immediate, Int: by}}
	}
	switch {
	case slices.Contains(untyped, op):
		typ = bitsText(in.Type(0))
	case wraps(op): // at an unsigned bound
		typ = ".u32"
	}
	var values []string
	for _, o := range srcs {
		values = append(values, c.operand(o))
	}
	if op == isa.UpdateSub { // PTX has none: the negative is added
		negative := c.temp(in.Type(0).Bits)
		c.line("neg.s%d %s, %s", in.Type(0).Bits, negative, values[0])
		op, values = isa.UpdateAdd, []string{negative}
	}
	order := ""
	if in.Order() != event.OrderNone && in.Order() != event.Weak {
		order = fmt.Sprintf(".%s.%s", in.Order(), scopeText(in.Scope()))
	}
	operands := append([]string{c.inBrackets(in)}, values...)
	if in.Dst != nil {
		operands = append([]string{c.register(in.Dst.Text)}, operands...)
	}
	c.line("%s%s%s%s.%s%s %s", guard, in.Op.Code, order, c.space(in), op, typ, strings.Join(operands, ", "))
	c.see(in, guard)
}

func (c *coder) fence(in *ptx.Instr, guard string) {
	if in.Op.ProxyFence {
		text := strings.Fields(in.At.Text())
		c.line("%s%s", guard, text[len(text)-1])
		return
	}
	if in.Page() != "" {
		c.line("%s%s", guard, in.Opcode)
		return
	}
	if in.Op.Code == isa.Membar {
		level := map[event.Scope]string{event.ScopeCTA: "cta", event.ScopeGPU: "gl", event.ScopeSys: "sys"}[in.Scope()]
		c.line("%smembar.%s", guard, level)
		return
	}
	c.line("%sfence.%s.%s", guard, in.Order(), scopeText(in.Scope()))
}

func (c *coder) move(in *ptx.Instr, guard string) {
	bits := c.roles[c.role].regs[in.Dst.Text].bits
	c.line("%smov.b%d %s, %s", guard, bits, c.register(in.Dst.Text), c.operand(in.Srcs[0]))
}

func (c *coder) convert(in *ptx.Instr, guard string) {
	c.line("%scvt%s%s %s, %s", guard, typeText(in.Type(0)), typeText(in.Type(1)),
		c.register(in.Dst.Text), c.operand(in.Srcs[0]))
}

// logic are the instructions whose types have no sign (PTX ISA, "Logic and Shift Instructions").
var logic = []isa.Code{isa.And, isa.Or, isa.Xor, isa.Shl}

func (c *coder) arithmetic(in *ptx.Instr, guard string) {
	t := c.typeOf(in)
	typ := typeText(t)
	if slices.Contains(logic, in.Op.Code) {
		typ = bitsText(t)
	}
	a, b := c.sources(in, t.Bits)
	c.line("%s%s%s %s, %s, %s", guard, in.Op.Code, typ, c.register(in.Dst.Text), a, b)
}

func (c *coder) multiply(in *ptx.Instr, guard string) {
	a, b := c.sources(in, in.Type(0).Bits)
	c.line("%smul.lo%s %s, %s, %s", guard, typeText(in.Type(0)), c.register(in.Dst.Text), a, b)
}

func (c *coder) compare(in *ptx.Instr, guard string) {
	a, b := c.sources(in, in.Type(0).Bits)
	c.line("%ssetp.%s%s %s, %s, %s", guard, in.Op.Cmp, typeText(in.Type(0)), c.register(in.Dst.Text), a, b)
}

func (c *coder) selectValue(in *ptx.Instr, guard string) {
	p := c.roles[c.role].regs[in.Srcs[2].Text]
	name := p.name
	if p.bits != 1 {
		name = c.temp(1)
		c.line("setp.ne.b%d %s, %s, 0", p.bits, name, p.name)
	}
	a, b := c.sources(in, c.typeOf(in).Bits)
	c.line("%sselp%s %s, %s, %s, %s", guard, bitsText(c.typeOf(in)), c.register(in.Dst.Text), a, b, name)
}

// typeOf returns the type of an instruction, or the unsigned type of 64 bits if it computes an
// address.
func (c *coder) typeOf(in *ptx.Instr) ptx.Type {
	if in.Dst != nil && c.roles[c.role].regs[in.Dst.Text].widened {
		return ptx.Type{Bits: 64}
	}
	return in.Type(0)
}

// write writes an instruction with the opcode of the test.
func (c *coder) write(in *ptx.Instr, guard string) {
	operands := []string{c.register(in.Dst.Text)}
	for _, o := range in.Srcs {
		operands = append(operands, c.operand(o))
	}
	c.line("%s%s %s", guard, in.Opcode, strings.Join(operands, ", "))
}

// branch writes a branch. A comparing branch of litmus tests is taken if the comparison holds
// (docs/litmus.md).
func (c *coder) branch(in *ptx.Instr, guard string) {
	if in.Op.Cmp == isa.NoComparison {
		c.line("%sbra %s", guard, c.at(in.TargetPC))
		if guard != "" {
			c.keepBranch()
		}
		return
	}
	p := c.temp(1)
	c.line("setp.%s.s32 %s, %s, %s", in.Op.Cmp, p, c.operand(in.Srcs[0]), c.operand(in.Srcs[1]))
	c.line("@%s bra %s", p, c.at(in.TargetPC))
	c.keepBranch()
}

func (c *coder) exit(_ *ptx.Instr, guard string) { c.line("%sbra %s", guard, c.end()) }
