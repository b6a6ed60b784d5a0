// Command curves measures how the time of one test grows with its size, for both engines, and draws
// the figure of docs/performance.md. It prints the measurements as a Markdown table.
//
//	go run ./bench/curves -o docs/pictures/growth.svg
//	go run ./bench/curves -write DIR         the tests themselves, for other simulators
package main

import (
	"context"
	"flag"
	"fmt"
	"image/color"
	"log"
	"math"
	"os"
	"path/filepath"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/muster-gpu/muster/bench"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

func main() {
	log.SetFlags(0)
	out := flag.String("o", "growth.svg", "the `FILE` of the figure")
	write := flag.String("write", "", "write the tests to this `DIR`ectory and do no more")
	patience := flag.Duration("patience", 2*time.Second, "measure larger sizes until one takes this `TIME`")
	largest := flag.Int("largest", 20, "the largest `SIZE`")
	flag.Parse()
	if *write != "" {
		if err := writeTests(*write, *largest); err != nil {
			log.Fatal(err)
		}
		return
	}
	var all []curve
	for _, f := range bench.Families {
		for _, s := range series {
			c, err := measure(f, s, *patience, *largest)
			if err != nil {
				log.Fatal(err)
			}
			all = append(all, c)
		}
	}
	table(all)
	if err := figure(all, *out); err != nil {
		log.Fatal(err)
	}
}

// setup is the model and engine of one line of the figure.
type setup struct {
	model  string
	engine sim.Engine
	name   string
	color  color.Color
}

var series = []setup{
	{"sc", sim.Fast, "fast, sc", color.RGBA{0x1f, 0x5f, 0xbf, 0xff}},
	{"ptx", sim.Fast, "fast, ptx", color.RGBA{0x1f, 0x9f, 0x5f, 0xff}},
	{"sc", sim.Naive, "naive, sc", color.RGBA{0xbf, 0x5f, 0x1f, 0xff}},
	{"ptx", sim.Naive, "naive, ptx", color.RGBA{0x9f, 0x1f, 0x5f, 0xff}},
}

// point is the measurement of one size.
type point struct {
	n                           int
	time                        time.Duration
	executions, visited, states int
}

type curve struct {
	bench.Family
	setup
	points []point
}

// measure runs a family with growing sizes until one takes too long.
func measure(f bench.Family, s setup, patience time.Duration, largest int) (curve, error) {
	c := curve{f, s, nil}
	m, err := models.Load(s.model, models.Config{})
	if err != nil {
		return c, err
	}
	if _, err := m.Check(sim.Vocabulary()); err != nil {
		return c, err
	}
	config := sim.Defaults()
	config.Engine, config.Timeout = s.engine, 2*patience
	simulate := func(p bench.Program) (*sim.Result, error) {
		test, err := sim.Load(src.NewFile(p.Name, p.PTX()), config)
		if err != nil {
			return nil, err
		}
		return test.Run(context.Background(), m.Model)
	}
	if _, err := simulate(f.Program(f.From)); err != nil { // the first run compiles the model
		return c, err
	}
	for n := f.From; n <= largest; n++ {
		p := f.Program(n)
		r, err := simulate(p)
		if err != nil {
			return c, err
		}
		if r.Limit != nil && !sim.IsBound(r.Limit) {
			break
		}
		c.points = append(c.points, point{n, r.Elapsed, r.Positive + r.Negative, r.Stats.Candidates, len(r.States)})
		log.Printf("%s under %s, %s: %.4f s", p.Name, s.model, s.name, r.Elapsed.Seconds())
		if r.Elapsed > patience {
			break
		}
	}
	return c, nil
}

// table prints the largest size of each curve.
func table(all []curve) {
	fmt.Println("| family | engine, model | n | time | executions | candidates visited | states |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, c := range all {
		if len(c.points) == 0 {
			continue
		}
		p := c.points[len(c.points)-1]
		fmt.Printf("| %s | %s | %d | %.3f s | %d | %d | %d |\n", c.Family.Name, c.setup.name, p.n, p.time.Seconds(),
			p.executions, p.visited, p.states)
	}
}

// columns is the number of plots side by side.
const columns = 4

// figure draws a plot for each family.
func figure(all []curve, file string) error {
	rows := (len(bench.Families) + columns - 1) / columns
	plots := make([][]*plot.Plot, rows)
	for i := range plots {
		plots[i] = make([]*plot.Plot, columns)
	}
	var key plot.Legend
	for i, f := range bench.Families {
		p, legend, err := familyPlot(f, all)
		if err != nil {
			return err
		}
		plots[i/columns][i%columns], key = p, legend
	}
	canvas := vgsvg.New(32*vg.Centimeter, vg.Length(rows)*8*vg.Centimeter)
	tiles := draw.Tiles{
		Rows:      rows,
		Cols:      columns,
		PadX:      vg.Millimeter * 4,
		PadY:      vg.Millimeter * 6,
		PadTop:    vg.Millimeter * 3,
		PadBottom: vg.Millimeter * 3,
		PadLeft:   vg.Millimeter * 3,
		PadRight:  vg.Millimeter * 3,
	}
	canvases := plot.Align(plots, tiles, draw.New(canvas))
	for i := range plots {
		for j, p := range plots[i] {
			if p != nil {
				p.Draw(canvases[i][j])
			}
		}
	}
	key.Left, key.Top = true, true
	last := len(bench.Families)
	key.Draw(tiles.At(draw.New(canvas), last%columns, last/columns)) // the free tile
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := canvas.WriteTo(f); err != nil {
		return err
	}
	return f.Close()
}

// perExecution is the slope of the dashed line.
const perExecution = time.Microsecond

// familyPlot draws the curves of a family, and a line for a microsecond per consistent execution.
func familyPlot(f bench.Family, all []curve) (*plot.Plot, plot.Legend, error) {
	p, key := plot.New(), plot.NewLegend()
	p.Title.Text = f.Name
	p.BackgroundColor = color.White
	p.X.Label.Text, p.Y.Label.Text = "n", "seconds"
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.X.Tick.Marker = plot.TickerFunc(wholeTicks)
	const least, most = 1e-5, 10.0
	for i, c := range all {
		if c.Family.Name != f.Name {
			continue
		}
		var times, each plotter.XYs
		for _, q := range c.points {
			times = append(times, plotter.XY{X: float64(q.n), Y: max(q.time.Seconds(), least)})
			if t := float64(q.executions) * perExecution.Seconds(); least <= t && t <= most {
				each = append(each, plotter.XY{X: float64(q.n), Y: t})
			}
		}
		line, dots, err := plotter.NewLinePoints(times)
		if err != nil {
			return nil, key, err
		}
		line.Color, dots.Color = c.color, c.color
		dots.Shape, dots.Radius = draw.CircleGlyph{}, vg.Points(1.5)
		p.Add(line, dots)
		key.Add(c.setup.name, line, dots)
		if i%len(series) == 0 && len(each) > 1 {
			dashed, err := plotter.NewLine(each)
			if err != nil {
				return nil, key, err
			}
			dashed.Color, dashed.Dashes = color.Gray{0x80}, []vg.Length{vg.Points(3), vg.Points(3)}
			p.Add(dashed)
			key.Add("1 µs for each consistent execution, sc", dashed)
		}
	}
	p.Y.Min, p.Y.Max = least, most
	return p, key, nil
}

// wholeTicks returns ticks that label every second size.
func wholeTicks(least, most float64) []plot.Tick {
	var ticks []plot.Tick
	for n := math.Ceil(least); n <= most; n++ {
		t := plot.Tick{Value: n}
		if int(n)%2 == 0 {
			t.Label = fmt.Sprint(n)
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// writeTests writes every test for muster (and Dartagnan), and for herd7.
func writeTests(dir string, largest int) error {
	for _, f := range bench.Families {
		for n := f.From; n <= largest; n++ {
			p := f.Program(n)
			texts := map[string]string{"ptx": p.PTX()}
			if text, ok := p.X86(); ok {
				texts["x86"] = text
			}
			for sub, text := range texts {
				if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(dir, sub, p.Name+".litmus"), []byte(text), 0o644); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
