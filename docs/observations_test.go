package docs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/src"
)

const recordedTest = `GPU_PTX MP+membar.gls
{x=0; y=0;}
 T0              | T1                 ;
 st.cg.s32 [x],1 | ld.cg.s32 r0,[y]   ;
 membar.gl       | membar.gl          ;
 st.cg.s32 [y],1 | ld.cg.s32 r1,[x]   ;
ScopeTree(grid (cta (warp T0)) (cta (warp T1)))
exists (1:r0=1 /\ 1:r1=0)
`

// recorded is a record that has every field.
func recorded(t *testing.T, weak int64, optcheck observe.Optcheck) *observe.Record {
	t.Helper()
	test, err := frontends.Shipped().Parse(src.NewFile("test.litmus", recordedTest))
	if err != nil {
		t.Fatal(err)
	}
	return &observe.Record{
		Muster: "v0.5.0", Time: time.Unix(0, 0).UTC(), Test: test.Name.Text, Hash: test.Hash(), Text: recordedTest,
		Device:  observe.Device{Name: "H100", Vendor: "NVIDIA", ComputeCapability: "9.0", Driver: "550.54", UUID: "GPU-1"},
		Toolkit: "ptxas 12.4", Settings: json.RawMessage(`{}`), Seed: 1, Instances: 1000, Seconds: 0.1,
		Histogram: []observe.Bar{
			{State: map[string]string{"1:r0": "0", "1:r1": "0"}, Count: 1000 - weak},
			{State: map[string]string{"1:r0": "1", "1:r1": "0"}, Count: weak},
		},
		Optcheck: optcheck,
	}
}

// TestObservationsConsole runs the example of docs/observations.md.
func TestObservationsConsole(t *testing.T) {
	dir := t.TempDir()
	recorder, err := observe.Append(filepath.Join(dir, "runs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer recorder.Close()
	for _, r := range []*observe.Record{
		recorded(t, 2, observe.Optcheck{Verdict: observe.Passed}), recorded(t, 1, observe.Optcheck{}),
	} {
		if err := recorder.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range consoleSessions(t, "observations.md") {
		s.try(t, dir)
	}
}

// TestRecordIsDocumented checks that docs/json.md lists the fields of records.
func TestRecordIsDocumented(t *testing.T) {
	text, err := os.ReadFile("json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## Records\n")
	if !found {
		t.Fatal("json.md has no section Records")
	}
	record := reflect.TypeFor[observe.Record]()
	for i := range record.NumField() {
		name, _, _ := strings.Cut(record.Field(i).Tag.Get("json"), ",")
		if name != "-" && !strings.Contains(section, "`"+name+"`") {
			t.Errorf("json.md does not tell of %s", name)
		}
	}
}

// TestSettingsAreDocumented checks that docs/hardware.md has every setting of the harness.
func TestSettingsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("hardware.md")
	if err != nil {
		t.Fatal(err)
	}
	settings := reflect.TypeFor[harness.Settings]()
	for i := range settings.NumField() {
		if name := settings.Field(i).Tag.Get("json"); name == "" || !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("hardware.md does not have the setting %q", name)
		}
	}
}
