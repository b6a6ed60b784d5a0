package models_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/oracle/machine"
	"github.com/muster-gpu/muster/internal/testkit/sample"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// maxIterations bounds the counted iterations of loops in random programs.
const maxIterations = draw.Unroll + 2

// loadRandom reads a program as muster does. A candidate limit keeps the few
// programs with very many executions from taking long.
func loadRandom(t *rapid.T, p *machine.Program) *sim.Test {
	test, err := sim.Load(src.NewFile("random.litmus", p.String()), sim.Config{
		Reading: frontend.Options{
			Unroll:        draw.Unroll,
			CASFailWrites: rapid.Bool().Draw(t, "a failed cas writes"),
		},
		Limits: enumerate.Options{MaxCandidates: 2000},
	})
	if err != nil {
		t.Fatalf("%v\n%v", err, p)
	}
	return test
}

// TestSCIsInterleaving compares the final states that the model sc allows with those
// of a machine that runs one instruction after the other. To look longer:
//
//	go test ./models -run 'Interleaving|StoreBuffers|Inclusions' -rapid.checks=10000
func TestSCIsInterleaving(t *testing.T) {
	testAgainstMachine(t, "sc", machine.Semantics{Unroll: draw.Unroll}, draw.Program)
}

// TestTSOIsStoreBuffers compares the model tso with a machine that has a store buffer
// for each thread (Owens, Sarkar, Sewell, "A better x86 memory model: x86-TSO", 2009).
func TestTSOIsStoreBuffers(t *testing.T) {
	testAgainstMachine(t, "tso", machine.Semantics{Unroll: draw.Unroll, Buffered: true}, draw.Program)
}

// TestSCIsInterleavingAtBarriers is the same with barriers.
func TestSCIsInterleavingAtBarriers(t *testing.T) {
	sample.Checks(t, 8, 100)
	testAgainstMachine(t, "sc", machine.Semantics{Unroll: draw.Unroll}, draw.BarrierProgram)
}

// TestTSOIsStoreBuffersAtBarriers is the same with barriers, at which the buffers are empty.
func TestTSOIsStoreBuffersAtBarriers(t *testing.T) {
	sample.Checks(t, 8, 100)
	testAgainstMachine(t, "tso", machine.Semantics{Unroll: draw.Unroll, Buffered: true}, draw.BarrierProgram)
}

func testAgainstMachine(t *testing.T, model string, sem machine.Semantics, draw func(*rapid.T) *machine.Program) {
	m := simtest.LoadModel(t, model)
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t)
		result, err := loadRandom(t, p).Run(context.Background(), m)
		if err != nil {
			t.Fatalf("%v\n%v", err, p)
		}
		compareWithMachine(t, model, sem, p, result)
		if t.Failed() {
			t.Logf("the program:\n%v", p)
		}
	})
}

func compareWithMachine(t *rapid.T, model string, sem machine.Semantics, p *machine.Program, result *sim.Result) {
	want, _, _ := sem.Runs(p)
	further := sem
	further.Unroll += maxIterations
	all, cut, hangs := further.Runs(p)
	refs := result.Test.Observables()
	for _, s := range result.States {
		state := s.State().Format(refs)
		if !all[state] && !p.Contested() {
			t.Errorf("%s allows a state that no run of the machine has:\n%s", model, state)
		}
		delete(want, state)
		delete(all, state)
	}
	if simtest.HitLimit(result) {
		return
	}
	if !result.Loop() && !spins(result.Test) { // counted loops may exceed the bound
		want = all
		if cut {
			t.Errorf("a run goes on beyond the unroll bound, and the result does not say so")
		}
	}
	for _, state := range slices.Sorted(maps.Keys(want)) {
		t.Errorf("%s forbids a state that a run of the machine has:\n%s", model, state)
	}
	if flagged := slices.Contains(result.Flags, "hang"); !cut && !result.Loop() && !p.Contested() && flagged != hangs {
		t.Errorf("%s says that a thread may wait for ever: %v; the machine: %v", model, flagged, hangs)
	}
}

// spins reports whether a thread can iterate a loop without effect, any number of times: such
// iterations are not counted.
func spins(test *sim.Test) bool {
	for s := range test.Program.Structures(context.Background()) {
		if s.Stuck {
			return true
		}
	}
	return false
}
