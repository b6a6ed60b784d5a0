package models_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/cat/syntax"
	"github.com/muster-gpu/muster/src"
)

// figures15And16 is the model as Alglave et al., ASPLOS 2015, print it: lines 1-7 are
// Fig. 15, lines 8-16 are Fig. 16. A definition that the paper breaks is on one line.
var figures15And16 = []string{
	"let com = rf | co | fr",
	"let po-loc-llh = WW(po-loc) | WR(po-loc) | RW(po-loc)",
	"acyclic (po-loc-llh | com) as sc-per-loc-llh",
	"let dp = addr | data | ctrl",
	"acyclic (dp | rf) as no-thin-air",
	"let rmo(fence) = dp | fence | rfe | co | fr",

	"let sys-fence = membar.sys",
	"let gl-fence = membar.gl | sys-fence",
	"let cta-fence = membar.cta | gl-fence",
	"let rmo-cta = rmo(cta-fence) & cta",
	"let rmo-gl = rmo(gl-fence) & gl",
	"let rmo-sys = rmo(sys-fence) & sys",
	"acyclic rmo-cta as cta-constraint",
	"acyclic rmo-gl as gl-constraint",
	"acyclic rmo-sys as sys-constraint",
}

// statements reads a file and returns the text of its statements, on one line each.
func statements(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := syntax.Parse(src.NewFile(path, string(text)))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, s := range f.Stmts {
		list = append(list, strings.Join(strings.Fields(s.Span().Text()), " "))
	}
	return list
}

func TestAxiomsAsPrinted(t *testing.T) {
	if diff := cmp.Diff(figures15And16, statements(t, "asplos15-axioms.cat")); diff != "" {
		t.Errorf("(-paper +file):\n%s", diff)
	}
}

// TestAxiomsAreUsed checks that the models of the paper consist of its axioms and their own
// statements.
func TestAxiomsAreUsed(t *testing.T) {
	const (
		include = `include "asplos15-axioms.cat"`
		newer   = `include "since-6.0.cat"`
	)
	tests := map[string][]string{
		"ptx-asplos15.cat": {include, newer, "flag ~empty (CA | VOL | A | since-6.0) as outside-model"},
		"ptx-asplos15-rmw.cat": {
			include, "empty rmw & (fre;coe) as atomicity", newer, "flag ~empty (CA | since-6.0) as outside-model",
		},
	}
	for path, want := range tests {
		if diff := cmp.Diff(want, statements(t, path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

// TestRMOAsPrinted checks that rmo.cat is Fig. 15 with one fence, and barriers.
func TestRMOAsPrinted(t *testing.T) {
	fig15 := figures15And16[:6]
	want := append(fig15[:6:6],
		"let barrier = po; (syncbar; po)+",
		"acyclic rmo(membar.cta | membar.gl | membar.sys | barrier) as rmo-constraint",
		"flag ~empty (AGENT | MBAR) as outside-model")
	if diff := cmp.Diff(want, statements(t, "rmo.cat")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
