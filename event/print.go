package event

import (
	"fmt"
)

// Names gives each event the name it is printed by: letters for accesses in the
// order of threads and of the program, "init" for initial writes, f1, f2, … for
// fences, b1, b2, … for barriers.
func (s *Structure) Names() []string {
	names := make([]string, s.N())
	access, fence, barrier := 0, 0, 0
	for i := range s.Events {
		switch e := &s.Events[i]; {
		case e.IsInit():
			names[i] = "init"
		case e.Kind == Fence:
			fence++
			names[i] = fmt.Sprintf("f%d", fence)
		case e.Kind == Barrier:
			barrier++
			names[i] = fmt.Sprintf("b%d", barrier)
		default:
			names[i] = letters(access)
			access++
		}
	}
	return names
}

// letters counts a, b, …, z, aa, ab, ….
func letters(n int) string {
	s := string(rune('a' + n%26))
	if n >= 26 {
		return letters(n/26-1) + s
	}
	return s
}

// FormatValue prints a value with the names of locations.
func (s *Structure) FormatValue(v Value) string {
	switch {
	case v.IsOpaque() && s.State != nil:
		return s.State(v.Int)
	case !v.IsAddress():
		return fmt.Sprint(v.Int)
	case v.Int == 0:
		return s.Locs[v.Base].Name
	default:
		return fmt.Sprintf("%s%+d", s.Locs[v.Base].Name, v.Int)
	}
}

// Action returns an event in the notation of the literature: W[x]=1, or the mnemonic of a fence or
// barrier.
func (x *Execution) Action(e ID) string {
	ev := &x.Events[e]
	if !ev.IsMem() {
		return ev.Mnemonic
	}
	return fmt.Sprintf("%s[%s]=%s", ev.Kind, x.name(e), x.FormatValue(x.Val[e]))
}

// Label returns Action with the annotations of the access: W.cg [x]=1.
func (x *Execution) Label(e ID) string {
	ev := &x.Events[e]
	if !ev.IsMem() {
		return ev.Mnemonic
	}
	return fmt.Sprintf("%s%s [%s]=%s", ev.Kind, x.vocabulary().label(ev), x.name(e), x.FormatValue(x.Val[e]))
}

// Plain returns the default description of an access in labels: its atomicity, order and scope,
// with a dot before each.
func Plain(e *Event) string {
	label := ""
	if e.Volatile {
		label += ".volatile"
	}
	if e.Atomic {
		label += ".atom"
	}
	for _, word := range []string{e.Order.String(), e.Scope.String()} {
		if word != "" {
			label += "." + word
		}
	}
	return label
}
