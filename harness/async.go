package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Asynchronous operations (PTX ISA, "Asynchronous copy", "mbarrier") are written as in the test,
// with the addresses and registers of the kernel. The mbarriers of an instance, and the buffers of
// its copies, are in the shared memory of its CTA. Before a thread plays its next role, it waits
// for everything that the role before has issued.

// demand is what an instruction requires: a target and a version of the PTX ISA. bits is the width
// of its result.
type demand struct {
	target  Target
	version string
	bits    int
}

// demands are the demands of instructions by their pages of the PTX ISA manual. Kernels do not
// support other instructions.
var demands = map[string]demand{
	"cp.async":                        {SM80, "7.5", 0}, // with .ignore-src
	"cp.async.commit_group":           {SM80, "7.0", 0},
	"cp.async.wait_group":             {SM80, "7.0", 0},
	"cp.async.wait_all":               {SM80, "7.0", 0},
	"cp.async.mbarrier.arrive":        {SM80, "7.0", 0},
	"cp.async.bulk":                   {SM90, "8.0", 0},
	"cp.async.bulk.commit_group":      {SM90, "8.0", 0},
	"cp.async.bulk.wait_group":        {SM90, "8.0", 0},
	"cp.reduce.async.bulk":            {SM90, "8.0", 0},
	"st.async":                        {SM90, "8.1", 0},
	"red.async":                       {SM90, "8.1", 0},
	"mbarrier.init":                   {SM80, "7.0", 0},
	"mbarrier.inval":                  {SM80, "7.0", 0},
	"mbarrier.expect_tx":              {SM90, "8.0", 0},
	"mbarrier.complete_tx":            {SM90, "8.0", 0},
	"mbarrier.arrive":                 {SM80, "7.1", 64}, // with a count
	"mbarrier.arrive.expect_tx":       {SM90, "8.0", 64},
	"mbarrier.arrive.noComplete":      {SM80, "7.0", 64},
	"mbarrier.arrive_drop":            {SM80, "7.1", 64},
	"mbarrier.arrive_drop.expect_tx":  {SM90, "8.0", 64},
	"mbarrier.arrive_drop.noComplete": {SM80, "7.0", 64},
	"mbarrier.test_wait":              {SM80, "7.0", 1},
	"mbarrier.test_wait.parity":       {SM80, "7.1", 1},
	"mbarrier.try_wait":               {SM90, "8.0", 1},
	"mbarrier.try_wait.parity":        {SM90, "8.0", 1},
	"mbarrier.pending_count":          {SM80, "7.0", 32},
	"cp.async.bulk.tensor":            {SM90, "8.3", 0}, // with maps that are changed
	"cp.reduce.async.bulk.tensor":     {SM90, "8.3", 0},
	"tensormap.replace.tile":          {SM90, "8.3", 0},
	"createpolicy.fractional":         {SM80, "7.4", 64},

	"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release": {SM90, "8.3", 0},
	"fence.proxy.tensormap::generic.release":                                {SM90, "8.3", 0},
	"fence.proxy.tensormap::generic.acquire":                                {SM90, "8.3", 0},
	"fence.mbarrier_init":                                                   {SM90, "8.0", 0},
	"fence.proxy.async.global":                                              {SM90, "8.0", 0},
	"fence.proxy.async.shared::cta":                                         {SM90, "8.0", 0},
	"fence.proxy.async.shared::cluster":                                     {SM90, "8.0", 0},
	"fence.acquire.sync_restrict::shared::cluster":                          {SM90, "8.6", 0},
	"fence.release.sync_restrict::shared::cta":                              {SM90, "8.6", 0},
	"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster":     {SM90, "8.6", 0},
	"fence.proxy.async::generic.release.sync_restrict::shared::cta":         {SM90, "8.6", 0},
}

// IsAsync reports whether an instruction is an asynchronous operation, an operation on an mbarrier,
// or a wait for either.
func IsAsync(in *ptx.Instr) bool { return len(in.Places) > 0 || in.Op.Code == isa.Async }

// first returns the first instruction of the test that satisfies a predicate, with its thread, or
// nil.
func (p *Plan) first(such func(*ptx.Instr) bool) (thread int, in *ptx.Instr) {
	for _, r := range p.roles {
		code := p.Program.Code(r.thread)
		if i := slices.IndexFunc(code, such); i >= 0 {
			return r.thread, code[i]
		}
	}
	return 0, nil
}

// has reports whether a role has an instruction that satisfies a predicate.
func (p *Plan) has(such func(*ptx.Instr) bool) bool {
	return slices.ContainsFunc(p.roles, func(r role) bool {
		return slices.ContainsFunc(p.Program.Code(r.thread), such)
	})
}

