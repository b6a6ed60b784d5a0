package observe_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/src"
)

const hash = `"hash":"0123456789abcdef0123456789abcdef"`

// line returns a record with its fields changed by pairs of old and new text.
func line(edits ...string) string {
	text := `{"test":"MP",` + hash + `,"device":{"name":"H100"},"seed":1,"instances":100,"seconds":1,` +
		`"histogram":[{"state":{"1:r0":"1"},"count":3},{"state":{"1:r0":"0"},"count":90}],"optcheck":{"verdict":"passed"}}`
	for i := 0; i < len(edits); i += 2 {
		if !strings.Contains(text, edits[i]) {
			panic("no " + edits[i])
		}
		text = strings.Replace(text, edits[i], edits[i+1], 1)
	}
	return text
}

// read makes a ledger read texts; errs are the headers of its errors.
func read(texts ...string) (l *observe.Ledger, errs []string) {
	l = observe.NewLedger()
	l.Anonymous = observe.Device{Name: "somebody's"}
	for _, text := range texts {
		err := l.Read("f", strings.NewReader(text))
		var one *src.Diagnostic
		if errors.As(err, &one) {
			err = src.Diagnostics{one}
		}
		errs = append(errs, headers(err)...)
	}
	return l, errs
}

// shown returns a short text of the contents of a ledger.
func shown(l *observe.Ledger) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	for _, t := range l.Tests {
		for _, s := range t.Shown {
			states := map[string]int64{}
			for _, o := range s.Histogram {
				states[o.String()] = o.Count
			}
			_ = e.Encode(
				[]any{
					t.Name, s.Device.Name, s.Runs, s.NotRun, s.Unchecked, s.Void, s.Instances, states,
					s.Asked, s.AskedInstances,
				})
		}
	}
	return strings.TrimSpace(b.String())
}

const mp = `["MP","H100",1,0,0,{},93,{"1:r0=0;":90,"1:r0=1;":3},0,0]`

