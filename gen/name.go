package gen

import (
	"slices"
	"strconv"
	"strings"
)

// families are the names of cycles whose threads have at most two accesses each, by the directions
// of each thread's first and last access (Sarkar et al., "Understanding POWER multiprocessors",
// PLDI 2011, and its test families; herd's diy uses these names, too). The threads are in the order
// of the family.
var families = map[string]string{
	"RW RW": "LB", "WW RR": "MP", "WW RW": "S", "WR WR": "SB", "WW WR": "R", "WW WW": "2+2W",

	"W RW RR": "WRC", "W RW RW": "WWC", "W RR WR": "RWC",
	"W RR WW": "WRR+2W", "W RW WR": "WRW+WR", "W RW WW": "WRW+2W",

	"WW RW RR": "ISA2", "WW RR WR": "W+RWC", "WW RW WR": "Z6.0", "WW WW RW": "Z6.1", "WW RW RW": "Z6.2",
	"WW WW RR": "Z6.3", "WW WR WR": "Z6.4", "WW WW WR": "Z6.5",

	"W RR W RR": "IRIW", "W RR W RW": "IRRWIW", "W RW W RW": "IRWIW",
}

// coherenceFamilies are the corresponding names of cycles on one location. One thread differs from
// two. U is an atomic that the cycle enters at its write and leaves at its read, so that another
// write comes between the two.
var coherenceFamilies = map[string]string{
	"WW": "CoWW", "RW": "CoRW1", "WR": "CoWR0", "W RR": "CoRR", "W RW": "CoRW2", "W WR": "CoWR",
	"W U": "CoWU",
}

// rings are families of any number of equal threads.
var rings = map[string]string{"WR": "SB", "RW": "LB", "WW": "2W"}

// family returns the name of the family of a cycle, by the shapes of its threads, or "".
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

// name returns the name of the test by the field's convention: the family, what is between the
// accesses of each thread, and the placement, unless all threads are in different CTAs of one GPU
// and all locations in global memory.
func (l *layout) name() string {
	if l.stem == "" {
		l.stem = l.nameAnywhere()
	}
	const usual = 64 // bytes
	name := append(make([]byte, 0, usual), l.stem...)
	return string(l.appendRegions(l.appendPlacement(name)))
}

// nameAnywhere returns the part of the name that does not depend on placement.
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

// labels returns the label of each thread: what is between its accesses. Equal labels become one
// plural, and plain program order has none.
func (l *layout) labels(uniform bool) string {
	plain := "po"
	if len(l.writers) == 1 {
		plain = "pos"
	}
	annotated := func(events []int) bool {
		return len(events) == 1 && l.nodes[events[0]].access.Name != l.ISA.fallback.Name
	}
	// then the other threads of one access need labels, too
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

// label describes what a thread has between its accesses, and its accesses that are not the
// default.
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
				label += "W" // otherwise a read is between two edges that leave it open
			}
			parts = append(parts, label)
		} else if l.Edges[e].Kind == Handover {
			parts = append(parts, l.Edges[e].label())
		}
	}
	return strings.Join(parts, "-")
}

// uniformAccess returns the name of the access that all events share, or "". A thread that consists
// of an atomic has it in its label instead.
func (l *layout) uniformAccess() string {
	first := l.nodes[0].access
	lone := slices.ContainsFunc(l.threads, func(events []int) bool { return len(events) == 1 })
	if first.Atomic() && lone ||
		slices.ContainsFunc(l.nodes, func(n node) bool { return n.access.Name != first.Name }) {
		return ""
	}
	return first.short()
}

// appendPlacement appends the placement of the threads: in words, or by the levels of the external
// edges.
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

// toNext returns the level of a thread and the next one.
func (l *layout) toNext(t int) Level { return l.place[t][(t+1)%len(l.threads)] }

// appendRegions appends the regions of the locations, unless all are in global memory.
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

// canonical rotates the cycle to begin as its family does, or else with as many writes as possible.
// Ties are broken by the least text. The given cycle may begin within a thread.
func (c *Cycle) canonical() *Cycle { return c.least(c.starts()) }

// starts returns the events at which the canonical cycle may begin, whatever its levels and regions
// are.
func (c *Cycle) starts() []int {
	n := len(c.Edges)
	external := slices.ContainsFunc(c.Edges, func(e Edge) bool { return e.External })
	var firsts []int // the best ones
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

// least returns the rotation with the least text that begins at one of the events, or the cycle
// itself if firsts is empty.
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

// rank returns a text that is least for cycles that begin as their family does, and then for those
// that begin with writes.
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

// writesFirst makes writes sort before reads.
var writesFirst = strings.NewReplacer("W", "A")
