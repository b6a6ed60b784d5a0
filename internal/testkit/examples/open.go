package examples

import (
	"fmt"
	"strings"
)

// extremes are values for unconstrained parameters, chosen to be critical for factors, divisors,
// shifts and signs.
var extremes = []uint64{0, 1, 2, 3, 16, 32, 1 << 31, 1<<32 - 2, 1<<32 - 1}

// Operations on unconstrained numbers. Sums and products come first, because indices consist of
// them. A shift may exceed the width.
var (
	operations = strings.Fields(
		"mul.lo.s add.s mul.lo.s add.s sub.s min.s min.u max.s max.u mul.hi.u mul.hi.s and.b or.b xor.b")
	quotients = strings.Fields("div.u div.s rem.u rem.s")
	shifts    = strings.Fields("shl.b shr.u shr.s")
)

// open returns a register of the given width with a value computed from the thread's coordinates
// and the parameters.
func (r *random) open(bits, depth int) string {
	if depth == 0 || r.IntN(4) == 0 {
		return r.leaf(bits)
	}
	to := r.fresh(prefix(bits))
	switch c := r.IntN(12); {
	case c == 0 && bits == 64:
		fmt.Fprintf(&r.out, "mul.wide.%c32 %s, %s, %s;\n", r.sign(), to, r.open(32, depth-1), r.open(32, depth-1))
	case c == 0:
		fmt.Fprintf(&r.out, "cvt.u32.u64 %s, %s;\n", to, r.open(64, depth-1))
	case c == 1:
		p := r.compared(bits, depth-1)
		fmt.Fprintf(&r.out, "selp.b%d %s, %s, %s, %s;\n", bits, to, r.open(bits, depth-1), r.open(bits, depth-1), p)
	case c == 2:
		fmt.Fprintf(&r.out, "%s%d %s, %s, %s;\n", shifts[r.IntN(len(shifts))], bits, to, r.open(bits, depth-1),
			r.open(32, depth-1))
	case c == 3:
		r.divided(to, bits, depth)
	case c == 4:
		fmt.Fprintf(&r.out, "mad.lo.s%d %s, %s, %s, %s;\n", bits, to, r.leaf(bits), r.leaf(bits), r.open(bits, depth-1))
	default:
		fmt.Fprintf(&r.out, "%s%d %s, %s, %s;\n", operations[r.IntN(len(operations))], bits, to, r.open(bits, depth-1),
			r.open(bits, depth-1))
	}
	return to
}

// divided writes a quotient or a remainder to a register. PTX leaves division by 0 undefined, so
// the divisor is at least 1, or a guard skips the division.
func (r *random) divided(to string, bits, depth int) {
	x, by, where := r.open(bits, depth-1), r.open(bits, depth-1), ""
	if r.IntN(2) == 0 {
		p := r.fresh("%p")
		fmt.Fprintf(&r.out, "mov.b%d %s, %d;\nsetp.ne.s%d %s, %s, 0;\n", bits, to, r.IntN(3), bits, p, by)
		where = "@" + p + " "
	} else {
		least := r.fresh(prefix(bits))
		fmt.Fprintf(&r.out, "max.u%d %s, %s, 1;\n", bits, least, by)
		by = least
	}
	fmt.Fprintf(&r.out, "%s%s%d %s, %s, %s;\n", where, quotients[r.IntN(len(quotients))], bits, to, x, by)
}

// leaf returns a coordinate of the thread, a parameter or a number.
func (r *random) leaf(bits int) string {
	from := r.leaves[r.IntN(len(r.leaves))]
	if r.IntN(6) == 0 {
		from = r.emit("mov.u32 $, %d;", r.IntN(6)-1)
	}
	return r.widened(from, bits)
}

// widened extends a register of 32 bits to the given width.
func (r *random) widened(from string, bits int) string {
	if bits == 32 {
		return from
	}
	to, sign := r.fresh("%rd"), r.sign()
	fmt.Fprintf(&r.out, "cvt.%c64.%c32 %s, %s;\n", sign, sign, to, from)
	return to
}

// alike returns a number that is the same for all threads.
func (r *random) alike(bits, depth int) string {
	all := r.leaves
	r.leaves = r.params
	v := r.open(bits, depth)
	r.leaves = all
	return v
}

