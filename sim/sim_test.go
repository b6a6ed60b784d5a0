package sim_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// sb is store buffering, without what follows the program.
const sb = `GPU_PTX sb
{ x; y; }
 P0           | P1           ;
 st.cg [x],1  | st.cg [y],1  ;
 ld.cg r0,[y] | ld.cg r0,[x] ;
(cta P0 P1)
`

// counted writes the states of a result and how many executions end in each.
func counted(r *sim.Result) []string {
	var all []string
	for _, s := range r.States {
		mark := map[bool]string{true: " *"}[s.Satisfies]
		all = append(all, fmt.Sprintf("%s ×%d%s", s.State().Format(r.Test.Observables()), s.Count, mark))
	}
	return all
}

// TestStates has counts that were worked out by hand.
func TestStates(t *testing.T) {
	const incs = `GPU_PTX incs
{ x; }
 P0              | P1              ;
 atom.inc r0,[x] | atom.inc r0,[x] ;
(cta P0 P1)
locations [x]
exists (0:r0=0 /\ 1:r0=0)`
	const corr = `GPU_PTX coRR
{ x; }
 P0          | P1           ;
 st.cg [x],1 | ld.cg r1,[x] ;
             | ld.cg r2,[x] ;
(cta P0 P1)
exists (1:r1=1 /\ 1:r2=0)`
	const coww = `GPU_PTX CoWW
{ x=7; }
 P0          | P1          ;
 st.cg [x],1 | st.cg [x],3 ;
 st.cg [x],2 |             ;
(cta P0 P1)
exists ([x]=1)`
	const both = "exists (0:r0=0 /\\ 1:r0=0)"
	tests := []struct {
		name, text, model string
		want              []string
	}{
		{"sb", sb + both, "sc", []string{"0:r0=0; 1:r0=1; ×1", "0:r0=1; 1:r0=0; ×1", "0:r0=1; 1:r0=1; ×1"}},
		{"sb", sb + both, "tso", []string{"0:r0=0; 1:r0=0; ×1 *", "0:r0=0; 1:r0=1; ×1", "0:r0=1; 1:r0=0; ×1", "0:r0=1; 1:r0=1; ×1"}},
		{"coRR", corr, "coherence", []string{"1:r1=0; 1:r2=0; ×1", "1:r1=0; 1:r2=1; ×1", "1:r1=1; 1:r2=1; ×1"}},
		{"coRR", corr, "ptx-asplos15", []string{"1:r1=0; 1:r2=0; ×1", "1:r1=0; 1:r2=1; ×1", "1:r1=1; 1:r2=0; ×1 *", "1:r1=1; 1:r2=1; ×1"}},

		// Of the 3! orders of the writes, those with 1 before 2 are coherent.
		{"coWW", coww, "coherence", []string{"[x]=2; ×2", "[x]=3; ×1"}},

		// Without atomicity, both may read 0, and either write may come last.
		{"incs", incs, "sc", []string{"0:r0=0; 1:r0=1; [x]=2; ×1", "0:r0=1; 1:r0=0; [x]=2; ×1"}},
		{"incs", incs, "ptx-asplos15", []string{"0:r0=0; 1:r0=0; [x]=1; ×2 *", "0:r0=0; 1:r0=1; [x]=2; ×1", "0:r0=1; 1:r0=0; [x]=2; ×1"}},
	}
	for _, tt := range tests {
		got := counted(simtest.Run(t, simtest.Load(t, tt.text, sim.Defaults()), simtest.LoadModel(t, tt.model)))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s under %s:\n%s", tt.name, tt.model, diff)
		}
	}
}

