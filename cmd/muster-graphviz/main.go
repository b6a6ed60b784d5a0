// Command muster-graphviz renders DOT with Graphviz.
//
// It is a separate command because its library, Graphviz compiled to WebAssembly, takes most of a
// second to start. No package may import it.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-graphviz"
	"github.com/spf13/cobra"
)

const long = `Render a graph in the DOT language, as "muster draw -o FILE.dot" writes it, to a
picture. Graphviz is built in; nothing needs to be installed.

The picture goes to standard output, or to the file given with -o. Its format is
that of -T, or else that of the file's extension, or else SVG. Without a file, or
with -, the graph is read from standard input.

Limits: the layout is always that of dot. PNG and JPEG know only the Go fonts and
solid fills; prefer SVG, or the dot command of Graphviz if you have it. For a finer
image put dpi=192 into the graph. Starting takes up to a second.

Exit status: 0, or 2 if the input cannot be read or drawn.`

const example = `  muster-graphviz -o mp.svg mp.dot
  muster-graphviz -T png mp.dot > mp.png
  muster-graphviz < mp.dot > mp.svg`

// formats maps values of -T and extensions of files to formats.
var formats = map[string]graphviz.Format{
	"svg":  graphviz.SVG,
	"png":  graphviz.PNG,
	"jpg":  graphviz.JPG,
	"jpeg": graphviz.JPG,
}

// badInput is the exit status for wrong usage and for an input that cannot be drawn.
const badInput = 2

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is main for tests: it returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	cmd := newCommand()
	cmd.SetArgs(args)
	cmd.SetIn(stdin)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	if err := cmd.Execute(); err != nil {
		fmt.Fprintf(stderr, "muster-graphviz: %v\n", err)
		return badInput
	}
	return 0
}

func newCommand() *cobra.Command {
	var format, output string
	cmd := &cobra.Command{
		Use:           "muster-graphviz [-T svg|png|jpg] [-o FILE] [FILE.dot|-]",
		Short:         "Render DOT with Graphviz",
		Long:          long,
		Example:       example,
		Args:          cobra.MaximumNArgs(1),
		SilenceUsage:  true,
		SilenceErrors: true,

		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := formatOf(format, output)
			if err != nil {
				return err
			}
			name, dot, err := read(cmd.InOrStdin(), args)
			if err != nil {
				return err
			}
			var t trouble
			picture, err := render(cmd.Context(), dot, f, &t)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if len(t.lacking) > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(),
					"warning: %s: PNG and JPEG have boxes for characters that the Go fonts lack: %s; an SVG shows "+
						"them if the viewer has such a font\n", name, string(t.lacking))
			}
			return write(cmd.OutOrStdout(), output, picture)
		},
	}
	cmd.Flags().StringVarP(&format, "format", "T", "", "`FORMAT` of the picture: svg, png or jpg")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE` instead of standard output")
	return cmd
}

// formatOf returns the format that -T names, or that of the output file's extension; SVG if there
// is neither.
func formatOf(asked, output string) (graphviz.Format, error) {
	if asked == "" {
		asked = strings.TrimPrefix(filepath.Ext(output), ".")
	}
	if asked == "" {
		return graphviz.SVG, nil
	}
	if f, ok := formats[strings.ToLower(asked)]; ok {
		return f, nil
	}
	return "", fmt.Errorf("unknown format %q: expected svg, png or jpg", asked)
}

// read reads the file that the arguments name, or standard input, and returns its name with its
// text.
func read(stdin io.Reader, args []string) (name string, dot []byte, err error) {
	if len(args) == 0 || args[0] == "-" {
		dot, err = io.ReadAll(stdin)
		return "standard input", dot, err
	}
	dot, err = os.ReadFile(args[0])
	return args[0], dot, err
}

func write(stdout io.Writer, output string, picture []byte) error {
	if output == "" {
		_, err := stdout.Write(picture)
		return err
	}
	return os.WriteFile(output, picture, 0o666)
}

// render draws the graph. A process may call it only once: the library is not safe for more. The
// library panics on some inputs; render turns a panic into an error.
func render(ctx context.Context, dot []byte, f graphviz.Format, t *trouble) (picture []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			picture, err = nil, fmt.Errorf("crash in Graphviz: %v", p)
		}
	}()
	if err := check(dot); err != nil {
		return nil, err
	}
	g, err := newGraphviz(ctx, t)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	graph, err := graphviz.ParseBytes(dot)
	if err != nil {
		return nil, fmt.Errorf("not a graph in the DOT language: %s", strings.TrimSpace(err.Error()))
	}
	defer graph.Close()
	var b bytes.Buffer
	if err := g.Render(ctx, graph, f, &b); err != nil {
		return nil, err
	}
	return b.Bytes(), t.err
}

// check rejects inputs that Graphviz would take for an empty graph or crash on.
func check(dot []byte) error {
	const deepest = 500 // Graphviz's parser fails silently at a depth of about 2000
	if len(bytes.TrimSpace(dot)) == 0 {
		return errors.New("the input is empty: expected a graph in the DOT language")
	}
	if bytes.IndexByte(dot, 0) >= 0 {
		return errors.New("the input has a NUL byte: expected a text in the DOT language")
	}
	depth, quoted := 0, false
	for i, c := range dot {
		switch {
		case c == '"' && (i == 0 || dot[i-1] != '\\'):
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			depth--
		}
		if depth > deepest {
			return fmt.Errorf("subgraphs are nested more than %d deep", deepest)
		}
	}
	return nil
}
