package frontend

import (
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// NoLocation returns the error for a name without a thread that is not a location. The author may
// have meant a register: has reports whether a thread has a register of that name.
func (m *Memory) NoLocation(r litmus.Ref, threads []*litmus.Thread, has func(thread int, register string) bool) *src.Diagnostic {
	d := src.Errorf(r.At, "the test has no location %s", r.Name)
	for i, t := range threads {
		name, dotted := strings.CutPrefix(r.Name, t.Name.Text+".")
		if has(i, name) {
			return d.WithHint("%s", registerHint(t, name, dotted))
		}
	}
	if d.Hint = src.DidYouMean(r.Name, m.LocNames()); d.Hint == "" {
		d.WithHint("its locations are %s", strings.Join(m.LocNames(), " "))
	}
	return d
}

func registerHint(t *litmus.Thread, name string, dotted bool) string {
	written := fmt.Sprintf("%d:%s", t.ID, name)
	if dotted {
		return "write " + written
	}
	return fmt.Sprintf("that of %s is written %s", t.Name.Text, written)
}
