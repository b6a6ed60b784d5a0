package litmus

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/src"
)

// outcome returns a state given as in a log.
func outcome(t testing.TB, line string) Outcome {
	t.Helper()
	o, ok := parseOutcome(line)
	if !ok {
		t.Fatalf("%s is no state", line)
	}
	return o
}

func counted(t testing.TB, count int64, satisfies bool, line string) Outcome {
	t.Helper()
	o := outcome(t, line)
	o.Count, o.Satisfies = count, satisfies
	return o
}

const herdLog = `Test SB+fences Allowed
States 3
0:r2=0; 1:r2=0; [x]=-1;
0:r2=2; 1:r2=0; [x]=y+4;
0:r2=10; 1:r2=0; [x]=1;
Loop Ok
Witnesses
Positive: 1 Negative: 3
Flag data race
Flag outside-model
Condition exists (0:r2=0 /\ 1:r2=0)
Observation SB+fences Sometimes 1 3
Time SB+fences 1.50
Hash=0123456789abcdef

`

func herdRecord(t testing.TB) *Record {
	return &Record{
		Test: "SB+fences",
		Kind: Allowed,
		States: []Outcome{
			outcome(t, "0:r2=0; 1:r2=0; [x]=-1;"),
			outcome(t, "0:r2=2; 1:r2=0; [x]=y+4;"),
			outcome(t, "0:r2=10; 1:r2=0; [x]=1;"),
		},
		Loop:        true,
		Positive:    1,
		Negative:    3,
		Flags:       []string{"data race", "outside-model"},
		Condition:   `exists (0:r2=0 /\ 1:r2=0)`,
		Observation: Sometimes,
		Time:        1500 * time.Millisecond,
		Hash:        "0123456789abcdef",
	}
}

const litmus7Log = `Test MP Forbidden
Histogram (3 states)
999960:>1:r1=0; 1:r2=0;
5     *>1:r1=1; 1:r2=0;
35    :>1:r1=1; 1:r2=1;
No
Witnesses
Positive: 5, Negative: 999995
Condition ~exists (1:r1=1 /\ 1:r2=0) is NOT validated
Hash=fedcba9876543210
Observation MP Sometimes 5 999995
Time MP 0.07

`

func litmus7Record(t testing.TB) *Record {
	return &Record{
		Test:      "MP",
		Kind:      Forbidden,
		Histogram: true,
		States: []Outcome{
			counted(t, 999960, false, "1:r1=0; 1:r2=0;"),
			counted(t, 5, true, "1:r1=1; 1:r2=0;"),
			counted(t, 35, false, "1:r1=1; 1:r2=1;"),
		},
		Verdict:     No,
		Positive:    5,
		Negative:    999995,
		Condition:   `~exists (1:r1=1 /\ 1:r2=0)`,
		Observation: Sometimes,
		Time:        70 * time.Millisecond,
		Hash:        "fedcba9876543210",
	}
}

func readLog(t testing.TB, text string) []*Record {
	t.Helper()
	records, err := ReadLog(src.NewFile("log", text))
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func TestWriteLog(t *testing.T) {
	var b strings.Builder
	shuffled := herdRecord(t)
	shuffled.States[0], shuffled.States[2] = shuffled.States[2], shuffled.States[0]
	for _, r := range []*Record{shuffled, litmus7Record(t)} {
		before := b.Len()
		n, err := r.WriteTo(&b)
		if err != nil || int(n) != b.Len()-before {
			t.Errorf("%s: %d bytes reported, %d written, error %v", r.Test, n, b.Len()-before, err)
		}
	}
	if diff := cmp.Diff(herdLog+litmus7Log, b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if shuffled.States[0].Values[0].Value.Int != 10 {
		t.Error("writing sorts the states of the record itself")
	}
}

func TestWriteSmallLog(t *testing.T) {
	r := &Record{Test: "x", Kind: Required, States: []Outcome{{}}, Verdict: Undef, Condition: "forall (true)"}
	const want = `Test x Required
States 1

Undef
Witnesses
Positive: 0 Negative: 0
Condition forall (true)
Observation x Never 0 0
Time x 0.00

`
	var b strings.Builder
	if _, err := r.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]*Record{r}, readLog(t, want), sameTest); diff != "" {
		t.Errorf("read back (-want +got)\n%s", diff)
	}
}

func TestReadLog(t *testing.T) {
	text := `Results of 3 July
Test machine: a GPU
Ok is not a record
` + herdLog + `States of other things
Test
%%%%%%%%%%%%
` + strings.ReplaceAll(litmus7Log, "\n", "\r\n") + "trailing noise"
	records := readLog(t, text)
	if diff := cmp.Diff([]*Record{herdRecord(t), litmus7Record(t)}, records, sameTest); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := records[0].At.Text(); got != strings.TrimSpace(herdLog) {
		t.Errorf("the span of the first record is %q", got)
	}
}

