package ptx

import (
	"fmt"
	"math/big"
	"math/bits"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/event"
)

// scopedResult runs one instruction of a PTX test on constants and returns what r0 holds. The
// operands of the text are A, B, C and D.
func scopedResult(t *testing.T, format string, operands ...string) int64 {
	t.Helper()
	names := []string{"A", "B", "C", "D"}
	var replacements []string
	for i, o := range operands {
		replacements = append(replacements, names[i], o)
	}
	code := strings.NewReplacer(replacements...).Replace(format)
	p := load(t, "PTX test\n{}\nP0 ;\n"+code+" ;\nforall (true)")
	c, ok := p.Paths[0][0].Finals["r0"].(event.Const)
	if !ok {
		t.Fatalf("%s is no constant", code)
	}
	return event.Value(c).Int
}

// TestOneOperand: instructions of one operand against math/bits and the mathematics.
func TestOneOperand(t *testing.T) {
	u32 := func(a string) uint32 { return uint32(parseBig(a).Int64()) }
	u64 := func(a string) uint64 { return uint64(as("u64", parseBig(a)).Uint64()) }
	for format, meaning := range map[string]func(a string) int64{
		"popc.b32 r0, A":   func(a string) int64 { return int64(bits.OnesCount32(u32(a))) },
		"popc.b64 r0, A":   func(a string) int64 { return int64(bits.OnesCount64(u64(a))) },
		"clz.b32 r0, A":    func(a string) int64 { return int64(bits.LeadingZeros32(u32(a))) },
		"clz.b64 r0, A":    func(a string) int64 { return int64(bits.LeadingZeros64(u64(a))) },
		"brev.b32 r0, A":   func(a string) int64 { return int64(int32(bits.Reverse32(u32(a)))) },
		"brev.b64 r0, A":   func(a string) int64 { return int64(bits.Reverse64(u64(a))) },
		"neg.s32 r0, A":    func(a string) int64 { return held("s32", new(big.Int).Neg(parseBig(a))) },
		"neg.s64 r0, A":    func(a string) int64 { return held("s64", new(big.Int).Neg(parseBig(a))) },
		"abs.s32 r0, A":    func(a string) int64 { return held("s32", new(big.Int).Abs(as("s32", parseBig(a)))) },
		"abs.s64 r0, A":    func(a string) int64 { return held("s64", new(big.Int).Abs(as("s64", parseBig(a)))) },
		"not.b32 r0, A":    func(a string) int64 { return held("s32", new(big.Int).Not(parseBig(a))) },
		"not.b64 r0, A":    func(a string) int64 { return held("s64", new(big.Int).Not(parseBig(a))) },
		"cnot.b32 r0, A":   func(a string) int64 { return int64(map[bool]int{true: 1}[u32(a) == 0]) },
		"cnot.b64 r0, A":   func(a string) int64 { return int64(map[bool]int{true: 1}[u64(a) == 0]) },
		"not.pred r0, A":   func(a string) int64 { return int64(map[bool]int{true: 1}[u64(a) == 0]) },
		"mov.f32 r0, A":    func(a string) int64 { return held("s32", parseBig(a)) },
		"cvt.u8.u32 r0, A": func(a string) int64 { return int64(uint8(u32(a))) },
		"cvt.s8.u32 r0, A": func(a string) int64 { return int64(int8(u32(a))) },
		"mov.u16 r0, A":    func(a string) int64 { return int64(uint16(u32(a))) },
		"add.s16 r0, A, 0": func(a string) int64 { return int64(int16(u32(a))) },
	} {
		for _, a := range operands {
			if got, want := scopedResult(t, format, a), meaning(a); got != want {
				t.Errorf("%s of %s is %d, want %d", format, a, got, want)
			}
		}
	}
}

// TestProducts: the halves of products, and what is added to them.
func TestProducts(t *testing.T) {
	for _, typ := range []string{"u32", "s32", "u64", "s64"} {
		n := width(typ)
		for _, a := range operands {
			for _, b := range operands {
				product := new(big.Int).Mul(as(typ, parseBig(a)), as(typ, parseBig(b)))
				high := new(big.Int).Rsh(product, n)
				plus := func(i *big.Int) *big.Int { return new(big.Int).Add(i, big.NewInt(5)) }
				for format, want := range map[string]int64{
					"mul.lo.TYPE r0, A, B":    held(typ, product),
					"mul.hi.TYPE r0, A, B":    held(typ, high),
					"mad.lo.TYPE r0, A, B, 5": held(typ, plus(product)),
					"mad.hi.TYPE r0, A, B, 5": held(typ, plus(high)),
				} {
					format = strings.Replace(format, "TYPE", typ, 1)
					if got := scopedResult(t, format, a, b); got != want {
						t.Errorf("%s of %s and %s is %d, want %d", format, a, b, got, want)
					}
				}
				if n == 64 {
					continue
				}
				if got, want := scopedResult(t, "mad.wide."+typ+" r0, A, B, 5", a, b), held("s64", plus(product)); got != want {
					t.Errorf("mad.wide.%s of %s and %s is %d, want %d", typ, a, b, got, want)
				}
			}
		}
	}
}

