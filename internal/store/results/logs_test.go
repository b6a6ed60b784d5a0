package results_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/internal/store/results"
	"github.com/muster-gpu/muster/observe"
)

const herd = `Test MP Allowed
States 2
1:r0=0; 1:r1=0;
1:r0=1; 1:r1=1;
No
Witnesses
Positive: 0 Negative: 2
Condition exists (1:r0=1 /\ 1:r1=0)
Observation MP Never 0 2
Time MP 0.01
Hash=00000000000000000000000000000000

Test SB Allowed
States 1
0:r0=1; 1:r0=1;
No
Witnesses
Positive: 0 Negative: 1
Condition exists (0:r0=0 /\ 1:r0=0)
Observation SB Never 0 1
Hash=00000000000000000000000000000000
`

const litmus7 = `Test MP Allowed
Histogram (3 states)
10    :>1:r0=0; 1:r1=0;
2     *>1:r0=1; 1:r1=0;
88    :>1:r0=1; 1:r1=1;
Ok
Witnesses
Positive: 2, Negative: 98
Condition exists (1:r0=1 /\ 1:r1=0) is validated
Hash=11111111111111111111111111111111
Observation MP Sometimes 2 98
Time MP 0.30

Test LB Allowed
Histogram (1 states)
5     :>0:r0=0; 1:r0=0;
No
Witnesses
Positive: 0, Negative: 5
Condition exists (0:r0=1 /\ 1:r0=1) is NOT validated
Observation LB Never 0 5
`

const wireLine = `{"test":"MP","file":"t","model":"sc","kind":"Allowed","condition":"exists (1:r0=1 /\\ 1:r1=0)","verdict":"No","outcome":"forbidden",` +
	`"observation":"Never","positive":0,"negative":2,"states":[{"values":{"1:r0":"0","1:r1":"0"},"count":1,"satisfies":false},` +
	`{"values":{"1:r0":"1","1:r1":"1"},"count":1,"satisfies":false}],"flags":[],"stats":{},"seconds":0,"hash":"aa"}` +
	"\n"

// file writes a file.
func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

