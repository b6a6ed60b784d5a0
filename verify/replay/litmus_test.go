package replay_test

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify/replay"
)

// TestLitmus: each race of the kernels, written as a litmus test, is a race in the model of PTX;
// two threads of a race-free kernel are not.
func TestLitmus(t *testing.T) {
	ptx := model(t)
	all, err := examples.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Verdict() != "race" && e.Verdict() != "verified" {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			m, err := examples.Module(e.Files[0])
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range e.Launches {
				r, err := launch.New(m).Run(t.Context(), l)
				if err != nil {
					t.Fatal(err)
				}
				for _, race := range r.Races {
					text := replay.Litmus("race", r, race)
					if flagged(t, ptx, text) == atomicsOrder(e.Name) {
						t.Errorf("the model sees a race: %v, in\n%s", !atomicsOrder(e.Name), text)
					}
				}
				for _, pair := range [][2]int{{0, 1}, {1, 5}, {0, r.Launch.Block.Count()}} {
					if len(r.Races) > 0 || r.Excluded != nil ||
						pair[1] >= r.Launch.Grid.Count()*r.Launch.Block.Count() || events(r, pair) > 40 {
						continue
					}
					if text := replay.Threads("threads", r, pair[0], pair[1]); flagged(t, ptx, text) {
						t.Errorf("the model sees a race in\n%s", text)
					}
				}
			}
		})
	}
}

// TestExchangesOrderNothing: exchanges between lanes of a warp order no memory, and are no barriers
// in the test of two of them.
func TestExchangesOrderNothing(t *testing.T) {
	m := parse(t, `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 .ptr .global A) {
 .reg .b32 %r<4>; .reg .b64 %rd<5>;
 ld.param.u64 %rd1, [A]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;
 st.global.u32 [%rd2], %r1;
 shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;
 mul.wide.u32 %rd3, %r2, 4; add.s64 %rd3, %rd1, %rd3;
 ld.global.u32 %r3, [%rd3];
 ret;
}
`)
	r, err := launch.New(m).Run(t.Context(), launch.Launch{
		Kernel: "k", Block: launch.Dim{X: 32}, Args: []launch.Arg{{Buffer: &launch.Buffer{Name: "A", Size: 128}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if text := replay.Threads("threads", r, 0, 1); len(r.Races) == 0 || !flagged(t, model(t), text) {
		t.Errorf("%d races; the model sees none in\n%s", len(r.Races), text)
	}
}

// atomicsOrder reports whether orders other than barriers affect the accesses of a kernel.
func atomicsOrder(name string) bool { return name == "last-block-fences" }

// events returns the number of events of two threads.
func events(r *launch.Report, threads [2]int) (n int) {
	for _, a := range r.Accesses {
		if slices.Contains(threads[:], a.Thread) {
			n++
		}
	}
	for _, s := range r.Syncs {
		if slices.Contains(threads[:], s.Thread) {
			n++
		}
	}
	return n
}

func model(t *testing.T) *cat.Model {
	t.Helper()
	m, err := models.Load("ptx", models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return m.Model
}

// flagged reports whether the model flags a race in a test.
func flagged(t *testing.T, m *cat.Model, text string) bool {
	t.Helper()
	test, err := sim.Load(src.NewFile("test.litmus", text), sim.Config{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	r, err := test.Run(t.Context(), m)
	if err != nil || r.Incomplete() != "" {
		t.Fatalf("%v, %s\n%s", err, r.Incomplete(), text)
	}
	return slices.Contains(r.Flags, "race")
}

const folder = "../testdata/kernels"
