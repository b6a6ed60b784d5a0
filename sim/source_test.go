package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

// TestEventsNameTheirSource: the events of a violation say which calls of the program in C they
// come from, also those of its translation to PTX. Tests in columns have no such program.
func TestEventsNameTheirSource(t *testing.T) {
	const mp = `CUDA mp
{ d = 0; f = 0; }
P0@cta 0,gpu 0 (int* d, cuda::atomic<int, cuda::thread_scope_device>* f) {
  *d = 1;
  f->fetch_add(1);
}
P1@cta 1,gpu 0 (int* d, cuda::atomic<int, cuda::thread_scope_device>* f) {
  int r0 = 0;
  while (r0 == 0) r0 = f->load();
  int r1 = *d;
}
exists (1:r0=1 /\ 1:r1=0)
`
	test := simtest.Load(t, mp, sim.Defaults())
	translated, err := test.For("ptx")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		test  *sim.Test
		model string
		want  string
	}{
		{test, "rc11-scoped", "4 *d = 1; 5 f->fetch_add(1); 9 f->load(); 10 *d"},
		{translated, "ptx", "10 *d; 4 *d = 1; 5 f->fetch_add(1); 9 f->load()"},
		{simtest.Load(t, "PTX mp\n{ d=0; f=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak d, 1 | ld.acquire.gpu r0, f ;\n"+
			" st.release.gpu f, 1 | ld.weak r1, d ;\nexists (1:r0=1 /\\ 1:r1=0)\n", sim.Defaults()), "ptx", ""},
	} {
		e, err := c.test.Explain(t.Context(), simtest.LoadModel(t, c.model))
		if err != nil || len(e.Outcomes) != 1 || len(e.Outcomes[0].Reasons) == 0 {
			t.Fatalf("%s: %v, error %v", c.model, e, err)
		}
		r := e.Outcomes[0].Reasons[0]
		var got []string
		for _, o := range c.test.Origins(r.Execution, &r.Violation) {
			got = append(got, fmt.Sprint(o.At.Pos().Line, " ", o.At.Text()))
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %s, not %s", c.model, strings.Join(got, "; "), c.want)
		}
	}
}

// TestPollingByWrites checks that the limit of a loop that was cut off names the write in each
// iteration, and that a loop that only counts has no such text.
func TestPollingByWrites(t *testing.T) {
	const polls = `CUDA polls
{ f = 0; g = 0; }
P0@cta 0,gpu 0 (int* f) {
  atomicExch(f, 1);
}
P1@cta 1,gpu 0 (int* f, int* g) {
  int n = 0;
  BODY
}
exists (1:n=7)
`
	for body, want := range map[string]string{
		"while (atomicAdd(f, 0) == 0) {}":                      "a loop goes on after 2 iterations or more, each of which writes: line 8, atomicAdd(f, 0)",
		"while (atomicAdd(f, 0) == 0 && n < 1) n++;":           "",
		"while (*(volatile int*)f == 0) n++;":                  "a loop goes on after 2 iterations or more",
		"*g = 3; while (*(volatile int*)f == 0) n++;":          "a loop goes on after 2 iterations or more",
		"while (*(volatile int*)f == 0) {}":                    "",
		"int e = 1; while (atomicCAS(f, e, 2) != 1) { }; n=1;": "",
	} {
		test := simtest.Load(t, strings.Replace(polls, "BODY", body, 1), sim.Defaults())
		if r := simtest.Run(t, test, simtest.LoadModel(t, "rc11-scoped")); r.Incomplete() != want {
			t.Errorf("%s: %q, not %q", body, r.Incomplete(), want)
		}
	}
}
