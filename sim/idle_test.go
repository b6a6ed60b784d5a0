package sim_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/axiomatic"
	"github.com/muster-gpu/muster/internal/engine/bounds"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestIdles: without the structures of which nobody needs the idle round everything is found that is found with them, where flags are
// asked for, and where only what makes the behaviour undefined is.
func TestIdles(t *testing.T) {
	models := map[string]map[string]*cat.Model{}
	for _, arch := range []string{"PTX", "OPENCL", "C"} {
		models[arch] = everyModel(t, arch)
	}
	config := atRandom()
	needed, needless := 0, 0
	multiplyChecks(t, 4, 200)
	rapid.Check(t, func(rt *rapid.T) {
		arch := rapid.SampledFrom([]string{"PTX", "OPENCL", "C"}).Draw(rt, "language")
		var text string
		if arch == "PTX" {
			text, _ = drawAny(rt)
		} else {
			text = drawWaiting(rt, arch)
		}
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(models[arch]))).Draw(rt, "model")
		p, err := models[arch][name].Compile(sim.Vocabulary())
		if err != nil {
			return
		}
		c := config
		c.Want = rapid.SampledFrom([]sim.Want{sim.States, sim.Verdict}).Draw(rt, "effort")
		test, err := sim.Load(src.NewFile("test.litmus", text), c)
		if err != nil || test.Program.Combinations() > mostListed/4 {
			return
		}
		a, b := compareIdles(rt, name+"\n"+text, test, bounds.NewProgram(p), c.Want)
		needed, needless = needed+a, needless+b
	})
	if t.Logf("%d structures have an idle round that is needed, %d one that is not", needed, needless); needed == 0 || needless < needed {
		t.Errorf("%d structures have an idle round that is needed, %d one that is not", needed, needless)
	}
}

// compareIdles demands that the learning engine finds the same in all structures of a test and in those whose idle rounds somebody needs. It
// counts the structures with idle rounds.
func compareIdles(t *rapid.T, about string, test *sim.Test, p *bounds.Program, effort sim.Want) (needed, needless int) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second/4)
	defer cancel()
	all, some := axiomatic.New(p, sim.LearningQuery(test)), axiomatic.New(p, sim.LearningQuery(test))
	inVain, known := some.Idles(engine.NewBudget(ctx.Err), test.Program.Family(ctx)), true
	for s, err := range test.Program.Structures(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		far, err := all.Explore(engine.NewBudget(ctx.Err), s)
		known = known && far.Answered() && err == nil
		if slices.ContainsFunc(s.Paths, inVain) {
			needless++
			continue
		}
		if slices.ContainsFunc(s.Paths, (*event.Path).Idles) {
			needed++
		}
		far, err = some.Explore(engine.NewBudget(ctx.Err), s)
		known = known && far.Answered() && err == nil
	}
	if effort == sim.Verdict {
		if len(all.States) > 0 && len(some.States) > 0 {
			return needed, needless // nobody asks for more
		}
		all.Hang, some.Hang = engine.Exhibit{}, engine.Exhibit{} // nor for executions that never end
	}
	if got, want := answered(some), answered(all); known && got != want {
		t.Fatalf("without needless idle rounds the learning engine says\n%s\nwith them\n%s\nunder %s", got, want, about)
	}
	return needed, needless
}

// drawWaiting draws threads of C that write, tell others and wait to be told, by atomics or not.
func drawWaiting(t *rapid.T, arch string) string {
	order := func(orders ...string) string {
		return "memory_order_" + rapid.SampledFrom(orders).Draw(t, "order")
	}
	statements := map[string]func() string{
		"write": func() string { return "*x = 1;" },
		"tell": func() string {
			return fmt.Sprintf("atomic_store_explicit(y, 1, %s);", order("relaxed", "release", "seq_cst"))
		},
		"set":   func() string { return "*z = 1;" },
		"count": func() string { return fmt.Sprintf("atomic_fetch_add_explicit(y, 1, %s);", order("relaxed", "acq_rel")) },
		"await": func() string {
			return fmt.Sprintf("while (atomic_load_explicit(y, %s) == %d) {}", order("relaxed", "acquire"), rapid.IntRange(0, 1).Draw(t, "while"))
		},
		"look":  func() string { return "while (*z == 0) {}" },
		"read":  func() string { return "r0 = *x;" },
		"peek":  func() string { return fmt.Sprintf("r1 = atomic_load_explicit(y, %s);", order("relaxed", "acquire")) },
		"fence": func() string { return fmt.Sprintf("atomic_thread_fence(%s);", order("acquire", "release", "acq_rel")) },
	}
	names := slices.Sorted(maps.Keys(statements))
	at, space := "", ""
	var b, seen strings.Builder
	for i := range rapid.IntRange(2, 3).Draw(t, "threads") {
		body := []string{"int r0 = 0;", "int r1 = 0;"}
		for range rapid.IntRange(1, 3).Draw(t, "statements") {
			body = append(body, statements[rapid.SampledFrom(names).Draw(t, "statement")]())
		}
		if arch == "OPENCL" {
			at, space = fmt.Sprintf("@wg %d,dev 0 ", i), "global "
		}
		fmt.Fprintf(&b, "P%d%s(%sint* x, %satomic_int* y, %sint* z) {\n  %s\n}\n", i, at, space, space, space, strings.Join(body, "\n  "))
		fmt.Fprintf(&seen, "%d:r0;%[1]d:r1;", i)
	}
	return fmt.Sprintf("%s waiting\n{ x=0; y=0; z=0; }\n%slocations [%s]\nexists (0:r0=1)\n", arch, b.String(), seen.String())
}
