package interp_test

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/sample"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/interp"
	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/litmus"
	litmustests "github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/src"
)

// small returns settings for a machine that runs one instruction at a time.
func small() harness.Settings {
	s := harness.Usual()
	s.CTAs, s.Threads, s.StressCTAs, s.StressRounds, s.PreRounds, s.Patience, s.LoopBound = 4, 128, 1, 2, 1, 40, 20
	// few launches, and each provokes
	s.Vary, s.WithoutMeeting, s.WithoutPre, s.WithoutStress, s.InTurns = false, 0, 0, 0, 0
	return s
}

// planOf lays out a test, or returns nil if it cannot be run.
func planOf(t *testing.T, test *litmus.Test, target harness.Target) *harness.Plan {
	t.Helper()
	p, err := ptx.New(test, frontend.Options{Unroll: 1})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := harness.NewPlan(test, p, target)
	var unable *harness.Unable
	if errors.As(err, &unable) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func parse(t *testing.T, name, text string) *litmus.Test {
	t.Helper()
	test, err := frontends.Shipped().Parse(src.NewFile(name, text))
	if err != nil {
		t.Fatal(err)
	}
	return test
}

// shippedTest is a shipped test with its plan; nil if it cannot be run.
type shippedTest struct {
	*litmus.Test
	plan *harness.Plan
}

// shipped yields every n-th shipped test of a folder, with its number there.
func shipped(t *testing.T, dir string, every int) iter.Seq2[int, shippedTest] {
	t.Helper()
	files, err := litmustests.FS.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(int, shippedTest) bool) {
		for i, f := range files {
			if !strings.HasSuffix(f.Name(), ".litmus") || i%every != 0 {
				continue
			}
			text, err := litmustests.FS.ReadFile(dir + "/" + f.Name())
			if err != nil {
				t.Fatal(err)
			}
			test := parse(t, f.Name(), string(text))
			if !yield(i, shippedTest{test, planOf(t, test, harness.SM100)}) {
				return
			}
		}
	}
}

// sequential returns the states that sequential consistency, with barriers, allows.
func sequential(t *testing.T, test *litmus.Test) map[string]bool {
	t.Helper()
	return allowed(t, test, "sc")
}

// TestOnlySequential runs generated tests on a machine without weak behaviour: sequential
// consistency allows each outcome, all instances are counted, and most allowed outcomes are seen.
func TestOnlySequential(t *testing.T) {
	for _, p := range gen.Presets {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			n, ran, allowed, came := sample.Of(20, 4), 0, 0, 0
			for test, err := range gen.Sample(gen.Distinct(p.Cycles(t.Context()), &gen.Counts{}), n, 1) {
				if err != nil {
					t.Fatal(err)
				}
				plan := planOf(t, test.Test, harness.SM90)
				if plan == nil {
					continue
				}
				ran++
				h := run(t, plan, small(), 1, sample.Of(500, 200))
				states := sequential(t, test.Test)
				allowed += len(states)
				came += len(h.States)
				checkStates(t, test.Test, h, states)
			}
			if p.Name == "async" && ran == 0 {
				t.Skip("kernels do not copy asynchronously")
			}
			if 5*ran < 3*n || came*3 < allowed {
				t.Errorf("%d tests, %d outcomes of %d", ran, came, allowed)
			}
		})
	}
}

func run(t *testing.T, plan *harness.Plan, s harness.Settings, seed uint64, instances int) *harness.Histogram {
	t.Helper()
	m := interp.New(seed)
	m.MaxSteps = 50_000_000
	h, err := plan.Run(t.Context(), m, s, seed, instances)
	if err != nil {
		t.Fatalf("%s: %v", plan.Test, err)
	}
	if m.Live() != 0 {
		t.Errorf("%s: %d allocations are left", plan.Test.Name.Text, m.Live())
	}
	return h
}

func checkStates(t *testing.T, test *litmus.Test, h *harness.Histogram, allowed map[string]bool) {
	t.Helper()
	total := h.Unfinished
	for _, c := range h.States {
		total += c.N
		if c.Launches < 1 || c.Launches > min(c.N, h.Launches) {
			t.Errorf("%s: %s came %d times, in %d of %d launches", test.Name.Text, c.State.Format(h.Refs),
				c.N, c.Launches, h.Launches)
		}
		if state := c.State.Format(h.Refs); !allowed[state] {
			t.Errorf("%s\nended %d times with %s, which no interleaving does", test, c.N, state)
		}
	}
	if total != h.Instances {
		t.Errorf("%s: %d instances, %d counted", test.Name.Text, h.Instances, total)
	}
}

