package kernel

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/ptx/isa"
	"github.com/muster-gpu/muster/src"
)

// Numbers in a module are checked when they are read, so that nothing computed from them overflows
// or exhausts memory. The limits are those of the PTX ISA and of the CUDA C++ Programming Guide
// ("Technical Specifications per Compute Capability"). Where these give none, the limit is far
// above what compilers emit.

// bound is the set of numbers that are valid in a position.
type bound struct {
	what        string // the number in words: "an alignment"
	least, most uint64
	power       bool   // only powers of two are valid
	multiple    uint64 // only multiples of it are valid; 0 for any number
}

// allows reports whether a number is valid.
func (b bound) allows(n uint64) bool {
	return b.least <= n && n <= b.most && !(b.power && bits.OnesCount64(n) != 1) &&
		!(b.multiple > 0 && n%b.multiple != 0)
}

func (b bound) String() string {
	s := fmt.Sprintf("%s from %d to %d", b.what, b.least, b.most)
	switch {
	case b.least == b.most:
		s = fmt.Sprintf("%s of %d", b.what, b.least)
	case b.power:
		s += ", a power of two"
	case b.multiple > 0:
		s += fmt.Sprintf(", a multiple of %d", b.multiple)
	}
	return s
}

// The bounds of numbers in directives. Comments name the directive or section of the PTX ISA.
var (
	// "Alignment"
	anAlignment = bound{what: "an alignment", least: 1, most: 1 << 30, power: true}
	// extents
	elementCount = bound{what: "a number of elements", most: maxElements}
	// "Parameterized Variable Names"
	registers = bound{what: "a number of registers", most: 1 << 24}
	// ".maxntid", ".reqntid"
	threads = bound{what: "a number of threads or CTAs", least: 1, most: math.MaxInt32}
	// ".minnctapersm", ".maxnreg"
	tuning = bound{what: "a number", most: math.MaxInt32}
	// ".address_size"
	addressSize   = bound{what: "an address size", least: 32, most: 64, power: true}
	lineNumber    = bound{what: "a number of a file, a line or a column", most: math.MaxInt32}
	timeOrSize    = bound{what: "a time or a size", most: math.MaxInt64}
	initialOffset = bound{what: "an offset", most: math.MaxInt64}
)

// maxElements bounds the elements of an array, so that their size in bytes is below 2^63.
const maxElements = 1 << 40

// maxTargets bounds the labels in the tables of a function, counted each time that an instruction
// names the table.
const maxTargets = 1 << 20

// maxOffset bounds the offset of an address, which has 32 bits, signed or unsigned ("Addresses as
// Operands").
const maxOffset = math.MaxUint32

// maxThreads bounds the threads of a block and the blocks of a cluster in a directive. Launches are
// checked against the limits of GPUs.
const maxThreads = math.MaxInt32

// extents bounds the bytes of a variable, by space. OpenCL kernels for other devices have more
// shared memory than the 227 KiB of a CTA on a GPU of NVIDIA.
var extents = map[isa.Space]int{
	isa.Global: 1 << 40,
	isa.Shared: 1 << 24,
	isa.Const:  64 << 10,  // "Constant State Space": of a bank
	isa.Local:  512 << 10, // of a thread
	isa.Param:  512 << 10, // of a call: such parameters are on the stack of the thread
}

// maxParams bounds the bytes of the parameters of a kernel (PTX ISA, "Kernel Function Parameters").
const maxParams = 32764

// number reads an integer within a bound.
func (p *parser) number(b bound) int {
	t := p.word(b.what)
	n, err := strconv.ParseUint(strings.TrimSuffix(p.textOf(t), "U"), 0, 64)
	if err != nil || !b.allows(n) {
		p.fail(t, "expected %v, found %s", b, p.describe(t))
	}
	return int(n)
}

// extent checks the size of a variable.
func (p *parser) extent(t token, v *Variable) {
	most, ok := extents[v.Space]
	if size := v.Size(); ok && size > most {
		p.fail(t, "%s has %d bytes: more than %d are not possible in .%s memory", p.textOf(t), size, most,
			spaceNames[v.Space])
	}
}

// spaceNames are the names of spaces with a limit.
var spaceNames = map[isa.Space]string{
	isa.Global: "global", isa.Shared: "shared", isa.Const: "const",
	isa.Local: "local", isa.Param: "param",
}

// immediate bounds an operand of an instruction, if it is a number.
type immediate struct {
	opcode string // prefix of the opcode, in whole parts
	at     int    // index of the operand
	allow  bound
}

