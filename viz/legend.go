package viz

import "github.com/muster-gpu/muster/vocab"

// Measures of the legend, in pixels.
const (
	leastLegend   = 500.0 // the legend may be this wide even below a narrower picture
	sampleLength  = 34.0
	legendSpacing = 14.0
)

// legendEntry is a sample and its meaning, or text only.
type legendEntry struct {
	sample    sample
	family    vocab.Family // of a line
	highlight bool
	room      Box // of the sample
	text      text
}

// sample is the kind of a legend's sample.
type sample uint8

const (
	noSample sample = iota
	lineSample
	bandSample
)

func (l legendEntry) box() Box { return l.text.box.union(l.room) }

// placeLegend arranges the entries in lines of the given width.
func (d *drawing) placeLegend(x0, y0, width float64) (entries []legendEntry) {
	at := Point{x0, y0}
	add := func(l legendEntry, s string) {
		lead := 0.0
		if l.sample != noSample {
			lead = sampleLength + 8
		}
		w := lead + legendFont.width(s)
		if at.X > x0 && at.X+w > x0+width {
			at = Point{x0, at.Y + legendFont.height() + 6}
		}
		l.text = textAt(legendFont, s, at.X+lead, at.Y)
		l.room = l.text.box
		if lead > 0 {
			l.room.X0, l.room.X1 = at.X, at.X+sampleLength
		}
		entries = append(entries, l)
		at.X += w + legendSpacing
	}
	if len(d.cycle) > 0 {
		add(legendEntry{sample: lineSample, family: d.cycle[0].Family, highlight: true}, d.cycleName())
	}
	for _, k := range d.families() {
		s := looks[k].meaning
		if s != k.String() {
			s = k.String() + ": " + s
		}
		add(legendEntry{sample: lineSample, family: k}, s)
	}
	if len(d.bands) > 0 {
		add(legendEntry{sample: bandSample}, "threads that meet at a barrier")
	}
	for _, s := range d.aliases() {
		add(legendEntry{}, s)
	}
	return entries
}

// cycleName returns the name of the highlighted edges in the legend.
func (d *drawing) cycleName() string {
	for i, e := range d.cycle {
		if e.To != d.cycle[(i+1)%len(d.cycle)].From {
			return "highlighted"
		}
	}
	return "cycle"
}
