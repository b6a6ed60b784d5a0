package viz

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/vocab"
)

// Theme chooses the colours of a picture.
type Theme uint8

// The themes.
const (
	Auto  Theme = iota // follows the viewer's prefers-color-scheme; light where that is unknown
	Light              // for a light background
	Dark               // for a dark background
)

func (t Theme) String() string { return [...]string{"auto", "light", "dark"}[t] }

// Style is how a picture looks. The zero Style is usable.
type Style struct {
	Theme    Theme
	IDPrefix string // prefix of all ids; pages with several pictures need different ones
}

// palette has the colours that do not depend on the family of an edge.
type palette struct {
	paper, ink, muted string
	frame             string
	node, rim         string
	band              string // behind the highlighted edges
	meeting           string // behind the events of a meeting
	edge              func(look) string
}

var (
	lightColours = palette{
		paper: "#ffffff", ink: "#1b1f24", muted: "#57606a",
		frame: "#8c959f",
		node:  "#f6f8fa", rim: "#8c959f",
		band: "#ffdb70", meeting: "#e2f1e6",
		edge: func(l look) string { return l.light },
	}
	darkColours = palette{
		paper: "#14181d", ink: "#e8edf2", muted: "#9aa4af",
		frame: "#626c77",
		node:  "#1f262d", rim: "#727c87",
		band: "#5b4a14", meeting: "#1b3325",
		edge: func(l look) string { return l.dark },
	}
)

// palette returns the colours of a theme. Auto is light where the viewer's preference is unknown.
func (t Theme) palette() *palette {
	if t == Dark {
		return &darkColours
	}
	return &lightColours
}

// textColour returns the colour of a line of text.
func (p *palette) textColour(f font) string {
	if f.muted {
		return p.muted
	}
	return p.ink
}

// stroke returns how the lines of a family are drawn.
func (p *palette) stroke(k vocab.Family, highlighted bool) Ink {
	l := looks[k]
	i := Ink{Stroke: p.edge(l), Weight: l.width, Dash: dashes(l.dash)}
	if highlighted {
		i.Weight += highlightExtra
	}
	return i
}

// sheet returns the style sheet of a picture with these families. Every rule is scoped to the class
// of the svg element, because a style sheet within a page applies to the whole page.
func (t Theme) sheet(families []vocab.Family) string {
	var b strings.Builder
	scope := ".muster." + t.String()
	fmt.Fprintf(&b, "%s:root { max-width: 100%%; height: auto }\n", scope) // a wide picture fits the window
	b.WriteString(geometryRules(scope, families))
	switch t {
	case Auto:
		b.WriteString(lightColours.rules(scope, families))
		fmt.Fprintf(&b, "@media (prefers-color-scheme: dark) {\n%s}\n", darkColours.rules(scope, families))
	case Light:
		b.WriteString(lightColours.rules(scope, families))
	case Dark:
		b.WriteString(darkColours.rules(scope, families))
	}
	return b.String()
}

// geometryRules returns the rules that no theme changes.
func geometryRules(scope string, families []vocab.Family) string {
	var b strings.Builder
	for _, f := range []font{
		titleFont, subtitleFont, frameFont, threadFont, eventFont, meetingFont, edgeFont,
		legendFont,
	} {
		family, weight := sansFamily, "normal"
		if f.mono {
			family = monoFamily
		}
		if f.bold {
			weight = "bold"
		}
		fmt.Fprintf(&b, "%s .%s text { font: %s %gpx %s }\n", scope, f.class, weight, f.size, family)
	}
	for _, rule := range []string{
		".edge path { fill: none }",
		".band { stroke-width: " + num(bandWidth) + "; stroke-linecap: round; stroke-linejoin: round }",
		".event rect { stroke-width: " + num(nodeRim) + " }",
		".event.init rect { stroke-dasharray: " + initDash + " }",
		".event.cycle rect { stroke-width: " + num(cycleRim) + " }",
		".event.cycle text { font-weight: bold }",
		".frame { fill: none; stroke-width: " + num(frameRim) + " }",
		".frame.light { stroke-dasharray: " + lightDash + "; stroke-linecap: round }",
		".edge-label text { text-anchor: middle; font-weight: normal }",
		".edge-label .cycle { font-weight: bold }",
		".event text, .thread text { text-anchor: middle }",
		".legend.cycle .stroke { stroke-dasharray: none }",
	} {
		fmt.Fprintf(&b, "%s\n", scoped(scope, rule))
	}
	for _, k := range families {
		l := looks[k]
		dash := ""
		if l.dash != "" {
			dash = "; stroke-dasharray: " + l.dash
		}
		fmt.Fprintf(&b, "%s .%s .stroke { stroke-width: %g%s }\n", scope, k, l.width, dash)
		fmt.Fprintf(&b, "%s .%s.cycle .stroke { stroke-width: %s }\n", scope, k, num(l.width+highlightExtra))
	}
	return b.String()
}

// Widths and dashes of shapes other than edges.
const (
	bandWidth = 12.0
	nodeRim   = 1.0
	cycleRim  = 2.4
	frameRim  = 1.2
	initDash  = "4 3"
	lightDash = "2 4"
)

// dashes parses a stroke-dasharray.
func dashes(list string) (all []float64) {
	for _, word := range strings.Fields(list) {
		length, _ := strconv.ParseFloat(word, 64) // constants of this package
		all = append(all, length)
	}
	return all
}

// highlightExtra is the additional width of a highlighted line.
const highlightExtra = 1.7

// rules returns the rules that set colours.
func (p *palette) rules(scope string, families []vocab.Family) string {
	var b strings.Builder
	for _, rule := range []string{
		".paper, .halo { fill: " + p.paper + " }",
		"text { fill: " + p.ink + " }",
		".subtitle text, .frame-label text, .meeting-label text, .legend text { fill: " + p.muted + " }",
		".frame { stroke: " + p.frame + " }",
		".meeting rect { fill: " + p.meeting + " }",
		".event rect { fill: " + p.node + "; stroke: " + p.rim + " }",
		".event.cycle rect { stroke: " + p.ink + " }",
		".edge .band { stroke: " + p.band + " }",
		".legend.cycle .stroke { stroke: " + p.ink + " }",
		".legend.cycle .head { fill: " + p.ink + " }",
	} {
		fmt.Fprintf(&b, "%s\n", scoped(scope, rule))
	}
	for _, k := range families {
		l := looks[k]
		fmt.Fprintf(&b, "%s .%s .stroke { stroke: %s }\n", scope, k, p.edge(l))
		fmt.Fprintf(&b, "%s .%s .head, %s tspan.%s { fill: %s }\n", scope, k, scope, k, p.edge(l))
	}
	return b.String()
}

// scoped puts scope in front of each selector of a rule.
func scoped(scope, rule string) string {
	selectors, body, _ := strings.Cut(rule, " {")
	return scope + " " + strings.ReplaceAll(selectors, ", ", ", "+scope+" ") + " {" + body
}
