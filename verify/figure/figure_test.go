package figure_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/internal/testkit/examples"
	"github.com/muster-gpu/muster/kernel/launch"
	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/figure"
	"github.com/muster-gpu/muster/verify/modules"
	"github.com/muster-gpu/muster/viz"
	"github.com/muster-gpu/muster/viz/paint"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const folder = "../testdata/kernels"

// found returns the figure of an alarm of one of the kernels.
func found(t *testing.T, name string, l verify.Launch, values map[string]uint64) *figure.Figure {
	t.Helper()
	in := &modules.Input{Config: verify.Config{Launch: l, Values: values, Budget: verify.DefaultBudget}}
	f, err := figure.Find(t.Context(), in, filepath.Join(folder, name+".ptx"), 1)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// raced returns the figure of the first race in a launch of an example.
func raced(t *testing.T, e *examples.Example) *figure.Figure {
	t.Helper()
	m, err := examples.Module(e.Files[0])
	if err != nil {
		t.Fatal(err)
	}
	l := e.Launches[0]
	l.Schedule = launch.RoundRobin()
	f := m.Funcs[len(m.Funcs)-1]
	l.Kernel = f.Name
	report, err := launch.New(m).Run(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	for i := range report.Accesses {
		b := &report.Accesses[i]
		for j := range i {
			a := &report.Accesses[j]
			if a.Object == b.Object && a.Offset < b.Offset+int64(b.Bytes) && b.Offset < a.Offset+int64(a.Bytes) &&
				launch.Racing(a, b) {
				return figure.Of(&verify.Result{Module: m, Kernel: f}, report, launch.Race{First: a, Second: b}, true)
			}
		}
	}
	return nil
}

// TestGolden compares pictures with reviewed ones. With one offset and two threads there is one
// race between neighbours; the other figure is of a launch. So neither depends on the solver's
// choices.
func TestGolden(t *testing.T) {
	figures := map[string]*figure.Figure{
		"add-neighbour": found(t, "add-neighbour", verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{2, 1, 1}},
			map[string]uint64{"add_neighbour_param_1": 1}),
	}
	all, err := examples.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if name := all[i].Name; name == "reduction-late-barrier" || name == "reduction-warp-plain" {
			figures[name] = raced(t, &all[i])
		}
	}
	for name, f := range figures {
		var svg, text bytes.Buffer
		if err := f.Scene(viz.Style{}).SVG(&svg); err != nil {
			t.Fatal(err)
		}
		if err := f.Text(&text); err != nil {
			t.Fatal(err)
		}
		golden(t, "testdata/"+name+".svg", svg.String())
		golden(t, "testdata/"+name+".txt", text.String())
	}
	if len(figures) != 3 {
		t.Errorf("%d figures", len(figures))
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}

// TestRaces: every race of the kernels has a picture. The red line joins two boxes, one in each
// column; nothing leaves the view; no two boxes overlap; everything can be painted; and the
// description for screen readers mentions the race.
func TestRaces(t *testing.T) {
	all, err := examples.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	drawn := 0
	for i := range all {
		e := &all[i]
		if e.Verdict() != "race" {
			continue
		}
		f := raced(t, e)
		if f == nil {
			continue // this launch does not show it
		}
		drawn++
		for _, theme := range []viz.Theme{viz.Light, viz.Dark} {
			check(t, e.Name, f.Scene(viz.Style{Theme: theme}))
		}
	}
	if drawn < 20 {
		t.Errorf("only %d races were drawn", drawn)
	}
}

func check(t *testing.T, name string, s *viz.Scene) {
	t.Helper()
	if !strings.Contains(s.About, "Race at ") || s.Title == "" {
		t.Errorf("%s: the alternative text is %q, %q", name, s.Title, s.About)
	}
	var boxes []viz.Box
	joined := 0
	for _, g := range s.Groups {
		for _, shape := range g.Shapes {
			switch x := shape.(type) {
			case viz.Rect:
				if !within(x.Box, s.View) {
					t.Errorf("%s: %v leaves %v", name, x.Box, s.View)
				}
				if x.Radius == 7 {
					boxes = append(boxes, x.Box)
				}
			case viz.Text:
				half := 0.0
				if x.Middle {
					half = x.Width() / 2
				}
				if x.At.X-half < s.View.X0 || x.At.X-half+x.Width() > s.View.X1 || x.At.Y > s.View.Y1 {
					t.Errorf("%s: %q leaves the picture", name, x.Runs[0].Text)
				}
			case viz.Path:
				if strings.HasPrefix(g.Tip, "race at ") {
					joined++
					if x.Curve.Start().X >= x.Curve[0][3].X {
						t.Errorf("%s: the line is %v", name, x.Curve)
					}
				}
			}
		}
	}
	for i, a := range boxes {
		for _, b := range boxes[:i] {
			if a.X0 < b.X1 && b.X0 < a.X1 && a.Y0 < b.Y1 && b.Y0 < a.Y1 {
				t.Errorf("%s: boxes %v and %v overlap", name, a, b)
			}
		}
	}
	if joined != 1 || len(boxes) < 2 {
		t.Errorf("%s: %d lines join %d boxes", name, joined, len(boxes))
	}
	var b bytes.Buffer
	if err := paint.PDF(&b, paint.Papers[""], s); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func within(a, b viz.Box) bool {
	return b.X0 <= a.X0 && a.X1 <= b.X1 && b.Y0 <= a.Y0 && a.Y1 <= b.Y1
}

// TestFind: the error says why something cannot be drawn.
func TestFind(t *testing.T) {
	one := verify.Launch{Grid: verify.Dim{1, 1, 1}, Block: verify.Dim{32, 1, 1}}
	for _, c := range []struct {
		kernel string
		number int
		want   string
	}{
		{"add-neighbour", 0, "numbered from 1 on"},
		{"add-neighbour-barrier", 1, "no alarm 1, for verify has 0"},
		{"divergence-if-else", 1, "barrier divergence is no race"},
		{"absent", 1, "absent.ptx"},
	} {
		in := &modules.Input{Config: verify.Config{Launch: one, Budget: verify.DefaultBudget}}
		_, err := figure.Find(t.Context(), in, filepath.Join(folder, c.kernel+".ptx"), c.number)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, alarm %d: %v, want %q", c.kernel, c.number, err, c.want)
		}
	}
}