// TestConditions asks different things about store buffering. Under sc it ends in
// three states of one execution each: 0 and 1, 1 and 0, 1 and 1.
func TestConditions(t *testing.T) {
	tests := []struct {
		sections           string
		outcome            sim.Outcome
		holds              bool
		positive, negative int
		states             string
	}{
		{"exists (0:r0=0 /\\ 1:r0=0)", sim.Forbidden, false, 0, 3, "0:r0=0; 1:r0=1; | 0:r0=1; 1:r0=0; | 0:r0=1; 1:r0=1;"},
		{"exists (0:r0=1)", sim.Allowed, true, 2, 1, "0:r0=0; | 0:r0=1;"},
		{"final (0:r0=1)", sim.Allowed, true, 2, 1, "0:r0=0; | 0:r0=1;"},
		{"~exists (0:r0=0 /\\ 1:r0=0)", sim.Forbidden, true, 0, 3, "0:r0=0; 1:r0=1; | 0:r0=1; 1:r0=0; | 0:r0=1; 1:r0=1;"},
		{"~exists (0:r0=1)", sim.Allowed, false, 2, 1, "0:r0=0; | 0:r0=1;"},
		{"forall (0:r0=1 \\/ 1:r0=1)", sim.Forbidden, true, 3, 0, "0:r0=0; 1:r0=1; | 0:r0=1; 1:r0=0; | 0:r0=1; 1:r0=1;"},
		{"forall (0:r0=1)", sim.Allowed, false, 2, 1, "0:r0=0; | 0:r0=1;"},
		{"forall (true)", sim.Forbidden, true, 3, 0, ""},

		{"locations [y; 1:r0; x]\nexists (0:r0=1)", sim.Allowed, true, 2, 1, "0:r0=0; 1:r0=1; [x]=1; [y]=1; | 0:r0=1; 1:r0=0; [x]=1; [y]=1; | 0:r0=1; 1:r0=1; [x]=1; [y]=1;"},
		{"locations [0:r0]\nexists (0:r0=1)", sim.Allowed, true, 2, 1, "0:r0=0; | 0:r0=1;"},

		{"filter (0:r0=1)\nexists (1:r0=0)", sim.Allowed, true, 1, 1, "0:r0=1; 1:r0=0; | 0:r0=1; 1:r0=1;"},
		{"filter (0:r0=0)\nexists (1:r0=0)", sim.Forbidden, false, 0, 1, "0:r0=0; 1:r0=1;"},
		{"filter (0:r0=0)\nforall (1:r0=1)", sim.Forbidden, true, 1, 0, "0:r0=0; 1:r0=1;"},
		{"filter (false)\nexists (true)", sim.Forbidden, false, 0, 0, ""},
		{"filter (false)\nforall (false)", sim.Undefined, false, 0, 0, ""},
	}
	sc := simtest.LoadModel(t, "sc")
	for _, tt := range tests {
		r := simtest.Run(t, simtest.Load(t, sb+tt.sections, sim.Defaults()), sc)
		if r.Outcome() != tt.outcome || r.Holds() != tt.holds {
			t.Errorf("%s: %v, holds: %v; want %v, %v", tt.sections, r.Outcome(), r.Holds(), tt.outcome, tt.holds)
		}
		if r.Positive != tt.positive || r.Negative != tt.negative {
			t.Errorf("%s: %d and %d, want %d and %d", tt.sections, r.Positive, r.Negative, tt.positive, tt.negative)
		}
		if simtest.States(r) != tt.states {
			t.Errorf("%s: the states are %s, want %s", tt.sections, simtest.States(r), tt.states)
		}
		if r.Incomplete() != "" || r.Stats.Candidates != 4 {
			t.Errorf("%s: %d candidates, want 4; %s", tt.sections, r.Stats.Candidates, r.Incomplete())
		}
	}
}