// TestCorpus runs the shipped tests. Loops may time out.
func TestCorpus(t *testing.T) {
	unable := map[string]int{}
	ran := 0
	for _, dir := range []string{"asplos15", "cuda", "ptx"} {
		every := sample.Of(1, 9)
		if dir == "ptx" {
			every = sample.Of(12, 36)
		}
		for _, test := range shipped(t, dir, every) {
			if test.plan == nil {
				unable[dir]++
				continue
			}
			ran++
			checkStates(t, test.Test, run(t, test.plan, small(), 7, 100), sequential(t, test.Test))
		}
	}
	t.Logf("%d tests ran; cannot be run: %v", ran, unable)
	if ran < sample.Of(90, 10) {
		t.Errorf("only %d tests ran; cannot be run: %v", ran, unable)
	}
}

// TestPlacement watches which threads play which roles: each role of each instance is played once,
// all roles in one round, and where the scope tree says.
func TestPlacement(t *testing.T) {
	for i, tt := range []struct{ isa, cycle string }{
		{"ptx", "Rfe PodRR Fre PodWW"},
		{"ptx", "Rfe@cta PodRR Fre PodWW"},
		{"ptx", "Rfe@warp PodRR Fre PodWW"},
		{"ptx", "Rfe@cluster PodRR Fre PodWW"},
		{"ptx", "Rfe@cta PodRW Rfe PodRR Fre"},
		{"ptx", "Rfe@warp PodRW Rfe@cta PodRR Fre"},
		{"ptx", "Rfe@warp PodRW Rfe@cluster PodRR Fre"},
		{"ptx", "Rfe@cta PodRR Fre Rfe@cluster PodRR Fre"},
		{"gpu_ptx", "Fre@warp PodWR Fre@cta PodWR Fre@gpu PodWR Fre@gpu PodWR"},
	} {
		if i%sample.Of(1, 3) != 0 {
			continue
		}
		test := generated(t, tt.isa, tt.cycle)
		plan := planOf(t, test.Test, harness.SM90)
		if plan == nil {
			t.Fatalf("%s cannot be run", test)
		}
		s := small()
		s.CTAs, s.Threads = 16, 128
		shape, err := plan.Shape(s)
		if err != nil {
			t.Fatal(err)
		}
		played := map[uint64][]interp.Mark{}
		m := interp.New(3)
		m.OnMark = func(k interp.Mark) {
			if k.Number%2 == 0 {
				played[k.Registers["%r_instance"]] = append(played[k.Registers["%r_instance"]], k)
			}
		}
		if _, err := plan.Run(t.Context(), m, s, 3, 1); err != nil {
			t.Fatal(err)
		}
		if len(played) != shape.Instances() {
			t.Errorf("%s: %d instances played, not %d", tt.cycle, len(played), shape.Instances())
		}
		for instance, marks := range played {
			if wrong := misplaced(test.Test, plan, marks, shape); wrong != "" {
				t.Fatalf("%s: instance %d: %s", tt.cycle, instance, wrong)
			}
		}
	}
}

func generated(t *testing.T, isa, cycle string) *gen.Test {
	t.Helper()
	p, err := gen.Parse(src.NewFile("cycle", cycle), gen.ISAs[isa])
	if err != nil {
		t.Fatal(err)
	}
	var test *gen.Test
	if err := p.Cycles(t.Context(), nil, nil, func(c *gen.Cycle) bool {
		test, err = c.Test()
		return false
	}); err != nil {
		t.Fatal(err)
	}
	return test
}

// misplaced says what is wrong with how the roles of an instance were played.
func misplaced(test *litmus.Test, plan *harness.Plan, marks []interp.Mark, shape harness.Shape) string {
	if len(marks) != len(test.Threads) {
		return fmt.Sprintf("%d roles played", len(marks))
	}
	slices.SortFunc(marks, func(a, b interp.Mark) int { return a.Number - b.Number })
	places := test.Places()
	for i, a := range marks {
		if a.Number != 2*i {
			return fmt.Sprintf("role %d played instead of %d", a.Number/2, i)
		}
		for j, b := range marks[:i] {
			p, q := places[plan.Thread(i)], places[plan.Thread(j)]
			for _, level := range []struct {
				name        string
				want, given bool
			}{
				{"cluster", p[litmus.Cluster] == q[litmus.Cluster], a.CTA/shape.CTAs == b.CTA/shape.CTAs},
				{"CTA", p[litmus.CTA] == q[litmus.CTA], a.CTA == b.CTA},
				{"warp", p[litmus.Warp] == q[litmus.Warp], a.CTA == b.CTA && a.Thread/harness.WarpSize == b.Thread/harness.WarpSize},
				{"round", true, a.Registers["%r_round"] == b.Registers["%r_round"]},
			} {
				if level.want != level.given {
					return fmt.Sprintf("roles %d and %d: same %s %t, want %t", j, i, level.name,
						level.given, level.want)
				}
			}
		}
	}
	return ""
}

