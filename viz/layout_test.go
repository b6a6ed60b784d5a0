package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/rel"
)

// randomScenario draws an execution of 2 to 6 threads with 1 to 8 events each.
func randomScenario(t *rapid.T) scenario {
	var s scenario
	writes := map[string][]string{} // by location
	var reads [][2]string           // name and location
	accesses := 0
	rounds := make([][]string, 3) // of barriers at which threads arrive in any order
	barriers := 0
	for range rapid.IntRange(2, 6).Draw(t, "threads") {
		var instrs []string
		var mine []string // accesses of this thread, "R" or "W" before the name
		for range rapid.IntRange(1, 8).Draw(t, "events") {
			loc := rapid.SampledFrom([]string{"x", "y", "location"}).Draw(t, "loc")
			name := letterName(accesses)
			switch kind := rapid.SampledFrom([]string{
				"R", "W", "R.cg", "W.cg", "membar.cta", "membar.gl", "bar.sync 0",
				"bar.arrive 0", "bar.wait 0",
			}).Draw(t, "kind"); kind[0] {
			case 'R':
				instrs, mine = append(instrs, kind+" "+loc), append(mine, "R"+name)
				reads = append(reads, [2]string{name, loc})
				accesses++
			case 'W':
				instrs = append(instrs, fmt.Sprintf("%s %s %d", kind, loc, accesses))
				mine = append(mine, "W"+name)
				writes[loc] = append(writes[loc], name)
				accesses++
			case 'b':
				instrs, barriers = append(instrs, kind), barriers+1
				r := rapid.IntRange(0, len(rounds)-1).Draw(t, "round")
				rounds[r] = append(rounds[r], fmt.Sprintf("b%d", barriers))
			default:
				instrs = append(instrs, kind)
			}
		}
		s.code = append(s.code, strings.Join(instrs, ", "))
		s.dependencies(t, mine)
	}
	for _, r := range rounds {
		s.meet += strings.Join(r, " ") + ", "
	}
	for _, r := range reads {
		if ws := writes[r[1]]; len(ws) > 0 && rapid.IntRange(0, 3).Draw(t, "from") > 0 {
			s.rf += fmt.Sprintf("%s %s, ", rapid.SampledFrom(ws).Draw(t, "write"), r[0])
		}
	}
	s.place = randomPlaces(t, len(s.code))
	s.title = rapid.SampledFrom([]string{
		"", "a title",
		"a title that is much longer than the picture below it is wide, W W W W",
	}).Draw(t, "title")
	return s
}

func letterName(n int) string {
	if n >= 26 {
		return letterName(n/26-1) + letterName(n%26)
	}
	return string(rune('a' + n))
}

// dependencies adds dependencies to the accesses of a thread.
func (s *scenario) dependencies(t *rapid.T, accesses []string) {
	for i, from := range accesses {
		if from[0] != 'R' {
			continue
		}
		for _, to := range accesses[i+1:] {
			pair := from[1:] + " " + to[1:] + ", "
			switch rapid.IntRange(0, 9).Draw(t, "dependency") {
			case 0:
				s.addr += pair
			case 1:
				s.ctrl += pair
			case 2:
				if to[0] == 'W' {
					s.data += pair
				}
			case 3:
				if to[0] == 'W' {
					s.rmw += pair
				}
			}
		}
	}
}

// randomPlaces draws a scope tree; the numbers of a level are unique.
func randomPlaces(t *rapid.T, n int) []event.Thread {
	next := func(outer, limit int, name string) int {
		return outer*8 + rapid.IntRange(0, limit).Draw(t, name)
	}
	places := make([]event.Thread, n)
	for i := range places {
		device := next(0, 1, "device")
		cluster := next(device, 1, "cluster")
		cta := next(cluster, 1, "cta")
		places[i] = at(device, device, cluster, cta, next(cta, 1, "warp"))
	}
	return places
}

