package ptx

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
)

// A variable in shared memory has an instance in each CTA ("State Spaces: Shared"). In most tests,
// its name is the instance of one CTA. In tests that map addresses or copy to several CTAs, each
// CTA of a cluster that uses the name has its own instance.

// replicas are the locations of a name by the ranks of their CTAs, for each of these locations.
type replicas map[event.Loc]map[int]event.Loc

// spreads reports whether the test has an instruction that computes the same address in another
// CTA.
func (b *builder) spreads() bool {
	return slices.ContainsFunc(b.prog.code, func(t *thread) bool {
		return slices.ContainsFunc(t.code, (*Instr).spreads)
	})
}

func (in *Instr) spreads() bool {
	return in.Op.Form != nil && (in.Op.Form.Head == "mapa" || in.Says("multicast::cluster"))
}

// replicate gives each CTA of a cluster an instance of its own. The instance of the first CTA keeps
// the name s; that of rank 1 is s@1.
func (b *builder) replicate() {
	if !b.spreads() {
		return
	}
	b.prog.replicas = replicas{}
	for _, declared := range b.test.Locations {
		name := declared.Name.Text
		l, _ := b.prog.Named(name)
		if b.prog.Locs[l].Region != litmus.Shared || b.prog.Locs[l].Alias != nil {
			continue
		}
		users := map[int]*frontend.Seat{} // by CTA
		for t, code := range b.prog.code {
			if code.owns(name, l) {
				users[b.seats[t].Thread.At[litmus.CTA]] = &b.seats[t]
			}
		}
		if len(users) > 1 {
			b.replicateName(name, l, users)
		}
	}
	for _, code := range b.prog.code {
		code.replicas = b.prog.replicas
	}
}

// owns reports whether a thread uses a name for the instance of its own CTA: in an operand that
// cannot reach other CTAs, in a multicast copy, or in a register that the test initialises.
func (t *thread) owns(name string, l event.Loc) bool {
	for _, x := range t.initial {
		if c, ok := x.(event.Const); ok && event.Value(c).IsAddress() && c.Base == l {
			return true
		}
	}
	uses := func(in *Instr) bool {
		for _, o := range append([]*Operand{in.Addr}, in.reads()...) {
			if o != nil && o.Text == name && !t.registers[name] && (!in.reachesCluster(o) || in.Says("multicast::cluster")) {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(t.code, uses)
}

// replicateName makes the locations of a name in the CTAs of its users.
func (b *builder) replicateName(name string, l event.Loc, users map[int]*frontend.Seat) {
	all := map[int]event.Loc{}
	for i, cta := range slices.Sorted(maps.Keys(users)) {
		own, rank := l, users[cta].Rank
		if i > 0 {
			own = b.copyLocation(name, l, rank)
		}
		all[rank] = own
		b.prog.replicas[own] = all
	}
	for _, code := range b.prog.code {
		if own, has := all[code.where.Rank]; has && users[code.where.Thread.At[litmus.CTA]] != nil {
			code.own(l, own)
		}
	}
}

// copyLocation adds a location with the initial values of another.
func (b *builder) copyLocation(name string, l event.Loc, rank int) event.Loc {
	from := b.prog.Locs[l]
	first := b.prog.Add(fmt.Sprintf("%s@%d", name, rank), litmus.Shared, max(1, from.Elems), from.Elems > 0)
	for i := range max(1, from.Elems) {
		b.prog.Locs[first+i].Init = b.prog.Locs[l+i].Init
	}
	return first
}

// own makes a thread use the instance of its own CTA where it uses the name of a location.
func (t *thread) own(l, own event.Loc) {
	if t.owned == nil {
		t.owned = map[event.Loc]event.Loc{}
	}
	t.owned[l] = own
	for name, x := range t.initial {
		if c, ok := x.(event.Const); ok && event.Value(c).IsAddress() && c.Base == l {
			c.Base = own
			t.initial[name] = c
		}
	}
	if at, used := t.uses[l]; used {
		delete(t.uses, l)
		t.uses[own] = at
	}
}

// in returns the corresponding address in the CTA of a rank, and false if that CTA has no location
// of the name.
func (p pointer) in(rank int, of replicas, locs []event.Location) (pointer, bool) {
	c, known := p.Expr.(event.Const)
	if !known {
		return p, false
	}
	all, spread := of[c.Base]
	if !spread {
		return p, locs[c.Base].Region == litmus.Shared && locs[c.Base].Rank == rank
	}
	l, has := all[rank]
	c.Base = l
	p.Expr = c
	return p, has
}

// finds reports whether the code of a thread may depend on the places or the actions of other
// threads.
func finds(code string) bool {
	return strings.Contains(code, "mapa") || strings.Contains(code, "getctarank") || strings.Contains(code, "multicast") || strings.Contains(code, "tensor")
}

// first returns the location of the first CTA that has the name.
func (r replicas) first(l event.Loc) event.Loc {
	for _, other := range r[l] {
		l = min(l, other)
	}
	return l
}

// AtRank returns the location that the CTA of a rank has where another CTA of its cluster has l, as
// mapa and copies to several CTAs find it. It returns false if that CTA has no instance.
func (p *Program) AtRank(l event.Loc, rank int) (event.Loc, bool) {
	there, has := pointer{Expr: event.Const(event.AddressOf(l))}.in(rank, p.replicas, p.Locs)
	if !has {
		return event.NoLoc, false
	}
	return there.Expr.(event.Const).Base, true
}
