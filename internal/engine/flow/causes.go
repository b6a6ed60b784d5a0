package flow

import (
	"slices"

	"github.com/muster-gpu/muster/event"
)

// Causes are base relations, by their names in models, whose union with rf is known to have no
// cycle. Those that paths do not have are of no use here.
type Causes []string

// of finds the reads of a path, and by event those that it comes of.
func (c Causes) of(p *event.Path) (all reads, before []reads) {
	before = make([]reads, len(p.Events))
	for i := range p.Events {
		if p.Events[i].Kind == event.Read {
			all |= 1 << i
		}
	}
	for _, name := range c {
		for _, pair := range pairs(p, name) {
			before[pair[1]] |= 1 << pair[0] & all
		}
	}
	return all, before
}

// pairs is a base relation of a path.
func pairs(p *event.Path, name string) []event.Pair {
	switch name {
	case "addr":
		return p.Addr
	case "data":
		return p.Data
	case "ctrl":
		return p.Ctrl
	case "rmw":
		return p.Rmw
	case "po":
		return programOrder(p)
	}
	return nil
}

// programOrder is the pairs of a path that are in program order.
func programOrder(p *event.Path) (pairs []event.Pair) {
	for b := range p.Events {
		for a := range b {
			if pair := (event.Pair{a, b}); event.Ordered(&p.Events[a], &p.Events[b]) && !slices.Contains(p.Unordered, pair) {
				pairs = append(pairs, pair)
			}
		}
	}
	return pairs
}
