package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/picture"
	"github.com/muster-gpu/muster/viz"
	"github.com/muster-gpu/muster/viz/paint"
)

// gallery is where drawings go, and how they are made into pictures.
type gallery struct {
	stdout, stderr io.Writer

	output string // file or folder, or "" for standard output
	format string // of formats or graphvizFormats; "" for that of the output file
	engine string // muster or graphviz
	theme  string
	paper  string
	scale  float64

	folder bool           // whether output is one: each drawing has a file of its own
	names  map[string]int // of files in the folder, with how often they were wanted
	graphs []*viz.Graph   // that will be in one file
}

// format is a format of pictures.
type format struct {
	several bool // whether one file can have many drawings
	write   func(*gallery, io.Writer, []*viz.Graph) error
}

// formats are the formats that muster draws itself, by the extensions of files.
var formats = map[string]format{
	"svg": {write: (*gallery).plain},
	"dot": {write: (*gallery).plain},
	"txt": {several: true, write: (*gallery).plain},
	"png": {write: func(o *gallery, w io.Writer, gs []*viz.Graph) error {
		return paint.PNG(w, gs[0].Scene(o.style()), o.scale)
	}},
	"pdf": {several: true, write: func(o *gallery, w io.Writer, gs []*viz.Graph) error {
		var scenes []*viz.Scene
		for _, g := range gs {
			scenes = append(scenes, g.Scene(o.style()))
		}
		return paint.PDF(w, paint.Papers[o.paper], scenes...)
	}},
}

// graphvizFormats are the formats that muster-graphviz writes.
var graphvizFormats = []string{"svg", "png", "jpg"}

func (o *gallery) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.output, "output", "o", "", "write to this `FILE`, or a file for each test into this FOLDER")
	f.StringVarP(&o.format, "format", "T", "", "svg, png, pdf, dot or txt; with graphviz svg, png and jpg")
	f.StringVar(&o.engine, "engine", "", "who lays out the graph: muster or graphviz (default: graphviz for jpg)")
	f.StringVar(&o.theme, "theme", "auto", "colours: light, dark, or auto (in an SVG as the viewer prefers, else light)")
	f.StringVar(&o.paper, "paper", "", "size of the pages of a PDF: "+strings.Join(slices.Sorted(maps.Keys(paint.Papers)), ", ")+" (default: as large as each picture)")
	f.Float64Var(&o.scale, "scale", 2, "pixels of a PNG for each of an SVG")
}

// check validates the flags and settles the format.
func (o *gallery) check() error {
	info, err := os.Stat(o.output)
	o.folder = err == nil && info.IsDir() || strings.HasSuffix(o.output, string(filepath.Separator))
	o.names = map[string]int{}
	switch {
	case o.format != "":
	case o.folder:
		o.format = "svg"
	default:
		o.format = nonEmpty(strings.TrimPrefix(filepath.Ext(o.output), "."), "txt")
	}
	_, known := formats[o.format]
	if o.engine == "" {
		o.engine = "muster"
		if !known && slices.Contains(graphvizFormats, o.format) {
			o.engine = "graphviz"
		}
	}
	switch {
	case o.engine != "muster" && o.engine != "graphviz":
		return fmt.Errorf("unknown engine %q: expected muster or graphviz", o.engine)
	case o.engine == "muster" && !known:
		return fmt.Errorf("muster draws %s, and with graphviz jpg, not %q", strings.Join(slices.Sorted(maps.Keys(formats)), ", "), o.format)
	case o.engine == "graphviz" && !slices.Contains(graphvizFormats, o.format):
		return fmt.Errorf("graphviz draws svg, png and jpg, not %q; give -o FILE or -T", o.format)
	case o.scale <= 0:
		return errors.New("--scale must be positive")
	}
	if _, ok := picture.Themes[o.theme]; !ok {
		return fmt.Errorf("unknown theme %q: expected auto, light or dark", o.theme)
	}
	if _, ok := paint.Papers[o.paper]; !ok && o.paper != "" {
		return fmt.Errorf("unknown paper %q: expected one of %s", o.paper, strings.Join(slices.Sorted(maps.Keys(paint.Papers)), ", "))
	}
	return nil
}

// takesMany reports that more than one drawing can be hung.
func (o *gallery) takesMany() bool {
	return o.folder || o.engine == "muster" && formats[o.format].several
}

// hang takes a drawing.
func (o *gallery) hang(one drawn) error {
	if !o.folder {
		o.graphs = append(o.graphs, one.graph)
		return nil
	}
	if err := os.MkdirAll(o.output, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.output, o.fileName(one.test)), one.picture, 0o666)
}

// close writes the drawings that share a file, or standard output.
func (o *gallery) close(ctx context.Context) error {
	if len(o.graphs) == 0 {
		return nil
	}
	picture, err := o.render(ctx, o.graphs...)
	if err != nil {
		return err
	}
	if o.output == "" {
		_, err = o.stdout.Write(picture)
		return err
	}
	return os.WriteFile(o.output, picture, 0o666)
}

// render makes one picture of drawings.
func (o *gallery) render(ctx context.Context, graphs ...*viz.Graph) ([]byte, error) {
	var b bytes.Buffer
	if o.engine == "graphviz" {
		err := o.graphviz(ctx, graphs[0], &b)
		return b.Bytes(), err
	}
	err := formats[o.format].write(o, &b, graphs)
	return b.Bytes(), err
}

// fileName is a name for the picture of a test that no other has, and that is safe anywhere.
func (o *gallery) fileName(test string) string {
	name := safeName(test)
	// Some file systems do not tell a from A.
	key := strings.ToLower(name)
	if o.names[key]++; o.names[key] > 1 {
		name = fmt.Sprintf("%s-%d", name, o.names[key])
		o.names[strings.ToLower(name)]++
	}
	return name + "." + o.format
}

// safeName is the name of a test as that of a file: what leads out of a folder, hides a file
// or is no character of file names becomes _.
func safeName(test string) string {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, test)
	if strings.HasPrefix(name, ".") {
		name = "_" + name[1:]
	}
	return name
}

func (o *gallery) style() viz.Style { return viz.Style{Theme: picture.Themes[o.theme]} }

// plain writes drawings one after the other.
func (o *gallery) plain(w io.Writer, graphs []*viz.Graph) error {
	for i, g := range graphs {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := picture.Formats[o.format](g, w, o.style()); err != nil {
			return err
		}
	}
	return nil
}

// graphviz has muster-graphviz draw the graph: linking Graphviz would cost every
// start of muster what only drawings need (DESIGN: dependencies).
func (o *gallery) graphviz(ctx context.Context, g *viz.Graph, w io.Writer) error {
	var dot bytes.Buffer
	if err := g.DOT(&dot); err != nil {
		return err
	}
	for _, tool := range []string{"muster-graphviz", "dot"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			continue
		}
		cmd := exec.CommandContext(ctx, path, "-T"+o.format)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = &dot, w, o.stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", tool, err)
		}
		return nil
	}
	return errors.New("neither muster-graphviz nor dot is on the PATH; install one:\n" +
		"  go install github.com/muster-gpu/muster/cmd/muster-graphviz@latest")
}
