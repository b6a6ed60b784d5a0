package kernel_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
)

// TestLarge: the bodies of a large module are read on demand, with all functions that they may
// call.
func TestLarge(t *testing.T) {
	const functions = ".version 7.0\n.target sm_70\n.address_size 64\n.extern .func missing();\n" +
		".func leaf() { .reg .b32 %r<2>; mov.u32 %r1, 1; ret; }\n" +
		".func taken() { call missing; ret; }\n.func unrelated() { ret; }\n.func middle() { call leaf; ret; }\n" +
		".entry named() { call middle; ret; }\n.entry pointer() { .reg .b64 %rd<2>; mov.u64 %rd1, taken; p: " +
		".callprototype _ (); call %rd1, (), p; ret; }\n"
	parse := func(text string) *kernel.Module {
		m, err := kernel.Skim(src.NewFile("m.ptx", text))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	small := parse(functions)
	m := parse(functions + strings.Repeat("//"+strings.Repeat(" ", 1<<20)+"\n", 5))
	for name, want := range map[string][]string{"named": {"leaf", "middle", "named"}, "pointer": {"taken", "pointer"}} {
		part, f := m.With(m.Func(name))
		var has []string
		for _, g := range part.Funcs {
			if len(g.Instrs) > 0 {
				has = append(has, g.Name)
			}
			if whole := small.Func(g.Name); len(g.Instrs) > 0 &&
				fmt.Sprint(len(g.Instrs), len(g.Registers), g.Mentions) !=
					fmt.Sprint(len(whole.Instrs), len(whole.Registers), whole.Mentions) {
				t.Errorf("%s in %s is not what it is in a small module", g.Name, name)
			}
		}
		if !slices.Equal(has, want) || f != part.Func(name) {
			t.Errorf("%s: bodies of %q, want %q", name, has, want)
		}
	}
	if slices.ContainsFunc(m.Funcs, func(f *kernel.Function) bool { return len(f.Instrs) > 0 }) {
		t.Error("a large module has bodies by itself")
	}
	if same, f := small.With(small.Func("named")); same != small || f != small.Func("named") {
		t.Error("a small module is not its own part")
	}
}

// TestLargeErrors: errors in a large module are reported as in any other.
func TestLargeErrors(t *testing.T) {
	_, err := kernel.Skim(src.NewFile("m.ptx",
		"//"+strings.Repeat(" ", 5<<20)+"\n.version 7.0\n.target sm_70\n.entry k() { mov.u32 %r1, 1; ret; }\n"))
	if err == nil || !strings.Contains(err.Error(), "%r1") {
		t.Errorf("%v, want an error about %%r1", err)
	}
}
