package ptx

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/ptx/isa"
)

// specials are the special registers that say where a thread is (PTX ISA, "Special Registers"):
// those of one dimension, and the x dimension of those of three. In y and z, all extents are 1.
var (
	specials = map[string]func(s *frontend.Seat) int{
		"%laneid":           func(s *frontend.Seat) int { return s.Lane },
		"%warpid":           func(s *frontend.Seat) int { return s.Warp },
		"%nwarpid":          func(s *frontend.Seat) int { return s.Warps },
		"%gridid":           func(s *frontend.Seat) int { return s.Grid },
		"%cluster_ctarank":  func(s *frontend.Seat) int { return s.Rank },
		"%cluster_nctarank": func(s *frontend.Seat) int { return s.Ranks },
		"%lanemask_eq":      func(s *frontend.Seat) int { return 1 << s.Lane },
		"%lanemask_lt":      func(s *frontend.Seat) int { return 1<<s.Lane - 1 },
		"%lanemask_le":      func(s *frontend.Seat) int { return 2<<s.Lane - 1 },
		"%lanemask_gt":      func(s *frontend.Seat) int { return -2 << s.Lane },
		"%lanemask_ge":      func(s *frontend.Seat) int { return -1 << s.Lane },
		"WARP_SZ":           func(*frontend.Seat) int { return warpSize },
	}
	numbers = map[string]func(s *frontend.Seat) int{
		"%tid":           func(s *frontend.Seat) int { return s.Tid },
		"%ctaid":         func(s *frontend.Seat) int { return s.Block() },
		"%clusterid":     func(s *frontend.Seat) int { return s.Cluster },
		"%cluster_ctaid": func(s *frontend.Seat) int { return s.Rank },
	}
	extents = map[string]func(s *frontend.Seat) int{
		"%ntid":           func(s *frontend.Seat) int { return s.Tids },
		"%nctaid":         func(s *frontend.Seat) int { return s.Blocks() },
		"%nclusterid":     func(s *frontend.Seat) int { return s.Clusters },
		"%cluster_nctaid": func(s *frontend.Seat) int { return s.Ranks },
	}
)

// special returns the value of a special register, and false if name is not a special register.
func special(s *frontend.Seat, name string) (int64, bool) {
	if value := specials[name]; value != nil {
		return int64(int32(value(s))), true
	}
	name, dimension, _ := strings.Cut(name, ".")
	value, along := numbers[name], 0
	if value == nil {
		value, along = extents[name], 1
	}
	switch {
	case value == nil || len(dimension) != 1 || !strings.Contains("xyzw", dimension):
		return 0, false
	case dimension == "w":
		return 0, true
	case dimension != "x":
		return int64(along), true
	}
	return int64(value(s)), true
}

// unmodelled returns the message that litmus tests do not have a special register of PTX, or "" for
// other names.
func unmodelled(name string) string {
	if _, ok := isa.FindSpecial(name); !ok {
		return ""
	}
	return "it is a special register of PTX that litmus tests do not have: set a register in the initial state instead"
}

// specialNames lists the special registers, sorted.
func specialNames() (names []string) {
	for name := range specials {
		names = append(names, name)
	}
	for _, table := range []map[string]func(*frontend.Seat) int{numbers, extents} {
		for name := range table {
			for _, dimension := range "xyz" {
				names = append(names, fmt.Sprintf("%s.%c", name, dimension))
			}
		}
	}
	slices.Sort(names)
	return names
}
