package gallery_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/render/gallery"
	"github.com/muster-gpu/muster/internal/render/picture"
	"github.com/muster-gpu/muster/viz"
)

// sign is a drawing of a title, of a given size.
type sign struct {
	title         string
	width, height float64
}

func (s sign) Scene(style viz.Style) *viz.Scene {
	scene := style.Theme.Inked(s.title, "", viz.Box{X1: s.width, Y1: s.height}, nil)
	scene.Groups = []viz.Group{{Shapes: []viz.Shape{
		viz.Text{At: viz.Point{X: 10, Y: 20}, Size: 12, Runs: []viz.Run{{Text: s.title, Colour: "#000000"}}},
	}}}
	return scene
}

func (s sign) Text(w io.Writer) error { return nil }

// said returns the notes of a gallery about drawings.
func said(t *testing.T, g gallery.Gallery, all ...picture.Drawing) string {
	t.Helper()
	var told bytes.Buffer
	g.Stdout, g.Stderr = io.Discard, &told
	if err := g.Open(); err != nil {
		t.Fatal(err)
	}
	for i, one := range all {
		if err := g.Add(t.Context(), fmt.Sprint(i), one); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return told.String()
}

// TestNotes: deviations of a picture from the request are reported, and nothing else.
func TestNotes(t *testing.T) {
	for _, c := range []struct {
		format, paper string
		scale         float64
		one           sign
		want          string
	}{
		{"png", "", 2, sign{"MP α → β", 400, 300}, ""},
		{"svg", "", 2, sign{"消息 😀", 400, 300}, ""},
		{
			"png", "", 2,
			sign{"消息 😀消", 400, 300},
			"warning: 消息 😀消: PNG and PDF have boxes for characters that the fonts of muster lack: 消 (U+6D88), 息 " +
				"(U+606F), 😀 (U+1F600); an SVG shows them if the viewer has such a font\n",
		},
		{
			"pdf", "", 2,
			sign{"消息😀传递给你", 400, 300},
			"warning: 消息😀传递给你: PNG and PDF have boxes for characters that the fonts of muster lack: 消 (U+6D88), 息 " +
				"(U+606F), 😀 (U+1F600), 传 (U+4F20), 递 (U+9012), and 2 more; an SVG shows them if the viewer has " +
				"such a font\n",
		},
		{
			"png", "", 100,
			sign{"MP", 800, 500},
			"warning: MP: the image would be too large with --scale 100, so that it has 6.5; SVG and PDF are sharp " +
				"at any size\n",
		},
		{"pdf", "a5", 2, sign{"MP", 400, 300}, ""},
		{"pdf", "", 2, sign{"MP", 4000, 300}, ""},
		{
			"pdf", "a5", 2,
			sign{"MP", 1400, 300},
			"warning: MP: letters have 4.5 points on a5, which is hard to read; on letter they have 6.2; without " +
				"--paper, the page is as large as the picture\n",
		},
		{
			"pdf", "a5", 2,
			sign{"MP", 6000, 300},
			"warning: MP: letters have 1.0 points on a5, which is hard to read; no paper is large enough: without " +
				"--paper, the page is as large as the picture; fewer threads or relations (--show) need less\n",
		},
	} {
		g := gallery.Usual()
		g.Format, g.Paper, g.Scale = c.format, c.paper, c.scale
		if got := said(t, g, c.one); got != c.want {
			t.Errorf("%s of %v: got\n%swant\n%s", c.format, c.one, got, c.want)
		}
	}
}

// TestManyNotes: of many pictures, some are named, in order.
func TestManyNotes(t *testing.T) {
	g := gallery.Usual()
	g.Output, g.Format, g.Scale = t.TempDir()+string(filepath.Separator), "png", 1
	var all []picture.Drawing
	for i := range 9 {
		all = append(all, sign{fmt.Sprintf("给%d", 9-i), 400, 300})
	}
	got := said(t, g, append(all, sign{"MP", 40000, 30})...)
	if strings.Count(got, "\n") != 5 ||
		!strings.HasPrefix(got, "warning: MP: the image would be too large") &&
			!strings.HasPrefix(got, "warning: 给1: ") ||
		!strings.Contains(got, "\nwarning: so it is with 6 more pictures: boxes for characters\n") {
		t.Errorf("got %s", got)
	}
}

// TestUnheeded: an option without effect on a format is rejected if the user gave it.
func TestUnheeded(t *testing.T) {
	for _, c := range []struct{ format, engine, flag, want string }{
		{"svg", "", "paper", "--paper makes no difference to svg: it is for pdf"},
		{"png", "", "paper", "--paper makes no difference to png: it is for pdf"},
		{"pdf", "", "scale", "--scale makes no difference to pdf: it is for png"},
		{"png", "graphviz", "scale", "--scale makes no difference to what graphviz draws: it is for png"},
		{"dot", "", "theme", "--theme makes no difference to dot: it is for pdf, png, svg"},
		{"svg", "", "theme", ""},
		{"png", "", "scale", ""},
		{"pdf", "", "paper", ""},
	} {
		g := gallery.Usual()
		g.Format, g.Engine, g.Given = c.format, c.engine, func(flag string) bool { return flag == c.flag }
		got := ""
		if err := g.Open(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("--%s with %s: got %q, want %q", c.flag, c.format, got, c.want)
		}
	}
	for _, scale := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		g := gallery.Usual()
		g.Format, g.Scale = "png", scale
		if err := g.Open(); err == nil {
			t.Errorf("--scale %g is taken", scale)
		}
	}
}
