package observe_test

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/src"
)

// The chips of the ASPLOS 2015 paper, in the order of its tables.
const (
	nvidia = "GTX5 TesC GTX6 Titan GTX7"
	chips  = nvidia + " HD6570 HD7970"
)

// printed are the counts of Alglave et al., "GPU Concurrency: Weak Behaviours and Programming
// Assumptions", ASPLOS 2015, table by table.
var printed = []struct{ source, test, devices, counts string }{
	{"Fig. 1", "coRR-intra-cta", chips, "11642 8879 9599 9787 0 0 0"},

	{"Fig. 3", "mp-L1", nvidia, "4979 10581 3635 6011 3"},
	{"Fig. 3", "mp-L1+membar.ctas", nvidia, "0 308 14 1696 0"},
	{"Fig. 3", "mp-L1+membar.gls", nvidia, "0 187 0 0 0"},
	{"Fig. 3", "mp-L1+membar.syss", nvidia, "0 162 0 0 0"},

	{"Sec. 3.1.2", "mp-inter-cta", "HD6570 HD7970", "9327 2956"},

	{"Fig. 4", "coRR-L2-L1", nvidia, "2556 2982 2 141 0"},
	{"Fig. 4", "coRR-L2-L1+membar.cta", nvidia, "1934 2180 0 0 0"},
	{"Fig. 4", "coRR-L2-L1+membar.gl", nvidia, "0 1496 0 0 0"},
	{"Fig. 4", "coRR-L2-L1+membar.sys", nvidia, "0 1428 0 0 0"},

	{"Fig. 5", "mp-volatile", nvidia, "6301 4977 2753 2188 0"},
	{"Fig. 7", "dlb-mp", chips, "0 4 36 65 0 0 0"},
	{"Fig. 8", "dlb-lb", chips, "0 750 399 2292 0 n/a 13591"},
	{"Fig. 9", "cas-sl", chips, "0 47 43 512 0 508 748"},
	{"Fig. 11", "sl-future", chips, "0 99 41 58 0 n/a n/a"},

	// The text says that the fences forbid what was seen on Nvidia chips.
	{"Sec. 3.2", "dlb-mp+fences", nvidia, "0 0 0 0 0"},
	{"Sec. 3.2", "dlb-lb+fences", nvidia, "0 0 0 0 0"},
	{"Sec. 3.2", "cas-sl+fences", nvidia, "0 0 0 0 0"},
	{"Sec. 3.2", "sl-future+fences", nvidia, "0 0 0 0 0"},

	{"Sec. 6", "lb+membar.ctas-inter-cta", "Titan GTX6", "586 19"},

	// A column for each combination of incantations.
	{"Tab. 6", "coRR-intra-cta", "Titan", "0 0 0 0 0 1235 0 9774 161 118 847 362 632 3384 3993 9985"},
	{"Tab. 6", "lb-inter-cta", "Titan", "0 0 0 0 0 0 0 0 181 1067 1555 2247 4 37 83 486"},
	{"Tab. 6", "mp-inter-cta", "Titan", "0 0 0 0 0 621 0 2921 315 1128 2372 4347 7 94 442 2888"},
	{"Tab. 6", "sb-inter-cta", "Titan", "0 0 0 0 0 0 0 0 462 1403 3308 6673 3 50 88 749"},
	{"Tab. 6", "coRR-intra-cta", "HD7970", "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"},
	{
		"Tab. 6", "lb-inter-cta", "HD7970",
		"10959 8979 31895 29092 13510 12729 29779 26737 5094 9360 37624 38664 5321 10054 32796 34196",
	},
	{"Tab. 6", "mp-inter-cta", "HD7970", "212 31 243 158 277 46 318 247 473 217 1289 563 611 339 2542 1628"},
	{"Tab. 6", "sb-inter-cta", "HD7970", "0 0 0 0 2 0 2 0 0 0 0 0 0 0 0 0"},
}

// counts lists the printed counts by source, test and device.
func counts() map[string]string {
	list := map[string]string{}
	for _, row := range printed {
		devices := strings.Fields(row.devices)
		for i, n := range strings.Fields(row.counts) {
			device, setting := devices[0], fmt.Sprintf("incantations %d", i+1)
			if row.source != "Tab. 6" {
				device, setting = devices[i], ""
			}
			list[strings.Join([]string{row.source, row.test, device, setting}, ", ")] = n
		}
	}
	return list
}

// open opens a table of the corpus.
func open(t *testing.T, name string) *src.File {
	t.Helper()
	text, err := litmustests.FS.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return src.NewFile(name, string(text))
}

