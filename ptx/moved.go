//go:build !js

package ptx

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
)

// Moves reports that Moved is worth asking: nothing but where its threads and locations are depends on that.
func (p *Program) Moves() bool {
	return p.replicas == nil && !slices.ContainsFunc(p.code, func(t *thread) bool { return t.placed || t.seated })
}

// Moved is the program of a test which says the same with its threads and locations elsewhere; nil if they cannot be there, or may not be
// able to. The program Moves.
func (p *Program) Moved(to *litmus.Test) frontend.Program {
	m := &Program{
		Test: to, Memory: p.Memory, opts: p.opts, threads: p.threads, seats: p.seats, code: p.code, paths: p.paths, joined: p.joined, shared: true,
	}
	b := &builder{test: to, prog: m}
	if !p.Test.SamePlaces(to) {
		b.placeThreads()
		m.seats = nil
	}
	m.Locs = slices.Clone(p.Locs)
	regional := false
	for _, l := range to.Locations {
		if l.Name.Start > to.Threads[0].Name.Start {
			return nil // see checkMap
		}
		first, _ := p.Named(l.Name.Text)
		for i := range max(1, l.Size) {
			at := &m.Locs[first+i]
			at.Region, at.Home, at.Rank = event.Region(l.Region), 0, 0
			regional = regional || at.Region == event.Shared
		}
	}
	if !regional {
		return m
	}
	if m.seats == nil {
		m.seats = frontend.Seats(b.test, b.prog.threads)
	}
	b.seats = m.seats
	if b.checkRegions(); len(b.diags) > 0 {
		return nil
	}
	return m
}
