package chart

import (
	"cmp"
	"context"
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette/brewer"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/muster-gpu/muster/internal/store/index"
	"github.com/muster-gpu/muster/litmus"
)

// share is the numbers of tests of a family that a campaign allows and decides.
type share struct{ allowed, decided float64 }

// grid is the shares of a heat map: a row for each family, from the top, and a column for each
// campaign.
type grid struct {
	families []string
	columns  []int64 // numbers of the campaigns
	shares   map[string]map[int64]share
}

// gridOf parses the answer to the question "families".
func gridOf(rows [][]any) *grid {
	g := &grid{shares: map[string]map[int64]share{}}
	columns := map[int64]bool{}
	for _, r := range rows {
		s := share{number(r[4]), number(r[4]) + number(r[5]) + number(r[6])}
		if s.decided == 0 {
			continue // a chip, which allows nothing
		}
		family, id := r[0].(string), r[1].(int64)
		if g.shares[family] == nil {
			g.shares[family] = map[int64]share{}
		}
		g.shares[family][id], columns[id] = s, true
	}
	g.columns = slices.Sorted(maps.Keys(columns))
	g.families = slices.SortedFunc(maps.Keys(g.shares), func(a, b string) int {
		return cmp.Or(litmus.CompareNatural(strings.ToLower(a), strings.ToLower(b)), litmus.CompareNatural(a, b))
	})
	return g
}

// y returns the y coordinate of a row: the first one is at the top.
func (g *grid) y(row int) float64 { return float64(len(g.families) - 1 - row) }

// Plot draws the cells with their percentages.
func (g *grid) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for row, family := range g.families {
		for column, id := range g.columns {
			left, right := x(float64(column)-0.5), x(float64(column)+0.5)
			low, high := y(g.y(row)-0.5), y(g.y(row)+0.5)
			fill, words, label := noVerdict, "–", letters(cellSize)
			if s, ok := g.shares[family][id]; ok {
				fill, words = shade(s.allowed/s.decided), fmt.Sprintf("%g/%g", s.allowed, s.decided)
			}
			label.XAlign, label.Color = draw.XCenter, inkOn(fill)
			c.FillPolygon(fill,
				[]vg.Point{{X: left, Y: low}, {X: left, Y: high}, {X: right, Y: high}, {X: right, Y: low}})
			c.StrokeLines(draw.LineStyle{Color: color.White, Width: 0.7},
				[]vg.Point{
					{X: left, Y: low},
					{X: left, Y: high},
					{X: right, Y: high},
					{X: right, Y: low},
					{X: left, Y: low},
				})
			c.FillText(label, vg.Point{X: (left + right) / 2, Y: (low + high) / 2}, words)
		}
	}
}

// DataRange returns the ranges of the cells.
func (g *grid) DataRange() (left, right, low, high float64) {
	return -0.5, float64(len(g.columns)) - 0.5, -0.5, float64(len(g.families)) - 0.5
}

// Measures of heat maps.
const (
	cellSize     = vg.Length(7) // of letters
	cellHeight   = 5 * vg.Millimeter
	leastColumn  = 14 * vg.Millimeter
	widestColumn = 30 * vg.Millimeter // longer names are rotated
)

// heat draws, for each family, the share that each campaign allows.
func heat(ctx context.Context, x *index.Index) (*figure, error) {
	rows, called, err := byCampaign(ctx, x, "families")
	if err != nil {
		return nil, err
	}
	return heatOf(gridOf(rows), called), nil
}