func TestPaperRuns(t *testing.T) {
	runs, err := observe.ReadRuns(open(t, "asplos15/observations.csv"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	missing := 0
	for _, r := range runs {
		count := "n/a"
		if r.Observed != nil {
			count = strconv.Itoa(*r.Observed)
		} else if missing++; r.Note == "" {
			t.Errorf("%s on %s has no count, and no note says why", r.Test, r.Device)
		}
		if r.Runs != 100_000 {
			t.Errorf("%s on %s was run %d times", r.Test, r.Device, r.Runs)
		}
		got[strings.Join([]string{r.Source, r.Test, r.Device, r.Setting}, ", ")] = count
	}
	if diff := cmp.Diff(counts(), got); diff != "" {
		t.Errorf("(-paper +table):\n%s", diff)
	}
	if len(runs) != 232 || missing != 3 {
		t.Errorf("got %d rows, of which %d have no count; want 232 and 3", len(runs), missing)
	}
}

// TestPaperRunsInOpenCL: the tests in OpenCL have the counts of the AMD chips, which the paper ran
// in that language.
func TestPaperRunsInOpenCL(t *testing.T) {
	amd := func(table, prefix string) (rows []string) {
		runs, err := observe.ReadRuns(open(t, table))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range runs {
			count := r.Note
			if r.Observed != nil {
				count = strconv.Itoa(*r.Observed)
			}
			if strings.HasPrefix(r.Device, "HD") {
				rows = append(rows, strings.Join([]string{r.Source, prefix + r.Test, r.Device, r.Setting, count}, ", "))
			}
		}
		return rows
	}
	if diff := cmp.Diff(amd("asplos15/observations.csv", "cl-"), amd("opencl/observations.csv", "")); diff != "" {
		t.Errorf("(-asplos15 +opencl):\n%s", diff)
	}
}

// TestPaperDevices checks the devices against Tab. 1 and Tab. 4 of the paper.
func TestPaperDevices(t *testing.T) {
	got, err := observe.ReadDevices(open(t, "asplos15/devices.csv"))
	if err != nil {
		t.Fatal(err)
	}
	want := []observe.Device{
		{Name: "GTX280", Vendor: "Nvidia", Architecture: "Tesla", Chip: "GTX 280", Year: 2008},
		{
			Name:         "GTX5",
			Vendor:       "Nvidia",
			Architecture: "Fermi",
			Chip:         "GTX 540m",
			Year:         2011,
			Driver:       "331.20, CUDA 5.5, sm_21",
		},
		{
			Name:         "TesC",
			Vendor:       "Nvidia",
			Architecture: "Fermi",
			Chip:         "Tesla C2075",
			Year:         2011,
			Driver:       "334.16, CUDA 5.5, sm_20",
		},
		{
			Name:         "GTX6",
			Vendor:       "Nvidia",
			Architecture: "Kepler",
			Chip:         "GTX 660",
			Year:         2012,
			Driver:       "331.67, CUDA 5.0, sm_30",
		},
		{
			Name:         "Titan",
			Vendor:       "Nvidia",
			Architecture: "Kepler",
			Chip:         "GTX Titan",
			Year:         2013,
			Driver:       "331.62, CUDA 6.0, sm_35",
		},
		{
			Name:         "GTX7",
			Vendor:       "Nvidia",
			Architecture: "Maxwell",
			Chip:         "GTX 750",
			Year:         2014,
			Driver:       "331.62, CUDA 6.0, sm_50",
		},
		{
			Name:         "HD6570",
			Vendor:       "AMD",
			Architecture: "TeraScale 2",
			Chip:         "Radeon HD 6570",
			Year:         2011,
			Driver:       "Catalyst 14.4, APP 2.9",
		},
		{
			Name:         "HD7970",
			Vendor:       "AMD",
			Architecture: "Graphics Core Next 1.0",
			Chip:         "Radeon HD 7970",
			Year:         2012,
			Driver:       "Catalyst 14.4, APP 2.9",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-paper +table):\n%s", diff)
	}
}

// TestCorpusTables checks the tables of every folder: each run must be of a test and on a device of
// its folder.
func TestCorpusTables(t *testing.T) {
	paths, err := fs.Glob(litmustests.FS, "*/observations.csv")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no observations (%v)", err)
	}
	for _, path := range paths {
		folder := strings.TrimSuffix(path, "observations.csv")
		runs, err := observe.ReadRuns(open(t, path))
		if err != nil {
			t.Error(err)
		}
		devices, err := observe.ReadDevices(open(t, folder+"devices.csv"))
		if err != nil {
			t.Error(err)
		}
		known := map[string]bool{}
		for _, d := range devices {
			known[d.Name] = true
		}
		for _, r := range runs {
			if !known[r.Device] {
				t.Errorf("%s: no device %s", path, r.Device)
			}
			if _, err := fs.Stat(litmustests.FS, folder+r.Test+".litmus"); err != nil {
				t.Errorf("%s: no test %s", path, r.Test)
			}
			if r.Observed != nil && *r.Observed > r.Runs {
				t.Errorf("%s: %s was seen %d times in %d runs", path, r.Test, *r.Observed, r.Runs)
			}
		}
	}
}
