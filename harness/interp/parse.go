package interp

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/ptx/isa"
)

// entry is the code of an entry point.
type entry struct {
	params    []string
	registers []string
	code      []instr
	lines     []int // of the instructions, in the module
}

func (e *entry) line(pc int) int { return e.lines[min(pc, len(e.lines)-1)] }

// instr is an instruction.
type instr struct {
	guard    int // the register of the predicate, or -1
	negated  bool
	op       *isa.Opcode
	class    isa.Class
	formula  *isa.Formula // what it computes; of an atomic, what it writes
	operands []operand
	place    int // the first of them that is an address in brackets, or -1
	aligned  int // of the first element of a vector, what its address must be a multiple of; else 0
	target   int // of a branch
}

// operand is a register, a number, a special register, or an address.
type operand struct {
	register int // or -1
	number   uint64
	special  string // %tid.x, the name of a parameter or of a variable
}

var (
	entryText = regexp.MustCompile(`\.visible \.entry (\w+)\(`)
	paramText = regexp.MustCompile(`\.param \.(u32|u64) (\w+)`)
	labelText = regexp.MustCompile(`^(\w+):$`)
)

// parse reads a module as package harness writes it: one statement a line.
func parse(module string) (map[string]*entry, error) {
	entries := map[string]*entry{}
	var e *entry
	var labels map[string]int
	var branches map[int]string
	for i, line := range strings.Split(module, "\n") {
		line, _, _ = strings.Cut(line, "//")
		line = strings.TrimSpace(line)
		switch {
		case entryText.MatchString(line):
			e = &entry{}
			labels, branches = map[string]int{}, map[int]string{}
			entries[entryText.FindStringSubmatch(line)[1]] = e
		case e == nil || line == "" || line == "{" || line == ".explicitcluster" || strings.HasPrefix(line, ".pragma "):
		case paramText.MatchString(line):
			e.params = append(e.params, paramText.FindStringSubmatch(line)[2])
		case strings.HasPrefix(line, ".reg "):
			e.registers = append(e.registers, strings.TrimSuffix(strings.Fields(line)[2], ";"))
		case labelText.MatchString(line):
			labels[strings.TrimSuffix(line, ":")] = len(e.code)
		case line == "}":
			for pc, label := range branches {
				target, ok := labels[label]
				if !ok {
					return nil, fmt.Errorf("line %d: no label %s", e.lines[pc], label)
				}
				e.code[pc].target = target
			}
			e = nil
		default:
			in, label, err := e.instruction(strings.TrimSuffix(line, ";"))
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			if label != "" {
				branches[len(e.code)] = label
			}
			for _, element := range in.elements() {
				e.code, e.lines = append(e.code, element), append(e.lines, i+1)
			}
		}
	}
	return entries, nil
}

// braces are around the registers of a vector, which are operands like others.
var braces = strings.NewReplacer("{", "", "}", "")

// instruction reads an instruction, and the label that it branches to.
func (e *entry) instruction(text string) (in instr, label string, err error) {
	in.guard, in.place = -1, -1
	if rest, ok := strings.CutPrefix(text, "@"); ok {
		guard, rest, _ := strings.Cut(rest, " ")
		guard, in.negated = strings.CutPrefix(guard, "!")
		if in.guard = slices.Index(e.registers, guard); in.guard < 0 {
			return in, "", fmt.Errorf("no register %s", guard)
		}
		text = rest
	}
	opcode, rest, _ := strings.Cut(text, " ")
	if in.op, err = decode(opcode); err != nil {
		return in, "", err
	}
	in.class = in.op.Class()
	if in.class == isa.ClassBranch {
		return in, strings.TrimSpace(rest), nil
	}
	for part := range strings.SplitSeq(braces.Replace(imageOperand.ReplaceAllString(tensorOperand.ReplaceAllString(rest, "[$1]"), "[$1], $2")), ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		o, err := e.operands(part)
		if err != nil {
			return in, "", err
		}
		if len(o) > 1 && in.place < 0 {
			in.place = len(in.operands)
		}
		in.operands = append(in.operands, o...)
	}
	if performances[in.op.Code] == nil && in.class != isa.ClassReturn || in.class == isa.ClassAtomic {
		in.formula, err = in.op.Formula()
	}
	return in, "", err
}

