package models_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestPeersTestsInC compares with the verdicts of Dartagnan, if its tests are beside the checkout.
// The columns of its table are its models; ours follow the same papers. Its column opencl-race
// tells whether a test has no race.
func TestPeersTestsInC(t *testing.T) {
	const folder = "../../shared/peer-tests/dartagnan-c"
	table, err := os.Open(filepath.Join(folder, "expected.csv"))
	if err != nil {
		t.Skip("Dartagnan's tests are not at ../shared/peer-tests/dartagnan-c: its verdicts are not compared")
	}
	defer table.Close()
	rows, err := csv.NewReader(table).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	models := []*cat.Model{
		nil, simtest.LoadModel(t, "c11-partial-sc"), simtest.LoadModel(t, "rc11"),
		simtest.LoadModel(t, "opencl"),
	}
	for _, row := range rows[1:] {
		text, err := os.ReadFile(filepath.Join(folder, row[0]))
		if err != nil {
			t.Fatal(err)
		}
		test, err := sim.Load(src.NewFile(row[0], string(text)), sim.Defaults())
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		for i, m := range models {
			if m == nil || row[i] == "" {
				continue
			}
			r := simtest.Run(t, test, m)
			holds := saysOne(r)
			if holds != (row[i] == "1") {
				t.Errorf("%s under %s: %v, want %s", row[0], rows[0][i], holds, row[i])
			}
			if racy := len(r.Undefined) > 0; strings.HasPrefix(row[0], "opencl") && row[4] != "" &&
				racy != (row[4] == "0") {
				t.Errorf("%s races: %v, and Dartagnan says %s", row[0], racy, row[4])
			}
		}
	}
}
