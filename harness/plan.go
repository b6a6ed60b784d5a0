package harness

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx"
)

// WarpSize is the number of threads of a warp (PTX ISA, "Thread Hierarchy").
const WarpSize = 32

// Plan is the layout of a test on a GPU.
//
// The threads of a launch have coordinates: cluster, CTA in the cluster, warp in the CTA, lane in
// the warp. So have instances; there are as many of them as threads. Role r of an instance is
// played by the thread whose coordinates are the sum of those of the instance and the offset of the
// role, each modulo its bound. Roles that share a unit have the same offset there, and roles that
// do not have different ones: the scope tree holds for every instance.
//
// In round j, a thread plays the role r with (the sum of its coordinates − r) ≡ j modulo the number
// of roles. The components of the offset of role r add up to r; so each thread plays each role
// once, and all roles of an instance are played in the same round.
type Plan struct {
	Test    *litmus.Test
	Program *ptx.Program
	Target  Target

	roles           []role
	kernels         []int // that the roles are in: the GPU of each, by its number in the test
	clusterBarriers int   // how often the threads of a cluster meet
	opaque          bool  // Settings.Opaque
	lanes           bool  // some roles share a warp
	clusters        bool  // some roles share a cluster, but not a CTA
	spreads         bool  // some role copies to several CTAs
	barrierCTAs     []barrierCTA
	locs            []location
	slots           int // number of arrays and scalars; those in shared memory come first
	sharedSlots     int
	align           int // of instances in memory, in bytes
	rank            int // number of dimensions of tensors; 0 without tensors
	seen            []observable
	written         *written
}

// role is a thread of the test.
type role struct {
	thread          int
	kernel          int // index of its kernel; kernels run in streams of their own
	offset          offset
	regs            map[string]register
	clusterBarriers int  // number of times that it uses the barrier of its cluster
	arrived         bool // at that barrier, without waiting before the end
}

// offset is the difference between the coordinates of a thread and those of its instance.
type offset struct{ cluster, cta, warp, lane int }

// location is a location of the test, or an element of an array.
type location struct {
	event.Location
	slot int // the number of the array or scalar that it belongs to
	same int // the slot that it is another name of, in virtual memory; or itself
	elem int // its index there
	// bytes from the beginning of the slot that 64-bit accesses and asynchronous operations need
	room   int
	wide   bool   // accessed with 64 bits, and not part of an array
	maps   bool   // holds a tensor map at the start
	shared bool   // in shared memory
	owner  offset // for a shared location, the offset of the roles that use it, with warp and lane 0
	kernel int    // for a shared location, the kernel of those roles
}

// observable is a value that a condition asks for: a register or a location, or a half of one with
// 64 bits. The low half comes first.
type observable struct {
	ref  litmus.Ref
	reg  event.Reg // if the name is not empty
	loc  event.Loc
	half half
}

// half is the part of a value that an observable shows.
type half uint8

const (
	whole half = iota // it has 32 bits
	low
	high
)