// randomGraph draws the execution with additional edges of unknown relations, including self edges
// and edges between initial writes, and with some pairs highlighted.
func randomGraph(t *rapid.T) *Graph {
	s := randomScenario(t)
	x := s.execution(t)
	event := rapid.IntRange(0, x.N()-1)
	extra := rel.New(x.N())
	for range rapid.IntRange(0, 4).Draw(t, "extra") {
		extra.Add(event.Draw(t, "from"), event.Draw(t, "to"))
	}
	var highlight []Edge
	for range rapid.IntRange(0, 4).Draw(t, "highlighted") {
		label := rapid.SampledFrom([]string{"po-loc", "rfe", "r", "a-relation-with-a-long-name"}).Draw(t, "label")
		highlight = append(highlight, Edge{
			From: event.Draw(t, "from"), To: event.Draw(t, "to"), Label: label,
		})
	}
	return New(x, Options{
		Title:     s.title,
		Levels:    gpu,
		Highlight: highlight,
		Show:      map[string]rel.Rel{rapid.SampledFrom([]string{"hb", "another-long-name"}).Draw(t, "shown"): extra},
	})
}

// TestLayout checks that, in any picture, labels and nodes do not overlap, lines avoid unrelated
// nodes and the names of threads and frames, and everything is in view.
func TestLayout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		d := &drawing{arrangement: layOut(g)}
		d.place()
		checkLabels(t, d)
		checkTexts(t, d)
		checkLines(t, d)
		checkBands(t, d)
	})
}

// tight are scenarios in which something is wider than what contains it.
var tight = map[string]scenario{
	"label wider than its column": {
		code:  []string{"W x 1, R y"},
		cycle: "a a-label-that-is-very-much-wider-than-the-events b",
	},
	"label of a lane wider than the room above and below": {
		code:  []string{"W x 1, R y, W z 1"},
		cycle: "a a-label-that-is-very-much-wider-than-the-events c, c another-of-this-kind-of-label a",
	},
	"frame wider than its columns": {
		place: []event.Thread{at(0, 1, 0, 1, 0), at(0, 1, 0, 1, 0), at(0, 2, 0, 2, 0)},
		code:  []string{"membar.gl", "membar.gl", "membar.gl"},
	},
	"frame wider than the column that a line drops into": {
		place: []event.Thread{at(1234567, 0, 0, 1234567, 1), at(1234567, 0, 0, 1234567, 2), at(0, 0, 0, 0, 0)},
		code:  []string{"R x", "R x", "R x"},
	},
	"frame wider than its first columns, and a line that drops into the next": {
		place: []event.Thread{at(0, 0, 0, 0, 0), at(0, 0, 0, 0, 0), at(1, 0, 0, 0, 0)},
		code:  []string{"membar.cta", "R x", "R x"},
	},
	"many lines from an event, one of them to the event beside it": {
		code: []string{"W x 1", "R x, R x, R x, R x, R x"},
		rf:   "a b, a c, a d, a e, a f",
	},
	"lines that drop near the name of a thread": {
		code:  []string{"R x, R x, R x, R x", "R x, R x, R x, R x"},
		cycle: "a a-label-that-is-very-much-wider-than-the-events init",
	},
}

func TestLayoutOfScenarios(t *testing.T) {
	for _, all := range []map[string]scenario{scenarios, tight} {
		for name, s := range all {
			t.Run(name, func(t *testing.T) {
				d := &drawing{arrangement: layOut(s.graph(t))}
				d.place()
				checkLabels(t, d)
				checkTexts(t, d)
				checkLines(t, d)
				checkBands(t, d)
			})
		}
	}
}

// named is a box that must not overlap others.
type named struct {
	what string
	box  Box
}

// solids returns all nodes and all text.
func solids(d *drawing) []named {
	var all []named
	for _, e := range d.events() {
		all = append(all, named{"event " + d.ref(e), d.nodes[e]})
	}
	for _, r := range d.routes {
		all = append(all, named{"label " + r.label + " of " + d.ref(r.From) + "→" + d.ref(r.To), r.labelBox})
	}
	for _, t := range append(d.caption, d.fixed...) {
		all = append(all, named{"text " + t.s, t.box})
	}
	for _, b := range d.bands {
		all = append(all, named{"name of " + b.title(), b.name.box})
	}
	for _, l := range d.legend {
		all = append(all, named{"legend " + l.text.s, l.box()})
	}
	return all
}

