package viz

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSceneLooksLikeItsStyleSheet applies the style sheet of an SVG to its elements, as a viewer
// does, and compares the result with the looks in the scene.
func TestSceneLooksLikeItsStyleSheet(t *testing.T) {
	for name, s := range scenarios {
		for _, theme := range []Theme{Light, Dark} {
			g := s.graph(t)
			scene := g.Scene(Style{Theme: theme})
			var want []string
			for _, group := range scene.Groups {
				for _, shape := range group.Shapes {
					want = append(want, lookOf(shape)...)
				}
			}
			got := styled(t, svgOf(t, g, Style{Theme: theme}), parseSheet(t, theme.sheet(g.families())))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %v (-scene +style sheet):\n%s", name, theme, diff)
			}
		}
	}
}

// lookOf describes the look of a shape, or of each run of a text.
func lookOf(shape Shape) []string {
	switch s := shape.(type) {
	case Rect:
		return []string{inkWords("rect", s.Ink)}
	case Path:
		return []string{inkWords("path", s.Ink)}
	case Polygon:
		return []string{inkWords("polygon", s.Ink)}
	}
	s := shape.(Text)
	var all []string
	for _, r := range s.Runs {
		all = append(all, fmt.Sprintf("text %s %v %v %v %v", r.Colour, s.Size, r.Bold, s.Mono, s.Middle))
	}
	return all
}

func inkWords(element string, i Ink) string {
	if i.Stroke == "" {
		i.Weight = 0
	}
	return fmt.Sprintf("%s %s %s %.1f %v %v", element, i.Fill, i.Stroke, i.Weight, i.Dash, i.Round)
}

// rule is a rule of a style sheet, for elements nested in others.
type rule struct {
	path     [][]string // classes, element and pseudo-class of each, outermost first
	weight   int        // specificity, in tens for classes
	property string
	value    string
}

var (
	ruleText   = regexp.MustCompile(`(?m)^([^{}@]+) \{ (.+) \}$`)
	simpleText = regexp.MustCompile(`[.:]?[\w-]+`)
	sizeText   = regexp.MustCompile(`^(bold|normal) ([\d.]+)px (.*)`)
)

func parseSheet(t *testing.T, sheet string) (rules []rule) {
	t.Helper()
	for _, m := range ruleText.FindAllStringSubmatch(sheet, -1) {
		for _, selector := range strings.Split(m[1], ", ") {
			var r rule
			for _, compound := range strings.Fields(selector) {
				simple := simpleText.FindAllString(compound, -1)
				r.path = append(r.path, simple)
				for _, s := range simple {
					if r.weight++; s[0] == '.' || s[0] == ':' {
						r.weight += 9
					}
				}
			}
			for _, d := range strings.Split(m[2], ";") {
				property, value, ok := strings.Cut(strings.TrimSpace(d), ": ")
				if !ok {
					t.Fatalf("no declaration: %q", d)
				}
				r.property, r.value = property, value
				rules = append(rules, r)
			}
		}
	}
	slices.SortStableFunc(rules, func(a, b rule) int { return a.weight - b.weight })
	return rules
}

// matches reports whether the rule applies to the innermost of nested elements, each with its
// names.
func (r rule) matches(nested [][]string) bool {
	names := func(i int, simple []string) bool {
		return !slices.ContainsFunc(simple, func(s string) bool { return !slices.Contains(nested[i], s) })
	}
	last := len(r.path) - 1
	if !names(len(nested)-1, r.path[last]) {
		return false
	}
	i := 0
	for _, simple := range r.path[:last] {
		for ; i < len(nested)-1 && !names(i, simple); i++ {
		}
		if i++; i > len(nested)-1 {
			return false
		}
	}
	return true
}

// inherited are the properties that elements inherit.
var inherited = []string{"fill", "font", "font-weight", "text-anchor"}

// styled describes the looks of the shapes of an SVG, in the words of lookOf.
func styled(t *testing.T, svg string, rules []rule) (all []string) {
	t.Helper()
	var nested [][]string
	looks := []map[string]string{{"fill": "black"}}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		switch tok := token.(type) {
		case xml.StartElement:
			names := []string{tok.Name.Local}
			for _, class := range strings.Fields(attr(tok, "class")) {
				names = append(names, "."+class)
			}
			nested = append(nested, names)
			look := map[string]string{}
			for _, p := range inherited {
				look[p] = looks[len(looks)-1][p]
			}
			for _, r := range rules {
				if r.matches(nested) {
					look[r.property] = r.value
					if r.property == "font" {
						delete(look, "font-weight")
					}
				}
			}
			looks = append(looks, look)
			if slices.Contains([]string{"rect", "path", "polygon"}, tok.Name.Local) {
				all = append(all, inkWords(tok.Name.Local, inkOf(look)))
			}
		case xml.EndElement:
			nested, looks = nested[:len(nested)-1], looks[:len(looks)-1]
		case xml.CharData:
			within := nested[max(0, len(nested)-2):]
			if slices.ContainsFunc(within, func(names []string) bool { return names[0] == "text" }) {
				all = append(all, textWords(looks[len(looks)-1]))
			}
		}
	}
}

func inkOf(look map[string]string) Ink {
	i := Ink{Fill: look["fill"], Stroke: look["stroke"], Round: look["stroke-linecap"] == "round"}
	if i.Fill == "none" {
		i.Fill = ""
	}
	if look["stroke-dasharray"] != "none" {
		i.Dash = dashes(look["stroke-dasharray"])
	}
	_, _ = fmt.Sscan(look["stroke-width"], &i.Weight)
	return i
}

func textWords(look map[string]string) string {
	font := sizeText.FindStringSubmatch(look["font"])
	weight := font[1]
	if look["font-weight"] != "" {
		weight = look["font-weight"]
	}
	return fmt.Sprintf("text %s %s %v %v %v", look["fill"], font[2], weight == "bold",
		strings.HasSuffix(font[3], "monospace"), look["text-anchor"] == "middle")
}

// TestAliasesSaySo draws accesses by aliases, one of them of another.
func TestAliasesSaySo(t *testing.T) {
	x := aliased(t)
	g := New(x, Options{})
	want := []string{"[c] is [y] through the constant proxy", "[y] is [x] by another virtual address"}
	if diff := cmp.Diff(want, g.aliases()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var text strings.Builder
	if err := g.Text(&text); err != nil {
		t.Fatal(err)
	}
	for format, picture := range map[string]string{"svg": svgOf(t, g, Style{}), "text": text.String()} {
		for _, s := range want {
			if !strings.Contains(picture, s) {
				t.Errorf("%s does not say %q:\n%s", format, s, picture)
			}
		}
	}
}
