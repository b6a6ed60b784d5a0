package gen

import "slices"

// Copies to several CTAs (PTX ISA, "cp.async.bulk": .multicast::cluster). Such a copy writes the
// same location of each CTA, so the locations of its writes in the cycle have one name in the test:
// each CTA has its own instance. It also writes in the issuing CTA, and completes on an mbarrier in
// each CTA.

// nameLocations gives the locations that a multicast copy writes one name, that of the first.
func (l *layout) nameLocations() error {
	l.named = make([]int, len(l.writers))
	for loc := range l.named {
		l.named[loc] = loc
	}
	for i, e := range l.Edges {
		if e.Kind != Copy || e.Src != W {
			continue
		}
		a, b := l.named[l.nodes[i].loc], l.named[l.nodes[i+1].loc]
		for loc, name := range l.named {
			if name == max(a, b) {
				l.named[loc] = min(a, b)
			}
		}
	}
	return nil
}

// nameOf returns the name of a location.
func (l *layout) nameOf(loc int) string {
	if loc < len(l.named) {
		loc = l.named[loc]
	}
	return locationName(loc)
}

// firstOf returns the first event of the operation of an event.
func (c *Cycle) firstOf(i int) int {
	for i > 0 && c.Edges[i-1].Kind == Copy {
		i--
	}
	return i
}

// spread makes the operation with last event i a copy to several CTAs: those in which the cycle
// reads what it writes, and its own.
func (l *layout) spread(i int) error {
	homes, err := l.homes(i)
	if err != nil {
		return err
	}
	b := l.told[i]
	b.far = true
	for _, t := range homes {
		if l.place[t][b.owner] > SameCTA {
			b.also = append(b.also, t)
		}
	}
	ranks := l.place.numbers(SameCTA, SameCluster)
	for loc, final := range l.final {
		written := slices.ContainsFunc(l.destinations(i), func(d int) bool { return l.nodes[d].loc == loc })
		shown := !slices.ContainsFunc(homes, func(t int) bool { return ranks[t] < ranks[l.homeOf(loc)] })
		if final && written && !shown {
			return l.unsuitable("no final state shows %s of another CTA than the first", l.nameOf(loc))
		}
	}
	return nil
}

// destinations returns the writes of an operation up to event i.
func (l *layout) destinations(i int) (all []int) {
	for d := l.firstOf(i); d <= i; d++ {
		if l.nodes[d].writes {
			all = append(all, d)
		}
	}
	return all
}

// homes returns one thread in each CTA to which an operation writes.
func (l *layout) homes(i int) ([]int, error) {
	thread, ranks := l.nodes[i].thread, l.place.numbers(SameCTA, SameCluster)
	homes, written := []int{thread}, map[int]bool{}
	for _, d := range l.destinations(i) {
		loc := l.nodes[d].loc
		home := l.homeOf(loc)
		if err := l.checkReach(i, loc, home); err != nil {
			return nil, err
		}
		if written[ranks[home]] {
			return nil, l.unsuitable("%s would write twice to one CTA", l.nodes[i].access.Name)
		}
		written[ranks[home]] = true
		if ranks[home] != ranks[thread] {
			homes = append(homes, home)
		}
	}
	if len(homes) == 1 {
		return nil,
			l.unsuitable(
				"%s copies to one CTA alone: some thread that looks at what it writes must be in another CTA of "+
					"the cluster", l.nodes[i].access.Name)
	}
	return homes, nil
}

// homeOf returns a thread in the CTA whose shared memory has a location.
func (l *layout) homeOf(loc int) int {
	return l.home(slices.IndexFunc(l.nodes, func(n node) bool { return n.loc == loc }))
}

// checkReach checks that a location which several CTAs have is written from another CTA only by a
// multicast copy: in other operations, its name denotes the location in their own CTA.
func (l *layout) checkReach(i, loc, home int) error {
	for j, n := range l.nodes {
		if n.loc == loc && l.place[n.thread][home] > SameCTA && (n.access.async == nil || !n.access.async.several) {
			return l.unsuitable("%s cannot write %s of another CTA: %s has one in each", l.nodes[j].access.Name,
				l.nameOf(loc), l.nodes[i].access.Name)
		}
	}
	return nil
}

// mask returns the CTAs to which an operation writes, as the operand of its instruction.
func (l *layout) mask(i int) (mask int) {
	homes, _ := l.homes(i)
	ranks := l.place.numbers(SameCTA, SameCluster)
	for _, t := range homes {
		mask |= 1 << ranks[t]
	}
	return mask
}
