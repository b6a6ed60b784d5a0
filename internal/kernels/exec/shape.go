package exec

import (
	"strings"

	"github.com/muster-gpu/muster/internal/kernels/trace"
	"github.com/muster-gpu/muster/internal/solver/term"
	"github.com/muster-gpu/muster/ptx/isa"
)

// position is the place of the thread in its launch.
type position struct {
	run      *run
	terms    *term.Builder
	fixed    map[string]*term.Term // special registers that do not change
	geometry map[*term.Term]bool   // the variables that sizes and places of the launch are made of
}

// axes name the dimensions.
const axes = "xyz"

// shape creates the terms of the launch and of the place of the thread. If cluster is known, the
// grid is divided into clusters of that size, in blocks.
func (m *position) shape(cluster [3]int) {
	b := m.terms
	sh := &m.run.rec.Trace.Shape
	for i := range 3 {
		axis := "." + axes[i:i+1]
		sh.Threads[i] = m.size("ntid"+axis, m.run.config.Launch.Block[i], m.run.config.Launch.BlockLimit[i])
		sh.Blocks[i] = m.sizeBy(max(cluster[i], 1), "nctaid"+axis, m.run.config.Launch.Grid[i], m.run.config.Launch.GridLimit[i])
		sh.Thread[i] = m.index("tid"+axis, sh.Threads[i])
		sh.Block[i] = m.index("ctaid"+axis, sh.Blocks[i])
		for name, t := range map[string]*term.Term{
			"%tid": sh.Thread[i], "%ntid": sh.Threads[i], "%ctaid": sh.Block[i], "%nctaid": sh.Blocks[i],
		} {
			m.fixed[name+axis] = t
		}
	}
	sh.Linear = b.Add(sh.Thread[0], b.Mul(sh.Threads[0], b.Add(sh.Thread[1], b.Mul(sh.Threads[1], sh.Thread[2]))))
	m.run.rec.Trace.Fits = b.Bool(true)
	if most := m.run.config.Launch.Threads; most > 0 {
		m.run.rec.Trace.Fits = b.ULe(b.Mul(sh.Threads[0], b.Mul(sh.Threads[1], sh.Threads[2])), b.Const(uint64(most), 32))
	}
	m.fixed["%laneid"] = b.And(sh.Linear, b.Const(31, 32))
}

// lanes creates the masks of lanes (PTX ISA, "%lanemask_eq" and those after it).
func (m *position) lanes() {
	b := m.terms
	own := b.Shl(b.Const(1, 32), m.lane())
	below := b.Sub(own, b.Const(1, 32))
	upTo := b.Or(own, below)
	for name, t := range map[string]*term.Term{"eq": own, "lt": below, "le": upTo, "gt": b.Not(upTo), "ge": b.Not(below)} {
		m.fixed["%lanemask_"+name] = t
	}
}

// cluster defines the place of the block in its cluster and of the cluster in the grid, if the
// kernel gives the size of clusters: they divide the grid, block by block (PTX ISA, "%clusterid"
// and those after it; ".reqnctapercluster").
func (m *position) cluster(size [3]int) {
	b := m.terms
	if size[0]*size[1]*size[2] <= 0 {
		return
	}
	sh := &m.run.rec.Trace.Shape
	rank, all := b.Const(0, 32), 1
	for i, n := range size {
		axis, blocks := "."+axes[i:i+1], b.Const(uint64(n), 32)
		within := b.URem(sh.Block[i], blocks)
		sh.Cluster[i] = b.UDiv(sh.Block[i], blocks)
		for name, t := range map[string]*term.Term{
			"%cluster_ctaid": within, "%cluster_nctaid": blocks,
			"%clusterid": sh.Cluster[i], "%nclusterid": b.UDiv(sh.Blocks[i], blocks),
		} {
			m.fixed[name+axis] = t
		}
		rank = b.Add(rank, b.Mul(b.Const(uint64(all), 32), within))
		all *= n
	}
	m.fixed["%cluster_ctarank"], m.fixed["%cluster_nctarank"] = rank, b.Const(uint64(all), 32)
}

// sizeBy returns a size that is a multiple of a number.
func (m *position) sizeBy(step int, name string, n, limit int) *term.Term {
	if n >= 0 {
		return m.size(name, n, limit)
	}
	return m.terms.Mul(m.terms.Const(uint64(step), 32), m.size(name, n, limit/step))
}

// size returns a size of the launch: a number, or any up to a limit.
func (m *position) size(name string, n, limit int) *term.Term {
	b := m.terms
	if n >= 0 {
		return b.Const(uint64(n), 32)
	}
	v := b.UpTo(name, uint64(limit-1))
	m.geometry[v] = true
	return b.Add(b.ZExt(v, 32), b.Const(1, 32)) // from 1 on
}

// index returns a place in a size.
func (m *position) index(name string, size *term.Term) *term.Term {
	b := m.terms
	_, most := size.Range()
	if most == 1 {
		return b.Const(0, 32)
	}
	v := b.UpTo(name, most-1)
	m.run.rec.Trace.Private[v], m.geometry[v] = true, true
	t := b.ZExt(v, 32)
	if less := b.ULt(t, size); !less.True() {
		m.run.rec.Trace.Geometry = append(m.run.rec.Trace.Geometry, less)
	}
	return t
}

// special returns the value of a special register, in its bits. Of most registers, only which reads
// return the same value is known.
func (m *position) special(name string) *term.Term {
	if strings.HasPrefix(name, "%lanemask_") {
		m.lanes()
	}
	if t := m.fixed[name]; t != nil {
		return t
	}
	register, _ := isa.FindSpecial(name)
	switch {
	case register.Vector && strings.HasSuffix(name, ".w"): // unused (PTX ISA, "%tid")
		return m.terms.Const(0, register.Bits)
	case register.Sharing == isa.Volatile:
		v := m.run.fresh(name, register.Bits)
		if name == "%warpid" {
			m.warpID(v)
		}
		return v
	}
	v := m.terms.Var(name, register.Bits)
	if register.Sharing != isa.PerLaunch {
		m.run.rec.Trace.Private[v] = true
	}
	m.fixed[name] = v
	return v
}

// warpID is the place where the warp runs at the moment. It may change as the thread runs, so each
// read in each lane returns any possible value. The warp's number in the block follows only from
// %tid (PTX ISA, "%warpid"). There may be more of these places than the block has warps
// ("%nwarpid").
func (m *position) warpID(v *term.Term) {
	if m.run.rec.Trace.WarpID == nil {
		trace.Set(m.run.rec, &m.run.rec.Trace.WarpID, m.run.at)
	}
	m.run.rec.Know(m.terms.ULt(v, m.special("%nwarpid")))
}
