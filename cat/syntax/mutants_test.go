package syntax

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/src"
)

func TestMutants(t *testing.T) {
	const text = `let a = (b | c); d+
if "v" acyclic a \ [e & f] as x end
with co from f(g^-1, r)
`
	f, err := Parse(src.NewFile("test.cat", text))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for m := range Mutants(f) {
		if _, err := Parse(src.NewFile("mutant.cat", m.Text)); err != nil {
			t.Errorf("%s %s: %v", m.At.Text(), m.What, err)
		}
		got = append(got, m.What+": "+strings.ReplaceAll(strings.TrimSpace(m.Text), "\n", " / "))
	}
	want := []string{
		"without the operand d+ of ;: let a = (b | c) / REST",
		"without the operand b | c of ;: let a = (d+) / REST",
		"without the operand c of |: let a = ((b)); d+ / REST",
		"without the operand b of |: let a = ((c)); d+ / REST",
		"without the +: let a = (b | c); (d) / REST",
		`without this check: LET / if "v"  end / WITH`,
		`without the operand [e & f] of \: LET / if "v" acyclic (a) as x end / WITH`,
		`without the operand f of &: LET / if "v" acyclic a \ [(e)] as x end / WITH`,
		`without the operand e of &: LET / if "v" acyclic a \ [(f)] as x end / WITH`,
		"without the ^-1: LET / IF / with co from f((g), r)",
	}
	// The lines that a mutant leaves as they are.
	same := strings.NewReplacer(
		"REST", "IF / WITH", "LET", "let a = (b | c); d+",
		"IF", `if "v" acyclic a \ [e & f] as x end`, "WITH", "with co from f(g^-1, r)",
	)
	for i := range want {
		want[i] = same.Replace(same.Replace(want[i]))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for range Mutants(f) {
		break // the sequence can be left at any time
	}
}
