package ptx

import (
	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend/path"
	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// Atomics of vectors and of packed types are atomics of each number, in no order (PTX ISA, "Memory
// Consistency Model", "Vector Data-types", "Packed Data-types"): atom.add.noftz.f16x2 is a pair of
// atomics of 16 bits. A location has 32 bits, so that of a pair each is an atomic of the location
// that changes 16 of its bits. Accesses of all 32 bits overlap them in part (PACKED).

// halfBits is the size of each of two values that share a location.
const halfBits = 16

// share is one of the numbers that an atomic changes.
type share struct {
	register int   // which of the sources and destinations it is in
	shift    int   // its first bit in the register
	offset   int64 // of its location from the address, in bytes
	at       int   // its first bit in the location
	t        Type
}

// numbers lists what an atomic of a vector or a packed type changes; it is nil for any other
// instruction.
func (in *Instr) numbers() (all []share) {
	if in.Op.Class() != isa.ClassAtomic || in.Op.Vector == 0 && in.Op.Type(0).Elements() < 2 {
		return nil
	}
	each := Type{Bits: in.Op.Type(0).Bits / in.Op.Type(0).Elements()}
	for register := range max(1, in.Op.Vector) {
		for shift := 0; shift < in.Op.Type(0).Bits; shift += each.Bits {
			bit := len(all) * each.Bits
			all = append(all, share{register, shift, int64(bit / (8 * event.ElemSize) * event.ElemSize), bit % (8 * event.ElemSize), each})
		}
	}
	return all
}

// Floating reports whether the instruction is an atomic on floating-point numbers.
func (in *Instr) Floating() bool {
	return in.Op.Class() == isa.ClassAtomic && in.Op.Type(0).Kind == isa.Floating
}

// bytes returns the size of a vector access. Its address is a multiple of the size.
func (in *Instr) bytes() int64 {
	if in.Op.Class() == isa.ClassAtomic {
		return int64(max(1, in.Op.Vector) * in.Op.Type(0).Bits / 8)
	}
	return int64(in.Op.Vector) * event.ElemSize
}

// update returns the operation that an atomic applies to each of its numbers, and the type of a
// number.
func (in *Instr) update() (arith.Op, Type) {
	if in.Op.Type(0).Kind == isa.Floating {
		op, t, _ := in.Op.ElementOp()
		return op, t
	}
	op, _ := in.Op.Update.Op()
	return op, in.Type(0)
}

// tuple executes an atomic of several numbers.
func (w *walk) tuple(in *Instr, all []share) error {
	first, at, err := w.access(in)
	if err != nil {
		return err
	}
	args, err := w.Sources(in)
	if err != nil {
		return err
	}
	w.vectors++
	first.Vector, first.Atomic = w.vectors, true
	if in.Dst == nil {
		first.Tags |= noReturn
	}
	found := make([]path.Held, max(1, in.Op.Vector))
	for i := range all {
		first.Part = i + 1
		if err := w.part(in, &all[i], first, at, args[all[i].register], &found[all[i].register]); err != nil {
			return err
		}
	}
	for i, d := range in.sets() {
		if err := w.set(&d, found[i].Value, in.Type(0), found[i].From); err != nil {
			return err
		}
	}
	return nil
}

// part executes the atomic of one number, and adds the old number to the value of a register.
func (w *walk) part(in *Instr, n *share, e event.Event, at, by path.Held, found *path.Held) error {
	var err error
	if n.offset != 0 {
		if at.Value, err = w.apply(in, arith.Add, arith.U64, at.Value, event.Const(event.Int(n.offset))); err != nil {
			return err
		}
	}
	if c, known := at.Value.(event.Const); known {
		if _, err = w.regionOf(in.Addr, event.Value(c)); err != nil {
			return err
		}
	}
	e.Tags |= n.tag()
	write := e
	e.Order, write.Order = e.Order.OfRmw()
	read := w.Read(e, at)
	b := &words{walk: w, in: in}
	op, t := in.update()
	data := path.Held{
		Value: b.updated(n, op, t, read.Value, b.cut(by.Value, n.shift, n.t.Bits)),
		From:  by.From.Union(read.From),
	}
	if found.Value == nil {
		found.Value = event.Const(event.Int(0))
	}
	found.Value = b.do(arith.Wrap, in.Type(0), b.put(b.cut(read.Value, n.at, n.t.Bits), n.shift, n.t.Bits, found.Value))
	found.From = found.From.Union(read.From)
	if b.err != nil {
		return b.err
	}
	w.Rmw(read, write, at, data, nil)
	return nil
}

// tag marks the events of a number that shares its location with another.
func (n *share) tag() event.Tags {
	if n.t.Bits == halfBits {
		return packed
	}
	return 0
}

// words computes with parts of words, until something goes wrong.
type words struct {
	*walk
	in  *Instr
	err error
}

func (b *words) do(op arith.Op, t Type, args ...event.Expr) (v event.Expr) {
	if b.err == nil {
		v, b.err = b.apply(b.in, op, t, args...)
	}
	return v
}

// wordBits is the size, in bits, of a location that has parts for atomics.
const wordBits = 8 * event.ElemSize

func (b *words) number(i int64) event.Expr { return event.Const(event.Int(i)) }

// cut returns n bits of a word, from one on.
func (b *words) cut(v event.Expr, at, n int) event.Expr {
	if n >= wordBits {
		return v
	}
	return b.do(arith.And, arith.U32, b.do(arith.Shr, arith.U32, v, b.number(int64(at))), b.number(1<<n-1))
}

// put returns a word in which n bits from one on are those of a value.
func (b *words) put(v event.Expr, at, n int, word event.Expr) event.Expr {
	if n >= wordBits {
		return v
	}
	mask := int64(1<<n-1) << at
	moved := b.do(arith.Shl, arith.U32, b.do(arith.And, arith.U32, v, b.number(mask>>at)), b.number(int64(at)))
	return b.do(arith.Or, arith.U32, moved, b.do(arith.And, arith.U32, word, b.number(^mask)))
}

// updated returns the word of a number after an operation on it.
func (b *words) updated(n *share, op arith.Op, t Type, word, by event.Expr) event.Expr {
	return b.do(arith.Wrap, arith.U32, b.put(b.do(op, t, b.cut(word, n.at, n.t.Bits), by), n.at, n.t.Bits, word))
}

// checkFloats checks what the manual asks of atomics of floating-point numbers (PTX ISA, "atom",
// "red").
func checkFloats(in *Instr) *src.Diagnostic {
	if in.Op.Class() != isa.ClassAtomic {
		return nil
	}
	typ := in.Op.Type(0)
	small := typ.Kind == isa.Floating && typ.Bits/typ.Elements() == halfBits
	vector, at := in.modifier(isa.VectorMod), in.modifier(isa.TypeMod)
	switch {
	case in.modifier(isa.FtzMod).Valid() && !small:
		return src.Errorf(in.modifier(isa.FtzMod), "only atomics of .f16, .bf16 and pairs of these have .noftz")
	case small && !in.modifier(isa.FtzMod).Valid():
		return src.Errorf(at, "PTX has no %s", in.Opcode).WithHint("write %s.%s.noftz%s", in.name, in.Op.Update, at.Text())
	case (in.Op.Update == isa.UpdateMin || in.Op.Update == isa.UpdateMax) && typ.Kind == isa.Floating && !(small && vector.Valid()):
		return src.Errorf(at, "PTX has no %s", in.Opcode).WithHint("of floating-point numbers, .min and .max take vectors of .f16, .bf16, .f16x2 and .bf16x2")
	case !vector.Valid():
		return nil
	case typ.Kind != isa.Floating || typ.Bits == 64 || in.Op.Vector*typ.Bits/8 > 16:
		return src.Errorf(vector, "PTX has no %s", in.Opcode).WithHint("vectors of atomics are .v2 and .v4 of .f32, .f16x2 and .bf16x2, .v2, .v4 and .v8 of .f16 and .bf16, of at most 16 bytes")
	}
	return nil
}
