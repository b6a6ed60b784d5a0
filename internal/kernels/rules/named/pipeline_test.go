package named_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/kerneltest"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/verify"
)

// piping draws kernels whose warps reach barriers of some of them in loops that go round as often
// as an argument says.
type piping struct {
	*rand.Rand
	groups  [3][]int // of warps that meet
	numbers [3]int
	rounds  bool // what is drawn is in a loop
}

// cell accesses a cell of shared memory, which may be another in each round.
func (r *piping) cell() string {
	at := fmt.Sprintf("mov.u32 %%r8, %d;", r.IntN(2))
	if r.rounds && r.IntN(3) > 0 {
		at = fmt.Sprintf("add.u32 %%r8, %%r7, %d; and.b32 %%r8, %%r8, %d;", r.IntN(2), 1+2*r.IntN(2))
	}
	at += " shl.b32 %r8, %r8, 2; mov.u32 %r9, s; add.u32 %r9, %r9, %r8; "
	if r.IntN(2) == 0 {
		return at + "@%p1 st.shared.u32 [%r9], %r1;"
	}
	return at + "@%p1 ld.shared.u32 %r5, [%r9];"
}

// when returns a condition on the round, as a predicate.
func (r *piping) when() (code, guard string) {
	if !r.rounds || r.IntN(4) > 0 {
		return "", ""
	}
	return []string{
		"setp.gt.u32 %p3, %r7, 0;", "add.u32 %r8, %r7, 1; setp.lt.u32 %p3, %r8, %r6;", "and.b32 %r8, %r7, 1; setp.eq.u32 %p3, %r8, 0;", "setp.lt.u32 %p3, %r7, 2;",
	}[r.IntN(4)], "@%p3 "
}

// meeting has the warps of a group reach a barrier.
func (r *piping) meeting(warps *[arrivingWarps][]string) {
	v := r.IntN(len(r.groups))
	group := r.groups[v]
	waits := r.IntN(len(group))
	code, guard := r.when()
	turns := r.rounds && r.IntN(4) == 0
	ahead := r.rounds && guard == "" && r.IntN(3) == 0 // who arrives does so one round before
	for i, w := range group {
		what, code, guard := "sync", code, guard
		if i != waits && (ahead || r.IntN(3) == 0) {
			what = "arrive"
		}
		if ahead {
			code, guard = "setp.gt.u32 %p3, %r7, 0;", "@%p3 "
			if what == "arrive" {
				code = "add.u32 %r8, %r7, 1; setp.lt.u32 %p3, %r8, %r6;"
			}
		}
		number := fmt.Sprintf("mov.u32 %%r4, %d;", r.numbers[v])
		if turns {
			number = fmt.Sprintf("and.b32 %%r4, %%r7, 1; mad.lo.u32 %%r4, %%r4, 3, %d;", r.numbers[v])
		}
		warps[w] = append(warps[w], fmt.Sprintf("%s %s %sbar.%s %%r4, %d;", code, number, guard, what, 32*len(group)))
		if r.IntN(3) == 0 {
			warps[w] = append(warps[w], r.cell())
		}
	}
}

// part returns what warps do, one after the other.
func (r *piping) part(events int) (warps [arrivingWarps][]string) {
	for range events {
		if w := r.IntN(arrivingWarps); r.IntN(5) < 2 {
			warps[w] = append(warps[w], r.cell())
			continue
		}
		r.meeting(&warps)
	}
	if w := r.IntN(arrivingWarps); r.IntN(8) == 0 && len(warps[w]) > 1 { // spoiled
		i := r.IntN(len(warps[w]) - 1)
		if r.IntN(2) == 0 {
			warps[w][i], warps[w][i+1] = warps[w][i+1], warps[w][i]
		} else {
			warps[w] = slices.Delete(warps[w], i, i+1)
		}
	}
	return warps
}

