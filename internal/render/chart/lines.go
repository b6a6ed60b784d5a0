package chart

import (
	"cmp"
	"context"
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"github.com/muster-gpu/muster/internal/store/index"
)

// hues are colours of curves that differ also for readers with colour blindness (Okabe and Ito).
var hues = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff},
	color.RGBA{0xd5, 0x5e, 0x00, 0xff},
	color.RGBA{0x00, 0x9e, 0x73, 0xff},
	color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	color.RGBA{0xe6, 0x9f, 0x00, 0xff},
	color.RGBA{0x56, 0xb4, 0xe9, 0xff},
	color.Gray{0x00},
	color.Gray{0x80},
}

// curves are the points of each campaign, by number.
type curves map[int64]plotter.XYs

// addTo draws the curves into a plot and returns the samples for a key. The campaign at index i of
// all has the same look in every plot of a figure.
func (s curves) addTo(p *plot.Plot, all []int64) (map[int64][]plot.Thumbnailer, error) {
	looks := map[int64][]plot.Thumbnailer{}
	p.Add(lattice())
	for i, id := range all {
		if len(s[id]) == 0 {
			continue
		}
		line, points, err := plotter.NewLinePoints(s[id])
		if err != nil {
			return nil, err
		}
		line.Color, line.Width, line.Dashes = hues[i%len(hues)], 1, plotutil.Dashes(i/len(hues))
		points.Color, points.Shape, points.Radius = line.Color, plotutil.Shape(i), 2
		p.Add(line, points)
		looks[id] = []plot.Thumbnailer{line, points}
	}
	p.Y.Min = 0
	p.Y.Tick.Marker = plot.TickerFunc(counts)
	return looks, nil
}