// TestShiftsAndQuotients: counts are unsigned 32-bit numbers. A count above the width acts like the
// width. Quotients are rounded towards 0 (PTX ISA, "shl", "shr", "div", "rem").
func TestShiftsAndQuotients(t *testing.T) {
	for _, typ := range []string{"b32", "u32", "s32", "b64", "u64", "s64"} {
		for _, a := range operands {
			for _, b := range operands {
				x, y := as(typ, parseBig(a)), as(typ, parseBig(b))
				count := uint(min(as("u32", parseBig(b)).Uint64(), uint64(width(typ))))
				check := func(name string, want *big.Int) {
					if got := scopedResult(t, name+"."+typ+" r0, A, B", a, b); got != held(typ, want) {
						t.Errorf("%s.%s of %s and %s is %d, want %d", name, typ, a, b, got, held(typ, want))
					}
				}
				check("shr", new(big.Int).Rsh(x, count))
				switch {
				case typ[0] == 'b':
					check("shl", new(big.Int).Lsh(x, count))
				case y.Sign() != 0:
					check("div", new(big.Int).Quo(x, y))
					check("rem", new(big.Int).Rem(x, y))
				}
			}
		}
	}
}

// fields are positions and lengths of bit fields. Only their low 8 bits count.
var fields = []string{"0", "1", "5", "8", "31", "32", "33", "63", "64", "255", "256", "259"}

// TestBitFields follows the manual's own loops (PTX ISA, "bfe", "bfi"), bit by bit.
func TestBitFields(t *testing.T) {
	for _, typ := range []string{"u32", "s32", "u64", "s64"} {
		n := int(width(typ))
		for _, a := range operands {
			for _, pos := range fields {
				for _, length := range fields {
					x, p, l := as("u"+typ[1:], parseBig(a)), int(parseBig(pos).Int64()&255), int(parseBig(length).Int64()&255)
					checkExtract(t, typ, n, x, p, l, a, pos, length)
					checkInsert(t, typ, n, x, p, l, a, pos, length)
				}
			}
		}
	}
}

func checkExtract(t *testing.T, typ string, width int, x *big.Int, p, l int, a, pos, length string) {
	sign := uint(0)
	if typ[0] == 's' && l > 0 {
		sign = x.Bit(min(p+l-1, width-1))
	}
	d := new(big.Int)
	for i := range width {
		bit := sign
		if i < l && p+i < width {
			bit = x.Bit(p + i)
		}
		d.SetBit(d, i, bit)
	}
	if got, want := scopedResult(t, "bfe."+typ+" r0, A, B, C", a, pos, length), held(typ, d); got != want {
		t.Errorf("bfe.%s %s, %s, %s is %d, want %d", typ, a, pos, length, got, want)
	}
}

func checkInsert(t *testing.T, typ string, width int, x *big.Int, p, l int, a, pos, length string) {
	if typ[0] == 's' {
		return
	}
	const into = "0x5a5a5a5a5a5a5a5a"
	f := as(typ, parseBig(into))
	for i := 0; i < l && p+i < width; i++ {
		f.SetBit(f, p+i, x.Bit(i))
	}
	name := fmt.Sprintf("bfi.b%d", width)
	if got, want := scopedResult(t, name+" r0, A, "+into+", B, C", a, pos, length), held(typ, f); got != want {
		t.Errorf("%s %s, %s, %s, %s is %d, want %d", name, a, into, pos, length, got, want)
	}
}

