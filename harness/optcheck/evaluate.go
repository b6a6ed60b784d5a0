package optcheck

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// evaluator computes what instructions of the machine code write to registers and predicates, from
// the values of these before.
type evaluator struct {
	*atoms
	register  func(name string) value
	predicate func(name string) condition
}

// effect is what an instruction writes.
type effect struct {
	registers  map[string]value
	predicates map[string]condition
}

var (
	registerName  = regexp.MustCompile(`^(U?R)(\d+|Z)$`)
	predicateName = regexp.MustCompile(`^!?U?P(\d|T)$`)
	bankOperand   = regexp.MustCompile(`^c\[(\w+)\]\[(U?R(?:\d+|Z))?\+?(-?0x[0-9a-f]+)?\]$`)
)

// noResult lists the instructions that write no register.
var noResult = strings.Fields(
	`STG STS ST STL RED REDG MEMBAR CCTL CCTLL BAR BRA JMP CALL RET EXIT BSSY BSYNC BREAK YIELD NOP
	WARPSYNC PMTRIG ERRBAR CGAERRBAR DEPBAR NANOSLEEP KILL UCGABAR_ARV UCGABAR_WAIT
	LDGSTS LDGDEPBAR ARRIVES UBLKCP UBLKRED UTMALDG UTMASTG UTMAREDG UTMACMDFLUSH UTMACCTL STAS REDAS`)

// split splits operands into those that an instruction writes and those that it reads: first a
// register, a predicate or both, then more predicates, which receive carries.
func (in *instruction) split() (writes, reads []string) {
	if slices.Contains(noResult, in.opcode) || len(in.operands) == 0 {
		return nil, in.operands
	}
	n := 1
	isPredicate := func(i int) bool { return i < len(in.operands) && predicateName.MatchString(in.operands[i]) }
	switch {
	case !isPredicate(0) || isPredicate(1):
		for isPredicate(n) && n < 3 {
			n++
		}
		if in.opcode == "VOTE" || in.opcode == "VOTEU" || isPredicate(0) {
			n = min(n, 2)
		}
	case in.isAtomic() || in.opcode == "LOP3" || in.opcode == "ULOP3" || in.opcode == "SHFL":
		n = min(2, len(in.operands)) // a predicate, then a register
	}
	return in.operands[:n], in.operands[n:]
}

func (in *instruction) isAtomic() bool {
	return in.opcode == "ATOM" || in.opcode == "ATOMG" || in.opcode == "ATOMS"
}

// registers returns the number of registers of an instruction's result.
func (in *instruction) registers() int {
	switch {
	case in.has("128"):
		return 4
	case in.opcode == "CS2R" &&
		!in.has("32"), in.has("TRANS64"), in.has("WIDE"), in.has("64"), in.has("U64"), in.has("S64"), in.has("F64"):
		return 2
	}
	return 1
}

// following returns the n-th register after one; RZ for RZ.
func following(name string, n int) string {
	m := registerName.FindStringSubmatch(name)
	if m == nil || m[2] == "Z" {
		return name
	}
	number, _ := strconv.Atoi(m[2])
	return m[1] + strconv.Itoa(number+n)
}

// sourceOperand matches a register with an operation on its value: -R5, ~R5, |R5|, R5.H0_H0.
var sourceOperand = regexp.MustCompile(`^([-~|]*)(U?R(?:\d+|Z))(\|?)((?:\.\w+)*)$`)

// harmless are suffixes of registers that do not change the value.
var harmless = []string{"", ".reuse", ".64", ".U32", ".64.reuse"}

// operand returns the value of a source.
func (e *evaluator) operand(o string) value {
	if m := sourceOperand.FindStringSubmatch(o); m != nil {
		v := e.get(m[2])
		if (m[1] == "" || m[1] == "-") && m[3] == "" && slices.Contains(harmless, m[4]) {
			return signed(v, m[1] == "-")
		}
		return e.atom(m[1]+m[4]+v.String(), v.from)
	}
	if m := bankOperand.FindStringSubmatch(strings.TrimPrefix(o, "-")); m != nil {
		return signed(e.bank(m, 0), strings.HasPrefix(o, "-"))
	}
	if n, err := strconv.ParseInt(o, 0, 64); err == nil {
		return constant(uint32(n))
	}
	if o == "SRZ" {
		return constant(0)
	}
	return e.atom(o, e.mentioned(o))
}

func signed(v value, negative bool) value {
	if negative {
		return value{}.plus(v, ^uint32(0))
	}
	return v
}

