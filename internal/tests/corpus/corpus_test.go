package corpus

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestShipped(t *testing.T) {
	c, tables := Shipped(), ShippedTables()
	if !slices.IsSorted(c.Files) || len(c.Files) < 500 {
		t.Errorf("%d files, sorted: %t", len(c.Files), slices.IsSorted(c.Files))
	}
	if e, ok := tables.Expected("mp-inter-cta", "sc"); !ok || e.Verdict != "forbidden" || e.Reason == "" {
		t.Errorf("mp-inter-cta under sc: %+v, %t", e, ok)
	}
	if file, ok := c.Find("mp-inter-cta.litmus"); !ok || file != "asplos15/mp-inter-cta.litmus" {
		t.Errorf("mp-inter-cta is in %q, %t", file, ok)
	}
	if d := tables.Device("Titan"); d.Vendor != "Nvidia" {
		t.Errorf("Titan is %+v", d)
	}
	for _, r := range tables.Runs {
		if _, ok := c.Find(r.Test); !ok {
			t.Errorf("counts of %s, which is not there", r.Test)
		}
	}
}

// TestReadGoesOn: Read reports errors in tables and reads the rest.
func TestReadGoesOn(t *testing.T) {
	fsys := fstest.MapFS{
		"a/t.litmus":     {Data: []byte("PTX t")},
		"a/expected.csv": {Data: []byte("test,model,verdict,reason\nt,sc,perhaps,\nt,tso,allowed,because\n")},
		"b/devices.csv":  {Data: []byte("device\nx\n")},
	}
	var errs []string
	report := func(err error) { errs = append(errs, err.Error()) }
	c := Read(fsys, "here", report)
	if e, ok := c.Tables(report).Expected("t", "tso"); !ok || e.Verdict != "allowed" || e.Reason != "because" ||
		e.Flagged {
		t.Errorf("t under tso: %+v, %t", e, ok)
	}
	all := strings.Join(errs, "\n")
	for _, want := range []string{`here/a/expected.csv:2`, `found "perhaps"`, "here/b/devices.csv:1"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in the errors:\n%s", want, all)
		}
	}
	if f, err := c.Open("a/t.litmus"); err != nil || f.Name != "here/a/t.litmus" {
		t.Errorf("Open: %v, %v", f, err)
	}
	if _, err := c.Open("a/none.litmus"); err == nil || !strings.HasPrefix(err.Error(), "here/a/none.litmus: ") ||
		strings.Count(err.Error(), "none") != 1 {
		t.Errorf("Open of a file that is not there: %v", err)
	}
}