// TestSmallFormulas: one result of each instruction that is rarely written by hand.
func TestSmallFormulas(t *testing.T) {
	for text, want := range map[string]int64{
		"sad.u32 r0, 3, 10, 100":              107,
		"sad.s32 r0, -3, 10, 100":             113,
		"mul24.lo.u32 r0, 0x1000003, 5":       15,
		"mul24.hi.u32 r0, 0x800000, 0x800000": 0x40000000,
		"mad24.lo.s32 r0, 0xffffff, 5, 1":     -4,
		"bmsk.clamp.b32 r0, 4, 8":             0xff0,
		"bmsk.wrap.b32 r0, 36, 33":            0x10,
		"szext.clamp.s32 r0, 0xff, 4":         -1,
		"szext.wrap.u32 r0, 0xff, 36":         0xf,
		// prmt: the bytes of the first operand are 0 to 3, those of the second 4 to 7; 8 added
		// repeats the sign.
		"prmt.b32 r0, 0x44332211, 0x88776655, 0x3210":                       0x44332211,
		"prmt.b32 r0, 0x44332211, 0x88776655, 0x7531":                       -0x7799bbde, // 0x88664422
		"prmt.b32 r0, 0x44332211, 0x88776655, 0xf061":                       -0xee88de,   // 0xff117722
		"prmt.b32.f4e r0, 0x44332211, 0x88776655, 3":                        0x77665544,
		"prmt.b32.b4e r0, 0x44332211, 0x88776655, 1":                        0x77881122, // bytes 1, 0, 7, 6
		"prmt.b32.rc8 r0, 0x44332211, 0x88776655, 2":                        0x33333333,
		"prmt.b32.ecl r0, 0x44332211, 0x88776655, 2":                        0x44333333, // 3, 2, 2, 2
		"prmt.b32.ecr r0, 0x44332211, 0x88776655, 2":                        0x33332211, // 2, 2, 1, 0
		"prmt.b32.rc16 r0, 0x44332211, 0x88776655, 1":                       0x44334433,
		"bfind.u32 r0, 0x80000000":                                          31,
		"bfind.s32 r0, -1":                                                  -1,
		"bfind.shiftamt.u32 r0, 6":                                          29,
		"dp4a.u32.u32 r0, 0x01020304, 0x10203040, 5":                        0x10 + 2*0x20 + 3*0x30 + 4*0x40 + 5,
		"dp4a.s32.u32 r0, 0xff, 0xff, 0":                                    -255,
		"dp2a.lo.u32.u32 r0, 0x00020003, 0x01020304, 5":                     3*4 + 2*3 + 5,
		"dp2a.hi.u32.u32 r0, 0x00020003, 0x01020304, 5":                     3*2 + 2*1 + 5,
		"cvt.sat.u8.s32 r0, -5":                                             0,
		"cvt.sat.u8.s32 r0, 300":                                            255,
		"cvt.sat.s8.s32 r0, -200":                                           -128,
		"cvt.sat.s16.u32 r0, 0xffffffff":                                    32767,
		"add.sat.s32 r0, 0x7fffffff, 1":                                     1<<31 - 1,
		"sub.sat.s32 r0, 0x80000000, 1":                                     -1 << 31,
		"mad.hi.sat.s32 r0, 0x40000000, 4, 0x7fffffff":                      1<<31 - 1,
		"mad24.hi.sat.s32 r0, 0x10000, 16, 0x7fffffff":                      1<<31 - 1,
		"min.relu.s32 r0, -1, 5":                                            0,
		"max.relu.s32 r0, 3, 5":                                             5,
		"setp.lo.u32 r0, 1, -1":                                             1,
		"setp.hs.u32 r0, 1, -1":                                             0,
		"setp.lt.and.s32 r0, 1, 2, 1":                                       1,
		"setp.lt.and.s32 r0, 1, 2, !1":                                      0,
		"setp.gt.or.s32 r0, 1, 2, !0":                                       1,
		"setp.lt.xor.s32 p|r0, 1, 2, 1":                                     1, // the opposite of the comparison, combined
		"setp.lt.and.s32 p|r0, 1, 2, 1":                                     0,
		"mov.b64 r0, {1, 2}":                                                2<<32 + 1,
		"mov.b32 r0, {1, 2}":                                                2<<16 + 1,
		"mov.b64 r0, {1, 2, 3, 4}":                                          4<<48 + 3<<32 + 2<<16 + 1,
		"mov.b64 {_, r0}, 0x200000001":                                      2,
		"mov.b64 {r0, r1}, 0x200000001":                                     1,
		"mov.b64 r0, 0x200000001\nmov.b64 {r0, r1}, r0\nadd.u32 r0, r0, r1": 3,
		"set.lt.u32.s32 r0, -1, 1":                                          -1,
		"set.lt.s32.u32 r0, -1, 1":                                          0,
		"set.lo.or.u32.u32 r0, -1, 1, !0":                                   -1,
		"set.ne.and.u32.b64 r0, 1, 0x100000001, 1":                          -1,
		"slct.s32.s32 r0, 3, 4, 0":                                          3,
		"slct.u64.s32 r0, 3, 4, 0x80000000":                                 4,
		"fns.b32 r0, 0xf0, 0, 3":                                            6,
		"fns.b32 r0, 0xf0, 31, -3":                                          5,
		"fns.b32 r0, 0xf0, 4, 0":                                            4,
		"fns.b32 r0, 0xf0, 3, 0":                                            -1,
		"not.b32 r0, 5\nsad.s32 r0, r0, r0, r0":                             -6,
	} {
		if got := scopedResult(t, strings.ReplaceAll(text, "\n", " ;\n")); got != want {
			t.Errorf("%s is %d, want %d", text, got, want)
		}
	}
}

