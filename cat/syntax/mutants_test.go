package syntax

import (
	"iter"
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
	// The lines that a mutant leaves unchanged.
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

// listed describes mutants, one a line, by the change, its description and the new lines of text.
// It checks that each mutant can be parsed.
func listed(t *testing.T, text string, mutants func(*File) iter.Seq[Mutant]) []string {
	t.Helper()
	f, err := Parse(src.NewFile("test.cat", text))
	if err != nil {
		t.Fatal(err)
	}
	old := map[string]bool{}
	for line := range strings.Lines(text) {
		old[strings.TrimSpace(line)] = true
	}
	var got []string
	for m := range mutants(f) {
		if _, err := Parse(src.NewFile("mutant.cat", m.Text)); err != nil {
			t.Errorf("%s %s: %v", m.At.Text(), m.What, err)
		}
		var lines []string
		for line := range strings.Lines(m.Text) {
			if line = strings.TrimSpace(line); !old[line] {
				lines = append(lines, line)
			}
		}
		got = append(got, m.Part.Text()+": "+m.What+": "+strings.Join(lines, " / "))
	}
	return got
}

func compare(t *testing.T, want, got []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestMutantsParts checks the mutants of nested statements, and that statements without an effect
// on verdicts have none.
func TestMutantsParts(t *testing.T) {
	const text = `let rec hb = (po | hb)+
  when irreflexive hb as coherence
match t with
|| 'a -> empty x & y
|| _ -> call total(z \ id, W) as t
end
if "v" procedure p(r) = acyclic r^-1 end end
forall r in S do irreflexive r end
show a & b as c
`
	compare(t, []string{
		"irreflexive hb as coherence: without this check: ",
		"+: without the +: let rec hb = (po | hb)",
		"hb: without the operand hb of |: let rec hb = ((po))+",
		"po: without the operand po of |: let rec hb = ((hb))+",
		"empty x & y: without this check: || 'a ->",
		"y: without the operand y of &: || 'a -> empty (x)",
		"x: without the operand x of &: || 'a -> empty (y)",
		`call total(z \ id, W) as t: without this call: || _ ->`,
		`id: without the operand id of \: || _ -> call total((z), W) as t`,
		`acyclic r^-1: without this check: if "v" procedure p(r) =  end end`,
		`^-1: without the ^-1: if "v" procedure p(r) = acyclic (r) end end`,
		"irreflexive r: without this check: forall r in S do  end",
	}, listed(t, text, Mutants))
}

func TestEmptied(t *testing.T) {
	const text = `let a = (b | c)
let f(x, y) = fun z -> x
  | z
let (p, q) = (a, b) and _ = a
let rec r = a; r and s = r
if "v" with co from orders(a) end
acyclic let inner = a in inner
`
	got := listed(t, text, Emptied)
	compare(t, []string{
		"a: with a empty: let a = (((b | c) & {}))",
		"f: with f empty: let f(x, y) = fun z -> ((x / | z) & {})",
		"r: with r empty: let rec r = ((a; r) & {}) and s = r",
		"s: with s empty: let rec r = a; r and s = ((r) & {})",
		`co: with co empty: if "v" let co = {} end`,
		"inner: with inner empty: acyclic let inner = ((a) & {}) in inner",
	}, got)
}

func TestRenamed(t *testing.T) {
	const text = `let a = near & mid
if "v" acyclic a | [far] as near end
show near as far
`
	families := [][]string{{"near", "mid", "far"}, {"a", "b"}}
	compare(t, []string{
		"near: with mid in place of near: let a = mid & mid",
		"mid: with near in place of mid: let a = near & near",
		"mid: with far in place of mid: let a = near & far",
		`a: with b in place of a: if "v" acyclic b | [far] as near end`,
		`far: with mid in place of far: if "v" acyclic a | [mid] as near end`,
	}, listed(t, text, func(f *File) iter.Seq[Mutant] { return Renamed(f, families) }))
}

// TestStopsEarly leaves each sequence after each of its mutants.
func TestStopsEarly(t *testing.T) {
	f, err := Parse(src.NewFile("test.cat", `let rec a = let b = (x | y)+ in b; near
  when acyclic a
if "v" with c from x & y else call p(near | x^-1) end
`))
	if err != nil {
		t.Fatal(err)
	}
	renamed := Renamed(f, [][]string{{"near", "far"}})
	for _, mutants := range []iter.Seq[Mutant]{Mutants(f), Emptied(f), renamed} {
		all := 0
		for range mutants {
			all++
		}
		if all < 2 {
			t.Fatalf("only %d mutants", all)
		}
		for stop := range all {
			seen := 0
			for range mutants {
				if seen++; seen > stop {
					break
				}
			}
			if seen != stop+1 {
				t.Errorf("%d mutants before mutant %d", seen, stop)
			}
		}
	}
}
