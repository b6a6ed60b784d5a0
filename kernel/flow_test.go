package kernel_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
)

// shape writes a weak topological order in Bourdoncle's notation: blocks by their first label,
// loops in parentheses.
func shape(f *kernel.Function, flow *kernel.Flow, order []kernel.Loop) string {
	var parts []string
	for _, l := range order {
		name := fmt.Sprint(flow.Blocks[l.Head].First)
		if labels := f.Instrs[flow.Blocks[l.Head].First].Labels; len(labels) > 0 {
			name = labels[0]
		}
		if l.Back {
			name = strings.TrimSpace("("+name+" "+shape(f, flow, l.Body)) + ")"
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, " ")
}

func TestFlow(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"straight", "mov.u32 %r1, 1; ret;", "0"},
		{"falls off the end", "mov.u32 %r1, 1;", "0"},
		{"if", "@%p bra J; mov.u32 %r1, 1; J: ret;", "0 1 J"},
		{"if and else", "@%p bra E; mov.u32 %r1, 1; bra J; E: mov.u32 %r1, 2; J: ret;", "0 1 E J"},
		{"return in the middle", "@%p ret; mov.u32 %r1, 1; ret;", "0 1"},
		{"loop", "H: add.u32 %r1, %r1, 1; @%p bra H; ret;", "(H) 2"},
		{"nested loops", "H: mov.u32 %r1, 0; I: add.u32 %r1, %r1, 1; @%p bra I; @%p bra H; ret;", "(H (I) 3) 4"},
		{"break", "H: @%p bra X; add.u32 %r1, %r1, 1; @%p bra X; bra H; X: ret;", "(H 1 3) X"},
		{"to the end", "@%p bra E; mov.u32 %r1, 1; E:", "0 1 E"},
		{"a label at the end where nobody goes", "mov.u32 %r1, 1; E:", "0"},
		{"table", "T: .branchtargets A, B, A; brx.idx %r1, T; B: mov.u32 %r1, 1; A: mov.u32 %r1, 2; ret;", "0 B A"},
		{"table of a loop", "T: .branchtargets H, X; H: @%p brx.idx %r1, T; mov.u32 %r1, 1; bra H; X: ret;", "(H 1) X"},
		{"two entries", "@%p bra B; A: add.u32 %r1, %r1, 1; B: add.u32 %r1, %r1, 2; @%p bra A; ret;", "0 (B A) 4"},
	} {
		text := ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .pred %p; .reg .b32 %r<3>; " +
			test.body + " }"
		m, err := kernel.Parse(src.NewFile("k.ptx", text))
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		flow := f.Flow()
		if got := shape(f, flow, flow.Order); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestFlowCoversAll checks the blocks of real modules: each instruction is in one block, and only
// the last of a block leaves it.
func TestFlowCoversAll(t *testing.T) {
	for _, body := range []string{"bra X; mov.u32 %r1, 1; X: ret;", "ret; ret; ret;", "@%p exit; @!%p trap; ret;"} {
		m, err := kernel.Parse(src.NewFile("k.ptx",
			".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .pred %p; .reg .b32 %r<3>; "+body+" }"))
		if err != nil {
			t.Fatal(err)
		}
		next := 0
		for _, b := range m.Funcs[0].Flow().Blocks {
			if b.First != next || b.End <= b.First {
				t.Errorf("%s: block [%d, %d) after instruction %d", body, b.First, b.End, next)
			}
			next = b.End
		}
		if next != len(m.Funcs[0].Instrs) {
			t.Errorf("%s: %d of %d instructions are in blocks", body, next, len(m.Funcs[0].Instrs))
		}
	}
}
