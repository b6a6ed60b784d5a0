package ptx

// BarrierOperands are the operands that say at which barrier of its CTA a thread arrives. An
// operand that the instruction omits is nil.
type BarrierOperands struct {
	Instance *Operand // of bar.cta.sync and its kin
	Name     *Operand
	Count    *Operand // of threads
	Unit     int      // what Count counts for a thread of the test, which may stand for its warp
}

// BarrierOperands returns the operands of a barrier.
func (in *Instr) BarrierOperands() BarrierOperands {
	o := BarrierOperands{Name: in.barrierName(), Count: in.barrierCount(), Unit: warpSize}
	if in.numbersInstances() {
		o.Instance, o.Unit = &in.Srcs[0], 1
	}
	return o
}