// TestFlags: a flag is raised by executions that the model allows and the filter
// keeps.
func TestFlags(t *testing.T) {
	const flag = "\"m\"\nlet com = rf & ((W \\ IW) * R)\nflag ~empty com as talks\nflag ~empty M as accesses\nflag empty M as idle\n" +
		"flag ~empty R as reads\nflag ~empty W as writes\nflag ~empty po as order\n"
	silent := []string{"accesses", "order", "reads", "writes"}
	tests := []struct {
		name, model, sections string
		want                  []string
	}{
		{"raised by some execution", flag, "exists (true)", []string{"accesses", "order", "reads", "talks", "writes"}},
		{"not by those the model forbids", flag + "empty com as silence\n", "exists (true)", silent},
		{"not by those the filter drops", flag, "filter (0:r0=0 /\\ 1:r0=0)\nexists (true)", silent},
		{"not without executions", flag, "filter (false)\nexists (true)", nil},
	}
	for _, tt := range tests {
		r := simtest.Run(t, simtest.Load(t, sb+tt.sections, sim.Defaults()), simtest.NewModel(t, tt.model))
		if !slices.Equal(r.Flags, tt.want) {
			t.Errorf("%s: flags %v, want %v", tt.name, r.Flags, tt.want)
		}
	}
}

// corpusTest loads a test of the corpus.
func corpusTest(t *testing.T, name string) *sim.Test {
	t.Helper()
	for _, f := range simtest.Corpus(t) {
		if strings.HasSuffix(f.Name, "/"+name+".litmus") {
			return simtest.Load(t, f.Text, sim.Defaults())
		}
	}
	t.Fatalf("the corpus has no test %s", name)
	return nil
}

// TestThinAirFlag: only a model without an axiom against values out of thin air
// allows them.
func TestThinAirFlag(t *testing.T) {
	test := corpusTest(t, "lb+copies-inter-cta")
	for model, want := range map[string]sim.Outcome{"coherence": sim.Allowed, "ptx-asplos15": sim.Forbidden, "rmo": sim.Forbidden} {
		r := simtest.Run(t, test, simtest.LoadModel(t, model))
		if r.Outcome() != want || slices.Contains(r.Flags, sim.ThinAirFlag) != (want == sim.Allowed) {
			t.Errorf("%s: %v with the flags %v", model, r.Outcome(), r.Flags)
		}
		// Each of x and y may be read from its initial write, or not; and then both
		// hold 0, or 1, the other value that the test mentions: unless no value at all is allowed.
		values := map[sim.Outcome]int{sim.Allowed: 2}[want]
		if r.Stats.Candidates != 3+values || r.Stats.ThinAir != values {
			t.Errorf("%s: %+v, want 3 candidates, and %d out of thin air", model, r.Stats, values)
		}
	}
}

func TestModelsKnowWhatTheyCover(t *testing.T) {
	tests := []struct {
		test, model string
		outside     bool
	}{
		{"mp-L1", "ptx-asplos15", true},
		{"mp-L1", "ptx-asplos15-rmw", true},
		{"mp-volatile", "ptx-asplos15", true},
		{"mp-volatile", "ptx-asplos15-rmw", false},
		{"cas-sl", "ptx-asplos15", true},
		{"cas-sl", "ptx-asplos15-rmw", false},
		{"mp-inter-cta", "ptx-asplos15", false},
		{"mp-L1", "sc", false},
	}
	for _, tt := range tests {
		r := simtest.Run(t, corpusTest(t, tt.test), simtest.LoadModel(t, tt.model))
		if slices.Contains(r.Flags, "outside-model") != tt.outside {
			t.Errorf("%s under %s: flags %v", tt.test, tt.model, r.Flags)
		}
	}
}

// spin waits for a flag.
const spin = `GPU_PTX spin
{ x; 1:.reg .pred p; }
 P0          | P1              ;
 st.cg [x],1 | L: ld.cg r0,[x] ;
             | setp.eq p,r0,0  ;
             | @p bra L        ;
(cta P0 P1)
forall (1:r0=1)`