// Tools differ in details.
func TestReadLogDialects(t *testing.T) {
	text := `Test SB Allowed
Histogram (2 states)
40 *>1:r2=0; [x]=0x1; P0:r2=&y; z=5; 0:r1=1; a[10]=1;a[2]=0;
   60    :>  [a]={1,2};
Warning: nothing to do with it
Ok

Witnesses
Positive: 40 Negative: 60
Bad executions (0 in total): 0
Condition exists (true) is validated
Observation SB Sometimes 40 60
Test with blanks Required
States 0
No
Witnesses
Positive: 0, Negative: 0
Condition forall (true)
Observation with blanks Never 0 0
Hash=`
	want := []*Record{
		{
			Test:      "SB",
			Histogram: true,
			States: []Outcome{
				{Count: 40, Satisfies: true, Values: []Binding{
					{"0:r1", *integer(1)},
					{"0:r2", *address("y", 0)},
					{"1:r2", *integer(0)},
					{"a[2]", *integer(0)},
					{"a[10]", *integer(1)},
					{"[x]", *integer(1)},
					{"[z]", *integer(5)},
				}},
				{Count: 60, Values: []Binding{{"[a]", Value{Loc: "{1,2}"}}}},
			},
			Positive:    40,
			Negative:    60,
			Condition:   "exists (true)",
			Observation: Sometimes,
		},
		{Test: "with blanks", Kind: Required, Verdict: No, Condition: "forall (true)"},
	}
	if diff := cmp.Diff(want, readLog(t, text), sameTest); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// One bad record does not spoil the others.
func TestReadBadLog(t *testing.T) {
	good := strings.TrimSuffix(herdLog, "\n")
	edit := func(old, new string) string {
		if !strings.Contains(herdLog, old) {
			t.Fatalf("no %q in the log", old)
		}
		return strings.Replace(herdLog, old, new, 1)
	}
	bar := func(new string) string {
		return strings.Replace(litmus7Log, "5     *>1:r1=1; 1:r2=0;", new, 1)
	}
	tests := []struct{ text, want string }{
		{edit("SB+fences Allowed", "SB+fences Alowed"), "1:16: unknown kind of test Alowed: expected Allowed, Required, Forbidden; did you mean Allowed?"},
		{edit("States 3", "States three"), "2:8: expected the number of states"},
		{edit("States 3", "States -1"), "2:8: expected the number of states"},
		{edit("States 3", "States"), "2:7: expected the number of states"},
		{edit("States 3", "States 4"), "6:1: expected state 4 of 4"},
		{edit("0:r2=2; ", "0:r2=2 "), "4:1: expected state 2 of 3"},
		{edit("0:r2=2; ", "0:r2; "), "4:1: expected state 2 of 3"},
		{edit("0:r2=2; ", "0:=2; "), "4:1: expected state 2 of 3"},
		{edit("0:r2=2; ", "x:r2=2; "), "4:1: expected state 2 of 3"},
		{edit("0:r2=2; ", "a[x]=2; "), "4:1: expected state 2 of 3"},
		{edit("0:r2=2; ", "[a=2; "), "4:1: expected state 2 of 3"},
		{edit("0:r2=2; ", "r 2=2; "), "4:1: expected state 2 of 3"},
		{edit("Loop Ok", "Loop Okay"), "1:1: this record ends without Ok or No"},
		{edit("Positive: 1 ", "Positive: x "), `8:11: expected a number of executions, found "x"`},
		{edit("Negative: 3", "Negative: -3"), `8:11: expected a number of executions, found "-3"`},
		{edit("Negative: 3", ""), `8:11: expected a number of executions, found ""`},
		{edit("Observation SB+fences Sometimes", "Observation SB+fences Often"), "12:23: expected Never, Sometimes, Always and two numbers"},
		{edit("Observation SB+fences", "Observation SB"), "12:13: the observation of SB in the record of SB+fences"},
		{edit(`exists (0:r2=0 /\ 1:r2=0)`, ""), "11:10: expected the condition"},
		{edit("1.50", "soon"), "13:16: expected a time in seconds"},
		{strings.Split(herdLog, "Loop")[0], "1:1: this record ends without Ok or No, Positive and Negative, Condition"},
		{strings.Split(herdLog, "0:r2=2")[0], "4:1: expected state 2 of 3"},
		{"Test lonely Allowed\n", "1:1: this record ends without States or Histogram, Ok or No, Positive and Negative, Condition"},
		{bar("5     1:r1=1; 1:r2=0;"), "4:1: expected state 2 of 3"},
		{bar("5     >1:r1=1; 1:r2=0;"), "4:1: expected state 2 of 3"},
		{bar("many  *>1:r1=1; 1:r2=0;"), "4:1: expected state 2 of 3"},
		{strings.Replace(litmus7Log, "Positive: 5, ", "Positive: 6, ", 1), "8:11: this contradicts the histogram, which has 5 runs marked and 999995 others"},
		{strings.Replace(litmus7Log, "Negative: 999995", "Negative: 999994", 1), "8:11: this contradicts the histogram, which has 5 runs marked and 999995 others"},
		{strings.Replace(litmus7Log, "(3 states)", "(many)", 1), "2:12: expected the number of states"},
	}
	for _, tt := range tests {
		records, err := ReadLog(src.NewFile("log", tt.text+good))
		ds, _ := err.(src.Diagnostics)
		if len(ds) != 1 {
			t.Errorf("%s\n%d errors, want one: %v", tt.text, len(ds), err)
			continue
		}
		got := strings.TrimPrefix(ds[0].Header(), "log:")
		if !strings.HasPrefix(ds[0].Hint, "the record of ") {
			got += "; " + ds[0].Hint
		}
		if got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.text, got, tt.want)
		}
		if diff := cmp.Diff([]*Record{herdRecord(t)}, records, sameTest); diff != "" {
			t.Errorf("%s\nthe other record (-want +got)\n%s", tt.text, diff)
		}
	}
}