// piped returns a random kernel of them: with a loop for each warp, or one for all.
func piped(seed uint64) string {
	r := &piping{Rand: rand.New(rand.NewPCG(seed, 6)), numbers: [3]int{1, 2, 3}}
	for v := range r.groups {
		r.groups[v] = r.Perm(arrivingWarps)[:2+r.IntN(arrivingWarps-1)]
		if r.IntN(6) == 0 {
			r.numbers[v] = 1 + r.IntN(3)
		}
	}
	before := r.part(r.IntN(3))
	r.rounds = true
	round := r.part(1 + r.IntN(5))
	r.rounds = false
	after := r.part(r.IntN(3))
	var s strings.Builder
	label := 0
	each := func(of [arrivingWarps][]string, code func(w int) string) {
		for w := range of {
			label++
			fmt.Fprintf(&s, "setp.ne.u32 %%p2, %%r2, %d; @%%p2 bra W%d;\n%sW%d:\n", w, label, code(w), label)
		}
	}
	in := func(of [arrivingWarps][]string) func(w int) string {
		return func(w int) string { return strings.Join(append(of[w], ""), "\n") }
	}
	first := r.IntN(2) == 0 // it is asked before each round whether there is one, or after it
	loop := func(body func()) {
		label++
		at := label
		const exit = "setp.ge.u32 %%p4, %%r7, %%r6; @%%p4 bra X%d;\n"
		head, tail := "L%d: "+exit, "bra L%d;\nX%[1]d:\n"
		if !first {
			head, tail = exit+"L%[1]d:\n", "setp.lt.u32 %%p4, %%r7, %%r6; @%%p4 bra L%d;\nX%[1]d:\n"
		}
		fmt.Fprintf(&s, "mov.u32 %%r7, 0;\n"+strings.ReplaceAll(head, "%d", "%[1]d"), at)
		body()
		fmt.Fprintf(&s, "add.u32 %%r7, %%r7, 1; "+tail, at)
	}
	s.WriteString(".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u32 n) {\n.shared .b32 s[4]; .reg .pred %p<5>; .reg .b32 %r<10>;\n")
	s.WriteString("ld.param.u32 %r6, [n]; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; and.b32 %r3, %r1, 31; setp.eq.u32 %p1, %r3, 0;\n")
	each(before, in(before))
	if r.IntN(2) == 0 {
		loop(func() { each(round, in(round)) })
	} else {
		for w := range round {
			label++
			at := label
			fmt.Fprintf(&s, "setp.ne.u32 %%p2, %%r2, %d; @%%p2 bra W%d;\n", w, at)
			loop(func() { s.WriteString(in(round)(w)) })
			fmt.Fprintf(&s, "W%d:\n", at)
		}
	}
	each(after, in(after))
	return s.String() + "ret;\n}\n"
}

// TestRandomPipelines: of barriers of some warps in loops whose rounds are not known, what a launch
// with few rounds shows to go wrong is not verified.
func TestRandomPipelines(t *testing.T) {
	n := uint64(sample.Rounds(20_000, 200, 40))
	verdicts := map[string]int{}
	for seed := range n {
		text := piped(seed)
		m := kerneltest.Parse(t, text)
		var brute launch.Verdict
		program := launch.New(m)
		for i := range uint64(12) {
			report, err := program.Run(t.Context(), launch.Launch{
				Kernel: "k", Grid: launch.Dim{X: 1}, Block: launch.Dim{X: 32 * arrivingWarps}, Args: []launch.Arg{{Value: i % 6}}, Schedule: launch.Random(seed*12 + i),
			})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			brute = brute.Or(report.Verdict())
		}
		said, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Budget: 1000, Without: append(verify.Families(), verify.KInduction), Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{32 * arrivingWarps, 1, 1}}})
		if err != nil {
			t.Fatal(err)
		}
		verdicts[fmt.Sprintf("%v/%v", said.Verdict, brute)]++
		if said.Verdict == verify.Verified && brute != (launch.Verdict{}) {
			t.Errorf("seed %d: verified, and launches show %v\n%s", seed, brute, text)
		}
		if said.Verdict == verify.Undecided && brute == (launch.Verdict{}) && testing.Verbose() {
			t.Logf("seed %d: %v", seed, said.Open)
		}
	}
	t.Log(verdicts)
	if verdicts["verified/verified"] < int(n)/30 {
		t.Errorf("%v: too few of one kind", verdicts)
	}
}

