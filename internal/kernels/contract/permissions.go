package contract

import (
	"fmt"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/internal/kernels/exec"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/spec"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Permissions to read and write elements (Huisman and Mihelčić, "Specification and verification of
// GPGPU programs using permission-based separation logic", BYTECODE 2013; CARP deliverable 6.2, Ch.
// 5). A thread initially holds those that the kernel requires; a barrier then gives it new ones.
// The proof obligations are:
//
//   - each access has its permission;
//   - an element that a thread may write is no other thread's;
//   - a barrier hands out what the block had in the beginning; shared arrays are the block's;
//   - a condition mentions only elements that the thread may read: it is framed.
//
// The specification of the block and of the kernel is the conjunction over all threads (Sec. 5.4).

// says returns a permission for readers.
func says(p *trace.Permission) string {
	return fmt.Sprintf("%s (%s:%d)", p.At.Text(), p.At.File.Name, p.At.Pos().Line)
}

// permits reports whether a contract speaks of permissions: then all accesses need one.
func permits(c *spec.Contract) bool {
	for _, clause := range c.Clauses {
		if clause.What.Any(func(n *spec.Node) bool { return n.Kind == spec.Perm }) {
			return true
		}
	}
	return false
}

// permissions returns the permissions in a formula, under a condition.
func (e *Evaluation) permissions(n *spec.Node, when *term.Term) (all []trace.Permission) {
	switch {
	case n.Kind == spec.Perm:
		r, offset := e.place(n.Args[0])
		all = append(all, trace.Permission{Cell: trace.Cell{Region: r, Offset: offset, Size: n.Args[0].Array.Bytes(), When: when}, Writes: n.Writes, At: n.At})
	case n.Kind == spec.Operate && n.Op == arith.And && n.Bool:
		all = append(e.permissions(n.Args[0], when), e.permissions(n.Args[1], when)...)
	case n.Kind == spec.Implies:
		all = e.permissions(n.Args[1], e.Terms.And(when, e.truth(n.Args[0], 0)))
	case n.Any(func(n *spec.Node) bool { return n.Kind == spec.Perm }):
		e.Subject.Refuse("a permission for each thread: perm(A[tid], w)", "permissions that a quantifier gives")
	}
	return all
}

// given returns the permissions that clauses give.
func (k *checker) given(x *exec.Moment, read Reader, where spec.Where, in *kernel.Instr, words ...spec.Word) (all []trace.Permission) {
	k.of(where, in, func(c *spec.Clause) {
		for _, word := range words {
			if c.Word == word {
				all = append(all, at(x, read).permissions(c.What, x.Terms.Bool(true))...)
			}
		}
	})
	return all
}

// hold gives the thread permissions from here on, and checks that no other thread of its block
// holds them, too.
func hold(x *exec.Moment, all []trace.Permission) {
	x.Hold(all)
	for i := range all {
		for j := range all {
			if p, q := &all[i], &all[j]; j <= i && p.Region == q.Region && (p.Writes || q.Writes) {
				x.Check("held by two threads of a block: "+says(p), apart(x, p, q), trace.SameBlock)
			}
		}
	}
}

// again gives the thread the permissions of an invariant at the head of a cut loop, in each
// iteration. The thread must hold them where the loop begins, and after an iteration.
func (k *checker) again(x *exec.Moment, in *kernel.Instr) {
	all := k.given(x, x.Now, spec.Loop, in, spec.Invariant)
	outside := len(x.Held())
	hold(x, all)
	for _, p := range all {
		x.Duty("held in each round: "+says(&p), func(h *trace.Head) *term.Term {
			from := x.Held()[:outside]
			if h.Round.Op() != term.Const {
				from = x.Held()[outside+1:]
			}
			return x.Terms.Implies(p.When, mayOf(x, from, h.Passed, p.Region, p.Offset, p.Size, p.Writes))
		})
	}
}

// apart returns the condition that a permission of the thread and a permission of the other thread
// are for different elements.
func apart(x *exec.Moment, p, q *trace.Permission) *term.Term {
	b := x.Terms
	both := b.And(p.When, x.Other(q.When))
	return b.Not(b.And(both, b.Eq(p.Offset, x.Other(q.Offset))))
}

// may returns the term of whether the thread may access elements after it has passed a number of
// barriers.
func may(x *exec.Moment, passed *term.Term, r *trace.Region, offset *term.Term, size int, writes bool) *term.Term {
	return mayOf(x, x.Held(), passed, r, offset, size, writes)
}

// mayOf returns the condition that the thread may access elements by some of the given permissions.
func mayOf(x *exec.Moment, held []*trace.Holding, passed *term.Term, r *trace.Region, offset *term.Term, size int, writes bool) *term.Term {
	b := x.Terms
	holds := b.Bool(false)
	for _, h := range held {
		here := b.And(b.Eq(h.Passed, passed), h.When)
		for i := range h.All {
			if p := &h.All[i]; p.Region == r && p.Size == size && (p.Writes || !writes) {
				holds = b.Or(holds, b.And(here, b.And(p.When, b.Eq(p.Offset, offset))))
			}
		}
	}
	return holds
}

// permitted checks that an access has its permission, for each of its elements.
func (k *checker) permitted(x *exec.Moment, a *trace.Access) {
	b := x.Terms
	size := a.Size
	for _, array := range k.contract.Arrays {
		if x.Region(array.Variable, array.Pointer) == a.Region {
			size = min(size, array.Bytes())
		}
	}
	holds := b.Bool(true)
	for at := 0; at < a.Size; at += size {
		holds = b.And(holds, may(x, a.Epoch[trace.Block], a.Region, b.Add(a.Offset, b.Const(uint64(at), 64)), size, a.Kind != trace.Load))
	}
	does := "read"
	if a.Kind != trace.Load {
		does = "write"
	}
	x.CheckAccess(a, fmt.Sprintf("no permission to %s %s", does, kernel.SourceName(a.Region.Name)), holds)
}

// redistributed checks that permissions are those of threads of the block: of each, some thread
// held it at first.
func (k *checker) redistributed(x *exec.Moment, all []trace.Permission) {
	b := x.Terms
	sh := x.Shape()
	for i := range all {
		p := &all[i]
		if p.Region.Space == isa.Shared {
			continue
		}
		had := b.Bool(false)
		for _, first := range x.Held()[0].All {
			if first.Region == p.Region && (first.Writes || !p.Writes) {
				had = b.Or(had, someThread(x, sh, &first, p.Offset))
			}
		}
		x.Check("not the block's to give: "+says(p), b.Implies(p.When, had), trace.SameBlock)
	}
}

// someThread returns the condition that some thread of the block holds an element. It finds the
// thread by solving for the held offset.
func someThread(x *exec.Moment, sh *trace.Shape, p *trace.Permission, offset *term.Term) *term.Term {
	b := x.Terms
	mine := trace.Variables(sh.Thread[0])
	for v := range mine {
		value := b.Solve(p.Offset, v, offset)
		if value == nil {
			continue
		}
		is := b.Rename(func(u *term.Term) *term.Term {
			if u == v {
				return value
			}
			return u
		})
		return b.And(b.ULt(is.Term(sh.Thread[0]), sh.Threads[0]), b.And(is.Term(p.When), b.Eq(is.Term(p.Offset), offset)))
	}
	return b.And(p.When, b.Eq(p.Offset, offset))
}

// framed checks that a clause speaks of elements that the thread may read where it has passed so
// many barriers.
func (k *checker) framed(x *exec.Moment, read Reader, c *spec.Clause, passed *term.Term) {
	if k.permits {
		e := at(x, read)
		e.goal = true
		k.frame(e, x, c, c.What, x.Terms.Bool(true), passed)
	}
}

func (k *checker) frame(e *Evaluation, x *exec.Moment, c *spec.Clause, n *spec.Node, when, passed *term.Term) {
	b := e.Terms
	within := func(n *spec.Node, when *term.Term) { k.frame(e, x, c, n, when, passed) }
	switch {
	case n.Kind == spec.Old, n.Kind == spec.Perm:
	case n.Kind == spec.Operate && n.Bool && (n.Op == arith.And || n.Op == arith.Or):
		left := e.truth(n.Args[0], 0)
		if n.Op == arith.Or {
			left = b.Not(left)
		}
		within(n.Args[0], when)
		within(n.Args[1], b.And(when, left))
	case n.Kind == spec.Implies:
		within(n.Args[0], when)
		within(n.Args[1], b.And(when, e.truth(n.Args[0], 0)))
	case n.Kind == spec.Choose:
		test := e.truth(n.Args[0], 0)
		within(n.Args[0], when)
		within(n.Args[1], b.And(when, test))
		within(n.Args[2], b.And(when, b.Not(test)))
	case n.Kind == spec.All || n.Kind == spec.Some:
		e.Subject.Refuse("a condition of each thread: A[tid] == …", "a quantifier in a contract with permissions")
	case n.Kind == spec.Element:
		r, offset := e.place(n)
		x.Check(fmt.Sprintf("%s is not the thread's to read: %s", n.At.Text(), Says(c)),
			x.Terms.Implies(when, may(x, passed, r, offset, n.Array.Bytes(), false)), trace.SameBlock)
		within(n.Args[0], when)
	default:
		for _, a := range n.Args {
			within(a, when)
		}
	}
}

// blocks checks that threads of different blocks do not hold the same, whenever.
func (k *checker) blocks(x *exec.Moment) {
	var all []trace.Permission
	seen := map[[3]any]bool{}
	for _, h := range x.Held() {
		for _, p := range h.All {
			key := [3]any{p.Offset, p.When, p.Writes}
			if p.Region.Space != isa.Shared && !seen[key] {
				seen[key] = true
				all = append(all, p)
			}
		}
	}
	for i := range all {
		for j := range i + 1 {
			if p, q := &all[i], &all[j]; p.Region == q.Region && (p.Writes || q.Writes) {
				x.Check("held by threads of two blocks: "+says(p), apart(x, p, q), trace.OtherBlock)
			}
		}
	}
}
