package sim_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/bench"
	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
)

func explain(t *testing.T, test *sim.Test, m *cat.Model) *sim.Explanation {
	t.Helper()
	e, err := test.Explain(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// reasons writes an explanation: a line for each state, then one for each axiom that
// rules it out.
func reasons(e *sim.Explanation) []string {
	var lines []string
	for i := range e.Outcomes {
		o := &e.Outcomes[i]
		lines = append(lines, fmt.Sprintf("%s %v %d/%d", o.State.Format(e.Refs), o.Outcome(), o.Consistent, o.Candidates))
		for _, r := range o.Reasons {
			lines = append(lines, fmt.Sprintf("%s ×%d: %s", r.Name, r.Rejects, sim.Steps(r.Execution, &r.Violation)))
		}
	}
	return lines
}

// TestFigure14 has the cycle of ASPLOS 2015, Fig. 14, word for word.
func TestFigure14(t *testing.T) {
	e := explain(t, corpusTest(t, "mp+membar.cta+membar.gl-intra-cta"), simtest.LoadModel(t, "ptx-asplos15"))
	want := []string{
		"1:r0=1; 1:r2=0; forbidden 0/1",
		"cta-constraint ×1: a:W[x]=1 –membar.cta→ b:W[y]=1 –rfe→ c:R[y]=1 –membar.gl→ d:R[x]=0 –fr→ a",
	}
	if diff := cmp.Diff(want, reasons(e)); diff != "" {
		t.Error(diff)
	}
}

func TestReasons(t *testing.T) {
	incs := func(condition string) string {
		return `GPU_PTX incs
{ x; }
 P0              | P1              ;
 atom.inc r0,[x] | atom.inc r0,[x] ;
(cta P0 P1)
` + condition
	}
	const corr = `GPU_PTX coRR
{ x; }
 P0          | P1           ;
 st.cg [x],1 | ld.cg r1,[x] ;
             | ld.cg r2,[x] ;
(cta P0 P1)
exists (1:r1=1 /\ 1:r2=0)`
	const coww = `GPU_PTX coWW
{ x; }
 P0          | P1          ;
 st.cg [x],1 | st.cg [x],3 ;
 st.cg [x],2 |             ;
(cta P0 P1)
exists ([x]=1)`
	tests := []struct {
		name, text, model string
		want              []string
	}{
		{
			"several axioms, each with a cycle of its own", corr, "tso",
			[]string{
				"1:r1=1; 1:r2=0; forbidden 0/1",
				"sc-per-location ×1: a:W[x]=1 –rf→ b:R[x]=1 –po-loc→ c:R[x]=0 –fr→ a",
				"tso ×1: a:W[x]=1 –rfe→ b:R[x]=1 –po→ c:R[x]=0 –fr→ a",
			},
		},
		{
			"an allowed state needs no reasons", corr, "rmo",
			[]string{"1:r1=1; 1:r2=0; allowed 1/1"},
		},
		{
			"an outcome that no candidate has", sb + "exists (0:r0=5)", "sc",
			nil,
		},
		{
			"each state that the condition asks about, sorted", sb + "exists (0:r0=0)\nlocations [1:r0]", "sc",
			[]string{
				"0:r0=0; 1:r0=0; forbidden 0/1",
				"sc ×1: a:W[x]=1 –po→ b:R[y]=0 –fr→ c:W[y]=1 –po→ d:R[x]=0 –fr→ a",
				"0:r0=0; 1:r0=1; allowed 1/1",
			},
		},
		{
			"all states", sb + "exists (true)\nlocations [0:r0; 1:r0]", "tso",
			[]string{
				"0:r0=0; 1:r0=0; allowed 1/1", "0:r0=0; 1:r0=1; allowed 1/1",
				"0:r0=1; 1:r0=0; allowed 1/1", "0:r0=1; 1:r0=1; allowed 1/1",
			},
		},
		{
			"forall asks about the states that break it", sb + "forall (0:r0=1 \\/ 1:r0=1)", "sc",
			[]string{
				"0:r0=0; 1:r0=0; forbidden 0/1",
				"sc ×1: a:W[x]=1 –po→ b:R[y]=0 –fr→ c:W[y]=1 –po→ d:R[x]=0 –fr→ a",
			},
		},
		{
			"~exists asks about the states that it denies", sb + "~exists (0:r0=1 /\\ 1:r0=1)", "sc",
			[]string{"0:r0=1; 1:r0=1; allowed 1/1"},
		},
		{
			"what the filter drops is not asked about", sb + "filter (0:r0=1)\nexists (1:r0=0)", "sc",
			[]string{"0:r0=1; 1:r0=0; allowed 1/1"},
		},
		{
			"each candidate of a state counts", coww, "coherence",
			[]string{"[x]=1; forbidden 0/2", "sc-per-location ×2: a:W[x]=1 –po-loc→ b:W[x]=2 –co→ a"},
		},
		{
			"a state is allowed if one of its candidates is", incs("exists ([x]=2)"), "sc",
			[]string{"[x]=2; allowed 2/2"},
		},
		{
			"a state is allowed if a later candidate is", `GPU_PTX own
{ x; }
 P0           ;
 st.cg [x],1  ;
 ld.cg r0,[x] ;
exists ([x]=1)`, "coherence",
			[]string{"[x]=1; allowed 1/2"},
		},
		{
			"an axiom that wants a relation empty", incs("exists (0:r0=0 /\\ 1:r0=0)"), "sc",
			[]string{"0:r0=0; 1:r0=0; forbidden 0/2", "atomicity ×2: c:R[x]=0 –fre→ b:W[x]=1 –coe→ d:W[x]=1 ←rmw– c"},
		},
	}
	for _, tt := range tests {
		e := explain(t, simtest.Load(t, tt.text, sim.Defaults()), simtest.LoadModel(t, tt.model))
		if diff := cmp.Diff(tt.want, reasons(e)); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
		if e.Limit != nil {
			t.Errorf("%s: %v", tt.name, e.Limit)
		}
		for _, o := range e.Outcomes {
			if (o.Witness != nil) != (o.Outcome() == sim.Allowed) || (len(o.Reasons) > 0) != (o.Outcome() == sim.Forbidden) {
				t.Errorf("%s: %+v has the witness %v", tt.name, o, o.Witness)
			}
		}
	}
}

// TestSteps has violations of every form.
func TestSteps(t *testing.T) {
	tests := []struct{ model, want string }{
		{"empty R as no-reads", "no-reads ×1: b:R[y]=0, d:R[x]=0"},
		{"empty F * R as x\nempty [R];fr as y", "y ×1: b:R[y]=0 –fr→ c:W[y]=1"},
		{"irreflexive po;fr;po;fr as x", "x ×1: a:W[x]=1 –po→ b:R[y]=0 –fr→ c:W[y]=1 –po→ d:R[x]=0 –fr→ a"},
		{"acyclic po^-1 | fr^-1 as back", "back ×1: a:W[x]=1 ←fr– d:R[x]=0 ←po– c:W[y]=1 ←fr– b:R[y]=0 ←po– a"},
		{"~empty F as fenced", "fenced ×1: it is empty"},
		{"acyclic co | (W*W)", "acyclic co | W * W ×1: init:W[x]=0 –W * W→ init"},
	}
	for _, tt := range tests {
		got := reasons(explain(t, simtest.Load(t, sb+"exists (0:r0=0 /\\ 1:r0=0)", sim.Defaults()), simtest.NewModel(t, tt.model)))
		want := []string{"0:r0=0; 1:r0=0; forbidden 0/1", tt.want}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", tt.model, diff)
		}
	}
}

// TestExplainLikely: of the candidates of a state that an axiom rejects, one is shown that keeps
// coherence, though the cycle be longer: the outcome is about messages, not about two writes.
func TestExplainLikely(t *testing.T) {
	// 1:r1=2 says that b is read; a and b may be in either order.
	const text = `GPU_PTX shortest
{ x; y; }
 P0          | P1           ;
 st.cg [x],1 | ld.cg r1,[y] ;
 st.cg [y],1 | ld.cg r2,[x] ;
 st.cg [y],2 |              ;
(cta P0 P1)
exists (1:r1=1 /\ 1:r2=0)`
	e := explain(t, simtest.Load(t, text, sim.Defaults()), simtest.LoadModel(t, "sc"))
	// With c before b in co, these two alone make a cycle.
	want := []string{
		"1:r1=1; 1:r2=0; forbidden 0/2",
		"sc ×2: a:W[x]=1 –po→ b:W[y]=1 –rf→ d:R[y]=1 –po→ e:R[x]=0 –fr→ a",
	}
	if diff := cmp.Diff(want, reasons(e)); diff != "" {
		t.Error(diff)
	}
}

// TestExplainAlone: a candidate that an axiom rejects alone tells more of it than one
// that others reject too, though the cycle be longer.
func TestExplainAlone(t *testing.T) {
	const text = `GPU_PTX alone
{ x; y; }
 P0          | P1           ;
 st.cg [x],1 | ld.cg r1,[y] ;
 st.cg [y],1 | ld.cg r2,[x] ;
 st.cg [y],2 |              ;
(cta P0 P1)
exists (1:r1=1 /\ 1:r2=0)`
	m := simtest.NewModel(t, "acyclic po-loc | co as coherence\nacyclic po | rf | co | fr as sc")
	want := []string{
		"1:r1=1; 1:r2=0; forbidden 0/2",
		"sc ×2: a:W[x]=1 –po→ b:W[y]=1 –rf→ d:R[y]=1 –po→ e:R[x]=0 –fr→ a",
		"coherence ×1: b:W[y]=1 –po-loc→ c:W[y]=2 –co→ b",
	}
	got := reasons(explain(t, simtest.Load(t, text, sim.Defaults()), m))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestExplainCalls: a check of a procedure is an axiom for each call of it by another name, and one
// in a forall is one axiom, which rejects a candidate once.
func TestExplainCalls(t *testing.T) {
	m := simtest.NewModel(t, `
procedure coherent(order) = acyclic order | rf | co | fr as coherence end
call coherent(po-loc & (R * R)) as plain
call coherent(po) as strong
forall scope in { gl, sys } do irreflexive po; (fr & scope); po; fr as each end`)
	want := []string{
		"0:r0=0; 1:r0=0; forbidden 0/1",
		"strong.coherence ×1: a:W[x]=1 –po→ b:R[y]=0 –fr→ c:W[y]=1 –po→ d:R[x]=0 –fr→ a",
		"each ×1: a:W[x]=1 –po→ b:R[y]=0 –fr→ c:W[y]=1 –po→ d:R[x]=0 –fr→ a",
	}
	e := explain(t, simtest.Load(t, sb+"exists (0:r0=0 /\\ 1:r0=0)", sim.Defaults()), m)
	if diff := cmp.Diff(want, reasons(e)); diff != "" {
		t.Error(diff)
	}
	for _, r := range e.Outcomes[0].Reasons {
		if r.RejectedBy != 2 {
			t.Errorf("%d axioms reject the candidate of %s", r.RejectedBy, r.Name)
		}
	}

	want = []string{
		"1:r1=0; 1:r3=0; forbidden 0/6",
		"strong.coherence ×6: a:W[x]=1 –po→ c:W[m]=0 –rf→ d:R[m]=0 –po→ f:R[x]=0 –fr→ a",
		"plain.coherence ×5: c:W[m]=0 –rf→ d:R[m]=0 –po-loc→ e:W[m]=1 –co→ c",
	}
	m = simtest.NewModel(t, `
procedure coherent(order) = acyclic order | rf | co | fr as coherence end
call coherent(po-loc) as plain
call coherent(po) as strong`)
	if diff := cmp.Diff(want, reasons(explain(t, corpusTest(t, "cas-sl"), m))); diff != "" {
		t.Error(diff)
	}
}

// TestExplainOwnNames: a name that a model gives to something else is told by its definition, and
// what follows from a coherence order of the model's own by its name.
func TestExplainOwnNames(t *testing.T) {
	const own = "with co from partial-orders(loc & (W * W), co0)\n"
	const fr = "a:W[x]=1 –po→ b:R[y]=0 –fr→ c:W[y]=1 –po→ d:R[x]=0 –fr→ a"
	tests := []struct{ test, model, want, story string }{
		{
			"cas-sl", "let rfe = po & loc\nacyclic rfe | rf as x\nempty M as none",
			"b:R[m]=1 –po→ c:W[m]=0 –rf→ d:R[m]=0 –po→ e:W[m]=1 –rf→ b",
			"b:R[m]=1 is before c:W[m]=0 in program order, d:R[m]=0 reads what c wrote",
		},
		{
			"mp-inter-cta", "let f(co) = co | rf\nacyclic f(po) | fr as x",
			"a:W[x]=1 –po→ b:W[y]=1 –rf→ c:R[y]=1 –po→ d:R[x]=0 –fr→ a",
			"a:W[x]=1 is before b:W[y]=1 in program order, c:R[y]=1 reads what b wrote",
		},
		{
			"sb-shared-global", own + "let fr = rf^-1; co\nacyclic po | rf | co | fr as x", fr,
			"a:W[x]=1 is before b:R[y]=0 in program order, c:W[y]=1 overwrites what b read",
		},
		{
			"sb-shared-global", own + "let fr = po | (rf^-1; co)\nacyclic rf | co | fr as x", fr,
			"a:W[x]=1 is before b:R[y]=0 in program order, c:W[y]=1 overwrites what b read",
		},
		{
			"sb-shared-global", "forall co in { po } do acyclic co | fr as x end",
			"a:W[x]=1 –the model's co→ b:R[y]=0 –fr→ c:W[y]=1 –the model's co→ d:R[x]=0 –fr→ a",
			"the model's co relates a:W[x]=1 to b:R[y]=0, c:W[y]=1 overwrites what b read",
		},
	}
	for _, tt := range tests {
		all := explain(t, corpusTest(t, tt.test), simtest.NewModel(t, tt.model)).Outcomes[0].Reasons
		r := all[slices.IndexFunc(all, func(r *sim.Reason) bool { return r.Name == "x" })]
		if got := sim.Steps(r.Execution, &r.Violation); got != tt.want {
			t.Errorf("%s:\n%s", tt.model, got)
		}
		if got := sim.Story(r.Execution, &r.Violation); !strings.HasPrefix(got, tt.story) {
			t.Errorf("%s:\n%s", tt.model, got)
		}
	}
}

// TestExplainWithinALimit: what a limit left open is not called forbidden.
func TestExplainWithinALimit(t *testing.T) {
	c := sim.Config{Limits: enumerate.Options{MaxCandidates: 1}, Engine: sim.Naive}
	text := sb + "exists (true)\nlocations [0:r0; 1:r0]"
	e := explain(t, simtest.Load(t, text, c), simtest.LoadModel(t, "sc"))
	want := []string{
		"0:r0=0; 1:r0=0; unknown 0/1",
		"sc ×1: a:W[x]=1 –po→ b:R[y]=0 –fr→ c:W[y]=1 –po→ d:R[x]=0 –fr→ a",
	}
	if diff := cmp.Diff(want, reasons(e)); diff != "" || !sim.IsLimit(e.Limit) || e.Stats.Candidates != 1 {
		t.Errorf("%v, %+v\n%s", e.Limit, e.Stats, diff)
	}
	c.Engine = sim.Fast
	if e := explain(t, simtest.Load(t, text, c), simtest.LoadModel(t, "tso")); len(reasons(e)) != 1 || e.Outcomes[0].Outcome() != sim.Allowed || !sim.IsLimit(e.Limit) {
		t.Errorf("%v, %q", e.Limit, reasons(e))
	}
}

// TestExplainAboutTheOutcome: an exchange that reads its own write is forbidden, too, but what
// comes first is the cycle through the reads that the condition names, with no other axiom against
// it.
func TestExplainAboutTheOutcome(t *testing.T) {
	for test, want := range map[string]string{
		"atomic-ref-mp-exchange": "causality-fr ×6: f:R[x]=0 –fr→ a:W[x]=1 –po→ c:W[f]=1 –rf→ d:R[f]=1 –po→ f",
		"spinlock-cbe+fences":    "causality-fr ×36: f:R[x]=0 –fr→ a:W[x]=1 –po→ f1:membar.gl –fence-sc→ f2:membar.gl –po→ f",
	} {
		e := explain(t, corpusTest(t, test), simtest.LoadModel(t, "ptx"))
		if got := reasons(e)[1]; got != want {
			t.Errorf("%s: %s", test, got)
		}
	}
}

// TestExplainManyTellingly: of many states, all but eight at most are explained by one candidate,
// with a read of an item in its cycle.
func TestExplainManyTellingly(t *testing.T) {
	ring, _ := bench.KernelNamed("ring")
	e := explain(t, simtest.Load(t, ring.Make(4, 0), sim.Defaults()), simtest.LoadModel(t, "ptx"))
	one := 0
	for _, s := range e.Outcomes {
		r := s.Reasons[0]
		takes := func(e int) bool {
			return r.Structure.Events[e].Thread == 1 && r.Loc[e] != event.NoLoc && r.Locs[r.Loc[e]].Name[0] == 'b'
		}
		if !slices.ContainsFunc(r.Steps, func(step cat.Step) bool { return takes(step.From) }) {
			t.Errorf("%v: %v", s.State, r.Steps)
		}
		if s.Candidates == 1 {
			one++
		}
	}
	if len(e.Outcomes) != 27 || one < 27-8 {
		t.Errorf("%d states, %d of them by one candidate", len(e.Outcomes), one)
	}
}

// building counts how often the structures of a program are built.
type building struct {
	frontend.Program
	times int
}

func (b *building) Structures(ctx context.Context) iter.Seq2[*event.Structure, error] {
	b.times++
	return b.Program.Structures(ctx)
}

// TestExplainBuildsOnce: what is consistent is searched, and then all searches with axioms off
// share the structures.
func TestExplainBuildsOnce(t *testing.T) {
	for _, name := range []string{"ticket-lock+fences", "c-spinlock", "MP+rel.gpu+acq.gpu"} {
		test := corpusTest(t, name)
		b := &building{Program: test.Program}
		test.Program = b
		e, err := test.Explain(t.Context(), simtest.LoadModel(t, test.Format.Model))
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Outcomes) == 0 || e.Outcomes[0].Reasons == nil {
			t.Errorf("%s: nothing is explained", name)
		}
		if b.times > 2 {
			t.Errorf("%s: structures are built %d times", name, b.times)
		}
	}
}
