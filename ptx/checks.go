package ptx

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// checkVector checks the types and registers of a vector access.
func checkVector(in *Instr) *src.Diagnostic {
	if in.Vector == nil || in.Op.Code == isa.Mov {
		return nil
	}
	if in.Type(0).Bits == 64 {
		return src.Errorf(in.At, "%s has elements of 64 bits", in.Opcode).WithHint("muster has vectors of 32-bit elements")
	}
	if !in.stores() && in.Guard != nil && slices.ContainsFunc(in.Vector, func(o Operand) bool { return o.Text == in.Guard.Reg.Text }) {
		return src.Errorf(in.Guard.Reg.At, "%s loads into its own guard", in.Opcode)
	}
	for i, o := range in.Vector {
		if !in.stores() && slices.ContainsFunc(in.Vector[:i], func(p Operand) bool { return p.Text == o.Text }) {
			return src.Errorf(o.At, "%s loads two elements into %s", in.Opcode, o.Text)
		}
	}
	return nil
}

// stores reports whether in writes its operands to memory and has no destination.
func (in *Instr) stores() bool { return strings.HasPrefix(in.Op.Operands(), "as") }

// checkRegions finds the CTA of each shared location, and reports the locations that threads of two
// CTAs access: each CTA has a shared memory of its own (ASPLOS 2015, Sec. 2.2). Within a cluster,
// some instructions may access the shared memory of another CTA.
func (b *builder) checkRegions() {
	for loc := range b.prog.Locs {
		if b.prog.Locs[loc].Region != litmus.Shared || b.prog.Locs[loc].Alias != nil {
			continue
		}
		first := -1
		for t, code := range b.prog.code {
			at, used := code.uses[loc]
			switch {
			case !used:
			case first < 0:
				first = t
				b.settle(loc, b.prog.Threads[t].At[litmus.CTA])
			case b.prog.Threads[first].At[litmus.CTA] != b.prog.Threads[t].At[litmus.CTA]:
				name, _, _ := strings.Cut(b.prog.Locs[loc].Name, "[")
				b.diags.Errorf(at, "%s is in shared memory, but %s and %s, which both reach it, are in different CTAs",
					name, b.prog.Threads[first].Name, b.prog.Threads[t].Name).
					WithHint("put them under one cta in the scope tree, or say %s: global in the memory map", name)
			}
		}
	}
	for loc := range b.prog.Locs {
		if b.prog.Locs[loc].Region == litmus.Shared && b.prog.Locs[loc].Alias == nil {
			b.checkReach(loc)
		}
	}
}

// checkReach reports threads that access the shared memory of another cluster. A location that no
// thread accesses as its own CTA's is in the CTA of the mbarrier on which an asynchronous store or
// copy to it completes (PTX ISA, "st.async"), or else in the CTA of the first thread that accesses
// it.
func (b *builder) checkReach(l event.Loc) {
	if b.prog.Locs[l].Home == 0 {
		if home := b.homeOfBytes(l); home > 0 {
			b.settle(l, home-1)
		}
	}
	for t, code := range b.prog.code {
		at, used := code.remote[l]
		if !used {
			continue
		}
		if b.prog.Locs[l].Home == 0 {
			b.settle(l, b.prog.Threads[t].At[litmus.CTA])
		}
		owner := slices.IndexFunc(b.prog.Threads, func(o event.Thread) bool { return o.At[litmus.CTA]+1 == b.prog.Locs[l].Home })
		if b.prog.Threads[owner].At[litmus.Cluster] != b.prog.Threads[t].At[litmus.Cluster] {
			name, _, _ := strings.Cut(b.prog.Locs[l].Name, "[")
			b.diags.Errorf(at, "%s is in the shared memory of another cluster than %s", name, b.prog.Threads[t].Name).
				WithHint("put the threads into one cluster: P0@cta 0,cluster 0 and P1@cta 1,cluster 0")
		}
	}
}

// homeOfBytes returns the Home of the mbarrier on which asynchronous writes to l complete, or 0 if
// it is unknown.
func (b *builder) homeOfBytes(l event.Loc) int {
	for _, t := range b.prog.code {
		for _, in := range t.code {
			bar := in.place("bar")
			to := slices.ContainsFunc(in.Places, func(o Operand) bool { return o.Role != "bar" && o.Kind == Location && o.Loc == l })
			if to && bar != nil && bar.Kind == Location && b.prog.Locs[bar.Loc].Home > 0 {
				return b.prog.Locs[bar.Loc].Home
			}
		}
	}
	return 0
}

// settle assigns a location to a CTA; elements of an array go with the first.
func (b *builder) settle(l event.Loc, cta int) {
	owner := slices.IndexFunc(b.prog.Threads, func(t event.Thread) bool { return t.At[litmus.CTA] == cta })
	rank := b.seats[owner].Rank
	for i := range max(1, b.prog.Locs[l].Elems) {
		b.prog.Locs[l+i].Home, b.prog.Locs[l+i].HomeLevel, b.prog.Locs[l+i].Rank = cta+1, litmus.CTA, rank
	}
}

