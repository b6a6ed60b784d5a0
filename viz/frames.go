package viz

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
)

// Level is a level of the thread hierarchy, with its name in pictures.
type Level struct {
	Name     string
	Optional bool // drawn only where a part holds several, but not all, parts of the next level
}

// together reports whether two threads are in the same part at a level and at all outer levels.
func together(t, u *event.Thread, level int) bool {
	return slices.Equal(t.At[:level+1], u.At[:level+1])
}

// columnOrder places threads of the same part of the hierarchy side by side, and otherwise keeps the
// order of the test.
func columnOrder(threads []event.Thread) []int {
	// by thread and level: the first thread in the same part
	order, first := make([]int, len(threads)), make([][]int, len(threads))
	for t := range threads {
		order[t], first[t] = t, make([]int, len(threads[t].At))
		for l := range first[t] {
			first[t][l] = slices.IndexFunc(threads, func(u event.Thread) bool { return together(&u, &threads[t], l) })
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(first[a], first[b]) })
	return order
}

// frame is a box around columns: a part of the hierarchy, or several with the same columns.
type frame struct {
	label       string
	first, last int // columns
	depth       int // 0 for the outermost
	light       bool
	kids        []*frame
}

// framer builds frames from the positions of the columns.
type framer struct {
	levels  []Level
	threads []event.Thread
	order   []int // the thread of each column
	shown   []int // levels that get frames, outermost first
	count   []int // number of parts of each level
}

// framesOf returns the outermost frames around the columns, given the thread of each column and the
// levels that have frames.
func framesOf(threads []event.Thread, order []int, levels []Level) []*frame {
	f := &framer{levels: levels, threads: threads, order: order}
	for i := range levels {
		f.count = append(f.count, len(f.runs(0, len(order)-1, i)))
	}
	for i := range levels {
		if f.isTelling(i) {
			f.shown = append(f.shown, i)
		}
	}
	return f.build(0, len(order)-1, 0, 0, nil)
}

// isTelling reports whether a level is drawn. For a GPU, grids and CTAs always are, devices if there
// are several, clusters if they split a grid and hold several CTAs, and warps if they hold several
// threads.
func (f *framer) isTelling(i int) bool {
	switch {
	case f.narrowest(i):
		return f.count[i] < len(slices.Compact(slices.Clone(f.order)))
	case i == 0:
		return f.count[i] > 1
	case f.levels[i].Optional:
		return f.count[i] > f.count[i-1] && f.count[i] < f.count[i+1]
	}
	return true
}

// narrowest reports whether a level is the innermost one.
func (f *framer) narrowest(level int) bool { return level == len(f.levels)-1 }

// runs splits the columns from first to last into runs with a common part at level i.
func (f *framer) runs(first, last, i int) [][2]int {
	var runs [][2]int
	for c := first; c <= last; c++ {
		if n := len(runs); n > 0 && together(f.thread(c), f.thread(c-1), i) {
			runs[n-1][1] = c
		} else {
			runs = append(runs, [2]int{c, c})
		}
	}
	return runs
}

// thread returns the thread of a column.
func (f *framer) thread(column int) *event.Thread { return &f.threads[f.order[column]] }

// build makes the frames from the nth shown level down. outer collects the labels of levels around
// the same columns, which share one frame.
func (f *framer) build(first, last, nth, depth int, outer []string) []*frame {
	if nth == len(f.shown) {
		return nil
	}
	lvl := f.shown[nth]
	var frames []*frame
	for _, run := range f.runs(first, last, lvl) {
		names := slices.Clone(outer)
		alone := f.narrowest(lvl) && f.order[run[0]] == f.order[run[1]]
		if !alone {
			names = append(names, f.name(lvl, run[0]))
		}
		if nth+1 < len(f.shown) && len(f.runs(run[0], run[1], f.shown[nth+1])) == 1 {
			frames = append(frames, f.build(run[0], run[1], nth+1, depth, names)...)
			continue
		}
		if len(names) == 0 {
			continue
		}
		frames = append(frames, &frame{
			label: strings.Join(names, " · "),
			first: run[0],
			last:  run[1],
			depth: depth,
			light: f.narrowest(lvl) && !alone && len(names) == 1,
			kids:  f.build(run[0], run[1], nth+1, depth+1, nil),
		})
	}
	return frames
}

// name returns the label of a part, with its number if there are several.
func (f *framer) name(lvl, column int) string {
	if f.count[lvl] == 1 {
		return f.levels[lvl].Name
	}
	return fmt.Sprintf("%s %d", f.levels[lvl].Name, f.thread(column).At[lvl])
}

// eachFrame calls visit for every frame, the outer ones first.
func eachFrame(frames []*frame, visit func(*frame)) {
	for _, f := range frames {
		visit(f)
		eachFrame(f.kids, visit)
	}
}

// frameDepth returns the number of frames around the most deeply nested column.
func frameDepth(frames []*frame) int {
	depth := 0
	eachFrame(frames, func(f *frame) { depth = max(depth, f.depth+1) })
	return depth
}