// A round that only waits counts against no bound; one of them is kept, because its
// reads may race.
func TestSpinning(t *testing.T) {
	r := simtest.Run(t, simtest.Load(t, spin, sim.Defaults()), simtest.LoadModel(t, "sc"))
	if diff := cmp.Diff([]string{"1:r0=1; ×2 *"}, counted(r)); diff != "" {
		t.Error(diff)
	}
	if r.Loop() || r.Incomplete() != "" || len(r.Flags) != 0 {
		t.Errorf("loop: %v; %s; flags %v", r.Loop(), r.Incomplete(), r.Flags)
	}
	never := strings.Replace(spin, "st.cg [x],1", "st.cg [y],1", 1)
	r = simtest.Run(t, simtest.Load(t, never, sim.Defaults()), simtest.LoadModel(t, "sc"))
	if len(r.States) != 0 || !slices.Equal(r.Flags, []string{sim.HangFlag}) {
		t.Errorf("nobody ends the wait: states %v, flags %v; want the flag hang", counted(r), r.Flags)
	}
}

// The first round of this loop reads the data although the flag is not set yet, and that
// races; the last round does not.
func TestRaceInARoundThatOnlyWaits(t *testing.T) {
	const early = `PTX early
{ x=0; f=0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0          ;
 st.weak x, 1        | L: ld.acquire.gpu r1, f ;
 st.release.gpu f, 1 | ld.weak r2, x           ;
                     | and r3, r1, r2          ;
                     | beq r3, 0, L            ;
exists (P1:r3=1)`
	r := simtest.Run(t, simtest.Load(t, early, sim.Defaults()), simtest.LoadModel(t, "ptx"))
	if !slices.Equal(r.Flags, []string{"race"}) || r.Loop() {
		t.Errorf("flags %v, loop: %v; want the flag race", r.Flags, r.Loop())
	}
}

// The same race is one of an execution that never ends: behind the first loop, the thread waits in
// vain in another, whose rounds leave no trace either.
func TestRaceBeforeAnEndlessWait(t *testing.T) {
	const early = `PTX early
{ x=0; f=0; g=0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0          ;
 st.weak x, 1        | L: ld.acquire.gpu r1, f ;
 st.release.gpu f, 1 | ld.weak r2, x           ;
                     | and r3, r1, r2          ;
                     | beq r3, 0, L            ;
                     | M: ld.relaxed.gpu r4, g ;
                     | beq r4, 0, M            ;
exists (P1:r3=1)`
	for _, engine := range []sim.Engine{sim.Fast, sim.Learning, sim.Naive} {
		config := sim.Defaults()
		if config.Engine = engine; engine == sim.Learning {
			config.Want = sim.States
		}
		r := simtest.Run(t, simtest.Load(t, early, config), simtest.LoadModel(t, "ptx"))
		if !slices.Equal(r.Flags, []string{sim.HangFlag, "race"}) || len(r.States) > 0 {
			t.Errorf("engine %v: flags %v, %d states; want the flags hang and race", engine, r.Flags, len(r.States))
		}
	}
}

// Two names of a location have one final value.
func TestFinalValuesOfAliases(t *testing.T) {
	const text = `PTX finals
{ x=0; y @ generic aliases x; z=0; }
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;
 st.weak x, 1   | st.weak x, 2   ;
 st.weak z, 1   | st.weak z, 2   ;
locations [x; y; z;]
exists (x=1 /\ y=2)`
	r := simtest.Run(t, simtest.Load(t, text, sim.Defaults()), simtest.LoadModel(t, "ptx"))
	want := "[x]=1; [y]=1; [z]=1; | [x]=1; [y]=1; [z]=2; | [x]=2; [y]=2; [z]=1; | [x]=2; [y]=2; [z]=2;"
	if got := simtest.States(r); got != want || r.Outcome() != sim.Forbidden {
		t.Errorf("%v: %s, want %s", r.Outcome(), got, want)
	}
}

// Many writes of one thread have one order.
func TestManyWritesOfAThread(t *testing.T) {
	text := "PTX many\n{ x=0; }\n P0@cta 0 ;\n" + strings.Repeat(" st.weak x, 1 ;\n", 12) + "exists (x=1)"
	r := simtest.Run(t, simtest.Load(t, text, sim.Defaults()), simtest.LoadModel(t, "ptx"))
	if r.Positive != 1 || r.Negative != 0 {
		t.Errorf("Positive: %d Negative: %d, want 1 and 0", r.Positive, r.Negative)
	}
}