// counts returns ticks at integers.
func counts(least, most float64) []plot.Tick {
	var ticks []plot.Tick
	for _, t := range (plot.DefaultTicks{}).Ticks(least, most) {
		if t.Value != math.Trunc(t.Value) {
			continue
		}
		if !t.IsMinor() {
			t.Label = strconv.FormatFloat(t.Value, 'f', -1, 64)
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// outcomes are the outcomes of tests, in the order of their plots.
var outcomes = []string{"allowed", "forbidden", "undefined", "unknown", "observed"}

// compareOutcomes orders outcomes, unknown ones last.
func compareOutcomes(a, b string) int {
	at := func(s string) int {
		if i := slices.Index(outcomes, s); i >= 0 {
			return i
		}
		return len(outcomes)
	}
	return cmp.Or(cmp.Compare(at(a), at(b)), cmp.Compare(a, b))
}

// panels are curves by outcome: one plot for each, over the same days.
type panels struct {
	byOutcome   map[string]curves
	first, last float64 // days since 1970
}

func (h *panels) add(outcome string, campaign int64, day, tests float64) {
	if h.byOutcome == nil {
		h.byOutcome, h.first, h.last = map[string]curves{}, day, day
	}
	if h.byOutcome[outcome] == nil {
		h.byOutcome[outcome] = curves{}
	}
	h.byOutcome[outcome][campaign] = append(h.byOutcome[outcome][campaign], plotter.XY{X: day, Y: tests})
	h.first, h.last = min(h.first, day), max(h.last, day)
}

// history draws verdicts by day.
func history(ctx context.Context, x *index.Index) (*figure, error) {
	rows, called, err := byCampaign(ctx, x, "history")
	if err != nil {
		return nil, err
	}
	var h panels
	for _, r := range rows {
		if day, err := time.Parse(time.DateOnly, r[2].(string)); err == nil { // records may lack a time
			h.add(r[3].(string), r[0].(int64), float64(day.Unix()/secondsOfDay), number(r[4]))
		}
	}
	return h.figure(called)
}

func (h *panels) figure(called campaigns) (*figure, error) {
	if h.first == h.last {
		h.first, h.last = h.first-1, h.last+1 // an axis needs a length
	}
	all := map[int64]bool{}
	for _, c := range h.byOutcome {
		for id := range c {
			all[id] = true
		}
	}
	f := &figure{width: curvesWidth, height: panelHeight}
	ids := slices.Sorted(maps.Keys(all))
	looks := map[int64][]plot.Thumbnailer{}
	for _, outcome := range slices.SortedFunc(maps.Keys(h.byOutcome), compareOutcomes) {
		p := newPlot()
		found, err := h.byOutcome[outcome].addTo(p, ids)
		if err != nil {
			return nil, err
		}
		maps.Copy(looks, found)
		p.X.Min, p.X.Max, p.X.Tick.Marker = h.first, h.last, plot.TickerFunc(dates)
		p.Y.Label.Text = "tests " + outcome
		f.plots = append(f.plots, p)
	}
	return f.withKey(called, ids, looks), nil
}

// Measures of charts of curves.
const (
	curvesWidth  = 14 * vg.Centimeter
	curvesHeight = 7 * vg.Centimeter
	panelHeight  = 45 * vg.Millimeter
)

// withKey adds a key with the campaigns that have curves.
func (f *figure) withKey(called campaigns, ids []int64, looks map[int64][]plot.Thumbnailer) *figure {
	if len(ids) == 0 {
		return empty()
	}
	l := newLegend()
	for _, id := range ids {
		l.Add(called[id], looks[id]...)
	}
	f.key = l
	return f
}

const (
	secondsOfDay = 24 * 60 * 60
	mostDates    = 6 // on an axis, because their labels are long
)

// dates returns ticks at days: every day, every second day, … or at the first of months. X is in
// days since 1970.
func dates(first, last float64) []plot.Tick {
	var ticks []plot.Tick
	add := func(day time.Time) bool {
		at := float64(day.Unix() / secondsOfDay)
		if at > last {
			return false
		}
		if at >= first {
			ticks = append(ticks, plot.Tick{Value: at, Label: day.Format(time.DateOnly)})
		}
		return true
	}
	start := time.Unix(int64(math.Ceil(first))*secondsOfDay, 0).UTC()
	for _, step := range []int{1, 2, 5, 10} {
		if (last-first)/float64(step) < mostDates {
			for day := start; add(day); day = day.AddDate(0, 0, step) {
			}
			return ticks
		}
	}
	const daysOfMonth = 30.4
	month := time.Date(start.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	step := 1
	for _, step = range []int{1, 2, 3, 6, 12, 24, 60, 120, 1200} {
		if (last-first)/daysOfMonth/float64(step) < mostDates {
			break
		}
	}
	for ; add(month); month = month.AddDate(0, step, 0) {
	}
	return ticks
}

// leastRange is the least number of powers of two on an axis, so that it includes a power of ten.
const leastRange = 4

// times draws the number of tests by their time.
func times(ctx context.Context, x *index.Index) (*figure, error) {
	rows, called, err := byCampaign(ctx, x, "times")
	if err != nil {
		return nil, err
	}
	all := curves{}
	for _, r := range rows {
		all[r[0].(int64)] = append(all[r[0].(int64)], plotter.XY{X: math.Log2(number(r[2])), Y: number(r[3])})
	}
	return timesOf(all, called)
}

// timesOf returns the figure of such curves. X is the logarithm to base two, on a linear axis,
// because the library misplaces the label of a logarithmic axis and leaves room for it at the wrong
// end.
func timesOf(all curves, called campaigns) (*figure, error) {
	if len(all) == 0 {
		return empty(), nil
	}
	for id, points := range all {
		all[id] = withZeros(points)
	}
	p := newPlot()
	ids := slices.Sorted(maps.Keys(all))
	looks, err := all.addTo(p, ids)
	if err != nil {
		return nil, err
	}
	if p.X.Max-p.X.Min < leastRange {
		p.X.Min, p.X.Max = p.X.Min-leastRange/2, p.X.Max+leastRange/2
	}
	p.X.Tick.Marker = plot.TickerFunc(durations)
	p.X.Label.Text, p.Y.Label.Text = "time of a test, rounded up to a power of two seconds", "tests"
	f := &figure{plots: []*plot.Plot{p}, width: curvesWidth, height: curvesHeight}
	return f.withKey(called, ids, looks), nil
}

// withZeros adds the powers of two between points, which have no tests: a line across them would
// suggest otherwise.
func withZeros(points plotter.XYs) (filled plotter.XYs) {
	for _, p := range points {
		for n := len(filled); n > 0 && filled[n-1].X+1 < p.X; n++ {
			filled = append(filled, plotter.XY{X: filled[n-1].X + 1})
		}
		filled = append(filled, p)
	}
	return filled
}

// durations returns ticks at powers of ten, in common units. The ends are logarithms to base two.
func durations(least, most float64) []plot.Tick {
	var ticks []plot.Tick
	for e := int(math.Floor(least * math.Log10(2))); e <= int(math.Ceil(most*math.Log10(2))); e++ {
		for digit := 1.0; digit <= 9; digit++ {
			t := plot.Tick{Value: math.Log2(digit * math.Pow10(e))}
			if digit == 1 {
				t.Label = duration(e)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// duration returns 10^e seconds as text.
func duration(e int) string {
	for _, u := range []struct {
		least int
		name  string
	}{{0, "s"}, {-3, "ms"}, {-6, "µs"}} {
		if e >= u.least {
			return fmt.Sprintf("%.0f %s", math.Pow10(e-u.least), u.name)
		}
	}
	return fmt.Sprintf("%g ns", math.Pow10(e+9))
}
