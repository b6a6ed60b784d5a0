package isa

import (
	"strconv"
	"strings"
)

// WarpSize is the number of threads in a warp, WARP_SZ in PTX (PTX ISA, "Predefined Constants").
const WarpSize = 32

// Constants are the predefined names of numbers (PTX ISA, "Predefined Identifiers").
var Constants = map[string]uint64{"WARP_SZ": WarpSize}

// Sharing is the set of reads of a special register that return the same value.
type Sharing uint8

// The kinds of sharing. A register that is Volatile may return another value each time.
const (
	Volatile  Sharing = iota
	PerThread         // all reads of one thread
	PerBlock          // all reads of the threads of a block
	PerLaunch         // all reads of a launch
)

// Special is a special register.
type Special struct {
	Bits    int // 1 for a predicate
	Vector  bool
	Sharing Sharing
}

// specials are the special registers (PTX ISA 9.5, "Special Registers").
var specials = map[string]Special{}

func init() {
	for _, row := range []struct {
		names string
		Special
	}{
		{"tid", Special{32, true, PerThread}},
		{"ctaid clusterid cluster_ctaid", Special{32, true, PerBlock}},
		{"ntid nctaid nclusterid cluster_nctaid", Special{32, true, PerLaunch}},
		{"laneid lanemask_eq lanemask_le lanemask_lt lanemask_ge lanemask_gt", Special{32, false, PerThread}},
		{"cluster_ctarank", Special{32, false, PerBlock}},
		{"cluster_nctarank nwarpid nsmid", Special{32, false, PerLaunch}},
		{"is_explicit_cluster", Special{1, false, PerLaunch}},
		{"gridid current_graph_exec", Special{64, false, PerLaunch}},
		{"dynamic_smem_size total_smem_size aggr_smem_size", Special{32, false, PerLaunch}},
		{"reserved_smem_offset_begin reserved_smem_offset_end reserved_smem_offset_cap", Special{32, false, PerLaunch}},
		{"warpid smid clock clock_hi globaltimer_lo globaltimer_hi", Special{32, false, Volatile}},
		{"locality_domain_id locality_domain_supplemental_sm", Special{32, false, Volatile}},
		{"clock64 globaltimer", Special{64, false, Volatile}},
	} {
		for name := range strings.FieldsSeq(row.names) {
			specials["%"+name] = row.Special
		}
	}
}

// families are the numbered special registers. bound is the number after the last one. The manual
// has two offsets of reserved memory; the bound leaves room for more.
var families = []struct {
	prefix, suffix string
	bound          int
	Special
}{
	{"%envreg", "", 32, Special{32, false, PerLaunch}},
	{"%pm", "", 8, Special{32, false, Volatile}},
	{"%pm", "_64", 8, Special{64, false, Volatile}},
	{"%reserved_smem_offset_", "", 16, Special{32, false, PerLaunch}},
}

// FindSpecial returns the special register with a name, and reports whether there is one. Names are
// "%laneid", "%envreg7", "%tid.x", or "%tid" for all components.
func FindSpecial(name string) (Special, bool) {
	whole, component, part := strings.Cut(name, ".")
	s, ok := specials[whole]
	if ok {
		return s, !part || s.Vector && len(component) == 1 && strings.Contains("xyzw", component)
	}
	for _, f := range families {
		digits, ok := strings.CutPrefix(name, f.prefix)
		if ok {
			digits, ok = strings.CutSuffix(digits, f.suffix)
		}
		if n, err := strconv.Atoi(digits); ok && err == nil && n < f.bound && digits == strconv.Itoa(n) {
			return f.Special, true
		}
	}
	return Special{}, false
}

// Specials lists the names of the special registers that have no number, without their components.
func Specials() (names []string) {
	for name := range specials {
		names = append(names, name)
	}
	return names
}
