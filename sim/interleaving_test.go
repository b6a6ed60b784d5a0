package sim_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/bounds"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/internal/engine/interleaving"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// drawOneLocation draws a program whose threads use one location, and now and then another.
func drawOneLocation(t *rapid.T) string { return drawLocations(t, 0) }

// drawLocations draws a program of which as many instructions of twenty as it is told use another location.
func drawLocations(t *rapid.T, others int) string {
	strong := []string{
		"atom.relaxed.gpu.add.u32 r%d,[x],1", "atom.relaxed.gpu.add.u32 r%d,[x],2", "atom.acq_rel.gpu.exch.b32 r%d,[x],7",
		"atom.relaxed.gpu.cas.b32 r%d,[x],1,5", "atom.release.gpu.inc.u32 r%d,[x],2", "red.relaxed.gpu.max.s32 [x],%d",
		"ld.relaxed.gpu.u32 r%d,[x]", "ld.acquire.gpu.u32 r%d,[x]", "st.relaxed.gpu.u32 [x],%d", "st.release.gpu.u32 [x],r%d",
	}
	doubtful := []string{
		"ld.weak.u32 r%d,[x]", "st.weak.u32 [x],%d", "atom.relaxed.cta.add.u32 r%d,[x],1", "ld.relaxed.gpu.u32 r%d,[y]",
		"fence.sc.gpu; // %d", "bar.sync 0; // %d",
	}
	elsewhere := []string{
		"ld.relaxed.gpu.u32 r%d,[y]", "st.relaxed.gpu.u32 [y],%d", "st.release.gpu.u32 [y],%d", "ld.weak.u32 r%d,[y]",
		"atom.acq_rel.gpu.exch.b32 r%d,[y],9", "fence.sc.gpu; // %d",
	}
	threads := rapid.IntRange(1, 3).Draw(t, "threads")
	var columns [][]string
	rows := 0
	for i := range threads {
		var column []string
		for j := range rapid.IntRange(1, 4).Draw(t, "length") {
			from := strong
			switch doubt := rapid.IntRange(0, 19).Draw(t, "doubt"); {
			case doubt == 0:
				from = doubtful
			case doubt <= others:
				from = elsewhere
			}
			text, _, _ := strings.Cut(fmt.Sprintf(rapid.SampledFrom(from).Draw(t, "instruction"), j), ";")
			column = append(column, text)
		}
		switch rapid.IntRange(0, 4).Draw(t, "end") {
		case 0:
			column = append(column, "fence.acq_rel.gpu", fmt.Sprintf("setp.ge.u32 p%d,r0,3", i), fmt.Sprintf("@p%d bra END%d", i, i), "atom.add.u32 r5,[x],r0", fmt.Sprintf("END%d:", i))
		case 1:
			column = append([]string{fmt.Sprintf("L%d: atom.acquire.gpu.cas.b32 r0,[x],0,1", i), "setp.ne.u32 p,r0,0", fmt.Sprintf("@p bra L%d", i)}, column...)
		}
		columns, rows = append(columns, column), max(rows, len(column))
	}
	var b strings.Builder
	b.WriteString("PTX one\n{ x=0; y=3; ")
	for i := range columns {
		fmt.Fprintf(&b, "P%d:r0=0; P%[1]d:r1=0; P%[1]d:r2=0; P%[1]d:r3=0; P%[1]d:r5=0; ", i)
	}
	b.WriteString("}\n")
	for i := range columns {
		fmt.Fprintf(&b, "%s P%d@cta %d,gpu 0 ", bar(i), i, i)
	}
	b.WriteString(";\n")
	for row := range rows {
		for i, column := range columns {
			cell := ""
			if row < len(column) {
				cell = column[row]
			}
			b.WriteString(bar(i) + " " + cell + " ")
		}
		b.WriteString(";\n")
	}
	observed := []string{"x"}
	for i := range columns {
		for _, r := range []string{"r0", "r2", "r5"} {
			if rapid.Bool().Draw(t, "observed") {
				observed = append(observed, fmt.Sprintf("%d:%s", i, r))
			}
		}
	}
	fmt.Fprintf(&b, "locations [%s;]\nexists (x=3)\n", strings.Join(observed, "; "))
	return b.String()
}