type failer interface{ Errorf(string, ...any) }

func checkLabels(t failer, d *drawing) {
	all := solids(d)
	for i, a := range all {
		if !d.view.encloses(a.box) {
			t.Errorf("%s is out of view: %v, %v", a.what, a.box, d.view)
		}
		for _, b := range all[:i] {
			if a.box.overlaps(b.box) {
				t.Errorf("%s and %s overlap: %v, %v", a.what, b.what, a.box, b.box)
			}
		}
	}
}

// checkTexts checks that each text fits into its box with DejaVu's widths: those of events with
// some space, those of lines with a halo.
func checkTexts(t failer, d *drawing) {
	fits := func(what string, f font, s string, box Box, air float64) {
		if room := box.Width() - f.inDejaVu(s); room < air || box.Height() < f.size {
			t.Errorf("%s %q leaves %.1f of its box, not %.1f: %v", what, s, room, air, box)
		}
	}
	for _, e := range d.events() {
		fits("the event", eventFont, d.label(e), d.nodes[e], 8)
	}
	for _, r := range d.routes {
		fits("the label", edgeFont, r.label, r.labelBox, 4)
	}
	for _, line := range append(d.caption, d.fixed...) {
		fits("the text", line.font, line.s, line.box, 0)
	}
	for _, b := range d.bands {
		fits("the name of a band", b.name.font, b.name.s, b.name.box, 0)
	}
	for _, l := range d.legend {
		fits("of the legend,", l.text.font, l.text.s, l.text.box, 0)
	}
}

func checkLines(t failer, d *drawing) {
	for _, f := range d.framed {
		if !d.view.encloses(f) {
			t.Errorf("frame %v is out of view", f)
		}
	}
	for _, r := range d.routes {
		line := d.ref(r.From) + " –" + r.label + "→ " + d.ref(r.To)
		if !d.view.encloses(r.points.bounds()) {
			t.Errorf("%s is out of view: %v, %v", line, r.points.bounds(), d.view)
		}
		if off := distance(r.points, r.labelBox.centre()); off > 0.5 {
			t.Errorf("the label of %s is %.1f away from its line", line, off)
		}
		for end, e := range [2]event.ID{r.From, r.To} {
			if p := [2]Point{r.points[0], r.curve.end()}[end]; !d.nodes[e].grown(1).contains(p) {
				t.Errorf("%s does not reach %s: %v, %v", line, d.ref(e), p, d.nodes[e])
			}
		}
		for _, text := range d.fixed {
			if r.points.meets(text.box) {
				t.Errorf("%s goes through the text %s", line, text.s)
			}
		}
		for e, b := range d.nodes {
			if e != r.From && e != r.To && r.points.meets(b.grown(1)) {
				t.Errorf("%s goes through %s", line, d.ref(e))
			}
			if r.points.meets(b.grown(-1)) {
				t.Errorf("%s goes through its own end %s", line, d.ref(e))
			}
		}
	}
}

// checkBands checks that exactly the events that meet are in one band, with its name.
func checkBands(t failer, d *drawing) {
	for _, b := range d.bands {
		if !d.view.encloses(b.box) || !b.box.encloses(b.name.box) {
			t.Errorf("the band of %s is %v, its name at %v", b.title(), b.box, b.name.box)
		}
	}
	for e, node := range d.nodes {
		for _, b := range d.bands {
			meets := slices.Contains(b.events(), e) && b.upper <= d.rows[e] && d.rows[e] <= b.lower
			if meets != b.box.overlaps(node) || meets && !b.box.encloses(node) {
				t.Errorf("%s is in the band of %s: %v, %v", d.ref(e), b.title(), node, b.box)
			}
		}
	}
}

// distance returns the distance of p from the nearest segment of line.
func distance(line polyline, p Point) float64 {
	least := math.Inf(1)
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		t := 0.0
		if l := a.dist(b); l > 0 {
			t = min(1, max(0, ((p.X-a.X)*(b.X-a.X)+(p.Y-a.Y)*(b.Y-a.Y))/(l*l)))
		}
		least = min(least, p.dist(a.between(b, t)))
	}
	return least
}
