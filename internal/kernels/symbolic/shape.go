package symbolic

import (
	"strings"

	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

// axes name the dimensions.
const axes = "xyz"

// shape makes the terms of the launch and of the place of the thread, where clusters have so many blocks in each dimension, if they have: a grid
// is divided into clusters.
func (m *machine) shape(cluster [3]int) {
	sh := &m.trace.Shape
	for i := range 3 {
		axis := "." + axes[i:i+1]
		sh.Threads[i] = m.size("ntid"+axis, m.config.Block[i], m.config.BlockLimit[i])
		sh.Blocks[i] = m.sizeBy(max(cluster[i], 1), "nctaid"+axis, m.config.Grid[i], m.config.GridLimit[i])
		sh.Thread[i] = m.index("tid"+axis, sh.Threads[i])
		sh.Block[i] = m.index("ctaid"+axis, sh.Blocks[i])
		for name, t := range map[string]*term.Term{
			"%tid": sh.Thread[i], "%ntid": sh.Threads[i], "%ctaid": sh.Block[i], "%nctaid": sh.Blocks[i],
		} {
			m.fixed[name+axis] = t
		}
	}
	sh.Linear = m.Add(sh.Thread[0], m.Mul(sh.Threads[0], m.Add(sh.Thread[1], m.Mul(sh.Threads[1], sh.Thread[2]))))
	m.trace.Fits = m.Bool(true)
	if most := m.config.Threads; most > 0 {
		m.trace.Fits = m.ULe(m.Mul(sh.Threads[0], m.Mul(sh.Threads[1], sh.Threads[2])), m.Const(uint64(most), 32))
	}
	m.fixed["%laneid"] = m.And(sh.Linear, m.Const(31, 32))
}

// lanes makes the masks of lanes (PTX ISA, "%lanemask_eq" and those after it).
func (m *machine) lanes() {
	own := m.Shl(m.Const(1, 32), m.lane())
	below := m.Sub(own, m.Const(1, 32))
	upTo := m.Or(own, below)
	for name, t := range map[string]*term.Term{"eq": own, "lt": below, "le": upTo, "gt": m.Not(upTo), "ge": m.Not(below)} {
		m.fixed["%lanemask_"+name] = t
	}
}

// cluster makes the place of the block in its cluster, and that of the cluster in the grid, where the kernel says how large clusters are:
// they divide the grid, block by block (PTX ISA, "%clusterid" and those after it; ".reqnctapercluster").
func (m *machine) cluster(size [3]int) {
	if size[0]*size[1]*size[2] <= 0 {
		return
	}
	sh := &m.trace.Shape
	rank, all := m.Const(0, 32), 1
	for i, n := range size {
		axis, blocks := "."+axes[i:i+1], m.Const(uint64(n), 32)
		within := m.URem(sh.Block[i], blocks)
		sh.Cluster[i] = m.UDiv(sh.Block[i], blocks)
		for name, t := range map[string]*term.Term{
			"%cluster_ctaid": within, "%cluster_nctaid": blocks,
			"%clusterid": sh.Cluster[i], "%nclusterid": m.UDiv(sh.Blocks[i], blocks),
		} {
			m.fixed[name+axis] = t
		}
		rank = m.Add(rank, m.Mul(m.Const(uint64(all), 32), within))
		all *= n
	}
	m.fixed["%cluster_ctarank"], m.fixed["%cluster_nctarank"] = rank, m.Const(uint64(all), 32)
}

// sizeBy is a size that is a multiple of a number.
func (m *machine) sizeBy(step int, name string, n, limit int) *term.Term {
	if n >= 0 {
		return m.size(name, n, limit)
	}
	return m.Mul(m.Const(uint64(step), 32), m.size(name, n, limit/step))
}

// size is a size of the launch: a number, or any up to a limit.
func (m *machine) size(name string, n, limit int) *term.Term {
	if n >= 0 {
		return m.Const(uint64(n), 32)
	}
	v := m.UpTo(name, uint64(limit-1))
	m.geometry[v] = true
	return m.Add(m.ZExt(v, 32), m.Const(1, 32)) // from 1 on
}

// index is a place in a size.
func (m *machine) index(name string, size *term.Term) *term.Term {
	_, most := size.Range()
	if most == 1 {
		return m.Const(0, 32)
	}
	v := m.UpTo(name, most-1)
	m.trace.Private[v], m.geometry[v] = true, true
	t := m.ZExt(v, 32)
	if less := m.ULt(t, size); !less.True() {
		m.trace.Geometry = append(m.trace.Geometry, less)
	}
	return t
}

// special returns what a special register holds, in its bits. Of most registers nothing is known but which reads return one value.
func (m *machine) special(name string) *term.Term {
	if strings.HasPrefix(name, "%lanemask_") {
		m.lanes()
	}
	if t := m.fixed[name]; t != nil {
		return t
	}
	register, _ := isa.FindSpecial(name)
	switch {
	case register.Vector && strings.HasSuffix(name, ".w"): // unused (PTX ISA, "%tid")
		return m.Const(0, register.Bits)
	case register.Sharing == isa.Volatile:
		v := m.fresh(name, register.Bits)
		if name == "%warpid" {
			m.warpID(v)
		}
		return v
	}
	v := m.Var(name, register.Bits)
	if register.Sharing != isa.PerLaunch {
		m.trace.Private[v] = true
	}
	m.fixed[name] = v
	return v
}

// warpID is where the warp runs at the moment. It may change as the thread runs, so that each read gets anything that there is, in each lane: which
// warp of the block it is, only %tid says (PTX ISA, "%warpid"). There may be more of them than the block has warps ("%nwarpid").
func (m *machine) warpID(v *term.Term) {
	if m.trace.WarpID == nil {
		set(m.rec, &m.trace.WarpID, m.at)
	}
	m.rec.Know(m.ULt(v, m.special("%nwarpid")))
}
