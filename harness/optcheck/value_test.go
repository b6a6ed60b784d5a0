package optcheck

import (
	"strings"
	"testing"
)

func newAtoms() *atoms { return &atoms{numbers: map[string]int{}} }

// machineState returns an evaluator for a state in which each register holds an atom with its name.
func machineState(a *atoms, set map[string]value) *evaluator {
	return &evaluator{
		a,
		func(name string) value {
			if v, ok := set[name]; ok {
				return v
			}
			return a.atom(name, 0)
		},
		func(name string) condition { return question(name, 0) },
	}
}

// TestFormulas: the lower halves of results are the same polynomials in atoms.
func TestFormulas(t *testing.T) {
	a := newAtoms()
	r := func(name string) value { return a.atom(name, 0) }
	word := func(offset uint32) value { return a.atom(bankWord("0x0", offset), 0) }
	for text, want := range map[string]value{
		"MOV R1, R2":                                       r("R2"),
		"IMAD.MOV.U32 R1, RZ, RZ, -R2":                     value{}.plus(r("R2"), ^uint32(0)),
		"IADD3 R1, P0, R2, R3, 0x4":                        r("R2").plus(r("R3"), 1).plus(constant(4), 1),
		"VIADD R1, R2, 0xffffffff":                         r("R2").plus(constant(1), ^uint32(0)),
		"IMAD R1, R2, c[0x0][0x1d0], R3":                   a.times(r("R2"), word(0x1d0)).plus(r("R3"), 1),
		"IMAD.WIDE.U32 R4, R6, R15, c[0x0][0x168]":         a.times(r("R6"), r("R15")).plus(word(0x168), 1),
		"IMAD.SHL.U32 R1, R2, 0x4, RZ":                     value{}.plus(r("R2"), 4),
		"LEA R1, P0, R2, c[0x0][0x160], 0x3":               word(0x160).plus(r("R2"), 8),
		"SHF.L.U32 R1, R2, 0x5, RZ":                        value{}.plus(r("R2"), 32),
		"LDC.64 R4, c[0x0][RZ+0x210]":                      word(0x210),
		"HFMA2.MMA R1, -RZ, RZ, 0, 5.9604644775390625e-08": constant(1),
		"HFMA2.MMA R1, -RZ, RZ, 1.875, 0.5":                constant(0x3f803800),
		"CS2R R4, SRZ":                                     {},
	} {
		in := one(t, text)
		got := machineState(a, nil).effects(in).registers[in.operands[0]]
		if got.String() != want.String() {
			t.Errorf("%s is %s, not %s", text, got, want)
		}
	}
}

// TestOpaque: equal operations on equal values are equal, others are not, and all depend on their
// inputs.
func TestOpaque(t *testing.T) {
	a := newAtoms()
	state := machineState(a, map[string]value{"R2": a.read(3, ""), "R3": a.read(3, ""), "R4": a.read(5, "")})
	result := func(text string) value { return state.effects(one(t, text)).registers["R1"] }
	and := result("LOP3.LUT R1, R2, 0x80000000, RZ, 0xc0, !PT")
	if and.from != 1<<3 {
		t.Errorf("it depends on %b", and.from)
	}
	if same := result("LOP3.LUT R1, R3, 0x80000000, RZ, 0xc0, !PT"); same.String() != and.String() {
		t.Error("equal operations differ")
	}
	for _, other := range []string{
		"LOP3.LUT R1, R4, 0x80000000, RZ, 0xc0, !PT", "LOP3.LUT R1, R2, 0x40000000, RZ, 0xc0, !PT",
		"LOP3.LUT R1, ~R2, 0x80000000, RZ, 0xc0, !PT",
		"LOP3.LUT R1, R2, 0x80000000, RZ, 0xfc, !PT", "IMAD.HI.U32 R1, R2, 0x80000000, RZ",
	} {
		if result(other).String() == and.String() {
			t.Errorf("%s is equal to another operation", other)
		}
	}
	if difference := result("IADD3 R1, R2, -R3, RZ"); difference.String() != "" || difference.from != 1<<3 {
		t.Errorf("a value minus itself is %q, and depends on %b", difference, difference.from)
	}
}

func TestComparisons(t *testing.T) {
	a := newAtoms()
	state := machineState(a, nil)
	p0 := func(text string) condition { return state.effects(one(t, text)).predicates["P0"] }
	equal := p0("ISETP.EQ.AND P0, PT, R1, 0x2, PT")
	for text, want := range map[string]struct{ holds, known bool }{
		"ISETP.EQ.AND P0, PT, R1, 0x2, PT":        {true, true},
		"ISETP.NE.U32.AND P0, PT, R1, 0x2, PT":    {false, true},
		"ISETP.EQ.AND P0, PT, 0x2, R1, PT":        {true, true},
		"ISETP.EQ.AND P0, PT, R1, 0x3, PT":        {false, true}, // it is 2 already
		"ISETP.EQ.AND P0, PT, R2, 0x2, PT":        {false, false},
		"ISETP.EQ.AND P0, PT, R1, 0x2, P3":        {false, false},
		"ISETP.LT.AND P0, PT, 0xffffffff, RZ, PT": {true, true},
		"ISETP.LT.U32.AND P0, PT, 0x1, RZ, PT":    {false, true},
		"PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x0": {true, true},
		"PLOP3.LUT P0, PT, PT, PT, PT, 0x8, 0x0":  {false, true},
	} {
		holds, known := facts{equal}.decide(p0(text))
		if holds != want.holds || known != want.known {
			t.Errorf("if R1 is 2, %s is %t, and that is known: %t", text, holds, known)
		}
	}
	copied := p0("PLOP3.LUT P0, PT, P1, PT, PT, 0x80, 0x0")
	if holds, known := (facts{question("P1", 0)}).decide(copied); !holds || !known {
		t.Error("PLOP3 does not copy P1")
	}
	negated := p0("PLOP3.LUT P0, PT, P1, PT, PT, 0x8, 0x0")
	if holds, known := (facts{question("P1", 0)}).decide(negated); holds || !known {
		t.Error("PLOP3 does not negate P1")
	}
}

// TestLargeProducts: products that are not multiplied out are still equal if their factors are.
func TestLargeProducts(t *testing.T) {
	a := newAtoms()
	sum := value{}
	for _, name := range strings.Fields("a b c d e f g h") {
		sum = sum.plus(a.atom(name, 0), 1)
	}
	if square, same := a.times(sum, sum), a.times(sum, sum); square.String() != same.String() || len(square.sum) != 1 {
		t.Errorf("%s, %s", square, same)
	}
}
