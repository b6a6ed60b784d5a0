// Package kerneltest reads the kernels of tests, and says what verify answers about them.
package kerneltest

import (
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/verify"
)

// Head begins a module of PTX.
const Head = ".version 7.0\n.target sm_70\n.address_size 64\n"

// Rows reads the rows of a table, by the names of its columns.
func Rows(t *testing.T, file string) (rows []map[string]string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, column := range lines[0] {
			row[column] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// Read reads a module of PTX.
func Read(t testing.TB, file string) *kernel.Module {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := kernel.Parse(src.NewFile(file, string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Parse reads the text of a module of PTX.
func Parse(t testing.TB, text string) *kernel.Module {
	t.Helper()
	m, err := kernel.Parse(src.NewFile("random.ptx", text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

// Dim reads the size of a launch.
func Dim(t *testing.T, s string) verify.Dim {
	t.Helper()
	d, err := verify.ParseDim(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Verdict verifies the last function of a module.
func Verdict(t *testing.T, m *kernel.Module, c verify.Config) verify.Verdict {
	t.Helper()
	r, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], c)
	if err != nil {
		t.Fatal(err)
	}
	return r.Verdict
}

// Said is what a result says, in the words of expected.csv beside kernels.
func Said(r *verify.Result) string {
	if r.Verdict == verify.Alarmed {
		return map[verify.AlarmKind]string{
			verify.Race: "race", verify.Divergence: "divergence", verify.Assertion: "assertion",
		}[r.Alarms[0].Kind]
	}
	return r.Verdict.String()
}

// First is the first alarm of a result, else the first reason why there is no verdict.
func First(r *verify.Result) string {
	switch {
	case len(r.Alarms) > 0:
		return strings.TrimSpace(r.Alarms[0].Kind.String() + " " + r.Alarms[0].What)
	case len(r.Open) > 0:
		return r.Open[0].Why
	}
	return ""
}

// Expect verifies the last kernel of a module, whose verdict must be one of some.
func Expect(t *testing.T, name string, m *kernel.Module, c verify.Config, want ...verify.Verdict) *verify.Result {
	t.Helper()
	r, err := verify.Verify(t.Context(), m, m.Funcs[len(m.Funcs)-1], c)
	if err != nil || !slices.Contains(want, r.Verdict) {
		t.Errorf("%s: %v %v, %v; want %v", name, r.Verdict, r.Open, err, want)
	}
	return r
}
