package viz

import (
	"bytes"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// dotPlain lays out g with the dot command and returns the positions of the nodes.
func dotPlain(t *testing.T, g *Graph) map[string]Point {
	t.Helper()
	dot, err := exec.LookPath("dot")
	if err != nil {
		t.Skip("the dot command of Graphviz is not installed")
	}
	var in, out, errs bytes.Buffer
	if err := g.DOT(&in); err != nil {
		t.Fatal(err)
	}
	source := in.String()
	cmd := exec.Command(dot, "-Tplain")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		t.Fatalf("%v: %s\n%s", err, &errs, source)
	}
	at := map[string]Point{}
	for line := range strings.Lines(out.String()) {
		f := strings.Fields(strings.ReplaceAll(line, `"init `, `"init_`))
		if f[0] != "node" || unseenText.MatchString(f[1]) {
			continue
		}
		x, errX := strconv.ParseFloat(f[2], 64)
		y, errY := strconv.ParseFloat(f[3], 64)
		if errX != nil || errY != nil {
			t.Fatalf("cannot read %q", line)
		}
		at[f[1]] = Point{x, y}
	}
	return at
}

var unseenText = regexp.MustCompile(`^t\d+_\d+$`)

// TestDOTLayout checks that dot accepts the graphs and arranges the columns as requested.
func TestDOTLayout(t *testing.T) {
	for name, s := range scenarios {
		t.Run(name, func(t *testing.T) {
			g := s.graph(t)
			at := dotPlain(t, g)
			if len(at) != len(g.events())+len(g.columns) {
				t.Fatalf("dot placed %d nodes, not %d events and %d threads", len(at), len(g.events()), len(g.columns))
			}
			for _, m := range g.meetings {
				for _, tier := range m.tiers {
					for _, e := range tier {
						if at[g.names[e]].Y != at[g.names[tier[0]]].Y {
							t.Errorf("%s does not lie level with %s, which it meets", g.names[e], g.names[tier[0]])
						}
					}
				}
			}
			var heads []float64
			for c, col := range g.columns {
				head := at["t"+strconv.Itoa(c)]
				heads = append(heads, head.X)
				above := head
				for _, e := range col.events {
					p := at[g.names[e]]
					if p.Y >= above.Y {
						t.Errorf("%s is not below what comes before it", g.names[e])
					}
					if d := p.X - head.X; d < -0.1 || d > 0.1 {
						t.Errorf("%s is %.2f inches off its column", g.names[e], d)
					}
					above = p
				}
			}
			if !slices.IsSorted(heads) {
				t.Errorf("the threads are out of order: at %v", heads)
			}
		})
	}
}

func TestDOTEscaping(t *testing.T) { dotPlain(t, awkward(t)) }

func TestQuoted(t *testing.T) {
	for in, want := range map[string]string{
		"plain":   `"plain"`,
		`a"b`:     `"a\"b"`,
		`a\nb`:    `"a\\nb"`,
		"a\nb":    `"a\nb"`,
		"\xff":    "\"\uFFFD\"",
		"<b>&amp": `"<b>&amp"`,
	} {
		if got := quoted(in); got != want {
			t.Errorf("quoted(%q) = %s, want %s", in, got, want)
		}
	}
}