// NewPlan lays out a test whose program is PTX. The error is an *Unable.
func NewPlan(t *litmus.Test, program frontend.Program, target Target) (*Plan, error) {
	p, ok := program.(*ptx.Program)
	if !ok {
		return nil, &Unable{t.Name.Text, "its program is not PTX"}
	}
	plan := &Plan{Test: t, Program: p, Target: target}
	for _, step := range []func() error{
		plan.placeRoles, plan.findLocations, plan.findMaps, plan.typeRegisters, plan.findObservables,
		plan.checkInstructions, plan.findBarriers,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	plan.keepWritten()
	return plan, nil
}

// As returns the plan with the kernels that settings ask for.
func (p *Plan) As(s Settings) *Plan {
	if p.opaque == s.Opaque {
		return p
	}
	other := *p
	other.opaque = s.Opaque
	return &other
}

// Slot returns the slot of a location, an array or a scalar, and its index there.
func (p *Plan) Slot(l event.Loc) (slot, elem int) { return p.locs[l].slot, p.locs[l].elem }

// Slots returns the number of arrays and scalars of the test, counting all names.
func (p *Plan) Slots() int { return p.slots }

// Thread returns the thread of the test that a role is, as an index into Test.Threads. Roles are
// numbered in the order of the scope tree.
func (p *Plan) Thread(role int) int { return p.roles[role].thread }

func (p *Plan) unable(format string, args ...any) error {
	return &Unable{p.Test.Name.Text, fmt.Sprintf(format, args...)}
}

// maxRoles is the number of pairs of markers (PTX ISA, "pmevent": 16 events). It is also the
// largest cluster size that every GPU with clusters supports ("Cluster of Cooperative Thread
// Arrays").
const maxRoles = 8

// MaxGPUs bounds the GPUs of a test: one for each role.
const MaxGPUs = maxRoles

// placeRoles gives each role its offset. Roles are numbered in the order of the scope tree, so that
// the roles of a unit are consecutive.
func (p *Plan) placeRoles() error {
	places := p.Test.Places()
	if len(places) > maxRoles {
		return p.unable("it has %d threads, and %d are the most", len(places), maxRoles)
	}
	order := make([]int, len(places))
	for i := range order {
		order[i] = i
	}
	number := func(i int) [5]int {
		at := places[i]
		return [5]int{at[litmus.Kernel], at[litmus.Cluster], at[litmus.CTA], at[litmus.Warp], i}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		na, nb := number(a), number(b)
		return slices.Compare(na[:], nb[:])
	})
	var gpus numbering
	first := func(l litmus.Level, i int) int { // who shares a place with a thread
		return slices.IndexFunc(order, func(j int) bool { return places[j][l] == places[i][l] })
	}
	for at, i := range order {
		kernel := first(litmus.Kernel, i)
		if kernel == at {
			p.kernels = append(p.kernels, gpus.number(places[i][litmus.Device]))
		}
		cluster := first(litmus.Cluster, i)
		cta := first(litmus.CTA, i)
		warp := first(litmus.Warp, i)
		p.lanes = p.lanes || at != warp
		p.clusters = p.clusters || cta != cluster
		p.roles = append(p.roles,
			role{thread: i, kernel: len(p.kernels) - 1, offset: offset{cluster, cta - cluster, warp - cta, at - warp}})
	}
	if p.clusters && !p.Target.Clusters() {
		return p.unable("its CTAs share a cluster, which %s does not have", p.Target)
	}
	return nil
}

// GPUs returns the number of GPUs of the roles. Each GPU has kernels of its own.
func (p *Plan) GPUs() int { return slices.Max(p.kernels) + 1 }

// FitsOn returns nil if the test can run on a machine on which the given number of GPUs can play a
// test together. The error is an *Unable.
func (p *Plan) FitsOn(gpus int) error {
	if n := p.GPUs(); n > max(1, gpus) {
		return p.unable(
			"its threads are on %d GPUs, and here %d can play a test together: they need links that have atomics, "+
				"such as NVLink, and to be of one kind", n, max(1, gpus))
	}
	return nil
}

// numbering numbers things in the order in which they come.
type numbering []int

func (n *numbering) number(of int) int {
	i := slices.Index(*n, of)
	if i < 0 {
		i = len(*n)
		*n = append(*n, of)
	}
	return i
}

// findLocations numbers the memory that an instance needs.
func (p *Plan) findLocations() error {
	p.spreads = p.has(isMulticast)
	for i, l := range p.Program.Locs {
		loc := location{Location: l, shared: l.Region == litmus.Shared}
		if why := p.noAlias(l); why != "" {
			return p.unable("%s", why)
		}
		if i > 0 && p.locs[i-1].Elems > 1 {
			loc.elem = p.locs[i-1].elem + 1
		}
		p.locs = append(p.locs, loc)
	}
	p.sharedSlots = p.numberSlots(true)
	p.slots = p.sharedSlots + p.numberSlots(false)
	for i := range p.locs {
		of := i
		for p.locs[of].Alias != nil {
			of = p.locs[of].Alias.Of
		}
		p.locs[i].same = p.locs[of].slot
	}
	p.findOwners()
	return nil
}

// findOwners finds the CTAs whose shared memory holds each location: as the program says, with all
// elements of an array, or else the CTA of the roles that access it.
func (p *Plan) findOwners() {
	for r := range p.roles {
		reached := p.reaches(r)
		at := p.Test.Places()[p.roles[r].thread][litmus.CTA]
		for l := range p.locs {
			loc := &p.locs[l]
			if loc.shared && (loc.Home == at+1 || loc.Home == 0 && reached[l]) {
				loc.owner, loc.kernel = p.roles[r].cta(), p.roles[r].kernel
			}
		}
	}
}

