// Command muster-charts draws charts of an index that "muster results import" wrote, and makes a
// page of them.
//
// It is a separate command because the library that draws is large, and few users draw charts.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster/internal/render/chart"
	"github.com/muster-gpu/muster/internal/store/index"
)

const long = `Draw the contents of an index of results, which "muster results import" has made: one chart as SVG,
PNG or PDF, by the extension of the file, or a page of HTML with all charts and tables, which has
no scripts and needs no other file.

Exit status: 0, or 2 if the index cannot be read or the file cannot be written.`

const example = `  muster-charts -o results.html
  muster-charts families -o families.pdf
  muster-charts times -o times.png --index year.sqlite`

func main() {
	if err := command().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "muster-charts:", err)
		os.Exit(2)
	}
}

func command() *cobra.Command {
	var file, out string
	cmd := &cobra.Command{
		Use:           "muster-charts [" + strings.Join(chart.Names(), "|") + "] -o FILE",
		Short:         "Draw what results say",
		Long:          long,
		Example:       example,
		Args:          cobra.MaximumNArgs(1),
		ValidArgs:     chart.Names(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, args []string) error { return draw(cmd.Context(), file, out, args) },
	}
	cmd.Flags().StringVar(&file, "index", "results.sqlite", "the `FILE` of the index")
	cmd.Flags().StringVarP(&out, "out", "o", "",
		"the `FILE` to write: .html without a chart, .svg, .png or .pdf with one")
	return cmd
}

func draw(ctx context.Context, file, out string, args []string) error {
	format := strings.TrimPrefix(filepath.Ext(out), ".")
	switch {
	case len(args) == 0 && format != "html":
		return errors.New("a page is written to a file: -o FILE.html; or say which chart: " +
			strings.Join(chart.Names(), ", "))
	case len(args) == 1 && !slices.Contains(chart.Formats, format):
		return errors.New("a chart is written to a file: -o FILE.svg, FILE.png or FILE.pdf")
	}
	x, err := index.Ask(ctx, file)
	if err != nil {
		return err
	}
	defer x.Close()
	var b bytes.Buffer
	if len(args) == 0 {
		err = chart.Page(ctx, x, &b)
	} else {
		var k *chart.Kind
		if k, err = chart.Find(args[0]); err == nil {
			err = k.Write(ctx, x, format, &b)
		}
	}
	if err != nil {
		return err
	}
	return os.WriteFile(out, b.Bytes(), 0o666)
}
