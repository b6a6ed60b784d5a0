package shrink

import (
	"iter"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/src"
)

// code is a test whose cells are read as instructions, each for itself.
type code struct {
	*litmus.Test
	columns [][]*line // by thread
}

// line is a cell.
type line struct {
	thread, row int
	labels      []string
	text        string     // without the labels
	in          *ptx.Instr // nil if the cell holds labels only, or nothing

	start int // of text, in the file of the cell
}

// read reads the cells of a test. The error is the error of a cell that is no instruction.
func read(t *litmus.Test) (*code, error) {
	c := &code{Test: t, columns: make([][]*line, len(t.Threads))}
	for i, th := range t.Threads {
		for row, cell := range th.Cells {
			l, err := readCell(cell, t.Arch)
			if err != nil {
				return nil, err
			}
			l.thread, l.row = i, row
			c.columns[i] = append(c.columns[i], l)
		}
	}
	return c, nil
}

func readCell(cell litmus.Cell, arch string) (*line, error) {
	labels, in, err := ptx.Parse(cell, arch)
	if err != nil {
		return nil, err
	}
	l := &line{in: in, start: cell.Start, text: cell.Text()}
	for _, label := range labels {
		l.labels = append(l.labels, label.Text())
	}
	if labels != nil {
		after := labels[len(labels)-1].End - cell.Start
		_, rest, _ := strings.Cut(l.text[after:], ":")
		l.text = strings.TrimLeft(rest, " \t")
		l.start = cell.End - len(l.text)
	}
	return l, nil
}

// cell returns the cell of a line with another text after its labels.
func (l *line) cell(text string) litmus.Cell {
	words := make([]string, 0, len(l.labels)+1)
	for _, label := range l.labels {
		words = append(words, label+":")
	}
	if text != "" {
		words = append(words, text)
	}
	return litmus.NewCell(strings.Join(words, " "))
}

// from returns the text from a place on.
func (l *line) from(at int) string { return l.text[at-l.start:] }

// before returns the text before a place.
func (l *line) before(at int) string { return l.text[:at-l.start] }

// splice returns the text with another in the place of a part of it.
func (l *line) splice(at src.Span, text string) string {
	return l.before(at.Start) + text + l.from(at.End)
}

// opcode returns the span of the opcode.
func (l *line) opcode() src.Span { return l.in.At.Sub(0, len(l.in.Opcode)) }

// instructions returns the lines of a thread that hold one.
func (c *code) instructions(thread int) (lines []*line) {
	for _, l := range c.columns[thread] {
		if l.in != nil {
			lines = append(lines, l)
		}
	}
	return lines
}

// program yields the instructions of all threads.
func (c *code) program() iter.Seq[*line] {
	return func(yield func(*line) bool) {
		for i := range c.columns {
			for _, l := range c.instructions(i) {
				if !yield(l) {
					return
				}
			}
		}
	}
}

// count returns the number of instructions of the test.
func (c *code) count() (n int) {
	for range c.program() {
		n++
	}
	return n
}

// tidy removes the labels that nothing branches to, and the cells that are empty. The lines
// of c keep the rows of before.
func (c *code) tidy() {
	for i, column := range c.columns {
		targets := map[string]bool{}
		for _, l := range c.instructions(i) {
			if l.in.Target != nil {
				targets[l.in.Target.Text] = true
			}
		}
		th := c.Threads[i]
		for _, l := range column {
			dead := func(label string) bool { return !targets[label] }
			if slices.ContainsFunc(l.labels, dead) {
				l.labels = slices.DeleteFunc(l.labels, dead)
				th.Cells[l.row] = l.cell(l.text)
			}
		}
		th.Cells = slices.DeleteFunc(th.Cells, func(cell litmus.Cell) bool { return cell.Text() == "" })
	}
}
