package observedreport_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/internal/store/observedreport"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// mp is message passing with fences; sb is store buffering without.
const (
	mp = `GPU_PTX MP+membar.gls
{x=0; y=0;}
 T0             | T1             ;
 st.cg.s32 [x],1 | ld.cg.s32 r0,[y] ;
 membar.gl      | membar.gl      ;
 st.cg.s32 [y],1 | ld.cg.s32 r1,[x] ;
ScopeTree(grid (cta (warp T0)) (cta (warp T1)))
exists (1:r0=1 /\ 1:r1=0)
`
	sb = `GPU_PTX SB
{x=0; y=0;}
 T0             | T1             ;
 st.cg.s32 [x],1 | st.cg.s32 [y],1 ;
 ld.cg.s32 r0,[y] | ld.cg.s32 r0,[x] ;
ScopeTree(grid (cta (warp T0)) (cta (warp T1)))
exists (0:r0=0 /\ 1:r0=0)
`
	volatile = `GPU_PTX vol
{x=0;}
 T0             | T1             ;
 st.volatile.s32 [x],1 | ld.volatile.s32 r0,[x] ;
ScopeTree(grid (cta (warp T0)) (cta (warp T1)))
exists (1:r0=1)
`
)

func model(t testing.TB, name string) *models.Model {
	t.Helper()
	m, err := models.Load(name, models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func load(t testing.TB, f *src.File, config sim.Config) *sim.Test {
	t.Helper()
	test, err := sim.Load(f, config)
	if err != nil {
		t.Fatal(err)
	}
	return test
}

func simulate(t testing.TB, text string, m *models.Model, config sim.Config) *sim.Result {
	t.Helper()
	config.Want = sim.States
	r, err := load(t, src.NewFile("test.litmus", text), config).Run(t.Context(), m.Model)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// record returns a record of a test; counts alternates states and their counts.
func record(test *sim.Result, chip observe.Device, optcheck observe.Optcheck, counts ...any) *observe.Record {
	r := &observe.Record{Test: test.Test.Name.Text, Hash: test.Test.Hash(), Device: chip, Optcheck: optcheck}
	for i := 0; i < len(counts); i += 2 {
		state := map[string]string{}
		for _, part := range strings.Fields(counts[i].(string)) {
			name, value, _ := strings.Cut(part, "=")
			state[name] = value
		}
		n := int64(counts[i+1].(int))
		r.Histogram = append(r.Histogram, observe.Bar{State: state, Count: n})
		r.Instances += n
	}
	return r
}

// launched sets the number of launches of a record, and for each state the number of launches that
// showed it.
func launched(r *observe.Record, all int64, came ...int64) *observe.Record {
	r.Launches = all
	for i := range r.Histogram {
		r.Histogram[i].Launches = came[i]
	}
	return r
}

var (
	passed = observe.Optcheck{Verdict: observe.Passed}
	failed = observe.Optcheck{Verdict: observe.Failed, Why: "a load is gone"}
	a      = observe.Device{Name: "A", Vendor: "NVIDIA"}
	b      = observe.Device{Name: "B", Vendor: "Nvidia"}
	amd    = observe.Device{Name: "R", Vendor: "AMD"}
)

// build returns the report on records of one test.
func build(
	t testing.TB, m *models.Model, result *sim.Result, records ...*observe.Record,
) (*observedreport.Report, error) {
	t.Helper()
	l := observe.NewLedger()
	for _, r := range records {
		if err := l.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	r := observedreport.New(l.Devices)
	return r, r.Add(m, result, l.Tests)
}

// lines formats a report: for each outcome the model's answer and the counts on each chip, then the
// totals of the devices and the void runs.
func lines(r *observedreport.Report) []string {
	var all []string
	for _, t := range r.Tests {
		for _, o := range t.Outcomes {
			line := fmt.Sprintf("%s %s", o, o.Says)
			if o.AskedFor {
				line += ", asked for"
			}
			for _, c := range o.Cells {
				line += fmt.Sprintf(" | %d/%d %s", c.Count, c.Instances, c.Standing)
				if c.Launches.Of > 0 {
					line += fmt.Sprintf(" in %d/%d", c.Launches.Seen, c.Launches.Of)
				}
			}
			all = append(all, line)
		}
	}
	for _, d := range r.Devices {
		s, _ := json.Marshal(d.Standings)
		all = append(all,
			fmt.Sprintf("%s: %d tests %d runs %d unchecked %d void %d not run %d instances %d outcomes %s",
				d.Label, d.Tests, d.Runs, d.Unchecked, d.Void, d.NotRun, d.Instances, d.Outcomes, s))
	}
	for _, v := range r.Voids {
		all = append(all, fmt.Sprintf("void: %s on %s, %d: %s", v.Test.Name, v.Device.Label, v.Runs, v.Why))
	}
	return all
}

var (
	asked     = int64(7)
	none      = int64(0)
	weakState = []any{"1:r0=0 1:r1=0", 10, "1:r0=1 1:r1=1", 20, "1:r0=1 1:r1=0", 3}
)

// reportTests are records of a test, with the report about them.
var reportTests = []struct {
	name    string
	text    string
	records func(*sim.Result) []*observe.Record
	want    []string
}{
	{
		"seen and forbidden", mp, func(r *sim.Result) []*observe.Record {
			return []*observe.Record{
				record(r, a, passed, weakState...), record(r, a, observe.Optcheck{}, weakState[:4]...),
				record(r, b, passed, weakState[:4]...),
			}
		},
		[]string{
			"1:r0=0; 1:r1=0; allowed | 20/63 sound | 10/30 sound",
			"1:r0=0; 1:r1=1; allowed | 0/63 sound | 0/30 sound",
			"1:r0=1; 1:r1=0; forbidden, asked for | 3/63 UNSOUND | 0/30 sound",
			"1:r0=1; 1:r1=1; allowed | 40/63 sound | 20/30 sound",
			`A: 1 tests 2 runs 1 unchecked 0 void 0 not run 63 instances 3 outcomes {"UNSOUND":1,"sound":2}`,
			`B: 1 tests 1 runs 0 unchecked 0 void 0 not run 30 instances 2 outcomes {"sound":2}`,
		},
	},
	{
		"launches", mp, func(r *sim.Result) []*observe.Record {
			return []*observe.Record{
				launched(record(r, a, passed, weakState...), 3, 2, 3, 1),
				launched(record(r, a, passed, weakState...), 2, 2, 2, 2),
				launched(record(r, b, passed, weakState...), 3, 2, 3, 1), record(r, b, passed, weakState...),
			}
		},
		[]string{
			"1:r0=0; 1:r1=0; allowed | 20/66 sound in 4/5 | 20/66 sound",
			"1:r0=0; 1:r1=1; allowed | 0/66 sound in 0/5 | 0/66 sound",
			"1:r0=1; 1:r1=0; forbidden, asked for | 6/66 UNSOUND in 3/5 | 6/66 UNSOUND",
			"1:r0=1; 1:r1=1; allowed | 40/66 sound in 5/5 | 40/66 sound",
			`A: 1 tests 2 runs 0 unchecked 0 void 0 not run 66 instances 3 outcomes {"UNSOUND":1,"sound":2}`,
			`B: 1 tests 2 runs 0 unchecked 0 void 0 not run 66 instances 3 outcomes {"UNSOUND":1,"sound":2}`,
		},
	},
	{
		"void runs do not count", mp, func(r *sim.Result) []*observe.Record {
			return []*observe.Record{
				record(r, a, failed, weakState...), record(r, a, failed, weakState...), record(r, b, passed),
			}
		},
		[]string{
			"1:r0=0; 1:r1=0; allowed | 0/0 not run | 0/0 not run",
			"1:r0=0; 1:r1=1; allowed | 0/0 not run | 0/0 not run",
			"1:r0=1; 1:r1=1; allowed | 0/0 not run | 0/0 not run",
			`A: 0 tests 0 runs 0 unchecked 2 void 0 not run 0 instances 0 outcomes {}`,
			`B: 0 tests 0 runs 0 unchecked 0 void 1 not run 0 instances 0 outcomes {}`,
			"void: MP+membar.gls on A, 2: a load is gone",
		},
	},
	{
		"another vendor", mp, func(r *sim.Result) []*observe.Record {
			return []*observe.Record{record(r, amd, passed, weakState...), record(r, a, passed, weakState[:2]...)}
		},
		[]string{
			"1:r0=0; 1:r1=0; allowed | 10/33 outside the model | 10/10 sound",
			"1:r0=0; 1:r1=1; allowed | 0/33 outside the model | 0/10 sound",
			"1:r0=1; 1:r1=0; forbidden, asked for | 3/33 outside the model | 0/10 sound",
			"1:r0=1; 1:r1=1; allowed | 20/33 outside the model | 0/10 sound",
			`R: 1 tests 1 runs 0 unchecked 0 void 0 not run 33 instances 3 outcomes {"outside the model":3}`,
			`A: 1 tests 1 runs 0 unchecked 0 void 0 not run 10 instances 1 outcomes {"sound":1}`,
		},
	},
	{
		"outside the model", volatile, func(r *sim.Result) []*observe.Record {
			return []*observe.Record{record(r, a, passed, "1:r0=5", 1)}
		},
		[]string{
			"1:r0=0; allowed | 0/1 outside the model",
			"1:r0=1; allowed, asked for | 0/1 outside the model",
			"1:r0=5; forbidden | 1/1 outside the model",
			`A: 1 tests 1 runs 0 unchecked 0 void 0 not run 1 instances 1 outcomes {"outside the model":1}`,
		},
	},
	{
		"forall asks for the others", strings.Replace(mp, "exists (1:r0=1", "forall ~(1:r0=1", 1),
		func(r *sim.Result) []*observe.Record {
			return []*observe.Record{record(r, a, passed, weakState[4:]...)}
		},
		[]string{
			"1:r0=0; 1:r1=0; allowed | 0/3 sound",
			"1:r0=0; 1:r1=1; allowed | 0/3 sound",
			"1:r0=1; 1:r1=0; forbidden, asked for | 3/3 UNSOUND",
			"1:r0=1; 1:r1=1; allowed | 0/3 sound",
			`A: 1 tests 1 runs 0 unchecked 0 void 0 not run 3 instances 1 outcomes {"UNSOUND":1}`,
		},
	},
	{
		"tables", mp, func(r *sim.Result) []*observe.Record {
			return []*observe.Record{
				{Test: "MP+membar.gls", Hash: r.Test.Hash(), Device: a, Instances: 100, Asked: &asked},
				{Test: "MP+membar.gls", Hash: r.Test.Hash(), Device: b, Instances: 100, Asked: &none},
				{Test: "MP+membar.gls", Hash: r.Test.Hash(), Device: amd, Instances: 100},
			}
		},
		[]string{
			"1:r0=0; 1:r1=0; allowed | 0/0 not run | 0/0 not run | 0/0 not run",
			"1:r0=0; 1:r1=1; allowed | 0/0 not run | 0/0 not run | 0/0 not run",
			"1:r0=1; 1:r1=1; allowed | 0/0 not run | 0/0 not run | 0/0 not run",
			`exists (1:r0=1 /\ 1:r1=0) forbidden, asked for | 7/100 UNSOUND | 0/100 sound | 0/0 not run`,
			`A: 1 tests 1 runs 1 unchecked 0 void 0 not run 100 instances 1 outcomes {"UNSOUND":1}`,
			`B: 1 tests 1 runs 1 unchecked 0 void 0 not run 100 instances 0 outcomes {}`,
			`R: 0 tests 0 runs 0 unchecked 0 void 1 not run 0 instances 0 outcomes {}`,
		},
	},
}

func TestReport(t *testing.T) {
	paper := model(t, "ptx-asplos15")
	for _, tt := range reportTests {
		t.Run(tt.name, func(t *testing.T) {
			result := simulate(t, tt.text, paper, sim.Defaults())
			r, err := build(t, paper, result, tt.records(result)...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, lines(r)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestReportCutShort: in an answer that a limit cut short, states that were found are allowed and
// the rest is unknown.
func TestReportCutShort(t *testing.T) {
	config := sim.Defaults()
	config.Limits.MaxCandidates = 1
	config.Engine = sim.Naive
	paper := model(t, "ptx-asplos15")
	result := simulate(t, mp, paper, config)
	if result.Limit == nil || len(result.States) != 1 {
		t.Fatalf("the limit was not hit: %v, %d states", result.Limit, len(result.States))
	}
	all := []any{"1:r0=0 1:r1=0", 1, "1:r0=0 1:r1=1", 1, "1:r0=1 1:r1=0", 1, "1:r0=1 1:r1=1", 1}
	r, err := build(t, paper, result, record(result, a, passed, all...))
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Devices[0].Standings; s[observe.Sound] != 1 || s[observe.Unknown] != 3 || len(r.Unsound()) != 0 {
		t.Errorf("standings %v", s)
	}
	var b strings.Builder
	if err := (&observedreport.Page{Report: r}).HTML(&b); err != nil {
		t.Fatal(err)
	}
	if want := "A limit left open what ptx-asplos15 says of 3 of the 4 outcomes"; !strings.Contains(b.String(), want) {
		t.Errorf("the page does not say: %s", want)
	}
}

// TestReportUndefined: a test whose behaviour the model leaves undefined is outside the model,
// whatever it does.
func TestReportUndefined(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.cat")
	text := "\"m\"\nacyclic po | rf | co | fr as sc\nundefined_unless empty rf as unread\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m := model(t, file)
	result := simulate(t, mp, m, sim.Defaults())
	r, err := build(t, m, result, record(result, a, passed, weakState...))
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Devices[0].Standings; s[observe.Outside] != 3 || len(s) != 1 {
		t.Errorf("standings %v", s)
	}
}

// TestReportOtherTest: a state that does not belong to the test is an error.
func TestReportOtherTest(t *testing.T) {
	paper := model(t, "ptx-asplos15")
	result := simulate(t, mp, paper, sim.Defaults())
	r, err := build(t, paper, result, record(result, a, passed, "1:r0=0", 5))
	const want = "the state 1:r0=0; is not one of MP+membar.gls, which ends in values of 1:r0, 1:r1\n    what this " +
		"device showed of the test is left out"
	if err == nil || err.Error() != want || r.Devices[0].Instances != 0 {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestFamilies(t *testing.T) {
	paper := model(t, "ptx-asplos15")
	l := observe.NewLedger()
	results := map[string]*sim.Result{}
	often, seldom := strings.ReplaceAll(mp, ".gl", ".sys"), strings.ReplaceAll(mp, ".gl", ".cta")
	for _, text := range []string{mp, often, seldom, sb, volatile} {
		result := simulate(t, text, paper, sim.Defaults())
		results[result.Test.Name.Text] = result
	}
	for _, rec := range []*observe.Record{
		record(results["MP+membar.gls"], a, passed, "1:r0=0 1:r1=0", 900, "1:r0=1 1:r1=1", 100),
		record(results["MP+membar.gls"], b, passed, "1:r0=0 1:r1=0", 2000),
		record(results["MP+membar.gls"], amd, passed, "1:r0=0 1:r1=1", 5000),
		record(results["MP+membar.ctas"], a, passed, "1:r0=0 1:r1=0", 200, "1:r0=0 1:r1=1", 100, "1:r0=1 1:r1=0", 100),
		record(results["MP+membar.syss"], a, passed, "1:r0=0 1:r1=0", 9000, "1:r0=0 1:r1=1", 9000),
		record(results["MP+membar.syss"], b, passed, "1:r0=0 1:r1=0", 2000),
		record(results["SB"], a, passed, "0:r0=0 1:r0=1", 10, "0:r0=1 1:r0=0", 10, "0:r0=1 1:r0=1", 10),
		record(results["vol"], a, passed, "1:r0=1", 100),
	} {
		if err := l.Add(rec); err != nil {
			t.Fatal(err)
		}
	}
	r := observedreport.New(l.Devices)
	for _, tested := range l.Tests {
		if err := r.Add(paper, results[tested.Name], []*observe.Tested{tested}); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, f := range r.Families() {
		unseen := []string{}
		for _, o := range f.Unseen {
			unseen = append(unseen, o.String())
		}
		got = append(got,
			fmt.Sprintf(
				"%s %d: %d allowed, %d of %d asked for seen, unseen %q, %d runs, %.6f; %d refused, %d runs, %.6f",
				f.Name, len(f.Members), f.Allowed, f.AskedSeen, f.Asked, unseen, f.Runs, f.Upper, len(f.Refused),
				f.RefusedLooked.Runs, f.RefusedLooked.Upper))
	}
	want := []string{ // 1-0.05^(1/400), 1-0.05^(1/3000) and 1-0.05^(1/30)
		`MP 3: 10 allowed, 1 of 1 asked for seen, unseen ["1:r0=0; 1:r1=1;" "1:r0=1; 1:r1=1;" "1:r0=1; 1:r1=1;"], 400 runs, 0.007461; 2 refused, 3000 runs, 0.000998`,
		`SB 1: 4 allowed, 0 of 1 asked for seen, unseen ["0:r0=0; 1:r0=0;"], 30 runs, 0.095034; 0 refused, 0 runs, 0.000000`,
		`vol 1: 0 allowed, 0 of 0 asked for seen, unseen [], 0 runs, 0.000000; 0 refused, 0 runs, 0.000000`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestQuestion: the question about a state has the answer of that state.
func TestQuestion(t *testing.T) {
	paper := model(t, "ptx-asplos15")
	result := simulate(t, mp, paper, sim.Defaults())
	r, err := build(t, paper, result, record(result, a, passed, "1:r0=1 1:r1=0", 1, "1:r0=7 1:r1=7", 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range r.Tests[0].Outcomes {
		f, err := o.Question()
		if err != nil {
			t.Fatal(err)
		}
		e, err := load(t, f, sim.Defaults()).Explain(t.Context(), paper.Model)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range e.Outcomes {
			got = append(got, s.State.Format(e.Refs)+" "+s.Outcome().String())
		}
		want := []string{o.String() + " " + o.Says.String()}
		if strings.Contains(o.String(), "7") {
			want = nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", o, diff)
		}
	}
}
