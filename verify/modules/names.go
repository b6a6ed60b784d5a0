package modules

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
)

// Names are the names of the kernels and parameters of modules.
type Names struct {
	kernels, params []string
	most            int // most parameters of a kernel
}

// Add adds the names of a module.
func (n *Names) Add(m *Verified) {
	n.kernels, n.params, n.most = append(n.kernels, m.Kernels...), append(n.params, m.Params...), max(n.most, m.most)
}

// Prepare lists the inputs that arguments denote, as Find does. It also returns an error, before
// anything is verified, if no module has a kernel or parameter that the input names: a misspelt
// parameter would otherwise silently stay unconstrained.
func (in *Input) Prepare(ctx context.Context, args []string) ([]string, error) {
	files, err := in.Find(args)
	if err != nil || len(in.Kernels)+len(in.Config.Values)+len(in.Config.Least) == 0 {
		return files, err
	}
	in.opened = map[string]*opened{}
	var names Names
	for _, name := range files {
		o := in.open(ctx, name)
		if in.From || name == "-" || len(files) == 1 { // read slow inputs only once
			in.opened[name] = o
		}
		if o.err != nil { // the names may be in the unreadable input, whose error Verify reports
			return files, nil
		}
		m := Verified{}
		for _, k := range in.functions(o.module) {
			in.called(&m, o, k)
		}
		names.Add(&m)
	}
	return files, names.Check(in)
}

// called records the names of a kernel and its parameters, and reports whether the kernel is
// wanted.
func (in *Input) called(m *Verified, o *opened, k *kernel.Function) bool {
	m.Kernels = append(m.Kernels, k.Name, k.Source())
	if len(in.Kernels) > 0 && !slices.ContainsFunc(in.Kernels, k.Called) {
		return false
	}
	for _, p := range k.Params {
		m.Params = append(m.Params, p.Name)
	}
	m.Params, m.most = append(m.Params, prototype(o.source, k)...), max(m.most, len(k.Params))
	return true
}

// Check reports kernels and parameters that the input names and no module has.
func (n *Names) Check(in *Input) error {
	if err := missing("kernel", in.Kernels, n.kernels); err != nil {
		return err
	}
	switch {
	case len(n.kernels) > 0:
	case in.From:
		return errors.New("the sources have no kernel (__global__ in CUDA, kernel in OpenCL)")
	default:
		return errors.New("the modules have no kernel (.entry)")
	}
	var params []string
	for _, name := range in.given() {
		whole, _, _ := strings.Cut(name, "+") // part of a parameter: "p+8"
		if i, ok := position(whole); !ok || i >= n.most {
			params = append(params, whole)
		}
	}
	return missing("parameter", params, n.params)
}

// given returns the parameters with a given value or bound, sorted by name.
func (in *Input) given() []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(in.Config.Values)), maps.Keys(in.Config.Least))
	slices.Sort(all)
	return slices.Compact(all)
}

// position returns the N of param_N.
func position(name string) (int, bool) {
	digits, ok := strings.CutPrefix(name, "param_")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && strconv.Itoa(n) == digits && n >= 0
}

// missing returns an error if some of the names are not among all.
func missing(kind string, names, all []string) error {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(all, name) })
	if len(names) == 0 {
		return nil
	}
	var hints []string
	for _, name := range names {
		if hint := src.DidYouMean(name, all); hint != "" {
			hints = append(hints, hint)
		}
	}
	if len(hints) < len(names) {
		slices.Sort(all)
		all = slices.DeleteFunc(slices.Compact(all), func(name string) bool { return name == "" })
		hints = []string{"the modules have " + strings.Join(all, ", ")}
	}
	if len(all) == 0 {
		hints = []string{"the modules have none"}
	}
	return fmt.Errorf("no %s %s: %s", kind, strings.Join(names, ", "), strings.Join(hints, " "))
}
