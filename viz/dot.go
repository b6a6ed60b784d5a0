package viz

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/vocab"
)

// DOT writes the graph in the language of Graphviz, for the layout program dot: clusters for
// frames, and a column for each thread.
func (g *Graph) DOT(w io.Writer) error {
	d := &dotWriter{Graph: g}
	d.write()
	_, err := io.WriteString(w, d.buf.String())
	return err
}

type dotWriter struct {
	*Graph
	buf      strings.Builder
	clusters int
}

func (d *dotWriter) printf(indent int, format string, args ...any) {
	d.buf.WriteString(strings.Repeat("  ", indent))
	fmt.Fprintf(&d.buf, format+"\n", args...)
}

func (d *dotWriter) write() {
	d.printf(0, "digraph %s {", quoted(d.title))
	d.printf(1, `graph [newrank=true, nodesep=0.8, ranksep=0.8, forcelabels=true, fontname="sans-serif"%s]`,
		d.caption())
	d.printf(1,
		`node [shape=box, style="rounded,filled", fillcolor="%s", color="%s", fontname="monospace", height=0.4]`,
		lightColours.node, lightColours.rim)
	d.printf(1, `edge [fontname="monospace", fontsize=12, labeldistance=3.2, labelangle=-18]`)
	d.heads()
	d.frame(1, d.frames, 0, len(d.columns)-1)
	d.align()
	for _, m := range d.meetings {
		d.meeting(m)
	}
	for _, l := range d.lines {
		d.edge(l)
	}
	d.printf(0, "}")
}

// caption returns the label of the graph.
func (d *dotWriter) caption() string {
	lines := strings.TrimSpace(strings.Join(append([]string{d.title, d.subtitle}, d.aliases()...), "\n"))
	if lines == "" {
		return ""
	}
	return fmt.Sprintf(", labelloc=t, label=%s", quoted(lines))
}

// frame writes the frames within the columns from first to last, and the columns outside of frames.
func (d *dotWriter) frame(indent int, frames []*frame, first, last int) {
	for _, f := range frames {
		for ; first < f.first; first++ {
			d.column(indent, first)
		}
		d.printf(indent, "subgraph cluster_%d {", d.clusters)
		d.clusters++
		style := "rounded"
		if f.light {
			style = "rounded,dotted"
		}
		d.printf(indent+1, `label=%s; labeljust=l; style=%s; color="%s"; fontcolor="%s"`,
			quoted(f.label), quoted(style), lightColours.frame, lightColours.muted)
		d.frame(indent+1, f.kids, f.first, f.last)
		d.printf(indent, "}")
		first = f.last + 1
	}
	for ; first <= last; first++ {
		d.column(indent, first)
	}
}

// column writes the events of a thread. They share a group, so that dot aligns them. Invisible
// nodes above the first event keep the columns of a frame in order.
func (d *dotWriter) column(indent, c int) {
	for row := range d.top(c) {
		d.printf(indent, "%s [shape=point, style=invis, group=g%d]", unseen(c, row), c)
	}
	for _, e := range d.columns[c].events {
		d.node(indent, e, fmt.Sprintf(", group=g%d", c))
	}
}

// top returns the row of the first event of a column.
func (d *dotWriter) top(c int) int {
	if len(d.columns[c].events) == 0 {
		return 0
	}
	return d.rows[d.columns[c].events[0]]
}

// unseen returns the name of the invisible node in a row above the first event of a column.
func unseen(c, row int) string { return fmt.Sprintf("t%d_%d", c, row) }

// node writes an event. Its width is explicit, because some versions of Graphviz do not know the
// widths of monospaced letters.
func (d *dotWriter) node(indent int, e event.ID, attrs string) {
	if d.onCycle().Has(e) {
		attrs += fmt.Sprintf(`, penwidth=2.2, color="%s"`, lightColours.ink)
	}
	const inch = 72
	d.printf(indent, "%s [label=%s, width=%.2f%s]", d.nodeID(e), quoted(d.label(e)),
		(eventFont.width(d.label(e))+2*nodePad)/inch, attrs)
}

// nodeID returns the name of e. Initial writes share a name, so theirs gets a number.
func (d *dotWriter) nodeID(e event.ID) string {
	if d.x.Events[e].IsInit() {
		return quoted(fmt.Sprintf("%s %d", d.names[e], d.x.Loc[e]))
	}
	return quoted(d.names[e])
}

