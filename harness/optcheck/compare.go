package optcheck

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx"
)

// comparison compares the two codes of one role.
type comparison struct {
	plan   *harness.Plan
	layout *layout
	thread int
	role   int
	report *Report

	test, machine []path
}

func (c *comparison) name() string { return c.plan.Test.Threads[c.thread].Name.Text }

func (c *comparison) code() []*ptx.Instr { return c.plan.Program.Code(c.thread) }

// run compares. It returns an error if that is impossible.
func (c *comparison) run(ctx context.Context, f *flow) (err error) {
	most := longest(c.code())
	if most > maxOperations {
		return fmt.Errorf("it has more than %d memory operations", maxOperations)
	}
	if c.test, err = testPaths(c.plan, c.layout, c.thread, most); err != nil {
		return err
	}
	locate := func(address value, in space) accessPlace { return c.layout.locate(f.atoms, address, in) }
	if c.machine, err = f.machinePaths(c.role, most, locate); err != nil {
		return err
	}
	if len(c.test) == 0 || len(c.machine) == 0 {
		return errors.New("no control path of it was found")
	}
	before := c.report.failures()
	kept := make([]bool, len(c.test))
	if err := c.findPaths(ctx, kept); err != nil {
		return err
	}
	if c.report.failures() == before {
		c.missingPaths(kept)
	}
	c.remarks()
	c.list()
	return nil
}

// maxExplained bounds the paths of a role whose differences are explained: further ones are usually
// the same.
const maxExplained = 20

// findPaths finds the paths of the test that match those of the machine code, and marks them in
// kept. It returns the error of the context.
func (c *comparison) findPaths(ctx context.Context, kept []bool) error {
	explained := 0
	for _, m := range c.machine {
		if err := ctx.Err(); err != nil {
			return err
		}
		if c.findPath(m, kept) {
			continue
		}
		if explained++; explained <= maxExplained {
			c.explain(c.nearest(m))
		}
	}
	return nil
}

// findPath finds the path of the test that matches one of the machine code and keeps the most
// dependencies.
func (c *comparison) findPath(m path, kept []bool) (found bool) {
	var lost []Finding
	first := -1
	for i, t := range c.test {
		if !same(t, m) {
			continue
		}
		kept[i] = true
		if missing := c.lostDependencies(t, m); first < 0 || len(missing) < len(lost) {
			first, lost = i, missing
		}
	}
	if first < 0 {
		return false
	}
	c.report.add(lost...)
	c.reductions(c.test[first], m)
	c.sameAddresses(c.test[first], m)
	c.waits(c.test[first], m)
	return true
}

// nearest returns the alignment of a path of the machine code with the most similar path of the
// test.
func (c *comparison) nearest(m path) (best *alignment) {
	for _, t := range c.test {
		if few, many := min(len(t.ops), len(m.ops)), max(len(t.ops), len(m.ops)); best != nil &&
			alone*(many-few) >= best.cost {
			continue // some operations would be unmatched
		}
		if a := align(t, m); best == nil || a.cost < best.cost {
			best = a
		}
	}
	return best
}

// lostDependencies lists the dependencies of a path of the test that the machine code lacks.
func (c *comparison) lostDependencies(t, m path) (all []Finding) {
	for i, o := range t.ops {
		kept := m.ops[i]
		for _, d := range []struct {
			what       string
			need, have deps
		}{
			{"its address", o.addr, kept.addr},
			{"its value", o.data, kept.data},
			{"whether it runs", o.ctrl, kept.ctrl | kept.addr | kept.data},
		} {
			for n := range (d.need &^ d.have).each {
				all = append(all,
					c.failure(&o,
						fmt.Sprintf("%s no longer depends on %s: the dependency is not in the machine code",
							d.what, t.ops[n].text)))
			}
		}
	}
	return all
}

// reductions handles atomics that became reductions, which have no result. Only the condition needs
// a result as such: a value that is used in a computation is a dependency.
func (c *comparison) reductions(t, m path) {
	for i := range t.ops {
		o := &t.ops[i]
		switch {
		case o.kind != atomic || m.ops[i].kind != reduction:
		case c.isObserved(c.code()[o.index]):
			c.report.add(c.failure(o, "its result is lost: the machine code has a reduction"))
		default:
			c.report.add(c.remark(o.text, "became a reduction, because its result is not used"))
		}
	}
}

// isObserved reports whether the condition asks for the register that an instruction sets.
func (c *comparison) isObserved(in *ptx.Instr) bool {
	return in.Dst != nil && slices.ContainsFunc(c.plan.Test.Observables(), func(ref litmus.Ref) bool {
		reg, _ := c.plan.Program.Observable(ref)
		return reg == event.Reg{Thread: c.thread, Name: in.Dst.Text}
	})
}

// missingPaths reports a path of the test that the machine code never takes.
func (c *comparison) missingPaths(kept []bool) {
	for i, t := range c.test {
		if !kept[i] {
			c.report.add(Finding{Thread: c.name(), Void: true, What: fmt.Sprintf(
				"the machine code has no control path that does just this: %s; what a branch of the test asks was "+
					"decided when it was assembled", t.sketch())})
			return
		}
	}
}

// sameAddresses checks, on a path that matches the test, that the accesses to one slot have the
// same address, as far as addresses can be traced.
func (c *comparison) sameAddresses(t, m path) {
	rest := map[int]string{}
	origins := map[uint32]bool{} // in shared memory: there is one, at an unknown address
	for i := range m.ops {
		o, test := &m.ops[i], &t.ops[i]
		switch before, again := rest[o.place.slot]; {
		case !o.kind.isAccess():
			continue
		case !o.place.traced:
			c.report.add(c.remark(test.text, "address not traced: "+o.text))
			continue
		case again && before != o.place.rest:
			c.report.add(
				c.remark(test.text,
					"address not traced: whether "+o.text+
						" has the same address as the access to its location before it"))
		}
		rest[o.place.slot] = o.place.rest
		if o.space == inShared && test.place.traced && !o.place.varies && !test.place.varies {
			origins[o.place.offset-test.place.offset] = true
		}
		if len(origins) > 1 {
			c.report.add(c.failure(test, "it accesses another element in the machine code"))
			return
		}
	}
}

// remarks adds notes about what machine code does not show.
func (c *comparison) remarks() {
	for _, in := range c.code() {
		if !operates(in) {
			continue
		}
		where := c.space(in)
		switch ops := operationsOf(in, where, c.plan.Target); {
		case in.Addr != nil && where == inShared && isStrong(in.Order()):
			c.report.add(c.remark(in.At.Text(), "machine code does not show the strength of accesses to shared memory"))
		case in.Order() == event.Acquire && (len(ops) == 0 || ops[len(ops)-1].kind != invalidation):
			c.report.add(c.remark(in.At.Text(), "machine code does not show that it acquires"))
		}
	}
}

// space returns the state space that an instruction accesses. It is the same on all paths
// (harness.Plan).
func (c *comparison) space(in *ptx.Instr) space {
	for _, t := range c.test {
		for _, o := range t.ops {
			if o.kind.isAccess() && c.code()[o.index] == in {
				return o.space
			}
		}
	}
	return inGlobal
}

func (c *comparison) failure(o *operation, what string) Finding {
	return Finding{Thread: c.name(), Instr: o.text, What: what, Void: true}
}

func (c *comparison) remark(instr, what string) Finding {
	return Finding{Thread: c.name(), Instr: instr, What: what}
}
