package modules

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/verify"
)

// usual are the default options.
var usual = UsualWords()

func TestWords(t *testing.T) {
	w := usual
	w.Grid, w.Block, w.Params = "4", "32,2", []string{"n=0x10", "m=-1", "k>=-2"}
	w.Races, w.Benign, w.Only, w.Warps = "barrier", "same-value", "block", "lockstep:16"
	var c verify.Config
	if err := w.Configure(&c); err != nil {
		t.Fatal(err)
	}
	if c.Launch.Grid[0] != 4 || c.Launch.Block[0] != 32 || c.Launch.Block[1] != 2 {
		t.Errorf("launch %v", c.Launch)
	}
	if c.Values["n"] != 16 || c.Values["m"] != 1<<64-1 || len(c.Values) != 2 || c.Least["k"] != -2 {
		t.Errorf("parameters %v, %v", c.Values, c.Least)
	}
	if !c.BarriersOnly || !c.SameValue || c.Only != verify.OnlyBlock || c.Lockstep != 16 {
		t.Errorf("%+v", c)
	}
}

func TestWordsThatMeanNothing(t *testing.T) {
	for want, change := range map[string]func(*Words){
		"--races some":       func(w *Words) { w.Races = "some" },
		"--benign":           func(w *Words) { w.Benign = "always" },
		"--warps lockstep:3": func(w *Words) { w.Warps = "lockstep:3" },
		"--only all: divergence or block is expected":                       func(w *Words) { w.Only = "all" },
		"--annotations some: all, candidates, requires or none is expected": func(w *Words) { w.Annotations = "some" },
		"--report cost: bank-conflicts or divergence is expected": func(w *Words) {
			w.Reports = []string{"cost"}
		},
		"--param n":      func(w *Words) { w.Params = []string{"n"} },
		"--param n>=few": func(w *Words) { w.Params = []string{"n>=few"} },
		"--param n=few":  func(w *Words) { w.Params = []string{"n=few"} },
		"--param n<=5: NAME=NUMBER or NAME>=NUMBER is expected; a contract says all else (requires n <= 64;, " +
			"see --spec)": func(w *Words) { w.Params = []string{"n<=5"} },
	} {
		w := usual
		change(&w)
		if err := w.Configure(&verify.Config{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
}

// TestJobs: there must be at least one worker.
func TestJobs(t *testing.T) {
	if Jobs(1) != nil || Jobs(0) == nil || Jobs(-1) == nil {
		t.Error("at least 1 is")
	}
}
