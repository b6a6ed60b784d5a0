package interp_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/interp"
)

const messagePassing = "PTX mp\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x,1 | ld.weak r1,y ;\n " +
	"st.weak y,1 | ld.weak r2,x ;\nexists (P1:r1=1 /\\ P1:r2=0)\n"

// TestLimit: a kernel that runs for too long is abandoned, and the machine can run others.
func TestLimit(t *testing.T) {
	plan := planOf(t, parse(t, "mp", messagePassing), harness.SM90)
	for _, m := range []*interp.Machine{interp.New(1), interp.NewWeak(1)} {
		m.Limit = 100 * time.Millisecond
		long := small()
		long.PreRounds = 1 << 20
		began := time.Now()
		_, err := plan.Run(t.Context(), m, long, 1, 10)
		var late *harness.LateError
		if !errors.As(err, &late) || time.Since(began) > 20*time.Second {
			t.Errorf("%v, after %v", err, time.Since(began))
		}
		m.Limit = 0
		if h, err := plan.Run(t.Context(), m, small(), 1, 10); err != nil || h.Instances < 10 {
			t.Errorf("then: %v", err)
		}
	}
}

// TestTooLarge: settings that need more memory than the machine has are refused at once.
func TestTooLarge(t *testing.T) {
	plan := planOf(t, parse(t, "mp", messagePassing), harness.SM90)
	for name, change := range map[string]func(*harness.Settings){
		"lines of lineStride bytes": func(s *harness.Settings) { s.Lines, s.LineStride = 1<<20, 1<<20 },
		"MiB of memory":             func(s *harness.Settings) { s.CTAs, s.Stride = 1<<12, 1<<20 },
		"more than the interpreter": func(s *harness.Settings) { s.CTAs, s.Threads, s.StressCTAs = 2, 1024, 60000 },
	} {
		s := small()
		change(&s)
		m := interp.New(1)
		_, err := plan.Run(t.Context(), m, s, 1, 10)
		var unfit *harness.Unfit
		if !errors.As(err, &unfit) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if m.Live() != 0 {
			t.Errorf("%s: %d allocations are left", name, m.Live())
		}
	}
}

// TestMemoryIsUsedAgain: consecutive tests do not need more memory than one.
func TestMemoryIsUsedAgain(t *testing.T) {
	plan := planOf(t, parse(t, "mp", messagePassing), harness.SM90)
	m := interp.New(1)
	s := small()
	s.Stride = 1 << 15 // 32 MiB a test
	for range 10 {
		if _, err := plan.Run(t.Context(), m, s, 1, 10); err != nil {
			t.Fatal(err)
		}
	}
}