// heads writes the names of the threads above the frames, each followed by the initial writes that
// lead to its column, in a chain of invisible edges. The chain determines the order of the columns,
// which dot respects only outside of clusters.
func (d *dotWriter) heads() {
	var chain []string
	for c := range d.columns {
		d.printf(1, `t%d [label=%s, group=g%d, shape=plaintext, style="", fontname="sans-serif,bold", height=0.2]`,
			c, quoted(d.columns[c].name), c)
		chain = append(chain, fmt.Sprintf("t%d", c))
		for _, e := range d.inits {
			if d.columnBelow(e) == c {
				d.node(1, e, `, style="rounded,dashed"`)
				chain = append(chain, d.nodeID(e))
			}
		}
	}
	if len(chain) > 1 {
		d.printf(1, "{ rank=same; %s [style=invis] }", strings.Join(chain, " -> "))
	}
}

// columnBelow returns the column that the first line of an initial write leads to.
func (d *dotWriter) columnBelow(init event.ID) int {
	for _, l := range d.lines {
		for c, col := range d.columns {
			if l.From == init && slices.Contains(col.events, l.To) {
				return c
			}
		}
	}
	return 0
}

// align places events in rows, and columns below the names of their threads. Only edges to the next
// event of a column constrain the layout.
func (d *dotWriter) align() {
	beside := map[int][]string{}
	for c, col := range d.columns {
		above := fmt.Sprintf("t%d", c)
		put := func(row int, id string, joined bool) {
			beside[row] = append(beside[row], id)
			if !joined {
				d.printf(1, "%s -> %s [style=invis, weight=50]", above, id)
			}
			above = id
		}
		for row := range d.top(c) {
			put(row, unseen(c, row), false)
		}
		for i, e := range col.events {
			put(d.rows[e], d.nodeID(e), i > 0 && d.hasLine(col.events[i-1], e))
		}
	}
	for _, row := range slices.Sorted(maps.Keys(beside)) {
		d.printf(1, "{ rank=same; %s }", strings.Join(beside[row], "; "))
	}
}

// meeting writes a meeting as wide strips between neighbours of a tier, because clusters cannot
// cross those of frames. The strips are translucent, because Graphviz draws them over the lines
// that they cross.
func (d *dotWriter) meeting(m *meeting) {
	label := fmt.Sprintf(`label=%s, fontname="sans-serif", fontcolor="%s", `, quoted(m.title()), lightColours.muted)
	for _, t := range m.tiers {
		for i := 1; i < len(t); i++ {
			d.printf(1, `%s -> %s [%scolor="%s20", penwidth=18, dir=none, constraint=false, class="meeting"]`,
				d.nodeID(t[i-1]), d.nodeID(t[i]), label, looks[vocab.Sync].light)
			label = ""
		}
	}
}

// hasLine reports whether a line of program order leads from a to b.
func (d *dotWriter) hasLine(a, b event.ID) bool {
	return slices.ContainsFunc(d.lines, func(l *line) bool { return l.From == a && l.To == b && l.ordering })
}

// isStep reports whether l leads to the next event of a column.
func (d *dotWriter) isStep(l *line) bool {
	return l.ordering && d.isNext(l.From, l.To)
}

// edge writes a line. Only lines to the next event of a column constrain the layout.
func (d *dotWriter) edge(l *line) {
	look := looks[l.family()]
	width := look.width * 0.7
	if l.highlighted() {
		width *= 2.6
	}
	place, label, words := "constraint=false", "taillabel", l.label
	if d.isStep(l) {
		// where letters are wider than Graphviz assumes, they would cover the arrow
		place, label, words = "weight=50", "xlabel", "  "+l.label+"  "
	}
	d.printf(1, `%s -> %s [%s=%s, color="%s", fontcolor="%s", style=%s, penwidth=%.1f, %s, class="%s"]`,
		d.nodeID(l.From), d.nodeID(l.To), label, quoted(words),
		look.light, look.light, look.dot, width, place, l.class())
}

// class returns the class of a line: its family, and whether it is highlighted.
func (l *line) class() string {
	if l.highlighted() {
		return l.family().String() + " cycle"
	}
	return l.family().String()
}

// quoted returns s as a string of DOT, in which only quotes and backslashes are special. Each
// backslash is doubled, because a backslash before a letter is an escape in labels.
func quoted(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	s = strings.ReplaceAll(s, `\`, `\\`)
	s = strings.ReplaceAll(s, `"`, `\"`)
	return `"` + strings.ReplaceAll(s, "\n", `\n`) + `"`
}
