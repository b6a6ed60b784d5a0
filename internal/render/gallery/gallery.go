// Package gallery writes drawings to a file, to a folder with a file for each, or to standard
// output, in any picture format.
//
//	Gallery  the destination of drawings, and how they are made into pictures
//	Formats  the formats that muster draws itself
//
// Deviations of a picture from the request are reported after all drawings (notes.go).
package gallery

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/render/picture"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/viz"
	"github.com/muster-gpu/muster/viz/paint"
)

// Gallery is the destination of drawings, and how they are made into pictures. Fill the exported
// fields, then Open it.
type Gallery struct {
	Stdout, Stderr io.Writer

	Output string // file or folder; "" or "-" for standard output
	Format string // one of Formats or GraphvizFormats; "" for that of the output file
	Engine string // one of Engines; "" for the one that has the format
	Theme  string
	Paper  string
	Scale  float64

	Given func(flag string) bool // reports whether the user gave theme, paper or scale; nil if none

	notes  *notes
	folder bool              // Output is a folder: each drawing has a file of its own
	names  corpus.FileNames  // names in the folder
	graphs []picture.Drawing // drawings that share a file
}

// Usual returns the default options.
func Usual() Gallery { return Gallery{Theme: "auto", Scale: 2} }

// Format is a picture format.
type Format struct {
	Several bool     // one file can hold many drawings
	Heeds   []string // those of theme, paper and scale that have an effect
	write   func(*Gallery, io.Writer, []picture.Drawing) error
}

// Formats are the formats that muster draws itself, by file extension.
var Formats = map[string]Format{
	"svg": {Heeds: []string{"theme"}, write: (*Gallery).plain},
	"dot": {write: (*Gallery).plain},
	"txt": {Several: true, write: (*Gallery).plain},
	"png": {Heeds: []string{"theme", "scale"}, write: (*Gallery).png},
	"pdf": {Several: true, Heeds: []string{"theme", "paper"}, write: (*Gallery).pdf},
}

// GraphvizFormats are the formats that muster-graphviz writes, and Engines the programs that lay
// out graphs.
var (
	GraphvizFormats = []string{"svg", "png", "jpg"}
	Engines         = []string{"muster", "graphviz"}
)

// FormatNames returns all formats.
func FormatNames() []string {
	names := append(slices.Collect(maps.Keys(Formats)), GraphvizFormats...)
	slices.Sort(names)
	return slices.Compact(names)
}

// Open determines the format. The error names a field that is invalid.
func (g *Gallery) Open() error {
	if g.Output == "-" {
		g.Output = ""
	}
	info, err := os.Stat(g.Output)
	g.folder = err == nil && info.IsDir() || strings.HasSuffix(g.Output, string(filepath.Separator))
	switch {
	case g.Format != "":
	case g.folder:
		g.Format = "svg"
	default:
		g.Format = cmp.Or(strings.TrimPrefix(filepath.Ext(g.Output), "."), "txt")
	}
	_, known := Formats[g.Format]
	if g.Engine == "" {
		g.Engine = "muster"
		if !known && slices.Contains(GraphvizFormats, g.Format) {
			g.Engine = "graphviz"
		}
	}
	g.notes = &notes{}
	_, says := Formats[strings.TrimPrefix(filepath.Ext(g.Output), ".")]
	switch {
	case !g.folder && says && filepath.Ext(g.Output) != "."+g.Format:
		return fmt.Errorf("-o %s and -T %s: the name says another format", g.Output, g.Format)
	case !slices.Contains(Engines, g.Engine):
		return fmt.Errorf("unknown engine %q: expected muster or graphviz", g.Engine)
	case g.Engine == "muster" && !known:
		return fmt.Errorf("muster draws %s, and with graphviz jpg, not %q",
			strings.Join(slices.Sorted(maps.Keys(Formats)), ", "), g.Format)
	case g.Engine == "graphviz" && !slices.Contains(GraphvizFormats, g.Format):
		return fmt.Errorf("graphviz draws svg, png and jpg, not %q; give -o FILE or -T", g.Format)
	case !(g.Scale > 0) || math.IsInf(g.Scale, 1):
		return errors.New("--scale must be positive")
	}
	if _, ok := picture.Themes[g.Theme]; !ok {
		return fmt.Errorf("unknown theme %q: expected auto, light or dark", g.Theme)
	}
	if _, ok := paint.Papers[g.Paper]; !ok && g.Paper != "" {
		return fmt.Errorf("unknown paper %q: expected one of %s", g.Paper, strings.Join(Papers(), ", "))
	}
	return g.checkHeeded()
}

