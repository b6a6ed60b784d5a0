package chart_test

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/muster-gpu/muster/internal/render/chart"
	"github.com/muster-gpu/muster/internal/store/index"
	"github.com/muster-gpu/muster/internal/store/results"
)

// sample returns an index of results of two models, or an empty one.
func sample(t *testing.T, some bool) *index.Index {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "r.jsonl")
	f, err := results.Open(file, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 7, 3, 0, 0, 0, 0, time.UTC)
	for i, test := range []string{"MP", "MP+fences", "SB", "<script>alert(1)</script>"} {
		for j, model := range []string{"sc", "tso"} {
			r := &results.Record{
				Format:      results.Format,
				Kind:        "Allowed",
				Verdict:     "Ok",
				Observation: "Never",
				Outcome:     []string{"forbidden", "allowed"}[(i+j)%2],
			}
			r.Test, r.Hash, r.Model, r.ModelHash = test, strings.Repeat("0", i+1), model, model
			if some {
				if err := f.Add(r.Timed(day.AddDate(0, 0, i), time.Duration(1+i*j)*time.Millisecond)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	f.Close()
	x, err := index.Open(t.Context(), filepath.Join(dir, "r.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	if _, err := x.Import(t.Context(), []string{file}, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	return x
}

// TestCharts draws every chart, also of an index without results.
func TestCharts(t *testing.T) {
	for _, some := range []bool{true, false} {
		x := sample(t, some)
		for _, k := range chart.Kinds {
			var svg, image, pdf bytes.Buffer
			if err := k.Write(t.Context(), x, "svg", &svg); err != nil {
				t.Fatalf("%s: %v", k.Name, err)
			}
			if strings.Contains(svg.String(), "font-family:Liberation Sans;") {
				t.Errorf("%s: the SVG names a font that many do not have, and no other", k.Name)
			}
			if err := wellFormed(&svg); err != nil {
				t.Errorf("%s: %v", k.Name, err)
			}
			if err := k.Write(t.Context(), x, "png", &image); err != nil {
				t.Fatalf("%s: %v", k.Name, err)
			}
			if _, err := png.Decode(&image); err != nil {
				t.Errorf("%s: %v", k.Name, err)
			}
			if err := k.Write(t.Context(), x, "pdf", &pdf); err != nil ||
				!bytes.HasPrefix(pdf.Bytes(), []byte("%PDF")) {
				t.Errorf("%s: no PDF: %v", k.Name, err)
			}
		}
	}
	if _, err := chart.Find("nosuch"); err == nil || !strings.Contains(err.Error(), "families, history, times") {
		t.Errorf("got %v", err)
	}
}

func wellFormed(r io.Reader) error {
	d := xml.NewDecoder(r)
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// TestPage: the page has all sections, is self-contained, and escapes names.
func TestPage(t *testing.T) {
	var b strings.Builder
	if err := chart.Page(t.Context(), sample(t, true), &b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{"<td>tso</td>", "&lt;script&gt;alert", "MP&#43;fences"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := strings.Count(text, "<svg"); n != len(chart.Kinds) {
		t.Errorf("it has %d pictures, want %d", n, len(chart.Kinds))
	}
	for _, not := range []string{"<script", "src=", "href=", "@import"} {
		if strings.Contains(text, not) {
			t.Errorf("the page has %q", not)
		}
	}
}
