package interp_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/interp"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/litmus"
	litmustests "github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// allowed returns the states that a model allows.
func allowed(t *testing.T, test *litmus.Test, model string) map[string]bool {
	t.Helper()
	loaded, err := sim.Load(test.File, sim.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	m, err := models.Load(model, models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := loaded.Run(context.Background(), m.Model)
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]bool{}
	for _, s := range r.States {
		states[s.State().Format(loaded.Observables())] = true
	}
	return states
}

// runWeak runs a test on the weak machine.
func runWeak(t *testing.T, plan *harness.Plan, seed uint64, instances int) *harness.Histogram {
	t.Helper()
	s := small()
	s.Stride, s.CTAs = 4, max(s.CTAs, len(plan.Test.Threads))
	m := interp.NewWeak(seed)
	m.MaxSteps = 50_000_000
	h, err := plan.Run(t.Context(), m, s, seed, instances)
	if err != nil {
		t.Fatalf("%s: %v", plan.Test, err)
	}
	return h
}

// TestWeakMachine runs the shipped tests: the model of PTX allows what the weak machine does.
func TestWeakMachine(t *testing.T) {
	for _, dir := range []string{"asplos15", "cuda", "ptx"} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			weak := 0
			for i, test := range shipped(t, dir, sample.Of(1, 24)) {
				if test.plan == nil {
					continue
				}
				h := runWeak(t, test.plan, uint64(i), 200)
				checkStates(t, test.Test, h, allowed(t, test.Test, "ptx"))
				sc := sequential(t, test.Test)
				if slices.ContainsFunc(h.States, func(c harness.Count) bool { return !sc[c.State.Format(h.Refs)] }) {
					weak++
				}
			}
			if t.Logf("%d tests with weak behaviour", weak); weak < 1 {
				t.Errorf("only %d tests with weak behaviour", weak)
			}
		})
	}
}

// onGPUs is message passing from one GPU to another, with orders in the scope of one GPU or of all.
var onGPUs = map[string]string{
	"several GPUs, in the scope of one": passing("gpu"),
	"several GPUs, in that of all":      passing("sys"),
}

func passing(scope string) string {
	return strings.ReplaceAll(`PTX passing
{ x=0; y=0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 1         ;
 st.weak x,1          | ld.acquire.SCOPE r1,y  ;
 st.release.SCOPE y,1 | ld.weak r2,x           ;
exists (P1:r1=1 /\ P1:r2=0)
`, "SCOPE", scope)
}

// TestWeakShapes: the machine shows the known idioms of weak memory, except where they are
// forbidden.
func TestWeakShapes(t *testing.T) {
	for _, tt := range []struct {
		test string
		seen bool
	}{
		{"MP+rlx.gpus", true},
		{"MP+rel.gpu+acq.gpu", false},
		{"SB+rel-acq.gpus", true},
		{"SB+fence.sc.gpus", false},
		{"LB+pos+rlx.gpus", true},
		{"2+2W+rlx.gpus", true},
		{"IRIW+rlx.gpus", true},
		{"CoRR+weaks", true},
		{"CoRR+rlx.gpus", false},
		{"several GPUs, in the scope of one", true},
		{"several GPUs, in that of all", false},
	} {
		t.Run(tt.test, func(t *testing.T) {
			t.Parallel()
			text, ok := onGPUs[tt.test]
			if !ok {
				shipped, err := litmustests.FS.ReadFile("ptx/" + tt.test + ".litmus")
				if err != nil {
					t.Fatal(err)
				}
				text = string(shipped)
			}
			test := parse(t, tt.test, text)
			n, seeds := 0, uint64(6)
			if !tt.seen {
				seeds = uint64(sample.Of(6, 1))
			}
			for seed := range seeds {
				if n > 0 {
					break
				}
				h := runWeak(t, planOf(t, test, harness.SM90), seed, 1000)
				for _, c := range h.States {
					if test.Cond.Prop.Eval(c.State.Lookup(h.Refs)) {
						n += c.N
					}
				}
			}
			if (n > 0) != tt.seen {
				t.Errorf("seen %d times, want some: %t", n, tt.seen)
			}
		})
	}
}