// elements takes an access to a vector apart into accesses to its elements, which no order is between (PTX ISA, "Vector Data-types").
func (in instr) elements() []instr {
	n := in.op.Vector
	if n == 0 {
		return []instr{in}
	}
	base, offset := in.operands[in.place], in.operands[in.place+1]
	moved := slices.Delete(slices.Clone(in.operands), in.place, in.place+2)
	all := make([]instr, n)
	for i := range all {
		element := in
		element.place, element.operands = 0, []operand{base, offset, moved[i]}
		element.operands[1].number += uint64(i * in.bytes())
		if in.op.Code == isa.Ld {
			element.place, element.operands = 1, []operand{moved[i], base, element.operands[1]}
		}
		if i == 0 {
			element.aligned = n * in.bytes()
		}
		all[i] = element
	}
	return all
}

// fenceWords say of a fence for whom it is less than it is without: which memory, or which proxy.
var fenceWords = regexp.MustCompile(`\.(?:mbarrier_init|sync_restrict::[a-z:]+|global|shared::\w+)|::generic.*`)

// decode reads an opcode. Fences for some memory or some proxy are fences for all, and asynchronous stores are no stores.
func decode(opcode string) (*isa.Opcode, error) {
	switch {
	case strings.HasPrefix(opcode, "fence.proxy.tensormap::generic"):
		return isa.Decode("fence.proxy.async")
	case strings.HasPrefix(opcode, "tex."):
		return &isa.Opcode{Text: opcode, Code: isa.Texture}, nil
	case strings.HasPrefix(opcode, "suld."), strings.HasPrefix(opcode, "sust."):
		return &isa.Opcode{Text: opcode, Code: isa.Surface}, nil
	case strings.HasPrefix(opcode, "fence."):
		opcode = fenceWords.ReplaceAllString(opcode, "")
	case strings.HasPrefix(opcode, "st.async."), strings.HasPrefix(opcode, "red.async."):
		return &isa.Opcode{Text: opcode, Code: isa.Async}, nil
	}
	return isa.Decode(opcode)
}

// operands reads an operand; an address in brackets is two, its base and its offset.
func (e *entry) operands(text string) ([]operand, error) {
	inside, ok := strings.CutPrefix(text, "[")
	if !ok {
		o, err := e.operand(text)
		return []operand{o}, err
	}
	inside = strings.TrimSuffix(inside, "]")
	at := strings.LastIndexAny(inside, "+-")
	if at < 0 {
		o, err := e.operand(inside)
		return []operand{o, {register: -1}}, err
	}
	o, err := e.operand(inside[:at])
	if err != nil {
		return nil, err
	}
	offset, err := e.operand(strings.TrimPrefix(inside[at:], "+"))
	return []operand{o, offset}, err
}

func (e *entry) operand(text string) (operand, error) {
	if i := slices.Index(e.registers, text); i >= 0 {
		return operand{register: i}, nil
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return operand{register: -1, number: uint64(n)}, nil
	}
	if n, err := strconv.ParseUint(text, 0, 64); err == nil {
		return operand{register: -1, number: n}, nil
	}
	if f, err := strconv.ParseFloat(text, 32); err == nil {
		return operand{register: -1, number: uint64(math.Float32bits(float32(f)))}, nil
	}
	if text == "_" { // nobody wants the result
		return operand{register: -1}, nil
	}
	if slices.Contains(special, text) || slices.Contains(e.params, text) {
		return operand{register: -1, special: text}, nil
	}
	return operand{}, fmt.Errorf("unknown operand %s", text)
}

// special are the names that are no registers of the code.
var special = []string{"%tid.x", "%ntid.x", "%ctaid.x", "shared_memory"}