// isBulk reports whether an instruction is a copy, store or reduction of the asynchronous proxy.
func isBulk(in *ptx.Instr) bool {
	return slices.Contains([]string{"cp.async.bulk", "cp.reduce.async.bulk", "st.async", "red.async"}, in.Page()) ||
		copiesTensor(in)
}

// demandOf returns the demand of an instruction with its suffixes. ok reports whether kernels
// support it.
func demandOf(in *ptx.Instr) (d demand, ok bool) {
	d, ok = demands[in.Page()]
	switch {
	case !ok:
	// st.async and red.async to global memory
	case isBulk(in) && !in.Says("mbarrier::complete_tx::bytes") && !in.Says("bulk_group"):
		d.target, d.version = SM100, "8.7"
	// to shared memory of the CTA
	case isBulk(in) && in.Says("shared::cta") && !in.Says("shared::cluster") && !in.Says("bulk_group"):
		d.version = "8.6"
	case isBulk(in):
	case in.Says("relaxed"):
		d.target, d.version = SM90, higher(d.version, "8.6")
	case in.Says("cluster"), in.Says("shared::cluster"):
		d.target, d.version = SM90, higher(d.version, "8.0")
	case in.Says("shared::cta"):
		d.version = higher(d.version, "7.8")
	}
	return d, ok
}

// higher returns the higher of two versions.
func higher(a, b string) string {
	if compareVersions(a, b) > 0 {
		return a
	}
	return b
}

// unsupportedAsync says why a kernel cannot have an asynchronous instruction, or returns "".
func (p *Plan) unsupportedAsync(r *role, in *ptx.Instr) string {
	d, ok := demandOf(in)
	switch {
	case !ok:
		return missing(in)
	case p.Target < d.target:
		return fmt.Sprintf("it is for %s and newer, and kernels are made for %s", d.target, p.Target)
	}
	if policy := cachePolicy(in); policy != "" && r.regs[policy].bits != 64 {
		return policy + " is not a cache policy: nothing sets it to 64 bits"
	}
	if why := p.unsupportedTensor(in); why != "" {
		return why
	}
	if isMulticast(in) {
		if why := p.unsupportedMulticast(r, in); why != "" {
			return why
		}
	}
	for i := range in.Places {
		all := p.pointsTo(r, in.Places[i])
		if len(all) == 0 || isMulticast(in) && len(all) > 1 {
			return "it is unknown which location the address is of"
		}
		for _, l := range all {
			if why := p.outOfReach(r, l); why != "" {
				return why
			}
		}
	}
	return ""
}

// cta returns the position of a role's CTA.
func (r *role) cta() offset { return offset{cluster: r.offset.cluster, cta: r.offset.cta} }

// remote reports whether a role accesses a location in the shared memory of another CTA of its
// cluster.
func (p *Plan) remote(r *role, l event.Loc) bool {
	return p.locs[l].shared && p.locs[l].owner != r.cta() &&
		slices.ContainsFunc(p.Program.Code(r.thread), func(in *ptx.Instr) bool {
			return slices.ContainsFunc(addresses(in), func(o ptx.Operand) bool {
				return slices.Contains(p.pointsTo(r, o), l)
			})
		})
}

// Remote reports whether a thread of the test accesses a location in the shared memory of another
// CTA of its cluster.
func (p *Plan) Remote(thread int, l event.Loc) bool {
	r := slices.IndexFunc(p.roles, func(r role) bool { return r.thread == thread })
	return p.remote(&p.roles[r], l)
}

// addresses returns the operands of an instruction that are in brackets.
func addresses(in *ptx.Instr) []ptx.Operand {
	if in.Addr != nil {
		return append(slices.Clip(in.Places), *in.Addr)
	}
	return in.Places
}

// outOfReach says why a role cannot access a location: it is in the shared memory of another
// cluster. It returns "" if the role can.
func (p *Plan) outOfReach(r *role, l event.Loc) string {
	if loc := &p.locs[l]; loc.shared && loc.owner != r.cta() && loc.owner.cluster != r.offset.cluster {
		return loc.Name + " is in the shared memory of another cluster"
	}
	return ""
}

// reachesCluster reports whether some role accesses the shared memory of another CTA.
func (p *Plan) reachesCluster() bool {
	if p.spreads {
		return true
	}
	for r := range p.roles {
		for l := range p.locs {
			if p.remote(&p.roles[r], event.Loc(l)) {
				return true
			}
		}
	}
	return false
}

// The sizes of objects of asynchronous operations, in bytes.
const (
	mbarrierBytes = 8
	bulkBytes     = 16 // the alignment of bulk copies, and the largest size of others
)