// immediates bounds operands that instructions cannot take from registers, or whose limits the PTX
// ISA gives.
var immediates = []immediate{
	{"cp.async.ca", 2, bound{what: "a size", least: 4, most: 16, power: true}},
	{"cp.async.cg", 2, bound{what: "a size", least: 16, most: 16}},
	{"cp.async.ca", 3, bound{what: "a size of the source", most: 16}},
	{"cp.async.cg", 3, bound{what: "a size of the source", most: 16}},
	{"cp.async.wait_group", 0, bound{what: "a number of groups", most: math.MaxInt32}},
	{"cp.async.bulk.wait_group", 0, bound{what: "a number of groups", most: math.MaxInt32}},
	{"cp.async.bulk.prefetch.L2", 1, bound{what: "a size", most: math.MaxUint32, multiple: 16}},
	{"cp.async.bulk.shared", 2, bound{what: "a size", most: math.MaxUint32, multiple: 16}},
	{"cp.async.bulk.global", 2, bound{what: "a size", most: math.MaxUint32, multiple: 16}},
	{"cp.reduce.async.bulk.shared", 2, bound{what: "a size", most: math.MaxUint32, multiple: 16}},
	{"cp.reduce.async.bulk.global", 2, bound{what: "a size", most: math.MaxUint32, multiple: 16}},
	{"wgmma.wait_group", 0, bound{what: "a number of groups", most: 7}},
	{"mbarrier.init", 1, bound{what: "a count", least: 1, most: 1<<20 - 1}},
	{"mbarrier.expect_tx", 1, bound{what: "a transaction count", most: 1<<20 - 1}},
	{"mbarrier.complete_tx", 1, bound{what: "a transaction count", most: 1<<20 - 1}},
	{"bar.sync", 0, barrierNumber},
	{"bar.arrive", 0, barrierNumber},
	{"bar.red", 1, barrierNumber},
	{"bar.cta.sync", 0, barrierNumber},
	{"bar.cta.arrive", 0, barrierNumber},
	{"bar.cta.red", 1, barrierNumber},
	{"barrier.sync", 0, barrierNumber},
	{"barrier.arrive", 0, barrierNumber},
	{"barrier.red", 1, barrierNumber},
	{"barrier.cta.sync", 0, barrierNumber},
	{"barrier.cta.arrive", 0, barrierNumber},
	{"barrier.cta.red", 1, barrierNumber},
	{"bar.sync", 1, barrierCount},
	{"bar.arrive", 1, barrierCount},
	{"bar.cta.sync", 1, barrierCount},
	{"bar.cta.arrive", 1, barrierCount},
	{"barrier.sync", 1, barrierCount},
	{"barrier.arrive", 1, barrierCount},
	{"barrier.cta.sync", 1, barrierCount},
	{"barrier.cta.arrive", 1, barrierCount},
	{"lop3.b32", 4, bound{what: "a table of lop3", most: 255}},
	{"setmaxnreg", 0, bound{what: "a number of registers", least: 24, most: 256, multiple: 8}},
	{"pmevent", 0, bound{what: "a number of an event", most: math.MaxUint16}},
	{"discard.global", 1, bound{what: "a size", least: 128, most: 128}},
	{"applypriority.global", 1, bound{what: "a size", least: 128, most: 128}},
	{"nanosleep.u32", 0, bound{what: "a time", most: math.MaxUint32}},
}

// Barrier numbers above 15, and counts that are not multiples of the warp size, are reported by
// verify, because they may come from registers.
var (
	barrierNumber = bound{what: "a number of a barrier", most: math.MaxUint32}
	barrierCount  = bound{what: "a number of threads", most: math.MaxUint32}
)

// immediatesOf indexes immediates by the first part of the opcode.
var immediatesOf = func() map[string][]immediate {
	all := map[string][]immediate{}
	for _, i := range immediates {
		name, _, _ := strings.Cut(i.opcode, ".")
		all[name] = append(all[name], i)
	}
	return all
}()

// is reports whether an opcode has the prefix of the immediate.
func (i immediate) is(opcode string) bool {
	rest, ok := strings.CutPrefix(opcode, i.opcode)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == ':')
}

// checkNumbers checks the immediate operands of an instruction.
func (b *body) checkNumbers(in *Instr) {
	for _, i := range immediatesOf[in.Name()] {
		if i.is(in.Opcode) && i.at < len(in.Ops) && in.Ops[i.at].Kind == Integer && !i.allow.allows(in.Ops[i.at].Bits) {
			at := in.Ops[i.at].At
			panic(failure{src.Errorf(at, "%s: expected %v, found %s", in.Opcode, i.allow, at.Text())})
		}
	}
	b.checkVectors(in)
	b.checkParameter(in)
}

// vectors are the numbers of elements of vector operands, by modifier.
var vectors = []struct {
	modifier string
	n        int
}{{".v2", 2}, {".v4", 4}, {".v8", 8}}

// checkVectors checks that a load or a store has the number of registers that its modifier gives
// (PTX ISA, "Vectors as Operands").
func (b *body) checkVectors(in *Instr) {
	name := in.Name()
	if name != "ld" && name != "st" && name != "ldu" {
		return
	}
	n := 1
	for _, v := range vectors {
		if strings.Contains(in.Opcode+".", v.modifier+".") {
			n = v.n
		}
	}
	for _, o := range in.Ops {
		if o.Kind == Vector && len(o.List) != n {
			panic(failure{src.Errorf(o.At, "%s takes %d registers, and here are %d", in.Opcode, n, len(o.List))})
		}
	}
}

// checkParameter checks that an access to a parameter is within its bounds.
func (b *body) checkParameter(in *Instr) {
	i := slices.IndexFunc(in.Ops, func(o Operand) bool {
		return o.Kind == Address && len(o.List) == 1 && o.List[0].Kind == Var && o.List[0].Variable.Space == isa.Param
	})
	if i < 0 {
		return
	}
	op, err := isa.Decode(in.Opcode)
	if err != nil || op.Code != isa.Ld && op.Code != isa.St || op.Space != isa.Param {
		return
	}
	o := &in.Ops[i]
	v, bytes := o.List[0].Variable, int64(max(1, op.Vector)*op.Type(0).Bits/8)
	offset, size := o.Offset+o.List[0].Offset, int64(v.Size())
	if size > 0 && (offset < 0 || offset+bytes > size) {
		panic(failure{src.Errorf(o.At, "%s accesses %d bytes at byte %d of %s, which has %d", in.Opcode, bytes, offset,
			v.Name, size)})
	}
}
