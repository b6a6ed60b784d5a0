package litmus

import (
	"fmt"
	"slices"
)

// NewOutcome returns the final state that gives names, as Ref.String writes them, values, as
// Value.String does.
func NewOutcome(values map[string]string) (Outcome, error) {
	o := Outcome{Values: make([]Binding, 0, len(values))}
	for name, text := range values {
		ref, ok := parseRef(name)
		if !ok {
			return o, fmt.Errorf("expected a register or location such as 0:r1, [x] or a[0], found %q", name)
		}
		value, ok := ParseValue(text)
		if !ok {
			return o, fmt.Errorf("expected what %s holds, an integer or an address, found %q", name, text)
		}
		o.Values = append(o.Values, Binding{ref.String(), value})
	}
	slices.SortFunc(o.Values, compareBindings)
	for i := range o.Values[min(1, len(o.Values)):] {
		if o.Values[i].Name == o.Values[i+1].Name {
			return o, fmt.Errorf("%s has two values", o.Values[i].Name)
		}
	}
	return o, nil
}