// A meaningless computation in a candidate that the model forbids is no error: the barrier passes
// the pointer on.
func TestMeaninglessButForbidden(t *testing.T) {
	const published = `PTX published
{ x=5; p=0; }
 P0@cta 0,gpu 0      | P1@cta 0,gpu 0       ;
 mov.u64 r9, x       | bar.sync 0           ;
 st.weak.u64 [p], r9 | ld.weak.u64 r1, [p]  ;
 bar.sync 0          | ld.weak.u32 r2, [r1] ;
exists (1:r2=5)`
	test := simtest.Load(t, published, sim.Defaults())
	for _, model := range []string{"ptx", "sc"} {
		if got := simtest.States(simtest.Run(t, test, simtest.LoadModel(t, model))); got != "1:r2=5;" {
			t.Errorf("%s: states %s, want 1:r2=5;", model, got)
		}
	}
	_, err := test.Run(context.Background(), simtest.LoadModel(t, "coherence"))
	if err == nil || !strings.Contains(err.Error(), "test.litmus:6:24: 0 is used as an address") {
		t.Errorf("%v, want an error: barriers mean nothing to coherence", err)
	}
}

func TestUnrollBound(t *testing.T) {
	unrolled := func(n int) sim.Config { return sim.Config{Reading: frontend.Options{Unroll: n}} }
	sc := simtest.LoadModel(t, "sc")
	traced := strings.Replace(spin, "             | setp", "             | st.cg [y],2     ;\n             | setp", 1)
	r := simtest.Run(t, simtest.Load(t, traced, unrolled(2)), sc)
	if !r.Loop() || r.Incomplete() != "a loop goes on after 2 iterations or more, each of which writes: st.cg" || !sim.IsBound(r.Limit) {
		t.Errorf("loop: %v; %s", r.Loop(), r.Incomplete())
	}
	// It reads 0 up to twice, then 1.
	if diff := cmp.Diff([]string{"1:r0=1; ×3 *"}, counted(r)); diff != "" {
		t.Error(diff)
	}
	if rec := r.Record(); r.Outcome() != sim.Unknown || rec.Verdict != litmus.Undef || rec.Observation != litmus.Undecided || !rec.Loop {
		t.Errorf("%v, in the log: %v", r.Outcome(), rec)
	}

	// What the rounds within the bound show stays certain.
	for condition, want := range map[string]sim.Outcome{"exists (1:r0=1)": sim.Allowed, "exists (1:r0=0)": sim.Unknown, "forall (1:r0=1)": sim.Unknown} {
		head, _, _ := strings.Cut(traced, "forall")
		r := simtest.Run(t, simtest.Load(t, head+condition, unrolled(2)), sc)
		if r.Outcome() != want || r.Record().Observation != litmus.Undecided {
			t.Errorf("%s: %v, %v; want %v", condition, r.Outcome(), r.Record().Observation, want)
		}
	}

	const counter = `GPU_PTX counter
{ x; }
 P0             ;
 L: add r0,r0,1 ;
 st [x],r0      ;
 setp.lt p,r0,40;
 @p bra L       ;
forall ([x]=40)`
	declared := strings.Replace(counter, "{ x; }", "{ x; 0:.reg .s32 r0; }", 1)
	for n, loop := range map[int]bool{0: true, 6: true, 7: false, 8: false} {
		r := simtest.Run(t, simtest.Load(t, declared, unrolled(n)), sc)
		if r.Loop() != loop || (r.Positive == 1) == loop {
			t.Errorf("unrolled %d times: loop: %v, states %v", n, r.Loop(), counted(r))
		}
	}
}