// TestSeeds: a seed repeats its results, and settings do not change what is possible.
func TestSeeds(t *testing.T) {
	test := generated(t, "gpu_ptx", "[shared] PodWR Fre@cta PodWR Fre@cta")
	plan := planOf(t, test.Test, harness.SM80)
	allowed := sequential(t, test.Test)
	for _, change := range []func(*harness.Settings){
		func(*harness.Settings) {},
		func(s *harness.Settings) { s.Permute = false },
		func(s *harness.Settings) { s.Patience = 0 },
		func(s *harness.Settings) { s.StressCTAs, s.PreRounds = 0, 0 },
		func(s *harness.Settings) { s.PrePattern, s.Pattern = 2, 3 },
		func(s *harness.Settings) { s.Stride, s.SharedStride = 4, 128 },
		func(s *harness.Settings) { s.Vary, s.SharedStride, s.StressCTAs = true, 64, 3 },
		func(s *harness.Settings) { s.WithoutMeeting, s.WithoutPre, s.WithoutStress = 50, 50, 100 },
		func(s *harness.Settings) { s.InTurns, s.VaryThreads = 100, true },
		func(s *harness.Settings) { s.Opaque = true },
		func(s *harness.Settings) {
			*s = harness.Incantations{Stress: true, Conflicts: true, Sync: true, Randomize: true}.Settings()
		},
		func(s *harness.Settings) { *s = harness.Incantations{}.Settings() },
	} {
		s := small()
		change(&s)
		n := sample.Of(300, 60)
		if s.OneInstance {
			n = sample.Of(20, 4)
			s.CTAs, s.StressCTAs, s.Conflicts = 2, s.StressCTAs/32, s.Conflicts/32
		}
		first, second := run(t, plan, s, 5, n), run(t, plan, s, 5, n)
		if !slices.EqualFunc(first.States, second.States, func(a, b harness.Count) bool {
			return a.N == b.N && litmus.CompareStates(a.State, b.State) == 0
		}) {
			t.Errorf("%+v: the same seed gives\n%v\n%v", s, first.States, second.States)
		}
		checkStates(t, test.Test, first, allowed)
	}
}

// TestInTurns: in launches of that mode, all threads play the same role in a round, and each
// instance nevertheless has all of its roles played.
func TestInTurns(t *testing.T) {
	test := generated(t, "ptx", "Rfe PodRW Rfe PodRR Fre")
	plan := planOf(t, test.Test, harness.SM90)
	s := small()
	s.InTurns, s.CTAs, s.Threads, s.StressCTAs = 100, 3, 64, 0
	played := map[uint64]map[int]bool{}
	rounds := map[uint64]map[int]bool{}
	m := interp.New(3)
	m.OnMark = func(k interp.Mark) {
		for table, key := range map[*map[uint64]map[int]bool]uint64{
			&played: k.Registers["%r_instance"],
			&rounds: k.Registers["%r_round"],
		} {
			if (*table)[key] == nil {
				(*table)[key] = map[int]bool{}
			}
			(*table)[key][k.Number/2] = true
		}
	}
	if _, err := plan.Run(t.Context(), m, s, 3, 1); err != nil {
		t.Fatal(err)
	}
	for round, roles := range rounds {
		if len(roles) != 1 {
			t.Errorf("round %d has roles %v", round, roles)
		}
	}
	for instance, roles := range played {
		if len(roles) != 3 {
			t.Errorf("of instance %d roles %v are played", instance, roles)
		}
	}
	if len(played) != 3*2*32 || len(rounds) != 3 {
		t.Errorf("%d instances in %d rounds", len(played), len(rounds))
	}
}

// TestConflicts: beside a thread that plays, only the others of its warp access one bank.
func TestConflicts(t *testing.T) {
	plan := planOf(t, generated(t, "ptx", "Rfe PodRR Fre PodWW").Test, harness.SM90)
	s := harness.Incantations{Conflicts: true}.Settings()
	s.CTAs, s.Threads = 2, 64
	shape, err := plan.Shape(s)
	if err != nil || plan.SharedBytes(s, shape) != 32*128 {
		t.Fatalf("%d bytes of shared memory, %v", plan.SharedBytes(s, shape), err)
	}
	// Six instructions per round, by 31 lanes in each of the two warps in which a role is played.
	for rounds, ends := range map[int]bool{1000: true, 2000: false} {
		s.Conflicts = rounds
		m := interp.New(1)
		m.MaxSteps = 1500 * 2 * 31 * 6
		if _, err := plan.Run(t.Context(), m, s, 1, 1); (err == nil) != ends ||
			!ends && !strings.Contains(err.Error(), "litmus does not end") {
			t.Errorf("%d rounds of conflicts: %v", rounds, err)
		}
	}
}