// checkSpaces reports locations in the state spaces of parameters and of a thread that are used
// like others: nothing writes a parameter, and each thread has a local memory of its own.
func (b *builder) checkSpaces() {
	special := map[event.Loc]*Instr{}
	each := func(visit func(t int, in *Instr, l event.Loc)) {
		for t, code := range b.prog.code {
			for _, in := range code.code {
				if in.Addr != nil && in.Addr.Kind == Location {
					visit(t, in, event.Physical(b.prog.Locs, in.Addr.Loc))
				}
			}
		}
	}
	each(func(_ int, in *Instr, l event.Loc) {
		if in.Op.Space == isa.Param || in.Op.Space == isa.Local {
			special[l] = in
		}
	})
	each(func(_ int, in *Instr, l event.Loc) {
		if other := special[l]; other != nil && other.Op.Space != in.Op.Space {
			b.diags.Errorf(in.Addr.At, "%s accesses %s, which %s accesses in another state space", in.Opcode, in.Addr.Text, other.Opcode)
		}
	})
	for l, in := range special {
		for _, code := range b.prog.code {
			at, used := code.uses[l]
			if used && in.Op.Space == isa.Local && !code.has(in) {
				b.diags.Errorf(at, "%s is local to one thread, and other threads have a local memory of their own", b.prog.Locs[l].Name).
					WithHint("give each thread a location of its own")
			}
		}
	}
}

func (t *thread) has(in *Instr) bool { return slices.Contains(t.code, in) }

// checkSizes reports, in PTX tests, accesses of different sizes to a location, and accesses other
// than of 32 bits to an element of an array: the models do not define accesses of mixed sizes. It
// checks addresses with a name, and types that are written; an access without a type has 32 or 64
// bits.
func (b *builder) checkSizes() {
	if b.test.Arch != "PTX" {
		return
	}
	sizes := map[event.Loc]int{}
	for _, t := range b.prog.code {
		for _, in := range t.code {
			if in.Addr == nil || in.Addr.Kind != Location {
				continue
			}
			l := event.Physical(b.prog.Locs, in.Addr.Loc)
			size := in.Size()
			switch other := sizes[l]; {
			case !in.Op.Says(isa.TypeMod) && (other == 0 || other == 32 || other == 64):
			case size != 32 && b.prog.Locs[l].Elems > 1:
				b.mixed(in, "the elements of an array have 32")
			case other != 0 && other != size:
				b.mixed(in, fmt.Sprintf("other accesses have %d", other))
			default:
				sizes[l] = size
			}
		}
	}
}

func (b *builder) mixed(in *Instr, others string) {
	b.diags.Errorf(in.At, "%s accesses %d bits of %s, where %s", in.Opcode, in.Size(), in.Addr.Text, others).
		WithHint("accesses of mixed sizes are not supported")
}

// checkMap reports names that only the memory map mentions: a slip that would leave the
// location that was meant in the wrong region.
func (b *builder) checkMap() {
	for _, l := range b.test.Locations {
		afterProgram := l.Name.Start > b.test.Threads[0].Name.Start
		if loc, _ := b.prog.Named(l.Name.Text); afterProgram && !b.mentioned(loc) {
			names := b.prog.LocNames()
			d := b.diags.Errorf(l.Name.Span, "nothing but the memory map mentions the location %s", l.Name.Text)
			if d.Hint = src.DidYouMean(l.Name.Text, names); d.Hint == "" {
				d.WithHint("the test's locations are %s", strings.Join(names, " "))
			}
		}
	}
}

// mentioned reports whether a thread or the condition mentions a location.
func (b *builder) mentioned(loc event.Loc) bool {
	for _, code := range b.prog.code {
		if _, used := code.uses[loc]; used {
			return true
		}
	}
	return slices.ContainsFunc(b.refs, func(r litmus.Ref) bool {
		l, ok := b.prog.Named(r.Name)
		return ok && l == loc && r.Thread < 0
	})
}

// checkRefs checks that the condition speaks of registers and locations that the
// test mentions.
func (b *builder) checkRefs() {
	for _, r := range b.refs {
		if r.Thread >= 0 {
			b.checkRegisterRef(r)
			continue
		}
		if _, ok := b.prog.Loc(r.Name, r.Index); ok {
			continue
		}
		b.diags.Add(b.prog.NoLocation(r, b.test.Threads, func(thread int, name string) bool { return b.prog.code[thread].registers[name] }))
	}
}

func (b *builder) checkRegisterRef(r litmus.Ref) {
	t := b.prog.code[r.Thread]
	if t.registers[r.Name] || t.broken {
		return
	}
	sorted := slices.Sorted(maps.Keys(t.registers))
	d := b.diags.Errorf(r.At, "%s has no register %s", b.test.Threads[r.Thread].Name.Text, r.Name)
	if d.Hint = src.DidYouMean(r.Name, sorted); d.Hint == "" && len(sorted) > 0 {
		d.WithHint("its registers are %s", strings.Join(sorted, " "))
	}
}