// TestLoopThatCannotGoOn: the path that is cut needs to read 0, but x is never 0.
func TestLoopThatCannotGoOn(t *testing.T) {
	r := simtest.Run(t, simtest.Load(t, strings.Replace(spin, "{ x;", "{ x=2;", 1), sim.Defaults()), simtest.LoadModel(t, "sc"))
	if r.Loop() || simtest.States(r) != "1:r0=1; | 1:r0=2;" {
		t.Errorf("loop: %v, states %s", r.Loop(), simtest.States(r))
	}
}

func TestFailedCAS(t *testing.T) {
	const text = `GPU_PTX cas
{ x=5; }
 P0                  | P1          ;
 atom.cas r0,[x],4,6 | st.cg [x],7 ;
(cta P0 P1)
locations [x]
exists (0:r0=5)`
	for writes, want := range map[bool][]string{
		false: {"0:r0=5; [x]=7; ×1 *", "0:r0=7; [x]=7; ×1"},
		true:  {"0:r0=5; [x]=5; ×1 *", "0:r0=5; [x]=7; ×1 *", "0:r0=7; [x]=7; ×1"},
	} {
		c := sim.Config{Reading: frontend.Options{CASFailWrites: writes}}
		if diff := cmp.Diff(want, counted(simtest.Run(t, simtest.Load(t, text, c), simtest.LoadModel(t, "ptx-asplos15")))); diff != "" {
			t.Errorf("a failed cas writes: %v\n%s", writes, diff)
		}
	}
}

// TestFailedCASDependsOnBothOperands: what a failed cas writes back is a choice between the
// old value and the new one, so it depends on the load of the new one. Both atomics read 5,
// so that of T1 reads what the failed one of T0 wrote; the rest is load buffering.
func TestFailedCASDependsOnBothOperands(t *testing.T) {
	const text = `GPU_PTX LB+cas+data
{ x; y=5; }
 P0                   | P1                 ;
 ld.cg r1,[x]         | atom.exch r2,[y],7 ;
 atom.cas r0,[y],0,r1 | and r3,r2,0        ;
                      | add r3,r3,1        ;
                      | st.cg [x],r3       ;
(cta P0 P1)
exists (0:r0=5 /\ 1:r2=5 /\ 0:r1=1)`
	test := simtest.Load(t, text, sim.Config{Reading: frontend.Options{CASFailWrites: true}})
	for model, want := range map[string]sim.Outcome{
		"coherence": sim.Allowed, // dependencies make no difference
		"ptx":       sim.Forbidden,
	} {
		if got := simtest.Run(t, test, simtest.LoadModel(t, model)).Outcome(); got != want {
			t.Errorf("%s: %v, want %v", model, got, want)
		}
	}
}

// TestLimits: what is found before a limit is hit counts; what is not is unknown.
func TestLimits(t *testing.T) {
	tests := []struct {
		sections, model string
		limit           int
		outcome         sim.Outcome
		verdict         litmus.Verdict
	}{
		// The candidates come in the order 00, 01, 10, 11.
		{"exists (0:r0=0 /\\ 1:r0=0)", "sc", 3, sim.Unknown, litmus.Undef},
		{"exists (0:r0=0 /\\ 1:r0=0)", "tso", 1, sim.Allowed, litmus.OK},
		{"exists (0:r0=1)", "sc", 2, sim.Unknown, litmus.Undef},
		{"exists (0:r0=1)", "sc", 3, sim.Allowed, litmus.OK},
		{"~exists (0:r0=1)", "sc", 2, sim.Unknown, litmus.Undef},
		{"~exists (0:r0=1)", "sc", 3, sim.Allowed, litmus.No},
		{"forall (0:r0=0)", "sc", 2, sim.Unknown, litmus.Undef},
		{"forall (0:r0=0)", "sc", 3, sim.Allowed, litmus.No},
	}
	for _, tt := range tests {
		c := sim.Config{Limits: enumerate.Options{MaxCandidates: tt.limit}}
		r := simtest.Run(t, simtest.Load(t, sb+tt.sections, c), simtest.LoadModel(t, tt.model))
		if r.Outcome() != tt.outcome || r.Record().Verdict != tt.verdict {
			t.Errorf("%s after %d: %v, %v; want %v, %v", tt.sections, tt.limit, r.Outcome(), r.Record().Verdict, tt.outcome, tt.verdict)
		}
		want := fmt.Sprintf("stopped after %d candidate executions", tt.limit)
		if !sim.IsLimit(r.Limit) || r.Incomplete() != want || r.Stats.Candidates != tt.limit {
			t.Errorf("%s: %v with %+v, want %s", tt.sections, r.Incomplete(), r.Stats, want)
		}
	}
	c := sim.Config{Limits: enumerate.Options{MaxCandidates: 4}}
	if r := simtest.Run(t, simtest.Load(t, sb+"exists (0:r0=5)", c), simtest.LoadModel(t, "sc")); r.Limit != nil || r.Outcome() != sim.Forbidden {
		t.Errorf("%v, %v, but there are no more than 4 candidates", r.Outcome(), r.Limit)
	}
}

