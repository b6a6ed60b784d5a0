// Package paint writes scenes in formats without a style sheet. Text is set in the Go fonts, which
// are embedded in the picture.
//
//	PNG    one scene as an image
//	PDF    scenes as the pages of a document, with text that can be selected
//	Paper  the size of pages
//	Lacks  the characters of a scene that the fonts lack
//
// PNG and PDF correspond to Scene.SVG. Programs that run in a browser leave out this package with
// its fonts.
package paint

import (
	"image/color"
	"iter"
	"slices"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"

	"github.com/muster-gpu/muster/viz"
)

// face is a font without a size.
type face struct{ mono, bold bool }

func faceOf(t viz.Text, r viz.Run) face { return face{t.Mono, r.Bold} }

// fonts holds the outlines of each face, as TrueType. They have the characters of WGL4: Latin,
// Greek and Cyrillic letters, arrows, dashes.
var fonts = map[face][]byte{
	{false, false}: goregular.TTF,
	{false, true}:  gobold.TTF,
	{true, false}:  gomono.TTF,
	{true, true}:   gomonobold.TTF,
}

// texts returns the lines of text of a scene.
func texts(s *viz.Scene) iter.Seq[viz.Text] {
	return func(yield func(viz.Text) bool) {
		for _, g := range s.Groups {
			for _, shape := range g.Shapes {
				if t, ok := shape.(viz.Text); ok && !yield(t) {
					return
				}
			}
		}
	}
}

// Lacks returns the characters of a scene that are painted as boxes because the fonts lack them,
// each once, in order of appearance. Fonts for the scripts of East Asia would be as large as all of
// muster.
func Lacks(s *viz.Scene) (lacking []rune, err error) {
	outlines := map[face]*sfnt.Font{}
	for t := range texts(s) {
		for _, r := range t.Runs {
			f := faceOf(t, r)
			if outlines[f] == nil {
				if outlines[f], err = sfnt.Parse(fonts[f]); err != nil {
					return nil, err
				}
			}
			for _, c := range r.Text {
				glyph, err := outlines[f].GlyphIndex(nil, c)
				if err != nil {
					return nil, err
				}
				if glyph == 0 && !slices.Contains(lacking, c) {
					lacking = append(lacking, c)
				}
			}
		}
	}
	return lacking, nil
}

// colour parses #rrggbb.
func colour(hex string) color.RGBA {
	digit := func(i int) uint8 {
		c := hex[i]
		if c >= 'a' {
			return c - 'a' + 10
		}
		return c - '0'
	}
	pair := func(i int) uint8 { return digit(i)<<4 | digit(i+1) }
	return color.RGBA{pair(1), pair(3), pair(5), 255}
}

// start returns the x coordinate at which a line of text of the given width begins.
func start(t viz.Text, width float64) float64 {
	if t.Middle {
		return t.At.X - width/2
	}
	return t.At.X
}