func read(t *testing.T, name string) []results.Entry {
	t.Helper()
	all, err := results.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// differ returns the differences between two files, formatted for people.
func differ(t *testing.T, a, b string) string {
	t.Helper()
	var out strings.Builder
	found, err := results.Compare(read(t, a), read(t, b))
	if err != nil {
		return err.Error()
	}
	for _, d := range found {
		d.Write(&out, "A", "B")
	}
	return out.String()
}

// TestCompare compares logs of all kinds.
func TestCompare(t *testing.T) {
	const herdAgainstLitmus7 = `LB: only in B
MP: No (Never), Ok (Sometimes)
  only in B: 1:r0=1; 1:r1=0;
SB: only in A
`
	if diff := cmp.Diff(herdAgainstLitmus7, differ(t, file(t, herd), file(t, litmus7))); diff != "" {
		t.Errorf("herd against litmus7 (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff("SB: only in A\n", differ(t, file(t, herd), file(t, wireLine))); diff != "" {
		t.Errorf("herd against JSON (-want +got)\n%s", diff)
	}
	changed := strings.Replace(wireLine, `"hash":"aa"`, `"hash":"bb"`, 1)
	if diff := cmp.Diff("MP\n  the tests of this name differ\n",
		differ(t, file(t, wireLine), file(t, changed))); diff != "" {
		t.Errorf("another test (-want +got)\n%s", diff)
	}
	two := "Model sc\n" + strings.Split(herd, "\n\n")[0] + "\n\nModel tso\n" + strings.Split(litmus7, "\n\n")[0] + "\n"
	other := strings.Replace(two, "Model tso", "Model rmo", 1)
	const models = "MP under rmo: only in B\nMP under tso: only in A\n"
	if diff := cmp.Diff(models, differ(t, file(t, two), file(t, other))); diff != "" {
		t.Errorf("two models each (-want +got)\n%s", diff)
	}
}

// TestCompareHardware: observations of a chip are compared with a model's states; a chip has no
// verdict.
func TestCompareHardware(t *testing.T) {
	name := filepath.Join(t.TempDir(), "chip.jsonl")
	to, err := observe.Append(name)
	if err != nil {
		t.Fatal(err)
	}
	err = to.Write(&observe.Record{
		Test: "MP", Hash: "cc", Device: observe.Device{Name: "H100"}, Instances: 3,
		Histogram: []observe.Bar{
			{State: map[string]string{"1:r0": "1", "1:r1": "0"}, Count: 3},
			{State: map[string]string{"1:r0": "7", "1:r1": "7"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	to.Close()
	const want = `MP
  only in A: 1:r0=0; 1:r1=0;
  only in A: 1:r0=1; 1:r1=1;
  only in B: 1:r0=1; 1:r1=0;
SB: only in A
`
	if diff := cmp.Diff(want, differ(t, file(t, herd), name)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestReadNothing: a file without records is an error that says what was expected.
func TestReadNothing(t *testing.T) {
	for _, text := range []string{"", "noise\n", `{"test":5}`} {
		if _, err := results.Read(file(t, text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

// TestCompareNamesakes: of several tests of one name, each is compared with the one of the same
// content.
func TestCompareNamesakes(t *testing.T) {
	line := func(hash, verdict, observation string) string {
		return strings.NewReplacer(`"hash":"aa"`, `"hash":"`+hash+`"`, `"verdict":"No"`, `"verdict":"`+verdict+`"`,
			`"Never"`, `"`+observation+`"`).Replace(wireLine)
	}
	two := line("aa", "No", "Never") + line("bb", "No", "Never")
	other := line("aa", "Ok", "Always") + line("bb", "No", "Never")
	if diff := cmp.Diff("MP (aa): No (Never), Ok (Always)\n", differ(t, file(t, two), file(t, other))); diff != "" {
		t.Errorf("the first of two (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff("MP (bb): only in A\n",
		differ(t, file(t, two), file(t, line("aa", "No", "Never")))); diff != "" {
		t.Errorf("one of two (-want +got)\n%s", diff)
	}
	changed := line("aa", "No", "Never") + line("cc", "No", "Never")
	if diff := cmp.Diff("MP (bb)\n  the tests of this name differ\n",
		differ(t, file(t, two), file(t, changed))); diff != "" {
		t.Errorf("one changed (-want +got)\n%s", diff)
	}
}

// TestCompareModels: records of the same model are compared if a model is in both logs; else each
// log must have one record for each test.
func TestCompareModels(t *testing.T) {
	of := func(model string) string { return strings.Replace(wireLine, `"model":"sc"`, `"model":"`+model+`"`, 1) }
	allowed := strings.NewReplacer(`"verdict":"No"`, `"verdict":"Ok"`, `"Never"`, `"Always"`).Replace(of("tso"))
	for _, tt := range []struct{ name, a, b, want string }{
		{"the other model comes last", of("sc") + allowed, of("sc"), "MP under tso: only in A\n"},
		{"the other model comes first", allowed + of("sc"), of("sc"), "MP under tso: only in A\n"},
		{"one model each", of("sc"), allowed, "MP: No (Never), Ok (Always)\n"},
		{
			"none in common", of("sc") + allowed, of("rmo"),
			"no model is in both (sc, tso; rmo), and MP has records of several: compare files of one model each",
		},
		{
			"none in common, one a test", of("sc") + strings.Replace(allowed, "MP", "SB", 1),
			of("rmo"), "SB: only in A\n",
		},
	} {
		if diff := cmp.Diff(tt.want, differ(t, file(t, tt.a), file(t, tt.b))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
	}
	log := strings.Split(herd, "\n\n")[0] + "\n"
	const want = "no model is in both (sc, tso; one without a name), and MP has records of several: " +
		"compare files of one model each"
	if diff := cmp.Diff(want, differ(t, file(t, of("sc")+allowed), file(t, log))); diff != "" {
		t.Errorf("a log that names no model (-want +got)\n%s", diff)
	}
}

// TestBaseline: it is an error if a baseline has other models or other tests only.
func TestBaseline(t *testing.T) {
	sc := read(t, file(t, wireLine))
	tso, other := slices.Clone(sc), slices.Clone(sc)
	tso[0].Model = "tso"
	record := *other[0].Record
	record.Test = "SB"
	other[0].Record = &record
	for _, tt := range []struct {
		name     string
		old, now []results.Entry
		want     string
	}{
		{"another model", sc, tso, "nothing to compare: it has records of sc, and none of tso"},
		{"another test", sc, other, "nothing to compare: it has no record of a test of this run"},
		{"no test", sc, nil, "nothing to compare: it has no record of a test of this run"},
	} {
		if _, err := results.Changed(tt.old, tt.now); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	log := read(t, file(t, strings.Split(herd, "\n\n")[0]+"\n"))
	if c, err := results.Changed(log, tso); err != nil || c.Compared != 1 || len(c.Differences) != 0 {
		t.Errorf("a log without a model: %v, %v", c, err)
	}
	if c, err := results.Changed(sc, append(slices.Clone(sc), other...)); err != nil || c.Compared != 1 || c.New != 1 {
		t.Errorf("a new test: %v, %v", c, err)
	}
}
