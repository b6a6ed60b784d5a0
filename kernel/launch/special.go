package launch

import (
	"strings"

	"github.com/muster-gpu/muster/kernel"
	"github.com/muster-gpu/muster/ptx/isa"
)

// special returns the value of a special register.
func (m *machine) special(t *thread, o *kernel.Operand) (int64, error) {
	name, axis, vector := strings.Cut(o.Name, ".")
	if vector {
		if value, ok := m.place3(t, name); ok {
			return value.axis(axis), nil
		}
	}
	if mask, ok := strings.CutPrefix(name, "%lanemask_"); ok {
		return laneMask(mask, t.index%warpSize), nil
	}
	cluster, within := m.clusterOf(t)
	switch name {
	case "%laneid":
		return int64(t.index % warpSize), nil
	case "%warpid":
		return int64(t.index / warpSize), nil
	case "%nwarpid":
		return int64((len(t.threads) + warpSize - 1) / warpSize), nil
	case "%smid": // each block runs on a multiprocessor of its own
		return int64(m.launch.Grid.Index(t.block.at)), nil
	case "%nsmid":
		return int64(m.launch.Grid.Count()), nil
	case "%cluster_ctarank":
		return int64(cluster.Index(within)), nil
	case "%cluster_nctarank":
		return int64(cluster.Count()), nil
	case "%is_explicit_cluster":
		if m.report.Kernel.Launch.Cluster == [3]int{} {
			return 0, nil
		}
		return 1, nil
	case "%dynamic_smem_size":
		return int64(m.launch.Dynamic), nil
	case "%clock", "%clock64", "%globaltimer", "%globaltimer_lo":
		return int64(m.report.Steps), nil
	case "%clock_hi", "%globaltimer_hi":
		return 0, nil
	}
	return 0, refuse(o.At, "%s is not modelled", o.Name)
}

// place3 returns the value of a three-dimensional special register.
func (m *machine) place3(t *thread, name string) (d Dim, ok bool) {
	l := &m.launch
	cluster, within := m.clusterOf(t)
	switch name {
	case "%tid":
		return t.at, true
	case "%ctaid":
		return t.block.at, true
	case "%ntid":
		return l.Block.full(), true
	case "%nctaid":
		return l.Grid.full(), true
	case "%cluster_ctaid":
		return within, true
	case "%cluster_nctaid":
		return cluster, true
	case "%clusterid":
		return t.block.at.by(cluster, func(a, b int) int { return a / b }), true
	case "%nclusterid":
		return l.Grid.full().by(cluster, func(a, b int) int { return a / b }), true
	}
	return Dim{}, false
}

// clusterOf returns the extent of clusters, one block if the kernel gives none, and the coordinates
// of a thread's block in its cluster (PTX ISA, ".reqnctapercluster").
func (m *machine) clusterOf(t *thread) (cluster, within Dim) {
	size := m.report.Kernel.Launch.Cluster
	cluster = Dim{size[0], size[1], size[2]}.full()
	return cluster, t.block.at.by(cluster, func(a, b int) int { return a % b })
}

func (d Dim) by(other Dim, f func(a, b int) int) Dim {
	return Dim{f(d.X, other.X), f(d.Y, other.Y), f(d.Z, other.Z)}
}

// laneMask returns the mask of the lanes that compare like that to a lane (PTX ISA, "%lanemask_eq"
// and the following).
func laneMask(compare string, lane int) int64 {
	switch compare {
	case "eq":
		return 1 << lane
	case "lt":
		return 1<<lane - 1
	case "le":
		return 2<<lane - 1
	case "gt":
		return 1<<32 - 2<<lane
	}
	return 1<<32 - 1<<lane // ge
}

// axis returns the extent along an axis. Along w it is 0 (PTX ISA, "%tid").
func (d Dim) axis(name string) int64 {
	switch name {
	case "x":
		return int64(d.X)
	case "y":
		return int64(d.Y)
	case "z":
		return int64(d.Z)
	}
	return 0
}

// warpSize is the number of threads of a warp.
const warpSize = isa.WarpSize
