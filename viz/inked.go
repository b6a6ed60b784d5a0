package viz

import (
	"fmt"
	"strings"
)

// Colour is a colour, #rrggbb, for each theme.
type Colour struct{ Light, Dark string }

// Base are the colours of all pictures.
var Base = struct{ Paper, Ink, Muted, Node, Rim Colour }{
	Paper: Colour{lightColours.paper, darkColours.paper},
	Ink:   Colour{lightColours.ink, darkColours.ink},
	Muted: Colour{lightColours.muted, darkColours.muted},
	Node:  Colour{lightColours.node, darkColours.node},
	Rim:   Colour{lightColours.rim, darkColours.rim},
}

// Pick returns the colour of the theme. Auto is light where the viewer's preference is unknown.
func (t Theme) Pick(c Colour) string {
	if t == Dark {
		return c.Dark
	}
	return c.Light
}

// Inked returns a scene whose shapes have attributes instead of classes, for use by other packages.
// Its shapes have colours from Pick. colours lists them, so that Auto can replace them if the
// viewer prefers dark pictures.
func (t Theme) Inked(title, about string, view Box, colours []Colour) *Scene {
	return &Scene{Title: title, About: about, View: view, theme: t, inked: true, colours: colours}
}

// exchange returns the style sheet of an inked scene. Rules override the attributes of shapes (SVG
// 2, "Presentation attributes").
func (s *Scene) exchange() string {
	scope := ".muster." + s.theme.String()
	var b strings.Builder
	fmt.Fprintf(&b, "%s:root { max-width: 100%%; height: auto }\n", scope)
	if s.theme != Auto {
		return b.String()
	}
	b.WriteString("@media (prefers-color-scheme: dark) {\n")
	for _, c := range s.colours {
		for _, what := range []string{"fill", "stroke"} {
			fmt.Fprintf(&b, "%s [%s=\"%s\"] { %s: %s }\n", scope, what, c.Light, what, c.Dark)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// attributes returns an ink as attributes of a shape.
func (i Ink) attributes() string {
	or := func(colour string) string {
		if colour == "" {
			return "none"
		}
		return colour
	}
	s := fmt.Sprintf(` fill="%s" stroke="%s"`, or(i.Fill), or(i.Stroke))
	if i.Stroke != "" {
		s += fmt.Sprintf(` stroke-width="%s"`, num(i.Weight))
	}
	if i.Dash != nil {
		s += fmt.Sprintf(` stroke-dasharray="%s"`, strings.Trim(fmt.Sprint(i.Dash), "[]"))
	}
	if i.Round {
		s += ` stroke-linecap="round"`
	}
	return s
}

// attributes returns the style of a line of text as attributes.
func (t Text) attributes() string {
	family := sansFamily
	if t.Mono {
		family = monoFamily
	}
	s := fmt.Sprintf(` font-family="%s" font-size="%s"`, escape(family), num(t.Size))
	if t.Middle {
		s += ` text-anchor="middle"`
	}
	return s
}

// attributes returns the style of a part of a line as attributes.
func (r Run) attributes() string {
	s := fmt.Sprintf(` fill="%s"`, r.Colour)
	if r.Bold {
		s += ` font-weight="bold"`
	}
	return s
}

// Width returns an upper bound of the width of the line in any of its fonts.
func (t Text) Width() float64 {
	w := 0.0
	for _, r := range t.Runs {
		w += font{size: t.Size, mono: t.Mono, bold: r.Bold}.width(r.Text)
	}
	return w
}
