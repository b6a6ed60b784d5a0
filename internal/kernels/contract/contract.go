// Package contract has contracts checked, and assumed, as a kernel is executed symbolically.
//
//	Hooks       what package exec calls
//	Evaluation  the terms of expressions
//
// What is required is assumed where the kernel begins, what is ensured must hold where it ends. A
// barrier with a contract is the end of one interval and the beginning of the next: what each
// thread requires there, all may rely on after it, about the memory that they share (Betts et al.,
// CARP deliverable 6.2, Sec. 4.4, and Huisman and Mihelčić, ibid., Sec. 5.3). Of memory, a thread
// knows what it has accessed itself since the barrier before.
package contract

import (
	"fmt"

	"github.com/muster-gpu/muster/internal/kernels/assume"
	"github.com/muster-gpu/muster/internal/kernels/exec"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/spec"
)

// checker checks a contract in an execution.
type checker struct {
	contract *spec.Contract
	permits  bool // accesses need permissions
}

// Hooks returns the hooks that check a contract, or nil for an empty contract.
func Hooks(c *spec.Contract) *exec.Hooks {
	if c == nil || len(c.Clauses) == 0 && len(c.Arrays) == 0 {
		return nil
	}
	k := &checker{contract: c, permits: permits(c)}
	h := &exec.Hooks{Begin: k.begin, End: k.end, Barrier: k.barrier, Access: k.access, Before: map[*kernel.Instr]func(*exec.Moment){}}
	for _, clause := range c.Clauses {
		if clause.Where == spec.Point || clause.Where == spec.Loop {
			h.Before[clause.Instr] = k.before(clause.Instr)
		}
	}
	return h
}

// of calls do for the clauses of a kind about an instruction.
func (k *checker) of(where spec.Where, in *kernel.Instr, do func(*spec.Clause)) {
	for _, c := range k.contract.Clauses {
		if c.Where == where && c.Instr == in {
			do(c)
		}
	}
}

// Says returns a clause for readers.
func Says(c *spec.Clause) string {
	return assume.Contract.Of(c.Word, c.What.At.Text(), c.At.File.Name, c.At.Pos().Line)
}

func (k *checker) begin(x *exec.Moment) {
	for _, l := range k.contract.Lemmas {
		e := at(x, x.First)
		holds := e.Lemma(l)
		x.Claim(e.Vars, holds, assume.Lemma.Of(l.Claim.At.Text(), l.At.File.Name, l.At.Pos().Line))
	}
	k.of(spec.Kernel, nil, func(c *spec.Clause) {
		if c.Word != spec.Ensures {
			grant(x, x.First, c, Says(c))
		}
	})
	if k.permits {
		hold(x, k.given(x, x.First, spec.Kernel, nil, spec.Requires, spec.Assume))
		k.of(spec.Kernel, nil, func(c *spec.Clause) {
			if c.Word != spec.Ensures {
				k.framed(x, x.First, c, x.Passed())
			}
		})
	}
}

// at evaluates at a moment.
func at(x *exec.Moment, read Reader) *Evaluation {
	return &Evaluation{Terms: x.Terms, Subject: x, Read: read}
}

// grant assumes a clause.
func grant(x *exec.Moment, read Reader, c *spec.Clause, note string) {
	e := at(x, read)
	if holds := e.Assumed(c.What); len(e.Vars) > 0 {
		x.Claim(e.Vars, holds, note)
	} else {
		x.Assume(holds, note)
	}
}

// check checks a clause.
func check(x *exec.Moment, read Reader, c *spec.Clause) {
	e := at(x, read)
	x.Check(Says(c), e.Goal(c.What), trace.SameBlock)
	if e.others { // that a thread is another than itself is not asked of two
		e = at(x, read)
		e.alone = true
		x.Check(Says(c), e.Goal(c.What), trace.SameBlock)
	}
}

func (k *checker) end(x *exec.Moment) {
	k.of(spec.Kernel, nil, func(c *spec.Clause) {
		if c.Word != spec.Ensures {
			return
		}
		for _, p := range at(x, x.Element).permissions(c.What, x.Terms.Bool(true)) {
			may := may(x, x.Passed(), p.Region, p.Offset, p.Size, p.Writes)
			x.Check("not held in the end: "+says(&p), x.Terms.Implies(p.When, may), trace.SameBlock)
		}
		k.framed(x, x.Element, c, x.Passed())
		check(x, x.Element, c)
	})
	if k.permits {
		k.blocks(x)
	}
}