// huge has more executions than can be enumerated in a lifetime.
func huge() string {
	const threads = 12
	row := func(cell string) string {
		cells := make([]string, threads)
		for i := range cells {
			cells[i] = strings.ReplaceAll(cell, "N", fmt.Sprint(i))
		}
		return strings.Join(cells, " | ") + " ;\n"
	}
	return "GPU_PTX huge\n{ x; }\n" + row("PN") + row("st [x],N") + row("ld r0,[x]") +
		"(cta" + strings.NewReplacer("|", "", ";\n", ")").Replace(" "+row("PN")) + "\nexists (0:r0=99)"
}

func TestTimeout(t *testing.T) {
	c := sim.Defaults()
	c.Timeout = time.Nanosecond
	test := simtest.Load(t, huge(), c)
	r := simtest.Run(t, test, simtest.LoadModel(t, "sc"))
	if !sim.IsLimit(r.Limit) || r.Incomplete() != "stopped after 1ns" || r.Outcome() != sim.Unknown {
		t.Errorf("%v: %v", r.Outcome(), r.Limit)
	}
	e, err := test.Explain(context.Background(), simtest.LoadModel(t, "sc"))
	if err != nil || !sim.IsLimit(e.Limit) {
		t.Errorf("explain: %v, %+v", err, e)
	}
}

// TestCancel: that the caller gives up is an error, not an answer.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	test := simtest.Load(t, huge(), sim.Defaults())
	if r, err := test.Run(ctx, simtest.LoadModel(t, "sc")); !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("%v, %v", r, err)
	}
	if e, err := test.Explain(ctx, simtest.LoadModel(t, "sc")); !errors.Is(err, context.Canceled) || e != nil {
		t.Errorf("explain: %v, %v", e, err)
	}
}

func TestLoadErrors(t *testing.T) {
	tests := []struct {
		text, want string
		limit      bool
	}{
		{sb, "expected a final condition", false},
		{sb + "exists (0:r9=0)", "P0 has no register r9", false},
		{"GPU_PTX x\n{ x; 0:.reg .s32 r0; }\n P0 ;\n" + strings.Repeat("ld r0,[x] ;\n@r0 mov r1,1 ;\n", 15) + "forall (true)", "16384 control paths", true},
	}
	for _, tt := range tests {
		test, err := sim.Load(src.NewFile("test.litmus", tt.text), sim.Defaults())
		if err == nil || test != nil || !strings.Contains(err.Error(), tt.want) || sim.IsLimit(err) != tt.limit {
			t.Errorf("%v, a limit: %v; want %q, %v", err, sim.IsLimit(err), tt.want, tt.limit)
		}
	}
}