// compared returns a predicate that compares two numbers, signed or unsigned.
func (r *random) compared(bits, depth int) string {
	x, y, p := r.open(bits, depth), r.open(bits, depth), r.fresh("%p")
	relation := []string{"eq", "ne", "lt", "le", "gt", "ge"}[r.IntN(6)]
	fmt.Fprintf(&r.out, "setp.%s.%c%d %s, %s, %s;\n", relation, r.sign(), bits, p, x, y)
	return p
}

// test returns a predicate, often one that is the same for all threads.
func (r *random) test() string {
	all := r.leaves
	if r.IntN(2) == 0 {
		r.leaves = r.params
	}
	p := r.compared(32+32*r.IntN(2), 1)
	r.leaves = all
	return p
}

// within returns an element of an array, accessed only if its index is in bounds. A mask would hide
// the high bits of an index.
func (r *random) within(array, elements, size int) (place string) {
	bits, p := 32+32*r.IntN(2), r.fresh("%p")
	index := r.index(bits, p)
	fmt.Fprintf(&r.out, "setp.lt.and.%c%d %s, %s, %d, %s;\n", r.sign(), bits, p, index, 16/elements, p)
	fmt.Fprintf(&r.out, "setp.ge.and.s%d %s, %s, 0, %s;\n", bits, p, index, p)
	if bits == 32 {
		index = r.widened(index, 64)
	}
	place = r.fresh("%rd")
	fmt.Fprintf(&r.out, "mad.lo.s64 %s, %s, %d, %s;\n", place, index, elements*size, arrays[array].register)
	r.guard = "@" + p + " "
	return place
}

// index returns an index and a predicate under which it is valid: usually the number of the thread,
// multiplied by and added to numbers that all threads share.
func (r *random) index(bits int, holds string) string {
	switch r.IntN(6) {
	case 0, 1:
		index, _ := r.row(bits, holds)
		return index
	case 2:
		return r.turned(bits, holds)
	}
	fmt.Fprintf(&r.out, "setp.eq.s32 %s, 0, 0;\n", holds)
	if r.IntN(3) == 0 {
		return r.open(bits, 2)
	}
	return r.mad(bits, r.widened(r.own, bits), r.alike(bits, 1+r.IntN(2)), r.alike(bits, r.IntN(2)))
}

// row returns the position of two numbers of the thread in rows of unconstrained width, valid if
// the column is within the width.
func (r *random) row(bits int, holds string) (index, width string) {
	x, y := r.widened(r.part(), bits), r.widened(r.part(), bits)
	width = r.alike(bits, r.IntN(3))
	relation := []string{"lt", "lt", "le", "ne"}[r.IntN(4)]
	fmt.Fprintf(&r.out, "setp.%s.%c%d %s, %s, %s;\n", relation, r.sign(), bits, holds, x, width)
	return r.mad(bits, y, width, x), width
}

// turned returns a position in rows, with columns as rows.
func (r *random) turned(bits int, holds string) string {
	index, width := r.row(bits, holds)
	fmt.Fprintf(&r.out, "setp.ne.and.s%d %s, %s, 0, %s;\n", bits, holds, width, holds)
	quotient, rest, sign := r.fresh(prefix(bits)), r.fresh(prefix(bits)), r.sign()
	fmt.Fprintf(&r.out, "@%s div.%c%d %s, %s, %s;\n", holds, sign, bits, quotient, index, width)
	fmt.Fprintf(&r.out, "@%s rem.%c%d %s, %s, %s;\n", holds, sign, bits, rest, index, width)
	return r.mad(bits, rest, r.alike(bits, r.IntN(2)), quotient)
}

// mad returns x * y + z.
func (r *random) mad(bits int, x, y, z string) string {
	to := r.fresh(prefix(bits))
	fmt.Fprintf(&r.out, "mad.lo.s%d %s, %s, %s, %s;\n", bits, to, x, y, z)
	return to
}

// part returns a number of the thread that other threads may share.
func (r *random) part() string {
	switch r.IntN(4) {
	case 0:
		return r.values[r.IntN(3)]
	case 1:
		return r.emit("and.b32 $, %s, 1;", r.own)
	case 2:
		return r.emit("shr.u32 $, %s, 1;", r.own)
	}
	return r.own
}

func (r *random) sign() byte { return "us"[r.IntN(2)] }

// prefix returns the prefix of registers of the given width.
func prefix(bits int) string {
	if bits == 64 {
		return "%rd"
	}
	return "%r"
}
