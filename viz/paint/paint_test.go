package paint_test

import (
	"bytes"
	"compress/zlib"
	"flag"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"

	"github.com/muster-gpu/muster/internal/render/picture"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/viz"
	"github.com/muster-gpu/muster/viz/paint"
)

var keep = flag.String("keep", "", "write the pictures of the tests into this folder")

// graphOf returns the graph of a shipped test: an execution that its model forbids, with the cycle,
// or else one that it allows.
func graphOf(t *testing.T, name string) *viz.Graph {
	t.Helper()
	file, ok := corpus.Shipped().Find(name)
	if !ok {
		t.Fatalf("no test %s", name)
	}
	f, err := corpus.Shipped().Open(file)
	if err != nil {
		t.Fatal(err)
	}
	test, err := sim.Load(f, sim.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	m, err := models.Load(test.Format.Model, models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := test.Explain(t.Context(), m.Model)
	if err != nil {
		t.Fatal(err)
	}
	o := e.Outcomes[0]
	opts := viz.Options{Title: name, Subtitle: o.State.Format(e.Refs)}
	w := o.Witness
	if w == nil {
		w, opts.Highlight = &o.Reasons[0].Witness, picture.Evidence(&o.Reasons[0].Violation)
	}
	g, err := picture.Of(m.Model, w, opts)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// drawn are tests with rich pictures: a cycle, fences and barriers, aliases, many threads, long
// names.
var drawn = []string{
	"mp+membar.cta+membar.gl-intra-cta", "atomic-ref-iriw-seq-cst", "ISA2+bar.syncs-rel.gpu+acq.gpu",
	"CoRR+alias-second", "CoWR+generic-constant", "3.LB+surfaces+fence.sc+fence.acq_rels",
}

// texts are the runs of text in a scene.
func texts(s *viz.Scene, visit func(viz.Text, viz.Run)) {
	for _, g := range s.Groups {
		for _, shape := range g.Shapes {
			if t, ok := shape.(viz.Text); ok {
				for _, r := range t.Runs {
					visit(t, r)
				}
			}
		}
	}
}

func decode(t *testing.T, s *viz.Scene, scale float64) image.Image {
	t.Helper()
	var b bytes.Buffer
	if err := paint.PNG(&b, s, scale); err != nil {
		t.Fatal(err)
	}
	if *keep != "" {
		if err := os.WriteFile(filepath.Join(*keep, s.Title+".png"), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func rgb(c color.Color) [3]uint8 {
	r, g, b, _ := c.RGBA()
	return [3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}
}

// TestPNGIsTheScene checks the pixels at shapes of the scene: the fill of each rectangle, the tip
// of each arrow, the band of the cycle. The border must be empty.
func TestPNGIsTheScene(t *testing.T) {
	for _, name := range drawn {
		for _, theme := range []viz.Theme{viz.Light, viz.Dark} {
			s := graphOf(t, name).Scene(viz.Style{Theme: theme})
			const scale = 2
			img := decode(t, s, scale)
			paper := rgb(img.At(0, 0))
			if lit := paper[0] > 128; lit != (theme == viz.Light) {
				t.Errorf("%s: the paper of theme %v is %v", name, theme, paper)
			}
			b := img.Bounds()
			for x := range b.Dx() {
				if rgb(img.At(x, 0)) != paper || rgb(img.At(x, b.Dy()-1)) != paper {
					t.Fatalf("%s: something is cut off above or below, at %d", name, x)
				}
			}
			for y := range b.Dy() {
				if rgb(img.At(0, y)) != paper || rgb(img.At(b.Dx()-1, y)) != paper {
					t.Fatalf("%s: something is cut off on one side, at %d", name, y)
				}
			}
			heads := 0
			for _, g := range s.Groups {
				for _, shape := range g.Shapes {
					p, ok := shape.(viz.Polygon)
					if !ok {
						continue
					}
					heads++
					x, y := 0.0, 0.0
					for _, q := range p.Points {
						x, y = x+q.X/3, y+q.Y/3
					}
					at := img.At(int((x-s.View.X0)*scale), int((y-s.View.Y0)*scale))
					if rgb(at) == paper {
						t.Errorf("%s: no arrowhead at %.0f, %.0f", name, x, y)
					}
				}
			}
			if heads == 0 {
				t.Errorf("%s has no arrows", name)
			}
		}
	}
}

// TestHugePNGIsSmaller asks for more pixels than memory can hold.
func TestHugePNGIsSmaller(t *testing.T) {
	s := graphOf(t, drawn[0]).Scene(viz.Style{})
	if b := decode(t, s, 1000).Bounds(); b.Dx() > 1<<15 || b.Dx()*b.Dy() > 1<<24 {
		t.Errorf("the image has %v pixels", b)
	}
}

var faces = map[[2]bool][]byte{ // by monospaced and bold
	{false, false}: goregular.TTF, {false, true}: gobold.TTF,
	{true, false}: gomono.TTF, {true, true}: gomonobold.TTF,
}

// TestFontsHaveEveryCharacter looks up all characters in pictures of shipped tests, and common
// characters of titles.
func TestFontsHaveEveryCharacter(t *testing.T) {
	for _, name := range drawn {
		texts(graphOf(t, name).Scene(viz.Style{}), func(text viz.Text, r viz.Run) {
			lookUp(t, faces[[2]bool{text.Mono, r.Bold}], r.Text)
		})
	}
	for _, f := range faces {
		lookUp(t, f, "W.cg [x]=1 · rf–fr→ αβγ Größe Привет ≤≥≠")
	}
}

func lookUp(t *testing.T, ttf []byte, text string) {
	t.Helper()
	f, err := sfnt.Parse(ttf)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range text {
		if glyph, err := f.GlyphIndex(nil, c); glyph == 0 || err != nil {
			t.Errorf("the font has no %q, of %q", c, text)
		}
	}
}

// TestTextFitsItsPlace compares the widths of texts in the embedded fonts with the room that the
// layout gives them: the boxes of events and the halos of labels.
func TestTextFitsItsPlace(t *testing.T) {
	for _, name := range drawn {
		s := graphOf(t, name).Scene(viz.Style{})
		for _, g := range s.Groups {
			if len(g.Shapes) != 2 {
				continue
			}
			box, isBox := g.Shapes[0].(viz.Rect)
			text, isText := g.Shapes[1].(viz.Text)
			if !isBox || !isText || text.At.X > box.X1 { // beside a box, as in a legend
				continue
			}
			width := 0.0
			for _, r := range text.Runs {
				f, err := opentype.Parse(faces[[2]bool{text.Mono, r.Bold}])
				if err != nil {
					t.Fatal(err)
				}
				face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: text.Size, DPI: 72})
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range r.Text {
					advance, _ := face.GlyphAdvance(c)
					width += float64(advance) / 64
				}
			}
			if width > box.Width() {
				t.Errorf("%s: %v is %.1f wide, its box %.1f", name, text.Runs, width, box.Width())
			}
		}
	}
}

func pdf(t *testing.T, paper paint.Paper, scenes ...*viz.Scene) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := paint.PDF(&b, paper, scenes...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var (
	pageText   = regexp.MustCompile(`/Type /Page\n`)
	mediaText  = regexp.MustCompile(`/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]`)
	streamText = regexp.MustCompile(`(?s)stream\n(.*?)\nendstream`)
)

// TestPDFHasAPageForEachScene counts pages and their drawing operations, and compares two
// documents.
func TestPDFHasAPageForEachScene(t *testing.T) {
	var scenes []*viz.Scene
	for _, name := range drawn {
		scenes = append(scenes, graphOf(t, name).Scene(viz.Style{}))
	}
	doc := pdf(t, paint.Paper{}, scenes...)
	if n := len(pageText.FindAll(doc, -1)); n != len(scenes) {
		t.Errorf("%d pages, want %d", n, len(scenes))
	}
	if again := pdf(t, paint.Paper{}, scenes...); !bytes.Equal(doc, again) {
		t.Error("the same scenes make two documents")
	}
	shows := 0
	for _, m := range streamText.FindAllSubmatch(doc, -1) {
		r, err := zlib.NewReader(bytes.NewReader(m[1]))
		if err != nil {
			continue // a font file
		}
		content, _ := io.ReadAll(r)
		shows += strings.Count(string(content), " Tj")
	}
	want := 0
	for _, s := range scenes {
		texts(s, func(viz.Text, viz.Run) { want++ })
	}
	if shows != want {
		t.Errorf("%d pieces of text, want %d", shows, want)
	}
}

// TestPagesAreOfThePaperOfTheirScenes: around a dark picture, the page is dark.
func TestPagesAreOfThePaperOfTheirScenes(t *testing.T) {
	for theme, want := range map[viz.Theme]string{viz.Light: "1.000 g", viz.Dark: "0.078 0.094 0.114 rg"} {
		s := graphOf(t, drawn[0]).Scene(viz.Style{Theme: theme})
		for _, m := range streamText.FindAllSubmatch(pdf(t, paint.Papers["a4"], s), -1) {
			r, err := zlib.NewReader(bytes.NewReader(m[1]))
			if err != nil {
				continue
			}
			content, _ := io.ReadAll(r)
			page := regexp.MustCompile(`(?m)^(.* r?g)\n0\.00 [\d.]+ [\d.]+ -[\d.]+ re f$`).FindSubmatch(content)
			if page == nil || string(page[1]) != want {
				t.Errorf("%s: the page is filled so: %q, want %s", theme, page, want)
			}
			break // the first stream is the page
		}
	}
}

// TestPDFTextCanBeSelected extracts the text with pdftotext.
func TestPDFTextCanBeSelected(t *testing.T) {
	tool, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("pdftotext (poppler-utils) is not installed")
	}
	s := graphOf(t, drawn[0]).Scene(viz.Style{})
	cmd := exec.Command(tool, "-layout", "-", "-")
	cmd.Stdin = bytes.NewReader(pdf(t, paint.Paper{}, s))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	texts(s, func(_ viz.Text, r viz.Run) {
		if !strings.Contains(string(out), r.Text) {
			t.Errorf("no %q in the text of the page:\n%s", r.Text, out)
		}
	})
}

// TestPaper checks that a picture fits on a page, which is in landscape orientation if the picture
// is wide.
func TestPaper(t *testing.T) {
	wide := graphOf(t, "atomic-ref-iriw-seq-cst").Scene(viz.Style{})
	for _, c := range []struct {
		paper paint.Paper
		want  string
	}{
		{paint.Papers["a4"], "841.89 595.28"},
		{paint.Papers["letter"], "792.00 612.00"},
	} {
		m := mediaText.FindSubmatch(pdf(t, c.paper, wide))
		if m == nil || string(m[1])+" "+string(m[2]) != c.want {
			t.Errorf("the page is %q, want %s", m, c.want)
		}
	}
}