// findRooms gives each slot the size and alignment that accesses of 64 bits and asynchronous
// operations need: an mbarrier has 64 bits, and a location that is not an array stands for all
// bytes that are copied at once.
func (p *Plan) findRooms() {
	p.align = 4
	for i := range p.roles {
		r := &p.roles[i]
		for _, in := range p.Program.Code(r.thread) {
			if in.Addr != nil && in.Type(0).Bits == 64 {
				p.widen(r, *in.Addr)
			}
			p.align = max(p.align, 4*in.Op.Vector) // PTX ISA, "Vectors"
			for _, o := range in.Places {
				for _, l := range p.pointsTo(r, o) {
					room, align := mbarrierBytes, mbarrierBytes
					switch {
					case aboutMap(in) && o.Role != "bar": // PTX ISA, "cp.async.bulk.tensor": in shared memory, too
						room, align = TensorMapBytes, TensorMapBytes
					case o.Role != "bar":
						room, align = p.copied(in), bulkBytes
					}
					p.align = max(p.align, align)
					p.locs[l].room = max(p.locs[l].room, 4*p.locs[l].elem+room)
				}
			}
		}
	}
}

// widen gives the locations of an operand 64 bits, except elements of arrays, which are closer
// together.
func (p *Plan) widen(r *role, o ptx.Operand) {
	for _, l := range p.pointsTo(r, o) {
		if loc := &p.locs[l]; loc.Elems <= 1 && loc.elem == 0 {
			loc.wide, loc.room, p.align = true, max(loc.room, 8), max(p.align, 8)
		}
	}
}

// copied returns the number of bytes of an asynchronous operation.
func (p *Plan) copied(in *ptx.Instr) int {
	for _, o := range in.Srcs {
		if o.Role == "size" && o.Kind == ptx.Immediate {
			return int(o.Int)
		}
	}
	return bulkBytes
}

// async writes an asynchronous instruction: its text, with the operands of the kernel.
func (c *coder) async(in *ptx.Instr, guard string) {
	type change struct {
		from, to int
		text     string
	}
	var changes []change
	add := func(o ptx.Operand, text string) {
		changes = append(changes, change{o.At.Start - in.At.Start, o.At.End - in.At.Start, text})
	}
	for _, o := range in.Places {
		text := c.operand(o)
		if o.Offset != 0 {
			text += fmt.Sprintf("%+d", o.Offset)
		}
		if o.Role == "map" && copiesTensor(in) { // [map, {0, 0}]
			text += ", {" + strings.TrimSuffix(strings.Repeat("0, ", len(coordinates(in))), ", ") + "}"
		}
		add(o, "["+text+"]")
	}
	for _, o := range in.Srcs {
		switch {
		case o.Role == "ctas":
			add(o, c.maskRegister(in))
		case o.Role == "time":
			add(o, fmt.Sprint(suspendNanoseconds))
		case o.Role != "at":
			add(o, c.operand(o))
		}
	}
	if in.Dst != nil {
		add(*in.Dst, c.register(in.Dst.Text))
	}
	slices.SortFunc(changes, func(a, b change) int { return b.from - a.from })
	text := in.At.Text()
	for _, ch := range changes {
		text = text[:ch.from] + ch.text + text[ch.to:]
	}
	if policy := cachePolicy(in); policy != "" {
		text = strings.TrimSuffix(text, policy) + c.register(policy)
	}
	c.line("%s%s", guard, text)
}

// drain waits for operations that a role has issued without waiting for them: groups belong to the
// thread, which will play other roles, and copies to the CTA must be complete before it ends. For
// operations that an mbarrier counts, the role sleeps for longer than they take on any known chip.
func (p *Plan) drain(a *assembler, r *role) {
	grouped, bulk, counted := false, false, false
	for _, in := range p.Program.Code(r.thread) {
		switch {
		case in.Page() == "cp.async":
			grouped = true
		case isBulk(in) && in.Says("bulk_group"):
			bulk = true
		case isBulk(in):
			counted = true
		}
	}
	if grouped {
		a.line("cp.async.wait_all")
	}
	if bulk {
		a.line("cp.async.bulk.commit_group")
		a.line("cp.async.bulk.wait_group 0")
	}
	if counted {
		for range drainSleeps {
			a.line("nanosleep.u32 %d", drainNanoseconds)
		}
	}
}

// suspendNanoseconds bounds how long mbarrier.try_wait suspends a thread if the test has a time
// limit (PTX ISA, "mbarrier.test_wait / try_wait"). Libraries use 10 ms, which a loop that waits
// for ever would take in each of its thousand iterations.
const suspendNanoseconds = 1000

// The time that a role sleeps for copies that it may not have waited for: copying 16 bytes takes
// about a microsecond.
const (
	drainSleeps      = 8
	drainNanoseconds = 4000
)
