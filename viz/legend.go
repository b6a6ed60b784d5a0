package viz

// Measures of the legend, in pixels.
const (
	leastLegend   = 500.0 // the legend may be this wide below a narrow picture
	sampleLength  = 34.0
	legendSpacing = 14.0
)

// legendEntry is a piece of a line with what it stands for.
type legendEntry struct {
	kind      Kind
	highlight bool
	sample    curve
	text      text
}

func (l legendEntry) box() box {
	return box{l.sample.start().x, l.text.box.y0, l.text.box.x1, l.text.box.y1}
}

// placeLegend sets the entries in lines of that width.
func (d *drawing) placeLegend(x0, y0, width float64) []legendEntry {
	x, y := x0, y0
	var entries []legendEntry
	add := func(k Kind, highlight bool, s string) {
		w := sampleLength + 8 + legendFont.width(s)
		if x > x0 && x+w > x0+width {
			x, y = x0, y+legendFont.height()+6
		}
		middle := y + legendFont.height()/2
		entries = append(entries, legendEntry{
			kind:      k,
			highlight: highlight,
			sample:    curve{}.lineTo(point{x, middle}, point{x + sampleLength, middle}),
			text:      textAt(legendFont, s, x+sampleLength+8, y),
		})
		x += w + legendSpacing
	}
	if len(d.cycle) > 0 {
		add(d.cycle[0].Kind, true, d.cycleName())
	}
	for _, k := range d.kinds() {
		s := looks[k].meaning
		if s != looks[k].name {
			s = looks[k].name + ": " + s
		}
		add(k, false, s)
	}
	return entries
}

func (d *drawing) writeLegend() {
	for _, l := range d.legend {
		class := l.kind.String()
		if l.highlight {
			class += " cycle"
		}
		d.printf(`<g class="legend edge %s">`+"\n", class)
		d.arrow(l.sample, l.highlight)
		d.printf(`<text x="%s" y="%s">%s</text>`+"\n</g>\n", num(l.text.box.x0), num(l.text.baseline()), escape(l.text.s))
	}
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
