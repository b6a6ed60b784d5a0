package chart

import (
	"bytes"
	"context"
	_ "embed"
	"html/template"
	"io"

	"github.com/muster-gpu/muster/internal/store/index"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// section is a table or a chart of the page.
type section struct {
	Title string
	Table *index.Table
	Chart template.HTML // an SVG of this package
}

// mostRows bounds the rows of a table on the page. The index has the others.
const mostRows = 50

// onPage are the questions that the page answers.
var onPage = []string{"campaigns", "families", "slowest", "names", "sources"}

// Page writes a self-contained page about the index.
func Page(ctx context.Context, x *index.Index, to io.Writer) error {
	var all []section
	for _, name := range onPage {
		q, err := index.Find(name)
		if err != nil {
			return err
		}
		t, err := x.Ask(ctx, q, nil, mostRows)
		if err != nil {
			return err
		}
		all = append(all, section{Title: q.Asks, Table: t})
	}
	for _, k := range Kinds {
		f, err := k.draw(ctx, x)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := f.write("svg", &b); err != nil {
			return err
		}
		svg := b.Bytes()
		// without its XML header
		all = append(all, section{Title: k.Shows, Chart: template.HTML(svg[max(0, bytes.Index(svg, []byte("<svg"))):])})
	}
	return page.Execute(to, struct {
		Sections []section
		Most     int
	}{all, mostRows})
}
