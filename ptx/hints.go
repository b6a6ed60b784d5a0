package ptx

import (
	"math"
	"math/bits"
	"slices"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// This file has hints to caches and to the machine, which change nothing that a thread could
// observe (PTX ISA, "Cache Eviction Priority Hints", "createpolicy", "setmaxnreg",
// "griddepcontrol").

// hintPages are the pages of such instructions that have suffixes of their own.
var hintPages = map[string]page{
	"createpolicy.fractional": {perform: (*walk).createPolicy},
	"createpolicy.range":      {perform: (*walk).createPolicy},
	"createpolicy.cvt.L2":     {perform: (*walk).createPolicy},
	"setmaxnreg":              {(*walk).ignore, checkRegisters},
	"elect.sync":              {perform: (*walk).elect},
	"griddepcontrol":          {perform: (*walk).ignore},
}

// policy is the value of a register that createpolicy sets: opaque like the state of an mbarrier,
// but different from each such state.
var policy = event.Value{Base: event.Opaque, Int: math.MinInt64 + 1}

// elect executes elect.sync: it elects the first lane of a mask among the threads of the test
// ("elect.sync": the same leader for the same mask). A thread that is alone in its warp elects
// itself and stands for the warp. The lanes meet at elect.sync, but that orders no memory accesses,
// so it makes no event.
func (w *walk) elect(in *Instr) error {
	mask, err := w.operand(in.source("mask"))
	if err != nil {
		return err
	}
	c, known := mask.Value.(event.Const)
	if !known || event.Value(c).IsAddress() || c.Int>>w.seat().Lane&1 == 0 {
		return src.Errorf(in.source("mask").At, "the mask of %s must be known, and have the bit of the thread's lane, %d", in.Opcode, w.seat().Lane).
			WithHint("0xffffffff is all threads of the warp")
	}
	leader := int64(bits.TrailingZeros64(uint64(c.Int)))
	for i := range in.More {
		if err := w.set(&in.More[i], event.Const(event.Int(leader)), arith.U32, mask.From); err != nil {
			return err
		}
	}
	if in.Dst == nil {
		return nil
	}
	return w.set(in.Dst, event.Const(event.Int(map[bool]int64{true: 1}[leader == int64(w.seat().Lane)])), arith.Bool, mask.From)
}

// createPolicy sets a register to a cache policy, which .L2::cache_hint takes and ignores.
func (w *walk) createPolicy(in *Instr) error {
	return w.set(in.Dst, event.Const(policy), arith.U64, nil)
}

// checkLaunches reports grids that wait for other grids of the test. In a test, no grid launches
// another.
func (b *builder) checkLaunches() {
	threads := b.prog.Threads
	if !slices.ContainsFunc(threads, func(t event.Thread) bool { return t.At[litmus.Kernel] != threads[0].At[litmus.Kernel] }) {
		return
	}
	for _, t := range b.prog.code {
		for _, in := range t.code {
			if in.Page() == "griddepcontrol" {
				b.diags.Errorf(in.At, "%s is between grids of which one is launched because of another: muster does not simulate that", in.Opcode).
					WithHint("in a test with one grid it does nothing")
			}
		}
	}
}

// checkRegisters checks a number of registers ("setmaxnreg").
func checkRegisters(in *Instr) *src.Diagnostic {
	if n := in.source("count"); n.Kind != Immediate || n.Int < 24 || n.Int > 256 || n.Int%8 != 0 {
		return src.Errorf(n.At, "a thread has a multiple of 8 registers: a constant from 24 to 256")
	}
	return nil
}
