package harness

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx"
)

// WarpSize is how many threads a warp has (PTX ISA, "Thread Hierarchy").
const WarpSize = 32

// Plan is how a test is laid out on a GPU.
//
// The threads of a launch have coordinates: cluster, CTA in the cluster, warp in the CTA, lane
// in the warp. So have instances; they are as many as the threads. Role r of an instance is
// played by the thread whose coordinates are the instance's plus those of the role, each
// modulo its bound. Roles that share a unit have the same offset there, and roles that do not,
// different ones: the scope tree holds for every instance.
//
// In round j, a thread plays the role r with (its coordinates − r) ≡ j modulo the number of
// roles. Offsets are chosen so that those of role r add up to r; so each thread plays each
// role once, and all roles of an instance are played in the same round.
type Plan struct {
	Test    *litmus.Test
	Program *ptx.Program
	Target  Target

	roles           []role
	kernels         []int // that the roles are in: the GPU of each, by its number in the test
	clusterBarriers int   // how often the threads of a cluster meet
	opaque          bool  // Settings.Opaque
	lanes           bool  // some roles share a warp
	clusters        bool  // some roles share a cluster, but no CTA
	spreads         bool  // some role copies to several CTAs
	halls           []hall
	locs            []location
	slots           int // arrays and scalars, those in shared memory first
	sharedSlots     int
	align           int // of instances in memory, in bytes
	rank            int // how many dimensions tensors have; 0 if there are none
	seen            []observable
	written         *written
}

// role is a thread of the test.
type role struct {
	thread          int
	kernel          int // of the test; they run in streams of their own
	offset          offset
	regs            map[string]register
	clusterBarriers int  // how often it comes to the barrier of its cluster
	arrived         bool // there, and has not waited when it ends
}

// offset is what the coordinates of a thread are more than those of the instance.
type offset struct{ cluster, cta, warp, lane int }

// location is a location of the test, or an element of an array.
type location struct {
	event.Location
	slot   int    // the number of the array or scalar that it is part of
	same   int    // the slot of which that is another name, in virtual memory; or itself
	elem   int    // its number there
	room   int    // bytes from the beginning of the slot that 64 bits and asynchronous operations are about
	wide   bool   // accessed with 64 bits, and no part of an array
	maps   bool   // holds a tensor map at the start
	shared bool   // in shared memory
	owner  offset // of a shared location, that of the roles that use it; warp and lane are 0
	kernel int    // of a shared location, that of those roles
}

// observable is what a condition asks for, a register or a location; or a half of one that has 64 bits, of which the low one comes first.
type observable struct {
	ref  litmus.Ref
	reg  event.Reg // if the name is not empty
	loc  event.Loc
	half half
}

// half is which part of what has 64 bits.
type half uint8

const (
	whole half = iota // it has 32
	low
	high
)

// NewPlan lays a test out whose program is PTX. The error is an *Unable.
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

// As is the plan with the kernels that settings ask for.
func (p *Plan) As(s Settings) *Plan {
	if p.opaque == s.Opaque {
		return p
	}
	other := *p
	other.opaque = s.Opaque
	return &other
}

// Slot says where a location is: in which slot, an array or a scalar, and which element of it.
func (p *Plan) Slot(l event.Loc) (slot, elem int) { return p.locs[l].slot, p.locs[l].elem }

// Slots is how many arrays and scalars the test has, by all their names.
func (p *Plan) Slots() int { return p.slots }

// Thread is the thread of the test that a role is, an index into Test.Threads. Roles are
// numbered in the order of the scope tree.
func (p *Plan) Thread(role int) int { return p.roles[role].thread }

func (p *Plan) unable(format string, args ...any) error {
	return &Unable{p.Test.Name.Text, fmt.Sprintf(format, args...)}
}

// maxRoles is how many pairs of markers there are (PTX ISA, "pmevent": 16 events). It is also the
// largest cluster that every GPU with clusters has ("Cluster of Cooperative Thread Arrays").
const maxRoles = 8

// MaxGPUs is how many GPUs a test has at most: one for each role.
const MaxGPUs = maxRoles

// placeRoles gives each role its offset. Roles are numbered in the order of the scope tree, so
// that those of a unit follow each other.
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

// GPUs is how many GPUs the roles are on. Each has kernels of its own.
func (p *Plan) GPUs() int { return slices.Max(p.kernels) + 1 }

// FitsOn is nil if a machine on which so many GPUs can play a test together can run this one. The error is an *Unable.
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

// findOwners finds the CTAs whose shared memory locations are in: where the program says, with all elements of an array, or else of the roles that
// reach them.
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

// numberSlots numbers the slots of a state space; those of shared memory come first, of which a CTA has so many for each instance.
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

// noAlias says why a location cannot be another name of one; "" if it is none, or can. Memory is mapped at as
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

// Same is the slot that a slot is another name of, in virtual memory; itself if it is none.
func (p *Plan) Same(slot int) int {
	i := slices.IndexFunc(p.locs, func(l location) bool { return l.slot == slot })
	return p.locs[i].same
}

// reaches is the locations whose address a role has.
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

// initial is the modifier of a store to the location, and what it is to hold at the start.
func (l *location) initial() (typ string, value int64) {
	if l.wide {
		return ".u64", l.Init.Int
	}
	return ".u32", int64(int32(l.Init.Int))
}

// asksRegister is why nobody knows what a register holds at the end, "" if the kernels do; and whether it has 64 bits.
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
		return "which has 64 bits that nobody but the GPU understands", true
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

// findObservables lists what the condition asks for.
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