// get returns the value of a register.
func (e *evaluator) get(name string) value {
	if strings.HasSuffix(name, "RZ") {
		return value{}
	}
	return e.register(name)
}

// bank returns a word of a constant bank.
func (e *evaluator) bank(m []string, more uint32) value {
	offset, _ := strconv.ParseInt(m[3], 0, 64)
	at := constant(uint32(offset) + more)
	if m[2] != "" {
		at = at.plus(e.get(m[2]), 1)
	}
	if n, ok := at.isConstant(); ok {
		return e.atom(bankWord(m[1], n), 0)
	}
	return e.atom(fmt.Sprintf("c[%s][%s]", m[1], at), at.from)
}

// bankWord returns the name of a word of a constant bank, where parameters are.
func bankWord(bank string, offset uint32) string { return fmt.Sprintf("c[%s][%#x]", bank, offset) }

var anyRegister = regexp.MustCompile(`\bU?R\d+\b`)

// mentioned returns what the registers in an operand were computed from.
func (e *evaluator) mentioned(o string) (from deps) {
	for _, name := range anyRegister.FindAllString(o, -1) {
		from |= e.get(name).from
	}
	return from
}

// condition returns the truth value of a predicate operand.
func (e *evaluator) condition(o string) condition {
	name, negated := strings.CutPrefix(o, "!")
	c := truth(true)
	if name != "PT" && name != "UPT" {
		c = e.predicate(name)
	}
	if negated {
		return c.not()
	}
	return c
}

// formulas compute the lower half of a result that is a polynomial.
var formulas = map[string]func(e *evaluator, in *instruction, a []value) (value, bool){
	"MOV":   first,
	"UMOV":  first,
	"R2UR":  first,
	"S2R":   first,
	"S2UR":  first,
	"LDC":   first,
	"ULDC":  first,
	"LDCU":  first,
	"CS2R":  first,
	"IADD3": addAll, "UIADD3": addAll, "IADD": addAll, "VIADD": addAll,
	"IMAD": multiplyAdd, "UIMAD": multiplyAdd, "LEA": shiftAdd, "ULEA": shiftAdd, "SHF": shiftLeft, "USHF": shiftLeft,
}

func first(_ *evaluator, _ *instruction, a []value) (v value, ok bool) {
	if len(a) == 0 {
		return v, false
	}
	return a[0], true
}

func addAll(_ *evaluator, _ *instruction, a []value) (sum value, ok bool) {
	for _, v := range a {
		sum = sum.plus(v, 1)
	}
	return sum, true
}

func multiplyAdd(e *evaluator, _ *instruction, a []value) (value, bool) {
	if len(a) != 3 {
		return value{}, false
	}
	return e.times(a[0], a[1]).plus(a[2], 1), true
}

// shiftAdd is a shifted by c, plus b.
func shiftAdd(_ *evaluator, _ *instruction, a []value) (value, bool) {
	if len(a) != 3 {
		return value{}, false
	}
	by, ok := a[2].isConstant()
	return a[1].plus(a[0], 1<<(by&31)), ok
}

func shiftLeft(_ *evaluator, in *instruction, a []value) (value, bool) {
	if len(a) != 3 || !in.has("L") {
		return value{}, false
	}
	by, ok := a[1].isConstant()
	low, zero := a[2].isConstant()
	return value{from: a[2].from}.plus(a[0], 1<<(by&31)), ok && zero && low == 0
}

// halves returns the value of the two half-precision numbers that HFMA2 computes when it is used to
// load a constant: -RZ·RZ plus them.
func halves(in *instruction) (value, bool) {
	if in.opcode != "HFMA2" || len(in.operands) != 5 || in.operands[1] != "-RZ" || in.operands[2] != "RZ" {
		return value{}, false
	}
	high, ok := half(in.operands[3])
	low, alsoOk := half(in.operands[4])
	return constant(high<<16 | low), ok && alsoOk
}

// half returns the bit pattern of a half-precision number (IEEE 754, binary16).
func half(text string) (uint32, bool) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return 0, false
	}
	sign := uint32(0)
	if math.Signbit(f) {
		sign = 1 << 15
	}
	f = math.Abs(f)
	if f < 0x1p-14 {
		return sign | uint32(f*0x1p24), true
	}
	fraction, exponent := math.Frexp(f) // fraction is in [½, 1)
	return sign | uint32(exponent+14)<<10 | uint32((fraction*2-1)*1024), true
}
