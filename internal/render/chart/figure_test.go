package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// said is a text of a figure and its position.
type said struct {
	words                    string
	left, right, base, upper vg.Length
}

func (s said) overlaps(other said) bool {
	return s.left < other.right && other.left < s.right && s.base < other.upper && other.base < s.upper
}

// textsOf paints a figure and returns its texts, and the cells of a heat map.
func textsOf(f *figure) (texts, cells []said, width, height vg.Length) {
	var c recorder.Canvas
	width, height = f.size()
	f.paint(draw.NewCanvas(&c, width, height))
	upright := false // such as the names of axes
	for _, a := range c.Actions {
		switch a := a.(type) {
		case *recorder.Pop:
			upright = false
		case *recorder.Rotate:
			upright = true
		case *recorder.Fill:
			low, high := a.Path[0].Pos, a.Path[2].Pos
			if high.X-low.X < width {
				cells = append(cells, said{"a cell", low.X, high.X, low.Y, high.Y})
			}
		case *recorder.FillString:
			face := plot.DefaultTextHandler.Cache().Lookup(a.Font, a.Size)
			at, wide, high := a.Point, face.Width(a.String), a.Size*2/3
			if upright {
				texts = append(texts, said{a.String, -at.Y - high, -at.Y, at.X, at.X + wide})
			} else {
				texts = append(texts, said{a.String, at.X, at.X + wide, at.Y, at.Y + high})
			}
		}
	}
	return texts, cells, width, height
}

// checkTexts fails if a text is cut off or overlaps another.
func checkTexts(t *testing.T, f *figure, wants ...string) {
	t.Helper()
	texts, cells, width, height := textsOf(f)
	for i, s := range texts {
		if s.left < 0 || s.right > width || s.base < 0 || s.upper > height {
			t.Errorf("%q is cut off: %v to %v of %v", s.words, s.left, s.right, width)
		}
		for _, other := range texts[:i] {
			if s.overlaps(other) {
				t.Errorf("%q covers %q", s.words, other.words)
			}
		}
		for _, cell := range cells {
			within := cell.left <= s.left && s.right <= cell.right && cell.base <= s.base && s.upper <= cell.upper
			if s.overlaps(cell) && !within {
				t.Errorf("%q is half covered by %v", s.words, cell)
			}
		}
	}
	for _, want := range wants {
		if !slices.ContainsFunc(texts, func(s said) bool { return s.words == want }) {
			t.Errorf("there is no %q", want)
		}
	}
}

// heatRows returns an answer to the question "families". Campaigns are in the order of families,
// and the first family lacks some.
func heatRows(families []string, subjects int) [][]any {
	var rows [][]any
	for i, family := range families {
		for id := range subjects {
			if i == 0 && id < 3 {
				continue
			}
			rows = append(rows, []any{family, int64(id + 1), "", int64(4), int64(i % 4), int64(4 - i%4), nil})
		}
	}
	return rows
}

// TestOrderOfHeatMap: campaigns are sorted by number, families in natural order, whatever the order
// of the rows.
func TestOrderOfHeatMap(t *testing.T) {
	g := gridOf(heatRows([]string{"10.SB", "2.SB", "CoRW", "coRR", "MP"}, 7))
	if want := []int64{1, 2, 3, 4, 5, 6, 7}; !slices.Equal(g.columns, want) {
		t.Errorf("columns %v", g.columns)
	}
	if want := []string{"2.SB", "10.SB", "coRR", "CoRW", "MP"}; !slices.Equal(g.families, want) {
		t.Errorf("rows %v", g.families)
	}
	if g.y(0) < g.y(1) {
		t.Error("the first row is not at the top")
	}
}

// TestNothingIsCutOff: all texts of a figure are on its canvas and none overlaps another, however
// long names are.
func TestNothingIsCutOff(t *testing.T) {
	long := strings.Repeat("a long name of a chip ", 4)
	for _, names := range [][]string{
		{"ptx"},
		{"sc", "ptx", "rc11-scoped", "ptx-7.5", "ptx-6.0", "opencl", "coherence"},
		{long, "ptx", long + "2"},
	} {
		called := campaigns{}
		for i, name := range names {
			called[int64(i+1)] = name
		}
		rows := heatRows([]string{"3.LB", "MP", "W+RWC", "a family of a long name"}, len(names))
		f := heatOf(gridOf(rows), called)
		f.title = "The title"
		checkTexts(t, f, "The title", "0%", "50%", "100%", "no verdict", "MP", "1/4")

		days := &panels{}
		for i := range names {
			for day := range 40 {
				days.add("allowed", int64(i+1), float64(20000+day), float64(i*day))
				days.add("forbidden", int64(i+1), float64(20000+day), float64(100000+day))
			}
		}
		f, err := days.figure(called)
		if err != nil {
			t.Fatal(err)
		}
		checkTexts(t, f, append(names, "2024-10-14")...)

		spent := curves{}
		for i := range names {
			spent[int64(i+1)] = plotter.XYs{{X: -17, Y: 3}, {X: float64(i), Y: 1e6}}
		}
		if f, err = timesOf(spent, called); err != nil {
			t.Fatal(err)
		}
		checkTexts(t, f, append(names, "100 µs", "1 ms", "10 ms", "100 ms")...)
	}
}

// TestTicks: dates are few and regular, counts are whole, durations have units.
func TestTicks(t *testing.T) {
	for _, days := range []float64{0, 1, 5, 6, 12, 31, 90, 364, 1000, 9000} {
		ticks := dates(20000, 20000+days)
		if len(ticks) == 0 && days > 31 || len(ticks) > mostDates+1 {
			t.Errorf("%g days have %d dates", days, len(ticks))
		}
		for _, tick := range ticks {
			if day, err := time.Parse(time.DateOnly, tick.Label); err != nil ||
				float64(day.Unix())/secondsOfDay != tick.Value {
				t.Errorf("%q stands at %g", tick.Label, tick.Value)
			}
		}
	}
	for _, most := range []float64{1, 3, 547, 2e6} {
		for _, tick := range counts(0, most) {
			if tick.Value != math.Trunc(tick.Value) || strings.Contains(tick.Label, ".") {
				t.Errorf("tick %q at %g", tick.Label, tick.Value)
			}
		}
	}
	got := ""
	for _, tick := range durations(math.Log2(1e-8), math.Log2(100)) {
		if !tick.IsMinor() {
			got += fmt.Sprint(tick.Label, ", ")
		}
	}
	if want := "10 ns, 100 ns, 1 µs, 10 µs, 100 µs, 1 ms, 10 ms, 100 ms, 1 s, 10 s, 100 s, "; got != want {
		t.Errorf("got %s", got)
	}
}

// TestZeros: where no test took that time, the curve is at zero.
func TestZeros(t *testing.T) {
	got := withZeros(plotter.XYs{{X: -3, Y: 5}, {X: 0, Y: 1}, {X: 1, Y: 2}})
	if want := (plotter.XYs{{X: -3, Y: 5}, {X: -2}, {X: -1}, {X: 0, Y: 1}, {X: 1, Y: 2}}); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}
