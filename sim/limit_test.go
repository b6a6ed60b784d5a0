package sim_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/internal/testkit/draw"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestWhatPollsAmongMany checks that the write in a loop that was cut off is found even if its
// combinations of paths come after millions of others.
func TestWhatPollsAmongMany(t *testing.T) {
	columns := [][]string{{"L0: atom.acquire.gpu.exch.b32 r0,[c],1", "setp.ne.u32 p,r0,0", "@p bra L0"}}
	for i := range 20 {
		columns = append(columns, []string{fmt.Sprintf("L%d: ld.acquire.gpu.u32 r0,[x]", i+1), "setp.eq.u32 p,r0,0", fmt.Sprintf("@p bra L%d", i+1)})
	}
	if got := simtest.Load(t, draw.Columns(columns), sim.Defaults()).Polls(t.Context()); got != "atom.acquire.gpu.exch.b32" {
		t.Errorf("%q", got)
	}
}

// TestCutOffBesideEndless checks that a path cut off by the unroll bound leaves the verdict open,
// although another thread of the execution never ends and the query does not ask for such
// executions.
func TestCutOffBesideEndless(t *testing.T) {
	const text = `PTX cut
{ x=0; }
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0         ;
 L: bra L       | mov r0, 0              ;
                | M: st.relaxed.gpu x, 1 ;
                | add r0, r0, 1          ;
                | setp.lt p, r0, 80      ;
                | @p bra M               ;
forall (x=1)`
	for engine := range sim.Learning + 1 {
		config := sim.Defaults()
		config.Engine, config.Want = engine, sim.Verdict
		if r := simtest.Run(t, simtest.Load(t, text, config), simtest.LoadModel(t, "ptx")); r.Outcome() != sim.Unknown {
			t.Errorf("engine %v says %v", engine, r.Outcome())
		}
	}
}

// impatient is a context that is done after it has been asked a number of times.
type impatient struct {
	context.Context
	left, late int
}

func (c *impatient) Err() error {
	if c.left--; c.left > 0 {
		return nil
	}
	c.late++
	return &enumerate.LimitError{Limit: "many questions"}
}

func (c *impatient) Value(any) any { return nil }

// columns returns a test with the given number of threads in one CTA; line returns the instruction
// of a thread at step k.
func columns(threads, steps int, line func(thread, k int) string) string {
	var b strings.Builder
	row := func(cell func(thread int) string) {
		cells := make([]string, threads)
		for i := range cells {
			cells[i] = cell(i)
		}
		fmt.Fprintf(&b, " %s ;\n", strings.Join(cells, " | "))
	}
	b.WriteString("PTX columns\n{ x=0; y=0; }\n")
	row(func(thread int) string { return fmt.Sprintf("P%d@cta 0,gpu 0", thread) })
	for k := range steps {
		row(func(thread int) string { return line(thread, k) })
	}
	return b.String() + "exists (x=-1)"
}

// long is programs that keep an engine busy: with many ways to meet at barriers, many orders of a
// model, or many events.
var long = map[string]string{
	"barriers": columns(6, 3, func(int, int) string { return "bar.sync 0, 64" }),
	"barriers named by values": columns(4, 4, func(_, k int) string {
		return []string{"ld.relaxed.gpu r0, x", "bar.sync r0, 64"}[k%2]
	}),
	"runs of exchanges": columns(2, 40, func(thread, k int) string {
		return fmt.Sprintf("atom.exch.relaxed.gpu.b32 r%d, x, %d", k, 1+2*k+thread)
	}),
	"many threads": columns(16, 8, func(thread, k int) string {
		if k%2 == 0 {
			return fmt.Sprintf("st.relaxed.gpu x, %d", 8*thread+k+1)
		}
		return fmt.Sprintf("ld.relaxed.gpu r%d, x", k)
	}),
	"many fences": columns(16, 8, func(int, int) string { return "fence.sc.gpu" }),
}