// TestCarries adds, subtracts and multiplies 64 bits by halves (PTX ISA, "Extended-Precision
// Integer Arithmetic Instructions").
func TestCarries(t *testing.T) {
	const one = "mov.b64 {r1, r2}, A ;\nmov.b64 {r3, r4}, B ;\n"
	for format, want := range map[string]func(x, y *big.Int) *big.Int{
		"add.cc.u32 r5, r1, r3 ;\naddc.u32 r6, r2, r4 ;\nmov.b64 r0, {r5, r6}": mathematics["add"],
		"sub.cc.u32 r5, r1, r3 ;\nsubc.u32 r6, r2, r4 ;\nmov.b64 r0, {r5, r6}": mathematics["sub"],
		"add.cc.s32 r5, r1, r3 ;\naddc.cc.s32 r6, r2, r4 ;\naddc.u64 r0, 0, 0": func(x, y *big.Int) *big.Int {
			return new(big.Int).Rsh(new(big.Int).Add(x, y), 64)
		},
		"mad.lo.cc.u32 r5, r1, r3, r1 ;\nmadc.hi.u32 r6, r1, r3, r2 ;\nmov.b64 r0, {r5, r6}": func(x, y *big.Int) *big.Int {
			low := new(big.Int).SetUint64(1<<32 - 1)
			return new(big.Int).Add(x, new(big.Int).Mul(new(big.Int).And(x, low), new(big.Int).And(y, low)))
		},
		// What is guarded and does not run leaves the carry as it was.
		"add.cc.u32 r5, -1, 1 ;\nsetp.ne.u32 p, r5, 0 ;\n@p add.cc.u32 r5, 0, 0 ;\naddc.u32 r0, 0, 0": func(_, _ *big.Int) *big.Int {
			return big.NewInt(1)
		},
	} {
		for _, a := range operands {
			for _, b := range operands {
				if got, want := scopedResult(t, one+format, a, b), held("s64", want(as("u64", parseBig(a)), as("u64", parseBig(b)))); got != want {
					t.Errorf("%s of %s and %s is %#x, want %#x", format, a, b, uint64(got), uint64(want))
				}
			}
		}
	}
}

// TestFunctionsOfThreeBits: each table of lop3, on operands that have all rows.
func TestFunctionsOfThreeBits(t *testing.T) {
	a, b, c := uint32(0xf0f0f0f0), uint32(0xcccc3333), uint32(0xaaaa5555)
	for table := range 256 {
		var want uint32
		for i := range 32 {
			row := a>>i&1<<2 | b>>i&1<<1 | c>>i&1
			want |= uint32(table) >> row & 1 << i
		}
		format := fmt.Sprintf("lop3.b32 r0, %d, %d, %d, %d", a, b, c, table)
		if got := scopedResult(t, format); got != int64(int32(want)) {
			t.Errorf("%s is %#x, want %#x", format, uint32(got), want)
		}
	}
}

// TestFunnelShifts: shf shifts two registers as one.
func TestFunnelShifts(t *testing.T) {
	for _, a := range operands {
		for _, b := range operands {
			for _, n := range []uint64{0, 1, 7, 31, 32, 33, 63, 64} {
				both := uint64(uint32(parseBig(b).Int64()))<<32 | uint64(uint32(parseBig(a).Int64()))
				for mode, count := range map[string]uint64{"wrap": n % 32, "clamp": min(n, 32)} {
					for direction, want := range map[string]uint32{"l": uint32(both << count >> 32), "r": uint32(both >> count)} {
						format := fmt.Sprintf("shf.%s.%s.b32 r0, A, B, %d", direction, mode, n)
						if got := scopedResult(t, format, a, b); got != int64(int32(want)) {
							t.Errorf("%s of %s, %s is %#x, want %#x", format, a, b, uint32(got), want)
						}
					}
				}
			}
		}
	}
}

// TestFloatingPointConstants are bits.
func TestFloatingPointConstants(t *testing.T) {
	for text, want := range map[string]int64{"0f3F800000": 0x3f800000, "0F80000000": -0x80000000, "0d3FF0000000000000": 0x3ff0000000000000} {
		typ := map[byte]string{'f': "f32", 'F': "f32", 'd': "f64"}[text[1]]
		if got := scopedResult(t, "mov."+typ+" r0, "+text); got != want {
			t.Errorf("%s is %#x, want %#x", text, got, want)
		}
	}
}
