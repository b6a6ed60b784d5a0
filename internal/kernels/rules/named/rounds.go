package named

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/solver/term"
)

// However many rounds the loops have in which warps come to barriers, few need to be walked. All
// warps go through round after round first, none further than the others may. Where each of them
// stands then, and what it has seen of the others, is the same after some round as after an earlier
// one, but for the number of the round: from there on it repeats itself.

// course is what walks of few rounds show of all.
type course struct {
	on     *arrivals
	b      *term.Builder
	walks  []*walk // by the number of rounds; nil if that cannot be
	steady int     // after this round, what is seen repeats itself
	period int     // after so many rounds
}

// walkedRounds bounds the rounds that are walked of endlessly many.
const (
	walkedRounds = 24
	endless      = 1 << 20
)

// walked walks the warps to their ends, and notes what is wrong.
func (a *arrivals) walked() bool {
	c := &course{on: a, b: a.b, walks: make([]*walk, 1), steady: -1, period: 1}
	if len(a.loops.all()) > 0 {
		lag, ok := c.repeats()
		if !ok {
			return false
		}
		c.walks = make([]*walk, c.steady+c.period+lag+c.on.loops.rhythm.last+3)
	}
	for rounds := range c.walks {
		if rounds == 0 && len(c.walks) > 1 && !a.loops.none {
			continue
		}
		k := newWalk(c.lists(rounds))
		if !k.whole() {
			c.tell(k.trouble)
			return false
		}
		c.walks[rounds] = k
	}
	a.course = c
	return true
}

// tell notes what is wrong. Of loops whose rounds are not known, it may be so in rounds that never
// come: alarms are looked for in the first.
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

// walkedOf is how many of so many rounds are walked: all, but of endlessly many.
func walkedOf(rounds int) int {
	if rounds == endless {
		return walkedRounds
	}
	return rounds
}

// lists are what the warps come to if there are so many rounds, and after them. Of endlessly many,
// it is enough of them.
func (c *course) lists(rounds int) (all [][]arrived) {
	for w := range c.on.lines {
		l := &c.on.lines[w]
		list := slices.Clone(l.before)
		for r := range walkedOf(rounds) {
			list = append(list, c.round(w, r, rounds)...)
		}
		if rounds < endless {
			list = append(list, l.after...)
		}
		all = append(all, list)
	}
	return all
}

// round is what a warp comes to in a round of so many.
func (c *course) round(w, r, rounds int) []arrived {
	l := &c.on.lines[w]
	if l.loop == nil {
		return nil
	}
	return l.rounds[c.on.loops.rhythm.until(r, rounds)][c.on.loops.rhythm.kind(r)]
}

// begin is how many barriers a warp has come to when a round of so many begins.
func (c *course) begin(w, round, rounds int) int {
	n := len(c.on.lines[w].before)
	for r := range round {
		n += len(c.round(w, r, rounds))
	}
	return n
}

// repeats finds out from which round on what the warps do repeats itself, and by how many rounds a
// warp may be behind.
func (c *course) repeats() (lag int, ok bool) {
	k := newWalk(c.lists(endless))
	known := map[string]int{}
	for r := range walkedRounds {
		if !k.run(func(w int) int { return c.begin(w, r+1, endless) }) {
			c.walks = make([]*walk, 2)
			c.tell(k.trouble)
			return 0, false
		}
		for w := range c.on.lines {
			if l := c.on.lines[w].loop; l != nil {
				lag = max(lag, r-c.sightOf(w, endless, k.passed(w)).round)
			}
		}
		at := c.state(k, r)
		if before, is := known[at]; is && before >= c.on.loops.rhythm.first+lag && (r-before)%c.on.loops.rhythm.period == 0 {
			c.steady, c.period = before+c.on.loops.rhythm.last-1, r-before
			return lag, true
		}
		known[at] = r
	}
	c.on.unknown(c.on.trace.Arrivals[c.on.loops.all()[0].First], "", "warps do not repeat in %d rounds of loops whose rounds are not known what they have done before", walkedRounds)
	return 0, false
}

// state is where the warps are after a round, but for its number: what is from before the loops is
// the same after each.
func (c *course) state(k *walk, round int) string {
	var s strings.Builder
	since := func(w, n int) {
		if before := len(c.on.lines[w].before); n <= before {
			fmt.Fprintf(&s, " b%d", n)
		} else {
			fmt.Fprintf(&s, " %d", n-c.begin(w, round+1, endless))
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

// sight is an arrival of a warp: in which round, and which it is there. What is before the loop is
// in round -1, and what is after it in the one after the last.
type sight struct{ round, nth int }

// unseen is what is seen of a warp of which no arrival is.
var unseen = sight{-2, 0}

func (s sight) compare(t sight) int {
	return cmp.Or(cmp.Compare(s.round, t.round), cmp.Compare(s.nth, t.nth))
}

// sightOf is the arrival of a warp of that number, where there are so many rounds.
func (c *course) sightOf(w, rounds, n int) sight {
	l := &c.on.lines[w]
	if n < 0 {
		return unseen
	}
	if l.loop == nil || rounds == 0 || n < len(l.before) {
		return sight{-1, n}
	}
	n -= len(l.before)
	for r := range walkedOf(rounds) {
		in := len(c.round(w, r, rounds))
		if n < in {
			return sight{r, n}
		}
		n -= in
	}
	return sight{rounds, n}
}
