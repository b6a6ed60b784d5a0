package named

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/solver/term"
)

// Whatever the number of iterations of loops, only a few need to be walked. All warps are taken
// through the iterations together. At some iteration, the position of each warp and what it has
// seen of the others are the same as after an earlier one, except for the number of the iteration:
// from there on everything repeats.

// course is the walks of few iterations, which show the order of all.
type course struct {
	on     *arrivals
	b      *term.Builder
	walks  []*walk // by the number of iterations; nil if loops cannot have it
	steady int     // after this iteration, what is seen repeats itself
	period int     // in iterations
}

// walkedIterations bounds the iterations that are walked where their number is unlimited (endless).
const (
	walkedIterations = 24
	endless          = 1 << 20
)

// walked walks the warps to their ends, and reports whether nothing is wrong.
func (a *arrivals) walked() bool {
	c := &course{on: a, b: a.b, walks: make([]*walk, 1), steady: -1, period: 1}
	if len(a.loops.all()) > 0 {
		lag, ok := c.repeats()
		if !ok {
			return false
		}
		c.walks = make([]*walk, c.steady+c.period+lag+c.on.loops.rhythm.last+3)
	}
	for iterations := range c.walks {
		if iterations == 0 && len(c.walks) > 1 && !a.loops.none {
			continue
		}
		k := newWalk(c.lists(iterations))
		if !k.whole() {
			c.tell(k.trouble)
			return false
		}
		c.walks[iterations] = k
	}
	a.course = c
	return true
}

// tell records an error. In loops, the error may be in iterations that never happen; it is then an
// obstacle rather than an alarm.
func (c *course) tell(t *trouble) {
	switch {
	case t.open:
		c.on.unknown(t.at, "a number of its own for each group of warps", "%s", t.what)
	case len(c.walks) > 1:
		c.on.unknown(t.at, "", "%s, if a loop is executed so often", t.what)
	default:
		c.on.alarmAt(t.at, t.warp, t.what, t.there, t.others)
	}
}

// walkedOf returns how many of a number of iterations are walked.
func walkedOf(iterations int) int {
	if iterations == endless {
		return walkedIterations
	}
	return iterations
}

// lists returns the barriers to which each warp comes if its loop has a number of iterations.
func (c *course) lists(iterations int) (all [][]arrived) {
	for w := range c.on.lines {
		l := &c.on.lines[w]
		list := slices.Clone(l.before)
		for r := range walkedOf(iterations) {
			list = append(list, c.iteration(w, r, iterations)...)
		}
		if iterations < endless {
			list = append(list, l.after...)
		}
		all = append(all, list)
	}
	return all
}

// iteration returns the barriers to which a warp comes in iteration r of a loop with a number of
// iterations.
func (c *course) iteration(w, r, iterations int) []arrived {
	l := &c.on.lines[w]
	if l.loop == nil {
		return nil
	}
	return l.iterations[c.on.loops.rhythm.until(r, iterations)][c.on.loops.rhythm.kind(r)]
}

// begin returns the number of barriers that a warp has reached when an iteration begins.
func (c *course) begin(w, iteration, iterations int) int {
	n := len(c.on.lines[w].before)
	for r := range iteration {
		n += len(c.iteration(w, r, iterations))
	}
	return n
}

// repeats finds the iteration from which on everything repeats (steady), the period, and by how
// many iterations a warp may be behind others.
func (c *course) repeats() (lag int, ok bool) {
	k := newWalk(c.lists(endless))
	known := map[string]int{}
	for r := range walkedIterations {
		if !k.run(func(w int) int { return c.begin(w, r+1, endless) }) {
			c.walks = make([]*walk, 2)
			c.tell(k.trouble)
			return 0, false
		}
		for w := range c.on.lines {
			if l := c.on.lines[w].loop; l != nil {
				lag = max(lag, r-c.sightOf(w, endless, k.passed(w)).iteration)
			}
		}
		at := c.state(k, r)
		if before, is := known[at]; is && before >= c.on.loops.rhythm.first+lag && (r-before)%c.on.loops.rhythm.period == 0 {
			c.steady, c.period = before+c.on.loops.rhythm.last-1, r-before
			return lag, true
		}
		known[at] = r
	}
	c.on.unknown(c.on.trace.Arrivals[c.on.loops.all()[0].First], "", "warps do not repeat in %d rounds of loops whose rounds are not known what they have done before", walkedIterations)
	return 0, false
}

// state describes where the warps are after an iteration, relative to its number.
func (c *course) state(k *walk, iteration int) string {
	var s strings.Builder
	since := func(w, n int) {
		if before := len(c.on.lines[w].before); n <= before {
			fmt.Fprintf(&s, " b%d", n)
		} else {
			fmt.Fprintf(&s, " %d", n-c.begin(w, iteration+1, endless))
		}
	}
	seen := func(all []int) {
		for w, n := range all {
			since(w, n)
		}
	}
	for w := range k.warps {
		since(w, k.passed(w))
		fmt.Fprint(&s, k.in[w] != nil)
		seen(k.seen[w][k.passed(w)])
	}
	ids := slices.SortedFunc(maps.Keys(k.uses), func(x, y barrierID) int {
		return cmp.Or(cmp.Compare(x.number, y.number), cmp.Compare(x.epoch.ID(), y.epoch.ID()))
	})
	for _, id := range ids {
		all := k.uses[id]
		for _, u := range all[max(0, len(all)-2):] {
			fmt.Fprint(&s, "\n", id.number, id.epoch.ID(), u.count)
			for _, m := range u.came {
				fmt.Fprint(&s, ";", m.warp)
				since(m.warp, m.nth)
				seen(m.before)
			}
		}
	}
	return s.String()
}

// sight is an arrival of a warp: its iteration, and its number in that. The prologue is iteration
// -1, and the epilogue the iteration after the last.
type sight struct{ iteration, nth int }

// unseen is the sight of a warp that has no arrival ordered before.
var unseen = sight{-2, 0}

func (s sight) compare(t sight) int {
	return cmp.Or(cmp.Compare(s.iteration, t.iteration), cmp.Compare(s.nth, t.nth))
}

// sightOf returns the n-th arrival of a warp as a sight.
func (c *course) sightOf(w, iterations, n int) sight {
	l := &c.on.lines[w]
	if n < 0 {
		return unseen
	}
	if l.loop == nil || iterations == 0 || n < len(l.before) {
		return sight{-1, n}
	}
	n -= len(l.before)
	for r := range walkedOf(iterations) {
		in := len(c.iteration(w, r, iterations))
		if n < in {
			return sight{r, n}
		}
		n -= in
	}
	return sight{iterations, n}
}
