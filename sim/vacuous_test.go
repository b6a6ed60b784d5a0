package sim_test

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/sim"
)

// inEveryWay runs a test by every engine, with every Want.
func inEveryWay(t *testing.T, text string, m *cat.Model, check func(r *sim.Result)) {
	t.Helper()
	for engine := range sim.Learning + 1 {
		for effort := range sim.Verdict + 1 {
			c := sim.Defaults()
			c.Engine, c.Want, c.Hangs = engine, effort, true
			r := simtest.Run(t, simtest.Load(t, text, c), m)
			if r.Limit != nil {
				t.Errorf("engine %v, effort %v: %v", engine, effort, r.Limit)
			}
			check(r)
		}
	}
}

// TestVacuous checks that a forall over no final state is undefined, and that one which every final
// state satisfies holds, even if some executions hang.
func TestVacuous(t *testing.T) {
	const (
		head  = "PTX t\n{ x=0; P0:r0=0; P0:r1=0; }\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n"
		polls = head + "A: | st.relaxed.gpu x, 1 ;\nld.relaxed.gpu r0, x | ;\nbeq r0, 0, A | ;\n"
		spins = polls + "B: | ;\nld.relaxed.gpu r1, x | ;\nbne r1, 5, B | ;\n"
		waits = "PTX t\n{ x=0; P0:r0=0; }\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n" +
			"ld.relaxed.gpu r0, x | st.relaxed.gpu x, 1 ;\nsetp.eq.s32 p1, r0, 0 | bar.cta.sync 1 ;\n@p1 bra E | ;\nbar.cta.sync 1 | ;\nE: | ;\n"
		stuck = "PTX t\n{ P0:r0=0; }\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\nbar.sync 0 | bar.sync 1 ;\nbar.sync 1 | bar.sync 0 ;\n"
	)
	for _, tt := range []struct {
		name, text, model string
		vacuous           bool
	}{
		{"a poll that succeeds", polls + "forall (0:r0=1)", "ptx", false},
		{"a poll for what nobody writes", spins + "forall (0:r0=1)", "ptx", true},
		{"the same with a condition that is true", spins + "forall (true)", "ptx", true},
		{"the same with exists", spins + "exists (0:r0=1)", "ptx", false},
		{"the same with ~exists", spins + "~exists (0:r0=1)", "ptx", false},
		{"a barrier that some executions pass", waits + "forall (0:r0=1)", "ptx", false},
		{"barriers in opposite orders", stuck + "forall (0:r0=0)", "ptx", true},
		{"a filter that leaves nothing", polls + "filter (0:r0=7)\nforall (0:r0=1)", "ptx", true},
		{"a filter that leaves what holds", polls + "filter (0:r0=1)\nforall (0:r0=1)", "ptx", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := simtest.LoadModel(t, tt.model)
			inEveryWay(t, tt.text, m, func(r *sim.Result) {
				verdict, outcome := r.Record().Verdict, r.Outcome()
				if r.Vacuous != tt.vacuous || tt.vacuous != (verdict == litmus.Undef) || tt.vacuous != (outcome == sim.Undefined) {
					t.Errorf("%v: vacuous %v, verdict %v, outcome %v", r.Work.Engine, r.Vacuous, verdict, outcome)
				}
			})
			x, err := simtest.Load(t, tt.text, sim.Defaults()).Explain(t.Context(), m)
			if err != nil || x.Vacuous != tt.vacuous {
				t.Errorf("the explanation is vacuous: %v (%v)", x.Vacuous, err)
			}
		})
	}
}

// TestVacuousModel checks that a model that forbids everything has no final states either.
func TestVacuousModel(t *testing.T) {
	m := simtest.NewModel(t, `"nothing" ~empty 0 as nothing`)
	inEveryWay(t, "PTX t\n{ x=0; }\nP0 ;\nst x, 1 ;\nforall (x=1)", m, func(r *sim.Result) {
		if !r.Vacuous || r.Outcome() != sim.Undefined {
			t.Errorf("vacuous %v, outcome %v", r.Vacuous, r.Outcome())
		}
	})
}

// gridBarrier is a barrier of two blocks by a flag, after Xiao and Feng, with a helper in the block
// that waits. order is that of the accesses of the flag.
func gridBarrier(order string) string {
	return `PTX grid-barrier
{ data=0; flag=0; P0:r0=0; P1:r0=0; P1:r1=0; }
P0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 1,gpu 0 ;
st.weak data, 7 | bar.cta.sync 3 | bar.cta.sync 3 ;
A: | st.` + order + ` flag, 1 | bar.cta.sync 4 ;
ld.` + order + ` r0, flag | B: | ;
beq r0, 0, A | ld.` + order + ` r0, flag | ;
st.` + order + ` flag, 0 | bne r0, 0, B | ;
 | bar.cta.sync 4 | ;
 | ld.weak r1, data | ;
exists (1:r1=0)
`
}

// TestWeakGridBarrierHangs: weak stores that race stay unordered, so a thread that polls can read
// its own for ever. Relaxed ones do not. The flag is there however little is asked for, also where
// the condition is decided by an execution that ends.
func TestWeakGridBarrierHangs(t *testing.T) {
	for _, name := range []string{"ptx-6.0", "ptx-7.5", "ptx"} {
		for order, hangs := range map[string]bool{"weak": true, "relaxed.gpu": false} {
			t.Run(name+" "+order, func(t *testing.T) {
				inEveryWay(t, gridBarrier(order), simtest.LoadModel(t, name), func(r *sim.Result) {
					if slices.Contains(r.Flags, sim.HangFlag) != hangs {
						t.Errorf("%v: flags %v", r.Work.Engine, r.Flags)
					}
				})
			})
		}
	}
}
