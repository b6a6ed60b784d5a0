package event

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/vocab"
)

// Validate checks that x is a well-formed candidate execution (ASPLOS 2015, Sec.
// 5.1.1): it returns every broken rule. Tests call it on each candidate; it is not
// meant for the hot path. It expects co to be total, as package enumerate makes it; a
// model may choose a partial one.
func (x *Execution) Validate() error {
	return errors.Join(slices.Concat(x.Structure.validate(), x.validateValues(), x.validateRf(), x.validateCo())...)
}

func (s *Structure) validate() []error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	earlier := s.internal().Inter(rel.Where(s.N(), func(a, b int) bool { return !s.Events[a].IsInit() && a < b }))
	ordered := rel.Where(s.N(), func(a, b int) bool { return Ordered(&s.Events[a], &s.Events[b]) })
	inOrder := earlier.Inter(ordered)
	for t, p := range s.Paths {
		for _, pair := range p.Unordered {
			inOrder.Remove(s.First[t]+pair[0], s.First[t]+pair[1])
		}
	}
	check(s.Po.Equal(inOrder), "po is not the order of the events of each thread: %v", s.Po)
	check(s.Po.Transitive(), "po is not transitive: %v", s.Po)
	reads, writes := s.where(isKind(Read)), s.where(isKind(Write))
	for name, r := range map[string]rel.Rel{"addr": s.Addr, "data": s.Data, "ctrl": s.Ctrl} {
		check(r.SubsetOf(earlier), "%s is not in program order: %v", name, r)
		check(r.Domain().SubsetOf(reads), "%s does not start at reads: %v", name, r)
	}
	check(s.Data.Range().SubsetOf(writes), "data does not end at writes: %v", s.Data)
	check(s.Rmw.SubsetOf(earlier.Inter(rel.Product(reads, writes))), "rmw is not from a read to a later write: %v", s.Rmw)
	own, agents := s.where(ofThread), s.where(ofAgent)
	issue, within, complete := s.relation(s.Issue), s.relation(s.Within), s.relation(s.Complete)
	check(issue.SubsetOf(earlier.Inter(rel.Product(own, agents))), "issue is not from a thread to what it issues: %v", issue)
	check(within.SubsetOf(earlier.Inter(rel.Product(agents, agents))), "within is not between asynchronous events: %v", within)
	check(complete.SubsetOf(earlier.Inter(rel.Product(agents, own))), "complete is not from an asynchronous event to its thread: %v", complete)
	for i := range s.Events {
		e := &s.Events[i]
		check(e.IsMem() == (e.Addr != nil && e.Data != nil), "event %d: address and data are for accesses only", i)
		check(!e.IsInit() || e.Kind == Write, "event %d: an initial event is not a write", i)
	}
	return errs
}

func (x *Execution) validateValues() []error {
	var errs []error
	for e := range x.Events {
		ev := &x.Events[e]
		if ev.Addr == nil || ev.Data == nil {
			continue
		}
		env := x.Env(ev.Thread)
		if v, err := ev.Addr.Eval(env); err != nil || !x.isAt(e, v) {
			errs = append(errs, fmt.Errorf("event %d: its address is %v, which is not its location", e, ev.Addr))
		}
		if v, err := ev.Data.Eval(env); err != nil || v != x.Val[e] {
			errs = append(errs, fmt.Errorf("event %d: its data is %v, which is not its value", e, ev.Data))
		}
	}
	return errs
}

// isAt reports whether v is the address of the location of event e.
func (x *Execution) isAt(e ID, v Value) bool {
	l, err := Resolve(x.Locs, v)
	return err == nil && Physical(x.Locs, l) == x.Loc[e]
}

func (x *Execution) validateRf() []error {
	var errs []error
	for e := range x.Events {
		w := x.Rf[e]
		isRead := x.Events[e].Kind == Read
		switch {
		case isRead != (w >= 0):
			errs = append(errs, fmt.Errorf("event %d: rf is for reads, and for each of them", e))
		case !isRead:
		case x.Events[w].Kind != Write:
			errs = append(errs, fmt.Errorf("event %d reads from %d, which is no write", e, w))
		case x.Loc[w] != x.Loc[e] || x.Val[w] != x.Val[e]:
			errs = append(errs, fmt.Errorf("event %d reads from %d, which has another location or value", e, w))
		}
	}
	for _, c := range x.Conds {
		if v, err := c.X.Eval(x.Env(c.Thread)); err != nil || v.True() != c.Want {
			errs = append(errs, fmt.Errorf("the condition %v = %v of a path of thread %d does not hold", c.X, c.Want, c.Thread))
		}
	}
	return errs
}

func (x *Execution) validateCo() []error {
	var errs []error
	writes := x.where(isKind(Write))
	sameLocWrites := x.pairs(x.sameLoc).Inter(rel.Product(writes, writes))
	if !x.Co.SubsetOf(sameLocWrites) {
		errs = append(errs, fmt.Errorf("co relates more than the writes of one location: %v", x.Co))
	}
	if !x.Co.Irreflexive() || !x.Co.Transitive() {
		errs = append(errs, fmt.Errorf("co is not a strict order: %v", x.Co))
	}
	id := rel.Identity(writes)
	if !sameLocWrites.Diff(id).SubsetOf(x.Co.Union(x.Co.Inverse())) {
		errs = append(errs, fmt.Errorf("co is not total: %v", x.Co))
	}
	inits := x.where((*Event).IsInit)
	if !x.Co.Range().Inter(inits).Empty() {
		errs = append(errs, fmt.Errorf("an initial write is not first in co: %v", x.Co))
	}
	return errs
}

// Validate checks that what is known of a name agrees with how it is computed. Tests call it.
func (n *Name) Validate() error {
	var set, witness bool
	switch n.Is.(type) {
	case Members:
		set = true
	case Events:
		set, witness = true, true
	case Pairs, Reach:
		witness = true
	}
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("%s: %w", n.Name.Name, fmt.Errorf(format, args...)))
		}
	}
	check(n.Chosen == (n.Is == nil), "either models choose it or executions compute it")
	check(n.Chosen || set == n.Set, "it is computed as another sort than the record says")
	check(n.Chosen || witness == (n.Depends > vocab.Program), "what decides it is not what computes it")
	check(n.Chosen || n.Meaning != "", "it has no meaning")
	check(!n.Set || n.Family == vocab.Other && n.Pair == "" && !n.Restricts, "a set of events has no pairs")
	for _, operand := range []string{"<1>", "<2>"} {
		told := fmt.Sprintf(n.Pair, "<1>", "<2>")
		check(n.Pair == "" || strings.Count(told, operand) == 1 && !strings.Contains(told, "%!"), "its sentence is %q", told)
	}
	return errors.Join(errs...)
}
