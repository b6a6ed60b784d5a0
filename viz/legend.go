package viz

import "github.com/muster-gpu/muster/vocab"

// Measures of the legend, in pixels.
const (
	leastLegend   = 500.0 // the legend may be this wide below a narrow picture
	sampleLength  = 34.0
	legendSpacing = 14.0
)

// legendEntry is a piece of a line with what it stands for, or a text alone.
type legendEntry struct {
	family    vocab.Family
	highlight bool
	sample    Curve // nil if there is none
	text      text
}

func (l legendEntry) box() Box {
	b := l.text.box
	if l.sample != nil {
		b.X0 = l.sample.Start().X
	}
	return b
}

// placeLegend sets the entries in lines of that width.
func (d *drawing) placeLegend(x0, y0, width float64) (entries []legendEntry) {
	at := Point{x0, y0}
	add := func(l legendEntry, lead float64, s string) {
		w := lead + legendFont.width(s)
		if at.X > x0 && at.X+w > x0+width {
			at = Point{x0, at.Y + legendFont.height() + 6}
		}
		if lead > 0 {
			middle := at.Y + legendFont.height()/2
			l.sample = Curve{}.lineTo(Point{at.X, middle}, Point{at.X + sampleLength, middle})
		}
		l.text = textAt(legendFont, s, at.X+lead, at.Y)
		entries = append(entries, l)
		at.X += w + legendSpacing
	}
	if len(d.cycle) > 0 {
		add(legendEntry{family: d.cycle[0].Family, highlight: true}, sampleLength+8, d.cycleName())
	}
	for _, k := range d.families() {
		s := looks[k].meaning
		if s != k.String() {
			s = k.String() + ": " + s
		}
		add(legendEntry{family: k}, sampleLength+8, s)
	}
	for _, s := range d.aliases() {
		add(legendEntry{}, 0, s)
	}
	return entries
}

// cycleName says what the highlighted edges are.
func (d *drawing) cycleName() string {
	for i, e := range d.cycle {
		if e.To != d.cycle[(i+1)%len(d.cycle)].From {
			return "highlighted"
		}
	}
	return "cycle"
}
