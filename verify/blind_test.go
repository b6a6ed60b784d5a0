package verify_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/verify"
)

// blind is the folder with a list of kernels from packages of registries. They had not been
// examined when the list was made. testdata/blind/make.sh builds them; MUSTER_BLIND is the folder
// of its output.
const blind = "testdata/blind"

// TestBlind verifies the kernels of the list, and compares with what is known of them since.
func TestBlind(t *testing.T) {
	folder := os.Getenv("MUSTER_BLIND")
	if folder == "" {
		t.Skip("no PTX of kernels that nobody has looked at: testdata/blind/make.sh makes it; then set MUSTER_BLIND")
	}
	known, launches := blindTable(t, "verdicts.csv"), blindTable(t, "launches.csv")
	count, tolerated, promised, launched, passed, slow := map[verify.Verdict]int{}, 0, 0, 0, 0, 0
	all := readTable(t, filepath.Join(blind, "list.csv"))
	for _, row := range all {
		m := readModule(t, filepath.Join(folder, row["package"]+"__"+strings.ReplaceAll(row["file"], "/", "_")+".ptx"))
		start := time.Now()
		r, tolerant := verifyBlind(t, m, row, false), verify.Verified
		took := time.Since(start)
		if took > 10*time.Second {
			slow++
		}
		best := r
		if r.Verdict != verify.Verified {
			best = verifyBlind(t, m, row, true)
			tolerant = best.Verdict
		}
		count[r.Verdict]++
		switch {
		case r.Verdict == verify.Verified:
		case tolerant == verify.Verified:
			tolerated++
		case len(best.Promises) > 0:
			promised++
		}
		if host := launches[row["package"]+" "+row["kernel"]]; host != nil {
			row["grid"], row["block"], row["parameters"] = host["grid"], host["block"], row["parameters"]+" "+host["parameters"]
			hosts := verifyBlind(t, m, row, false).Verdict
			switch {
			case hosts.String() != host["verdict"]:
				t.Errorf("%s in the launch of the host: %s, want %s", row["kernel"], hosts, host["verdict"])
			case hosts == verify.Verified && host["parameters"] == "":
				launched++
			case hosts == verify.Verified:
				passed++
			}
		}
		promises := strings.Join(best.Promises, "; ")
		t.Logf("%s,%s,%s,%s,%q,%q,%.2f", row["package"], row["kernel"], r.Verdict, tolerant, promises, reason(r), took.Seconds())
		is := known[row["package"]+" "+row["kernel"]]
		if is != nil && (is["verdict"] != r.Verdict.String() || is["same value"] != tolerant.String() || is["promises"] != promises) {
			t.Errorf("%s: %s: %s, %s, %q, and not %v", row["package"], row["kernel"], r.Verdict, tolerant, promises, is)
		}
	}
	t.Logf("%d kernels: %d verified, %d more in the launch of the host, %d more with the numbers that it passes, %d more if stores of the same value are no race, %d more if the host promises something; %d alarms, %d undecided; %d took more than 10 s",
		len(all), count[verify.Verified], launched, passed, tolerated, promised, count[verify.Alarmed], count[verify.Undecided], slow)
}

// blindTable returns a table about kernels of the list, by package and kernel.
func blindTable(t *testing.T, name string) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	for _, row := range readTable(t, filepath.Join(blind, name)) {
		all[row["package"]+" "+row["kernel"]] = row
	}
	return all
}

// verifyBlind verifies the kernel of a row, with or without tolerance for stores of the same value.
// Functions of floating-point numbers have no body there.
func verifyBlind(t *testing.T, m *kernel.Module, row map[string]string, sameValue bool) *verify.Result {
	t.Helper()
	c := verify.Config{PureExterns: true, SameValue: sameValue, Alarms: 1, Values: map[string]uint64{}}
	c.Launch = verify.Launch{Grid: dim(t, row["grid"]), Block: dim(t, row["block"])}
	for _, p := range strings.Fields(row["parameters"]) {
		name, value, _ := strings.Cut(p, "=")
		n, err := strconv.ParseUint(value, 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		c.Values[name] = n
	}
	r, err := verify.Verify(t.Context(), m, m.Func(row["kernel"]), c)
	if err != nil {
		t.Fatalf("%s: %v", row["kernel"], err)
	}
	return r
}

// reason is why a kernel is not verified.
func reason(r *verify.Result) string {
	switch {
	case len(r.Alarms) > 0:
		a := r.Alarms[0]
		return fmt.Sprintf("%s at line %d %s", a.Kind, a.Points[0].Instr.At.Pos().Line, a.What)
	case len(r.Open) > 0:
		return r.Open[0].Why
	}
	return ""
}
