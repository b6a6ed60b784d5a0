package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestHangsAreNotVisited: an execution that never ends has no final state, so that there is nothing
// to count. That one is consistent is all that is wanted of them, however many there are: beside a
// thread that waits in vain, 18 threads in a ring can read in 2^18 ways.
func TestHangsAreNotVisited(t *testing.T) {
	const threads, few = 18, 1000
	columns := [3][]string{{"L: ld.relaxed.gpu.u32 r0,[f]"}, {"setp.ne.u32 p,r0,1"}, {"@p bra L"}}
	header, locations := []string{"P0@cta 0,gpu 0"}, "f=0;"
	for i := range threads {
		header = append(header, fmt.Sprintf("P%d@cta %d,gpu 0", i+1, i+1))
		locations += fmt.Sprintf(" x%d=0;", i)
		columns[0] = append(columns[0], fmt.Sprintf("st.relaxed.gpu.u32 [x%d],1", i))
		columns[1] = append(columns[1], fmt.Sprintf("ld.relaxed.gpu.u32 r0,[x%d]", (i+1)%threads))
		columns[2] = append(columns[2], "")
	}
	text := "PTX hang\n{ " + locations + " }\n" + strings.Join(header, " | ") + " ;\n"
	for _, c := range columns {
		text += strings.Join(c, " | ") + " ;\n"
	}
	test := simtest.Load(t, text+"exists (1:r0=0)\n", sim.Defaults())
	r := simtest.Run(t, test, simtest.LoadModel(t, "ptx"))
	if r.Limit != nil || r.Uncounted || len(r.States) > 0 || fmt.Sprint(r.Flags) != "[hang]" {
		t.Errorf("%v, uncounted %v, %d states, flags %v", r.Limit, r.Uncounted, len(r.States), r.Flags)
	}
	if r.Stats.Candidates > few {
		t.Errorf("%d candidates visited", r.Stats.Candidates)
	}
}

// TestHangsNeedTheLastWrite: a thread waits for ever only if each read of its round goes on to
// return the last write of its location. Two reads that return different writes of one location do
// not, whatever the model says of their order.
func TestHangsNeedTheLastWrite(t *testing.T) {
	const text = `PTX two
{ x=0; y=0; }
 P0@cta 0,gpu 0           | P1@cta 1,gpu 0       | P2@cta 2,gpu 0       ;
 L: ld.relaxed.gpu r0,[x] | st.relaxed.gpu [x],1 | st.relaxed.gpu [x],2 ;
 ld.relaxed.gpu r1,[x]    |                      |                      ;
 setp.ne.u32 p,r0,1       |                      |                      ;
 @p bra E                 |                      |                      ;
 setp.eq.u32 p,r1,%d      |                      |                      ;
 @p bra L                 |                      |                      ;
 E: st.relaxed.gpu [y],1  |                      |                      ;
exists (x=2)`
	for second, want := range map[int]string{1: "[hang]", 2: "[]"} {
		for _, model := range []string{"acyclic co", "acyclic po-loc | rf | co | fr"} {
			for _, engine := range []sim.Engine{sim.Fast, sim.Learning, sim.Naive} {
				for _, wanted := range []sim.Want{sim.Counts, sim.States} {
					config := sim.Defaults()
					if config.Engine, config.Want = engine, wanted; engine == sim.Learning && wanted == sim.Counts {
						continue // it does not count
					}
					r := simtest.Run(t, simtest.Load(t, fmt.Sprintf(text, second), config), simtest.NewModel(t, model))
					if got := fmt.Sprint(r.Flags); got != want {
						t.Errorf("%s, engine %v, wanted %v, second read %d: flags %s, want %s", model, engine, wanted, second, got, want)
					}
				}
			}
		}
	}
}
