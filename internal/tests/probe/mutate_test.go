package probe

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// inFolder makes a folder with the given files the working folder.
func inFolder(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func mutate(t *testing.T, name string, reading models.Config) *Mutation {
	t.Helper()
	m, err := Mutate(t.Context(), name, reading)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// described lists the mutants of a model, one line each: part, name, place, the change, and whether
// it has an effect.
func described(m *Mutation) []string {
	var all []string
	for _, x := range m.Mutants {
		line := fmt.Sprintf("%s %s %s:%d: %s: %s", x.Part, x.Name, x.At.File.Name, x.At.Pos().Line, x.At.Text(), x.What)
		if x.Same {
			line += " (same)"
		}
		all = append(all, line)
	}
	return all
}

// TestMutate lists the mutants of a model of two files: in the order of the text, the including
// file first. The name fr is a base name at first, and then the model's own; function and rfx are
// not base names; a pair has nothing that could be emptied.
func TestMutate(t *testing.T) {
	inFolder(t, map[string]string{
		"model.cat": `let (x, y) = (po, rf) let pair = (x, y)
include "part.cat"
acyclic z | fr as c let fr = domain(x) call total(z, fr)
if "off" empty SYS end show addr`,
		"part.cat": "let z = po+ & gl",
	})
	m := mutate(t, "model.cat", models.Config{})
	const base = " empty wherever the model uses it"
	want := []string{
		"check c model.cat:3: acyclic z | fr as c: without this check",
		"operand  model.cat:3: fr: without the operand fr of |",
		"operand  model.cat:3: z: without the operand z of |",
		"definition fr model.cat:3: fr: with fr empty",
		"check call total model.cat:3: call total(z, fr): without this call",
		"check empty SYS model.cat:4: empty SYS: without this check (same)",
		"scope  model.cat:4: SYS: with GPU in place of SYS (same)",
		"definition z part.cat:1: z: with z empty",
		"operand  part.cat:1: gl: without the operand gl of &",
		"operand  part.cat:1: po+: without the operand po+ of &",
		"operand  part.cat:1: +: without the +",
		"scope  part.cat:1: gl: with kernel in place of gl",
		"scope  part.cat:1: gl: with sys in place of gl",
		"base name po model.cat:1: po: with po" + base,
		"base name rf model.cat:1: rf: with rf" + base + " (same)",
		"base name fr model.cat:3: fr: with fr" + base,
		"base name SYS model.cat:4: SYS: with SYS" + base + " (same)",
		"base name addr model.cat:4: addr: with addr" + base + " (same)",
		"base name gl part.cat:1: gl: with gl" + base,
	}
	if diff := cmp.Diff(want, described(m)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if m.IllTyped != 1 {
		t.Errorf("%d changes are not well typed; the definition of pair is", m.IllTyped)
	}
	on := mutate(t, "model.cat", models.Config{Variants: []string{"off"}})
	for i, x := range on.Mutants {
		if was := m.Mutants[i]; x.Same != was.Same && !strings.Contains(x.What+x.Name, "SYS") {
			t.Errorf("the variant makes a change of %s %s", x.Name, x.What)
		} else if x.Same == was.Same && strings.Contains(x.What+x.Name, "SYS") {
			t.Errorf("%s %s is the same, though the variant is on", x.Name, x.What)
		}
	}
}

// TestMutateGiven mutates models for which muster includes a file in front, because they take
// orders as given. That file is not mutated, and its names count as base names.
func TestMutateGiven(t *testing.T) {
	inFolder(t, map[string]string{"model.cat": "acyclic sync_fence | co"})
	m := mutate(t, "model.cat", models.Config{PartialCo: true})
	const base = " empty wherever the model uses it"
	want := []string{
		"check acyclic sync_fence | co model.cat:1: acyclic sync_fence | co: without this check",
		"operand  model.cat:1: co: without the operand co of |",
		"operand  model.cat:1: sync_fence: without the operand sync_fence of |",
		"base name sync_fence model.cat:1: sync_fence: with sync_fence" + base,
		"base name co model.cat:1: co: with co" + base,
	}
	if diff := cmp.Diff(want, described(m)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestMutateEdited mutates a model whose text the caller edits.
func TestMutateEdited(t *testing.T) {
	edit := func(name, text string) string {
		if name == "models/sc.cat" {
			return "acyclic co as only"
		}
		return text
	}
	want := []string{
		"check only models/sc.cat:1: acyclic co as only: without this check",
		"base name co models/sc.cat:1: co: with co empty wherever the model uses it",
	}
	if diff := cmp.Diff(want, described(mutate(t, "sc", models.Config{Edit: edit}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMutateErrors(t *testing.T) {
	inFolder(t, map[string]string{"syntax.cat": "acyclic", "type.cat": "acyclic po | W"})
	for _, name := range []string{"syntax.cat", "type.cat", "nosuch.cat", "nosuch"} {
		if m, err := Mutate(t.Context(), name, models.Config{}); err == nil {
			t.Errorf("%s has %d mutants", name, len(m.Mutants))
		}
	}
}

// TestContains: a change inside a larger one is contained in it.
func TestContains(t *testing.T) {
	inFolder(t, map[string]string{"model.cat": "let x = po | (rf | co)+ acyclic x & gl"})
	m := mutate(t, "model.cat", models.Config{})
	inside := map[string][]string{}
	for _, outer := range m.Mutants {
		for _, inner := range m.Mutants {
			if outer.Contains(inner) {
				key := outer.At.Text()
				inside[key] = append(inside[key], inner.What)
			}
		}
	}
	empty := func(name string) string { return "with " + name + " empty wherever the model uses it" }
	want := map[string][]string{
		"x": {
			"without the operand (rf | co)+ of |", "without the operand po of |", "without the +",
			"without the operand co of |", "without the operand rf of |", empty("po"), empty("rf"), empty("co"),
		},
		"(rf | co)+": {
			"without the +", "without the operand co of |", "without the operand rf of |", empty("rf"), empty("co"),
		},
		"po": {empty("po")},
		"rf": {empty("rf")},
		"co": {empty("co")},
		"gl": {"with kernel in place of gl", "with sys in place of gl", empty("gl")},
		"acyclic x & gl": {
			"without the operand gl of &", "without the operand x of &", "with kernel in place of gl",
			"with sys in place of gl", empty("gl"),
		},
	}
	if diff := cmp.Diff(want, inside); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSame: tests cannot kill mutants whose compiled model equals the original.
func TestSame(t *testing.T) {
	m := mutate(t, "ptx-7.5", models.Config{})
	same := 0
	for _, x := range m.Mutants {
		if !x.Same {
			continue
		}
		same++
		for _, test := range corpus(t, "cuda")[:10] {
			if !equal(t, test, m.Model.Model, x.Model) {
				t.Errorf("%s tells the difference: %s", test.Name.Text, src.Errorf(x.At, "%s", x.What))
			}
		}
	}
	if same < 20 {
		t.Errorf("only %d mutants are in the variant that is off", same)
	}
}

// TestScopes: the chains of scopes are the scopes that models know.
func TestScopes(t *testing.T) {
	want := [][]string{
		{"CTA", "CLUSTER", "GPU", "SYS"},
		{"cta", "kernel", "gl", "sys"},
		{"membar.cta", "membar.gl", "membar.sys"},
		{"scta", "scluster", "sgpu"},
	}
	if diff := cmp.Diff(want, sim.Vocabulary().Scopes()); diff != "" {
		t.Error(diff)
	}
}
