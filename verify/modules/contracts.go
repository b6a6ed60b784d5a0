package modules

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/language/inputs"
	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/kernel/spec"
	"github.com/muster-gpu/muster/src"
)

// contracts returns the contracts of a module: of the named file or else the file beside it, and of
// its comments.
func (in *Input) contracts(m *kernel.Module) ([]*spec.Text, error) {
	var all []*spec.Text
	file := in.Spec
	if file == "" {
		file = strings.TrimSuffix(m.Name, ".ptx") + ".verify"
	}
	switch text, err := src.ReadFile(file, maxModule); {
	case err == nil:
		beside, err := spec.Read(src.NewFile(file, text))
		if err != nil {
			if what := inputs.Instead(file, text, inputs.Contract); what != "" {
				return nil, fmt.Errorf("%s: not a contract of kernels: %s", file, what)
			}
			return nil, err
		}
		all = append(all, beside)
	case in.Spec != "" || !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	comments, err := spec.Comments(m)
	if err != nil {
		return nil, err
	}
	if comments != nil {
		all = append(all, comments)
	}
	return all, named(m, all)
}

// named checks that the kernels of contracts are in the module.
func named(m *kernel.Module, all []*spec.Text) error {
	var kernels []string
	for _, f := range m.Funcs {
		if !f.Declared {
			kernels = append(kernels, f.Name, f.Source())
		}
	}
	var wrong src.Diagnostics
	for _, t := range all {
		names, at := t.Kernels()
		for i, name := range names {
			if !slices.Contains(kernels, name) {
				d := wrong.Errorf(at[i], "%s has no kernel %s", m.Name, name)
				if hint := src.DidYouMean(name, kernels); hint != "" {
					d.WithHint("%s", hint)
				} else {
					slices.Sort(kernels)
					d.WithHint("it has %s", strings.Join(slices.Compact(kernels), ", "))
				}
			}
		}
	}
	return wrong.Err()
}