// bar is what stands between columns.
func bar(i int) string {
	if i == 0 {
		return ""
	}
	return "|"
}

// TestInterleavingOnRandomTests compares the counts of interleavings with those of the fast engine, which others
// compare with the naive one: on programs of one location, under all models.
func TestInterleavingOnRandomTests(t *testing.T) {
	all := everyModel(t, "PTX")
	names := slices.Sorted(maps.Keys(all))
	counted, tried := map[string]int{}, map[string]int{}
	config := sim.Defaults()
	config.Timeout = 5 * time.Second
	multiplyChecks(t, 10, 100)
	rapid.Check(t, func(rt *rapid.T) {
		text := drawOneLocation(rt)
		name := rapid.SampledFrom(names).Draw(rt, "model")
		test, err := sim.Load(src.NewFile("one.litmus", text), config)
		if err != nil {
			rt.Fatalf("%v\n%s", err, text)
		}
		got, err := test.Interleaving(context.Background(), all[name])
		if err != nil {
			rt.Fatalf("under %s: %v\n%s", name, err, text)
		}
		if tried[name]++; got == nil {
			return
		}
		want, err := test.Run(context.Background(), all[name])
		if err == nil && hitLimit(want) {
			return
		}
		if diff := cmp.Diff(saidBy(want, err), saidBy(got, nil)); diff != "" {
			rt.Fatalf("under %s (-fast +interleaving):\n%s\n%s", name, diff, text)
		}
		counted[name]++
		for i := range got.States {
			checkWitness(rt, text, name, all[name], test, &got.States[i])
		}
	})
	t.Log(counted, tried)
	some, of := 0, 0
	for _, name := range []string{"sc", "tso", "ptx", "ptx-6.0", "ptx-7.5"} {
		some, of = some+counted[name], of+tried[name]
	}
	if !t.Failed() && some < of/8 {
		t.Errorf("interleavings of only %d programs of %d are counted", some, of)
	}
}

// TestLasts: the final values of one location among others, as its own interleavings have them, are all that it has in
// consistent executions, under all models.
func TestLasts(t *testing.T) {
	all := everyModel(t, "PTX")
	names := slices.Sorted(maps.Keys(all))
	known, exact, tried := 0, 0, 0
	config := sim.Defaults()
	config.Timeout, config.Want = 5*time.Second, sim.States
	multiplyChecks(t, 10, 100)
	rapid.Check(t, func(rt *rapid.T) {
		text := drawLocations(rt, 6)
		m := all[rapid.SampledFrom(names).Draw(rt, "model")]
		test, err := sim.Load(src.NewFile("one.litmus", text), config)
		if err != nil {
			rt.Fatalf("%v\n%s", err, text)
		}
		p, err := m.Compile(sim.Vocabulary())
		if err != nil {
			return
		}
		tried++
		observe := test.Query().Observe
		x := slices.IndexFunc(observe, func(o final.Observable) bool { return o.Loc != event.NoLoc })
		can := map[string]bool{}
		for s, err := range test.Program.Structures(context.Background()) {
			if err != nil {
				rt.Fatal(err)
			}
			if s.Truncated || s.Stuck {
				continue
			}
			values, _, known := interleaving.Lasts(engine.NewBudget(engine.Forever), bounds.NewProgram(p), s, observe[x].Loc)
			if !known {
				return
			}
			for _, v := range values {
				can[test.Program.Value(v).String()] = true
			}
		}
		r, err := test.Run(context.Background(), m)
		if err != nil || hitLimit(r) {
			return
		}
		has := map[string]bool{}
		for _, s := range r.States {
			if v := s.State()[x].String(); !can[v] {
				rt.Fatalf("x=%s is none of %v\n%s", v, can, text)
			} else {
				has[v] = true
			}
		}
		known++
		if len(has) == len(can) {
			exact++
		}
	})
	t.Logf("of %d, the values of %d are known, and %d have all of them", tried, known, exact)
	if !t.Failed() && (known < tried/8 || exact < known/2) {
		t.Error("too little is known")
	}
}
