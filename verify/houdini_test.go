package verify_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/verify"
)

// Guesses about nested loops, or about successive loops, are proved from each other.

// guessing writes a kernel of one thread whose loops have candidate invariants.
type guessing struct{ strings.Builder }

// kernelOf returns a kernel with a body and the parameters n and m, in %n and %m.
func (g *guessing) kernelOf() string {
	return head + ".extern .func __candidate_invariant(.param .b32 p);\n.extern .func __assert(.param .b32 p);\n" +
		".entry k(.param .u32 n, .param .u32 m) { .reg .pred %p<9>; .reg .b32 %r<30>; .param .b32 p;\n" +
		"ld.param.u32 %r20, [n]; ld.param.u32 %r21, [m];\n" + g.String() + "ret; }\n"
}

// says calls an annotation that says of a register that its low bits are a number.
func (g *guessing) says(annotation, register string, mask, bits int) {
	fmt.Fprintf(g, "and.b32 %%r22, %s, %d; setp.eq.u32 %%p1, %%r22, %d; selp.u32 %%r22, 1, 0, %%p1; st.param.b32 [p], %%r22; call.uni %s, (p);\n", register, mask, bits, annotation)
}

// loop writes a loop of n rounds with a counter of its own, whose body is written by do.
func (g *guessing) loop(number int, do func(head bool)) {
	counter := fmt.Sprintf("%%r%d", 10+number)
	fmt.Fprintf(g, "mov.u32 %s, 0;\nL%d:\n", counter, number)
	do(true)
	fmt.Fprintf(g, "setp.ge.u32 %%p2, %s, %%r20; @%%p2 bra E%d;\n", counter, number)
	do(false)
	fmt.Fprintf(g, "add.u32 %s, %s, 1; bra L%d;\nE%d:\n", counter, counter, number, number)
}

// TestGuessesFromOthers: a candidate that is dropped supports no other candidate, whether it fails
// where its loop begins or after an iteration, and whichever candidates follow.
func TestGuessesFromOthers(t *testing.T) {
	const candidate = "__candidate_invariant"
	for _, test := range []struct {
		name        string
		first, step string // of the register that the outer loop changes
		later       bool   // a loop follows with a candidate that holds
		holds       bool
	}{
		{"it holds", "8", "2", false, true},
		{"it holds, and another follows", "8", "2", true, true},
		{"it fails where the loop begins", "%r21", "2", false, false},
		{"it fails where the loop begins, and another follows", "%r21", "2", true, false},
		{"it fails after a round", "8", "%r21", false, false},
		{"it fails after a round, and another follows", "8", "%r21", true, false},
	} {
		g := &guessing{}
		fmt.Fprintf(g, "mov.u32 %%r1, %s;\n", test.first)
		g.loop(1, func(head bool) {
			if head {
				g.says(candidate, "%r1", 1, 0)
				return
			}
			g.WriteString("mov.u32 %r2, %r1;\n")
			g.loop(2, func(head bool) {
				if head {
					g.says(candidate, "%r2", 1, 0)
					return
				}
				g.says("__assert", "%r2", 1, 0)
				g.WriteString("add.u32 %r3, %r20, %r20; add.u32 %r2, %r2, %r3;\n")
			})
			fmt.Fprintf(g, "add.u32 %%r1, %%r1, %s;\n", test.step)
		})
		if test.later {
			g.WriteString("mov.u32 %r4, 4;\n")
			g.loop(3, func(head bool) {
				if head {
					g.says(candidate, "%r4", 3, 0)
					return
				}
				g.WriteString("shl.b32 %r4, %r4, 1;\n")
			})
		}
		want := verify.Verified
		if !test.holds {
			want = verify.Alarmed
		}
		m := parsed(t, g.kernelOf())
		expect(t, test.name, m, verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{1, 1, 1}}}, want)
	}
}

// nest writes nested and successive loops, with candidates and assertions about registers that
// change by steps.
func (g *guessing) nest(r *rand.Rand, loops *int, depth int) {
	register := func() string { return fmt.Sprintf("%%r%d", 1+r.IntN(4)) }
	number := *loops
	*loops++
	fmt.Fprintf(g, "mov.u32 %s, %s;\n", register(), []string{register(), register(), "%r21", "8", "3"}[r.IntN(5)])
	g.loop(number, func(head bool) {
		mask := 1 + 2*r.IntN(2)
		if head {
			for range 1 + r.IntN(3) {
				g.says("__candidate_invariant", register(), mask, []int{0, 0, 1, 2}[r.IntN(4)]&mask)
			}
			return
		}
		if depth > 0 && *loops < 3 {
			g.nest(r, loops, depth-1)
		}
		if r.IntN(3) > 0 {
			g.says("__assert", register(), mask, 0)
		}
		to := register()
		fmt.Fprintf(g, "%s %s, %s, %s;\n", []string{"add.u32", "xor.b32"}[r.IntN(2)], to, []string{to, to, register()}[r.IntN(3)], []string{"2", "4", "6", register(), "%r21"}[r.IntN(5)])
	})
	if depth > 0 && r.IntN(2) == 0 && *loops < 3 {
		g.nest(r, loops, depth-1)
	}
}

// withoutCandidates leaves out the lines that propose something: no launch looks at them.
func withoutCandidates(text string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.Contains(line, "__candidate") })
	return strings.Join(lines, "\n")
}

// TestRandomGuesses: what is verified by candidates, no launch shows to fail.
func TestRandomGuesses(t *testing.T) {
	n := uint64(sample.Rounds(20_000, 600, 12))
	verdicts := map[string]int{}
	for seed := range n {
		r, g, loops := rand.New(rand.NewPCG(seed, 46)), &guessing{}, 0
		g.WriteString("mov.u32 %r1, 0; mov.u32 %r2, 4; mov.u32 %r3, %r21; mov.u32 %r4, 2;\n")
		g.nest(r, &loops, 1)
		text := g.kernelOf()
		m := parsed(t, text)
		program, fails := launch.New(parsed(t, withoutCandidates(text))), false
		for i := range uint64(12) {
			report, err := program.Run(t.Context(), launch.Launch{Kernel: "k", Grid: launch.Dim{X: 1}, Block: launch.Dim{X: 1}, Args: []launch.Arg{{Value: 1 + i%3}, {Value: i / 3}}})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			fails = fails || report.Verdict().Assertion
		}
		said := ask(t, m, verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{1, 1, 1}}, Budget: 300})
		verdicts[fmt.Sprintf("%v, fails %t", said, fails)]++
		if said == verify.Verified && fails {
			t.Errorf("seed %d: verified, but an assertion fails\n%s", seed, text)
		}
	}
	t.Log(verdicts)
	if verdicts["verified, fails false"] < int(n)/20 || verdicts["alarm, fails true"] < int(n)/5 {
		t.Errorf("%v: too few of a kind", verdicts)
	}
}
