package observe_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/src"
)

// TestCompare goes through all cases. In a row, * stands for every value; each case is in exactly
// one row. A prediction is one of allowed, forbidden and unknown.
func TestCompare(t *testing.T) {
	const (
		otherVendor = "a model of Nvidia chips does not cover AMD"
		notCovered  = "the test uses what the model does not cover"
	)
	table := []struct {
		observed, model, device, outside, prediction string
		want                                         observe.Standing
		why                                          string
	}{
		{"none", "*", "*", "*", "*", observe.NotRun, ""},

		{"0", "Nvidia", "AMD", "*", "*", observe.Outside, otherVendor},
		{"7", "Nvidia", "AMD", "*", "*", observe.Outside, otherVendor},
		{"0", "Nvidia", "Nvidia", "outside", "*", observe.Outside, notCovered},
		{"7", "Nvidia", "Nvidia", "outside", "*", observe.Outside, notCovered},
		{"0", "Nvidia", "", "outside", "*", observe.Outside, notCovered},
		{"7", "Nvidia", "", "outside", "*", observe.Outside, notCovered},
		{"0", "", "*", "outside", "*", observe.Outside, notCovered},
		{"7", "", "*", "outside", "*", observe.Outside, notCovered},

		{"0", "Nvidia", "Nvidia", "", "*", observe.Sound, ""},
		{"0", "Nvidia", "", "", "*", observe.Sound, ""},
		{"0", "", "*", "", "*", observe.Sound, ""},

		{"7", "Nvidia", "Nvidia", "", "allowed", observe.Sound, ""},
		{"7", "Nvidia", "Nvidia", "", "forbidden", observe.Unsound, ""},
		{"7", "Nvidia", "Nvidia", "", "unknown", observe.Unknown, ""},
		{"7", "Nvidia", "", "", "allowed", observe.Sound, ""},
		{"7", "Nvidia", "", "", "forbidden", observe.Unsound, ""},
		{"7", "Nvidia", "", "", "unknown", observe.Unknown, ""},
		{"7", "", "*", "", "allowed", observe.Sound, ""},
		{"7", "", "*", "", "forbidden", observe.Unsound, ""},
		{"7", "", "*", "", "unknown", observe.Unknown, ""},
	}
	columns := [][]string{
		{"none", "0", "7"}, {"", "Nvidia"}, {"", "Nvidia", "AMD"}, {"", "outside"}, {"allowed", "forbidden", "unknown"},
	}
	for _, c := range combinations(columns) {
		rows := 0
		for _, row := range table {
			if !matches([]string{row.observed, row.model, row.device, row.outside, row.prediction}, c) {
				continue
			}
			rows++
			run := observe.Run{Test: "mp", Device: "chip", Runs: 100, Observed: count(c[0])}
			prediction := observe.Prediction{
				Outside: c[3] != "",
				Allowed: c[4] == "allowed",
				Unknown: c[4] == "unknown",
			}
			got := observe.Compare(run, observe.Device{Name: "chip", Vendor: c[2]}, prediction, c[1])
			want := observe.Finding{Run: run, Standing: row.want, Why: row.why}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", c, diff)
			}
		}
		if rows != 1 {
			t.Errorf("%q is in %d rows", c, rows)
		}
	}
}

// count reads a number, or nil.
func count(text string) *int {
	var n int
	if _, err := fmt.Sscan(text, &n); err != nil {
		return nil
	}
	return &n
}

// combinations lists every choice of one value from each column.
func combinations(columns [][]string) [][]string {
	all := [][]string{nil}
	for _, column := range columns {
		var longer [][]string
		for _, c := range all {
			for _, value := range column {
				longer = append(longer, append(c[:len(c):len(c)], value))
			}
		}
		all = longer
	}
	return all
}

func matches(row, values []string) bool {
	for i := range row {
		if row[i] != "*" && row[i] != values[i] {
			return false
		}
	}
	return true
}

func TestStandingText(t *testing.T) {
	want := map[observe.Standing]string{
		observe.Sound: "sound", observe.Outside: "outside the model", observe.Unsound: "UNSOUND",
		observe.Unknown: "unknown", observe.NotRun: "not run",
	}
	for s, text := range want {
		if s.String() != text {
			t.Errorf("got %s, want %s", s, text)
		}
	}
}

