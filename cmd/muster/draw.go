package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/picture"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/viz"
)

// drawing is the draw verb: a simulation, and what to draw of it.
type drawing struct {
	simulation
	output string // file, or "" for standard output
	format string // svg, dot, txt or png; "" for that of the output file
	engine string
	axiom  string
	theme  string
}

func (a *app) drawCommand() *cobra.Command {
	d := &drawing{simulation: simulation{app: a}}
	cmd := &cobra.Command{
		Use:   "draw TEST",
		Short: "Draw an execution of a test",
		Long: `Draw shows the execution that the condition of the test is about. If the model allows
the outcome, it is a consistent execution; if not, a candidate that the model rejects,
with the cycle that it violates highlighted.

The format follows from the name of the output file: .svg, .dot, .txt, .png or .jpg.
Without one, a plain-text drawing goes to standard output.

png and jpg, and svg with --engine graphviz, are laid out by the command
muster-graphviz:  go install github.com/muster-gpu/muster/cmd/muster-graphviz@latest`,
		Example: `  muster draw mp-inter-cta
  muster draw -o fig14.svg mp+membar.cta+membar.gl-intra-cta
  muster draw -m sc --axiom sc -T dot sb-shared-global | dot -Tpdf > sb.pdf`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeTests,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := d.check(); err != nil {
				return err
			}
			return d.draw(cmd.Context(), args[0])
		},
	}
	d.flags(cmd)
	f := cmd.Flags()
	f.StringVarP(&d.output, "output", "o", "", "write to this `FILE`")
	f.StringVarP(&d.format, "format", "T", "", "svg, dot or txt; with graphviz also png and jpg")
	f.StringVar(&d.engine, "engine", "", "who lays out the graph: muster or graphviz (default: graphviz for png and jpg)")
	f.StringVar(&d.axiom, "axiom", "", "draw a candidate that the axiom of this `NAME` rejects")
	f.StringVar(&d.theme, "theme", "auto", "colours of an SVG: auto (as the viewer prefers), light or dark")
	return cmd
}

// graphvizFormats are the formats that muster-graphviz writes.
var graphvizFormats = []string{"svg", "png", "jpg"}

// check validates the flags of the drawing and settles the format.
func (d *drawing) check() error {
	if d.format == "" {
		d.format = strings.TrimPrefix(filepath.Ext(d.output), ".")
	}
	if d.format == "" {
		d.format = "txt"
	}
	if d.engine == "" {
		d.engine = "muster"
		if picture.Formats[d.format] == nil && slices.Contains(graphvizFormats, d.format) {
			d.engine = "graphviz"
		}
	}
	switch d.engine {
	case "muster":
		if picture.Formats[d.format] == nil {
			return fmt.Errorf("muster draws svg, dot and txt, and with graphviz png and jpg, not %q", d.format)
		}
	case "graphviz":
		if !slices.Contains(graphvizFormats, d.format) {
			return fmt.Errorf("graphviz draws svg, png and jpg, not %q; give -o FILE or -T", d.format)
		}
	default:
		return fmt.Errorf("unknown engine %q: expected muster or graphviz", d.engine)
	}
	if _, ok := picture.Themes[d.theme]; !ok {
		return fmt.Errorf("unknown theme %q: expected auto, light or dark", d.theme)
	}
	return d.simulation.check()
}

func (d *drawing) draw(ctx context.Context, arg string) error {
	var tests []input
	d.app.inputs([]string{arg})(func(in input) bool {
		tests = append(tests, in)
		return true
	})
	if len(tests) != 1 {
		return fmt.Errorf("%s stands for %d tests: draw one at a time", arg, len(tests))
	}
	t, err := d.load(ctx, tests[0])
	if err != nil {
		d.app.report(err)
		return nil
	}
	m := d.modelFor(t)
	e, err := t.Explain(ctx, m.Model)
	if err != nil {
		d.app.report(err)
		return nil
	}
	if e.Limit != nil {
		d.app.report(fmt.Errorf("%s: incomplete: %w", t.Name.Text, e.Limit))
	}
	g, err := d.choose(e, m)
	if err != nil {
		return err
	}
	return d.write(ctx, g)
}

// choose picks the execution to draw: one that the axiom asked for rejects, else one
// that the model allows, else one that it rejects.
func (d *drawing) choose(e *sim.Explanation, m *models.Model) (*viz.Graph, error) {
	name := e.Test.Name.Text
	if len(e.Outcomes) == 0 {
		return nil, fmt.Errorf("%s: no candidate execution ends in a state that the condition asks for", name)
	}
	if d.axiom == "" {
		for _, o := range e.Outcomes {
			if o.Witness != nil {
				subtitle := fmt.Sprintf("%s allowed by %s", o.State.Format(e.Refs), m.Name)
				return picture.Of(m.Model, o.Witness, viz.Options{Title: name, Subtitle: subtitle})
			}
		}
	}
	var axioms []string
	for _, o := range e.Outcomes {
		for _, r := range o.Reasons {
			if d.axiom == "" || d.axiom == r.Name {
				subtitle := fmt.Sprintf("%s forbidden by %s of %s", o.State.Format(e.Refs), r.Name, m.Name)
				return picture.Of(m.Model, &r.Witness, viz.Options{Title: name, Subtitle: subtitle, Highlight: picture.Evidence(&r.Violation)})
			}
			axioms = append(axioms, r.Name)
		}
	}
	if len(axioms) == 0 {
		return nil, fmt.Errorf("%s: the model allows what the condition asks for, so no axiom forbids it", name)
	}
	slices.Sort(axioms)
	return nil, fmt.Errorf("%s: no axiom %s forbids this; those that do: %s",
		name, d.axiom, strings.Join(slices.Compact(axioms), ", "))
}

// write renders the graph and puts it where it belongs.
func (d *drawing) write(ctx context.Context, g *viz.Graph) error {
	var b bytes.Buffer
	var err error
	if d.engine == "graphviz" {
		err = d.graphviz(ctx, g, &b)
	} else {
		err = picture.Formats[d.format](g, &b, viz.Style{Theme: picture.Themes[d.theme]})
	}
	if err != nil {
		return err
	}
	if d.output == "" {
		_, err = d.app.out.Write(b.Bytes())
		return err
	}
	return os.WriteFile(d.output, b.Bytes(), 0o666)
}

// graphviz has muster-graphviz draw the graph: linking Graphviz would cost every
// start of muster what only drawings need (DESIGN: dependencies).
func (d *drawing) graphviz(ctx context.Context, g *viz.Graph, w io.Writer) error {
	var dot bytes.Buffer
	if err := g.DOT(&dot); err != nil {
		return err
	}
	for _, tool := range []string{"muster-graphviz", "dot"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			continue
		}
		cmd := exec.CommandContext(ctx, path, "-T"+d.format)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = &dot, w, d.app.err
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", tool, err)
		}
		return nil
	}
	return errors.New("neither muster-graphviz nor dot is on the PATH; install one:\n" +
		"  go install github.com/muster-gpu/muster/cmd/muster-graphviz@latest")
}
