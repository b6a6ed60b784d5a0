package observe_test

import (
	"testing"

	"github.com/muster-gpu/muster/observe"
)

func TestFamily(t *testing.T) {
	tests := map[string]string{
		"":                                   "",
		"MP":                                 "MP",
		"mp+membar.cta+membar.gl-intra-cta":  "mp",
		"coRR-intra-cta":                     "coRR",
		"2+2W":                               "2+2W",
		"2+2W+membar.gls-intra-cta":          "2+2W",
		"Co2+2W-shared":                      "Co2+2W",
		"3.2W+membar.syss-gpu-gpu-cta":       "3.2W",
		"W+RWC":                              "W+RWC",
		"W+RWC+membar.cta+membar.gl+addr":    "W+RWC",
		"WRR+2W-cta-gpu-gpu":                 "WRR+2W",
		"WRW+2W+addr+po":                     "WRW+2W",
		"WRW+WR":                             "WRW+WR",
		"WW+RR+WR+po":                        "WW+RR+WR",
		"CoWW+U+po":                          "CoWW+U",
		"Z6.3+rel.gpu+po-acq.gpu":            "Z6.3",
		"MP+rel.gpu+acq.gpu":                 "MP",
		"LB+Rmw":                             "LB",
		"ISA2+fence.sc.gpu+data-bar.sync+po": "ISA2",
		"-odd":                               "-odd",
	}
	for name, want := range tests {
		if got := observe.Family(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
