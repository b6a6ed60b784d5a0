package isa_test

import (
	"fmt"
	"math/big"
	"math/bits"
	"strings"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/ptx/isa"
)

// The instructions once more, as the manual words them, on Go's numbers. Operands are unsigned
// numbers of as many bits as their types have.

// opcodes lists the instructions with all their types and the modifiers that change what they
// compute.
func opcodes() (all []string) {
	for _, row := range strings.Split(strings.TrimSpace(forms), "\n") {
		names, types, _ := strings.Cut(strings.TrimSpace(row), ": ")
		for name := range strings.FieldsSeq(names) {
			for typ := range strings.FieldsSeq(types) {
				all = append(all, name+"."+typ)
			}
		}
	}
	return append(all, conversions()...)
}

const forms = `
add sub: u16 s16 u32 s32 u64 s64
add.cc sub.cc addc addc.cc subc subc.cc: u32 s32 u64 s64
add.sat sub.sat mad.hi.sat mad24.hi.sat: s32
mul.lo mul.hi mad.lo mad.hi div rem min max sad: u16 s16 u32 s32 u64 s64
mad.lo.cc mad.hi.cc madc.lo madc.hi madc.lo.cc madc.hi.cc: u32 s32 u64 s64
mul.wide mad.wide: u16 s16 u32 s32
mul24.lo mul24.hi mad24.lo mad24.hi: u32 s32
dp4a.u32 dp4a.s32 dp2a.lo.u32 dp2a.hi.u32 dp2a.lo.s32 dp2a.hi.s32: u32 s32
abs neg: s16 s32 s64
and or xor not: pred b16 b32 b64
cnot: b16 b32 b64
lop3 fns shf.l.clamp shf.l.wrap shf.r.clamp shf.r.wrap bmsk.clamp bmsk.wrap: b32
prmt prmt.f4e prmt.b4e prmt.rc8 prmt.ecl prmt.ecr prmt.rc16: b32
shl: b16 b32 b64
shr: b16 b32 b64 u16 u32 u64 s16 s32 s64
bfe bfind bfind.shiftamt: u32 s32 u64 s64
bfi brev clz popc: b32 b64
szext.clamp szext.wrap: u32 s32
setp.eq setp.ne setp.lt setp.le setp.gt setp.ge setp.lt.and setp.ge.or setp.eq.xor: u16 s16 u32 s32 u64 s64
setp.lo setp.ls setp.hi setp.hs: u16 u32 u64
set.eq.u32 set.lt.s32 set.gt.or.u32 set.ge.f32: u16 s16 u32 s32 u64 s64
selp mov: b16 u16 s16 b32 u32 s32 b64 u64 s64 f32 f64
slct.u16 slct.s32 slct.b64 slct.f32: s32
mov: pred
cvta cvta.to.global cvta.shared: u64
atom.add red.sub atom.min atom.max atom.exch atom.cas: u32 s32 u64 s64
atom.and red.or atom.xor atom.global.cas atom.acquire.gpu.shared.exch.L2::cache_hint: b32 b64
atom.inc red.dec: u32
`

func conversions() (all []string) {
	names := strings.Fields("u8 s8 u16 s16 u32 s32 u64 s64")
	for _, to := range names {
		for _, from := range names {
			all = append(all, fmt.Sprintf("cvt.%s.%s", to, from), fmt.Sprintf("cvt.sat.%s.%s", to, from))
		}
	}
	return all
}

// number returns what the bits of an operand stand for.
func number(t arith.Type, x uint64) *big.Int {
	n := new(big.Int).SetUint64(x)
	if t.Signed && x>>(t.Bits-1)&1 == 1 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(t.Bits)))
	}
	return n
}

// low returns the low 64 bits of a number.
func low(n *big.Int) uint64 {
	return new(big.Int).And(n, new(big.Int).SetUint64(^uint64(0))).Uint64()
}

