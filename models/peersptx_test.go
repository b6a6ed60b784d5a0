package models_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/internal/testkit/simtest"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// TestPeersTestsInPTX compares with the verdicts of Dartagnan, if its tests are beside the
// checkout. The columns of its table are its models. Ours of the same names agree where the texts
// do, and in the variant dartagnan.
func TestPeersTestsInPTX(t *testing.T) {
	const folder = "../../shared/peer-tests/dartagnan-ptx"
	table, err := os.Open(filepath.Join(folder, "expected.csv"))
	if err != nil {
		t.Skip("Dartagnan's tests are not at ../shared/peer-tests/dartagnan-ptx: its verdicts are not compared")
	}
	defer table.Close()
	rows, err := csv.NewReader(table).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	readings := map[string][]*cat.Model{}
	for _, name := range rows[0][1:] {
		readings[name] = []*cat.Model{
			simtest.LoadModel(t, name),
			simtest.LoadReading(t, name, models.Config{Variants: []string{"dartagnan"}}),
		}
	}
	for _, row := range rows[1:] {
		text, err := os.ReadFile(filepath.Join(folder, row[0]+".litmus"))
		if err != nil {
			t.Fatal(err)
		}
		test, err := sim.Load(src.NewFile(row[0], string(text)), sim.Defaults())
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		for i, want := range row[1:] {
			name := rows[0][i+1]
			for variant, m := range readings[name] {
				if holds := saysOne(simtest.Run(t, test, m)); holds != (want == "1") {
					t.Errorf("%s under %s, variant %d: %v, want %s", row[0], name, variant, holds, want)
				}
			}
		}
	}
}

// saysOne reports whether Dartagnan's table has a 1 for the result: the state of exists is
// reachable, or the condition of forall or ~exists holds.
func saysOne(r *sim.Result) bool {
	switch r.Test.Cond.Quant {
	case litmus.Forall:
		return r.Negative == 0
	case litmus.NotExists:
		return r.Positive == 0
	}
	return r.Positive > 0
}
