package simtest

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// CompareLearned demands that the learning engine finds the states and flags of the fast engine,
// with witnesses that the model allows, and the same verdict if only that is asked for. It returns
// the number of structures and the number that the learning engine answered.
func CompareLearned(t testing.TB, text string, config sim.Config, name string, m *cat.Model) (all, learnt int) {
	t.Helper()
	config.Want = sim.States
	config.Limits.MaxCandidates = sample.Of(1000, 200)
	ordinary := config
	limit := time.Duration(sample.Of(3, 1)) * time.Second // it may search for minutes and reach few candidates
	ordinary.Timeout = cmp.Or(config.Timeout, limit)
	test, err := sim.Load(src.NewFile("test.litmus", text), ordinary)
	if err != nil {
		return 0, 0
	}
	want, errFast := test.Run(context.Background(), m)
	if errFast == nil && HitLimit(want) {
		return 0, 0
	}
	config.Engine = sim.Learning
	test = Load(t, text, config)
	got, err := test.Run(context.Background(), m)
	if err == nil && HitLimit(got) && config.Timeout > 0 || err != nil && errFast != nil {
		return 0, 0
	}
	if err != nil || errFast != nil {
		t.Fatalf("under %s: the learning engine says %v, the fast one %v\n%s", name, err, errFast, text)
	}
	if States(got) != States(want) || !slices.Equal(got.Flags, want.Flags) ||
		!slices.Equal(got.Undefined, want.Undefined) || got.Loop() != want.Loop() {
		t.Fatalf("under %s: the learning engine finds\n%s %v %v %v\nthe fast one\n%s %v %v %v\n%s", name,
			States(got), got.Flags, got.Undefined, got.Loop(), States(want), want.Flags, want.Undefined, want.Loop(),
			text)
	}
	for i := range got.States {
		CheckWitness(t, text, name, m, test, &got.States[i])
	}
	config.Want = sim.Verdict
	r, err := Load(t, text, config).Run(context.Background(), m)
	if err != nil || !HitLimit(r) && !sameVerdict(r, want) {
		t.Fatalf("under %s, verdict only: %v %v, want %v\n%s", name, r.Outcome(), err, want.Outcome(), text)
	}
	return got.Stats.Structures, got.Work.Left
}

// MessagePassing is message passing of plain data, in each language of tests.
var MessagePassing = map[string]string{
	"PTX": `PTX mp
{ x=0; y=0; }
 P0@cta 0,gpu 0         | P1@cta 1,gpu 0 ;
 st.weak.u32 [x],1      | ld.acquire.gpu.u32 r0,[y] ;
 st.release.gpu.u32 [y],1 | ld.weak.u32 r1,[x] ;
exists (1:r0=1 /\ 1:r1=0)`,
	"C": `C mp
{ x=0; y=0; }
P0 (int* x, atomic_int* y) { *x = 1; atomic_store_explicit(y, 1, memory_order_release); }
P1 (int* x, atomic_int* y) { int r0 = atomic_load_explicit(y, memory_order_acquire); int r1 = *x; }
exists (1:r0=1 /\ 1:r1=0)`,
	"OPENCL": `OPENCL mp
{ x=0; y=0; }
P0@wg 0,dev 0 (global int* x, global atomic_int* y) { *x = 1; atomic_store_explicit(y, 1, memory_order_release); }
P1@wg 1,dev 0 (global int* x, global atomic_int* y) { int r0 = atomic_load_explicit(y, memory_order_acquire); int r1 = *x; }
exists (1:r0=1 /\ 1:r1=0)`,
	"CUDA": `CUDA mp
{ x=0; y=0; }
P0@cta 0,gpu 0 (int* x, cuda::atomic<int>* y) { *x = 1; y->store(1, cuda::memory_order_release); }
P1@cta 1,gpu 0 (int* x, cuda::atomic<int>* y) { int r0 = y->load(cuda::memory_order_acquire); int r1 = *x; }
exists (1:r0=1 /\ 1:r1=0)`,
}

// CompareLearning is CompareLearned as a comparison of OnRandomModel.
func CompareLearning(t testing.TB, text string, config sim.Config, name string, m *cat.Model) {
	t.Helper()
	CompareLearned(t, text, config, name, m)
}
