package harness

import (
	"slices"

	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/ptx/isa"
)

// Tunings are settings for tests, as a search prints them and runs read them.
type Tunings struct {
	Settings
	// by Plan.Kinds, for tests that do better with other settings
	Kinds map[string]Settings `json:"kinds,omitempty"`
	Tests map[string]Settings `json:"tests,omitempty"` // by name
}

// Of returns the settings for a test: those of its name, or else of the nearest kind, or else of
// all. They are opaque if those of all tests are.
func (t Tunings) Of(p *Plan) Settings {
	s, ok := t.Tests[p.Test.Name.Text]
	if !ok {
		s = t.ofKind(p.Kinds())
	}
	s.Opaque = s.Opaque || t.Opaque
	return s
}

// ofKind returns the settings of the first kind that has some, or those of all tests.
func (t Tunings) ofKind(kinds []string) Settings {
	for _, kind := range kinds {
		if s, ok := t.Kinds[kind]; ok {
			return s
		}
	}
	return t.Settings
}

// Kinds returns the kinds to which the test belongs, the nearest first: its placement with its
// fences, as "intra-CTA shared, fence.cta"; its placement; and that without the state space.
func (p *Plan) Kinds() []string {
	place := p.placement()
	kinds := []string{place}
	if p.sharedSlots > 0 {
		kinds = []string{place + " shared", place}
	}
	return append([]string{kinds[0] + ", " + p.fencing()}, kinds...)
}

// placement returns how far apart the threads of the test are.
func (p *Plan) placement() string {
	apart := func(coordinate func(role) int) bool {
		return slices.ContainsFunc(p.roles, func(r role) bool { return coordinate(r) != coordinate(p.roles[0]) })
	}
	for _, far := range []struct {
		name       string
		coordinate func(role) int
	}{
		{"inter-GPU", func(r role) int { return p.kernels[r.kernel] }},
		{"inter-kernel", func(r role) int { return r.kernel }},
		{"inter-CTA", func(r role) int { return r.offset.cluster }},
		{"intra-cluster", func(r role) int { return r.offset.cta }},
		{"intra-CTA", func(r role) int { return r.offset.warp }},
	} {
		if apart(far.coordinate) {
			return far.name
		}
	}
	return "intra-warp"
}

// fencing returns the widest fence of the test or, without one, whether accesses order others.
func (p *Plan) fencing() string {
	widest, orders := event.ScopeNone, false
	p.has(func(in *ptx.Instr) bool {
		switch fence := in.Op.Code == isa.Fence || in.Op.Code == isa.Membar; {
		case fence && !in.Op.ProxyFence && in.Scope() == event.ScopeNone:
			widest = event.ScopeSys
		case fence && !in.Op.ProxyFence:
			widest = max(widest, in.Scope())
		case in.Order() >= event.Acquire:
			orders = true
		}
		return false // visit all instructions
	})
	switch {
	case widest != event.ScopeNone:
		return "fence." + widest.String()
	case orders:
		return "acquire or release"
	}
	return "no fence"
}
