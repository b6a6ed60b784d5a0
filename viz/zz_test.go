package viz

import (
	"fmt"
	"os"
	"testing"

	"pgregory.net/rapid"
)

func TestZZ(t *testing.T) {
	gen := rapid.Custom(func(t *rapid.T) *Graph { return randomGraph(t) })
	for i := 0; i < 1500; i++ {
		g := gen.Example(i)
		p := newPlan(g)
		rm := newRoom(p)
		n := 0
		for ; n < 30; n++ {
			a := p.arrange(rm)
			f := a.placeLabels()
			if len(f) == 0 {
				break
			}
			if n == 29 {
				for _, r := range f {
					fmt.Println(i, r.shape, r.label, g.ref(r.From), g.ref(r.To), p.cells[r.From], p.cells[r.To], r.points.length(), labelWidth(r.label))
				}
			}
			for _, r := range f {
				rm.growFor(p, r)
			}
		}
		if n > 3 || i < 4 {
			fmt.Println(i, "rounds", n, "lines", len(g.lines), "cols", len(g.columns))
		}
		if i < 4 || n > 10 {
			f, _ := os.Create(fmt.Sprintf("/tmp/viz-look/z%d.svg", i))
			g.SVG(f, Style{Theme: Light})
			f.Close()
		}
		d := &drawing{arrangement: layOut(g)}
		d.place()
		checkLabels(t, d)
		checkLines(t, d)
	}
}