// recordTests are files of records, with the resulting ledger and its errors.
var recordTests = []struct {
	name, text, want string
	errs             []string
}{
	{"one", line(), mp, nil},
	{"blank lines, ends of lines of Windows", "\n\r\n" + line() + "\r\n\n", mp, nil},
	{
		"separate runs add up",
		line() + "\n" + line() + "\n" + line(`"seed":1`, `"seed":2`, `"passed"`, `"not checked"`),
		`["MP","H100",3,0,1,{},279,{"1:r0=0;":270,"1:r0=1;":9},0,0]`, nil,
	},
	{
		"two chips of one name", line() + "\n" + line(`"H100"`, `"H100","uuid":"GPU-2"`), mp + "\n" + mp, nil,
	},
	{
		"void", line() + "\n" + line(`"passed"`, `"failed","why":"a load is gone"`),
		`["MP","H100",1,0,0,{"a load is gone":1},93,{"1:r0=0;":90,"1:r0=1;":3},0,0]`, nil,
	},
	{"spelling of states", line(`"1:r0":"1"`, `"P1:r0":"0x1"`), mp, nil},
	{
		"no histogram", line(`[{"state":{"1:r0":"1"},"count":3},{"state":{"1:r0":"0"},"count":90}]`, "[]"),
		`["MP","H100",0,1,0,{},0,{},0,0]`, nil,
	},
	{"cut", line() + "\n" + line()[:50], mp, []string{"f:2:51: this record is cut short"}},
	{"cut in the middle", line()[:50] + "\n" + line(), mp, []string{"f:1:51: this record is cut short"}},
	{
		"glued", line() + "\n" + line()[:50] + line() + "\n" + line(),
		`["MP","H100",2,0,0,{},186,{"1:r0=0;":180,"1:r0=1;":6},0,0]`,
		[]string{"f:2:53: not a record: invalid character 't' after object key:value pair"},
	},
	{
		"two on a line", line() + line() + "\n" + line(), mp,
		[]string{"f:1:231: not a record: invalid character '{' after top-level value"},
	},
	{
		"garbage", line() + "\nthis is no record\n\x00\xff{{\n[1]\n5\n\"{\"\nnull\n", mp,
		[]string{
			"f:2:2: not a record: invalid character 'h' in literal true (expecting 'r')",
			`f:3:1: not a record: invalid character '\x00' looking for beginning of value`,
			"f:4:1: a record: expected an object, found array",
			"f:5:1: a record: expected an object, found number",
			"f:6:3: a record: expected an object, found string",
			`f:7:1: expected the name of the test: "test"`,
		},
	},
	{
		"wrong types",
		strings.Join([]string{
			line(`"MP"`, "7"), line(`"seed":1`, `"seed":-1`), line(`"count":3`, `"count":"3"`),
			line(`"count":3`, `"count":3.5`), line(`{"1:r0":"1"}`, `{"1:r0":1}`), line(`"passed"`, `"good"`),
			line(`{"name":"H100"}`, `"H100"`), line(`"histogram":[`, `"histogram":5,"x":[`),
			line(`"seconds":1`, `"seconds":"1"`),
			line(),
		}, "\n"), mp,
		[]string{
			"f:1:9: test: expected a string, found number",
			"f:2:89: seed: expected an integer of 64 bits, not negative, found number -1",
			"f:3:163: histogram.count: expected an integer of 64 bits, found string",
			"f:4:163: histogram.count: expected an integer of 64 bits, found number 3.5",
			"f:5:148: histogram.state: expected a string, found number",
			`f:6:1: unknown verdict "good": expected passed, failed or not checked`,
			"f:7:70: device: expected an object, found string",
			"f:8:130: histogram: expected a list, found number",
			"f:9:118: seconds: expected a number, found string",
		},
	},
	{
		"what cannot be",
		strings.Join([]string{
			line(`"MP"`, `""`), line(hash, `"x":1`), line(`"H100"`, `""`), line(`"instances":100`, `"instances":92`),
			line(`"count":3`, `"count":-3`), line(`"1:r0":"1"`, `"1:r0":"0"`), line(`"1:r0":"1"`, `"1:r1":"1"`),
			line(`"1:r0":"1"`, `"one":"two words"`), line(`"1:r0":"1"`, `"":"1"`), line(`"seed":1`, `"settings":[1]`),
			line(),
		}, "\n"), mp,
		[]string{
			`f:1:1: expected the name of the test: "test"`,
			`f:2:1: expected the content hash of the test: "hash"`,
			`f:3:1: expected the name of the device: "device"`,
			"f:4:1: histogram: 93 states of 92 instances",
			"f:5:1: histogram: 1:r0=1; was seen -3 times",
			"f:6:1: histogram: the state 1:r0=0; is there twice",
			"f:7:1: histogram: the states 1:r1=1; and 1:r0=0; show different things",
			`f:8:1: histogram: expected what one holds, an integer or an address, found "two words"`,
			`f:9:1: histogram: expected a register or location such as 0:r1, [x] or a[0], found ""`,
			"f:10:1: settings: expected an object",
		},
	},
	{
		"overflow",
		strings.Join([]string{
			line(`"count":3`, `"count":9223372036854775808`),
			line(`"count":3`, `"count":9223372036854775800`, `"instances":100`, `"instances":9223372036854775807`),
			line(`"instances":100`, `"instances":9223372036854775800`),
			line(`"instances":100`, `"instances":93`),
		}, "\n"), mp,
		[]string{
			"f:1:179: histogram.count: expected an integer of 64 bits, found number 9223372036854775808",
			"f:2:1: histogram: the counts add up to more than 64 bits hold",
			"f:4:1: the runs of all records add up to more than 64 bits hold",
		},
	},
}

func TestReadRecords(t *testing.T) {
	for _, tt := range recordTests {
		t.Run(tt.name, func(t *testing.T) {
			l, errs := read(tt.text)
			if diff := cmp.Diff(tt.want, shown(l)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tt.errs, errs); diff != "" {
				t.Errorf("errors (-want +got)\n%s", diff)
			}
		})
	}
}