// numberSlots numbers the slots of a state space. The slots of shared memory come first; a CTA has
// them for each instance.
func (p *Plan) numberSlots(shared bool) (n int) {
	for i := range p.locs {
		loc := &p.locs[i]
		if loc.shared != shared {
			continue
		}
		if first := p.alike(i); first < i-loc.elem {
			loc.slot = p.locs[first].slot
			continue
		}
		if loc.elem == 0 {
			n++
		}
		loc.slot = n - 1
		if !shared {
			loc.slot += p.sharedSlots
		}
	}
	return n
}

// noAlias says why a location cannot be another name of one, or returns "". Memory is mapped at as
// many addresses as it has names.
func (p *Plan) noAlias(l event.Location) string {
	switch a := l.Alias; {
	case a == nil:
		return ""
	case a.Through != "":
		if why := p.noImage(l); why != "" {
			return fmt.Sprintf("%s is %s through the %s proxy: %s", l.Name, p.Program.Locs[a.Of].Name, a.Through, why)
		}
	case l.Region == litmus.Shared:
		return fmt.Sprintf("%s is another name of %s in shared memory, which is mapped once", l.Name,
			p.Program.Locs[a.Of].Name)
	}
	return ""
}

// Same returns the slot that a slot is another name of in virtual memory, or the slot itself.
func (p *Plan) Same(slot int) int {
	i := slices.IndexFunc(p.locs, func(l location) bool { return l.slot == slot })
	return p.locs[i].same
}

// reaches returns the locations whose address a role has.
func (p *Plan) reaches(r int) map[event.Loc]bool {
	found := map[event.Loc]bool{}
	thread := p.roles[r].thread
	for _, v := range p.Program.Initial(thread) {
		if v.IsAddress() {
			found[v.Base] = true
		}
	}
	for _, in := range p.Program.Code(thread) {
		operands := in.Srcs
		if in.Addr != nil {
			operands = append(slices.Clone(operands), *in.Addr)
		}
		operands = slices.Concat(operands, in.Places)
		for _, o := range operands {
			if o.Kind == ptx.Location {
				found[o.Loc] = true
			}
		}
	}
	return found
}

// initial returns the type of the store that initializes a location, and its initial value.
func (l *location) initial() (typ string, value int64) {
	if l.wide {
		return ".u64", l.Init.Int
	}
	return ".u32", int64(int32(l.Init.Int))
}

// asksRegister says why the final value of a register is unknown, or returns ""; and whether it has
// 64 bits.
func (p *Plan) asksRegister(reg event.Reg) (why string, wide bool) {
	r := &p.roles[slices.IndexFunc(p.roles, func(r role) bool { return r.thread == reg.Thread })]
	held := r.regs[reg.Name]
	switch {
	case held.bits < 64:
		return "", false
	case len(held.points) > 0:
		return "which may be an address", true
	case slices.ContainsFunc(p.Program.Code(r.thread), func(in *ptx.Instr) bool {
		return in.Page() != "" && in.Dst != nil && in.Dst.Text == reg.Name
	}):
		return "which has 64 bits that only the GPU understands", true
	}
	return "", true
}

// asksLocation is the same for a location.
func (p *Plan) asksLocation(l event.Loc) (why string, wide bool) {
	if p.locs[l].maps {
		return "which is a tensor map", false
	}
	return p.unobservable(l), p.locs[l].wide
}

// findObservables lists the values that the condition asks for.
func (p *Plan) findObservables() error {
	for _, ref := range p.Test.Observables() {
		reg, loc := p.Program.Observable(ref)
		why, wide := "", false
		if reg.Name != "" {
			why, wide = p.asksRegister(reg)
		} else {
			why, wide = p.asksLocation(loc)
		}
		if why != "" {
			return p.unable("the condition asks for %s, %s", ref, why)
		}
		if !wide {
			p.seen = append(p.seen, observable{ref, reg, loc, whole})
			continue
		}
		p.seen = append(p.seen, observable{ref, reg, loc, low}, observable{ref, reg, loc, high})
	}
	var err error
	litmus.EachConst(p.Test.Cond.Prop, func(v litmus.Value) {
		if v.Loc != "" {
			err = p.unable("the condition asks for the address of %s", v.Loc)
		}
	})
	return err
}