// TestMeaningless: what is known only in an execution is an error of the run, and says
// where it happened.
func TestMeaningless(t *testing.T) {
	const text = `GPU_PTX meaningless
{ p=x; x; 0:.reg .b64 r9=x; }
 P0              ;
 ld.b64 r0,[p]   ;
 add.u64 r1,r0,r9 ;
 CODE            ;
forall (true)`
	for code, want := range map[string]string{
		"st.b64 [p],r1": "test.litmus:5:2: add of an address has no meaning",
		"membar.cta":    "test.litmus:5:2: add of an address has no meaning", // it stays in r1
		"mov.b64 r1,0":  "",
		"ld r1,[r0+4]":  "test.litmus:6:2: the address x+4 is not that of a location",
	} {
		r, err := simtest.Load(t, strings.Replace(text, "CODE", code, 1), sim.Defaults()).Run(context.Background(), simtest.LoadModel(t, "sc"))
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: %v, %v; want %q", code, r, err, want)
		}
	}
}

// TestFaultsPointAtTheirInstruction: of several instructions, the one that computes what has no
// meaning is named, whatever needs the value.
func TestFaultsPointAtTheirInstruction(t *testing.T) {
	const text = `PTX faults
{ x=70; y=0; P0:r2=0; }
 P0@cta 0,gpu 0     | P1@cta 0,gpu 0      ;
 ld.weak.u32 r1,[x] | ld.weak.u32 r2,[x]  ;
 CODE               | st.weak.u32 [x],0   ;
 st.weak.u32 [y],r2 |                     ;
exists (y=1)`
	for code, want := range map[string]string{
		"div.u32 r2,6,r1":     "test.litmus:5:2: div by zero has no meaning",
		"rem.s32 r2,6,r1":     "test.litmus:5:2: rem by zero has no meaning",
		"add.u32 r2,6,r1":     "",
		"bar.sync r1":         "test.litmus:5:2: the value 70 is out of range: 0 to 15",
		"ld.weak.u32 r2,[r1]": "test.litmus:5:2: 70 is used as an address; only locations have addresses",
	} {
		_, err := simtest.Load(t, strings.Replace(text, "CODE", code, 1), sim.Defaults()).Run(context.Background(), simtest.LoadModel(t, "ptx"))
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: %v; want %q", code, err, want)
		}
	}
}

// TestPointersInMemory: a write through a pointer does not write the pointer.
func TestPointersInMemory(t *testing.T) {
	const text = `GPU_PTX pointers
{ x; y; p=x; }
 P0               | P1            ;
 st.cg.b64 [p],y  | ld.b64 r1,[p] ;
                  | st.cg [r1],5  ;
(cta P0 P1)
locations [x; y; p; 1:r1]
forall (true)`
	r := simtest.Run(t, simtest.Load(t, text, sim.Defaults()), simtest.LoadModel(t, "sc"))
	want := []string{"1:r1=x; [p]=y; [x]=5; [y]=0; ×1 *", "1:r1=y; [p]=y; [x]=0; [y]=5; ×1 *"}
	if diff := cmp.Diff(want, counted(r)); diff != "" {
		t.Error(diff)
	}
}

func TestRecord(t *testing.T) {
	r := simtest.Run(t, simtest.Load(t, sb+"exists (0:r0=1 /\\ [x]=1)", sim.Defaults()), simtest.LoadModel(t, "ptx-asplos15"))
	rec := r.Record()
	var b strings.Builder
	rec.Time = 0
	if _, err := rec.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	want := `Test sb Allowed
States 2
0:r0=0; [x]=1;
0:r0=1; [x]=1;
Ok
Witnesses
Positive: 2 Negative: 2
Condition exists (0:r0=1 /\ [x]=1)
Observation sb Sometimes 2 2
Time sb 0.00
Hash=` + r.Test.Hash() + "\n\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// TestVocabulary: every shipped model knows its names.
func TestVocabulary(t *testing.T) {
	vocab := sim.Vocabulary()
	for _, info := range models.List() {
		simtest.LoadModel(t, info.Name)
	}
	if _, err := simtest.NewModel(t, "acyclic membar.cluster as x").Check(vocab); err == nil {
		t.Error("membar.cluster is accepted")
	}
}
