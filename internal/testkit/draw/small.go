package draw

import (
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// smallShapes are tests with few executions: the accesses of each thread, as in shapes. With many
// reads of a location, lookahead pays off once some of them have chosen.
var smallShapes = append(slices.Repeat([]string{
	"Wx Wx | Rx Rx Rx", "Wx Wx Rx | Rx Rx", "Wx | Wx | Rx Rx Rx", "Wx Wx Wx | Rx Rx Rx", "Wx Ux | Rx Rx Rx",
	"Wx Wx | Rx Rx | Rx Rx",
}, 3),
	strings.Split(
		`Wx | Wx, Wx Wx, Wx | Rx Rx, Rx Wx | Wx, Wx Rx | Wx, Wx | Wx | Wx, Wx Wx | Wx, Wx | Wx | Rx Rx, Wx Wy | Wy Wx,
	Wx Wy | Ry Rx, Wx Ry | Wy Rx, Rx Wy | Ry Wx, Wx Wy Rx | Ry Wx Rx, Wx Wx | Wx Wx, Wx Rx Rx | Wx Rx, Wx Wy Ry | Rx Ry Wx,
	Ux | Ux, Ux | Ux | Wx, Ux Wx | Ux, Wx Ux | Rx Wx, Ux Uy | Uy Ux, Wx | Rx Wy | Ry Rx`, ",")...)

// smallTastes leave out distinctions that only the models of PTX make.
var smallTastes = map[string][]string{
	"load of data": {"relaxed", "weak", "acquire"}, "load of flag": {"relaxed", "weak", "acquire"},
	"store of data": {"relaxed", "weak", "release"}, "store of flag": {"relaxed", "weak", "release"},
	"atomic": {"relaxed", "acq_rel"}, "operation": {"exch", "add", "cas"}, "scope": {"sys", "sys", "gpu", "cta"},
	"fence": {"fence.sc"}, "between": {"nothing", "nothing", "nothing", "fence"},
}

// Small draws a test of one of the small shapes.
func Small(t *rapid.T) string {
	d := &scopedDrawer{
		drawer: drawer{T: t}, taste: maps.Clone(smallTastes), test: &scopedTest{},
		names: map[string][]name{}, written: map[string]int{},
	}
	d.drawLocations(false)
	for i, accesses := range strings.Split(pick(&d.drawer, "small shape", smallShapes...), "|") {
		d.test.places = append(d.test.places, placement{cta: i})
		d.thread(strings.Fields(accesses))
	}
	d.test.condition = d.condition()
	return d.test.String()
}