// TestComputes runs all arithmetic that kernels have: the results are those of the model.
func TestComputes(t *testing.T) {
	text := "PTX computes\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n ld.weak r0,x | st.weak x,1 ;\n"
	var registers []string
	for i, in := range strings.Split(
		"add.s32 D,r0,5|sub.s32 D,r0,5|mul.lo.s32 D,r0,7|and.b32 D,r0,6|or.b32 D,r0,6|xor.b32 D,r0,-1|min.s32 D,r0,-3|"+
			"max.u32 D,r0,-3|div.s32 D,-7,2|div.u32 D,-7,2|rem.s32 D,-7,3|rem.u32 D,-7,3|shl.b32 D,3,r0|shl.b32 "+
			"D,3,31|shr.s32 D,-9,r0|shr.u32 D,-9,r0|"+
			"selp.s32 D,8,9,p|mov.s32 D,r0", "|") {
		registers = append(registers, fmt.Sprintf("P0:s%d=0", i))
		if strings.HasPrefix(in, "selp") {
			text += " setp.gt.s32 p,r0,0 | ;\n"
		}
		text += " " + strings.Replace(in, "D", fmt.Sprintf("s%d", i), 1) + " | ;\n"
	}
	test := parse(t, "computes", text+"exists ("+strings.Join(registers, " /\\ ")+")\n")
	plan := planOf(t, test, harness.SM80)
	if plan == nil {
		t.Fatal("the test cannot be run")
	}
	h := run(t, plan, small(), 1, 200)
	checkStates(t, test, h, sequential(t, test))
	if len(h.States) != 2 {
		t.Errorf("%d states, want those of x=0 and x=1", len(h.States))
	}
}

// TestGivesUp: an instance that spins for ever is counted as unfinished.
func TestGivesUp(t *testing.T) {
	test := parse(t, "spin", `GPU_PTX spin
{ x=0; y=0; }
 T0               | T1              ;
 L:               | st.cg.s32 [y],1 ;
 ld.cg.s32 r0,[x] |                 ;
 setp.eq.s32 p,r0,0 |               ;
 @p bra L         |                 ;
ScopeTree (cta T0) (cta T1)
exists (0:r0=1)
`)
	h := run(t, planOf(t, test, harness.SM70), small(), 1, 100)
	if h.Unfinished != h.Instances || len(h.States) != 0 {
		t.Errorf("%d of %d unfinished, states %v", h.Unfinished, h.Instances, h.States)
	}
}

// TestArrivals: a thread that reaches a barrier is ordered before those that wait there, whether it
// goes on or waits with them.
func TestArrivals(t *testing.T) {
	for _, comes := range [][2]string{{"bar.cta.arrive 0", "bar.cta.sync 0"}, {"bar.cta.red 0", "bar.cta.red 0"}} {
		first, second := comes[0], comes[1]
		test := parse(t, "arrivals", `PTX arrivals
{ x=0; }
 P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 ;
 st.weak x,1    | `+second+` | `+second+` ;
 `+first+`      | ld.weak r1,x   | ld.weak r1,x   ;
exists (P1:r1=0 \/ P2:r1=0)
`)
		plan := planOf(t, test, harness.SM90)
		if plan == nil {
			t.Fatal("it cannot be run")
		}
		for name, m := range map[string]*interp.Machine{"interpreter": interp.New(1), "weak": interp.NewWeak(1)} {
			h, err := plan.Run(t.Context(), m, small(), 1, 100)
			if err != nil || len(h.States) != 1 || h.Asked(test) != 0 {
				t.Errorf("%s, %s: %v, %v", name, second, h, err)
			}
		}
	}
}

// TestBarriers: two CTAs use barriers of their own, and what one thread of a CTA wrote before a
// barrier, the other sees after it.
func TestBarriers(t *testing.T) {
	test := parse(t, "barriers", `PTX barriers
{ x=0; y=0; z=0; }
 P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 1,gpu 0 | P3@cta 1,gpu 0 | P4@cta 1,gpu 0 ;
 st.weak x,1    | bar.sync 0     | st.weak z,1    | st.weak y,1    | bar.sync 0     ;
 bar.sync 0     | ld.weak r0,x   |                | bar.sync 0     | ld.weak r0,y   ;
exists (P1:r0=1 /\ P4:r0=1)
`)
	s := small()
	s.CTAs, s.Threads, s.Patience = 5, 320, 0
	for seed := range uint64(5) {
		h := run(t, planOf(t, test, harness.SM90), s, seed, 1)
		if len(h.States) != 1 || h.Asked(test) != h.Instances {
			t.Fatalf("seed %d: %v", seed, h.States)
		}
	}
}