// checkHeeded returns an error if the user gave an option without effect.
func (g *Gallery) checkHeeded() error {
	if g.Given == nil {
		return nil
	}
	for _, flag := range []string{"theme", "paper", "scale"} {
		if !g.Given(flag) || g.Engine == "muster" && slices.Contains(Formats[g.Format].Heeds, flag) {
			continue
		}
		var takers []string
		for name, f := range Formats {
			if slices.Contains(f.Heeds, flag) {
				takers = append(takers, name)
			}
		}
		slices.Sort(takers)
		of := g.Format
		if g.Engine != "muster" {
			of = "what " + g.Engine + " draws"
		}
		return fmt.Errorf("--%s makes no difference to %s: it is for %s", flag, of, strings.Join(takers, ", "))
	}
	return nil
}

// TakesMany reports whether the gallery can hold more than one drawing.
func (g *Gallery) TakesMany() bool {
	return g.folder || g.Engine == "muster" && Formats[g.Format].Several
}

// Prepare makes the picture of a drawing that gets a file of its own, or returns nil. It may be
// called concurrently, before Hang.
func (g *Gallery) Prepare(ctx context.Context, one picture.Drawing) ([]byte, error) {
	if !g.folder {
		return nil, nil
	}
	return g.render(ctx, one)
}

// Hang adds the drawing of a test, and the picture that was prepared from it.
func (g *Gallery) Hang(test string, one picture.Drawing, made []byte) error {
	if !g.folder {
		g.graphs = append(g.graphs, one)
		return nil
	}
	if err := os.MkdirAll(g.Output, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(g.Output, g.names.Of(test)+"."+g.Format), made, 0o666)
}

// Folder returns a gallery of SVGs in a folder, which it creates if necessary, or nil for "".
func Folder(name string) (*Gallery, error) {
	if name == "" {
		return nil, nil
	}
	if err := os.MkdirAll(name, 0o777); err != nil {
		return nil, err
	}
	g := Usual()
	g.Output, g.Format = name, "svg"
	return &g, g.Open()
}

// Add makes a picture and adds it. A nil Gallery ignores it.
func (g *Gallery) Add(ctx context.Context, test string, one picture.Drawing) error {
	if g == nil {
		return nil
	}
	made, err := g.Prepare(ctx, one)
	if err != nil {
		return err
	}
	return g.Hang(test, one, made)
}

// Close writes the drawings that share a file or standard output, and reports all notes.
func (g *Gallery) Close(ctx context.Context) error {
	defer g.notes.tell(g.Stderr)
	if len(g.graphs) == 0 {
		return nil
	}
	made, err := g.render(ctx, g.graphs...)
	if err != nil {
		return err
	}
	if g.Output == "" {
		_, err = g.Stdout.Write(made)
		return err
	}
	return os.WriteFile(g.Output, made, 0o666)
}

// render makes one picture of drawings.
func (g *Gallery) render(ctx context.Context, graphs ...picture.Drawing) ([]byte, error) {
	var b bytes.Buffer
	if g.Engine == "graphviz" {
		err := g.graphviz(ctx, graphs[0], &b)
		return b.Bytes(), err
	}
	err := Formats[g.Format].write(g, &b, graphs)
	return b.Bytes(), err
}

func (g *Gallery) style() viz.Style { return viz.Style{Theme: picture.Themes[g.Theme]} }

// plain writes drawings one after the other.
func (g *Gallery) plain(w io.Writer, graphs []picture.Drawing) error {
	for i, one := range graphs {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := picture.Formats[g.Format](one, w, g.style()); err != nil {
			return err
		}
	}
	return nil
}

func (g *Gallery) png(w io.Writer, graphs []picture.Drawing) error {
	s := graphs[0].Scene(g.style())
	g.notes.lacks(s)
	g.notes.capped(s, g.Scale)
	return paint.PNG(w, s, g.Scale)
}

func (g *Gallery) pdf(w io.Writer, graphs []picture.Drawing) error {
	var scenes []*viz.Scene
	for _, one := range graphs {
		s := one.Scene(g.style())
		g.notes.lacks(s)
		g.notes.small(s, g.Paper)
		scenes = append(scenes, s)
	}
	return paint.PDF(w, paint.Papers[g.Paper], scenes...)
}

// graphviz runs muster-graphviz: linking Graphviz would slow down every start of muster for the
// sake of drawings.
func (g *Gallery) graphviz(ctx context.Context, one picture.Drawing, w io.Writer) error {
	var dot bytes.Buffer
	if err := picture.Formats["dot"](one, &dot, viz.Style{}); err != nil {
		return err
	}
	for _, tool := range []string{"muster-graphviz", "dot"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			continue
		}
		cmd := exec.CommandContext(ctx, path, "-T"+g.Format)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = &dot, w, g.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", tool, err)
		}
		return nil
	}
	return errors.New("neither muster-graphviz nor dot is on the PATH; install one:\n" +
		"  go install github.com/muster-gpu/muster/cmd/muster-graphviz@latest")
}

// Choices returns the values of flags about pictures.
func Choices() map[string][]string {
	return map[string][]string{
		"format": FormatNames(), "engine": Engines, "theme": picture.ThemeNames,
		"paper": Papers(),
	}
}

// Papers lists the sizes of paper.
func Papers() []string { return slices.Sorted(maps.Keys(paint.Papers)) }