func TestJSON(t *testing.T) {
	tests := []struct {
		finding observe.Finding
		want    string
	}{
		{
			observe.Finding{
				Run: observe.Run{Test: "mp", Device: "Titan", Runs: 100, Observed: count("0"), Source: "Fig. 1"},
			},
			`{"test":"mp","device":"Titan","runs":100,"observed":0,"source":"Fig. 1","standing":"sound"}`,
		},
		{
			observe.Finding{
				Run:      observe.Run{Test: "mp", Device: "Titan", Setting: "stress", Note: "none"},
				Standing: observe.NotRun, Why: "no such chip",
			},
			`{"test":"mp","device":"Titan","runs":0,"observed":null,"source":"","setting":"stress","note":"none",` +
				`"standing":"not run","why":"no such chip"}`,
		},
	}
	for _, tt := range tests {
		got, err := json.Marshal(tt.finding)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, string(got)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// headers lists the diagnostics of an error.
func headers(err error) []string {
	var hs []string
	ds, _ := err.(src.Diagnostics)
	for _, d := range ds {
		hs = append(hs, d.Header())
	}
	return hs
}

func TestReadRuns(t *testing.T) {
	const header = "test,device,runs,observed,source,setting,note\n"
	mp := observe.Run{Test: "mp", Device: "Titan", Runs: 100, Observed: count("7"), Source: "Fig. 1"}
	noted := mp
	noted.Setting, noted.Note = "incantations 1", "a note, with a comma"
	notRun := observe.Run{Test: "sb", Device: "HD6570", Runs: 100, Source: "Fig. 2", Note: "not applicable"}
	tests := []struct {
		name, text string
		want       []observe.Run
		errs       []string
	}{
		{"none", header, nil, nil},
		{"one", header + "mp,Titan,100,7,Fig. 1,,\n", []observe.Run{mp}, nil},
		{
			"blanks and quotes", header + " mp , Titan,100 , 7,Fig. 1,incantations 1,\"a note, with a comma\"\n",
			[]observe.Run{noted},
			nil,
		},
		{
			"columns in another order",
			"note,source,observed,runs,device,test,setting,more\n,Fig. 1,7,100,Titan,mp,,x\n",
			[]observe.Run{mp},
			nil,
		},
		{
			"not run", header + "sb,HD6570,100,,Fig. 2,,not applicable\nmp,Titan,100,7,Fig. 1,,\n",
			[]observe.Run{notRun, mp},
			nil,
		},
		{
			"bad rows", header + "mp,Titan,many,7,Fig. 1,,\nmp,Titan,100,7,Fig. 1,,\nmp,Titan,100,-7,Fig. 1,,\n" +
				"mp,Titan,,7,Fig. 1,,\nmp,Titan,100,7\nmp,Titan,100,n/a,Fig. 1,,\nsb,HD6570,100,,Fig. " +
				"2,,not applicable\n",
			[]observe.Run{mp, notRun},
			[]string{
				`runs.csv:2:1: column runs: expected a count, found "many"`,
				`runs.csv:4:1: column observed: expected a count, found "-7"`,
				`runs.csv:5:1: column runs: expected a count, found ""`,
				"runs.csv:6:1: this row has 4 columns, the header has 7",
				`runs.csv:7:1: column observed: expected a count, found "n/a"`,
			},
		},
		{
			"columns missing", "test,device,source,note\nmp,Titan,Fig. 1,\n", nil,
			[]string{"runs.csv:1:1: the table has no columns runs, observed"},
		},
		{
			"no columns but those that count", "device,test,observed,runs\nTitan,mp,7,100\n",
			[]observe.Run{{Test: "mp", Device: "Titan", Runs: 100, Observed: count("7")}},
			nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := observe.ReadRuns(src.NewFile("runs.csv", tt.text))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.errs, headers(err)); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadDevices(t *testing.T) {
	const header = "device,vendor,architecture,chip,year\n"
	titan := observe.Device{Name: "Titan", Vendor: "Nvidia", Architecture: "Kepler", Chip: "GTX Titan", Year: 2013}
	tests := []struct {
		name, text string
		want       observe.Device
		errs       []string
	}{
		{"one", header + "Titan,Nvidia,Kepler,GTX Titan,2013\n", titan, nil},
		{
			"columns in another order",
			"year,chip,vendor,device,architecture\n2013,GTX Titan,Nvidia,Titan,Kepler\n", titan, nil,
		},
		{
			"the first of them bad",
			header + "GTX7,Nvidia,Maxwell,GTX 750,MMXIV\nTitan,Nvidia,Kepler,GTX Titan,2013\n", titan,
			[]string{`devices.csv:2:1: column year: expected a count, found "MMXIV"`},
		},
		{
			"a short row", header + "GTX7,Nvidia\nTitan,Nvidia,Kepler,GTX Titan,2013\n", titan,
			[]string{"devices.csv:2:1: this row has 2 columns, the header has 5"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := observe.ReadDevices(src.NewFile("devices.csv", tt.text))
			if len(got) == 0 {
				t.Fatalf("no devices: %v", err)
			}
			if diff := cmp.Diff(tt.want, got[len(got)-1]); diff != "" {
				t.Errorf("the last device (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.errs, headers(err)); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
	if got, err := observe.ReadDevices(src.NewFile("devices.csv", strings.ReplaceAll(header, ",", ";"))); got != nil ||
		len(headers(err)) != 1 {
		t.Errorf("a table without the columns: got %v, error %v", got, err)
	}
}
