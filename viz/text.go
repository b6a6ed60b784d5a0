package viz

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/muster-gpu/muster/event"
)

// Text writes the graph for a terminal: the frames and the columns of events, then the edges by
// relation, the highlighted cycle on one line, and the aliases.
func (g *Graph) Text(w io.Writer) error {
	var b strings.Builder
	for _, s := range []string{g.title, g.subtitle} {
		if s != "" {
			b.WriteString(s + "\n")
		}
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	for _, row := range g.textRows() {
		b.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	if edges := g.edgeList(); len(edges) > 0 {
		b.WriteString("\n" + strings.Join(edges, "\n") + "\n")
	}
	if len(g.cycle) > 0 {
		fmt.Fprintf(&b, "\ncycle: %s\n", g.cycleText())
	}
	if aliases := g.aliases(); aliases != nil {
		b.WriteString("\n" + strings.Join(aliases, "\n") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// textColumn returns a column as lines of text, one for each row and one for each gap between two
// rows.
func (g *Graph) textColumn(c column) []string {
	lines := []string{c.name}
	for i, e := range c.events {
		between, further := "", ""
		if i > 0 {
			between = g.between(c.events[i-1], e)
			further, _, _ = strings.Cut(between, " ")
		}
		for at := textRow(g.rows[e]); len(lines) < at; between = further {
			lines = append(lines, between)
		}
		lines = append(lines, g.label(e))
	}
	return lines
}

// textRow returns the index of a row's line.
func textRow(row int) int { return 1 + 2*row }

// between returns the text between an event and the next of its column.
func (g *Graph) between(a, b event.ID) string {
	for _, l := range g.lines {
		switch {
		case l.From != a || l.To != b || !l.ordering:
		case l.highlighted():
			return "┃ " + l.label
		case l.label == "po":
			return "│"
		default:
			return "│ " + l.label
		}
	}
	return ""
}

// textRows arranges the columns side by side, under their frames.
func (g *Graph) textRows() []string {
	const gap = 4
	var columns [][]string
	var starts []int // of the columns, and of the end
	height, x := 0, 0
	for i, c := range g.columns {
		lines := g.textColumn(c)
		columns = append(columns, lines)
		height = max(height, len(lines))
		starts = append(starts, x)
		x += g.textWidth(i, lines, starts) + gap
	}
	starts = append(starts, x)
	columns = append(columns, nil)
	at := func(c, r int) string {
		if r < len(columns[c]) {
			return columns[c][r]
		}
		return ""
	}
	rows, meeting := g.frameRows(starts, gap), g.meetingGaps()
	for r := range height {
		var b strings.Builder
		for c := range g.columns {
			width := starts[c+1] - starts[c]
			if meeting[cell{c, r}] {
				b.WriteString(ruled(at(c, r), at(c+1, r), width))
			} else {
				b.WriteString(padded(at(c, r), width))
			}
		}
		rows = append(rows, b.String())
	}
	return rows
}

// meetingGaps returns the gaps right of columns, by line, that are between threads that meet.
func (g *Graph) meetingGaps() map[cell]bool {
	gaps := map[cell]bool{}
	for _, m := range g.meetings {
		for _, t := range m.tiers {
			for c := m.first; c < m.last; c++ {
				gaps[cell{c, textRow(g.rows[t[0]])}] = true
			}
		}
	}
	return gaps
}

// textWidth returns the width of the column at starts[column]: that of its lines, or more if the
// label of a frame that ends with it needs more.
func (g *Graph) textWidth(column int, lines []string, starts []int) int {
	w := 0
	for _, s := range lines {
		w = max(w, utf8.RuneCountInString(s))
	}
	eachFrame(g.frames, func(f *frame) {
		if f.last == column {
			w = max(w, utf8.RuneCountInString(frameRule(f.label, 0))-(starts[column]-starts[f.first]))
		}
	})
	return w
}

// frameRows returns the tops of the frames, one row for each depth.
func (g *Graph) frameRows(starts []int, gap int) []string {
	rows := make([]string, frameDepth(g.frames))
	eachFrame(g.frames, func(f *frame) {
		row := &rows[f.depth]
		*row = padded(*row, starts[f.first])
		*row += frameRule(f.label, starts[f.last+1]-gap-starts[f.first])
	})
	return rows
}

// frameRule returns the top of a frame of the given width.
func frameRule(label string, width int) string {
	s := "╭─ " + label + " ─"
	return s + strings.Repeat("─", max(0, width-utf8.RuneCountInString(s)-1)) + "╮"
}

func padded(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

// ruled returns s padded with a rule that leads to next.
func ruled(s, next string, width int) string {
	if s != "" {
		s += " "
	}
	rule := strings.Repeat("═", max(0, width-utf8.RuneCountInString(s)-1))
	if next == "" {
		return s + rule + "═"
	}
	return s + rule + " "
}

// edgeList lists the edges by relation, in the order of the families, and the meetings. It leaves
// out po between neighbours, which the columns show.
func (g *Graph) edgeList() []string {
	next := map[event.ID]event.ID{}
	for _, c := range g.columns {
		for i := range len(c.events) - 1 {
			next[c.events[i]] = c.events[i+1]
		}
	}
	var edges []Edge
	for _, l := range g.lines {
		for _, e := range l.Parts {
			if below, ok := next[e.From]; e.Label != "po" || !ok || below != e.To {
				edges = append(edges, e)
			}
		}
	}
	var labels []string
	pairs := map[string][]string{}
	width := 0
	slices.SortStableFunc(edges, func(a, b Edge) int { return a.Family.Compare(b.Family) })
	for _, e := range edges {
		if pairs[e.Label] == nil {
			labels = append(labels, e.Label)
			width = max(width, utf8.RuneCountInString(e.Label))
		}
		pairs[e.Label] = append(pairs[e.Label], g.ref(e.From)+"→"+g.ref(e.To))
	}
	for _, m := range g.meetings {
		width = max(width, utf8.RuneCountInString(m.title()))
	}
	var list []string
	for _, label := range labels {
		list = append(list, padded(label, width)+"  "+strings.Join(pairs[label], "  "))
	}
	for _, m := range g.meetings {
		list = append(list, padded(m.title(), width)+"  "+g.who(m)+" meet")
	}
	return list
}

// cycleText writes the highlighted edges as a path that ends with the name of its first event.
// Edges that do not continue the path start another.
func (g *Graph) cycleText() string {
	var b strings.Builder
	first := event.ID(-1)
	for i, e := range g.cycle {
		if i == 0 || e.From != g.cycle[i-1].To {
			if i > 0 {
				b.WriteString("; ")
			}
			b.WriteString(g.step(e.From))
			first = e.From
		}
		fmt.Fprintf(&b, " –%s→ ", e.Label)
		if e.To == first {
			b.WriteString(g.ref(e.To))
		} else {
			b.WriteString(g.step(e.To))
		}
	}
	return b.String()
}

// step returns an event of the cycle: its name and its action.
func (g *Graph) step(e event.ID) string { return g.names[e] + ":" + g.x.Action(e) }

// describe returns the graph as text, for screen readers.
func (g *Graph) describe() string {
	var parts []string
	for _, c := range g.columns {
		var labels []string
		for _, e := range c.events {
			labels = append(labels, g.label(e))
		}
		parts = append(parts, "Thread "+c.name+": "+strings.Join(labels, "; "))
	}
	for _, s := range g.edgeList() {
		parts = append(parts, strings.Join(strings.Fields(s), " "))
	}
	if len(g.cycle) > 0 {
		parts = append(parts, "Cycle: "+g.cycleText())
	}
	parts = append(parts, g.aliases()...)
	return strings.Join(parts, ". ") + "."
}