// TestReadHuge reads a line that is too long, a record with very many states, and noise.
func TestReadHuge(t *testing.T) {
	l := observe.NewLedger()
	pieces := []io.Reader{strings.NewReader(line() + "\n" + `{"test":"`)}
	piece := strings.Repeat("x", 1<<20)
	for range 65 {
		pieces = append(pieces, strings.NewReader(piece))
	}
	err := l.Read("f", io.MultiReader(append(pieces, strings.NewReader("\"}\n"+line()))...))
	if diff := cmp.Diff([]string{"f:2:1: a line of more than 64 MiB is not a record"}, headers(err)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if want := strings.NewReplacer(`0",1,`, `0",2,`, "93", "186", "90", "180", ":3",
		":6").Replace(mp); shown(l) != want {
		t.Errorf("got %s, want %s", shown(l), want)
	}

	const states = 100_000
	var bars strings.Builder
	for i := range states {
		fmt.Fprintf(&bars, `{"state":{"1:r0":"%d"},"count":1},`, i+2)
	}
	many := line(`{"state":{"1:r0":"1"},"count":3},`, bars.String(), `"instances":100`, `"instances":1000000`)
	l, errs := read(many + "\n" + many)
	if s := l.Tests[0].Shown[0]; errs != nil || s.Instances != 2*(states+90) || len(s.Histogram) != states+1 {
		t.Errorf("%d states, %d instances, errors %q", len(s.Histogram), s.Instances, errs)
	}

	_, errs = read(line() + strings.Repeat("\n}", 5000))
	if len(errs) != 1001 || errs[1000] != "f: 4000 more lines are not records" {
		t.Errorf("%d errors, the last is %s", len(errs), errs[len(errs)-1])
	}
}

const (
	runsTable = "test,device,runs,observed,source,setting,note\n"
	chipTable = "device,vendor,architecture,chip,year\nTitan,Nvidia,Kepler,GTX Titan,2013\n"
	log7      = `Machine 7, by hand
GPU_PTX MP
{x=0;}
Test MP Allowed
Histogram (2 states)
95    :>1:r0=0;
5     *>1:r0=1;
Ok
Witnesses
Positive: 5, Negative: 95
Condition exists (1:r0=1) is validated
Hash=fedcba9876543210
Observation MP Sometimes 5 95
Time MP 0.07

`
)

// TestReadForms has each form of observations, recognized by its content.
func TestReadForms(t *testing.T) {
	tests := []struct {
		name, text, want string
		errs             []string
	}{
		{"records", line(), mp, nil},
		{"log", log7, `["MP","somebody's",1,0,1,{},100,{"1:r0=0;":95,"1:r0=1;":5},0,0]`, nil},
		{
			"runs", runsTable +
				"MP,Titan,100,7,Fig. 1,,\nMP,Titan,50,1,Fig. 1,stress,\nMP,HD,100,,Fig. 1,,\nMP,Titan,5,6,Fig. 1,,\n",
			`["MP","Titan",2,0,2,{},0,{},8,150]` + "\n" + `["MP","HD",0,1,0,{},0,{},0,0]`,
			[]string{"f:5:1: MP was seen 6 times in 5 runs"},
		},
		{"runs, a column missing", "test,device\nMP,Titan\n", "", []string{
			"f:1:1: the table has no columns runs, observed",
		}},
		{"devices", chipTable, "", nil},
		{
			"a log without counts",
			"Test MP Allowed\nStates 1\n1:r0=0;\nNo\nWitnesses\nPositive: 0 Negative: 1\nCondition exists " +
				"(1:r0=1)\nObservation MP Never 0 1\n\n", "",
			[]string{"f:1:1: the states of MP have no counts"},
		},
		{
			"counts of weak behaviours",
			"Iteration: 3\n  Test MP-TB_0_1 weak: 13, total: 65536, rate: 245.3 per second\nTest " +
				"MP-TB_0_1 weak:0,total:100\r\n" +
				"Test SB weak: 0, total: 0, rate: -nan per second\n",
			`["MP-TB_0_1","somebody's",2,0,2,{},0,{},13,65636]` + "\n" + `["SB","somebody's",1,0,1,{},0,{},0,0]`, nil,
		},
		{
			"counts of weak behaviours, cut and changed",
			"Test MP weak: 13, total: 65536, rate: 1 per second\nTest MP weak: many, total: 5\nTest MP " +
				"weak: 7, of 9\nTest MP\n" +
				"Test MP weak: 6, total: 5\nTest MP weak: 1, total: 99999999999999999999\nTest MP " +
				"weak: 1, total: 5 times\n",
			`["MP","somebody's",1,0,1,{},0,{},13,65536]`,
			[]string{
				`f:2:15: expected a count of 64 bits, found "many,"`, `f:3:18: expected total:, found "of"`,
				"f:4:8: expected weak:, found the end of the line",
				"f:5:1: MP was seen 6 times in 5 runs",
				`f:6:25: expected a count of 64 bits, found "99999999999999999999"`,
				`f:7:27: expected ,, found "times"`,
			},
		},
		{
			"sums of a runner",
			"r0=1, r1=0 (weak): 13\nTotal elapsed time: 2.5s\nWeak behavior rate: 5 per second\nTotal behaviors: " +
				"65536\nNumber of weak behaviors: 13\n",
			`["f","somebody's",1,0,1,{},0,{},13,65536]`, nil,
		},
		{"sums of a runner, cut", "Number of weak behaviors: 3\nTotal behaviors: 65536\n", "", []string{
			"f:1:1: this count is out of a number that the log does not say",
			"f:3:1: this log ends before the number of weak behaviours",
		}},
		{"nothing", "", "", []string{"f:1:1: no observations here"}},
		{"a test", "GPU_PTX MP\n{x=0;}\n T0 ;\nexists (x=1)\n", "", []string{"f:1:1: no observations here"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, errs := read(tt.text)
			if diff := cmp.Diff(tt.want, shown(l)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tt.errs, errs); diff != "" {
				t.Errorf("errors (-want +got)\n%s", diff)
			}
		})
	}
}

// TestDescribe has a table of devices before the runs and after them.
func TestDescribe(t *testing.T) {
	runs := runsTable + "MP,Titan,100,7,Fig. 1,,\n"
	want := []*observe.Device{{Name: "Titan", Vendor: "Nvidia", Architecture: "Kepler", Chip: "GTX Titan", Year: 2013}}
	for _, order := range [][]string{{chipTable, runs}, {runs, chipTable}} {
		l, errs := read(order...)
		if diff := cmp.Diff(want, l.Devices); diff != "" || errs != nil {
			t.Errorf("errors %q (-want +got)\n%s", errs, diff)
		}
	}
}

// failing is a reader that fails.
type failing struct{ io.Reader }

func (f failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err == io.EOF {
		err = io.ErrClosedPipe
	}
	return n, err
}

func TestReadBroken(t *testing.T) {
	for _, text := range []string{"", line() + "\n" + strings.Repeat(" ", 1<<17), strings.Repeat(log7, 1000)} {
		err := observe.NewLedger().Read("f", failing{strings.NewReader(text)})
		if err == nil || !strings.Contains(err.Error(), io.ErrClosedPipe.Error()) {
			t.Errorf("a reader that breaks after %d bytes: error %v", len(text), err)
		}
	}
}

func FuzzRecords(f *testing.F) {
	f.Add(line() + "\n" + line()[:70])
	f.Add(log7)
	f.Add(runsTable + chipTable)
	f.Add("Number of weak behaviors:\f")
	f.Add("Test MP weak: 13, total: 65536, rate: 1 per second\nTotal behaviors: 3\nNumber of weak behaviors: 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		l, _ := read(text)
		for _, tested := range l.Tests {
			for _, s := range tested.Shown {
				var sum int64
				for _, o := range s.Histogram {
					sum += o.Count
				}
				if sum != s.Instances || sum < 0 || s.Asked > s.AskedInstances {
					t.Errorf("the counts of %s are %v", tested.Name, s)
				}
			}
		}
	})
}

