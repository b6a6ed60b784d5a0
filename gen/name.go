package gen

import (
	"slices"
	"strconv"
	"strings"
)

// families are the names of the cycles whose threads have up to two accesses each, by what
// the threads begin and end with (Sarkar et al., "Understanding POWER multiprocessors", PLDI
// 2011, and the test families that go with it; herd's diy names them so too). The order of
// the threads is the family's.
var families = map[string]string{
	"RW RW": "LB", "WW RR": "MP", "WW RW": "S", "WR WR": "SB", "WW WR": "R", "WW WW": "2+2W",

	"W RW RR": "WRC", "W RW RW": "WWC", "W RR WR": "RWC",
	"W RR WW": "WRR+2W", "W RW WR": "WRW+WR", "W RW WW": "WRW+2W",

	"WW RW RR": "ISA2", "WW RR WR": "W+RWC", "WW RW WR": "Z6.0", "WW WW RW": "Z6.1", "WW RW RW": "Z6.2",
	"WW WW RR": "Z6.3", "WW WR WR": "Z6.4", "WW WW WR": "Z6.5",

	"W RR W RR": "IRIW", "W RR W RW": "IRRWIW", "W RW W RW": "IRWIW",
}

// coherenceFamilies are the names of cycles on one location, in the same way. One thread
// alone is told from two. U is an atomic that the cycle enters at its write and leaves at its
// read: another write comes between the two.
var coherenceFamilies = map[string]string{
	"WW": "CoWW", "RW": "CoRW1", "WR": "CoWR0", "W RR": "CoRR", "W RW": "CoRW2", "W WR": "CoWR",
	"W U": "CoWU",
}

// rings are families of any number of equal threads.
var rings = map[string]string{"WR": "SB", "RW": "LB", "WW": "2W"}

// family returns the name of the family of a cycle, by the shapes of its threads; "" if it has
// none.
func family(shapes []string, locations int) string {
	key := strings.Join(shapes, " ")
	if locations == 1 {
		if name, ok := coherenceFamilies[key]; ok {
			return name
		}
	}
	name := families[key]
	if ring, ok := rings[shapes[0]]; ok && name == "" && len(shapes) > 2 &&
		!slices.ContainsFunc(shapes, func(s string) bool { return s != shapes[0] }) {
		name = strconv.Itoa(len(shapes)) + "." + ring
	}
	if name != "" && locations == 1 {
		name = "Co" + name
	}
	return name
}

// name returns the name of the test by the field's convention: the family, what the threads have
// between their accesses, and where threads and locations are, unless all threads are in CTAs of
// their own on one GPU and all locations in global memory.
func (l *layout) name() string {
	if l.stem == "" {
		l.stem = l.nameAnywhere()
	}
	const usual = 64 // bytes
	name := append(make([]byte, 0, usual), l.stem...)
	return string(l.appendRegions(l.appendPlacement(name)))
}

// nameAnywhere returns the name without what it says of places.
func (l *layout) nameAnywhere() string {
	shapes := l.shapes()
	name := family(shapes, len(l.writers))
	if name == "" {
		name = strings.Join(shapes, "+")
		if len(l.writers) == 1 {
			name = "Co" + name
		}
	}
	uniform := l.uniformAccess()
	if uniform != "" && (l.ISA.says || uniform != l.ISA.fallback.short()) {
		name += "+" + uniform + "s"
	}
	return name + l.labels(uniform != "")
}

// labels gives the label of each thread: what stands between its accesses. Equal labels become one
// plural, and plain program order has none.
func (l *layout) labels(uniform bool) string {
	plain := "po"
	if len(l.writers) == 1 {
		plain = "pos"
	}
	annotated := func(events []int) bool {
		return len(events) == 1 && l.nodes[events[0]].access.Name != l.ISA.fallback.Name
	}
	// then the other threads of one access have labels too
	lonely := !uniform && slices.ContainsFunc(l.threads, annotated)
	var labels []string
	for _, events := range l.threads {
		if label := l.label(events, uniform); label != "" {
			labels = append(labels, label)
		} else if lonely {
			labels = append(labels, l.ISA.fallback.short())
		}
	}
	if slices.ContainsFunc(labels, func(label string) bool { return label != labels[0] }) {
		return "+" + strings.Join(labels, "+")
	}
	switch {
	case len(labels) == 0 || labels[0] == plain:
		return ""
	case len(labels) == 1:
		return "+" + labels[0]
	}
	return "+" + labels[0] + "s"
}

