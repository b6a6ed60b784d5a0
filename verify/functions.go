package verify

import (
	"slices"

	"github.com/muster-gpu/muster/kernel"
)

// Apart returns the functions of a module that its kernels do not cover: those that no kernel
// calls, and those with a postcondition (__ensures). Verify treats such a function like a kernel,
// but each thread has arguments of its own, and there is an array for each pointer.
func Apart(m *kernel.Module) (all []*kernel.Function) {
	called := map[string]bool{}
	for _, f := range m.Funcs {
		if f.Entry {
			reach(m, f, called)
		}
	}
	for _, f := range m.Funcs {
		if !f.Entry && !f.Declared && (!called[f.Name] || slices.Contains(f.Mentions, "__ensures")) {
			all = append(all, f)
		}
	}
	return all
}

// reach records the functions that a function mentions, directly or through others.
func reach(m *kernel.Module, f *kernel.Function, called map[string]bool) {
	for _, name := range f.Mentions {
		if called[name] {
			continue
		}
		called[name] = true
		if g := m.Func(name); g != nil {
			reach(m, g, called)
		}
	}
}