var recordGen = rapid.Custom(func(t *rapid.T) *Record {
	count := rapid.Int64Range(0, 1<<40)
	r := &Record{
		Test:        rapid.StringMatching(`[A-Za-z0-9+.-]+( [a-z]+)?`).Draw(t, "name"),
		Kind:        rapid.SampledFrom([]Kind{Allowed, Required, Forbidden}).Draw(t, "kind"),
		Histogram:   rapid.Bool().Draw(t, "histogram"),
		Verdict:     rapid.SampledFrom([]Verdict{OK, No, Undef}).Draw(t, "verdict"),
		Loop:        rapid.Bool().Draw(t, "loop"),
		Positive:    count.Draw(t, "positive"),
		Negative:    count.Draw(t, "negative"),
		Flags:       rapid.SliceOfN(rapid.StringMatching(`[a-z]+(-[a-z]+)?`), 0, 2).Draw(t, "flags"),
		Observation: rapid.SampledFrom([]Observation{Never, Sometimes, Always, Undecided}).Draw(t, "observation"),
		Time:        time.Duration(rapid.IntRange(0, 1e6).Draw(t, "time")) * 10 * time.Millisecond,
		Hash:        rapid.StringMatching(`[0-9a-f]*`).Draw(t, "hash"),
	}
	test := testGen.Draw(t, "test")
	r.Condition = test.Cond.String()
	obs := test.Observables()
	for range rapid.IntRange(0, 4).Draw(t, "states") {
		s := make(State, len(obs))
		for i := range s {
			s[i] = Value{Int: rapid.Int64().Draw(t, "value"), Loc: rapid.SampledFrom([]string{"", "x", "y10"}).Draw(t, "location")}
		}
		o := s.Outcome(Names(obs))
		if r.Histogram {
			o.Count, o.Satisfies = count.Draw(t, "count"), rapid.Bool().Draw(t, "satisfies")
		}
		r.States = append(r.States, o)
	}
	r.States = r.sorted()
	if r.Histogram {
		r.Positive, r.Negative = 0, 0
		for _, o := range r.States {
			*map[bool]*int64{true: &r.Positive, false: &r.Negative}[o.Satisfies] += o.Count
		}
	}
	return r
})

func TestLogRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOfN(recordGen, 1, 3).Draw(t, "records")
		var b strings.Builder
		for _, r := range records {
			if _, err := r.WriteTo(&b); err != nil {
				t.Fatal(err)
			}
		}
		again, err := ReadLog(src.NewFile("log", b.String()))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(records, again, sameTest); diff != "" {
			t.Fatalf("%s\n(-written +read)\n%s", b.String(), diff)
		}
	})
}

// What a model allows and what hardware showed compare by content.
func TestOutcomesCompare(t *testing.T) {
	test := parse(t, "PTX x\n{}\nP0 ;\nexists (0:r10=1 /\\ 0:r2=2 /\\ [x]=3)")
	state := State{*integer(2), *integer(1), *integer(3)}
	model := state.Outcome(Names(test.Observables()))
	hardware := outcome(t, "x=3; 0:r10=0x1; 0:r2=2;")
	if model.String() != hardware.String() || model.Compare(hardware) != 0 {
		t.Errorf("%s and %s are different", model, hardware)
	}
	for _, greater := range []string{"0:r2=3; 0:r10=1; [x]=3;", "0:r2=2; 0:r10=1; [x]=3; [y]=0;", "0:r2=2; 0:r10=1; [y]=3;"} {
		if c := model.Compare(outcome(t, greater)); c != -1 {
			t.Errorf("%s and %s compare as %d", model, greater, c)
		}
	}
}