// clamped returns a number in the range of a type.
func clamped(t arith.Type, n *big.Int) *big.Int {
	least, end := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(t.Bits))
	if t.Signed {
		end.Rsh(end, 1)
		least.Neg(end)
	}
	switch most := end.Sub(end, big.NewInt(1)); {
	case n.Cmp(least) < 0:
		return least
	case n.Cmp(most) > 0:
		return most
	}
	return n
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// meaning returns what an instruction computes.
func meaning(in *isa.Opcode, x []uint64) []uint64 {
	t := in.Type(0).Int()
	n := make([]*big.Int, len(x))
	for i := range x {
		n[i] = number(t, x[i])
	}
	switch in.Code {
	case isa.Add, isa.Addc, isa.Sub, isa.Subc:
		return withCarry(in, t, in.Code == isa.Sub || in.Code == isa.Subc, x[0], x[1], x[2:])
	case isa.Mul, isa.Mul24:
		return []uint64{low(half(in, t, x[0], x[1]))}
	case isa.Mad, isa.Madc, isa.Mad24:
		if in.Half == isa.Wide {
			t.Bits *= 2
		}
		p := low(half(in, in.Type(0).Int(), x[0], x[1])) << (64 - t.Bits) >> (64 - t.Bits)
		return withCarry(in, t, false, p, x[2], x[3:])
	case isa.Dp4a:
		return []uint64{products(in, 8, 0, x)}
	case isa.Dp2a:
		return []uint64{products(in, 16, map[isa.Half]uint64{isa.High: 16}[in.Half], x)}
	case isa.Setp, isa.Set:
		return comparison(in, x)
	case isa.Cvt:
		v := number(in.Type(1).Int(), x[0])
		if in.Saturate {
			v = clamped(t, v)
		}
		return []uint64{low(v)}
	case isa.Atom, isa.Red:
		return []uint64{written(in.Update, n)}
	}
	if f := simple[in.Code]; f != nil {
		return []uint64{low(f(n))}
	}
	return []uint64{onBits(in, t, x)}
}

// simple are the instructions that are plain mathematics.
var simple = map[isa.Code]func(n []*big.Int) *big.Int{
	isa.Div:  func(n []*big.Int) *big.Int { return new(big.Int).Quo(n[0], n[1]) },
	isa.Rem:  func(n []*big.Int) *big.Int { return new(big.Int).Rem(n[0], n[1]) },
	isa.Min:  func(n []*big.Int) *big.Int { return smaller(n[0], n[1]) },
	isa.Max:  func(n []*big.Int) *big.Int { return larger(n[0], n[1]) },
	isa.Abs:  func(n []*big.Int) *big.Int { return new(big.Int).Abs(n[0]) },
	isa.Neg:  func(n []*big.Int) *big.Int { return new(big.Int).Neg(n[0]) },
	isa.And:  func(n []*big.Int) *big.Int { return new(big.Int).And(n[0], n[1]) },
	isa.Or:   func(n []*big.Int) *big.Int { return new(big.Int).Or(n[0], n[1]) },
	isa.Xor:  func(n []*big.Int) *big.Int { return new(big.Int).Xor(n[0], n[1]) },
	isa.Not:  func(n []*big.Int) *big.Int { return new(big.Int).Not(n[0]) },
	isa.Mov:  func(n []*big.Int) *big.Int { return n[0] },
	isa.Cvta: func(n []*big.Int) *big.Int { return n[0] },
	isa.Sad: func(n []*big.Int) *big.Int {
		d := new(big.Int).Sub(n[0], n[1])
		return d.Add(d.Abs(d), n[2])
	},
}