// before returns what happens where an instruction is executed.
func (k *checker) before(in *kernel.Instr) func(*exec.Moment) {
	return func(x *exec.Moment) {
		if k.permits && x.AtHead() {
			k.again(x, in)
		}
		for _, where := range []spec.Where{spec.Loop, spec.Point} {
			k.of(where, in, func(c *spec.Clause) {
				switch {
				case c.Word == spec.Assume:
					grant(x, x.Now, c, Says(c))
				case where == spec.Loop && invariant(x, c):
				default:
					check(x, x.Now, c)
				}
			})
		}
	}
}

// invariant makes an invariant of a loop be proved by induction, if it is about one thread.
func invariant(x *exec.Moment, c *spec.Clause) bool {
	e := at(x, x.Now)
	holds := e.Goal(c.What)
	return !e.others && len(e.Vars) == 0 && x.Invariant(Says(c), holds)
}

// barrier checks the preconditions of a barrier and then that its postconditions follow: each is
// known as soon as it is checked. The preconditions are about the permissions before the barrier,
// the postconditions about those after it.
func (k *checker) barrier(x *exec.Moment, in *kernel.Instr) {
	before := x.Terms.Sub(x.Passed(), x.Terms.Const(1, 64))
	for _, word := range []spec.Word{spec.Requires, spec.Invariant, spec.Ensures} {
		about := before
		if word == spec.Ensures && k.permits {
			k.pass(x, in, before)
			about = x.Passed()
		}
		k.of(spec.Barrier, in, func(c *spec.Clause) {
			if c.Word == word {
				k.framed(x, x.Element, c, about)
				check(x, x.Element, c)
				know(x, c)
			}
		})
	}
}

// pass hands out the permissions of a barrier.
func (k *checker) pass(x *exec.Moment, in *kernel.Instr, before *term.Term) {
	all := k.given(x, x.Element, spec.Barrier, in, spec.Ensures)
	if len(all) == 0 {
		all = x.Kept(before)
	} else {
		k.redistributed(x, all)
	}
	hold(x, all)
}

// know adds a clause that has been checked for each thread as a fact.
func know(x *exec.Moment, c *spec.Clause) {
	e := at(x, x.Element)
	holds := e.Assumed(c.What)
	all, thread, ok := everyThread(x, holds)
	switch vars := append(e.Vars, thread...); {
	case ok && len(vars) > 0:
		x.Claim(vars, all, "")
	case len(e.Vars) == 0:
		x.Assume(holds, "")
	}
}

// everyThread returns a condition on one thread for each thread of its block: the thread becomes a
// variable, if the condition mentions it. It is not ok if the condition depends on values that
// other threads may not know alike.
func everyThread(x *exec.Moment, holds *term.Term) (all *term.Term, thread []*term.Term, ok bool) {
	b := x.Terms
	sh := x.Shape()
	mine := trace.Variables(sh.Thread[0])
	shared := trace.Variables(sh.Block[:]...)
	place := map[*term.Term]*term.Term{}
	ok = true
	is := b.Rename(func(v *term.Term) *term.Term {
		switch {
		case mine[v] && place[v] == nil:
			place[v] = b.UpTo(fmt.Sprintf("thread#%d", b.Len()), most(v))
			thread = append(thread, place[v])
			return place[v]
		case !mine[v]:
			ok = ok && (!x.Private(v) || shared[v] || x.Agreed(v))
			return v
		}
		return place[v]
	})
	if all = is.Term(holds); len(thread) > 0 {
		all = b.Implies(b.ULt(is.Term(sh.Thread[0]), sh.Threads[0]), all)
	}
	return all, thread, ok
}

// most returns the largest value of a variable.
func most(v *term.Term) uint64 {
	_, hi := v.Range()
	return hi
}

// access checks that an access is within its array, if the contract gives its size, and that it is
// permitted.
func (k *checker) access(x *exec.Moment, a *trace.Access) {
	b := x.Terms
	if k.permits {
		k.permitted(x, a)
	}
	for _, array := range k.contract.Arrays {
		if array.Size == nil || x.Region(array.Variable, array.Pointer) != a.Region {
			continue
		}
		e := at(x, x.First)
		bytes := b.Mul(e.number(array.Size), b.Const(uint64(array.Bytes()), 64))
		size := b.Const(uint64(a.Size), 64)
		holds := b.And(b.SLe(size, bytes), b.ULe(a.Offset, b.Sub(bytes, size)))
		x.CheckAccess(a, fmt.Sprintf("access outside of %s[%s] (%s:%d)", array.Name, array.Size.At.Text(), array.At.File.Name, array.At.Pos().Line), holds)
	}
}
