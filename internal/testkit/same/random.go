package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/internal/testkit/draw"
)

// drawer is a kind of random programs: how to draw one, their number, and the models that judge
// them.
type drawer struct {
	name   string
	draw   func(*rapid.T) string
	number int
	models []string
}

var drawers = []drawer{
	{
		"plain", func(t *rapid.T) string { return draw.Program(t).String() }, 12,
		[]string{"ptx-asplos15", "sc", "tso", "rmo"},
	},
	{"barriers", func(t *rapid.T) string { return draw.BarrierProgram(t).String() }, 12, []string{"ptx", "sc", "tso"}},
	{"scoped", draw.Scoped, 24, []string{"ptx", "ptx-7.5", "sc", "coherence"}},
	{"small", draw.Small, 12, []string{"ptx", "rmo"}},
	{"pointers", draw.Pointers, 12, []string{"ptx", "coherence"}},
	{"one", draw.OneLocation, 24, []string{"ptx", "ptx-6.0", "sc"}},
	{"locations", func(t *rapid.T) string { return draw.Locations(t, 6) }, 12, []string{"ptx", "sc"}},
	{"meeting", draw.Meeting, 16, []string{"ptx", "tso"}},
	{"flags", draw.Flags, 12, []string{"ptx", "sc"}},
	{"sums", draw.Sums, 12, []string{"ptx", "coherence"}},
	{"line", draw.Line, 12, []string{"ptx", "sc"}},
	{"counters", draw.Counters, 12, []string{"ptx", "sc"}},
	{"arrivals", draw.Arrivals, 12, []string{"ptx"}},
	{"spin", draw.Spin, 8, []string{"ptx", "sc"}},
	{"async", func(t *rapid.T) string { return draw.Async(t).String() }, 16, []string{"ptx"}},
	{
		"indices", func(t *rapid.T) string { return draw.Indices(t, "OPENCL") }, 12,
		[]string{"opencl", "rc11", "coherence"},
	},
	{"waiting", func(t *rapid.T) string { return draw.Waiting(t, "C") }, 12, []string{"rc11", "c11-partial-sc"}},
}

// drawn returns the n-th value of a drawer, deterministically.
func drawn[V any](draw func(*rapid.T) V, n int) V { return rapid.Custom(draw).Example(n + 1) }

// numberOfModels is the number of random models; each judges modelTests small programs.
const (
	numberOfModels = 100
	modelTests     = 6
)

// random asks about random programs, drawn from fixed seeds and printed so that both builds read
// the same text, and about small ones under random models.
func random(folder string) (commands [][]string, err error) {
	for _, d := range drawers {
		for i := range d.number {
			if err := writeProgram(folder, d.name, i, drawn(d.draw, i)); err != nil {
				return nil, err
			}
		}
		for _, model := range d.models {
			for _, want := range []string{
				"", "--states", "--quick", "--engine=learning --quick",
				"--engine=learning --states",
			} {
				commands = append(commands, words("run --json --no-time -j 1 -m", model, want, d.name))
			}
		}
		commands = append(commands, words("explain --json -j 1 -m", d.models[0], d.name))
	}
	for i := range modelTests {
		if err := writeProgram(folder, "judged", i, drawn(draw.Small, 100+i)); err != nil {
			return nil, err
		}
	}
	for i := range numberOfModels {
		m := drawn(drawModel, i)
		name := fmt.Sprintf("model-%d.cat", i)
		if err := write(filepath.Join(folder, name), []byte(m.text)); err != nil {
			return nil, err
		}
		ask := words("run --json --no-time -j 1 -m", name)
		for _, v := range m.variants {
			// a variant that the model does not mention is an error
			if strings.Contains(m.text, fmt.Sprintf("%q", v)) {
				ask = append(ask, "--variant", v)
			}
		}
		for _, want := range []string{"judged", "--engine=learning --states judged"} {
			commands = append(commands, slices.Concat(ask, words(want)))
		}
	}
	return commands, nil
}

// model is a random model and the variants with which it is loaded.
type model struct {
	text     string
	variants []string
}

func drawModel(t *rapid.T) (m model) {
	m.text, m.variants = draw.Model(t)
	return m
}

// writeProgram writes the i-th program of a kind into the folder of its kind, under a unique name.
func writeProgram(folder, kind string, i int, text string) error {
	name := fmt.Sprintf("%s-%d", kind, i)
	first, rest, _ := strings.Cut(text, "\n")
	header, _, _ := strings.Cut(first, " ")
	return write(filepath.Join(folder, kind, name+".litmus"), []byte(header+" "+name+"\n"+rest))
}
