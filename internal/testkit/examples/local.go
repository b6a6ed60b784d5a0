package examples

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Kernels whose threads have private memory: an array of numbers, two pointers to arrays, and the
// variables of the kernel, as an unoptimizing compiler keeps them.

// Local memory: 16 numbers of 4 bytes, two pointers, and the registers.
const (
	ownNumbers   = 64
	ownPointers  = ownNumbers + 16
	ownRegisters = 16 << 10
)

// beginLocal writes the initialisation of local memory.
func (r *random) beginLocal() {
	for i := range ownNumbers / 4 {
		v := r.emit("mov.u32 $, %d;", r.IntN(16))
		fmt.Fprintf(&r.out, "st.local.u32 [own+%d], %s;\n", 4*i, v)
	}
	fmt.Fprintf(&r.out, "st.local.u64 [own+%d], %%rd1;\nst.local.u64 [own+%d], %%rd2;\n", ownNumbers, ownNumbers+8)
}

// cell returns the address of a number of the given size in local memory, usually a constant one.
// Small numbers are among the last four.
func (r *random) cell(size int) string {
	switch {
	case size < 4:
		return fmt.Sprintf("own+%d", ownNumbers-4*(1+r.IntN(4))+size*r.IntN(2))
	case r.IntN(4) > 0:
		return fmt.Sprintf("own+%d", 4*r.IntN(ownNumbers/4))
	}
	index := r.emit("and.b32 $, %s, %d;", r.values[r.IntN(len(r.values))], 3+8*r.IntN(2))
	wide, base := r.fresh("%rd"), r.fresh("%rd")
	fmt.Fprintf(&r.out, "mov.u64 %s, own;\nmul.wide.u32 %s, %s, 4;\nadd.s64 %s, %s, %s;\n", base, wide, index, wide,
		base, wide)
	return wide
}

// recall returns a register with a number loaded from local memory.
func (r *random) recall() string {
	size := []int{4, 4, 4, 4, 2, 1}[r.IntN(6)]
	return r.emit("ld.local.u%d $, [%s];", 8*size, r.cell(size))
}

// local writes a statement about local memory.
func (r *random) local() {
	switch first, second := r.fresh("%rd"), r.fresh("%rd"); r.IntN(8) {
	case 0: // swap the pointers
		fmt.Fprintf(&r.out, "ld.local.u64 %s, [own+%d];\nld.local.u64 %s, [own+%d];\n", first, ownNumbers, second,
			ownNumbers+8)
		fmt.Fprintf(&r.out, "st.local.u64 [own+%d], %s;\nst.local.u64 [own+%d], %s;\n", ownNumbers, second,
			ownNumbers+8, first)
	case 1: // advance a pointer
		fmt.Fprintf(&r.out, "ld.local.u64 %s, [own+%d];\nadd.s64 %s, %s, %d;\nst.local.u64 [own+%d], %s;\n", first,
			ownNumbers, first, first, 4<<r.IntN(3), ownNumbers, first)
	case 2, 3, 4: // access memory through a pointer
		at := r.emit("and.b32 $, %s, 15;", []string{r.own, r.own, r.recall()}[r.IntN(3)])
		fmt.Fprintf(&r.out, "ld.local.u64 %s, [own+%d];\nmul.wide.u32 %s, %s, 4;\nadd.s64 %s, %s, %s;\n", first,
			ownNumbers+8*r.IntN(2), second, at, first, first, second)
		if r.IntN(3) == 0 {
			r.emit("ld.global.u32 $, [%s];", first)
			return
		}
		fmt.Fprintf(&r.out, "st.global.u32 [%s], %s;\n", first, at)
	default:
		size := []int{4, 4, 4, 4, 2, 1}[r.IntN(6)]
		v := r.emit("add.s32 $, %s, %d;", r.value(), r.IntN(3))
		fmt.Fprintf(&r.out, "st.local.u%d [%s], %s;\n", 8*size, r.cell(size), v)
	}
}

var (
	spills = regexp.MustCompile(`%rd?\d+`)
	guards = regexp.MustCompile(`^@!?%p\d+ `)
	// statements whose first operand is not their result
	others = regexp.MustCompile(`^((st|red|bar|bra|setp)[. ]|\{|\w+:)`)
)

// spill returns the body of a kernel, one statement a line, with some or all variables in local
// memory, as a compiler that spills writes it.
func (r *random) spill(body string) string {
	each, from := 1+r.IntN(3), r.IntN(3)
	stays := func(name string) bool { return from > 0 && number(name)%each == 0 }
	var out strings.Builder
	for line := range strings.Lines(body) {
		guard := guards.FindString(line)
		statement := strings.TrimPrefix(line, guard)
		used := spills.FindAllString(statement, -1)
		result := ""
		if !others.MatchString(statement) && len(used) > 0 && !stays(used[0]) {
			result = used[0]
			if guard == "" {
				used = used[1:]
			}
		}
		slices.Sort(used)
		for _, name := range slices.DeleteFunc(slices.Compact(used), stays) {
			fmt.Fprintf(&out, "ld.local.%s %s, [own+%d];\n", bits(name), name, spillAt(name))
		}
		out.WriteString(line)
		if result != "" {
			fmt.Fprintf(&out, "st.local.%s [own+%d], %s;\n", bits(result), spillAt(result), result)
		}
	}
	return out.String()
}

// number returns the number of a register.
func number(name string) int {
	n, _ := strconv.Atoi(strings.TrimLeft(name, "%rd"))
	return n
}

// bits returns the type of a register.
func bits(name string) string {
	if strings.HasPrefix(name, "%rd") {
		return "u64"
	}
	return "u32"
}

// spillAt returns the offset at which a register is kept.
func spillAt(name string) int {
	if strings.HasPrefix(name, "%rd") {
		return ownPointers + 8*number(name)
	}
	return ownPointers + ownRegisters + 4*number(name)
}
