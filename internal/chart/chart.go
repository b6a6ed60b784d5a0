// Package chart draws what an index of results says.
//
//	Kind  a chart: families of tests × campaigns, verdicts by the day, times
//	Page  all of them, and tables, as one page of HTML without scripts
package chart

import (
	"context"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	_ "gonum.org/v1/plot/vg/vgimg" // PNG
	_ "gonum.org/v1/plot/vg/vgsvg" // SVG

	"github.com/muster-gpu/muster/internal/index"
)

// Kind is a kind of chart.
type Kind struct {
	Name  string
	Shows string // in a line
	draw  func(context.Context, *index.Index) (*plot.Plot, size, error)
}

// size is that of a chart.
type size struct{ width, height vg.Length }

// Kinds are all kinds.
var Kinds = []Kind{
	{"families", "the share of each family that each campaign allows", heat},
	{"history", "verdicts, by the day on which they were found", history},
	{"times", "how long tests took", times},
}

// Names are the names of all kinds.
func Names() []string {
	var names []string
	for _, k := range Kinds {
		names = append(names, k.Name)
	}
	return names
}

// Find is the kind of a name.
func Find(name string) (*Kind, error) {
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("no chart %q: there are %s", name, strings.Join(Names(), ", "))
	}
	return &Kinds[i], nil
}

// Write draws a chart: in the format svg or png.
func (k *Kind) Write(ctx context.Context, x *index.Index, format string, to io.Writer) error {
	p, size, err := k.draw(ctx, x)
	if err != nil {
		return err
	}
	p.Title.Text = k.Shows
	p.BackgroundColor = color.White
	w, err := p.WriterTo(size.width, size.height, format)
	if err != nil {
		return err
	}
	_, err = w.WriteTo(to)
	return err
}

// answer asks one of the questions of the index, for all rows.
func answer(ctx context.Context, x *index.Index, question string) ([][]any, error) {
	q, err := index.Find(question)
	if err != nil {
		return nil, err
	}
	t, err := x.Ask(ctx, q, nil, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	return t.Rows, nil
}

// label is what a campaign is called in a chart.
func label(campaign, subject any) string { return fmt.Sprintf("%d %s", campaign, subject) }

// place is the place of a name in a list, where it is put unless it is there.
func place(list *[]string, name string) int {
	i := slices.Index(*list, name)
	if i < 0 {
		i = len(*list)
		*list = append(*list, name)
	}
	return i
}

func number(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

// grid is the values of a heat map: a row for each family, a column for each campaign.
type grid struct {
	families, campaigns []string
	share               map[[2]int]float64
}

func (g *grid) Dims() (c, r int)   { return len(g.campaigns), len(g.families) }
func (g *grid) X(c int) float64    { return float64(c) }
func (g *grid) Y(r int) float64    { return float64(r) }
func (g *grid) Z(c, r int) float64 { return g.value([2]int{c, r}) }

// value is a share; not a number where there are no tests.
func (g *grid) value(at [2]int) float64 {
	if share, ok := g.share[at]; ok {
		return share
	}
	return math.NaN()
}

// heat draws the share of each family that each campaign allows.
func heat(ctx context.Context, x *index.Index) (*plot.Plot, size, error) {
	rows, err := answer(ctx, x, "families")
	if err != nil {
		return nil, size{}, err
	}
	g := &grid{share: map[[2]int]float64{}}
	for _, r := range rows {
		if decided := number(r[4]) + number(r[5]) + number(r[6]); decided > 0 {
			at := [2]int{place(&g.campaigns, label(r[1], r[2])), place(&g.families, r[0].(string))}
			g.share[at] = number(r[4]) / decided
		}
	}
	p := plot.New()
	if len(g.share) > 0 {
		m := plotter.NewHeatMap(g, palette.Heat(64, 1))
		m.Min, m.Max, m.NaN = 0, 1, color.Gray{0xe0}
		p.Add(m)
		p.NominalX(g.campaigns...)
		p.NominalY(g.families...)
	}
	p.X.Label.Text = "dark: none is allowed; light: all are; grey: no test"
	const row, column = vg.Centimeter / 2, 3 * vg.Centimeter
	return p, size{6*vg.Centimeter + column*vg.Length(len(g.campaigns)), 4*vg.Centimeter + row*vg.Length(len(g.families))}, nil
}

var usual = size{18 * vg.Centimeter, 10 * vg.Centimeter}

// series is curves by their names, in the order in which they first come.
type series struct {
	names  []string
	points map[string]plotter.XYs
}

func (s *series) add(name string, x, y float64) {
	place(&s.names, name)
	s.points[name] = append(s.points[name], plotter.XY{X: x, Y: y})
}

// draw draws the curves.
func (s *series) draw(p *plot.Plot) error {
	for i, name := range s.names {
		line, points, err := plotter.NewLinePoints(s.points[name])
		if err != nil {
			return err
		}
		line.Color, line.Dashes = plotutil.Color(i), plotutil.Dashes(i)
		points.Color, points.Shape = plotutil.Color(i), plotutil.Shape(i)
		p.Add(line, points)
		p.Legend.Add(name, line, points)
	}
	p.Legend.Top = true
	p.Y.Min = 0
	p.Y.Label.Text = "tests"
	return nil
}

// history draws verdicts by day.
func history(ctx context.Context, x *index.Index) (*plot.Plot, size, error) {
	rows, err := answer(ctx, x, "history")
	if err != nil {
		return nil, size{}, err
	}
	var days []string
	for _, r := range rows {
		place(&days, r[2].(string))
	}
	slices.Sort(days)
	s := &series{points: map[string]plotter.XYs{}}
	for _, r := range rows {
		s.add(label(r[0], r[1])+", "+r[3].(string), float64(place(&days, r[2].(string))), number(r[4]))
	}
	p := plot.New()
	if err := s.draw(p); err != nil {
		return nil, size{}, err
	}
	if len(days) > 0 {
		p.NominalX(days...)
	}
	return p, usual, nil
}

// times draws how many tests took how long, over a logarithmic axis.
func times(ctx context.Context, x *index.Index) (*plot.Plot, size, error) {
	rows, err := answer(ctx, x, "times")
	if err != nil {
		return nil, size{}, err
	}
	s := &series{points: map[string]plotter.XYs{}}
	for _, r := range rows {
		s.add(label(r[0], r[1]), number(r[2]), number(r[3]))
	}
	p := plot.New()
	if err := s.draw(p); err != nil {
		return nil, size{}, err
	}
	if len(rows) > 0 {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	p.X.Label.Text = "seconds, up to"
	return p, usual, nil
}
