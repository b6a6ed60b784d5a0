package viz

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/event"
)

// level is a level of the GPU's thread hierarchy.
type level struct {
	name string
	of   func(*event.Thread) int
}

// levels are all levels, outermost first.
var levels = [...]level{
	{"device", func(t *event.Thread) int { return t.Device }},
	{"grid", func(t *event.Thread) int { return t.Kernel }},
	{"cluster", func(t *event.Thread) int { return t.Cluster }},
	{"CTA", func(t *event.Thread) int { return t.CTA }},
	{"warp", func(t *event.Thread) int { return t.Warp }},
}

// The levels that are treated in a special way.
const (
	deviceLevel  = 0
	clusterLevel = 2
	warpLevel    = 4
)

// path is where a thread is, level by level. Cut behind a level it names a part of
// the hierarchy.
type path [len(levels)]int

func pathOf(t *event.Thread) path {
	var p path
	for i, l := range levels {
		p[i] = l.of(t)
	}
	return p
}

// cut returns p down to level i, with zeros for the levels below.
func (p path) cut(i int) path {
	for j := i + 1; j < len(p); j++ {
		p[j] = 0
	}
	return p
}

// columnOrder puts threads that share a part of the hierarchy side by side, and
// leaves the order of the test as it is otherwise.
func columnOrder(threads []event.Thread) []int {
	first := map[[2]path]int{} // keyed by level, too: cutting may give equal paths
	key := func(t, i int) [2]path {
		return [2]path{{i}, pathOf(&threads[t]).cut(i)}
	}
	order := make([]int, len(threads))
	for t := range threads {
		order[t] = t
		for i := range levels {
			if _, seen := first[key(t, i)]; !seen {
				first[key(t, i)] = t
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		for i := range levels {
			if d := first[key(a, i)] - first[key(b, i)]; d != 0 {
				return d
			}
		}
		return 0
	})
	return order
}

// frame is a part of the hierarchy: a box around columns.
type frame struct {
	label       string
	first, last int // columns
	depth       int // 0 for the outermost
	light       bool
	kids        []*frame
}

// framer builds frames from the columns' places.
type framer struct {
	words [len(levels)]string // for levels
	order []int               // the thread of each column
	paths []path
	shown []int            // the levels worth a frame, outermost first
	count [len(path{})]int // how many parts each level has
}

// framesOf returns the outermost frames around the columns, given the thread of
// each column, and what levels are called, as in Options.
func framesOf(threads []event.Thread, order []int, called func(string) string) []*frame {
	f := &framer{order: order, paths: make([]path, len(order))}
	for i, l := range levels {
		f.words[i] = l.name
		if called != nil {
			f.words[i] = called(l.name)
		}
	}
	for i, t := range order {
		f.paths[i] = pathOf(&threads[t])
	}
	for i := range levels {
		f.count[i] = len(f.runs(0, len(order)-1, i))
	}
	for i := range levels {
		if f.words[i] != "" && f.isTelling(i) {
			f.shown = append(f.shown, i)
		}
	}
	return f.build(0, len(order)-1, 0, 0, nil)
}

// isTelling decides whether a level is drawn. Grids and CTAs always are; a lone
// device says nothing; clusters matter if they split a grid and hold several CTAs,
// warps if they hold several threads.
func (f *framer) isTelling(i int) bool {
	switch i {
	case deviceLevel:
		return f.count[i] > 1
	case clusterLevel:
		return f.count[i] > f.count[i-1] && f.count[i] < f.count[i+1]
	case warpLevel:
		return f.count[i] < len(slices.Compact(slices.Clone(f.order)))
	default:
		return true
	}
}

// runs splits the columns from first to last into those that share level i.
func (f *framer) runs(first, last, i int) [][2]int {
	var runs [][2]int
	for c := first; c <= last; c++ {
		if n := len(runs); n > 0 && f.paths[c].cut(i) == f.paths[c-1].cut(i) {
			runs[n-1][1] = c
		} else {
			runs = append(runs, [2]int{c, c})
		}
	}
	return runs
}

// build makes the frames from the nth shown level down. The labels of levels
// around the same columns are collected in outer and share one frame.
func (f *framer) build(first, last, nth, depth int, outer []string) []*frame {
	if nth == len(f.shown) {
		return nil
	}
	lvl := f.shown[nth]
	var frames []*frame
	for _, run := range f.runs(first, last, lvl) {
		names := slices.Clone(outer)
		loneWarp := lvl == warpLevel && f.order[run[0]] == f.order[run[1]]
		if !loneWarp {
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
			light: lvl == warpLevel && !loneWarp && len(names) == 1,
			kids:  f.build(run[0], run[1], nth+1, depth+1, nil),
		})
	}
	return frames
}

// name returns what a part is called: with its number if there are several.
func (f *framer) name(lvl, column int) string {
	if f.count[lvl] == 1 {
		return f.words[lvl]
	}
	return fmt.Sprintf("%s %d", f.words[lvl], f.paths[column][lvl])
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
