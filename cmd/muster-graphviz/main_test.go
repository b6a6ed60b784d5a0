package main

import (
	"bytes"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const arc = `digraph { node [shape=box, style="rounded,filled", fillcolor="#00ff00"]
  a -> b -> c -> d; a -> d [color="#ff0000", label="a label"] }`

func TestSVG(t *testing.T) {
	var out, errs bytes.Buffer
	if status := run(nil, strings.NewReader(arc), &out, &errs); status != 0 {
		t.Fatalf("status %d: %s", status, &errs)
	}
	if s := out.String(); !strings.Contains(s, "<svg") || !strings.Contains(s, "a label") {
		t.Errorf("not the picture of the graph:\n%s", s)
	}
}

// TestRaster checks that curves are lines and boxes are filled.
func TestRaster(t *testing.T) {
	var out, errs bytes.Buffer
	if status := run([]string{"-T", "png", "-"}, strings.NewReader(arc), &out, &errs); status != 0 {
		t.Fatalf("status %d: %s", status, &errs)
	}
	img, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	share := map[color.RGBA]float64{}
	b := img.Bounds()
	for x := range b.Dx() {
		for y := range b.Dy() {
			r, g, bl, a := img.At(x, y).RGBA()
			share[color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(bl >> 8), uint8(a >> 8)}] += 1 / float64(b.Dx()*b.Dy())
		}
	}
	for _, c := range []struct {
		name       string
		colour     color.RGBA
		least, all float64
	}{
		{"red, of a line", color.RGBA{R: 255, A: 255}, 0.0005, 0.02},
		{"green, of boxes", color.RGBA{G: 255, A: 255}, 0.1, 0.5},
		{"white, of the background", color.RGBA{255, 255, 255, 255}, 0.4, 0.9},
	} {
		if got := share[c.colour]; got < c.least || got > c.all {
			t.Errorf("%s: share %.4f, want %.4f to %.4f", c.name, got, c.least, c.all)
		}
	}
}

// TestLackingCharacters: a PNG reports the characters that the fonts lack; an SVG does not.
func TestLackingCharacters(t *testing.T) {
	for format, want := range map[string]string{"png": "lack: 屏障; an SVG", "svg": ""} {
		var out, errs bytes.Buffer
		status := run([]string{"-T", format}, strings.NewReader(`digraph { a [label="屏障 é 屏"] }`), &out, &errs)
		if status != 0 || out.Len() == 0 || !strings.Contains(errs.String(), want) || (errs.Len() > 0) != (want != "") {
			t.Errorf("%s: status %d, %d bytes, and %q, want %q", format, status, out.Len(), &errs, want)
		}
	}
}

func TestOutputFile(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.dot"), filepath.Join(dir, "out.JPG")
	if err := os.WriteFile(in, []byte(arc), 0o666); err != nil {
		t.Fatal(err)
	}
	var stdout, errs bytes.Buffer
	if status := run([]string{"-o", out, in}, nil, &stdout, &errs); status != 0 || stdout.Len() > 0 {
		t.Fatalf("status %d, output %q: %s", status, &stdout, &errs)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jpeg.Decode(bytes.NewReader(b)); err != nil {
		t.Error(err)
	}
}

func TestBadInput(t *testing.T) {
	for _, c := range []struct {
		name  string
		args  []string
		stdin string
		want  string
	}{
		{"empty", nil, " \n", "the input is empty"},
		{"no DOT", nil, "hello", "not a graph in the DOT language: syntax error in line 1 near 'hello'"},
		{"cut off", nil, "digraph {\n a ->", "syntax error in line 2"},
		{"NUL", nil, "digraph\x00{}", "NUL byte"},
		{"deep", nil, "digraph" + strings.Repeat("{", 1e6), "more than 500 deep"},
		{"huge", []string{"-Tpng"}, `digraph { size="1000,1000!"; dpi=1000; a }`, "too large"},
		{"format", []string{"-T", "gif"}, arc, `unknown format "gif": expected svg, png or jpg`},
		{"extension", []string{"-o", "x.pdf"}, arc, `unknown format "pdf"`},
		{"no file", []string{"nowhere.dot"}, "", "nowhere.dot"},
		{"two files", []string{"a.dot", "b.dot"}, "", "accepts at most 1 arg"},
		{"flag", []string{"--wrong"}, "", "unknown flag"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			if status := run(c.args, strings.NewReader(c.stdin), &out, &errs); status != badInput {
				t.Errorf("status %d, want %d", status, badInput)
			}
			if !strings.Contains(errs.String(), c.want) || !strings.HasPrefix(errs.String(), "muster-graphviz: ") {
				t.Errorf("message %q, want %q", errs.String(), c.want)
			}
			if out.Len() > 0 {
				t.Errorf("it wrote a picture")
			}
		})
	}
}

// TestBracesInStrings: braces in strings do not count as nesting.
func TestBracesInStrings(t *testing.T) {
	var out, errs bytes.Buffer
	dot := `digraph { a [label="` + strings.Repeat(`\"{`, 600) + `"] }`
	if status := run(nil, strings.NewReader(dot), &out, &errs); status != 0 {
		t.Errorf("status %d: %s", status, &errs)
	}
}

func TestHelp(t *testing.T) {
	var out, errs bytes.Buffer
	if status := run([]string{"--help"}, nil, &out, &errs); status != 0 {
		t.Errorf("status %d", status)
	}
	for _, want := range []string{"Examples:", "Limits:", "Exit status:"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the help lacks %q", want)
		}
	}
}