// heatOf returns the figure of a grid.
func heatOf(g *grid, called campaigns) *figure {
	if len(g.families) == 0 {
		return empty()
	}
	p := newPlot()
	p.Add(g)
	var names []string
	for _, id := range g.columns {
		names = append(names, called[id])
	}
	p.X.Padding, p.Y.Padding, p.X.Width, p.Y.Width, p.X.Tick.Width, p.Y.Tick.Width = 0, 0, 0, 0, 0, 0
	p.X.Tick.Length, p.Y.Tick.Length = 3, 3
	p.X.Tick.Marker, p.Y.Tick.Marker = named(names, func(i int) float64 { return float64(i) }), named(g.families, g.y)
	p.Y.Tick.Label.YAlign = -0.7 // visually centred in the cell, by the height of letters and not of the line
	column := max(leastColumn, widest(names)+3*vg.Millimeter)
	below := tickSize
	if column > widestColumn {
		column, below = leastColumn, widest(names)
		p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = math.Pi/2, draw.XRight, draw.YCenter
		p.X.Tick.Length, p.X.Padding = 0, 5 // the library places such names slightly too high
	}
	return &figure{
		plots: []*plot.Plot{p}, key: scale{},
		width:  widest(g.families) + 2*labelSize + column*vg.Length(len(names)),
		height: below + 2*labelSize + cellHeight*vg.Length(len(g.families)),
	}
}

// named returns ticks with names.
func named(names []string, at func(int) float64) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for i, name := range names {
		ticks = append(ticks, plot.Tick{Value: at(i), Label: name})
	}
	return ticks
}

// widest returns the width of the widest name beside an axis.
func widest(names []string) (width vg.Length) {
	style := letters(tickSize)
	for _, name := range names {
		width = max(width, style.Width(name))
	}
	return width
}

// blues are the colours of shares from none to all. They differ also in grey and for readers who
// are red-blind.
var blues = func() []color.Color {
	p, err := brewer.GetPalette(brewer.TypeSequential, "Blues", 9)
	if err != nil {
		panic(err) // the library has it
	}
	return p.Colors()
}()

var noVerdict = color.Color(color.Gray{0xee})

// shade returns the colour of a share.
func shade(share float64) color.Color {
	at := share * float64(len(blues)-1)
	i := min(int(at), len(blues)-2)
	part := at - float64(i)
	r0, g0, b0, _ := blues[i].RGBA()
	r1, g1, b1, _ := blues[i+1].RGBA()
	mix := func(a, b uint32) uint8 { return uint8((float64(a)*(1-part) + float64(b)*part) / 0x101) }
	return color.RGBA{mix(r0, r1), mix(g0, g1), mix(b0, b1), 0xff}
}

// inkOn returns a colour that can be read on another.
func inkOn(c color.Color) color.Color {
	if color.GrayModel.Convert(c).(color.Gray).Y < 0x90 {
		return color.White
	}
	return ink
}

// scale is the key of a heat map: the shares of the colours.
type scale struct{}

const (
	barWidth  = 5 * vg.Millimeter
	barHeight = 40 * vg.Millimeter
	barSteps  = 80
)

func (scale) size() (width, height vg.Length) {
	return 24 * vg.Millimeter, barHeight + 14*vg.Millimeter
}

func (scale) draw(c draw.Canvas) {
	style := letters(tickSize)
	top := c.Max.Y - tickSize
	rect := func(low, high vg.Length, fill color.Color) {
		c.FillPolygon(fill,
			[]vg.Point{
				{X: c.Min.X, Y: low},
				{X: c.Min.X, Y: high},
				{X: c.Min.X + barWidth, Y: high},
				{X: c.Min.X + barWidth, Y: low},
			})
	}
	say := func(y vg.Length, words string) {
		c.FillText(style, vg.Point{X: c.Min.X + barWidth + tickSize/2, Y: y}, words)
	}
	low := top - barHeight
	for i := range barSteps {
		// up to the top, so that there are no seams
		rect(low+barHeight*vg.Length(i)/barSteps, top, shade(float64(i)/(barSteps-1)))
	}
	for percent := 0; percent <= 100; percent += 25 {
		y := low + barHeight*vg.Length(percent)/100
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: 0.5}, c.Min.X+barWidth, y, c.Min.X+barWidth+tickSize/4, y)
		say(y, fmt.Sprintf("%d%%", percent))
	}
	rect(low-2*tickSize, low-tickSize, noVerdict)
	say(low-1.5*tickSize, "no verdict")
}