// TestCompressed: compressed input is read like other input; if it is truncated, the part before
// counts.
func TestCompressed(t *testing.T) {
	text := line() + "\n" + line(`"test":"MP"`, `"test":"SB"`) + "\n"
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	for part := range strings.SplitAfterSeq(text, "\n") {
		_, _ = io.WriteString(w, part)
		_ = w.Flush()
	}
	_ = w.Close()
	plain, whole, cut := observe.NewLedger(), observe.NewLedger(), observe.NewLedger()
	if err := plain.Read("plain.jsonl", strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	if err := whole.Read("whole.jsonl.gz", bytes.NewReader(packed.Bytes())); err != nil {
		t.Fatal(err)
	}
	if len(whole.Tests) == 0 || len(whole.Tests) != len(plain.Tests) {
		t.Errorf("%d tests, and %d in what is not compressed", len(whole.Tests), len(plain.Tests))
	}
	const end = 20 // bytes: the trailer, and a bit more
	err := cut.Read("cut.jsonl.gz", bytes.NewReader(packed.Bytes()[:packed.Len()-end]))
	if err == nil || !strings.Contains(err.Error(), "cut.jsonl.gz: unexpected EOF") || len(cut.Tests) == 0 {
		t.Errorf("%d tests, %v", len(cut.Tests), err)
	}
}