// label says what a thread has between its accesses, and of accesses that are not the usual
// ones what they are.
func (l *layout) label(events []int, uniform bool) string {
	var parts []string
	for i, e := range events {
		if a := l.nodes[e].access; !uniform && a.Name != l.ISA.fallback.Name && l.half(e) == nil {
			parts = append(parts, a.short())
		}
		if i < len(events)-1 {
			label := l.Edges[e].label()
			if i < len(events)-2 && l.Edges[e].Dst == W && !l.Edges[e].Communicates() &&
				!l.Edges[events[i+1]].Communicates() {
				label += "W" // else between two edges that leave it open stands a read
			}
			parts = append(parts, label)
		} else if l.Edges[e].Kind == Handover {
			parts = append(parts, l.Edges[e].label())
		}
	}
	return strings.Join(parts, "-")
}

// uniformAccess returns what all accesses are; "" if they are not all the same. Where an atomic is
// all that a thread has, its label says so.
func (l *layout) uniformAccess() string {
	first := l.nodes[0].access
	lone := slices.ContainsFunc(l.threads, func(events []int) bool { return len(events) == 1 })
	if first.Atomic() && lone ||
		slices.ContainsFunc(l.nodes, func(n node) bool { return n.access.Name != first.Name }) {
		return ""
	}
	return first.short()
}

// appendPlacement says where the threads are: in words, or by the marks of the external edges.
func (l *layout) appendPlacement(name []byte) []byte {
	if len(l.threads) == 1 {
		return name
	}
	first, mixed := l.toNext(0), false
	for t := range l.threads {
		mixed = mixed || l.toNext(t) != first
	}
	switch {
	case mixed:
		for t := range l.threads {
			name = appendAll(name, "-", l.toNext(t).String())
		}
		return name
	case first == SameGPU:
		return name
	case first == OtherGPU:
		return appendAll(name, "-", l.ISA.far)
	}
	return appendAll(name, "-", levelNames[first].placement)
}

// toNext returns how close a thread is to the next one.
func (l *layout) toNext(t int) Level { return l.place[t][(t+1)%len(l.threads)] }

// appendRegions says where the locations are, if not all are in global memory.
func (l *layout) appendRegions(name []byte) []byte {
	switch {
	case !slices.Contains(l.shared, true):
		return name
	case !slices.Contains(l.shared, false):
		return append(name, "-shared"...)
	}
	for _, shared := range l.shared {
		name = appendAll(name, "-", regionName(shared))
	}
	return name
}

// canonical rotates the cycle so that it begins as its family does, or else with as many writes
// as possible; ties are broken by the least text. The given cycle need not begin with a thread.
func (c *Cycle) canonical() *Cycle { return c.least(c.starts()) }

// starts returns the events at which the cycle begins so, whatever its levels and regions are.
func (c *Cycle) starts() []int {
	n := len(c.Edges)
	external := slices.ContainsFunc(c.Edges, func(e Edge) bool { return e.External })
	var firsts []int // the best
	least := ""
	for first := range n {
		before := &c.Edges[(first+n-1)%n]
		if external != before.External || !before.Communicates() {
			continue
		}
		rank := (&Cycle{ISA: c.ISA, Edges: rotated(c.Edges, first)}).rank()
		if rank < least || firsts == nil {
			firsts, least = firsts[:0], rank
		}
		if rank == least {
			firsts = append(firsts, first)
		}
	}
	return firsts
}

// least returns the rotation that begins at one of some events and has the least text; the cycle
// itself if there are none.
func (c *Cycle) least(firsts []int) *Cycle {
	if len(firsts) == 0 {
		return c
	}
	best := c.rotate(firsts[0])
	if len(firsts) == 1 {
		return best
	}
	text := best.String()
	for _, first := range firsts[1:] {
		turned := c.rotate(first)
		if other := turned.String(); other < text {
			best, text = turned, other
		}
	}
	return best
}

// rank returns a text that is less for cycles which begin as their family does, and then for those
// which begin with writes.
func (c *Cycle) rank() string {
	l := layout{Cycle: c}
	l.cutThreads()
	shapes := l.shapes()
	_, locations := c.locations()
	known := "1"
	if family(shapes, locations) != "" {
		known = "0"
	}
	return known + writesFirst.Replace(strings.Join(shapes, " "))
}

// writesFirst makes a text in which writes sort before reads.
var writesFirst = strings.NewReplacer("W", "A")
