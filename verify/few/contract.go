package few

import (
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/internal/kernels/contract"
	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/sat"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/spec"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/verify"
)

// Contracts are evaluated for each thread, in the memory before or after all threads.

// subject is a thread for which a contract is evaluated.
type subject struct {
	*block
	t *thread
}

var _ contract.Subject = subject{}

func (s subject) Special(name string) *term.Term {
	sh := &s.trace.Shape
	for i, axis := range []string{".x", ".y", ".z"} {
		for of, t := range map[string]*term.Term{
			"%tid": sh.Thread[i], "%ntid": sh.Threads[i], "%ctaid": sh.Block[i],
			"%nctaid": sh.Blocks[i],
		} {
			if of+axis == name {
				return s.t.term(t)
			}
		}
	}
	s.Refuse("", "%s is not modelled in contracts", name)
	return nil
}

func (s subject) Param(v *kernel.Variable) *term.Term { return s.param(v, 0, 8*v.Size()) }

func (s subject) Register(r *kernel.Register) *term.Term {
	s.Refuse("", "what registers hold (%s) is not asked for a few threads", r.Name)
	return nil
}

func (s subject) Region(v *kernel.Variable, pointer bool) *trace.Region {
	return s.region(v, pointer)
}

// region returns the region of the trace for a variable, or a new one if no access is to it.
func (b *block) region(v *kernel.Variable, pointer bool) *trace.Region {
	for _, a := range b.trace.Accesses {
		if r := a.Region; pointer && r.Variable == nil && r.Name == v.Name || !pointer && r.Variable == v {
			return r
		}
	}
	if pointer {
		return &trace.Region{Name: v.Name, Space: isa.Global}
	}
	return &trace.Region{Name: v.Name, Space: v.Space, Variable: v}
}

func (s subject) First(r *trace.Region, offset *term.Term, size int) *term.Term {
	return s.first(r, offset, size)
}

func (s subject) Shape() *trace.Shape { return &s.trace.Shape }

func (s subject) Fresh(name string, width int) *term.Term {
	return s.Var(fmt.Sprintf("%s#%d", name, s.Len()), width)
}

func (s subject) Other(*term.Term) *term.Term {
	s.Refuse("", "a condition about two threads is none of a block of a few")
	return nil
}

func (s subject) Refuse(help, format string, args ...any) { s.refuse(nil, help, format, args...) }

func (b *block) evaluation(t *thread, read contract.Reader) *contract.Evaluation {
	return &contract.Evaluation{Terms: b.Builder, Subject: subject{b, t}, Read: read, Finite: true}
}

// clauses calls do for the clauses about the kernel as a whole.
func (b *block) clauses(do func(*spec.Clause)) {
	if b.config.Contract == nil {
		return
	}
	for _, c := range b.config.Contract.Clauses {
		if c.Where == spec.Kernel {
			do(c)
		}
	}
}

// aside records the clauses of the contract that are ignored here.
func (b *block) aside() {
	c := b.config.Contract
	if c == nil {
		return
	}
	placed := slices.ContainsFunc(c.Clauses, func(c *spec.Clause) bool { return c.Where != spec.Kernel })
	sized := slices.ContainsFunc(c.Arrays, func(a *spec.Array) bool { return a.Size != nil })
	if placed || sized || len(c.Lemmas) > 0 {
		b.result.Notes = append(b.result.Notes,
			"of the contract, only what the kernel requires, assumes and ensures is looked at: neither clauses about "+
				"loops, barriers and instructions, nor sizes, permissions and lemmas")
	}
}

// require assumes the preconditions of the kernel for each thread.
func (b *block) require() {
	b.clauses(func(c *spec.Clause) {
		if c.Word == spec.Ensures {
			return
		}
		for _, t := range b.threads {
			b.assumed = append(b.assumed, b.evaluation(t, b.first).Assumed(c.What))
		}
		b.result.Assumptions = append(b.result.Assumptions, contract.Says(c))
	})
	if len(b.assumed) > 0 && b.Check(b.config.Budget, b.assumed...).Result == sat.Unsat {
		b.refuse(nil, "conditions that can hold together, of all threads of a block of this size",
			"no launch is as the contract takes for granted: that verifies nothing")
	}
}

// ensure asks whether a postcondition can fail.
func (b *block) ensure() {
	b.clauses(func(c *spec.Clause) {
		if c.Word != spec.Ensures {
			return
		}
		asked := map[*term.Term]bool{}
		for _, t := range b.threads {
			holds := b.evaluation(t, b.memory.read).Goal(c.What)
			if asked[holds] || b.ended() {
				continue
			}
			asked[holds] = true
			b.ask("assertion", []*term.Term{b.Not(holds)}, func(m *term.Model) *verify.Alarm {
				a := b.alarm(m, verify.Assertion, contract.Says(c))
				a.Contract = true
				end := b.result.Kernel.Instrs[len(b.result.Kernel.Instrs)-1]
				a.Points = []verify.Point{{Thread: t.place, Instr: end}}
				return a
			})
		}
	})
}
