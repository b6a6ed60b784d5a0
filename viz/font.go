package viz

import (
	"strings"
	"unicode"
)

// font is a style of text. The class names it in the style sheet.
type font struct {
	class string
	size  float64
	mono  bool
	bold  bool
	muted bool // in a paler colour
	mid   bool // centred at its position
}

var (
	titleFont    = font{class: "title", size: 17, bold: true}
	subtitleFont = font{class: "subtitle", size: 13, muted: true}
	frameFont    = font{class: "frame-label", size: 12, muted: true}
	threadFont   = font{class: "thread", size: 14, bold: true, mid: true}
	eventFont    = font{class: "event-label", size: 14, mono: true, mid: true}
	meetingFont  = font{class: "meeting-label", size: 12, muted: true}
	edgeFont     = font{class: "edge-label", size: 12, mono: true, bold: true, mid: true}
	legendFont   = font{class: "legend", size: 12, muted: true}
)

// Font families that the viewer's machine may have, likely ones first.
const (
	monoFamily = `ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace`
	sansFamily = `system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif`
)

// width returns an upper bound of the width of s in any of these fonts, because the machine that
// will show the picture is unknown. The widest font is DejaVu.
func (f font) width(s string) float64 {
	em := 0.0
	for _, c := range s {
		em += f.advance(c)
	}
	return em * f.size
}

// advance returns the width of a character in em.
func (f font) advance(c rune) float64 {
	const firstWide = 0x1100 // Hangul, followed by the scripts of East Asia
	w := 0.65
	switch {
	case c >= firstWide && unicode.IsLetter(c):
		return 1.1
	case f.mono:
		return 0.62
	case strings.ContainsRune(" .,:;'|!()[]-·ijlftrI/", c):
		w = 0.43
	case strings.ContainsRune("#&+<=>^~→×", c):
		w = 0.88
	case strings.ContainsRune("mwMW@%…", c):
		w = 1
	case unicode.IsUpper(c):
		w = 0.8
	}
	if f.bold {
		w *= 1.15
	}
	return w
}

// height returns the height of a line of text, with some space.
func (f font) height() float64 { return f.size * 1.4 }

// text is a string with its position in the picture.
type text struct {
	font
	s   string
	box Box
}

// textAt places s with the upper left corner at (x, y).
func textAt(f font, s string, x, y float64) text {
	return text{f, s, Box{x, y, x + f.width(s), y + f.height()}}
}

// textOn places s with its centre at c.
func textOn(f font, s string, c Point) text {
	return text{f, s, boxAround(c, f.width(s), f.height())}
}

// baseline returns the y coordinate of the baseline.
func (t text) baseline() float64 { return t.box.centre().Y + 0.35*t.size }
