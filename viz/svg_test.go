package viz

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/vocab"
)

func svgOf(t testingT, g *Graph, s Style) string {
	var b bytes.Buffer
	if err := g.SVG(&b, s); err != nil {
		t.Fatalf("%v", err)
	}
	return b.String()
}

// elements parses XML and returns its elements.
func elements(t testingT, doc string) []xml.StartElement {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(doc))
	var all []xml.StartElement
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, doc)
		}
		if e, ok := tok.(xml.StartElement); ok {
			all = append(all, e.Copy())
		}
	}
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// TestSVGIsWellFormed checks the syntax, that every event has a unique id, and that every line
// names the ids of its events.
func TestSVGIsWellFormed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		ids := map[string]bool{}
		lines := 0
		var ends []string
		for _, e := range elements(t, svgOf(t, g, Style{IDPrefix: "p1-"})) {
			if id := attr(e, "id"); id != "" {
				if ids[id] {
					t.Fatalf("two elements have the id %q", id)
				}
				ids[id] = true
			}
			from, to := attr(e, "data-from"), attr(e, "data-to")
			if from == "" && to == "" {
				continue
			}
			if attr(e, "data-rel") == "" {
				t.Fatalf("a line from %s to %s has no relation", from, to)
			}
			lines++
			ends = append(ends, from, to)
		}
		for _, end := range ends {
			if !ids["p1-event-"+end] {
				t.Fatalf("a line ends at %q, which has no node", end)
			}
		}
		if len(ids) != len(g.events()) || lines != 2*len(g.lines) {
			t.Fatalf("%d events and %d lines drawn, of %d and %d", len(ids), lines/2, len(g.events()), len(g.lines))
		}
	})
}

// awkward returns a graph whose names need escaping.
func awkward(t testingT) *Graph {
	x := scenario{code: []string{"W x 1", "R x"}, rf: "a b"}.execution(t)
	s := *x.Structure
	s.Locs = []event.Location{{Name: "<&\"'\\n\x01\xff>"}}
	s.Threads = []event.Thread{{Name: "T<0>", At: make([]int, 5)}, {Name: "{\"}", At: []int{0, 0, 0, 1, 0}}}
	x.Structure = &s
	return New(x, Options{
		Title:     "</title><script>&",
		Levels:    gpu,
		Highlight: []Edge{{From: 1, To: 2, Label: "a<b&\"c\""}},
	})
}

func TestEscaping(t *testing.T) {
	svg := svgOf(t, awkward(t), Style{IDPrefix: "\"<"})
	for _, e := range elements(t, svg) {
		if e.Name.Local == "script" {
			t.Errorf("a title got out of its element:\n%s", svg)
		}
		if got, want := attr(e, "data-rel"), `a<b&"c" rf`; got != "" && got != want {
			t.Errorf("the label became %q, want %q", got, want)
		}
	}
}

func TestThemes(t *testing.T) {
	g := scenarios["sb"].graph(t)
	for _, c := range []struct {
		theme       Theme
		light, dark bool
	}{{Auto, true, true}, {Light, true, false}, {Dark, false, true}} {
		svg := svgOf(t, g, Style{Theme: c.theme})
		if got := strings.Contains(svg, lightColours.paper); got != c.light {
			t.Errorf("%v: light colours: %v, want %v", c.theme, got, c.light)
		}
		if got := strings.Contains(svg, darkColours.paper); got != c.dark {
			t.Errorf("%v: dark colours: %v, want %v", c.theme, got, c.dark)
		}
		if got := strings.Contains(svg, "@media"); got != (c.theme == Auto) {
			t.Errorf("%v: it asks what the viewer prefers: %v", c.theme, got)
		}
	}
}

func TestLegend(t *testing.T) {
	g := scenarios["mp-fig14"].graph(t)
	const entry = `<g class="legend `
	if svg := svgOf(t, g, Style{}); strings.Count(svg, entry) != 4 { // the cycle, rf, fr, fence
		t.Errorf("the legend has %d entries, want 4", strings.Count(svg, entry))
	}
}

// TestDeterminism writes the same graph several times: the order of maps must not matter.
func TestDeterminism(t *testing.T) {
	for name, s := range scenarios {
		first := ""
		for range 20 {
			var b bytes.Buffer
			g := s.graph(t)
			for _, err := range []error{g.SVG(&b, Style{}), g.DOT(&b), g.Text(&b)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			if first == "" {
				first = b.String()
			}
			if b.String() != first {
				t.Fatalf("%s: two pictures differ", name)
			}
		}
	}
}

// TestContrast checks the contrast that the table of looks promises.
func TestContrast(t *testing.T) {
	for _, p := range []palette{lightColours, darkColours} {
		for f, l := range looks {
			for _, ground := range []string{p.paper, p.meeting} {
				if c := contrast(t, p.edge(l), ground); c < 4.5 {
					t.Errorf("%s: %s on %s has contrast %.2f", vocab.Family(f), p.edge(l), ground, c)
				}
			}
		}
		for _, text := range []string{p.ink, p.muted} {
			for _, ground := range []string{p.paper, p.meeting} {
				if c := contrast(t, text, ground); c < 4.5 {
					t.Errorf("text: %s on %s has contrast %.2f", text, ground, c)
				}
			}
		}
	}
	type stroke struct {
		dash  string
		width float64
	}
	seen := map[stroke]string{}
	for f, l := range looks {
		s := stroke{l.dash, l.width}
		if seen[s] != "" {
			t.Errorf("without colour, %s looks like %s", vocab.Family(f).String(), seen[s])
		}
		seen[s] = vocab.Family(f).String()
	}
}

// contrast returns the contrast ratio of two colours (WCAG 2.1, "relative luminance").
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	luminance := func(colour string) float64 {
		sum := 0.0
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			v, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			sum += weight * linear(float64(v)/255)
		}
		return sum
	}
	l, m := luminance(a), luminance(b)
	return (max(l, m) + 0.05) / (min(l, m) + 0.05)
}

func linear(c float64) float64 {
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}
