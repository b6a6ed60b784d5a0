package gallery

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/muster-gpu/muster/viz"
	"github.com/muster-gpu/muster/viz/paint"
)

// notes are deviations of pictures from the request. They can be added concurrently.
type notes struct {
	sync.Mutex
	all []note
}

// note is one remark about a picture. Of many pictures with notes of one kind, only some are named.
type note struct{ kind, of, says string }

func (n *notes) add(kind string, s *viz.Scene, format string, args ...any) {
	n.Lock()
	defer n.Unlock()
	n.all = append(n.all, note{kind, s.Title, fmt.Sprintf(format, args...)})
}

// mostNotes bounds the pictures that are named with a note of one kind.
const mostNotes = 3

// tell writes all notes, unless w is nil.
func (n *notes) tell(w io.Writer) {
	if w == nil {
		return
	}
	slices.SortStableFunc(n.all, func(a, b note) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.of, b.of))
	})
	told, kind := 0, ""
	more := func() {
		if told > mostNotes {
			fmt.Fprintf(w, "warning: so it is with %d more pictures: %s\n", told-mostNotes, kind)
		}
	}
	for _, one := range n.all {
		if one.kind != kind {
			more()
			told, kind = 0, one.kind
		}
		if told++; told <= mostNotes {
			fmt.Fprintf(w, "warning: %s: %s\n", one.of, one.says)
		}
	}
	more()
	n.all = nil
}

// lacks notes the characters that are painted as boxes.
func (n *notes) lacks(s *viz.Scene) {
	lacking, err := paint.Lacks(s)
	if err != nil || len(lacking) == 0 {
		return // PNG and PDF report the error
	}
	const most = 5
	var names []string
	for _, c := range lacking[:min(most, len(lacking))] {
		names = append(names, fmt.Sprintf("%c (%U)", c, c))
	}
	if more := len(lacking) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	n.add("boxes for characters", s,
		"PNG and PDF have boxes for characters that the fonts of muster lack: %s; an SVG shows them if the viewer "+
			"has such a font", strings.Join(names, ", "))
}

// capped notes a scale that would make the image too large.
func (n *notes) capped(s *viz.Scene, scale float64) {
	if most := paint.MostScale(s); scale > most {
		n.add("a smaller scale", s,
			"the image would be too large with --scale %g, so that it has %.2g; SVG and PDF are sharp at any size",
			scale, most)
	}
}

// readable is the least size of letters, in points, that is readable on paper.
const readable = 5.0

// small notes letters that are too small, and the paper on which they are not.
func (n *notes) small(s *viz.Scene, name string) {
	size := paint.Papers[name].Letters(s)
	if name == "" || size >= readable {
		return
	}
	help := "no paper is large enough: without --paper, the page is as large as the picture; fewer threads or " +
		"relations (--show) need less"
	best := size
	for other, p := range paint.Papers {
		if l := p.Letters(s); l >= readable && (best < readable || l < best) {
			best = l
			help = fmt.Sprintf("on %s they have %.1f; without --paper, the page is as large as the picture", other, l)
		}
	}
	n.add("small letters", s, "letters have %.1f points on %s, which is hard to read; %s", size, name, help)
}
