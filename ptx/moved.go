//go:build !js

package ptx

import (
	"slices"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/frontend/path"
	"github.com/muster-gpu/muster/litmus"
)

// Moves reports whether Moved may be called: no code and no path depends on where threads and
// locations are.
func (p *Program) Moves() bool {
	return p.replicas == nil && !slices.ContainsFunc(p.code, func(t *thread) bool { return t.placed || t.seated })
}

// Moved returns the program of a test that differs from p.Test only in the places of its threads
// and locations. It returns nil if they cannot be there, or may not be able to. Moves must hold of
// p.
func (p *Program) Moved(to *litmus.Test) frontend.Program {
	m := &Program{
		Program: path.Program{Test: to, Memory: p.Memory, Threads: p.Threads, Paths: p.Paths, Barriers: p.Barriers, Known: p.Known, Vocabulary: p.Vocabulary},
		opts:    p.opts, seats: p.seats, code: p.code, joined: p.joined, shared: true,
	}
	m.Joined = m.structure
	b := &builder{test: to, prog: m}
	if !p.Test.SamePlaces(to) {
		m.Threads = frontend.Threads(to)
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
			at.Region, at.Home, at.Rank = int(l.Region), 0, 0
			regional = regional || at.Region == litmus.Shared
		}
	}
	if !regional {
		return m
	}
	if m.seats == nil {
		m.seats = frontend.Seats(b.test, b.prog.Threads)
	}
	b.seats = m.seats
	if b.checkRegions(); len(b.diags) > 0 {
		return nil
	}
	return m
}
