package sim

import (
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/event"
)

// Evidence in words.

// Hanging describes what each thread of an execution that never ends waits for: "P1 waits for ever
// at b1:bar.sync 0, P0 spins on a:R[f]=0".
func Hanging(x *event.Execution) string {
	names := x.Names()
	var parts []string
	tell := func(events []event.ID, does string) {
		for _, e := range events {
			parts = append(parts, fmt.Sprintf("%s %s %s:%s", x.Threads[x.Events[e].Thread].Name, does, names[e], x.Action(e)))
		}
	}
	tell(x.Wait, "waits for ever at")
	tell(x.Spin, "spins on")
	if len(parts) == 0 {
		return "a thread goes round a loop for ever"
	}
	return strings.Join(parts, ", ")
}

// Communication describes the write that each read reads from, and the order of writes to a
// location: "b:R[y]=0 reads the initial value, a:W[x]=1 comes before d:W[x]=2".
func Communication(x *event.Execution) string {
	names := x.Names()
	name := func(e event.ID) string { return names[e] + ":" + x.Action(e) }
	var parts []string
	for e, ev := range x.Events {
		switch {
		case ev.Kind != event.Read:
		case x.Events[x.Rf[e]].Thread == event.InitThread:
			parts = append(parts, name(e)+" reads the initial value")
		default:
			parts = append(parts, name(e)+" reads from "+name(x.Rf[e]))
		}
	}
	for a, b := range x.Co.Reduction().Pairs() {
		if x.Events[a].Thread != event.InitThread {
			parts = append(parts, name(a)+" comes before "+name(b))
		}
	}
	if len(parts) == 0 {
		return "nothing is read, and no write of a thread overwrites another"
	}
	return strings.Join(parts, ", ")
}

// Axiom returns the text of the axiom in the model, on one line.
func (r *Reason) Axiom() string { return strings.Join(strings.Fields(r.At.Text()), " ") }

// Steps prints the steps of a violation as the literature does: a:W[x]=1 –rfe→ b:R[x]=1 –fr→ a. A
// negated check has no steps.
func Steps(x *event.Execution, v *cat.Violation) string {
	if v.Check.Negated {
		return "it is " + v.Check.Test.String()
	}
	names := x.Names()
	var b strings.Builder
	shown := map[int]bool{}
	show := func(e int) {
		b.WriteString(names[e])
		if !shown[e] {
			b.WriteString(":" + x.Action(e))
		}
		shown[e] = true
	}
	for i, s := range v.Steps {
		if i == 0 {
			show(s.From)
		}
		if s.Inverse {
			b.WriteString(" ←" + s.Label + "– ")
		} else {
			b.WriteString(" –" + s.Label + "→ ")
		}
		show(s.To)
	}
	for i, e := range v.Events {
		if i > 0 {
			b.WriteString(", ")
		}
		show(e)
	}
	return b.String()
}

// Story tells a violation in a sentence, for readers new to relations: "a:W[x]=1 is before b:W[y]=1
// in program order, c:R[y]=1 reads what b wrote, …: so a would have to come before itself".
func Story(x *event.Execution, v *cat.Violation) string {
	t := teller{names: x.Names(), x: x, met: map[int]bool{}}
	if v.Check.Negated || len(v.Steps)+len(v.Events) == 0 {
		return fmt.Sprintf("%s asks for something that this execution does not have", v.Name)
	}
	var parts []string
	for _, s := range v.Steps {
		parts = append(parts, t.step(s))
	}
	for _, e := range v.Events {
		parts = append(parts, t.event(e))
	}
	told := strings.Join(parts, ", ")
	switch {
	case v.Cycle() && v.Check.Test != syntax.IsEmpty:
		return fmt.Sprintf("%s: so %s would have to come before itself", told, t.event(v.Steps[0].From))
	case len(v.Events) > 0:
		return told + ": there should be none"
	case len(v.Steps) == 1:
		return told + ": this must not be"
	}
	return told + ": these must not go together"
}

// teller names events in full the first time, then by letter.
type teller struct {
	x     *event.Execution
	names []string
	met   map[int]bool
}

func (t *teller) event(e int) string {
	if t.met[e] {
		return t.names[e]
	}
	t.met[e] = true
	return t.names[e] + ":" + t.x.Action(e)
}

func (t *teller) step(s cat.Step) string {
	from, to := t.event(s.From), t.event(s.To)
	if s.Inverse {
		from, to = to, from
	}
	if known := t.x.Vocab().Get(s.Label); known.Pair != "" {
		return fmt.Sprintf(known.Pair, from, to)
	}
	return fmt.Sprintf("%s relates %s to %s", s.Label, from, to)
}
