package viz

import (
	"fmt"
	"io"
	"strings"

	"github.com/muster-gpu/muster/event"
)

// DOT writes the graph in the language of Graphviz, for the dot layout: clusters for
// frames, a column for each thread.
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
	d.printf(1, `graph [newrank=true, nodesep=0.7, ranksep=0.5, fontname="sans-serif"%s]`, d.caption())
	d.printf(1, `node [shape=box, style="rounded,filled", fillcolor="#f6f8fa", color="#8c959f", fontname="monospace", height=0.4]`)
	d.printf(1, `edge [fontname="monospace", fontsize=11]`)
	for _, e := range d.inits {
		d.node(1, e, `, style="rounded,dashed"`)
	}
	d.frame(1, d.frames, 0, len(d.columns)-1)
	d.ranks()
	for i := range d.lines {
		d.edge(&d.lines[i])
	}
	d.printf(0, "}")
}

// caption is the label of the graph.
func (d *dotWriter) caption() string {
	lines := strings.TrimSpace(d.title + "\n" + d.subtitle)
	if lines == "" {
		return ""
	}
	return fmt.Sprintf(", labelloc=t, label=%s", quoted(lines))
}

// frame writes the frames within the columns from first to last, and the columns
// that no frame encloses.
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
		d.printf(indent+1, `label=%s; labeljust=l; style=%s; color="#8c959f"; fontcolor="#57606a"`, quoted(f.label), quoted(style))
		d.frame(indent+1, f.kids, f.first, f.last)
		d.printf(indent, "}")
		first = f.last + 1
	}
	for ; first <= last; first++ {
		d.column(indent, first)
	}
}

// column writes a thread: its name above its events, which share a group so that dot
// aligns them.
func (d *dotWriter) column(indent, c int) {
	d.printf(indent, `t%d [label=%s, group=g%d, shape=plaintext, style="", fontname="sans-serif bold", height=0.2]`,
		c, quoted(d.x.Threads[d.columns[c].thread].Name), c)
	for _, e := range d.columns[c].events {
		d.node(indent, e, fmt.Sprintf(", group=g%d", c))
	}
}

func (d *dotWriter) node(indent int, e event.ID, attrs string) {
	if d.onCycle().Has(e) {
		attrs += `, penwidth=2.2, color="#1b1f24"`
	}
	d.printf(indent, "%s [label=%s%s]", d.nodeID(e), quoted(d.label(e)), attrs)
}

// nodeID names e. Initial writes share a name, so theirs gets a number.
func (d *dotWriter) nodeID(e event.ID) string {
	if d.x.Events[e].IsInit() {
		return quoted(fmt.Sprintf("%s %d", d.names[e], d.x.Loc[e]))
	}
	return quoted(d.names[e])
}

// ranks puts events into the rows and columns of the picture by invisible edges: the
// visible ones must not move them.
func (d *dotWriter) ranks() {
	var heads []string
	for c := range d.columns {
		heads = append(heads, fmt.Sprintf("t%d", c))
	}
	if len(heads) > 1 {
		d.printf(1, "{ rank=same; %s [style=invis] }", strings.Join(heads, " -> "))
	}
	for _, e := range d.inits {
		d.printf(1, "%s -> t0 [style=invis]", d.nodeID(e))
	}
	for row := 0; ; row++ {
		var same []string
		for c, col := range d.columns {
			if row >= len(col.events) {
				continue
			}
			above := fmt.Sprintf("t%d", c)
			if row > 0 {
				above = d.nodeID(col.events[row-1])
			}
			same = append(same, d.nodeID(col.events[row]))
			d.printf(1, "%s -> %s [style=invis, weight=50]", above, d.nodeID(col.events[row]))
		}
		if len(same) == 0 {
			return
		}
		d.printf(1, "{ rank=same; %s }", strings.Join(same, "; "))
	}
}

// edge writes a line.
func (d *dotWriter) edge(l *line) {
	look := looks[l.kind()]
	style, width := look.dot, look.width*0.7
	label := quoted(l.label)
	if l.highlighted() {
		width *= 2.6
	}
	d.printf(1, `%s -> %s [label=%s, color=%q, fontcolor=%q, style=%s, penwidth=%.1f, constraint=false, class=%q]`,
		d.nodeID(l.From), d.nodeID(l.To), label, look.light, look.light, style, width, l.class())
}

// class names the kind of a line, and whether it is highlighted.
func (l *line) class() string {
	if l.highlighted() {
		return l.kind().String() + " cycle"
	}
	return l.kind().String()
}

// quoted is s as a string of DOT, in which only quotes and backslashes are special.
// A backslash before a letter is an escape of labels, so each is doubled.
func quoted(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	s = strings.ReplaceAll(s, `\`, `\\`)
	s = strings.ReplaceAll(s, `"`, `\"`)
	return `"` + strings.ReplaceAll(s, "\n", `\n`) + `"`
}
