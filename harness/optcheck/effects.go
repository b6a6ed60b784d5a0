package optcheck

import (
	"fmt"
	"strings"

	"github.com/muster-gpu/muster/arith"
)

// effects returns what an instruction writes. It knows nothing about memory operations; the caller
// supplies what they read.
func (e *evaluator) effects(in *instruction) effect {
	writes, reads := in.split()
	result := effect{map[string]value{}, map[string]condition{}}
	if len(writes) == 0 {
		return result
	}
	name, from := e.describe(in, reads)
	for i, w := range writes {
		switch {
		case predicateName.MatchString(w):
			if w != "PT" && w != "UPT" {
				result.predicates[w] = question(fmt.Sprintf("%s#%d", name, i), from)
			}
		case registerName.MatchString(w):
			for n := range in.registers() {
				result.registers[following(w, n)] = e.atom(fmt.Sprintf("%s#%d.%d", name, i, n), from)
			}
		case w == "PR": // R2P: all of them
			for _, p := range predicates {
				result.predicates[p] = question(name+"#"+p, from)
			}
		}
	}
	e.lookInto(in, writes, reads, &result)
	return result
}

// describe names the result of an instruction after its inputs: equal names have equal values.
func (e *evaluator) describe(in *instruction, reads []string) (name string, from deps) {
	parts := append([]string{in.opcode}, in.mods...)
	for _, o := range reads {
		if predicateName.MatchString(o) {
			c := e.condition(o)
			parts, from = append(parts, c.String()), from|c.from
			continue
		}
		v := e.operand(o)
		parts, from = append(parts, v.String()), from|v.from
		if m := sourceOperand.FindStringSubmatch(o); m != nil && in.registers() > 1 {
			high := e.get(following(m[2], 1))
			parts, from = append(parts, high.String()), from|high.from
		}
	}
	return strings.Join(parts, " "), from
}

// lookInto refines the results of the instructions that are understood.
func (e *evaluator) lookInto(in *instruction, writes, reads []string, result *effect) {
	switch in.opcode {
	case "ISETP", "UISETP":
		e.comparison(in, writes, reads, result)
		return
	case "PLOP3", "UPLOP3":
		e.predicateLogic(writes, reads, result)
		return
	case "R2UR":
		inTurn(writes, false, result)
	case "ELECT":
		inTurn(writes, true, result)
		return
	}
	if _, understood := result.registers[writes[0]]; !understood || in.has("HI") || in.has("X") {
		return
	}
	if v, ok := halves(in); ok {
		result.registers[writes[0]] = v
		return
	}
	formula := formulas[in.opcode]
	if formula == nil {
		return
	}
	var args []value
	for _, o := range reads {
		if !predicateName.MatchString(o) {
			args = append(args, e.operand(o))
		}
	}
	if v, ok := formula(e, in, args); ok {
		result.registers[writes[0]] = v.with(result.registers[writes[0]].from)
		e.secondHalf(in, writes[0], reads, result)
	}
}

// with adds dependencies to a value.
func (v value) with(from deps) value {
	v.from |= from
	return v
}

// secondHalf computes the upper half of a 64-bit copy.
func (e *evaluator) secondHalf(in *instruction, to string, reads []string, result *effect) {
	if in.registers() != 2 || len(reads) != 1 {
		return
	}
	if m := bankOperand.FindStringSubmatch(reads[0]); m != nil && (in.opcode == "LDC" || in.opcode == "ULDC") {
		result.registers[following(to, 1)] = e.bank(m, 4)
	} else if in.opcode == "CS2R" && reads[0] == "SRZ" {
		result.registers[following(to, 1)] = value{}
	}
}

// comparisons are those of ISETP.
var comparisons = map[string]arith.Op{
	"EQ": arith.Eq, "NE": arith.Ne, "LT": arith.Lt, "LE": arith.Le, "GT": arith.Gt, "GE": arith.Ge,
}

// comparison is ISETP.NE.AND P0, PT, R1, R2, PT: P0 is (R1 ≠ R2) and PT; the second predicate is
// the negation, and PT.
func (e *evaluator) comparison(in *instruction, writes, reads []string, result *effect) {
	if len(in.mods) == 0 || len(reads) < 3 || in.has("EX") {
		return
	}
	op, known := comparisons[in.mods[0]]
	if !known {
		return
	}
	c := compare(op, !in.has("U32"), e.operand(reads[0]), e.operand(reads[1]))
	neutral := in.has("AND") && reads[2] == "PT" || in.has("AND") && reads[2] == "UPT" ||
		in.has("OR") && reads[2] == "!PT"
	if !neutral {
		return
	}
	for i, w := range writes {
		if i == 1 {
			c = c.not()
		}
		if _, ok := result.predicates[w]; ok {
			result.predicates[w] = c.with(result.predicates[w].from)
		}
	}
}

// inTurn computes the predicate of R2UR P0, UR4, R9 or ELECT P0, URZ, PT. The lanes of a warp take
// turns with an instruction that has uniform registers, in a loop: P0 says whether the current
// value differs from the lane's, or whether it is the lane's turn. Each lane is followed through
// its own turn.
func inTurn(writes []string, is bool, result *effect) {
	for _, w := range writes {
		if old, ok := result.predicates[w]; ok {
			result.predicates[w] = truth(is).with(old.from)
		}
	}
}

// predicateLogic is PLOP3.LUT P0, P1, a, b, c, table, table: bit 4a+2b+c of the table. Machine code
// uses it for constants, copies and negations.
func (e *evaluator) predicateLogic(writes, reads []string, result *effect) {
	if len(reads) < 5 {
		return
	}
	var inputs []condition
	for _, o := range reads[:3] {
		inputs = append(inputs, e.condition(o))
	}
	for i, w := range writes {
		table, ok := e.operand(reads[3+i]).isConstant()
		old, written := result.predicates[w]
		if !ok || !written {
			continue
		}
		if c, ok := lookup(inputs, table); ok {
			result.predicates[w] = c.with(old.from)
		}
	}
}

// lookup returns the condition that a table computes, if it is a constant or one of the inputs,
// perhaps negated.
func lookup(inputs []condition, table uint32) (condition, bool) {
	candidates := []condition{truth(true), truth(false)}
	for _, c := range inputs {
		candidates = append(candidates, c, c.not())
	}
	for _, candidate := range candidates {
		agrees := true
		for row := range uint32(8) {
			known := facts{}
			possible := true
			for i, c := range inputs {
				want := row>>(2-i)&1 == 1
				if holds, decided := known.decide(c); decided && holds != want {
					possible = false
				}
				if !want {
					c = c.not()
				}
				known = known.assume(c)
			}
			holds, _ := known.decide(candidate)
			agrees = agrees && (!possible || holds == (table>>row&1 == 1))
		}
		if agrees {
			return candidate, true
		}
	}
	return condition{}, false
}