// TestCountsOfArrivals: a barrier waits for whole warps, also where for how many is computed; and
// one warp may be many rounds ahead of another.
func TestCountsOfArrivals(t *testing.T) {
	for name, k := range map[string]struct {
		code  string
		block int
		want  verify.Verdict
	}{
		"no whole number": {`shr.u32 %r4, %r1, 6; add.u32 %r4, %r4, 48; setp.lt.u32 %p1, %r1, 64;
			@%p1 bar.sync 3, %r4;`, 96, verify.Alarmed},
		"no whole number in each second round": {`setp.gt.u32 %p1, %r1, 63; @%p1 bra X;
			L: setp.ge.u32 %p4, %r7, %r6; @%p4 bra X;
			and.b32 %r4, %r7, 1; sub.u32 %r4, 64, %r4; bar.sync 3, %r4;
			add.u32 %r7, %r7, 1; bra L;
			X:`, 96, verify.Alarmed},
		// A warp meets the one before in its next round, and then the one behind in its last one.
		"eleven rounds ahead": {`setp.gt.u32 %p1, %r2, 0; add.u32 %r3, %r2, 1;
			L: setp.ge.u32 %p4, %r7, %r6; @%p4 bra X;
			setp.lt.u32 %p2, %r2, 11; setp.gt.and.u32 %p2, %r7, 0, %p2;
			add.u32 %r8, %r7, 1; setp.lt.and.u32 %p3, %r8, %r6, %p1;
			@%p3 bar.sync %r2, 64;
			@%p2 bar.sync %r3, 64;
			add.u32 %r7, %r7, 1; bra L;
			X:`, 384, verify.Verified},
	} {
		m := kerneltest.Parse(t, ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u32 n) {\n.reg .pred %p<5>; .reg .b32 %r<9>;\n"+
			"mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; ld.param.u32 %r6, [n]; mov.u32 %r7, 0;\n"+k.code+"\nret;\n}\n")
		said, err := verify.Verify(t.Context(), m, m.Funcs[0], verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{k.block, 1, 1}}})
		if err != nil || said.Verdict != k.want {
			t.Errorf("%s: %v, %v, %v", name, said.Verdict, said.Open, err)
		}
	}
}

// TestPipelines: a producer and a consumer that hand a cell over in each round are verified, and
// are not if either does not wait, or accesses the cell before it waits or after it has said that
// it is done.
func TestPipelines(t *testing.T) {
	const (
		store, load  = "@%p1 st.shared.u32 [s], %r7; ", "@%p1 ld.shared.u32 %r5, [s]; "
		full, empty  = "bar.sync 1, 64; ", "bar.sync 2, 64; "
		fills, frees = "bar.arrive 1, 64; ", "bar.arrive 2, 64; "
	)
	for _, test := range []struct {
		name, producer, consumer string
		want                     verify.Verdict
	}{
		{"both wait", store + fills + empty, full + load + frees, verify.Verified},
		{"the producer waits first", empty + store + fills, frees + full + load, verify.Verified},
		{"both wait for both", store + full + empty, full + load + empty, verify.Verified},
		{"both wait twice at one barrier", full + store + full, full + full + load, verify.Verified},
		{"the consumer reads before it waits", store + fills + empty, load + full + frees, verify.Alarmed},
		{"the consumer reads when it has said that it is done", store + fills + empty, full + frees + load, verify.Alarmed},
		{"the producer writes when it has said that it is done", fills + store + empty, full + load + frees, verify.Alarmed},
		{"the producer writes twice", store + fills + empty + store, full + load + frees, verify.Verified},
		{"the producer writes again at once", store + fills + store + empty, full + load + frees, verify.Alarmed},
	} {
		loop := func(label, body string) string {
			return fmt.Sprintf("mov.u32 %%r7, 0; L%s: setp.ge.u32 %%p4, %%r7, %%r6; @%%p4 bra X; %s add.u32 %%r7, %%r7, 1; bra L%[1]s;\n", label, body)
		}
		text := kerneltest.Head + ".visible .entry k(.param .u32 n) {\n.shared .b32 s[4]; .reg .pred %p<5>; .reg .b32 %r<10>;\n" +
			"ld.param.u32 %r6, [n]; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; and.b32 %r3, %r1, 31; setp.eq.u32 %p1, %r3, 0;\n" +
			"setp.ne.u32 %p2, %r2, 0; @%p2 bra C;\n" + loop("P", test.producer) + "C: " + loop("C", test.consumer) + "X: ret; }"
		m := kerneltest.Parse(t, text)
		shown := launch.Verdict{}
		for n := range uint64(5) {
			r, err := launch.New(m).Run(t.Context(), launch.Launch{Kernel: "k", Grid: launch.Dim{X: 1}, Block: launch.Dim{X: 64}, Args: []launch.Arg{{Value: n}}, Schedule: launch.Random(n)})
			if err != nil {
				t.Fatal(err)
			}
			shown = shown.Or(r.Verdict())
		}
		if want := test.want == verify.Alarmed; (shown != launch.Verdict{}) != want {
			t.Errorf("%s: launches show %v", test.name, shown)
		}
		want := []verify.Verdict{test.want}
		if test.want == verify.Alarmed {
			want = append(want, verify.Undecided) // it may be so in a round that never comes
		}
		kerneltest.Expect(t, test.name, m, verify.Config{Launch: verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{64, 1, 1}}}, want...)
	}
}
