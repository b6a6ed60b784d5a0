package modules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// Names are the kernels and parameters that modules have.
type Names struct{ kernels, params []string }

// Add adds those of a module.
func (n *Names) Add(m *Verified) {
	n.kernels, n.params = append(n.kernels, m.Kernels...), append(n.params, m.Params...)
}

// Check says which kernels and parameters an input names that no module has. A slip in a name would
// otherwise leave a value open that was meant to be fixed.
func (n *Names) Check(in *Input) error {
	for _, name := range in.Kernels {
		if err := missing("kernel", name, n.kernels); err != nil {
			return err
		}
	}
	if len(n.kernels) == 0 {
		return fmt.Errorf("the modules have no kernel (.entry)")
	}
	given := slices.AppendSeq(slices.Collect(maps.Keys(in.Config.Values)), maps.Keys(in.Config.Least))
	slices.Sort(given)
	for _, name := range given {
		whole, _, _ := strings.Cut(name, "+") // a part of a parameter: "p+8"
		if err := missing("parameter", whole, n.params); err != nil {
			return err
		}
	}
	return nil
}

// missing is the error that nothing of a kind has a name; nil if something has.
func missing(kind, name string, all []string) error {
	if slices.Contains(all, name) {
		return nil
	}
	hint := src.DidYouMean(name, all)
	if hint == "" {
		slices.Sort(all)
		hint = "the modules have " + strings.Join(slices.Compact(all), ", ")
	}
	if len(all) == 0 {
		hint = "the modules have none"
	}
	return fmt.Errorf("no %s %s: %s", kind, name, hint)
}