// TestLimitsAreKeptEverywhere checks that each engine regularly asks whether to stop, and stops
// when told to.
func TestLimitsAreKeptEverywhere(t *testing.T) {
	for name, text := range long {
		for _, model := range []string{"ptx", "sc"} {
			if name == "many fences" && model == "sc" {
				continue // one candidate
			}
			for _, engine := range []sim.Engine{sim.Fast, sim.Naive} {
				test := simtest.Load(t, text, sim.Config{Engine: engine})
				ctx := &impatient{t.Context(), 12, 0}
				r, err := test.Run(ctx, simtest.LoadModel(t, model))
				if err != nil {
					t.Fatalf("%s, %s: %v", name, model, err)
				}
				if r.Limit == nil || r.Incomplete() != "stopped after many questions" {
					t.Errorf("%s, %s, engine %v: %q", name, model, engine, r.Incomplete())
				}
				if ctx.late > 8 {
					t.Errorf("%s, %s, engine %v: asked %d times after the end", name, model, engine, ctx.late)
				}
			}
		}
	}
}

// TestLimitOfWhatPolls checks the same for the search for the write in a loop that was cut off.
func TestLimitOfWhatPolls(t *testing.T) {
	ctx := &impatient{t.Context(), 12, 0}
	if got := simtest.Load(t, long["barriers"], sim.Config{}).Polls(ctx); got != "" || ctx.late == 0 || ctx.late > 8 {
		t.Errorf("%q, asked %d times after the end", got, ctx.late)
	}
}

// TestTimeoutEndsWhatIsLong checks that each of the long programs reports that the time limit cut
// it short.
func TestTimeoutEndsWhatIsLong(t *testing.T) {
	for name, text := range long {
		test := simtest.Load(t, text, sim.Config{Timeout: 20 * time.Millisecond})
		if r := simtest.Run(t, test, simtest.LoadModel(t, "ptx")); r.Incomplete() != "stopped after 20ms" {
			t.Errorf("%s: %q", name, r.Incomplete())
		}
	}
}

// TestTimeoutEndsAnalyses checks that analyses of a program before any execution stop in time, too.
// For a thread with thousands of accesses they take a minute.
func TestTimeoutEndsAnalyses(t *testing.T) {
	var text strings.Builder
	text.WriteString("PTX writes\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n ld.relaxed.gpu r0, [x] | st.relaxed.gpu [x], 1 ;\n")
	for range 3000 {
		text.WriteString(" st.relaxed.gpu [x], 2 | ;\n")
	}
	text.WriteString("exists (0:r0=1)\n")
	config := sim.Defaults()
	config.Timeout = time.Second
	test := simtest.Load(t, text.String(), config)
	began := time.Now()
	r := simtest.Run(t, test, simtest.LoadModel(t, "ptx"))
	if took := time.Since(began); r.Limit == nil || took > 10*time.Second {
		t.Errorf("%v after %v", r.Limit, took)
	}
}

// TestMaxMemory checks that a bound on memory ends a test after a garbage collection, with advice,
// and that a wide bound does not.
func TestMaxMemory(t *testing.T) {
	ended := make(chan *sim.Result)
	test := simtest.Load(t, long["barriers"], sim.Config{MaxMemory: 1})
	go func() {
		r, err := test.Run(t.Context(), simtest.LoadModel(t, "ptx"))
		if err != nil {
			t.Error(err)
		}
		ended <- r
	}()
	for {
		select {
		case r := <-ended:
			const want = "stopped after 1B of memory, which all tests that run share; " +
				"a larger bound, or fewer tests at a time, may help"
			if r == nil || !sim.IsLimit(r.Limit) || r.Incomplete() != want {
				t.Errorf("got %v, want %q", r, want)
			}
			return
		default:
			runtime.GC()
		}
	}
}

// TestWideBoundOnMemory checks that a bound that is not exceeded changes nothing.
func TestWideBoundOnMemory(t *testing.T) {
	text := columns(4, 2, func(int, int) string { return "bar.sync 0, 64" })
	free, bounded := simtest.Load(t, text, sim.Config{}), simtest.Load(t, text, sim.Config{MaxMemory: 1 << 40})
	a, b := simtest.Run(t, free, simtest.LoadModel(t, "ptx")), simtest.Run(t, bounded, simtest.LoadModel(t, "ptx"))
	if b.Limit != nil || a.Positive != b.Positive || a.Negative != b.Negative {
		t.Errorf("%v: %d and %d, want %d and %d", b.Limit, b.Positive, b.Negative, a.Positive, a.Negative)
	}
}

// TestBytes checks that amounts of memory print with binary units.
func TestBytes(t *testing.T) {
	var got []string
	for _, b := range []sim.Bytes{0, 1023, 1 << 10, 3 << 29, 1 << 40, 5 << 50} {
		got = append(got, b.String())
	}
	if want := []string{"0B", "1023B", "1KiB", "1.5GiB", "1TiB", "5120TiB"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