func smaller(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

func larger(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

// half returns what an instruction takes of a product.
func half(in *isa.Opcode, t arith.Type, x, y uint64) *big.Int {
	if in.Code == isa.Mul24 || in.Code == isa.Mad24 {
		t24 := arith.Type{Signed: t.Signed, Bits: 24}
		p := new(big.Int).Mul(number(t24, x&0xffffff), number(t24, y&0xffffff))
		if in.Half == isa.High {
			p.Rsh(p, 16)
		}
		return p
	}
	p := new(big.Int).Mul(number(t, x), number(t, y))
	if in.Half == isa.High {
		p.Rsh(p, uint(t.Bits))
	}
	return p
}

// withCarry returns a sum or a difference, with the carry or the borrow.
func withCarry(in *isa.Opcode, t arith.Type, subtract bool, x, y uint64, carry []uint64) []uint64 {
	c := uint64(0)
	if len(carry) > 0 {
		c = carry[0]
	}
	add := func(a, b *big.Int) *big.Int {
		if subtract {
			return new(big.Int).Sub(a, b)
		}
		return new(big.Int).Add(a, b)
	}
	if in.Saturate {
		return []uint64{low(clamped(t, add(number(t, x), number(t, y))))}
	}
	u := arith.Type{Bits: t.Bits}
	sum := add(add(number(u, x), number(u, y)), new(big.Int).SetUint64(c))
	if !in.SetsCarry {
		return []uint64{low(sum)}
	}
	return []uint64{low(sum), flag(sum.Sign() < 0 || sum.BitLen() > t.Bits)}
}

func comparison(in *isa.Opcode, x []uint64) []uint64 {
	t := in.Types[len(in.Types)-1].Int()
	c := number(t, x[0]).Cmp(number(t, x[1]))
	holds := map[isa.Comparison]bool{
		isa.Eq: c == 0, isa.Ne: c != 0, isa.Lt: c < 0, isa.Le: c <= 0, isa.Gt: c > 0, isa.Ge: c >= 0,
	}[in.Cmp]
	result := func(p bool) uint64 {
		switch in.Combine {
		case isa.UpdateAnd:
			p = p && x[2] == 1
		case isa.UpdateOr:
			p = p || x[2] == 1
		case isa.UpdateXor:
			p = p != (x[2] == 1)
		}
		return flag(p)
	}
	switch {
	case in.Code == isa.Setp:
		return []uint64{result(holds), result(!holds)}
	case in.Types[0].Kind == isa.Floating:
		return []uint64{result(holds) * 0x3f800000} // 1.0
	}
	return []uint64{-result(holds)}
}

// written returns what an atomic writes.
func written(u isa.Update, n []*big.Int) uint64 {
	old, x := n[0], n[1]
	switch u {
	case isa.UpdateExch:
		return low(x)
	case isa.UpdateCas:
		if old.Cmp(x) == 0 {
			return low(n[2])
		}
		return low(old)
	case isa.UpdateInc:
		if old.Cmp(x) >= 0 {
			return 0
		}
		return low(old) + 1
	case isa.UpdateDec:
		if old.Sign() == 0 || old.Cmp(x) > 0 {
			return low(x)
		}
		return low(old) - 1
	}
	code := map[isa.Update]isa.Code{
		isa.UpdateAnd: isa.And, isa.UpdateOr: isa.Or, isa.UpdateXor: isa.Xor, isa.UpdateMin: isa.Min, isa.UpdateMax: isa.Max,
	}[u]
	switch u {
	case isa.UpdateAdd:
		return low(new(big.Int).Add(old, x))
	case isa.UpdateSub:
		return low(new(big.Int).Sub(old, x))
	}
	return low(simple[code](n))
}

// onBits returns what an instruction does that the manual defines bit by bit.
func onBits(in *isa.Opcode, t arith.Type, x []uint64) (d uint64) {
	width := uint64(t.Bits)
	bit := func(v, i uint64) uint64 { return v >> i & 1 }
	most := func(n, bound uint64) uint64 { // a count of bmsk, szext and shf
		if in.Clamp {
			return min(n, bound)
		}
		return n & 31
	}
	switch in.Code {
	case isa.Cnot:
		return flag(x[0] == 0)
	case isa.Lop3:
		for i := range width {
			row := 4*bit(x[0], i) + 2*bit(x[1], i) + bit(x[2], i)
			d |= bit(uint64(in.Table), row) << i
		}
	case isa.Shl:
		return x[0] << min(x[1], width)
	case isa.Shr:
		return low(new(big.Int).Rsh(number(t, x[0]), uint(min(x[1], width))))
	case isa.Shf:
		both, n := x[1]<<32|x[0], most(x[2], 32)
		if in.Left {
			return both << n >> 32
		}
		return both >> n
	case isa.Prmt:
		return permuted(in, x)
	case isa.Bfe:
		return extracted(t, x[0], x[1]&255, x[2]&255)
	case isa.Bfi:
		d = x[1]
		for i := range x[3] & 255 {
			if at := x[2]&255 + i; at < width {
				d = d&^(1<<at) | bit(x[0], i%64)<<at
			}
		}
	case isa.Bfind:
		return found(in, t, x[0])
	case isa.Brev:
		return bits.Reverse64(x[0]) >> (64 - width)
	case isa.Clz:
		return uint64(bits.LeadingZeros64(x[0])) - (64 - width)
	case isa.Popc:
		return uint64(bits.OnesCount64(x[0]))
	case isa.Fns:
		return nthSet(uint32(x[0]), int64(x[1]), int32(x[2]))
	case isa.Bmsk:
		return (1<<most(x[1], 32) - 1) << most(x[0], 32)
	case isa.Szext:
		return extracted(t, x[0], 0, most(x[1], 32))
	case isa.Selp:
		if x[2] == 0 {
			return x[1]
		}
		return x[0]
	case isa.Slct:
		if number(in.Types[1].Int(), x[2]).Sign() < 0 {
			return x[1]
		}
		return x[0]
	}
	return d
}

// extracted is bfe, as the manual's loop has it.
func extracted(t arith.Type, a, pos, length uint64) (d uint64) {
	msb := uint64(t.Bits - 1)
	sign := uint64(0)
	if t.Signed && length > 0 {
		sign = a >> min(pos+length-1, msb) & 1
	}
	for i := range msb + 1 {
		b := sign
		if i < length && pos+i <= msb {
			b = a >> (pos + i) & 1
		}
		d |= b << i
	}
	return d
}

// found is bfind.
func found(in *isa.Opcode, t arith.Type, a uint64) uint64 {
	sign := uint64(0)
	if t.Signed {
		sign = a >> (t.Bits - 1) & 1
	}
	for i := t.Bits - 1; i >= 0; i-- {
		if a>>i&1 != sign {
			if in.Amount {
				return uint64(t.Bits - 1 - i)
			}
			return uint64(i)
		}
	}
	return 0xffffffff
}

// nthSet is fns, as the manual's loop has it.
func nthSet(mask uint32, base int64, offset int32) uint64 {
	set := func(at int64) bool { return at < 32 && mask>>at&1 == 1 }
	if offset == 0 && set(base) {
		return uint64(base)
	}
	step, left := int64(1), int64(offset)
	if offset < 0 {
		step, left = -1, -left
	}
	for at := base; offset != 0 && 0 <= at && at < 32; at += step {
		if !set(at) {
			continue
		}
		if left--; left == 0 {
			return uint64(at)
		}
	}
	return 0xffffffff
}

// permuted is prmt. The tables of the manual list, for each mode and selector, the bytes from the
// highest to the lowest.
func permuted(in *isa.Opcode, x []uint64) (d uint64) {
	rows := map[string][4]string{
		"f4e": {"3210", "4321", "5432", "6543"}, "b4e": {"5670", "6701", "7012", "0123"}, "rc8": {"0000", "1111", "2222", "3333"},
		"ecl": {"3210", "3211", "3222", "3333"}, "ecr": {"0000", "1110", "2210", "3210"}, "rc16": {"1010", "3232", "1010", "3232"},
	}
	for i := range 4 {
		selector := x[2] >> (4 * i) & 15
		if in.Mode != "" {
			selector = uint64(rows[in.Mode][x[2]&3][3-i] - '0')
		}
		b := (x[1]<<32 | x[0]) >> (8 * (selector & 7)) & 255
		if selector&8 != 0 {
			b = b >> 7 * 255
		}
		d |= b << (8 * i)
	}
	return d
}

// products is c and the products of the parts of a and as many bytes of b from a bit on.
func products(in *isa.Opcode, width, from uint64, x []uint64) uint64 {
	sum := new(big.Int).SetUint64(x[2])
	for i := range 32 / width {
		a := number(arith.Type{Signed: in.Type(0).Int().Signed, Bits: int(width)}, x[0]>>(width*i)&(1<<width-1))
		b := number(arith.Type{Signed: in.Type(1).Int().Signed, Bits: 8}, x[1]>>(from+8*i)&255)
		sum.Add(sum, a.Mul(a, b))
	}
	return low(sum)
}
