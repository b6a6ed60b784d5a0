package viz

import (
	"fmt"
	"strings"
)

// Theme chooses the colours of an SVG.
type Theme uint8

// The themes.
const (
	Auto  Theme = iota // as the viewer prefers
	Light              // for a light background
	Dark               // for a dark background
)

func (t Theme) String() string { return [...]string{"auto", "light", "dark"}[t] }

// Style is how an SVG looks. The zero Style is fine.
type Style struct {
	Theme    Theme
	IDPrefix string // of all ids; pages with several pictures need different ones
	NoLegend bool
}

// palette has the colours that don't depend on the kind of an edge.
type palette struct {
	paper, ink, muted string
	frame             string
	node, rim         string
	band              string // behind the highlighted edges
	edge              func(look) string
}

var (
	lightColours = palette{
		paper: "#ffffff", ink: "#1b1f24", muted: "#57606a",
		frame: "#8c959f",
		node:  "#f6f8fa", rim: "#8c959f",
		band: "#ffdb70",
		edge: func(l look) string { return l.light },
	}
	darkColours = palette{
		paper: "#14181d", ink: "#e8edf2", muted: "#9aa4af",
		frame: "#626c77",
		node:  "#1f262d", rim: "#727c87",
		band: "#5b4a14",
		edge: func(l look) string { return l.dark },
	}
)

// sheet is the style sheet of a picture that shows these kinds. Every rule is bound
// to the class of the svg element: a style sheet within a page applies to all of it.
func (t Theme) sheet(kinds []Kind) string {
	var b strings.Builder
	scope := ".muster." + t.String()
	b.WriteString(geometryRules(scope, kinds))
	switch t {
	case Auto:
		b.WriteString(lightColours.rules(scope, kinds))
		fmt.Fprintf(&b, "@media (prefers-color-scheme: dark) {\n%s}\n", darkColours.rules(scope, kinds))
	case Light:
		b.WriteString(lightColours.rules(scope, kinds))
	case Dark:
		b.WriteString(darkColours.rules(scope, kinds))
	}
	return b.String()
}

// geometryRules are the rules that no theme changes.
func geometryRules(scope string, kinds []Kind) string {
	var b strings.Builder
	for _, f := range []font{titleFont, subtitleFont, frameFont, threadFont, eventFont, edgeFont, legendFont} {
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
		".band { stroke-width: 12; stroke-linecap: round; stroke-linejoin: round }",
		".event rect { stroke-width: 1 }",
		".event.init rect { stroke-dasharray: 4 3 }",
		".event.cycle rect { stroke-width: 2.4 }",
		".event.cycle text { font-weight: bold }",
		".frame { fill: none; stroke-width: 1.2 }",
		".frame.light { stroke-dasharray: 2 4; stroke-linecap: round }",
		".edge-label text { text-anchor: middle; font-weight: normal }",
		".edge-label .cycle { font-weight: bold }",
		".event text, .thread text { text-anchor: middle }",
		".legend.cycle .stroke { stroke-dasharray: none }",
	} {
		fmt.Fprintf(&b, "%s\n", scoped(scope, rule))
	}
	for _, k := range kinds {
		l := looks[k]
		dash := ""
		if l.dash != "" {
			dash = "; stroke-dasharray: " + l.dash
		}
		fmt.Fprintf(&b, "%s .%s .stroke { stroke-width: %g%s }\n", scope, l.name, l.width, dash)
		fmt.Fprintf(&b, "%s .%s.cycle .stroke { stroke-width: %s }\n", scope, l.name, num(l.width+highlightExtra))
	}
	return b.String()
}

// highlightExtra is by how much a highlighted line is thicker.
const highlightExtra = 1.7

// rules are the rules that set colours.
func (p palette) rules(scope string, kinds []Kind) string {
	var b strings.Builder
	for _, rule := range []string{
		".paper, .halo { fill: " + p.paper + " }",
		"text { fill: " + p.ink + " }",
		".subtitle text, .frame-label text, .legend text { fill: " + p.muted + " }",
		".frame { stroke: " + p.frame + " }",
		".event rect { fill: " + p.node + "; stroke: " + p.rim + " }",
		".event.cycle rect { stroke: " + p.ink + " }",
		".edge .band { stroke: " + p.band + " }",
		".legend.cycle .stroke { stroke: " + p.ink + " }",
		".legend.cycle .head { fill: " + p.ink + " }",
	} {
		fmt.Fprintf(&b, "%s\n", scoped(scope, rule))
	}
	for _, k := range kinds {
		l := looks[k]
		fmt.Fprintf(&b, "%s .%s .stroke { stroke: %s }\n", scope, l.name, p.edge(l))
		fmt.Fprintf(&b, "%s .%s .head, %s tspan.%s { fill: %s }\n", scope, l.name, scope, l.name, p.edge(l))
	}
	return b.String()
}

// scoped puts scope before each selector of a rule.
func scoped(scope, rule string) string {
	selectors, body, _ := strings.Cut(rule, " {")
	return scope + " " + strings.ReplaceAll(selectors, ", ", ", "+scope+" ") + " {" + body
}
